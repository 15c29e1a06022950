import { isIP } from 'node:net';
import { sameSignature } from '../http/canonical.js';
import { type Handle, singleHeader, type WireReply, type WireRequest } from '../http/wire.js';
import { asset, hasAsset } from '../media.js';
import { control, Declined, type Inspected } from './control.js';

/**
 * Routes `/` and `/_sandbox` to the inspector and everything else to the service. The inspector is at the root,
 * without the front-controller prefix. If `token` is set, every call of the control interface must send it.
 */
export function withInspector(service: Handle, inspected: Inspected, token: string | undefined): Handle {
  return async (request) => {
    const [path = ''] = request.target.split('?', 1);
    const isIts = path === '/' || path === '/_sandbox' || path.startsWith('/_sandbox/');
    return isIts ? inspectorReply(request, path, inspected, token) : service(request);
  };
}

/** Whether only this machine can reach a server on this host. */
export function isLoopback(host: string): boolean {
  const plain = host.replace(/^\[|\]$/g, '').toLowerCase();
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'));
}

function inspectorReply(
  request: WireRequest,
  path: string,
  inspected: Inspected,
  token: string | undefined,
): WireReply {
  const { method } = request;
  try {
    // Any site may link to the page: its files are static and hold no data.
    const file = pageFile(path);
    guardSite(request, inspected.world.settings.host, path === '/');
    const reads = method === 'GET' || method === 'HEAD';
    if (!reads) guardChange(request);
    if (file !== undefined) {
      if (!reads) throw new Declined(405, `The method is not allowed on ${path}. Use GET.`);
      const [name, contentType] = file;
      return reply(200, `${contentType}; charset=utf-8`, asset(`inspector/${name}`), method);
    }
    if (token !== undefined) guardToken(request, token);
    return json(200, control(request, path, inspected), method);
  } catch (error) {
    if (error instanceof Declined) return json(error.status, { message: error.message }, method);
    return json(500, { message: 'The inspector failed with an internal error.' }, method);
  }
}

/** Finds a file of the inspector page by path. */
function pageFile(path: string): readonly [name: string, contentType: string] | undefined {
  if (path === '/') return ['index.html', 'text/html'];
  if (path === '/_sandbox/page.css') return ['page.css', 'text/css'];
  const script = /^\/_sandbox\/page\/([a-z-]+\.js)$/.exec(path)?.[1];
  return script === undefined || !hasAsset(`inspector/${script}`) ? undefined : [script, 'text/javascript'];
}

/** Requires the control token, which the server needs if other machines can reach it. */
function guardToken(request: WireRequest, token: string): void {
  if (sameSignature(singleHeader(request, 'x-sandbox-token') ?? '', token)) return;
  throw new Declined(
    401,
    'The control token is missing or wrong. Send the header X-Sandbox-Token with the token printed at startup.',
  );
}

/**
 * Allows only local programs and the inspector's own page. Refuses requests that a page of another site makes a
 * browser send, including through DNS rebinding.
 */
function guardSite(request: WireRequest, boundHost: string, isPage: boolean): void {
  const host = singleHeader(request, 'host') ?? '';
  if (!isOurs(host, boundHost)) {
    throw new Declined(
      403,
      'The Host header is not allowed. Use localhost or the address that the sandbox listens on.',
    );
  }
  const origin = request.headers.filter(([name]) => name.toLowerCase() === 'origin');
  const site = singleHeader(request, 'sec-fetch-site') ?? 'none';
  const isOwnSite = isPage || site === 'none' || site === 'same-origin';
  if (!isOwnSite || origin.some(([, value]) => value !== `http://${host}`))
    throw new Declined(403, 'Requests from pages of other sites are not allowed.');
}

/** Requires a header that forms and images of other sites cannot send. */
function guardChange(request: WireRequest): void {
  if (singleHeader(request, 'x-sandbox-control') !== '1') {
    throw new Declined(
      403,
      'The header X-Sandbox-Control is missing. Send X-Sandbox-Control: 1 with every change.',
    );
  }
  if (!/^application\/json\s*(?:;|$)/i.test(singleHeader(request, 'content-type') ?? '')) {
    throw new Declined(400, 'The body must be sent as Content-Type: application/json.');
  }
}

/** Whether a Host header is a loopback name or the bound address. */
function isOurs(host: string, boundHost: string): boolean {
  const name = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
  if (name === undefined) return false;
  const plain = name.replace(/^\[|\]$/g, '');
  if (isLoopback(plain) || plain === boundHost.toLowerCase()) return true;
  // A wildcard address is reachable at any IP address. Only names can be rebound.
  return ['', '0.0.0.0', '::'].includes(boundHost) && isIP(plain) !== 0;
}

function json(status: number, value: unknown, method: string): WireReply {
  return reply(status, 'application/json', JSON.stringify(value, inJson), method);
}

/** Replaces functions and infinity, which JSON lacks. */
function inJson(_name: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY) return 'always';
  return typeof value === 'function' ? 'a function' : value;
}

/** Builds a reply that forbids caching, framing and external resources. */
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
