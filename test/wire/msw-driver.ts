import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { fetchTransport } from '../../src/core/transport/fetch.js';
import type { Driver, Script } from './driver.js';

/** The transport on `fetch`, with msw in the place of the service. */
export function mswDriver(): Driver {
  let script: Script | undefined;
  const server = setupServer(
    http.all('https://bank.example/*', async ({ request }) => {
      const { pathname, search } = new URL(request.url);
      const answer = script?.answer({
        method: request.method,
        target: pathname + search,
        headers: Object.fromEntries(request.headers),
        body: Buffer.from(await request.arrayBuffer()),
      });
      if (answer === undefined || answer === 'held') return new Promise<never>(() => undefined);
      if (answer === 'cut') return HttpResponse.error();
      const { status, headers, body } = answer;
      return new HttpResponse(typeof body === 'string' ? body : new Uint8Array(body), {
        status,
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      });
    }),
  );
  server.listen({ onUnhandledRequest: 'error' });
  return {
    baseUrl: 'https://bank.example/api/v1',
    // Made only now: msw puts its own fetch in the place of the global one.
    transport: fetchTransport(globalThis.fetch),
    framing: () => ({}),
    follow: (next) => {
      script = next;
    },
    [Symbol.asyncDispose]: async () => server.close(),
  };
}
