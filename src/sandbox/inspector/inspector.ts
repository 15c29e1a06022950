import type { Handle, WireReply, WireRequest } from '../wire.js';
import { control } from './control.js';
import { Declined } from './declined.js';
import { guard, guardChange } from './guard.js';
import type { Inspected } from './inspected.js';
import { Live } from './live.js';
import { pageFiles } from './page/files.js';

/**
 * Gives `/` and `/_sandbox` of an HTTP server to the inspector and everything else to the service, which never learns
 * of the inspector's requests. The front-controller prefix doesn't come into it: the inspector is at the root.
 */
export function withInspector(service: Handle, inspected: Inspected): Handle {
  const live = new Live(inspected);
  return (request) => {
    const [path = ''] = request.target.split('?', 1);
    const isIts = path === '/' || path === '/_sandbox' || path.startsWith('/_sandbox/');
    return isIts ? answer(request, path, inspected, live) : service(request);
  };
}

function answer(request: WireRequest, path: string, inspected: Inspected, live: Live): WireReply {
  try {
    // A link from anywhere may open the page: it is the same for everybody, and shows what it is let see.
    const isPage = path === '/';
    guard(isPage ? withoutSite(request) : request, inspected.world.settings.host);
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!reads) guardChange(request);
    const file = pageFiles.get(path);
    if (file !== undefined || path === '/_sandbox/live') {
      if (!reads) throw new Declined(405, `${path} takes GET only.`);
      if (file !== undefined) return reply(200, file.contentType, file.text, request.method);
      return {
        ...reply(200, 'text/event-stream', '', request.method, false),
        ...(request.method === 'GET' && { stream: (say) => live.listen(say) }),
      };
    }
    return json(200, control(request, path, inspected), request.method);
  } catch (error) {
    if (error instanceof Declined) return json(error.status, { message: error.message }, request.method);
    return json(500, { message: 'The inspector failed.' }, request.method);
  }
}

function withoutSite(request: WireRequest): WireRequest {
  return {
    ...request,
    headers: request.headers.filter(([name]) => name.toLowerCase() !== 'sec-fetch-site'),
  };
}

function json(status: number, value: unknown, method: string): WireReply {
  return reply(status, 'application/json', JSON.stringify(value), method);
}

/** Nothing is kept by browsers, framed by other pages, or loaded from elsewhere. */
function reply(status: number, contentType: string, text: string, method: string, whole = true): WireReply {
  const body = Buffer.from(text, 'utf8');
  return {
    status,
    headers: [
      ['Content-Type', contentType],
      ...(whole ? [['Content-Length', String(body.length)] as const] : []),
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
