import { describe, expect, it } from 'vitest';
import { defaultQuota, Peers, RollingWindow } from '../../src/quota/lanes.js';
import { PacedQuota } from '../../src/quota/quota.js';
import type { DepartureEntry, DepartureLog } from '../../src/store/store.js';
import { rejection } from '../support/clients.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { quotaWith } from './kit.js';

/** A log that several processes of one clock share. */
function sharedLog(clock: VirtualClock): DepartureLog {
  const rows: { readonly entry: DepartureEntry; readonly at: number }[] = [];
  return {
    exchange: async (_scope, after, decide) => {
      const now = clock.now();
      const entries = rows.slice(after).map(({ entry, at }) => ({ ...entry, age: now - at }));
      const added = decide({ entries, last: rows.length, now });
      for (const entry of added) rows.push({ entry, at: now - entry.age });
    },
  };
}

const never = new AbortController().signal;

const entry = { number: 1, lane: 'read', age: 0 } as const;

describe('processes that disagree about the limit', () => {
  it('keep to the lowest limit and the largest reserve of all, and say so', async () => {
    const clock = new VirtualClock();
    const departures = sharedLog(clock);
    const warnings: (readonly [string, unknown])[] = [];
    const warn = (message: string, fields: () => unknown) => void warnings.push([message, fields()]);
    const lax = quotaWith({ limit: 60, margin: 0 }, clock, { departures, warn, process: 'lax' });
    const settings = { limit: 20, reserve: 4, margin: 0 };
    const strict = quotaWith(settings, clock, { departures, process: 'strict' });
    await strict.permit('read', never);
    await lax.permit('read', never);
    expect(lax.state()).toMatchObject({ limit: 20, reserve: 4, used: 2 });
    expect(warnings).toEqual([[expect.any(String), { limit: 60, lowest: 20 }]]);

    let granted = 2;
    for (let call = 0; call < 40; call += 1) {
      for (const quota of [lax, strict]) {
        void quota.permit('read', never).then(() => {
          granted += 1;
        });
      }
    }
    await clock.advance(59_000);
    // 20, but for the reserve of bids and a share for each of the other lanes.
    const { limit, reserve } = strict.state();
    expect(granted).toBeLessThanOrEqual(limit - reserve);
    expect(granted).toBeGreaterThanOrEqual(limit - reserve - 2);
  });

  it.each([
    ['one fifth of 120 is one fifth of 30', { limit: 120, reserve: 24 }, { limit: 30, reserve: 6 }, 6],
    ['the larger share holds', { limit: 120, reserve: 60 }, { limit: 30, reserve: 3 }, 15],
    ['the strict process has the larger one', { limit: 120, reserve: 0 }, { limit: 30, reserve: 6 }, 6],
  ])('reserve a share of the limit in force: %s', async (_, lax, strict, reserve) => {
    const clock = new VirtualClock();
    const departures = sharedLog(clock);
    const first = quotaWith(lax, clock, { departures, process: 'lax' });
    const second = quotaWith(strict, clock, { departures, process: 'strict' });
    await second.permit('read', never);
    await first.permit('read', never);
    await second.permit('read', never);
    const inForce = { limit: 30, reserve };
    expect([first.state(), second.state()]).toMatchObject([inForce, inForce]);
    const oneProcess = new PacedQuota({ clock, scope: 'x', process: 'p', random: () => 0 });
    for (const settings of [lax, strict]) oneProcess.join({ settings: { ...defaultQuota, ...settings } });
    const share = oneProcess.join({ settings: { ...defaultQuota, ...strict } });
    expect(share.state()).toMatchObject(inForce);
  });

  it('go by their own limit again once the strict one has sent nothing for ten minutes', async () => {
    const clock = new VirtualClock();
    const departures = sharedLog(clock);
    const lax = quotaWith({ limit: 60 }, clock, { departures, process: 'lax' });
    const strict = quotaWith({ limit: 20 }, clock, { departures, process: 'strict' });
    await strict.permit('read', never);
    await lax.permit('read', never);
    expect(lax.state().limit).toBe(20);
    await clock.advance(601_000);
    await lax.permit('read', never);
    expect(lax.state().limit).toBe(60);
  });

  it('are all paused where one of them is told to wait', async () => {
    const clock = new VirtualClock();
    const departures = sharedLog(clock);
    const told = quotaWith({}, clock, { departures, process: 'told' });
    const other = quotaWith({}, clock, { departures, process: 'other' });
    told.pause(5_000);
    await clock.advance(1_000);
    const left: number[] = [];
    void other.permit('bid', never).then(() => left.push(clock.monotonic()));
    await clock.advance(3_999);
    expect(left).toEqual([]);
    await clock.advance(1_000);
    expect(left).toHaveLength(1);
  });

  it('have no reserve that exceeds what the lowest limit allows', () => {
    const peers = new Peers('mine');
    const entries = [
      { ...entry, process: 'lax', limit: 120, reserve: 24 },
      { ...entry, process: 'strict', limit: 10, reserve: 0 },
    ];
    peers.read({ last: 2, now: 0, entries }, 0);
    const { limit, reserve } = peers.strictest({ limit: 20, reserve: 4, window: 60_000, margin: 200 });
    expect(limit).toBe(10);
    expect(reserve).toBeLessThan(limit);
    expect(peers.agree(20)).toBe(false);
  });
});

it('A request that counts twice counts once, from the later of its times, whoever told it first', () => {
  const window = new RollingWindow();
  const settings = { limit: 2, reserve: 0, window: 1_000, margin: 100 };
  for (const at of [200, 100, 150]) window.put({ id: 'one', lane: 'read', at });
  window.depart({ id: 'two', lane: 'bid', at: 50 });
  window.expire(1_150, settings);
  expect(window.used).toBe(1);
  window.expire(1_299, settings);
  expect(window.used).toBe(1);
  window.expire(1_300, settings);
  expect(window.used).toBe(0);
});

it('Requests that wait only for the log to answer do not say that the quota is used up', async () => {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const quota = quotaWith({ limit: 3, margin: 0 }, clock, { departures: sharedLog(clock), warn });
  const first = quota.permit('read', never);
  await Promise.resolve(); // the log is being asked for the first
  await Promise.all([first, quota.permit('read', never), quota.permit('read', never)]);
  expect(warnings).toEqual([]);
  const fourth = quota.permit('read', never);
  await clock.advance(60_000);
  await fourth;
  expect(warnings).toEqual(['The request quota is used up or paused; calls are queued']);
});

describe('a process whose log fails', () => {
  function failingLog(clock: VirtualClock) {
    const log = sharedLog(clock);
    const state = { isDown: false, asked: 0 };
    const departures: DepartureLog = {
      exchange: async (...args) => {
        state.asked += 1;
        if (state.isDown) throw new Error('down');
        await log.exchange(...args);
      },
    };
    return { departures, state };
  }

  /** Two processes with four requests a minute. The first has sent four at 0 and at 60 s; the other asks for one. */
  async function behind() {
    const clock = new VirtualClock();
    const { departures, state } = failingLog(clock);
    const settings = { limit: 4, margin: 0 };
    const first = quotaWith(settings, clock, { departures, process: 'first' });
    const late = quotaWith(settings, clock, { departures, process: 'late', random: () => 1 });
    const four = () => Promise.all([1, 2, 3, 4].map(() => first.permit('read', never)));
    await four();
    const sentAt: number[] = [];
    void late.permit('read', never).then(() => sentAt.push(clock.monotonic()));
    const again = four();
    await clock.advance(60_020); // the other one asks the log 20 ms later
    await again;
    return { clock, sentAt, late, state };
  }

  it('takes no place that came free since it last read the log: another process may have', async () => {
    const { clock, sentAt, state } = await behind();
    state.isDown = true;
    await clock.advance(59_000);
    expect(sentAt).toEqual([]);
    await clock.advance(2_000);
    expect(sentAt).toHaveLength(1); // a window later, as if all had been taken when the log failed
  });

  it('counts what was sent, and no longer what was presumed, as soon as it reads the log again', async () => {
    const { clock, sentAt, late, state } = await behind();
    state.isDown = true;
    await clock.advance(6_000);
    state.isDown = false;
    await clock.advance(53_900);
    expect([sentAt, late.state().used]).toEqual([[], 4]);
    await clock.advance(200);
    expect(sentAt).toHaveLength(1);
  });

  it('asks the log again after a second, and every five seconds in a long outage', async () => {
    const { clock, late, state } = await behind();
    state.isDown = true;
    await clock.advance(100);
    state.isDown = false;
    const before = state.asked;
    await clock.advance(1_000);
    expect(state.asked).toBe(before + 1);
    expect(late.state()).toMatchObject({ shared: 'store', used: 4 });
    state.isDown = true;
    await clock.advance(58_500);
    // Another request, and an outage in which its process goes on asking.
    void late.permit('read', never);
    await clock.advance(12_000);
    const during = state.asked;
    await clock.advance(30_000);
    expect([late.state().shared, state.asked - during]).toEqual(['alone', 6]);
    state.isDown = false;
    await clock.advance(5_000);
    expect(late.state().shared).toBe('store');
  });

  it('keeps to its share for ten seconds from its first read after the outage, however long it asked nothing', async () => {
    const clock = new VirtualClock();
    const { departures, state } = failingLog(clock);
    const settings = { limit: 4, margin: 0 };
    const other = quotaWith(settings, clock, { departures, process: 'other' });
    const one = quotaWith(settings, clock, { departures, process: 'one' });
    await other.permit('read', never);
    await one.permit('read', never);
    await clock.advance(61_000);
    state.isDown = true;
    const impatient = new AbortController();
    const waiting = rejection(one.permit('read', impatient.signal));
    await clock.advance(100);
    impatient.abort(new Error('enough'));
    await waiting;
    await clock.advance(70_000);
    state.isDown = false;
    let sent = 0;
    for (let n = 0; n < 4; n += 1) {
      void one.permit('read', never).then(() => {
        sent += 1;
      });
    }
    await clock.advance(9_900);
    expect(sent).toBe(2); // half of four
    await clock.advance(200);
    expect(sent).toBe(4);
  });

  it('uses half of the window where it has never read the log: others may send, too', async () => {
    const clock = new VirtualClock();
    const { departures, state } = failingLog(clock);
    state.isDown = true;
    const quota = quotaWith({ limit: 4, margin: 0 }, clock, { departures });
    const begun = clock.monotonic();
    const sentAt: number[] = [];
    for (let n = 0; n < 4; n += 1) {
      void quota.permit('read', never).then(() => sentAt.push(clock.monotonic() - begun));
    }
    await clock.advance(30_000);
    expect(sentAt).toEqual([0, 0]);
    state.isDown = false;
    await clock.advance(20_000);
    expect(sentAt).toHaveLength(4);
  });

  it('sends at once where it knew of no others', async () => {
    const clock = new VirtualClock();
    const { departures, state } = failingLog(clock);
    const quota = quotaWith({ limit: 4, margin: 0 }, clock, { departures });
    await quota.permit('read', never);
    await clock.advance(60_500);
    state.isDown = true;
    await quota.permit('bid', never);
    expect(quota.state()).toMatchObject({ shared: 'alone', used: 2 });
  });
});
