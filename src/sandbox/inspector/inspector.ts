import { isIP } from 'node:net';
import { sameSignature } from '../http/canonical.js';
import { type Handle, singleHeader, type WireReply, type WireRequest } from '../http/wire.js';
import { asset, hasAsset } from '../media.js';
import { control, Declined, type Inspected } from './control.js';

/**
 * Gives `/` and `/_sandbox` of an HTTP server to the inspector and everything else to the service, which never sees the
 * inspector's requests. The front-controller prefix doesn't come into it: the inspector is at the root. With a `token`,
 * every call of the control interface needs it.
 */
export function withInspector(service: Handle, inspected: Inspected, token: string | undefined): Handle {
  return async (request) => {
    const [path = ''] = request.target.split('?', 1);
    const isIts = path === '/' || path === '/_sandbox' || path.startsWith('/_sandbox/');
    return isIts ? answer(request, path, inspected, token) : service(request);
  };
}

/** Whether a server that listens there can be reached by this machine only. */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '').toLowerCase();
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

function answer(
  request: WireRequest,
  path: string,
  inspected: Inspected,
  token: string | undefined,
): WireReply {
  const { method } = request;
  try {
    // A link from anywhere may open the page: its files are the same for everybody, and show only what they may see.
    const file = pageFile(path);
    guard(request, inspected.world.settings.host, path === '/');
    const reads = method === 'GET' || method === 'HEAD';
    if (!reads) guardChange(request);
    if (file !== undefined) {
      if (!reads) throw new Declined(405, `${path} takes GET only.`);
      const [name, contentType] = file;
      return reply(200, `${contentType}; charset=utf-8`, asset(`inspector/${name}`), method);
    }
    if (token !== undefined) guardToken(request, token);
    return json(200, control(request, path, inspected), method);
  } catch (error) {
    if (error instanceof Declined) return json(error.status, { message: error.message }, method);
    return json(500, { message: 'The inspector failed.' }, method);
  }
}

/** The page and what it loads, by path. */
function pageFile(path: string): readonly [name: string, contentType: string] | undefined {
  if (path === '/') return ['index.html', 'text/html'];
  if (path === '/_sandbox/page.css') return ['page.css', 'text/css'];
  const script = /^\/_sandbox\/page\/([a-z-]+\.js)$/.exec(path)?.[1];
  return script === undefined || !hasAsset(`inspector/${script}`) ? undefined : [script, 'text/javascript'];
}

/** A server that other machines reach asks everybody for the token that its start printed. */
function guardToken(request: WireRequest, token: string): void {
  if (sameSignature(singleHeader(request, 'x-sandbox-token') ?? '', token)) return;
  throw new Declined(
    401,
    'The control interface needs the header X-Sandbox-Token with the token that the start printed.',
  );
}

/**
 * Lets only the machine's own programs and the inspector's own page in. Another site's page can make a browser send
 * requests here, also under its own name, pointed at this machine; neither may read or change anything.
 */
function guard(request: WireRequest, boundHost: string, isPage: boolean): void {
  const host = singleHeader(request, 'host') ?? '';
  if (!isOurs(host, boundHost)) {
    throw new Declined(403, 'The inspector answers to localhost and to the address that it listens on only.');
  }
  const origin = request.headers.filter(([name]) => name.toLowerCase() === 'origin');
  const site = singleHeader(request, 'sec-fetch-site') ?? 'none';
  const isOwnSite = isPage || site === 'none' || site === 'same-origin';
  if (!isOwnSite || origin.some(([, value]) => value !== `http://${host}`))
    throw new Declined(403, 'The control interface does not answer to pages of other sites.');
}

/** A request that changes something carries a header that no form or image of another site can send. */
function guardChange(request: WireRequest): void {
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
  if (isLoopback(plain) || plain === boundHost.toLowerCase()) return true;
  // Listening everywhere, it may be reached at any address; only names can be pointed somewhere else.
  return ['', '0.0.0.0', '::'].includes(boundHost) && isIP(plain) !== 0;
}

function json(status: number, value: unknown, method: string): WireReply {
  return reply(status, 'application/json', JSON.stringify(value, inJson), method);
}

/** JSON has neither predicates nor infinity. */
function inJson(_name: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY) return 'always';
  return typeof value === 'function' ? 'a function' : value;
}

/** Nothing is kept by browsers, framed by other pages, or loaded from elsewhere. */
function reply(status: number, contentType: string, content: string | Uint8Array, method: string): WireReply {
  const body = Buffer.from(content);
  return {
    status,
    headers: [
      ['Content-Type', contentType],
      ['Content-Length', String(body.length)],
      ['Cache-Control', 'no-store'],
      ['Content-Security-Policy', policy],
      ['Cross-Origin-Resource-Policy', 'same-origin'],
      ['Referrer-Policy', 'no-referrer'],
      ['X-Content-Type-Options', 'nosniff'],
    ],
    body: method === 'HEAD' ? new Uint8Array() : body,
  };
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');
