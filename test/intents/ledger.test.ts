import { describe, expect, it } from 'vitest';
import { createServerClock } from '../../src/clock/clock.js';
import { StoreError } from '../../src/errors/store.js';
import type { IntentEvent, LookupEvent } from '../../src/intents/content.js';
import { type Draft, type Intent, Ledger, settleUnsent } from '../../src/intents/ledger.js';
import type { BidColumns } from '../../src/store/intents.js';
import { memoryStore } from '../../src/store/memory.js';
import type { Store } from '../../src/store/store.js';
import { iso, NOW } from '../support/bid-replies.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { at, attempt, bid, command, KEY_RETENTION_MS, looked, placed, result, tried } from './logs.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const RETENTION = 30 * DAY;
const columns: BidColumns = { lot: 'lot_1', buyer: 'D-204', paise: 46_500_000n };

/** A ledger in a process of its own; the service's clock runs `aheadMs` ahead of its machine. */
function ledgerOn(
  store: Store,
  clock = new VirtualClock(),
  { aheadMs = 0, knows = true, retentionMs = RETENTION, auditRetentionMs = Number.POSITIVE_INFINITY } = {},
) {
  const serverClock = createServerClock(clock);
  const hear = () => {
    const sent = serverClock.reading();
    serverClock.observe({ serverMs: sent.wall + aheadMs, resolutionMs: 1, source: 'body' }, sent);
  };
  if (knows) hear();
  const parts = {
    store,
    account: 'sandbox',
    clock,
    serverClock,
    keyRetentionMs: KEY_RETENTION_MS,
    retentionMs,
    auditRetentionMs,
  };
  return { ledger: new Ledger(parts), clock, hear };
}

function draft(key: string, changes: Partial<Draft> = {}): Draft {
  const { log: _, ...content } = bid();
  const body = { text: '{"amount":"465000"}' };
  return { key, content, body, columns, guarded: true, owner: 'me#1', once: undefined, ...changes };
}

function insert(ledger: Ledger, given: Draft, ...events: readonly IntentEvent[]): Promise<Intent> {
  return ledger.within((tx) => ledger.insert(tx, given, events.length === 0 ? [placed(0, 120)] : events));
}

async function keysIn(store: Store): Promise<string[]> {
  const { ledger } = ledgerOn(store);
  return (await ledger.list({ which: 'all', limit: 1_000 })).map(({ key }) => key);
}

describe('a unit of work', () => {
  it('decides on what is in the store, whatever its caller saw before', async () => {
    const store = memoryStore();
    const [one, other] = [ledgerOn(store).ledger, ledgerOn(store).ledger];
    await insert(one, draft('a'));
    const before = await one.read('a');
    await other.add('a', attempt(1));
    const seen: (number | undefined)[] = [];
    await one.change('a', ({ row, status }) => {
      seen.push(row.version, status.attempts);
      return undefined;
    });
    expect([before?.row.version, ...seen]).toEqual([1, 2, 1]);
  });
});

it('server time goes by the local clock until the service has stated it', () => {
  expect(ledgerOn(memoryStore(), new VirtualClock(), { aheadMs: 5_000, knows: false }).ledger.now()).toBe(
    NOW,
  );
  expect(ledgerOn(memoryStore(), new VirtualClock(), { aheadMs: 5_000 }).ledger.now()).toBe(NOW + 5_000);
});

describe('the row of an intent', () => {
  it('keeps its owner while it is ready and on the wire, and has none once the result has come', async () => {
    const { ledger } = ledgerOn(memoryStore());
    await insert(ledger, draft('a'));
    const lotRead: IntentEvent = { type: 'lot_read', at: at(1), closed: false };
    expect((await ledger.add('a', lotRead))?.row.owner).toBe('me#1');
    expect((await ledger.add('a', attempt(1)))?.row.owner).toBe('me#1');
    expect((await ledger.add('a', lotRead))?.row.owner).toBe('me#1');
    expect((await ledger.add('a', result(1, 'unknown')))?.row.owner).toBeUndefined();
  });

  it.each([
    ['short', 100, true],
    ['long', 10_000, false],
  ])(
    'keeps %s bytes for as long as they may be sent, and then only to tell what differs',
    async (_, length, isKept) => {
      const { ledger } = ledgerOn(memoryStore());
      const body = { text: JSON.stringify({ a: 'x'.repeat(length) }) };
      const steps: readonly (readonly [string, readonly IntentEvent[], boolean])[] = [
        ['sent', [attempt(1)], true],
        ['refused', tried(1, 'refused'), true],
        ['not_sent', tried(1, 'not_sent'), true],
        ['accepted', tried(1, 'done'), isKept],
        ['rejected', tried(1, 'rejected'), isKept],
      ];
      for (const [key, events, expected] of steps) {
        await insert(ledger, draft(key, { guarded: false, body }));
        const after = await ledger.add(key, ...events);
        expect([after?.row.state, after?.row.body !== undefined]).toEqual([key, expected]);
      }
    },
  );

  it('records whose the ids of a verdict are, and voids the verdict under another key that had them', async () => {
    const { ledger } = ledgerOn(memoryStore());
    for (const key of ['a', 'b']) await insert(ledger, draft(key, { guarded: false }));
    const verdict = { ...looked('accepted'), bidId: 'bid_1', requestId: 'req_1' } as LookupEvent;
    const claim = (key: string) => ledger.within((tx) => ledger.reserveIds(tx, key, verdict));
    const clash = { other: 'a', ids: ['bid_1', 'req_1'] };
    // A key that retention has deleted meanwhile is no longer there to be voided.
    await ledger.within((tx) => tx.evidence.reserve('bid_id', 'bid_2', 'gone'));
    const gone = ledger.within((tx) => ledger.reserveIds(tx, 'a', { ...verdict, bidId: 'bid_2' }));
    expect(await gone).toEqual([{ other: 'gone', ids: ['bid_2'] }]);
    expect([await claim('a'), await claim('a'), await claim('b')]).toEqual([[], [], [clash]]);
    const voided = { type: 'voided', at: at(2), ids: clash.ids, otherKey: 'b' };
    expect((await ledger.read('a'))?.content.log.at(-1)).toEqual(voided);
  });

  it('takes the close of its lot from the receipt', async () => {
    const { ledger } = ledgerOn(memoryStore());
    await insert(ledger, draft('a', { columns: { ...columns, closesAt: at(600) } }));
    const record = { bid_id: 'bid_1', effective_close_at: iso(at(900)) };
    const after = await ledger.add('a', ...tried(1, 'done', { record }));
    expect(after?.row.bid).toMatchObject({ closesAt: at(900), lot: 'lot_1' });
    await insert(ledger, draft('b', { columns: { ...columns, closesAt: at(600) } }));
    const odd = await ledger.add('b', ...tried(1, 'done', { record: { effective_close_at: 'soon' } }));
    expect(odd?.row.bid?.closesAt).toBe(at(600));
  });
});

describe('retention', () => {
  async function settledLongAgo(store: Store, clock = new VirtualClock()) {
    const { ledger } = ledgerOn(store, clock);
    await insert(ledger, draft('accepted'));
    await ledger.add('accepted', ...tried(1, 'done'));
    await insert(ledger, draft('refused'));
    await ledger.add('refused', ...tried(1, 'refused'));
    return clock;
  }

  it('keeps what is open or provisional, however old', async () => {
    const store = memoryStore();
    const clock = new VirtualClock();
    const { ledger } = ledgerOn(store, clock);
    for (const key of ['ready', 'sent', 'stuck', 'provisional'])
      await insert(ledger, draft(key, { guarded: false }));
    await ledger.add('sent', attempt(1));
    await ledger.add('stuck', attempt(1), { type: 'stuck', at: at(2), why: 'late' });
    await ledger.add('provisional', ...tried(1, 'uncoded'), looked('absent', 2, { refusalsSeen: 1 }));
    await clock.advance(2 * RETENTION);
    const later = ledgerOn(store, clock).ledger;
    await later.add('ready', { type: 'lot_read', at: clock.now(), closed: false });
    await later.prune();
    expect(await keysIn(store)).toEqual(['ready', 'sent', 'stuck', 'provisional']);
  });

  it.each([
    ['a local clock that is 23 hours ahead, which replies correct', 23, -23, 24, 12],
    ['a local clock that is 40 days ahead, more than any reply corrects', 960, -960, 24, 12],
    ['a service whose clock is 23 hours ahead of the local one', 0, 23, 24, 12],
    ['a server time that was noted hours ahead, and a local clock that is, too', 20, -20, 6, 2],
  ])('one start with %s erases nothing', async (_, localHours, serviceHours, retentionHours, laterHours) => {
    const store = memoryStore();
    await settledLongAgo(store);
    const clock = new VirtualClock(NOW + (laterHours + localHours) * HOUR);
    const options = { aheadMs: serviceHours * HOUR, retentionMs: retentionHours * HOUR };
    const { ledger } = ledgerOn(store, clock, options);
    if (localHours === 20) await ledger.within(({ account }) => account.advanceServerTime(NOW + 20 * HOUR));
    else await insert(ledger, draft('new', { guarded: false }));
    await ledger.prune();
    expect((await keysIn(store)).slice(0, 2)).toEqual(['accepted', 'refused']);
  });

  it('deletes old audit entries that a sink has taken, by both clocks, also where intents are kept for ever', async () => {
    const store = memoryStore();
    const options = { retentionMs: Number.POSITIVE_INFINITY, auditRetentionMs: 24 * HOUR };
    const clock = new VirtualClock();
    const before = ledgerOn(store, clock, options).ledger;
    const entry = (about: string, at: number) => ({ about, phase: 'before', at, content: '{}' });
    await before.within(async ({ audit }) => {
      await audit.append(entry('old', clock.now() - 25 * HOUR));
      await audit.append(entry('young', clock.now() - 23 * HOUR));
      await audit.setDelivered(2);
      await audit.append(entry('not taken', clock.now() - 99 * HOUR));
      await audit.append(entry('young too', clock.now()));
    });
    const left = async () => {
      const rows = await before.within(({ audit }) => audit.list({ limit: 9 }));
      return rows.map(({ about }) => about);
    };
    // A local clock that is a day ahead erases nothing.
    const ahead = ledgerOn(store, new VirtualClock(clock.now() + 30 * HOUR), {
      ...options,
      aheadMs: -60 * HOUR,
    });
    await ahead.ledger.prune();
    expect(await left()).toHaveLength(4);
    await before.within(({ account }) => account.advanceServerTime(clock.now()));
    await before.prune();
    expect(await left()).toEqual(['young', 'not taken', 'young too']);
  });

  it('deletes nothing until a reply has told server time', async () => {
    const store = memoryStore();
    const clock = await settledLongAgo(store);
    await clock.advance(2 * RETENTION);
    const { ledger, hear } = ledgerOn(store, clock, { knows: false });
    await ledger.prune();
    expect(await keysIn(store)).toEqual(['accepted', 'refused']);
    hear();
    await ledger.within((tx) => tx.account.advanceServerTime(clock.now()));
    await ledger.prune();
    expect(await keysIn(store)).toEqual([]);
  });

  it('deletes a backlog in slices of 20 rows, one with each call', async () => {
    const store = memoryStore();
    const clock = new VirtualClock();
    const { ledger } = ledgerOn(store, clock);
    for (let n = 0; n < 45; n += 1) await insert(ledger, draft(`key ${n}`), placed(0), ...tried(1, 'done'));
    await clock.advance(RETENTION + 1_000);
    const later = ledgerOn(store, clock).ledger;
    await insert(later, draft('new'));
    const left: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      await later.prune();
      left.push((await keysIn(store)).length);
    }
    expect(left).toEqual([26, 6, 1]);
  });

  it('looks at most once a minute where there is no backlog', async () => {
    const store = memoryStore();
    const clock = await settledLongAgo(store);
    await clock.advance(RETENTION - 1_000);
    const { ledger } = ledgerOn(store, clock);
    await ledger.prune();
    for (const [pass, left] of [
      [59_000, 2],
      [1_000, 0],
    ] as const) {
      await clock.advance(pass);
      await ledger.within((tx) => tx.account.advanceServerTime(clock.now()));
      await ledger.prune();
      expect(await keysIn(store)).toHaveLength(left);
    }
  });

  it('never fails a call over a store that can not be pruned', async () => {
    const store = memoryStore();
    const clock = await settledLongAgo(store);
    await clock.advance(2 * RETENTION);
    const failure = new StoreError({ reason: 'full', what: 'x', nextStep: 'y' });
    const { ledger } = ledgerOn({ ...store, transaction: () => Promise.reject(failure) }, clock);
    await expect(ledger.prune()).resolves.toBeUndefined();
  });

  it('shrinks the rows of runOnce instead of deleting them, and their result stays', async () => {
    const store = memoryStore();
    const clock = new VirtualClock();
    const { ledger } = ledgerOn(store, clock);
    const { log: _, ...content } = command(true);
    const given = { content, columns: undefined, guarded: false, once: '["a"]' };
    const noise: IntentEvent[] = [looked('failed'), { type: 'lot_read', at: at(2), closed: false }];
    await insert(
      ledger,
      draft('once', given),
      placed(0),
      ...noise,
      looked('absent'),
      attempt(1),
      result(1, 'done', { record: { id: 'rec_1' } }),
    );
    const before = await ledger.read('once');
    await clock.advance(RETENTION + 1_000);
    const later = ledgerOn(store, clock).ledger;
    await later.within((tx) => tx.account.advanceServerTime(clock.now()));
    await later.prune();
    const after = await later.read('once');
    expect(after?.status.verdict?.event.record).toEqual({ id: 'rec_1' });
    expect(after?.status.state).toBe('done');
    expect(after?.content.log.map(({ type }) => type)).toEqual(['placed', 'lookup', 'attempt', 'result']);
    expect(after?.row.content.length).toBeLessThan(before?.row.content.length ?? 0);
  });
});

it('every change carries the latest server time into the store, and never back', async () => {
  const store = memoryStore();
  const latest = () => store.transaction('sandbox', (tx) => tx.account.serverTime());
  await insert(ledgerOn(store, new VirtualClock(NOW + 5_000)).ledger, draft('a'));
  expect(await latest()).toBe(NOW + 5_000);
  await ledgerOn(store, new VirtualClock(NOW)).ledger.add('a', attempt(1));
  expect(await latest()).toBe(NOW + 5_000);
});

it('what a dead process left unsent is not settled once another one has taken it over', async () => {
  const { ledger } = ledgerOn(memoryStore());
  await insert(ledger, draft('taken'));
  const found = await ledger.read('taken');
  await ledger.add('taken', placed(1, 120));
  const after = found && (await settleUnsent(ledger, found));
  expect([after?.status.state, (await ledger.read('taken'))?.status.state]).toEqual(['ready', 'ready']);
  const current = await ledger.read('taken');
  expect(current && (await settleUnsent(ledger, current)).status.state).toBe('not_sent');
});
