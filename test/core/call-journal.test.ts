import { describe, expect, it } from 'vitest';
import { createServerClock } from '../../src/clock/clock.js';
import { createPipeline } from '../../src/core/call.js';
import { defaultLimits } from '../../src/core/caller.js';
import type { CallJournal, DepartingAttempt, Known, Settled } from '../../src/core/journal.js';
import { leveled } from '../../src/core/log.js';
import type { AttemptResult } from '../../src/core/reply/classify.js';
import { responseOf } from '../../src/core/reply/reply.js';
import { RETRY_BUDGET } from '../../src/core/retry.js';
import { NotSentError } from '../../src/errors/local.js';
import { StoreError } from '../../src/errors/store.js';
import { bids } from '../../src/generated/bids.js';
import { createSigner } from '../../src/signing/signer.js';
import { quotaWith } from '../quota/kit.js';
import { accepted, countingRandomness, credentials, KEY, rejection } from '../support/clients.js';
import { ScriptedTransport, type Step } from '../support/scripted-transport.js';
import { VirtualClock } from '../support/virtual-clock.js';

/** A bid over the bare pipeline, with a journal that the test plays. */
function setUp(journal: Partial<CallJournal>, ...steps: readonly Step[]) {
  const transport = new ScriptedTransport(...steps);
  const clock = new VirtualClock();
  const signer = createSigner(credentials);
  const quiet = () => undefined;
  const pipeline = createPipeline({
    transport,
    keys: { signer, secrets: [], fetch: async () => signer, renew: async () => false, abandon: quiet },
    quota: quotaWith({}, clock),
    serverClock: createServerClock(clock),
    retryBudget: { left: RETRY_BUDGET },
    cachedReplies: { count: 0 },
    tolerated: new Set(),
    headers: {},
    maxReplyBytes: 1_000_000,
    clock,
    randomness: countingRandomness(),
    defaults: {
      origin: 'https://bank.example',
      prefix: '',
      fill: { dealer_id: 'D-204' },
      partnerType: undefined,
    },
    limits: defaultLimits,
    log: leveled({ error: quiet, warn: quiet, info: quiet, debug: quiet }, 'off'),
    hooks: {},
  });
  /** What the journal was told, in its order. */
  const told: string[] = [];
  const departures: DepartingAttempt[] = [];
  const reports: AttemptResult[] = [];
  const full: CallJournal = {
    msToDepart: journal.msToDepart ?? (() => Number.POSITIVE_INFINITY),
    begin: async (body, signal) => {
      told.push(`begin ${body.length}, ${transport.sent.length} sent`);
      return (await journal.begin?.(body, signal)) ?? go;
    },
    departing: async (attempt) => {
      told.push(`departing, ${transport.sent.length} sent`);
      departures.push(attempt);
      return (await journal.departing?.(attempt)) ?? go;
    },
    arrived: async (result) => {
      told.push(`arrived ${result.effect}`);
      reports.push(result);
      const outcome = result.effect === 'uncoded' ? 'unknown' : result.effect;
      const sent = { last: result, wasRejected: false, isClosed: false };
      return journal.arrived === undefined ? { outcome, sent } : journal.arrived(result);
    },
  };
  const bid = (options: { signal?: AbortSignal; maxAttempts?: number } = {}) => {
    const input = { path: { lot: 'lot_1' }, body: { amount: '465000' } };
    const call = pipeline.prepare(bids.submit, input, { ...options, idempotencyKey: KEY });
    return pipeline.run(call, options, full);
  };
  return { bid, transport, clock, told, departures, reports };
}

const go = { kind: 'go' } as const;
const success: Step = { status: 201, json: accepted() };
const diskFull = new StoreError({ reason: 'full', what: 'The disk is full.', nextStep: 'Make room.' });
const unknown = async (last: AttemptResult): Promise<Known> => ({
  outcome: 'unknown',
  sent: { last, wasRejected: false, isClosed: false },
});
const hangs = () => new Promise<never>(() => undefined);

describe('a journal of a call', () => {
  it('is told what begins, what is about to leave before every attempt, and what came of each', async () => {
    const { bid, transport, clock, told, departures, reports } = setUp({}, { fail: 'maybe' }, success);
    const done = bid();
    await clock.advance(1);
    await done;
    expect(told).toEqual([
      `begin ${transport.sent[0]?.body?.length}, 0 sent`,
      'departing, 0 sent',
      'arrived unknown',
      'departing, 1 sent',
      'arrived done',
    ]);
    expect(departures).toEqual(
      transport.sent.map(({ headers }) => ({
        timestamp: Number(headers['X-Timestamp']),
        nonce: headers['X-Nonce'],
        keyId: headers['X-Key-ID'],
      })),
    );
    expect(reports).toMatchObject([
      { effect: 'unknown', retry: true },
      { effect: 'done', status: 201, record: { bid_id: 'bid_77', status: 'accepted' } },
    ]);
    expect(JSON.stringify([departures, reports])).not.toContain(transport.sent[0]?.headers['X-Signature']);
  });

  it('is told of codes, of a key conflict, of a bare 409 and of what was not in the words of the service', async () => {
    const code = (name: string) => ({ success: false, code: name, message: 'x', data: null, errors: [name] });
    for (const [status, json, expected] of [
      [403, code('SCOPE_DENIED'), { effect: 'refused', codes: ['SCOPE_DENIED'] }],
      [409, code('IDEMPOTENCY_CONFLICT'), { effect: 'unknown', keyConflict: true }],
      [409, { message: 'No.' }, { effect: 'unknown', bare409: true }],
      [409, { message: 'An idempotency key.' }, { effect: 'unknown', keyConflict: true }],
      [409, {}, { effect: 'unknown' }],
      [409, code('NEW'), { effect: 'unknown' }],
      [410, { message: 'No.' }, { effect: 'unknown' }],
      [422, code('SCOPE_DENIED'), { effect: 'unknown' }],
      [404, { message: 'No.' }, { effect: 'uncoded' }],
      [422, code('LOT_NOT_LIVE'), { effect: 'uncoded' }],
      [422, { message: 'No.' }, { effect: 'unknown' }],
      [422, code('NEW'), { effect: 'unknown' }],
      [401, code('TIMESTAMP_EXPIRED'), { effect: 'unknown' }],
    ] as const) {
      const { bid, reports } = setUp({}, { status, json });
      await rejection(bid());
      expect(reports).toMatchObject([{ status, ...expected }]);
      const { keyConflict = false, bare409 = false } = { ...expected } as Partial<AttemptResult>;
      expect([reports[0]?.keyConflict ?? false, reports[0]?.bare409 ?? false]).toEqual([
        keyConflict,
        bare409,
      ]);
    }
  });

  it.each(['begin', 'departing'] as const)('decides at %s whether anything is sent', async (hook) => {
    const value = { bid_id: 'bid_1' };
    const timings = { total: 0, queued: 0 };
    const about = { body: undefined, requestId: 'r', serverTime: undefined, timings, headers: {} };
    const info = { ...about, status: 200, replayed: true, attempts: 1, idempotencyKey: KEY };
    const given = setUp({ [hook]: async (): Promise<Settled> => ({ kind: 'settled', value, info }) });
    const result = await given.bid();
    expect(result).toBe(value);
    expect(responseOf(Object(result))).toMatchObject({ replayed: true, requestId: 'r' });
    const error = new NotSentError('halted', { what: 'Bidding is halted.', nextStep: 'Resume.' });
    const halted = setUp({ [hook]: async (): Promise<Settled> => ({ kind: 'settled', error }) });
    expect(await rejection(halted.bid())).toBe(error);
    const failing = setUp({ [hook]: () => Promise.reject(diskFull) });
    expect(await rejection(failing.bid())).toMatchObject({
      ...{ name: 'StoreError', reason: 'full', outcome: 'not_sent' },
      ...{ operation: 'bids.submit', idempotencyKey: KEY },
    });
    for (const { transport } of [given, halted, failing]) expect(transport.sent).toEqual([]);
  });

  it('that can not record a result leaves the call unknown, success or not', async () => {
    for (const step of [success, { status: 403, json: { message: 'No.' } }]) {
      const { bid } = setUp({ arrived: () => Promise.reject(diskFull) }, step);
      expect(await rejection(bid())).toMatchObject({ name: 'StoreError', outcome: 'unknown' });
    }
  });

  it('decides what all attempts together mean: a success that it does not confirm is an error', async () => {
    const { bid } = setUp({ arrived: unknown }, success);
    expect(await rejection(bid())).toMatchObject({ name: 'UnexpectedResponseError', outcome: 'unknown' });
    const refusal = { status: 403, json: { success: false, code: 'SCOPE_DENIED', message: 'x' } };
    const doubted = { name: 'PermissionError', outcome: 'unknown' };
    expect(await rejection(setUp({ arrived: unknown }, refusal).bid())).toMatchObject(doubted);
    expect(await rejection(setUp({}, refusal).bid())).toMatchObject({ outcome: 'refused' });
  });
});

describe('the time until which a call may leave', () => {
  it.each([
    ['before it is signed', [0]],
    ['while it was being recorded', [5_000, 0]],
  ])('that passes %s keeps it from leaving', async (_, times) => {
    const left = [...times];
    const { bid, transport } = setUp({ msToDepart: () => left.shift() ?? 0 }, success);
    expect(await rejection(bid())).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    expect(transport.sent).toEqual([]);
  });

  it('that passes before a retry could leave makes none', async () => {
    const down = { status: 503, json: { message: 'down' }, headers: { 'retry-after': '5' } };
    const { bid, transport } = setUp({ msToDepart: () => 1 }, down);
    expect(await rejection(bid())).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(transport.sent).toHaveLength(1);
  });
});

describe('a journal that hangs', () => {
  it.each([
    ['begin', []],
    ['departing', ['aborted', 'deadline']],
  ])('at %s ends with abort and deadline, and nothing leaves', async (hook, stops) => {
    const { bid, transport, clock, reports } = setUp({ [hook]: hangs });
    const abort = new AbortController();
    const aborted = rejection(bid({ signal: abort.signal }));
    const late = rejection(bid());
    await clock.advance(1);
    abort.abort();
    expect(await aborted).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
    await clock.advance(90_000);
    expect(await late).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    expect(reports.map(({ effect, stop }) => [effect, stop])).toEqual(
      stops.map((stop) => ['not_sent', stop]),
    );
    expect(transport.sent).toEqual([]);
    expect(clock.pending).toEqual([]);
  });

  it('after a reply is waited for until the deadline and 5 s more; then the store is blamed, and the effect is unknown', async () => {
    const { bid, clock } = setUp({ arrived: hangs }, success);
    let isOver = false;
    const failed = rejection(bid()).finally(() => {
      isOver = true;
    });
    await clock.advance(94_999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(await failed).toMatchObject({
      ...{ name: 'StoreError', outcome: 'unknown', commit: 'unknown', reason: 'unavailable' },
      ...{ operation: 'bids.submit', idempotencyKey: KEY },
      message: expect.stringMatching(/could not be recorded in time.*may or may not have taken effect/),
    });
    expect(clock.pending).toEqual([]);
  });

  it.each([0, 6_000])('after a reply is waited for 5 s once the call is aborted, %i ms later', async (ms) => {
    const { bid, clock } = setUp({ arrived: hangs }, success);
    const abort = new AbortController();
    let isOver = false;
    const failed = rejection(bid({ signal: abort.signal })).finally(() => {
      isOver = true;
    });
    await clock.advance(ms);
    abort.abort();
    await clock.advance(4_999);
    expect(isOver).toBe(false);
    await clock.advance(1);
    expect(await failed).toMatchObject({ name: 'StoreError', outcome: 'unknown' });
    expect(clock.pending).toEqual([]);
  });

  it.each([6_000, 45_000])('for %i ms after a reply, and then records it, returns the reply', async (ms) => {
    const stage = setUp(
      {
        arrived: (last) =>
          new Promise((resolve) => {
            const sent = { last, wasRejected: false, isClosed: false };
            stage.clock.after(ms, () => resolve({ outcome: 'done', sent }));
          }),
      },
      success,
    );
    const done = stage.bid();
    await stage.clock.advance(ms);
    expect(await done).toMatchObject({ status: 'accepted' });
    expect(stage.clock.pending).toEqual([]);
  });
});

describe('a signature that grew old while it was recorded', () => {
  const recordedIn = (...waits: number[]) => {
    const stage = setUp(
      {
        departing: () =>
          new Promise((resolve) => void stage.clock.after(waits.shift() ?? 0, () => resolve(go))),
      },
      success,
    );
    return stage;
  };

  it('is discarded: that attempt is recorded as not sent, and another one is signed', async () => {
    const { bid, transport, clock, told, departures } = recordedIn(60_000, 0);
    const done = bid();
    await clock.advance(61_000);
    await done;
    const second = ['departing, 0 sent', 'arrived done'];
    expect(told.slice(1)).toEqual(['departing, 0 sent', 'arrived not_sent', ...second]);
    expect(departures.map(({ nonce }) => nonce)).toEqual(['nonce-000000000001', 'nonce-000000000002']);
    expect(transport.sent.map(({ headers }) => headers['X-Nonce'])).toEqual(['nonce-000000000002']);
    expect(Number(transport.sent[0]?.headers['X-Timestamp'])).toBe((departures[0]?.timestamp ?? 0) + 60);
  });

  it('is sent where it is younger than a minute', async () => {
    const { bid, clock, departures } = recordedIn(59_999);
    const done = bid();
    await clock.advance(60_000);
    await done;
    expect(departures).toHaveLength(1);
  });
});
