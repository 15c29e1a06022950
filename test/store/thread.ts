import { parentPort, workerData } from 'node:worker_threads';
import { follow, type Round } from '../../src/following/follow.js';
import { sqliteStore } from '../../src/sqlite/index.js';
import { testPace } from '../following/support.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { receiverWith } from '../webhooks/delivery.js';
import { cursorsOf, EVENT, KEY, waitingBid } from './rows-of-threads.js';

// A worker thread that holds a row of a store, says so, and goes on for ever.

const { kind, path } = workerData as { kind: string; path: string };
const store = sqliteStore(path);
const holds = () => parentPort?.postMessage('holds');
const forever = new Promise<never>(() => undefined);
setInterval(() => undefined, 60_000);

if (kind === 'bid') {
  const client = await waitingBid(store);
  while ((await client.intents.get(KEY))?.state !== 'ready') await new Promise(setImmediate);
  holds();
} else if (kind === 'follower') {
  const round = async (_: number, { save }: Round<number>) => {
    await save(7);
    holds();
    return forever;
  };
  await follow(
    testPace(new VirtualClock()).pace,
    cursorsOf(store),
    { call: 'test', start: 0, round },
    { name: 'wins' },
  );
} else {
  const on = {
    '*': () => {
      holds();
      return forever;
    },
  };
  const { take, receiver } = receiverWith({ on }, store);
  await take(EVENT);
  await receiver.idle();
}
