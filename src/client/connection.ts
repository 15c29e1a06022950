import type { Transport } from '../core/transport/transport.js';
import { undiciTransport } from '../core/transport/undici.js';
import { ConfigurationError } from '../errors/local.js';
import type { ClientOptions } from './options.js';
import { checkMethods } from './resolve.js';
import { VERSION } from './version.js';

/** The transport of a client, and how it is released: an injected one is not ours to close. */
export function resolveTransport(
  { transport, proxy: given, tls, dispatcher }: ClientOptions,
  origin: string,
): {
  readonly transport: Transport;
  release(): Promise<void>;
} {
  // Plain http is allowed because loopback never leaves the machine; through a proxy the signatures would.
  const plain = origin.startsWith('http:');
  if (plain && given !== undefined && given !== 'env') {
    throw new ConfigurationError('proxy', 'must be left out where the base URL is plain http');
  }
  const proxy = plain ? undefined : given;
  if (transport === undefined) {
    const own = undiciTransport(defined({ proxy, tls, dispatcher }));
    return { transport: own, release: () => own.close() };
  }
  if (typeof transport === 'function') {
    throw new ConfigurationError('transport', 'must be a transport: wrap a fetch as fetchTransport(fetch)');
  }
  checkMethods('transport', transport, ['send', 'close'], true);
  for (const [option, value] of Object.entries({ proxy: given, tls, dispatcher })) {
    if (value !== undefined) {
      throw new ConfigurationError(
        option,
        'must not be given together with transport, which would ignore it',
      );
    }
  }
  return { transport, release: async () => undefined };
}

function defined<T extends object>(options: T): T {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as T;
}

/** What the SDK sends itself, or the connection does. */
const reserved =
  /^(x-(client-id|key-id|timestamp|nonce|content-sha256|signature)|idempotency-key|accept|accept-encoding|content-(type|length|encoding)|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/;

/** Headers of every request: the user agent, and those that the options add. @throws ConfigurationError */
export function resolveHeaders(given: unknown): Readonly<Record<string, string>> {
  const headers: Record<string, string> = { 'user-agent': `vehicle-auction-sdk/${VERSION}` };
  if (given === undefined) return headers;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConfigurationError('headers', 'must be an object of header names and values');
  }
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(lower)) {
      throw new ConfigurationError('headers', `must have header names; ${JSON.stringify(name)} is none`);
    }
    if (reserved.test(lower))
      throw new ConfigurationError(`headers.${name}`, 'is set by the SDK and cannot be changed');
    if (typeof value !== 'string' || !/^[\t\x20-\x7e]*$/.test(value)) {
      throw new ConfigurationError(`headers.${name}`, 'must be text of printable ASCII characters');
    }
    headers[lower] = value;
  }
  return headers;
}
