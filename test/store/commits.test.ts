import { describe, expect, it } from 'vitest';
import { follow, type Round } from '../../src/following/follow.js';
import { type StoreTransaction, transact } from '../../src/store/store.js';
import { testPace } from '../following/support.js';
import { acceptance, lookup } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import { deafStore } from '../support/deaf-store.js';
import { SpyStore } from '../support/spy-store.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { approval, nowMs, receiverWith, saleApproved } from '../webhooks/delivery.js';
import { row } from './kit.js';
import { cursorsOf } from './rows-of-threads.js';

const LOT = { lot: 'lot_1', amount: '465000' };
/** Owners of an isolate are numbered; other test files may share it. */
function latestOwner(): number {
  const registry: unknown = Reflect.get(globalThis, Symbol.for('vehicle-auction-sdk.ownership'));
  return Number(Reflect.get(Object(registry), 'next'));
}

const halted = (tx: StoreTransaction) => tx.account.halt();

describe('a store that loses the answer to every commit', () => {
  it('lets a bid be recorded, sent once and settled', async () => {
    const store = deafStore();
    const scene = new Scene();
    const { client, transport } = scene.dealer([lookup('absent'), acceptance()], { store });
    await client.bids.lookup(KEY).catch(() => undefined);
    const outcome = await scene.during(client.bids.place(LOT, { idempotencyKey: KEY }));
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 1 });
    expect(transport.sent).toHaveLength(2);
    // Recorded, announced, and its result.
    expect(store.lost.count).toBe(3);
  });

  it('lets an intent be given up, and runs a function once', async () => {
    const store = deafStore();
    const scene = new Scene();
    const { client } = scene.dealer([lookup('absent'), { fail: 'maybe' }], { store });
    await client.bids.lookup(KEY).catch(() => undefined);
    const options = { idempotencyKey: KEY, maxAttempts: 1, deadline: 1_000 };
    await scene.during(client.bids.place(LOT, options).catch((error: unknown) => error));
    expect((await client.intents.get(KEY))?.state).toBe('sent');
    await client.intents.abandon(KEY, 'no longer wanted');
    expect((await client.intents.get(KEY))?.state).toBe('abandoned');
    let runs = 0;
    const run = () => {
      runs += 1;
      throw new RangeError('no call');
    };
    expect(await client.runOnce(['a'], run).catch((error: unknown) => error)).toBeInstanceOf(RangeError);
    expect(runs).toBe(1);
    expect(await client.intents.list({ which: 'all' }).toArray()).toMatchObject([{}, { state: 'not_sent' }]);
  });

  it('halts and resumes bidding', async () => {
    const store = deafStore();
    const { client } = new Scene().dealer([], { store });
    await client.bids.halt('a stop');
    expect(await store.transaction('sandbox', halted)).toBe('a stop');
    await client.bids.resume();
    expect(await store.transaction('sandbox', halted)).toBeUndefined();
    expect(store.lost.count).toBe(2);
  });

  it('keeps a delivery, runs its handler once, also after a failure, and marks it handled', async () => {
    const store = deafStore();
    const tries: number[] = [];
    const on = {
      '*': (_: unknown, { attempt }: { attempt: number }) => {
        tries.push(attempt);
        if (attempt === 1) throw new Error('down');
      },
    };
    const { take, receiver, clock, reports } = receiverWith({ on }, store);
    expect((await take(saleApproved)).outcome).toBe('kept');
    await receiver.idle();
    await clock.advance(5_000);
    await receiver.idle();
    expect(tries).toEqual([1, 2]);
    expect(reports).toMatchObject([{ kind: 'failed' }]);
    expect(await receiver.list()).toMatchObject([{ state: 'handled', attempts: 2 }]);
    await receiver.close();
  });

  it('keeps the position of a follower, and leaves it to the next', async () => {
    const store = deafStore();
    const positions: number[] = [];
    for (const expected of [1, 2]) {
      const stop = new AbortController();
      const round = async (state: number, { save }: Round<number>) => {
        positions.push(state);
        await save(state + 1);
        stop.abort();
        return false;
      };
      const { pace, warnings } = testPace(new VirtualClock());
      const follower = { call: 'test', start: 0, round };
      await follow(pace, cursorsOf(store), follower, { name: 'wins', signal: stop.signal });
      expect([warnings, positions]).toEqual([[], [0, 1].slice(0, expected)]);
    }
    // Each took, saved and left.
    expect(store.lost.count).toBe(6);
  });

  it('writes each entry of the audit once, and marks what the sink has taken', async () => {
    const store = deafStore();
    const entry = { about: 'sal_1', phase: 'before', at: 1, content: '{}' };
    await transact(store, 'sandbox', (tx) => tx.audit.append(entry));
    await transact(store, 'sandbox', (tx) => tx.audit.setDelivered(1));
    const read = (tx: StoreTransaction) =>
      Promise.all([tx.audit.list({ limit: 9 }), tx.audit.undelivered(9)]);
    expect(await transact(store, 'sandbox', read)).toMatchObject([[entry], []]);
  });

  it('deletes what is old, and returns how much', async () => {
    const store = deafStore();
    const at = { server: 1, local: 1 };
    await transact(store, 'sandbox', (tx) => tx.intents.insert(row('a', { state: 'refused' }), at));
    const before = { server: 10, local: 10, now: 20 };
    const prune = (tx: StoreTransaction) => tx.intents.prune(before, 20, (content) => content);
    expect([await transact(store, 'sandbox', prune), await transact(store, 'sandbox', prune)]).toEqual([
      1, 0,
    ]);
  });

  it('counts each departure of the shared quota once', async () => {
    const { departures, lost } = deafStore();
    const entry = { process: 'p', number: 7, lane: 'bid', age: 0, limit: 9, reserve: 0 } as const;
    const found: number[] = [];
    const look = (entries: readonly (typeof entry)[]) =>
      departures?.exchange('bank', 0, (page) => {
        found.push(page.entries.length);
        return entries;
      });
    await look([entry]);
    await look([]);
    expect([found, lost.count]).toEqual([[0, 1], 1]);
  });
});

describe('an unknown commit', () => {
  it('stays unknown where the store can not be read again, or the unit was not committed', async () => {
    const store = new SpyStore();
    const halt = () => transact(store, 'sandbox', (tx) => tx.account.setHalt('a stop'));
    const unknown = { name: 'StoreError', commit: 'unknown' };
    store.troubles.push('commits unheard', 'fails');
    await expect(halt()).rejects.toMatchObject(unknown);
    store.troubles.push('lost');
    await expect(halt()).rejects.toMatchObject(unknown);
  });

  it('leaves nothing behind of units that only read, and one mark of those that follow each other', async () => {
    const store = new SpyStore();
    const marks: boolean[] = [];
    for (let n = 0; n < 3; n += 1) await transact(store, 'a', (tx) => tx.account.setHalt(String(n)));
    await transact(store, 'a', async (tx) => {
      for (const token of [1, 2, 3, 4]) {
        const { id } = store.process;
        // The mark of this isolate's only owner on this store, whichever number it has.
        for (let n = 1; n <= latestOwner(); n += 1) {
          if (await tx.commits.has({ owner: `${id}#${n}`, token })) marks.push(token === 3);
        }
      }
    });
    expect(marks).toEqual([true]);
  });

  it('of a webhook claim leaves the event to the next look, where it can not be read again', async () => {
    const store = new SpyStore();
    const { take, receiver, clock, seen } = receiverWith({}, store);
    await take(approval('evt_1'));
    // The round shrinks, looks for what is due, and takes the event.
    store.troubles.push(undefined, undefined, 'commits unheard', 'fails');
    await clock.advance(0);
    await receiver.idle();
    await clock.advance(60_000);
    expect(seen).toEqual(['evt_1']);
    expect(await receiver.list()).toMatchObject([{ state: 'handled' }]);
    expect(nowMs).toBeLessThan(clock.now());
  });
});
