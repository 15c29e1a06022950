import { describe, expect, it, vi } from 'vitest';
import type { ClientOptions, PartnerClientOptions } from '../../src/client/options.js';
import type { Transport, TransportReply, TransportRequest } from '../../src/core/transport/transport.js';
import type { Store } from '../../src/store/store.js';
import { lookup } from '../support/bid-replies.js';
import { accepted, bank, dealer, event, KEY, loggerOf, rejection } from '../support/clients.js';
import { once } from '../support/scripted-transport.js';
import { SpyStore } from '../support/spy-store.js';
import { ToldTime } from '../support/told-time.js';
import { settle, VirtualClock } from '../support/virtual-clock.js';

const CLOSED = { name: 'AbortedError', reason: 'closed' };
const UNSENT = { ...CLOSED, outcome: 'not_sent' };

/** One request in a window of a minute: the second one waits for 61 seconds. */
const NARROW: Partial<ClientOptions> = { quota: { limit: 1, reserve: 0, scope: 'client' } };

interface HeldRequest {
  readonly path: string;
  answer(json: unknown, status?: number): void;
}

/** A service that answers when it is told to, and ignores signals. */
class HeldService implements Transport {
  readonly requests: HeldRequest[] = [];

  send({ path }: TransportRequest): Promise<TransportReply> {
    return new Promise((resolve) => {
      const answer = (json: unknown, status = 200) => {
        resolve({ status, headers: {}, body: once(JSON.stringify(json)), discard: () => undefined });
      };
      this.requests.push({ path, answer });
    });
  }

  async close(): Promise<void> {}
}

/** What became of a promise so far. */
function watched<T>(promise: Promise<T>) {
  const seen: { isOver: boolean; value?: T; error?: unknown } = { isOver: false };
  promise.then(
    (value) => Object.assign(seen, { isOver: true, value }),
    (error: unknown) => Object.assign(seen, { isOver: true, error }),
  );
  return seen;
}

function held(options: Partial<PartnerClientOptions<'direct_dealer'>> = {}) {
  const clock = new VirtualClock();
  const service = new HeldService();
  const { client } = dealer([], { clock, transport: new ToldTime(service, clock), ...options });
  return { client, clock, service };
}

function heldBank(options: Partial<ClientOptions> = {}) {
  const clock = new VirtualClock();
  const service = new HeldService();
  const { client } = bank([], { clock, transport: new ToldTime(service, clock), ...options });
  return { client, clock, service };
}

const PROFILE = { client_id: 'cl_7f3a', environment: 'sandbox' };
const EVENT = { data: { id: 'auc_1', status: 'live', bid_increment: '5000.00', revision: 1 } };
const ACKNOWLEDGED = { terms_version: 'T4', expected_version: 3 };
const APPROVE = {
  action: 'approve',
  reason: 'Fine.',
  dueAt: '2026-03-09T06:00:00Z',
  payeeInstructions: 'x',
  termsVersion: 'T4',
  bidId: 'bid_1',
} as const;
const SALE = { id: 'sal_1', kind: 'sale', state: 'provisional', resource_version: 3 };
const sale = (over: object = {}) => ({ data: { ...SALE, ...over } });

describe('what was not sent when the client closes', () => {
  it('is not sent, at once: reads and commands that are queued for the quota', async () => {
    const { client, clock, transport } = dealer([event], NARROW);
    await client.events.get('auc_1');
    const read = watched(client.events.get('auc_2'));
    const command = watched(client.saleCases.acknowledge('sal_1', ACKNOWLEDGED));
    await settle();
    expect(transport.sent).toHaveLength(1);
    const before = clock.monotonic();
    await client.close();
    await settle();
    expect(read.error).toMatchObject(UNSENT);
    expect(command.error).toMatchObject(UNSENT);
    expect(clock.monotonic()).toBe(before);
    expect(clock.pending.filter((ms) => ms <= 61_000)).toEqual([]);
  });

  it('is recorded as not sent: a bid that is queued for the quota', async () => {
    const store = new SpyStore();
    const timed = { status: 200, json: { data: PROFILE, server_time: '2026-03-02T06:00:00Z' } };
    const { client, transport } = dealer([timed], { ...NARROW, store });
    await client.verify();
    const bid = client.bids.place({ lot: 'lot_1', amount: '1' }, { idempotencyKey: KEY });
    await settle();
    await client.close();
    expect(await bid).toMatchObject({ status: 'not_sent', reason: 'aborted' });
    expect(String((await bid).what)).toContain('the client was closed');
    expect(transport.sent).toHaveLength(1);
    expect((await store.rows('sandbox')).map(({ state }) => state)).toEqual(['not_sent']);
  });

  it('is not sent between two attempts of which none left', async () => {
    const randomness = { fraction: () => 0.99, nonce: () => 'n'.repeat(16) };
    const { client, transport } = dealer([{ fail: 'no' }], { randomness });
    const read = watched(client.events.get('auc_1'));
    await settle();
    await client.close();
    await settle();
    expect(read.error).toMatchObject(UNSENT);
    expect(transport.sent).toHaveLength(1);
  });

  it('is a row of a batch: bids in flight are awaited, the others are not sent', async () => {
    const { client, service } = held();
    const rows = ['lot_1', 'lot_2'].map((lot) => ({ rowId: lot, lot, amount: '1' }));
    const run = client.bids.placeAll(rows, { batchId: 'b1', concurrency: 1 });
    await settle();
    expect(service.requests).toHaveLength(1);
    const closing = client.close();
    await settle();
    service.requests[0]?.answer(accepted(), 201);
    await closing;
    const summary = await run.summary;
    expect(summary).toMatchObject({ counts: { accepted: 1, not_sent: 1 }, stopped: { reason: 'closed' } });
    expect(service.requests).toHaveLength(1);
  });
});

describe('what is on the wire when the client closes', () => {
  it('is awaited', async () => {
    const { client, clock, service } = held();
    const read = client.events.get('auc_1');
    await settle();
    const closing = watched(client.close());
    await clock.advance(9_000);
    expect(closing.isOver).toBe(false);
    service.requests[0]?.answer(EVENT);
    expect(await read).toMatchObject({ id: 'auc_1' });
    await settle();
    expect(closing).toEqual({ isOver: true, value: undefined });
  });

  it.each([
    [undefined, 10_000],
    [2_500, 2_500],
    [0, 0],
  ])('is aborted as unknown after within: %s', async (within, ms) => {
    const { client, clock } = held();
    const bid = watched(client.bids.submit('lot_1', { amount: '1' }));
    await settle();
    const closing = watched(client.close({ within }));
    await clock.advance(ms - 1);
    expect([bid.isOver, closing.isOver]).toEqual([false, false]);
    await clock.advance(1);
    expect(bid.error).toMatchObject({ ...CLOSED, outcome: 'unknown' });
    expect(closing.isOver).toBe(true);
    expect(clock.pending).toEqual([]);
  });

  it('is looked up where its outcome is unknown, within the time', async () => {
    const { client, clock, service } = held();
    const bid = client.bids.place({ lot: 'lot_1', amount: '1' }, { idempotencyKey: KEY, maxAttempts: 1 });
    await settle();
    const closing = watched(client.close());
    service.requests[0]?.answer({ message: 'Bad gateway' }, 502);
    await clock.advance(1_000);
    const [, asked] = service.requests;
    expect(asked?.path).toContain(`/bid-requests/`);
    const found = lookup('rejected', { receipt: { status: 'rejected', bid_id: 'bid_1' } });
    asked?.answer('json' in found ? found.json : {});
    await clock.advance(1_000);
    service.requests[2]?.answer({ message: 'Not found' }, 404);
    await clock.advance(1_000);
    expect(await bid).toMatchObject({ status: 'rejected' });
    await settle();
    expect(closing.isOver).toBe(true);
  });
});

describe('close()', () => {
  it('can be called again: a shorter time holds, a longer one changes nothing', async () => {
    const { client, clock } = held();
    const read = watched(client.events.get('auc_1'));
    await settle();
    const [first, longer, shorter] = [
      watched(client.close({ within: 5_000 })),
      watched(client.close({ within: 60_000 })),
      watched(client.close({ within: 1_000 })),
    ];
    await clock.advance(999);
    expect(read.isOver).toBe(false);
    await clock.advance(1);
    expect(read.error).toMatchObject(CLOSED);
    expect([first, longer, shorter].map(({ isOver }) => isOver)).toEqual([true, true, true]);
    await client.close();
  });

  it('of a derived client closes both, with the calls of either', async () => {
    const { client, clock } = held();
    const derived = client.withOptions({ timeout: 60_000 });
    const calls = [watched(client.events.get('auc_1')), watched(derived.events.get('auc_2'))];
    await settle();
    const closing = watched(derived.close({ within: 100 }));
    expect(await rejection(client.events.get('auc_1'))).toMatchObject(UNSENT);
    await clock.advance(100);
    for (const { error } of calls) expect(error).toMatchObject(CLOSED);
    expect(closing.isOver).toBe(true);
  });

  it.each([-1, Number.NaN, '10'])('refuses within: %s, and closes nothing', async (within) => {
    const { client } = dealer([event]);
    const error = await rejection(client.close({ within: Object(within).valueOf() }));
    expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ path: 'options.within' }] });
    await client.events.get('auc_1');
  });

  it.each(['transaction', 'close'] as const)('ends where %s of the store hangs', async (hanging) => {
    const clock = new VirtualClock();
    const inner = new SpyStore();
    const lines: string[] = [];
    const store: Store = {
      ...storeOver(inner),
      [hanging]: () => new Promise<never>(() => undefined),
    };
    const { client } = dealer([], {
      clock,
      store,
      logger: loggerOf((line) => lines.push(line)),
      logLevel: 'warn',
    });
    const bid = watched(client.bids.submit('lot_1', { amount: '1' }));
    await settle();
    const closing = watched(client.close({ within: 1_000 }));
    await clock.advance(1_000 + 1_000 + 5_000);
    expect(closing.isOver).toBe(true);
    expect(bid.error).toBeDefined();
    if (hanging === 'close')
      expect(lines).toContain('The client closed before its store and connections had');
  });
});

describe('work of several calls, when the client closes', () => {
  it('goes on: a read and the command of runOnce, while other calls are refused', async () => {
    const { client, service } = held();
    const run = client.runOnce(['close', 'sal_1'], async (idempotencyKey) => {
      const record = await client.saleCases.get('sal_1');
      return client.saleCases.acknowledge(record, { terms_version: 'T4' }, { idempotencyKey });
    });
    run.catch(() => undefined);
    await settle();
    const closing = watched(client.close());
    expect(await rejection(client.saleCases.get('sal_2'))).toMatchObject(UNSENT);
    service.requests[0]?.answer(sale());
    await settle();
    expect(service.requests).toHaveLength(2);
    service.requests[1]?.answer(sale({ state: 'approved', resource_version: 4 }));
    expect(await run).toMatchObject({ state: 'approved' });
    await settle();
    expect(closing.isOver).toBe(true);
  });

  it('is refused within it once the time is over', async () => {
    const { client, clock } = heldBank();
    const late = vi.fn();
    const run = client.runOnce(['late'], async (idempotencyKey) => {
      await new Promise<void>((resolve) => clock.after(5_000, resolve));
      late(await rejection(client.saleCases.get('sal_1')));
      return client.request({ method: 'POST', path: '/x' }, { idempotencyKey });
    });
    run.catch(() => undefined);
    await settle();
    const closing = watched(client.close({ within: 1_000 }));
    await clock.advance(2_000);
    expect(closing.isOver).toBe(true);
    await clock.advance(5_000);
    expect(late).toHaveBeenCalledWith(expect.objectContaining(UNSENT));
    expect(await rejection(run)).toMatchObject({ outcome: 'not_sent' });
  });

  it('goes on: waitFor, until the value comes or the time is over', async () => {
    const { client, clock, service } = heldBank();
    const reading = (id: string) =>
      client.waitFor(
        (limits) => client.saleCases.get(id, limits),
        ({ state }) => state === 'approved',
      );
    const [comes, stays] = [watched(reading('sal_1')), watched(reading('sal_2'))];
    await settle();
    const closing = watched(client.close());
    for (const { answer } of service.requests.slice(0, 2)) answer(sale());
    await clock.advance(2_000);
    expect(service.requests).toHaveLength(4);
    for (const { answer, path } of service.requests.slice(2)) {
      answer(sale(path.endsWith('sal_1') ? { state: 'approved' } : {}));
    }
    await clock.advance(0);
    expect(comes.value).toMatchObject({ state: 'approved' });
    await clock.advance(8_000);
    expect(stays.error).toMatchObject(CLOSED);
    await clock.advance(1_000);
    expect(closing.isOver).toBe(true);
  });

  it('goes on: approvals.decide, with the command that the policy asks for', async () => {
    const { client, service } = heldBank();
    const outcome = client.approvals.decide('sal_1', () => APPROVE);
    await settle();
    const closing = watched(client.close());
    for (let count = 0; count < 2; count += 1) {
      service.requests[count]?.answer(
        count === 0 ? sale() : sale({ state: 'approved', resource_version: 4 }),
      );
      await settle();
    }
    expect(await outcome).toMatchObject({ status: 'approved' });
    await settle();
    expect(closing.isOver).toBe(true);
  });

  it('ends: a follower after its running handler, whose calls go on, and a watch at once', async () => {
    const { client, service, clock } = held();
    const done = vi.fn();
    const following = client.winnerUpdates.follow({
      name: 'books',
      handle: async () => {
        await client.events.get('auc_1');
        done();
      },
    });
    const watching = (async () => {
      for await (const _ of client.lots.watch(['lot_1']));
    })();
    await settle();
    const updates = service.requests.find(({ path }) => path.includes('winner-updates'));
    updates?.answer({ data: [{ id: 1 }, { id: 2 }], next_cursor: 'c1' });
    await settle();
    const closing = client.close();
    await watching;
    const asked = service.requests.find(({ path }) => path.includes('auc_1'));
    asked?.answer(EVENT);
    await following;
    await closing;
    expect(done).toHaveBeenCalledTimes(1);
    expect(clock.pending).toEqual([]);
  });

  it('does not keep it open for ever: a handler that hangs', async () => {
    const { client, service, clock } = held();
    void client.winnerUpdates.follow({ name: 'books', handle: () => new Promise(() => undefined) });
    await settle();
    service.requests[0]?.answer({ data: [{ id: 1 }], next_cursor: 'c1' });
    await settle();
    const closing = watched(client.close({ within: 1_000 }));
    await clock.advance(2_000);
    expect(closing.isOver).toBe(true);
  });

  it('recover() takes no second look, and reports what it did not settle as it is on record', async () => {
    const store = new SpyStore();
    const clock = new VirtualClock();
    const lost = dealer([{ fail: 'maybe' }, { fail: 'maybe' }], { clock, store });
    for (const [lot, idempotencyKey] of [
      ['lot_1', KEY],
      ['lot_2', KEY.replace('3f', '4f')],
    ] as const) {
      const submitted = lost.client.bids.submit(lot, { amount: '1' }, { idempotencyKey, maxAttempts: 1 });
      await rejection(submitted);
    }
    const { client, service } = held({ clock, store });
    const recovering = client.recover();
    await settle();
    expect(service.requests).toHaveLength(2);
    const closing = client.close();
    const found = lookup('processing');
    for (const request of service.requests) request.answer('json' in found ? found.json : {});
    expect((await recovering).map(({ status }) => status)).toEqual(['unknown', 'unknown']);
    await closing;
    expect(service.requests).toHaveLength(2);
  });
});

/** The members of a store as an object, so that some can be replaced. */
function storeOver(store: Store): Store {
  return {
    name: store.name,
    durable: store.durable,
    process: store.process,
    transaction: (account, work) => store.transaction(account, work),
    close: () => store.close(),
  };
}
