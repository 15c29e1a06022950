import { createRequire } from 'node:module';
import { fetchThrough } from './fetch-door.js';
import type { Handle } from './wire.js';

/**
 * Handlers for msw 2 that answer whatever goes to `baseUrl`, of any method. msw is loaded here and nowhere else, so that
 * nobody needs it who doesn't ask. Throws where it can't be loaded.
 */
export function mswHandlers<Handler>(handle: Handle, baseUrl: string): Handler[] {
  const { http }: Msw = loadMsw();
  const handlers: unknown[] = [http.all(under(baseUrl), ({ request }) => answer(handle, request))];
  return handlers as Handler[];
}

/** What is needed of msw. */
interface Msw {
  readonly http: {
    all(path: RegExp, resolver: (info: { readonly request: Request }) => Promise<Response>): unknown;
  };
}

function loadMsw(): Msw {
  try {
    return createRequire(import.meta.url)('msw');
  } catch (cause) {
    throw new Error(
      'handlers() is for msw, an optional peer dependency that is not there: npm install --save-dev msw@2',
      { cause },
    );
  }
}

/** Every address at and below a URL. It captures nothing, for msw decodes what is captured, and paths may be hostile. */
function under(baseUrl: string): RegExp {
  return new RegExp(`^${baseUrl.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:/|$)`);
}

/** msw turns what a resolver throws into a 500; a cut connection must stay a network error. */
async function answer(handle: Handle, request: Request): Promise<Response> {
  try {
    return await fetchThrough(handle, request);
  } catch {
    return Response.error();
  }
}
