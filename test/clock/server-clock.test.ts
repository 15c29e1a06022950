import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createServerClock, statedTimeOf } from '../../src/clock/clock.js';

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

interface Exchange {
  readonly there: number;
  readonly back: number;
  readonly resolutionMs: number;
  readonly source: 'body' | 'header';
  readonly urgent: boolean;
  /** What happens to the machine once the service has stamped the reply. */
  readonly onTheWay: () => void;
}

function clocks() {
  const machine = new Machine();
  const server = createServerClock(machine);
  /** One exchange with a service that is ahead by so much: how long the way there and back takes, and how coarse it tells. */
  const exchange = (aheadMs: number, { there = 0, back = 0, ...more }: Partial<Exchange> = {}) => {
    const { resolutionMs = 1, source = 'body', urgent = false, onTheWay } = more;
    const sent = server.reading();
    machine.run(there);
    const exact = machine.now() + aheadMs;
    onTheWay?.();
    machine.run(back);
    const serverMs = Math.floor(exact / resolutionMs) * resolutionMs;
    server.observe({ serverMs, resolutionMs, source }, sent, urgent);
  };
  return { machine, server, exchange };
}

describe('server time', () => {
  it('is unknown until a reply told it, and requests are stamped in local time until then', () => {
    const { machine, server } = clocks();
    expect([server.time(), server.offsetMs(), server.uncertaintyMs()]).toEqual([
      undefined,
      0,
      Number.POSITIVE_INFINITY,
    ]);
    expect(server.now()).toBe(START);
    machine.run(1_234);
    expect(server.now()).toBe(START + 1_234);
  });

  // rule: general.2
  it.each([
    ['ahead', 600_000],
    ['behind', -600_000],
    ['ahead by a day', DAY_MS],
    ['behind by a day', -DAY_MS],
  ])('follows a service that is %s', (_, aheadMs) => {
    const { machine, server, exchange } = clocks();
    exchange(aheadMs);
    machine.run(2_500);
    expect(server.time()).toBe(START + aheadMs + 2_500);
    expect(server.now()).toBe(START + aheadMs + 2_500);
  });

  it('is taken to be stated in the middle of the way there and back', () => {
    const { server, exchange } = clocks();
    exchange(5_000, { there: 300, back: 100 });
    expect(server.offsetMs()).toBe(5_100);
    expect(server.uncertaintyMs()).toBe(200.5);
  });

  it('that is told in whole seconds is taken to lie in the middle of its second', () => {
    const { machine, server, exchange } = clocks();
    machine.run(700);
    exchange(0, { resolutionMs: 1_000 });
    expect(server.offsetMs()).toBe(-200);
    expect(server.uncertaintyMs()).toBe(500);
  });

  it.each([
    ['a day and a millisecond ahead', DAY_MS + 1],
    ['a day and a millisecond behind', -DAY_MS - 1],
    ['endlessly far ahead', Number.POSITIVE_INFINITY],
    ['no number', Number.NaN],
  ])('does not believe a reply that is %s, however urgent', (_, aheadMs) => {
    const { server, exchange } = clocks();
    exchange(aheadMs);
    expect(server.time()).toBeUndefined();
    exchange(600_000);
    exchange(aheadMs, { urgent: true });
    expect(server.offsetMs()).toBe(600_000);
  });
});

describe('several replies', () => {
  it('of which the narrowest holds', () => {
    const { server, exchange } = clocks();
    exchange(1_000, { there: 0, back: 400 });
    exchange(1_000, { there: 10, back: 10 });
    expect(server.offsetMs()).toBe(1_000);
    exchange(1_000, { there: 0, back: 400 });
    expect(server.offsetMs()).toBe(1_000);
    expect(server.uncertaintyMs()).toBeLessThan(11);
  });

  it('of which one contradicts all others change nothing: an outlier', () => {
    const { server, exchange } = clocks();
    exchange(1_000);
    exchange(90_000);
    expect(server.offsetMs()).toBe(1_000);
    exchange(1_000);
    exchange(90_000);
    expect(server.offsetMs()).toBe(1_000);
  });

  it('of which two contradict in the same way are believed: the clock of the service was set', () => {
    const { server, exchange } = clocks();
    exchange(1_000);
    exchange(90_000);
    exchange(90_000);
    expect(server.offsetMs()).toBe(90_000);
  });

  it('of which a vague one confirms a precise one that contradicts: the precise one is believed', () => {
    const { server, exchange } = clocks();
    exchange(1_000);
    exchange(90_000);
    exchange(90_000, { there: 400_000 });
    expect(server.offsetMs()).toBe(90_000);
    expect(server.uncertaintyMs()).toBeLessThan(50);
  });

  it('that contradict each other as well do not replace an estimate', () => {
    const { server, exchange } = clocks();
    exchange(1_000);
    for (const aheadMs of [90_000, 50_000, 70_000]) exchange(aheadMs);
    expect(server.offsetMs()).toBe(1_000);
  });

  it('of which one comes with a refused timestamp: that is believed at once', () => {
    const { server, exchange } = clocks();
    exchange(1_000);
    exchange(90_000, { urgent: true });
    expect(server.offsetMs()).toBe(90_000);
  });

  it('replace an estimate that grew old, for clocks drift', () => {
    const { machine, server, exchange } = clocks();
    exchange(1_000);
    machine.run(3_600_000);
    expect(server.uncertaintyMs()).toBeCloseTo(0.5 + 360, 5);
    exchange(1_300, { there: 0, back: 100 });
    expect(server.offsetMs()).toBe(1_250);
  });
});

describe('a `Date` header that lies', () => {
  it('changes nothing once the service itself stated the time, however often it comes', () => {
    const { server, exchange } = clocks();
    exchange(200_000);
    for (let n = 0; n < 5; n += 1) exchange(-3_600_000, { source: 'header', resolutionMs: 1_000 });
    expect(server.offsetMs()).toBe(200_000);
    expect(server.isStated()).toBe(true);
  });

  it('counts until the service itself states the time, and then no more', () => {
    const { server, exchange } = clocks();
    exchange(-3_600_000, { source: 'header', resolutionMs: 1_000 });
    expect([server.offsetMs(), server.isStated()]).toEqual([-3_599_500, false]);
    exchange(200_000, { there: 5_000, back: 5_000 });
    expect([server.offsetMs(), server.isStated()]).toEqual([200_000, true]);
  });

  it('is not believed after the local clock was set either', () => {
    const { machine, server, exchange } = clocks();
    exchange(200_000);
    machine.setWall(machine.now() + 60_000);
    exchange(-3_600_000, { source: 'header', resolutionMs: 1_000 });
    expect(server.time()).toBeUndefined();
  });
});

describe('many calls at once', () => {
  it('that are all refused for their timestamp leave the narrowest measurement', () => {
    const { server, exchange } = clocks();
    exchange(600_000, { there: 10, back: 10, urgent: true });
    for (let n = 0; n < 49; n += 1) exchange(600_000, { back: 900, urgent: true });
    expect(server.offsetMs()).toBe(600_000);
    expect(server.uncertaintyMs()).toBeLessThan(16);
  });
});

describe('a local clock that is set, or a machine that sleeps', () => {
  it.each([
    ['set ahead by hours', 3_600_000],
    ['set back by hours', -3_600_000],
    ['that slept for a little more than a second', 1_001],
  ])('%s: server time is unknown until the next reply', (_, stepMs) => {
    const { machine, server, exchange } = clocks();
    exchange(600_000);
    machine.setWall(machine.now() + stepMs);
    expect(server.time()).toBeUndefined();
    expect(server.now()).toBe(machine.now());
    exchange(600_000 - stepMs);
    expect(server.time()).toBe(START + 600_000);
  });

  it('put right bit by bit keeps the estimate, and widens it: the machine may have slept as well', () => {
    const { machine, server, exchange } = clocks();
    exchange(600_000);
    machine.setWall(machine.now() + 999);
    expect(server.time()).toBe(START + 600_000);
    expect(server.offsetMs()).toBe(599_001);
    expect(server.uncertaintyMs()).toBe(999.5);
  });

  it.each([
    ['set', (machine: Machine) => machine.setWall(machine.now() + 600_000)],
    ['asleep', (machine: Machine) => machine.setWall(machine.now() + 600_000)],
  ])('that is %s while a reply is on its way measures nothing with it', (_, onTheWay) => {
    const { machine, server, exchange } = clocks();
    exchange(0, { onTheWay: () => onTheWay(machine) });
    expect(server.time()).toBeUndefined();
  });

  it('that is set while a refused timestamp is on its way is put right by the refusal itself', () => {
    const { machine, server, exchange } = clocks();
    exchange(0);
    const real = () => START + machine.monotonic();
    machine.setWall(machine.now() + 600_000);
    exchange(-600_000, { back: 80, urgent: true, onTheWay: () => machine.setWall(machine.now() - 300_000) });
    expect(Math.abs((server.time() ?? 0) - real())).toBeLessThanOrEqual(server.uncertaintyMs());
    expect(server.now()).toBe(server.time());
  });
});

describe('a signature', () => {
  it.each([2_000, -2_000])(
    'is stamped in local time while that is off by %i ms, which is tolerated',
    (aheadMs) => {
      const { server, exchange } = clocks();
      exchange(aheadMs);
      expect(server.now()).toBe(START);
      expect(server.time()).toBe(START + aheadMs);
    },
  );

  it.each([2_002, -2_002])('is stamped in server time once local time is off by %i ms', (aheadMs) => {
    const { server, exchange } = clocks();
    exchange(aheadMs);
    expect(server.now()).toBe(START + aheadMs);
  });

  it('is stamped in local time while the difference is within what is uncertain', () => {
    const { machine, server, exchange } = clocks();
    exchange(0, { there: 0, back: 12_000 });
    expect(server.offsetMs()).toBe(-6_000);
    expect(server.now()).toBe(machine.now());
  });
});

it('server time is never off by more than its uncertainty, whatever the ways there and back', () => {
  const way = fc.nat(120_000);
  const skew = fc.integer({ min: -DAY_MS + 240_000, max: DAY_MS - 240_000 });
  const form = fc.constantFrom('iso', 'iso in seconds', 'date');
  fc.assert(
    fc.property(
      skew,
      way,
      way,
      fc.nat(1_000_000),
      fc.nat(999),
      form,
      (skewMs, there, back, later, ms, how) => {
        const { machine, server } = clocks();
        machine.setWall(START + ms);
        const sent = server.reading();
        machine.run(there);
        const stamped = new Date(machine.now() + skewMs);
        const timestamp = stamped.toISOString();
        const stated = statedTimeOf(
          how === 'date'
            ? { date: stamped.toUTCString() }
            : { timestamp: how === 'iso' ? timestamp : timestamp.replace(/\.\d{3}Z$/, '+00:00') },
        );
        machine.run(back);
        if (stated === undefined) throw new Error('No time was stated');
        server.observe(stated, sent);
        machine.run(later);
        const off = Math.abs(machine.now() + skewMs - (server.time() ?? 0));
        expect(off).toBeLessThanOrEqual(server.uncertaintyMs());
      },
    ),
  );
});
