import { once } from 'node:events';
import { createServer } from 'node:net';
import type { TestProject } from 'vitest/node';
import { PostgresServer } from './server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** Port of the door that tells tests the address of their Postgres. */
    postgresDoor: number;
  }
}

/** One Postgres for all test files, started when the first of them knocks: a run without any of them has none. */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const door = createServer((socket) => {
    socket.on('error', () => undefined);
    server ??= PostgresServer.start();
    server.then(
      (started) => socket.end(JSON.stringify({ url: started.urlOf() })),
      (error) => socket.end(JSON.stringify({ problem: String(error) })),
    );
  });
  door.listen(0, '127.0.0.1').unref();
  await once(door, 'listening');
  const address = door.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  provide('postgresDoor', address.port);
  return async () => {
    door.close();
    await (await server)?.remove();
  };
}
