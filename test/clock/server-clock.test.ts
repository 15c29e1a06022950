import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serverTimeOf } from '../../src/clock/reply-time.js';
import { createServerClock } from '../../src/clock/server-clock.js';

fc.configureGlobal({ seed: 20260304, numRuns: 500 });

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.UTC(2026, 2, 2, 6);

/** A machine whose clocks go when told, and whose wall clock can be set. */
class Machine {
  #wall = START;
  #monotonic = 0;

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  after(): () => void {
    throw new Error('Nothing here waits');
  }

  run(ms: number): void {
    this.#wall += ms;
    this.#monotonic += ms;
  }

  setWall(ms: number): void {
    this.#wall = ms;
  }
}

function clocks() {
  const machine = new Machine();
  return { machine, server: createServerClock(machine) };
}

describe('server time', () => {
  it('is local time until a correction', () => {
    const { machine, server } = clocks();
    expect(server.now()).toBe(START);
    expect(server.offsetMs()).toBe(0);
    machine.run(1_234);
    expect(server.now()).toBe(START + 1_234);
  });

  it.each([
    ['ahead', 600_000],
    ['behind', -600_000],
    ['ahead by a day', DAY_MS],
    ['behind by a day', -DAY_MS],
  ])('is corrected to a server that is %s', (_, offsetMs) => {
    const { machine, server } = clocks();
    expect(server.correct({ serverMs: START + offsetMs, receivedAtMs: START })).toBe(true);
    expect(server.offsetMs()).toBe(offsetMs);
    machine.run(2_500);
    expect(server.now()).toBe(START + offsetMs + 2_500);
  });

  it('counts from when the reply arrived, not from when it was looked at', () => {
    const { machine, server } = clocks();
    machine.run(4_000);
    server.correct({ serverMs: START + 600_000, receivedAtMs: START });
    expect(server.now()).toBe(START + 604_000);
  });

  it.each([
    ['a day and a millisecond ahead', START + DAY_MS + 1, START],
    ['a day and a millisecond behind', START - DAY_MS - 1, START],
    ['1970', 0, START],
    ['no number', Number.NaN, START],
    ['endless', Number.POSITIVE_INFINITY, START],
    ['received at no time', START, Number.NaN],
    ['endless on both sides', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ])('stays what it was after a sample that is %s', (_, serverMs, receivedAtMs) => {
    const { server } = clocks();
    server.correct({ serverMs: START + 600_000, receivedAtMs: START });
    expect(server.correct({ serverMs, receivedAtMs })).toBe(false);
    expect(server.offsetMs()).toBe(600_000);
  });

  it('is what the second correction says, be it ahead of the first or behind', () => {
    const { machine, server } = clocks();
    for (const offsetMs of [600_000, 610_000, -5_000]) {
      machine.run(1_000);
      expect(server.correct({ serverMs: machine.now() + offsetMs, receivedAtMs: machine.now() })).toBe(true);
      expect(server.offsetMs()).toBe(offsetMs);
    }
  });
});

describe('samples of several calls', () => {
  it('that arrived before the one taken over are believed and change nothing', () => {
    const { machine, server } = clocks();
    machine.run(10_000);
    server.correct({ serverMs: START + 610_000, receivedAtMs: START + 10_000 });
    machine.run(5_000);
    expect(server.correct({ serverMs: START + 608_000, receivedAtMs: START + 9_999 })).toBe(true);
    expect(server.offsetMs()).toBe(600_000);
  });

  it('that arrived in the same millisecond replace one another', () => {
    const { server } = clocks();
    server.correct({ serverMs: START + 600_000, receivedAtMs: START });
    server.correct({ serverMs: START + 500_000, receivedAtMs: START });
    expect(server.offsetMs()).toBe(500_000);
  });

  it('end with the last arrival, in whatever order they are handed in', () => {
    const offsets = fc.array(fc.integer({ min: -DAY_MS, max: DAY_MS }), { minLength: 1, maxLength: 8 });
    const shuffled = offsets
      .map((all) => all.map((offsetMs, place) => ({ offsetMs, receivedAtMs: START + place })))
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })));
    fc.assert(
      fc.property(shuffled, ([inOrder, handedIn]) => {
        const { machine, server } = clocks();
        machine.run(10);
        for (const { offsetMs, receivedAtMs } of handedIn) {
          expect(server.correct({ serverMs: receivedAtMs + offsetMs, receivedAtMs })).toBe(true);
        }
        expect(server.offsetMs()).toBe(inOrder.at(-1)?.offsetMs);
      }),
    );
  });

  it('are taken over after the wall clock was set back, though they seem to be older', () => {
    const { machine, server } = clocks();
    machine.run(5_000);
    server.correct({ serverMs: machine.now() - 3_600_000, receivedAtMs: machine.now() });
    machine.run(60_000);
    machine.setWall(machine.now() - 3_600_000);
    machine.run(1_000);
    expect(server.correct({ serverMs: machine.now() - 20, receivedAtMs: machine.now() })).toBe(true);
    expect(server.offsetMs()).toBe(-20);
  });

  it('of before the wall clock was set forward do not undo a correction of after it', () => {
    const { machine, server } = clocks();
    const old = { serverMs: START + 3_600_000, receivedAtMs: START };
    machine.setWall(START + 3_600_000);
    machine.run(100);
    server.correct({ serverMs: machine.now() - 20, receivedAtMs: machine.now() });
    machine.run(100);
    expect(server.correct(old)).toBe(true);
    expect(server.offsetMs()).toBe(-20);
  });

  it('are not taken for ones of a clock that was set, where it is only put right bit by bit', () => {
    const { machine, server } = clocks();
    machine.run(10_000);
    server.correct({ serverMs: START + 610_000, receivedAtMs: START + 10_000 });
    machine.setWall(machine.now() - 999);
    server.correct({ serverMs: START + 1_000, receivedAtMs: START + 9_500 });
    expect(server.offsetMs()).toBe(600_000);
  });
});

describe('a correction from a real exchange', () => {
  const latency = fc.nat(120_000);
  const skew = fc.integer({ min: -DAY_MS + 240_000, max: DAY_MS });

  it('never runs ahead of the server, nor behind by more than the way back and the second of its stamp', () => {
    fc.assert(
      fc.property(
        skew,
        latency,
        latency,
        fc.nat(1_000_000),
        fc.nat(999),
        fc.constantFrom('iso', 'iso in seconds', 'date'),
        (skewMs, there, back, later, ms, form) => {
          const { machine, server } = clocks();
          machine.setWall(START + ms);
          machine.run(there);
          const stamped = new Date(machine.now() + skewMs);
          const timestamp = stamped.toISOString();
          const serverMs = serverTimeOf(
            form === 'date'
              ? { date: stamped.toUTCString() }
              : { timestamp: form === 'iso' ? timestamp : timestamp.replace(/\.\d{3}Z$/, '+00:00') },
          );
          machine.run(back);
          expect(server.correct({ serverMs: serverMs ?? Number.NaN, receivedAtMs: machine.now() })).toBe(
            true,
          );
          machine.run(later);
          const behind = machine.now() + skewMs - server.now();
          expect(behind).toBeGreaterThanOrEqual(0);
          expect(behind).toBeLessThanOrEqual(back + (form === 'iso' ? 0 : 999));
        },
      ),
    );
  });
});
