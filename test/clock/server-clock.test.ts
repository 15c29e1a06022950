import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createServerClock, serverTimeOf } from '../../src/clock/clock.js';
import { statedTimeOf } from '../../src/clock/reply-time.js';

fc.configureGlobal({ seed: 20260304, numRuns: 500 });

const DAY_MS = 24 * 60 * 60 * 1000;
const START = Date.UTC(2026, 2, 2, 6);

/** A machine whose clocks go when told, and whose wall clock can be set. */
class Machine {
  #wall = START;
  /** It has run for days. */
  #monotonic = 5 * DAY_MS;
  readonly now = () => this.#wall;
  readonly monotonic = () => this.#monotonic;
  readonly after = () => expect.fail('Nothing here waits');

  run(ms: number): void {
    this.#wall += ms;
    this.#monotonic += ms;
  }

  setWall(byMs: number): void {
    this.#wall += byMs;
  }
}

interface Exchange {
  readonly there: number;
  readonly back: number;
  readonly resolutionMs: number;
  readonly source: 'body' | 'header';
  readonly urgent: boolean;
  readonly cacheable: boolean;
  /** What happens to the machine once the service has stamped the reply. */
  readonly onTheWay: () => void;
}

type Step = readonly [aheadMs: number, how?: Partial<Exchange>];

function clocks() {
  const machine = new Machine();
  const server = createServerClock(machine);
  /** One exchange with a service that is ahead by so much: how long the way there and back takes, and how coarse it tells. */
  const exchange = (aheadMs: number, { there = 0, back = 0, ...more }: Partial<Exchange> = {}) => {
    const { resolutionMs = 1, source = 'body', urgent = false, cacheable = false, onTheWay } = more;
    const sent = server.reading();
    machine.run(there);
    const exact = machine.now() + aheadMs;
    onTheWay?.();
    machine.run(back);
    const serverMs = Math.floor(exact / resolutionMs) * resolutionMs;
    return server.observe({ serverMs, resolutionMs, source }, sent, { urgent, cacheable });
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
  const header = { source: 'header', resolutionMs: 1_000 } as const;
  const slow: Step = [600_000, { back: 900, urgent: true }];

  it.each<[string, readonly Step[], aheadMs: number, uncertaintyMs: number]>([
    [
      'the narrowest holds',
      [
        [1_000, { back: 400 }],
        [1_000, { there: 10, back: 10 }],
        [1_000, { back: 400 }],
      ],
      1_000,
      11,
    ],
    ['one that contradicts another changes nothing: an outlier', [[1_000], [90_000]], 1_000, 50],
    ['one that contradicts now and then changes nothing', [[1_000], [90_000], [1_000], [90_000]], 1_000, 50],
    ['two that contradict in the same way are believed', [[1_000], [90_000], [90_000]], 90_000, 50],
    ['a vague one confirms a precise one', [[1_000], [90_000], [90_000, { there: 400_000 }]], 90_000, 50],
    ['those that contradict each other replace nothing', [[1_000], [90_000], [50_000], [70_000]], 1_000, 50],
    ['one with a refused timestamp is believed at once', [[1_000], [90_000, { urgent: true }]], 90_000, 50],
    [
      'such a one is believed over a rival that is more precise',
      [[1_000], [90_000], [50_200, { back: 400, urgent: true }]],
      50_000,
      201,
    ],
    [
      'fifty refused ones leave the narrowest',
      [[600_000, { there: 10, back: 10, urgent: true }], ...Array<Step>(49).fill(slow)],
      600_000,
      16,
    ],
    [
      'a `Date` changes nothing once the service has stated the time',
      [[200_000], ...Array<Step>(5).fill([-3_600_000, header])],
      200_000,
      50,
    ],
    [
      'a `Date` counts until the service states the time',
      [
        [-3_600_000, header],
        [200_000, { there: 5_000, back: 5_000 }],
      ],
      200_000,
      5_001,
    ],
  ])('%s', (_, steps, aheadMs, uncertaintyMs) => {
    const { server, exchange } = clocks();
    for (const step of steps) exchange(...step);
    expect(server.offsetMs()).toBe(aheadMs);
    expect(server.uncertaintyMs()).toBeLessThan(uncertaintyMs);
    expect(server.isStated()).toBe(true);
  });

  it('replace an estimate that grew old, for clocks drift', () => {
    const { machine, server, exchange } = clocks();
    exchange(1_000);
    machine.run(3_600_000);
    expect(server.uncertaintyMs()).toBeCloseTo(0.5 + 360, 5);
    exchange(1_300, { back: 100 });
    expect(server.offsetMs()).toBe(1_250);
  });

  it('begin with a `Date`, which is only an estimate, and end with it once the local clock was set', () => {
    const { machine, server, exchange } = clocks();
    exchange(-3_600_000, header);
    expect([server.offsetMs(), server.isStated()]).toEqual([-3_599_500, false]);
    exchange(200_000);
    machine.setWall(60_000);
    exchange(-3_600_000, header);
    expect(server.time()).toBeUndefined();
  });
});

describe('replies to a GET whose time falls behind, as copies from a cache do', () => {
  const cacheable = true;

  it('change nothing, however many there are and however well they agree', () => {
    const { server, exchange, machine } = clocks();
    exchange(600_000, { back: 100 });
    const fifty = Array.from({ length: 50 }, () => exchange(360_000, { cacheable }));
    expect(new Set(fifty)).toEqual(new Set([239_950]));
    machine.run(60_000);
    exchange(300_000, { cacheable });
    expect(server.offsetMs()).toBe(599_950);
  });

  it('change nothing over an hour in which one copy grows older', () => {
    const { server, exchange, machine } = clocks();
    exchange(0);
    for (let ageMs = 10_000; ageMs <= 3_600_000; ageMs += 10_000) {
      machine.run(10_000);
      expect(exchange(-ageMs, { cacheable })).toBe(ageMs);
    }
    expect(server.offsetMs()).toBe(0);
  });

  it('count once they have agreed for five minutes: then the clock of the service was set back', () => {
    const { server, exchange, machine } = clocks();
    exchange(0);
    for (let second = 0; second < 300; second += 10) {
      exchange(-20_000, { cacheable });
      expect(server.offsetMs()).toBe(0);
      machine.run(10_000);
    }
    exchange(-20_000, { cacheable });
    expect(server.offsetMs()).toBe(-20_000);
  });

  it.each([
    ['the reply to a POST says the same', { cacheable: false }],
    ['the service refuses a timestamp', { urgent: true, cacheable }],
  ])('count at once where %s', (_, how) => {
    const { server, exchange } = clocks();
    exchange(0);
    exchange(-20_000, { cacheable });
    expect(exchange(-20_000, how)).toBe(0);
    expect(server.offsetMs()).toBe(-20_000);
  });

  it.each([
    ['the round trip and two seconds', 2_500, 0],
    ['more than that', 2_502, 2_502],
  ])('are copies where they are behind by %s', (_, behindMs, expected) => {
    const { exchange } = clocks();
    exchange(0);
    expect(Math.round(exchange(-behindMs + 500, { cacheable, back: 998 }))).toBe(expected && expected - 1);
  });

  it('are told from replies that are ahead, which no copy can be', () => {
    const { server, exchange } = clocks();
    exchange(0);
    expect([exchange(90_000, { cacheable }), exchange(90_000, { cacheable })]).toEqual([0, 0]);
    expect(server.offsetMs()).toBe(90_000);
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
    machine.setWall(stepMs);
    expect(server.time()).toBeUndefined();
    expect(server.now()).toBe(machine.now());
    exchange(600_000 - stepMs);
    expect(server.time()).toBe(START + 600_000);
  });

  it('put right bit by bit keeps the estimate, and widens it: the machine may have slept as well', () => {
    const { machine, server, exchange } = clocks();
    exchange(600_000);
    machine.setWall(1_000);
    expect(server.time()).toBe(START + 600_000);
    expect(server.offsetMs()).toBe(599_000);
    expect(server.uncertaintyMs()).toBe(1_000.5);
  });

  it('that is set while a reply is on its way measures nothing with it', () => {
    const { machine, server, exchange } = clocks();
    exchange(0, { onTheWay: () => machine.setWall(600_000) });
    expect(server.time()).toBeUndefined();
  });

  it('that is set while a refused timestamp is on its way is put right by the refusal itself', () => {
    const { machine, server, exchange } = clocks();
    exchange(0);
    const begun = machine.monotonic();
    const real = () => START + machine.monotonic() - begun;
    machine.setWall(600_000);
    exchange(-600_000, { back: 80, urgent: true, onTheWay: () => machine.setWall(-300_000) });
    expect(Math.abs((server.time() ?? 0) - real())).toBeLessThanOrEqual(server.uncertaintyMs());
    expect(server.now()).toBe(server.time());
  });
});

describe('a signature', () => {
  it.each([
    [2_000, 'local', 0],
    [-2_000, 'local', 0],
    [2_002, 'server', 2_002],
    [-2_002, 'server', -2_002],
  ])('where server time is %i ms ahead is stamped in %s time', (aheadMs, _, stampedMs) => {
    const { server, exchange } = clocks();
    exchange(aheadMs);
    expect(server.now()).toBe(START + stampedMs);
    expect(server.time()).toBe(START + aheadMs);
  });

  it('is stamped in local time while the difference is within what is uncertain', () => {
    const { machine, server, exchange } = clocks();
    exchange(0, { back: 12_000 });
    expect(server.offsetMs()).toBe(-6_000);
    expect(server.now()).toBe(machine.now());
  });
});

it('a client tells no offset before server time is known, and then how wrong it may be, rounded up', () => {
  const { machine, server, exchange } = clocks();
  const told = serverTimeOf({ clock: machine, serverClock: server });
  expect([told.now(), told.offset()]).toEqual([START, undefined]);
  exchange(600_000, { resolutionMs: 1_000 });
  expect([told.now(), told.offset()]).toEqual([START + 600_500, { ms: 600_500, uncertainty: 501 }]);
});

it('server time is never off by more than its uncertainty, whatever the ways there and back', () => {
  const way = fc.nat(120_000);
  const skew = fc.integer({ min: -DAY_MS + 240_000, max: DAY_MS - 240_000 });
  const form = fc.constantFrom('iso', 'iso in seconds', 'date');
  const check = (skewMs: number, there: number, back: number, later: number, ms: number, how: string) => {
    const { machine, server } = clocks();
    machine.setWall(ms);
    const sent = server.reading();
    machine.run(there);
    const stamped = new Date(machine.now() + skewMs);
    const iso = stamped.toISOString();
    const timestamp = how === 'iso' ? iso : iso.replace(/\.\d{3}Z$/, '+00:00');
    const reply = how === 'date' ? { headers: { date: stamped.toUTCString() } } : { timestamp, headers: {} };
    const stated = statedTimeOf(reply, START);
    machine.run(back);
    if (stated === undefined) throw new Error('No time was stated');
    server.observe(stated, sent);
    machine.run(later);
    const off = Math.abs(machine.now() + skewMs - (server.time() ?? 0));
    expect(off).toBeLessThanOrEqual(server.uncertaintyMs());
  };
  fc.assert(fc.property(skew, way, way, fc.nat(1_000_000), fc.nat(999), form, check));
});
