import { describe, expect, it } from 'vitest';
import { bids } from '../../src/api/bids.js';
import { createServerClock } from '../../src/clock/server-clock.js';
import type { ArrivedAttempt, AttemptJournal, DepartingAttempt } from '../../src/core/attempt-journal.js';
import { createPipeline } from '../../src/core/call.js';
import { defaultLimits } from '../../src/core/limits.js';
import { leveled, Seldom } from '../../src/core/log.js';
import { RetryBudget } from '../../src/core/retry-budget.js';
import { JournalError } from '../../src/errors/journal.js';
import { createQuota } from '../../src/quota/quota.js';
import { defaultQuota, type QuotaSettings } from '../../src/quota/settings.js';
import { digests } from '../../src/signing/digests.js';
import { createSigner } from '../../src/signing/signer.js';
import { accepted, countingRandomness, credentials, KEY, rejection } from '../support/clients.js';
import { ScriptedTransport, type Step } from '../support/scripted-transport.js';
import { VirtualClock } from '../support/virtual-clock.js';

/** A bid over the bare pipeline, with a journal that the test plays. */
function setUp(journal: Partial<AttemptJournal>, ...steps: readonly Step[]) {
  return paced(defaultQuota, journal, ...steps);
}

function paced(settings: QuotaSettings, journal: Partial<AttemptJournal>, ...steps: readonly Step[]) {
  const transport = new ScriptedTransport(...steps);
  const clock = new VirtualClock();
  const signer = createSigner(credentials);
  const quiet = () => undefined;
  const pipeline = createPipeline({
    transport,
    keys: { current: () => signer, renew: async () => false, abandon: quiet },
    quota: createQuota(settings, clock),
    serverClock: createServerClock(clock),
    retryBudget: new RetryBudget(),
    userAgent: 'test',
    maxReplyBytes: 1_000_000,
    clock,
    randomness: countingRandomness(),
    digests,
    defaults: { origin: 'https://bank.example', prefix: '', fill: { dealer_id: 'D-204' }, check: () => [] },
    limits: defaultLimits,
    log: leveled({ error: quiet, warn: quiet, info: quiet, debug: quiet }, 'off'),
    queueNotice: new Seldom(60_000),
    leaks: () => false,
  });
  const full: AttemptJournal = {
    inDoubt: false,
    begin: async () => undefined,
    waiting: async () => undefined,
    departing: async () => undefined,
    arrived: quiet,
    msToDepart: () => Number.POSITIVE_INFINITY,
    ...journal,
  };
  const bid = (options: { signal?: AbortSignal } = {}) => {
    const input = { path: { lot: 'lot_1' }, body: { amount: '465000' } };
    const call = pipeline.prepare(bids.operations.submit, input, { ...options, idempotencyKey: KEY });
    return pipeline.run(call, options, full);
  };
  return { bid, transport, clock };
}

const diskFull = new JournalError({ fault: 'full', what: 'The disk is full.', nextStep: 'Make room.' });

describe('a journal of attempts', () => {
  it('is told what is about to leave, and awaited, before every attempt; and what came of each', async () => {
    const seen: (DepartingAttempt & { readonly sentBefore: number })[] = [];
    const arrived: ArrivedAttempt[] = [];
    const begun: string[] = [];
    const world = setUp(
      {
        begin: async ({ sha256 }) => {
          begun.push(sha256);
        },
        departing: async (attempt) => {
          await Promise.resolve();
          seen.push({ ...attempt, sentBefore: world.transport.sent.length });
        },
        arrived: (attempt) => arrived.push(attempt),
      },
      { fail: 'maybe' },
      { status: 201, json: accepted() },
    );
    const done = world.bid();
    await world.clock.advance(1);
    await done;
    const [first] = world.transport.sent;
    expect(seen.map(({ attempt, nonce, sentBefore }) => [attempt, nonce, sentBefore])).toEqual([
      [1, 'nonce-000000000001', 0],
      [2, 'nonce-000000000002', 1],
    ]);
    expect(begun).toEqual([first?.headers['X-Content-SHA256']]);
    expect(seen[0]).toMatchObject({
      timestamp: Number(first?.headers['X-Timestamp']),
      nonce: first?.headers['X-Nonce'],
      keyId: first?.headers['X-Key-ID'],
    });
    expect(arrived).toMatchObject([
      { attempt: 1, effect: 'unknown', codes: [], replayed: false },
      { attempt: 2, effect: 'done', status: 201, record: { bid_id: 'bid_77', status: 'accepted' } },
    ]);
    expect(JSON.stringify([seen, arrived])).not.toContain(first?.headers['X-Signature']);
  });

  it('that fails keeps its attempt from leaving, and ends the call', async () => {
    const { bid, transport } = setUp(
      { departing: () => Promise.reject(diskFull) },
      { status: 201, json: accepted() },
    );
    expect(await rejection(bid())).toMatchObject({
      name: 'JournalError',
      fault: 'full',
      operation: 'bids.submit',
      outcome: 'not_sent',
      idempotencyKey: KEY,
    });
    expect(transport.sent).toEqual([]);
  });

  it('that fails before a second attempt leaves the first one in doubt', async () => {
    const { bid, transport, clock } = setUp(
      {
        departing: async ({ attempt }) => {
          if (attempt === 2) throw diskFull;
        },
      },
      { fail: 'maybe' },
    );
    const failed = rejection(bid());
    await clock.advance(1);
    expect(await failed).toMatchObject({ name: 'JournalError', outcome: 'unknown', attempts: 1 });
    expect(transport.sent).toHaveLength(1);
  });

  it('that knows of an earlier attempt in doubt keeps a refusal from settling anything', async () => {
    const refusal = { status: 403, json: { success: false, code: 'SOURCE_NOT_ALLOWED', message: 'x' } };
    expect(await rejection(setUp({ inDoubt: true }, refusal).bid())).toMatchObject({
      name: 'PermissionError',
      outcome: 'unknown',
    });
    expect(await rejection(setUp({}, refusal).bid())).toMatchObject({ outcome: 'refused' });
  });

  it.each([
    ['before it is signed', () => [0]],
    ['while it was being written down', () => [5_000, 0]],
  ])('whose time to depart has passed sends nothing (%s)', async (_, times) => {
    const left = times();
    const { bid, transport } = setUp(
      { msToDepart: () => left.shift() ?? 0 },
      { status: 201, json: accepted() },
    );
    const error = await rejection(bid());
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    expect(String(error)).toContain('until which it may be sent passed');
    expect(transport.sent).toEqual([]);
  });

  it('whose time to depart passes before a retry could leave makes none', async () => {
    const { bid, transport } = setUp(
      { msToDepart: () => 1 },
      { status: 503, json: { message: 'down' }, headers: { 'retry-after': '5' } },
    );
    expect(await rejection(bid())).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(transport.sent).toHaveLength(1);
  });

  it('that hangs ends with abort and deadline, and nothing leaves', async () => {
    const departing = () => new Promise<void>(() => undefined);
    const arrived: ArrivedAttempt[] = [];
    const { bid, transport, clock } = setUp(
      { departing, arrived: (attempt) => arrived.push(attempt) },
      { status: 201, json: accepted() },
    );
    const abort = new AbortController();
    const aborted = rejection(bid({ signal: abort.signal }));
    const late = rejection(bid());
    await clock.advance(1);
    abort.abort();
    expect(await aborted).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
    await clock.advance(90_000);
    const error = await late;
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    expect(String(error)).toContain('while an attempt was being written down');
    expect(arrived.map(({ effect }) => effect)).toEqual(['not_sent', 'not_sent']);
    expect(transport.sent).toEqual([]);
    expect(clock.pending).toEqual([]);
  });
});

describe('a journal that fails while a call waits for its turn', () => {
  const one = { limit: 1, windowMs: 1_000, marginMs: 0 };
  const taken: Step = { status: 201, json: accepted() };

  it.each([
    ['at once', () => Promise.reject(diskFull)],
    [
      'before it has begun',
      () => {
        throw diskFull;
      },
    ],
  ])('leaves nobody in the line (%s): the next call has the next turn', async (_, fails) => {
    const troubles = [fails, fails, fails];
    const waiting = () => troubles.shift()?.() ?? Promise.resolve();
    const { bid, transport, clock } = paced(one, { waiting }, taken, taken);
    await bid();
    for (let call = 0; call < 3; call += 1) {
      expect(await rejection(bid())).toMatchObject({
        name: 'JournalError',
        outcome: 'not_sent',
        attempts: 0,
      });
      // The quota has a timer exactly while somebody waits.
      expect(clock.pending).toEqual([]);
    }
    const next = bid();
    await clock.advance(1_000);
    await next;
    expect(transport.sent).toHaveLength(2);
  });

  it('loses a turn that it was granted meanwhile, as whoever does not use one: that turn, and no other', async () => {
    let fail: (error: unknown) => void = () => undefined;
    const slow = new Promise<void>((_, reject) => {
      fail = reject;
    });
    const waits = [slow];
    const waiting = () => waits.shift() ?? Promise.resolve();
    const { bid, transport, clock } = paced(one, { waiting }, taken, taken);
    await bid();
    const failed = rejection(bid());
    const next = bid();
    await clock.advance(1_000);
    fail(diskFull);
    expect(await failed).toMatchObject({ name: 'JournalError', outcome: 'not_sent' });
    await clock.advance(999);
    expect(transport.sent).toHaveLength(1);
    await clock.advance(1);
    await next;
    expect(transport.sent).toHaveLength(2);
    expect(clock.pending).toEqual([]);
  });
});
