import { describe, expect, it } from 'vitest';
import { stopByError, stopByOutcome } from '../../../src/bids/bulk/place-all.js';
import type { BatchRun, PlacedRowWith, RowResult } from '../../../src/bids/bulk/types.js';
import { AbortedError } from '../../../src/errors/connection.js';
import { StoreError } from '../../../src/errors/store.js';
import type { Step } from '../../support/scripted-transport.js';
import { settle } from '../../support/virtual-clock.js';
import { type DeskOptions, desk, row, rows, statuses, turnedAway } from './desk.js';

/** Five requests a minute: A01 and four bids. */
const NARROW: DeskOptions = {
  client: { quota: { limit: 5, window: 60_000, margin: 0, scope: 'client' } },
};
const failing = Array<'fails'>(100).fill('fails');

/** Results by status, and why those that were not sent were not. */
function outcomes<R>(results: readonly RowResult<R>[]) {
  const unsent = results.filter(
    (result): result is PlacedRowWith<R, 'not_sent'> => result.status === 'not_sent',
  );
  return {
    accepted: results.filter(({ status }) => status === 'accepted').length,
    unsent: unsent.length,
    reasons: [...new Set(unsent.map(({ outcome }) => outcome.reason))],
  };
}

/** Whether a batch is over without any time passing. */
async function isOver(run: BatchRun<unknown>): Promise<boolean> {
  let over = false;
  run.summary.then(() => {
    over = true;
  });
  await settle();
  return over;
}

describe('a batch that is stopped while bids wait for the quota', () => {
  it.each(['stop()', 'its signal'])('by %s must not go on sending: it ends at once', async (how) => {
    const at = desk(NARROW);
    const aborter = new AbortController();
    const run = at.placeAll(rows(20), { signal: aborter.signal });
    await at.clock.advance(1_000);
    if (how === 'stop()') run.stop();
    else aborter.abort();
    expect(await isOver(run)).toBe(true);
    await at.clock.advance(600_000);
    const { results, summary } = await at.end(run);
    expect(outcomes(results)).toEqual({ accepted: 4, unsent: 16, reasons: ['aborted'] });
    const reason = how === 'stop()' ? 'stop' : 'signal';
    expect(summary).toMatchObject({ isComplete: false, inDoubt: [], stopped: { reason } });
    expect(at.sent).toHaveLength(4);
  });

  it('records none of them, reports each as not sent, and the same batch again sends exactly those', async () => {
    const at = desk(NARROW);
    const run = at.placeAll(rows(8));
    await at.clock.advance(1_000);
    run.stop();
    const last = (await at.end(run)).results.at(-1);
    expect(last).toMatchObject({ status: 'not_sent', outcome: { attempts: 0 } });
    const key = last?.status === 'not_sent' ? last.idempotencyKey : '';
    expect(await at.auction.intents.get(key)).toBeUndefined();
    const again = await at.end(at.placeAll(rows(8)));
    expect(again.summary).toMatchObject({ isComplete: true, counts: { accepted: 8 } });
    expect(at.sent).toHaveLength(8);
  });

  it('reports rows that were not begun as they are on record, also where the client is closed next', async () => {
    const at = desk({ takes: 1_000, answer: ({ lot }) => (lot === 'lot_3' ? 'rejected' : undefined) });
    await at.end(at.placeAll(rows(3)));
    const soon = row('r9', 'lot_9', '9', { placeBy: at.clock.now() + 60_000 });
    const run = at.placeAll([soon, ...rows(4)], { concurrency: 1 });
    await at.clock.advance(500);
    run.stop();
    const closing = at.auction.close();
    expect(statuses((await at.end(run)).results)).toEqual({
      r9: 'accepted',
      r1: 'accepted',
      r2: 'accepted',
      r3: 'rejected',
      r4: 'not_sent',
    });
    await at.during(closing);
  });

  it('reports a row that waits for another call on its lot as it is on record', async () => {
    const at = desk({ takes: 5_000 });
    const { rowId: _, ...bid } = row('', 'lot_1', '50');
    const single = at.auction.bids.place(bid);
    await at.clock.advance(100);
    const run = at.placeAll([row('r1', 'lot_1', '100')]);
    await at.clock.advance(100);
    run.stop();
    expect(await isOver(run)).toBe(true);
    expect((await at.end(run)).results).toMatchObject([{ status: 'not_sent', outcome: { attempts: 0 } }]);
    expect((await at.during(single)).status).toBe('accepted');
  });

  it('takes a row that is recorded for another bid for one that was not sent', async () => {
    const at = desk();
    await at.end(at.placeAll([row('r1', 'lot_1', '100')]));
    const { results } = await at.end(at.placeAll([row('r1', 'lot_1', '200'), row('r2', 'lot_2', 'x')]));
    expect(results[0]).toMatchObject({ status: 'not_sent', outcome: { amount: '200.00' } });
  });

  it('gives each row the reason by which the summary counts it', async () => {
    const at = desk();
    await at.end(at.placeAll([row('r1', 'lot_1', '100')]));
    const mixed = [row('r1', 'lot_1', '200'), row('r2', 'lot_2', 'x'), row('r3', 'lot_3', '100')];
    const { results, summary } = await at.end(at.placeAll(mixed, { onInvalid: 'report' }));
    const reasons = new Map(results.map(({ rowId, reason }) => [rowId, reason]));
    expect(reasons).toEqual(
      new Map([
        ['r1', 'IDEMPOTENCY_CONFLICT'],
        ['r2', 'amount'],
        ['r3', undefined],
      ]),
    );
    expect(summary.causes.map(({ reason }) => reason).sort()).toEqual(['IDEMPOTENCY_CONFLICT', 'amount']);
  });

  it('before it began reads nothing', async () => {
    const at = desk();
    const { summary } = await at.end(at.placeAll(rows(3), { signal: AbortSignal.abort() }));
    expect(summary.causes).toEqual([]);
    expect([summary.rows, summary.stopped?.reason, at.timeAsked]).toEqual([0, 'signal', 0]);
  });
});

describe('a batch that is stopped while bids are on the wire', () => {
  it('awaits their replies, and begins nothing after them', async () => {
    const at = desk({ takes: 5_000 });
    const run = at.placeAll(rows(6), { concurrency: 2 });
    await at.clock.advance(1_000);
    run.stop();
    expect(await isOver(run)).toBe(false);
    const { results } = await at.end(run);
    expect([outcomes(results), at.sent.length]).toMatchObject([{ accepted: 2, unsent: 4 }, 2]);
  });

  it('waits no longer than the timeout of their attempt, and neither sends nor looks anything up again', async () => {
    const at = desk({ answer: () => 'silence' });
    const run = at.placeAll(rows(2), { place: { timeout: 3_000 } });
    await at.clock.advance(1_000);
    run.stop();
    await at.clock.advance(2_100);
    expect(await isOver(run)).toBe(true);
    await at.clock.advance(600_000);
    const { summary } = await at.end(run);
    expect([summary.counts.unknown, summary.inDoubt.length]).toEqual([2, 2]);
    expect([at.sent.length, at.service.lookups.length]).toEqual([2, 0]);
  });

  it('lets no bid leave over a connection that is still being made', async () => {
    const at = desk({ connectMs: 4_000 });
    const run = at.placeAll(rows(2));
    await at.clock.advance(1_000);
    run.stop();
    const { results } = await at.end(run);
    expect(outcomes(results)).toEqual({ accepted: 0, unsent: 2, reasons: ['aborted'] });
    expect([at.sent, results[0]]).toMatchObject([[], { outcome: { attempts: 1 } }]);
  });
});

describe('a batch that is stopped before a bid can be made', () => {
  const never = { send: () => new Promise<never>(() => undefined), close: async () => undefined };

  it.each<[what: string, client: NonNullable<DeskOptions['client']>]>([
    ['server time', { transport: never }],
    ['credentials', { credentials: () => new Promise<never>(() => undefined) }],
  ])('because %s does not come ends at once, with nothing recorded', async (_, client) => {
    const at = desk({ client });
    const run = at.placeAll(rows(3));
    await at.clock.advance(1_000);
    run.stop();
    expect(await isOver(run)).toBe(true);
    const { results } = await at.end(run);
    expect(outcomes(results)).toEqual({ accepted: 0, unsent: 3, reasons: ['aborted'] });
    expect(await at.auction.intents.list().toArray()).toEqual([]);
  });

  it('ends by itself where server time can not be had', async () => {
    const at = desk({ client: { transport: never } });
    const { results, summary } = await at.end(at.placeAll(rows(3)));
    expect(outcomes(results)).toEqual({ accepted: 0, unsent: 3, reasons: ['failure'] });
    expect(summary.stopped).toMatchObject({ reason: 'failure', error: { reason: 'no_server_time' } });
    expect(at.logged).toContain(summary.stopped?.what);
  });
});

describe('a batch ends', () => {
  it('when bids.halt() comes into force, and goes on after resume()', async () => {
    const at = desk(NARROW);
    const run = at.placeAll(rows(10));
    await at.clock.advance(1_000);
    await at.auction.bids.halt('the bank called');
    const { results, summary } = await at.end(run);
    expect([summary.stopped?.reason, at.sent.length]).toEqual(['halted', 4]);
    expect(outcomes(results)).toMatchObject({ accepted: 4, unsent: 6 });
    const later = await at.end(at.placeAll(rows(12), { concurrency: 1 }));
    expect(outcomes(later.results).reasons).toContain('halted');
    await at.auction.bids.resume();
    expect((await at.end(at.placeAll(rows(12)))).summary.isComplete).toBe(true);
  });

  it.each([
    ['credentials that are refused', turnedAway(401, 'KEY_REVOKED')],
    ['an address that is not allowed', turnedAway(403, 'IP_NOT_ALLOWED')],
    ['a partner that is not active', turnedAway(403, 'PARTNER_NOT_ACTIVE')],
    ['a bare 401', turnedAway(401)],
    ['a bare 401 to everything, which leaves a bid in doubt', turnedAway(401), turnedAway(401)],
  ])('when the service turns the client away whatever it bids: %s', async (_, reply, found?: Step) => {
    const at = desk({ answer: ({ lot }) => (lot === 'lot_2' ? reply : undefined), found: () => found });
    const { results, summary } = await at.end(at.placeAll(rows(4), { concurrency: 1 }));
    const r2 = found === undefined ? 'refused' : 'unknown';
    expect(statuses(results)).toEqual({ r1: 'accepted', r2, r3: 'not_sent', r4: 'not_sent' });
    expect([summary.stopped?.reason, at.sent.length]).toEqual(['refused', 2]);
    expect(at.logged).toContain(summary.stopped?.what);
  });

  it.each([
    ['a buyer without access', turnedAway(403, 'AUCTION_ACCESS_DENIED')],
    ['an expired deposit', turnedAway(403, 'EMD_EXPIRED')],
    ['a lot that is not there', turnedAway(404)],
  ])('for no refusal that concerns one bid: %s', async (_, reply) => {
    const at = desk({ answer: ({ lot }) => (lot === 'lot_1' ? reply : undefined) });
    const { results, summary } = await at.end(at.placeAll(rows(3), { concurrency: 1 }));
    expect(statuses(results)).toEqual({ r1: 'refused', r2: 'accepted', r3: 'accepted' });
    expect(summary.stopped).toBeUndefined();
  });

  it('when the store fails in the middle, and goes on where it ended once the store is back', async () => {
    const at = desk();
    const run = at.placeAll(rows(4), {
      concurrency: 1,
      onProgress: ({ latest }) => {
        if (latest?.rowId === 'r2') at.store.troubles.push(...failing);
      },
    });
    const { results, summary } = await at.end(run);
    expect(statuses(results)).toEqual({ r1: 'accepted', r2: 'accepted', r3: 'error', r4: 'error' });
    for (const result of results.slice(2)) expect(result).toMatchObject({ error: expect.any(StoreError) });
    expect([summary.stopped?.reason, at.sent.length, summary.inDoubt]).toEqual(['store', 2, []]);
    at.store.troubles.length = 0;
    const again = await at.end(at.placeAll(rows(4)));
    expect([again.summary.isComplete, at.sent.length]).toEqual([true, 4]);
  });

  it('when the store fails after a bid has left, and has its key among those in doubt', async () => {
    const at = desk({
      answer: () => {
        at.store.troubles.push(...failing);
        return 'accepted';
      },
    });
    const { results, summary } = await at.end(at.placeAll(rows(2), { concurrency: 1 }));
    const [first] = results;
    expect(first).toMatchObject({ status: 'error', error: { outcome: 'unknown' } });
    expect(summary.inDoubt).toEqual([first?.status === 'error' ? first.idempotencyKey : '']);
    expect([summary.stopped?.reason, at.sent.length]).toEqual(['store', 1]);
  });

  it('when the client is closed, which waits for the bids in flight', async () => {
    const at = desk();
    let closing: Promise<void> | undefined;
    const onProgress = () => {
      closing ??= at.auction.close();
    };
    const { results, summary } = await at.end(at.placeAll(rows(3), { concurrency: 1, onProgress }));
    await at.during(closing ?? Promise.reject(new Error('it was not closed')));
    expect(statuses(results)).toEqual({ r1: 'accepted', r2: 'not_sent', r3: 'not_sent' });
    expect([summary.stopped?.reason, summary.inDoubt, at.sent.length]).toEqual(['closed', [], 1]);
    const closed = await at.end(at.placeAll(rows(2)));
    expect([closed.summary.stopped?.reason, closed.summary.rows]).toEqual(['closed', 0]);
  });

  it('for errors that nobody expects, and not for those of one row', () => {
    for (const error of [new TypeError('no'), 'oops'])
      expect(stopByError(error)).toMatchObject({ reason: 'failure' });
    const details = { reason: 'aborted', outcome: 'unknown', what: 'Gone.', nextStep: 'Wait.' } as const;
    expect(stopByError(new AbortedError(details))).toBeUndefined();
  });

  it('not for a refusal of the credentials that an earlier run met', async () => {
    let isRefused = true;
    const refusal = () => (isRefused ? turnedAway(401) : undefined);
    const at = desk({ answer: refusal, found: refusal });
    const first = await at.end(at.placeAll(rows(1), { place: { maxAttempts: 1, deadline: 900 } }));
    const [unknown] = first.results;
    if (unknown?.status !== 'unknown') throw new Error('it is not unknown');
    await at.during(at.auction.intents.abandon(unknown.idempotencyKey, 'for the test'));
    isRefused = false;
    const { results, summary } = await at.end(at.placeAll(rows(3)));
    expect(statuses(results)).toEqual({ r1: 'unknown', r2: 'accepted', r3: 'accepted' });
    expect(summary.stopped).toBeUndefined();
  });

  it('not for a row that is on record for other credentials', async () => {
    const at = desk();
    await at.end(at.placeAll(rows(1)));
    const other = { clientId: 'cl_other', keyId: 'k', signingSecret: 'a-secret-of-another-client' };
    const { results, summary } = await at.end(
      at.newClient({ credentials: other }).bids.placeAll(rows(3), { batchId: 'b1' }),
    );
    expect(statuses(results)).toEqual({ r1: 'error', r2: 'accepted', r3: 'accepted' });
    expect(summary.stopped).toBeUndefined();
  });

  it('when the store fails while an unknown outcome is examined, which stays the result of its row', async () => {
    const at = desk({ answer: () => 'cut' });
    const { results } = await at.end(at.placeAll(rows(1), { place: { maxAttempts: 1, deadline: 900 } }));
    const failure = new StoreError({ reason: 'unavailable', what: 'Gone.', nextStep: 'Wait.' });
    const [unknown] = results;
    if (unknown?.status !== 'unknown') throw new Error('it is not unknown');
    const ledger = { read: () => Promise.reject(failure) };
    expect(await stopByOutcome(unknown.outcome, 0, ledger)).toMatchObject({
      reason: 'store',
      error: failure,
    });
  });
});
