import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { follow } from '../../src/following/follow.js';
import { sqliteStore } from '../../src/sqlite/index.js';
import { testPace } from '../following/support.js';
import { lookup } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { receiverWith } from '../webhooks/delivery.js';
import { cursorsOf, EVENT, KEY } from './rows-of-threads.js';

/** A store whose row is held by a worker thread of this process, and how to end the thread. */
async function heldByThread(kind: 'bid' | 'follower' | 'webhook') {
  const folder = mkdtempSync(join(tmpdir(), 'threads-'));
  const path = join(folder, 'auction.db');
  const program = JSON.stringify(new URL('thread.ts', import.meta.url).href);
  const thread = new Worker(
    `import('tsx/esm/api').then(({ tsImport }) => tsImport(${program}, ${program}))`,
    {
      eval: true,
      workerData: { kind, path },
    },
  );
  onTestFinished(async () => {
    await thread.terminate();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const store = sqliteStore(path);
  await once(thread, 'message');
  return { store, end: () => thread.terminate() };
}

// Elsewhere a thread counts as ended after 15 s of silence, which `owner.test.ts` shows.
describe.runIf(existsSync('/proc/thread-self'))('a worker thread that ends while its process lives', () => {
  it('holds up no bid: what it had not sent is settled at once, and not before', async () => {
    const { store, end } = await heldByThread('bid');
    const { client } = new Scene().dealer([lookup('absent')], { store });
    expect(await client.recover()).toMatchObject([{ idempotencyKey: KEY, reason: 'in_doubt' }]);
    await end();
    expect(await client.recover()).toMatchObject([{ idempotencyKey: KEY, status: 'not_sent' }]);
  });

  it('leaves its position to the next follower under the name at once, and not before', async () => {
    const { store, end } = await heldByThread('follower');
    const clock = new VirtualClock();
    const { pace } = testPace(clock);
    const stop = new AbortController();
    const rounds: number[] = [];
    const round = async (state: number) => {
      rounds.push(state);
      stop.abort();
      return false;
    };
    const options = { name: 'wins', signal: stop.signal };
    const done = follow(pace, cursorsOf(store), { call: 'test', start: 0, round }, options);
    // It has looked, and waits.
    while (clock.pending.length === 0) await new Promise(setImmediate);
    expect(rounds).toEqual([]);
    await end();
    await clock.advance(5_000);
    await done;
    expect(rounds).toEqual([7]);
  });

  it('leaves its webhook event to another receiver at once, and not before', async () => {
    const { store, end } = await heldByThread('webhook');
    const { receiver, seen } = receiverWith({}, store);
    await receiver.idle();
    expect(seen).toEqual([]);
    await end();
    await receiver.idle();
    expect(seen).toEqual([EVENT.id]);
    expect(await receiver.list({ state: 'handled' })).toMatchObject([{ id: EVENT.id, attempts: 2 }]);
    await receiver.close();
  });
});
