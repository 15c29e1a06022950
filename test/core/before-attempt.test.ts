import { describe, expect, it } from 'vitest';
import { bids } from '../../src/api/bids.js';
import { createServerClock } from '../../src/clock/server-clock.js';
import type { BeforeAttempt, DepartingAttempt } from '../../src/core/before-attempt.js';
import { createCaller } from '../../src/core/call.js';
import { defaultLimits } from '../../src/core/limits.js';
import { leveled, Seldom } from '../../src/core/log.js';
import { RetryBudget } from '../../src/core/retry-budget.js';
import { createQuota } from '../../src/quota/quota.js';
import { defaultQuota } from '../../src/quota/settings.js';
import { digests } from '../../src/signing/digests.js';
import { createSigner } from '../../src/signing/signer.js';
import { accepted, countingRandomness, credentials, KEY, rejection } from '../support/clients.js';
import { ScriptedTransport, type Step } from '../support/scripted-transport.js';
import { VirtualClock } from '../support/virtual-clock.js';

/** A bid over the bare pipeline, with a hook before every attempt. */
function setUp(beforeAttempt: BeforeAttempt, ...steps: readonly Step[]) {
  const transport = new ScriptedTransport(...steps);
  const clock = new VirtualClock();
  const signer = createSigner(credentials);
  const quiet = () => undefined;
  const call = createCaller({
    transport,
    keys: { current: () => signer, renew: async () => false, abandon: quiet },
    quota: createQuota(defaultQuota, clock),
    serverClock: createServerClock(clock),
    retryBudget: new RetryBudget(),
    beforeAttempt,
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
  const bid = (options: { signal?: AbortSignal } = {}) =>
    call(
      bids.operations.submit,
      { path: { lot: 'lot_1' }, body: { amount: '465000' } },
      { ...options, idempotencyKey: KEY },
    );
  return { bid, transport, clock };
}

describe('the hook before an attempt', () => {
  it('is awaited with what is about to leave, before every attempt', async () => {
    const seen: (DepartingAttempt & { readonly sentBefore: number })[] = [];
    const world = setUp(
      async (attempt) => {
        await Promise.resolve();
        seen.push({ ...attempt, sentBefore: world.transport.sent.length });
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
    expect(seen[0]).toMatchObject({
      signedPath: '/api/v1/lots/lot_1/bids',
      idempotencyKey: KEY,
      bodySha256: first?.headers['X-Content-SHA256'],
      timestamp: Number(first?.headers['X-Timestamp']),
      nonce: first?.headers['X-Nonce'],
    });
    expect(JSON.stringify(seen)).not.toContain(first?.headers['X-Signature']);
  });

  it('that fails keeps its attempt from leaving, and ends the call', async () => {
    for (const fail of [
      () => Promise.reject(new Error('disk full')),
      () => {
        throw new Error('disk full');
      },
    ]) {
      const { bid, transport } = setUp(fail, { status: 201, json: accepted() });
      expect(await rejection(bid())).toMatchObject({
        name: 'ConfigurationError',
        option: 'beforeAttempt',
        outcome: 'not_sent',
        idempotencyKey: KEY,
      });
      expect(transport.sent).toEqual([]);
    }
  });

  it('that fails before a second attempt leaves the first one in doubt', async () => {
    const { bid, transport, clock } = setUp(
      ({ attempt }) => {
        if (attempt === 2) throw new Error('disk full');
      },
      { fail: 'maybe' },
    );
    const failed = rejection(bid());
    await clock.advance(1);
    expect(await failed).toMatchObject({ outcome: 'unknown', attempts: 2 });
    expect(transport.sent).toHaveLength(1);
  });

  it('that hangs ends with abort and deadline, and nothing leaves', async () => {
    const hang = () => new Promise<void>(() => undefined);
    const { bid, transport, clock } = setUp(hang, { status: 201, json: accepted() });
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
    expect(transport.sent).toEqual([]);
    expect(clock.pending).toEqual([]);
  });
});
