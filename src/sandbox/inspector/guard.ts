import { isIP } from 'node:net';
import { singleHeader, type WireRequest } from '../wire.js';
import { Declined } from './declined.js';

/**
 * Lets only the machine's own programs and the inspector's own page in. Another site's page can make a browser send
 * requests here, also under a name of its own that it had pointed at this machine; neither may read or change anything.
 */
export function guard(request: WireRequest, boundHost: string): void {
  const host = singleHeader(request, 'host') ?? '';
  if (!isOurs(host, boundHost)) {
    throw new Declined(403, 'The inspector answers to localhost and to the address that it listens on only.');
  }
  const origin = request.headers.filter(([name]) => name.toLowerCase() === 'origin');
  const site = singleHeader(request, 'sec-fetch-site') ?? 'none';
  const foreign = origin.some(([, value]) => value !== `http://${host}`) || !ownSites.has(site);
  if (foreign) throw new Declined(403, 'The control interface does not answer to pages of other sites.');
}

/** What changes something says so in ways that no form or image of another site can. */
export function guardChange(request: WireRequest): void {
  if (singleHeader(request, 'x-sandbox-control') !== '1') {
    throw new Declined(403, 'A call that changes something needs the header X-Sandbox-Control: 1.');
  }
  if (!/^application\/json\s*(?:;|$)/i.test(singleHeader(request, 'content-type') ?? '')) {
    throw new Declined(400, 'The body must be sent as Content-Type: application/json.');
  }
}

/** Whether a Host header names this machine's loopback or the address listened on, so that no foreign name does. */
function isOurs(host: string, boundHost: string): boolean {
  const name = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
  if (name === undefined) return false;
  const plain = name.replace(/^\[|\]$/g, '');
  if (plain === 'localhost' || plain === boundHost.toLowerCase()) return true;
  const kind = isIP(plain);
  // Listening everywhere, it may be reached at any address; only names can be pointed somewhere else.
  if (isWildcard(boundHost)) return kind !== 0;
  return kind === 4 ? plain.startsWith('127.') : plain === '::1';
}

function isWildcard(host: string): boolean {
  return host === '' || host === '0.0.0.0' || host === '::';
}

const ownSites: ReadonlySet<string> = new Set(['none', 'same-origin']);
