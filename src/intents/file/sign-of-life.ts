import { unlink } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { codeOf } from './faults.js';

/** What the address of a socket can hold, everywhere. */
const MAX_ADDRESS_BYTES = 100;

/**
 * Listens on a socket in the file system, for as long as this process lives: the system itself closes it when the process
 * ends, however that happens. Unlike a pid it means the same in every container of a machine.
 *
 * @returns what ends it; undefined where there can be no such socket
 */
export async function giveSign(address: string): Promise<(() => Promise<void>) | undefined> {
  if (Buffer.byteLength(address) > MAX_ADDRESS_BYTES || process.platform === 'win32') return undefined;
  const server = createServer((socket) => socket.destroy());
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    // In a cluster the socket would else be the primary's, and outlive the worker.
    server.listen({ path: address, exclusive: true }, () => resolve(true));
  });
  if (!isListening) return undefined;
  server.on('error', () => undefined);
  server.unref();
  return async () => {
    await new Promise<void>((resolve) => void server.close(() => resolve()));
    await unlink(address).catch(() => undefined);
  };
}

/** Whether somebody listens there; undefined where no socket is left to tell. */
export async function answers(address: string): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      const code = codeOf(error);
      if (code === 'ENOENT' || code === 'ENOTSOCK') resolve(undefined);
      // Whoever refuses us for another reason may well be alive.
      else resolve(code !== 'ECONNREFUSED');
    });
  });
}
