import { describe, expect, it } from 'vitest';
import { ownerOfCall } from '../../src/intents/ledger.js';
import { memoryStore } from '../../src/store/memory.js';
import { isFree, type StoreProcess } from '../../src/store/owner.js';
import type { Store } from '../../src/store/store.js';
import { row } from '../store/kit.js';
import { messageOnly, NOW } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { processes } from '../support/processes.js';
import { VirtualClock } from '../support/virtual-clock.js';

/** A ready row and who holds it, as a process sees it that may be another one. */
async function held(store: Store, owner: string | undefined, as: StoreProcess = store.process) {
  const own = owner === undefined ? {} : { owner };
  const saved = { server: 1, local: 1 };
  await store.transaction('sandbox', (tx) => tx.intents.insert(row('a', own), saved));
  return async () => {
    const found = await store.transaction('sandbox', (tx) => tx.intents.get('a'));
    if (found === undefined) throw new Error('No row');
    return isFree(found, { ...store, process: as });
  };
}

describe('a ready intent', () => {
  it('is held while the call that recorded it runs, and free when that has ended', async () => {
    const store = memoryStore();
    const owner = ownerOfCall({ store: store, account: 'sandbox', clock: new VirtualClock() });
    const isFreeNow = await held(store, owner.id);
    expect(await isFreeNow()).toBe(false);
    owner.release();
    expect(await isFreeNow()).toBe(true);
  });

  it('is free for a process as soon as that of its call is gone', async () => {
    const world = processes(memoryStore());
    const owner = ownerOfCall({ store: world.as('one'), account: 'sandbox', clock: new VirtualClock() });
    const isFreeNow = await held(world.as('one'), owner.id, world.as('two').process);
    expect(await isFreeNow()).toBe(false);
    world.end('one');
    expect(await isFreeNow()).toBe(true);
    owner.release();
  });

  it('of another host is free after 15 s without a sign of life, and held as long as its call gives one', async () => {
    const clock = new VirtualClock();
    const memory = memoryStore({ now: () => clock.now() });
    const elsewhere: StoreProcess = { id: 'another-host/1/1/aa', isGone: () => false };
    const owner = ownerOfCall({ store: { ...memory, process: elsewhere }, account: 'sandbox', clock });
    const isFreeNow = await held(memory, owner.id);
    await clock.advance(60_000);
    expect(await isFreeNow()).toBe(false);
    owner.release();
    await clock.advance(15_000);
    expect(await isFreeNow()).toBe(false);
    await clock.advance(1);
    expect(await isFreeNow()).toBe(true);
  });

  it('gives signs of life over a store that fails now and then', async () => {
    const clock = new VirtualClock();
    const memory = memoryStore({ now: () => clock.now() });
    let fails = true;
    const elsewhere: StoreProcess = { id: 'another-host/1/1/ab', isGone: () => false };
    const flaky: Store = {
      ...memory,
      process: elsewhere,
      transaction: (account, work) =>
        fails ? Promise.reject(new Error('no disk')) : memory.transaction(account, work),
    };
    const owner = ownerOfCall({ store: flaky, account: 'sandbox', clock });
    const isFreeNow = await held(memory, owner.id);
    await clock.advance(10_000);
    fails = false;
    await clock.advance(10_000);
    expect(await isFreeNow()).toBe(false);
    owner.release();
    expect(clock.pending).toEqual([]);
  });
});

describe.each(['bid', 'command'] as const)('a %s that waits for the quota', (kind) => {
  it('is told as unknown, and other processes leave it alone', async () => {
    const clock = new VirtualClock();
    const world = processes(memoryStore({ now: () => clock.now() }));
    const scene = new Scene();
    const timestamp = new Date(NOW).toISOString();
    const pause = { ...messageOnly(429, { 'retry-after': '50' }), json: { message: 'Too many.', timestamp } };
    const waiting = scene.dealer([pause, { fail: 'no' }], { store: world.as('one'), clock });
    await waiting.client.verify();
    await rejection(waiting.client.events.get('auc_1', { maxAttempts: 1 }));
    const options = { idempotencyKey: KEY, maxAttempts: 1 };
    const work =
      kind === 'bid'
        ? waiting.client.bids.place({ lot: 'lot_1', amount: '1' }, options)
        : waiting.client.notifications.acknowledge(
            'n_1',
            { status: 'read', external_reference: 'x' },
            options,
          );
    const ended = work.catch((error: unknown) => error);
    await clock.advance(40_000);
    const other = scene.dealer([], { store: world.as('two'), clock });
    expect(await other.client.recover()).toMatchObject([{ status: 'unknown', reason: 'in_doubt' }]);
    expect((await other.client.intents.get(KEY))?.state).toBe('ready');
    await clock.advance(20_000);
    await ended;
    expect((await other.client.intents.get(KEY))?.state).toBe('not_sent');
    expect(other.transport.lines).toEqual([]);
  });
});
