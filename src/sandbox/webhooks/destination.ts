import { lookup } from 'node:dns/promises';
import { blockList, familyOf } from '../addresses.js';

/** A resolved IP address. */
export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves all addresses of a host name. Rejects if there are none. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

/** Destination of a delivery: a URL and its checked addresses. */
export interface Destination {
  readonly url: URL;
  readonly addresses: readonly Address[];
}

/** The destination is not allowed. Nothing was sent. */
export class BlockedDestinationError extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'BlockedDestinationError';
  }
}

/** Resolves a name with the machine's resolver. */
export const resolveByDns: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

/**
 * Resolves a URL. Without `allowPrivate`, requires https and blocks a name with any non-public address.
 *
 * @throws BlockedDestinationError
 */
export async function destinationOf(
  text: string,
  allowPrivate: boolean,
  resolve: Resolve = resolveByDns,
): Promise<Destination> {
  const problem = urlProblem(text, allowPrivate);
  if (problem !== undefined) throw new BlockedDestinationError(problem);
  const url = new URL(text);
  const hostname = hostOf(url);
  const literal = familyOf(hostname);
  const family = literal === 'ipv6' ? 6 : 4;
  const addresses = literal === undefined ? await resolve(hostname) : [{ address: hostname, family }];
  if (addresses.length === 0) throw new Error(`${hostname} has no address`);
  const hidden = allowPrivate ? undefined : addresses.find(({ address }) => !isPublic(address));
  if (hidden !== undefined) {
    throw new BlockedDestinationError(
      `The destination ${hostname} is blocked: ${hidden.address} is not a public address. Use a public receiver or allowPrivate.`,
    );
  }
  return { url, addresses };
}

/** Describes a problem with a URL before DNS resolution; undefined if there is none. */
export function urlProblem(text: string, allowPrivate: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWeb = url?.protocol === 'https:' || (allowPrivate && url?.protocol === 'http:');
  if (url === undefined || !isWeb) return 'The URL must be an https URL.';
  if (url.username !== '' || url.password !== '') return 'The URL must hold no user name or password.';
  const host = hostOf(url);
  if (!allowPrivate && familyOf(host) !== undefined && !isPublic(host))
    return `${host} is not a public address.`;
  return undefined;
}

/** Whether an address is on the public internet: not private, reserved, local, shared or multicast. */
export function isPublic(address: string): boolean {
  const family = familyOf(address);
  if (family === 'ipv4') return !reserved.check(address, 'ipv4');
  // Addresses with a zone are link-local.
  if (family === undefined || address.includes('%')) return false;
  return global.check(address, 'ipv6') && !reserved.check(address, 'ipv6');
}

/** The host of a URL, without the brackets of an IPv6 address. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** Allocated IPv6 space. Mapped, translated, local and multicast addresses are outside. */
const global = blockList(['2000::/3']);

/** IANA special-purpose ranges of both families. */
const reserved = blockList([
  // Protocols with Teredo, documentation twice, 6to4, AS112.
  ...['2001::/23', '2001:db8::/32', '3fff::/20', '2002::/16', '2620:4f:8000::/48'],
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'],
  ...['192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
]);
