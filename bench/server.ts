import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A bare server in a process of its own; `close()` ends it. */
export async function serverApart(): Promise<{ readonly origin: string; close(): void }> {
  const server = fork(fileURLToPath(new URL('server.mjs', import.meta.url)));
  const port = await new Promise<number>((resolve) =>
    server.once('message', (message) => resolve(Number(message))),
  );
  return { origin: `http://127.0.0.1:${port}`, close: () => server.disconnect() };
}
