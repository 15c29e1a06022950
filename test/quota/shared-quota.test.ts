import { describe, expect, it, vi } from 'vitest';
import type { Clock } from '../../src/ports/clock.js';
import type { Quota } from '../../src/ports/quota.js';
import type { QuotaSettings } from '../../src/quota/lanes.js';
import type { QuotaParts } from '../../src/quota/quota.js';
import { sharedQuota as sharing } from '../../src/quota/shared-quota.js';
import { VirtualClock } from '../support/virtual-clock.js';

const never = new AbortController().signal;
const two = { limit: 2, reserve: 0, window: 1_000, margin: 0 };

function sharedQuota(scope: string, settings: Partial<QuotaSettings>, clock: Clock) {
  return sharing(partsOf(scope, clock), { settings: { ...two, ...settings } });
}

function partsOf(scope: string, clock: Clock): QuotaParts {
  return { clock, scope, process: 'this', random: () => 0 };
}

/** An origin that no other test knows. */
let origins = 0;
const newOrigin = () => `https://bank-${++origins}.example`;

/** When each of so many permits is granted, in ms from now. */
async function grants(clock: VirtualClock, count: number, ...quotas: readonly Quota[]): Promise<number[]> {
  const begun = clock.monotonic();
  const at: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const quota = quotas[n % quotas.length];
    quota?.permit('read', never).then(() => at.push(clock.monotonic() - begun));
  }
  await clock.advance(60_000);
  return at;
}

describe('a shared quota', () => {
  it('is one for all clients of an origin, and another for another origin', async () => {
    const clock = new VirtualClock();
    const origin = newOrigin();
    const one = sharedQuota(origin, two, clock);
    const other = sharedQuota(origin, two, clock);
    expect(await grants(clock, 5, one, other)).toEqual([0, 0, 1_000, 1_000, 2_000]);
    one.pause(700);
    const elsewhere = sharedQuota(newOrigin(), two, clock);
    expect(await grants(clock, 2, other, elsewhere)).toEqual([0, 700]);
    for (const quota of [one, other, elsewhere]) quota.release();
  });

  it('is one for both copies of this module in a process', async () => {
    const clock = new VirtualClock();
    const origin = newOrigin();
    const one = sharedQuota(origin, two, clock);
    vi.resetModules();
    const copy = await import('../../src/quota/shared-quota.js');
    expect(copy.sharedQuota).not.toBe(sharing);
    const other = copy.sharedQuota(partsOf(origin, clock), { settings: { ...two, limit: 1 } });
    expect(await grants(clock, 3, one, other)).toEqual([0, 1_000, 2_000]);
    one.release();
    expect(await grants(clock, 2, other)).toEqual([0, 1_000]);
    other.release();
  });

  it('keeps to the strictest of each setting, for everybody, also when the strict one has gone', async () => {
    const clock = new VirtualClock();
    const origin = newOrigin();
    const lax = sharedQuota(origin, { limit: 3, window: 1_000, margin: 200 }, clock);
    expect(await grants(clock, 3, lax)).toEqual([0, 0, 0]);
    const strict = sharedQuota(origin, { limit: 1, window: 3_000, margin: 0 }, clock);
    expect(await grants(clock, 3, lax)).toEqual([0, 3_200, 6_400]);
    strict.release();
    expect(await grants(clock, 2, lax)).toEqual([0, 3_200]);
    lax.release();
  });

  it('outlives its last share until its window and pauses are over', async () => {
    const clock = new VirtualClock();
    const origin = newOrigin();
    const one = sharedQuota(origin, { ...two, limit: 1 }, clock);
    const other = sharedQuota(origin, two, clock);
    one.release();
    one.release();
    const third = sharedQuota(origin, two, clock);
    expect(await grants(clock, 2, other, third)).toEqual([0, 1_000]);
    other.pause(90_000);
    other.release();
    third.release();

    const early = sharedQuota(origin, two, clock);
    expect(await grants(clock, 1, early)).toEqual([]);
    await clock.advance(30_000);
    early.release();
    await clock.advance(999);
    const stillPacing = sharedQuota(origin, { ...two, limit: Number.POSITIVE_INFINITY }, clock);
    expect(await grants(clock, 1, stillPacing)).toEqual([1]);
    stillPacing.release();

    const fresh = sharedQuota(origin, two, clock);
    expect(await grants(clock, 3, fresh)).toEqual([0, 0, 1_000]);
    fresh.release();
  });
});

it('A quota outlives its last share by the margin of its window too', async () => {
  const clock = new VirtualClock();
  const origin = newOrigin();
  const settings = { limit: 1, margin: 500 };
  const one = sharedQuota(origin, settings, clock);
  await one.permit('read', never);
  one.release();
  await clock.advance(1_200);
  const other = sharedQuota(origin, settings, clock);
  expect(await grants(clock, 1, other)).toEqual([300]);
  other.release();
});

it('A released quota leaves no timer behind, although its store failed and nothing could be told', async () => {
  const clock = new VirtualClock();
  const departures = { exchange: () => Promise.reject(new Error('The store is gone')) };
  const quota = sharing(partsOf(newOrigin(), clock), { settings: two, departures });
  await quota.permit('read', never);
  expect(clock.pending).not.toEqual([]);
  quota.release();
  expect(clock.pending).toEqual([]);
});
