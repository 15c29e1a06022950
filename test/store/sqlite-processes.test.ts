import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../../src/sqlite/database.js';
import { sqliteStore } from '../../src/sqlite/index.js';
import { insert, keysOf, newFolder, row } from './kit.js';

interface Writer {
  readonly process: ChildProcess;
  /** Resolves when so many more rows were acknowledged. */
  acknowledges(count: number): Promise<void>;
}

it('loses no acknowledged row of two processes that share a SQLite file and are killed at any moment', async () => {
  const folder = newFolder();
  const path = join(folder, 'auction.db');
  const acknowledged = new Set<string>();
  const writers: Writer[] = [];
  onTestFinished(() => {
    for (const writer of writers) writer.process.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });
  const start = () => {
    const writer = startWriter(path, acknowledged);
    writers.push(writer);
    return writer;
  };

  let [one, two] = [start(), start()];
  for (let round = 1; round <= 3; round += 1) {
    await Promise.all([one.acknowledges(20), two.acknowledges(20)]);
    await kill(two);
    // The other goes on: whatever the dead one was writing is undone.
    await one.acknowledges(20);
    two = start();
  }
  await two.acknowledges(1);
  await Promise.all([kill(one), kill(two)]);

  const store = sqliteStore(path);
  const found = new Set(await keysOf(store));
  expect([...acknowledged].filter((key) => !found.has(key))).toEqual([]);
  // What was committed and not acknowledged: one group of three of each process that was killed, at most.
  expect(found.size - acknowledged.size).toBeLessThanOrEqual(3 * writers.length);
  await insert(store, row('after'));
  await store.close();
  const database = openDatabase(path);
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  database.close();
});

function startWriter(path: string, all: Set<string>): Writer {
  const script = join(import.meta.dirname, 'writer.ts');
  const process_ = spawn(process.execPath, ['--import', 'tsx', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let count = 0;
  const waiting = new Set<() => void>();
  const lines = createInterface({ input: process_.stdout });
  lines.on('line', (key) => {
    all.add(key);
    count += 1;
    for (const check of waiting) check();
  });
  return {
    process: process_,
    acknowledges: (more) =>
      new Promise((resolve, reject) => {
        const wanted = count + more;
        const check = () => {
          if (count < wanted) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        process_.once('exit', () => reject(new Error('The writer has ended.')));
      }),
  };
}

async function kill({ process: process_ }: Writer): Promise<void> {
  const end = once(process_, 'close');
  process_.kill('SIGKILL');
  await end;
}
