import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** What a process that saves one file needs above its idle memory, in megabytes. */
export interface SavedMemory {
  readonly megabytes: number;
  readonly idle: number;
  readonly aboveIdle: number;
}

/** Saves a file of so many megabytes in a process of its own, over HTTP on this machine. */
export async function memoryOfSaving(megabytes: number): Promise<SavedMemory> {
  const chunk = Buffer.alloc(1_000_000, 'the bytes of a long video\n');
  const server = createServer((request, response) => {
    const count = request.url?.includes('/large') === true ? megabytes : 1;
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': count * chunk.length });
    let left = count;
    const write = (): void => {
      while (left > 0) {
        left -= 1;
        if (!response.write(chunk)) return void response.once('drain', write);
      }
      response.end();
    };
    write();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'files-bench-'));
  try {
    const { port } = server.address() as AddressInfo;
    const program = fileURLToPath(new URL('save.mjs', import.meta.url));
    const args = ['--expose-gc', program, `http://127.0.0.1:${port}/api/v1`, folder];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { idle, peak } = JSON.parse(stdout) as { idle: number; peak: number };
    return { megabytes, idle: idle / 1e6, aboveIdle: (peak - idle) / 1e6 };
  } finally {
    server.close();
    await rm(folder, { recursive: true });
  }
}
