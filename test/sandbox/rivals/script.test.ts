import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, type ScriptedBid, startSandbox } from '../../../src/sandbox/index.js';
import { lotOf, plus } from '../caller.js';

const start = Date.parse('2026-03-01T10:00:00Z');
let sandbox: Sandbox;
let lot: string;
let opening: string;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z' });
  ({ id: lot, startingPrice: opening } = lotOf(sandbox, 'live-open'));
});
afterEach(() => sandbox.close());

describe('a script', () => {
  it('bids at its times, by the clock of the sandbox', () => {
    const { log } = sandbox.rival.script([
      { at: '2026-03-01T15:30:05+05:30', lot, amount: 'next' },
      { after: 1_000, lot, amount: opening },
      { after: 1_000, lot: lotOf(sandbox, 'live-closed').id, amount: 'next' },
    ]);
    sandbox.clock.advance(999);
    expect([log, sandbox.ledger()]).toEqual([[], []]);
    sandbox.clock.advance(4_001);
    const committed = sandbox.ledger();
    expect(log).toEqual([
      { at: start + 1_000, lotId: lot, amount: opening, bidId: committed[0]?.bidId, codes: [] },
      {
        at: start + 1_000,
        lotId: lotOf(sandbox, 'live-closed').id,
        amount: lotOf(sandbox, 'live-closed').startingPrice,
        bidId: committed[1]?.bidId,
        codes: [],
      },
      { at: start + 5_000, lotId: lot, amount: plus(opening, 5_000), bidId: committed[2]?.bidId, codes: [] },
    ]);
  });

  it('repeats the next bid, a second apart or as told', () => {
    const { log } = sandbox.rival.script([
      { after: 0, lot, amount: 'next', times: 3 },
      { after: 10_000, lot, amount: 'next', times: 2, every: 60_000 },
    ]);
    sandbox.clock.advance(100_000);
    expect(log.map(({ at, amount }) => [at - start, amount])).toEqual([
      [0, opening],
      [1_000, plus(opening, 5_000)],
      [2_000, plus(opening, 10_000)],
      [10_000, plus(opening, 15_000)],
      [70_000, plus(opening, 20_000)],
    ]);
  });

  it('notes a bid that is not accepted, and goes on', () => {
    const { log } = sandbox.rival.script([
      { after: 1, lot, amount: plus(opening, 1) },
      { after: 2, lot, amount: opening },
      { after: 3, lot, amount: opening },
    ]);
    sandbox.clock.advance(10);
    expect(log.map(({ bidId, codes }) => [bidId === null, codes])).toEqual([
      [true, ['BID_OFF_OPENING_GRID']],
      [false, []],
      [true, ['BID_BELOW_MINIMUM']],
    ]);
    expect(sandbox.ledger()).toHaveLength(1);
  });

  it('is cut short', () => {
    const script = sandbox.rival.script([{ after: 0, lot, amount: 'next', times: 5 }]);
    sandbox.clock.advance(1_000);
    script.cancel();
    script.cancel();
    sandbox.clock.advance(60_000);
    expect(script.log).toHaveLength(2);
    expect(sandbox.ledger()).toHaveLength(2);
  });

  it.each<[string, (lot: string) => object]>([
    ['a lot that there is none', () => ({ after: 1, lot: 'lot_none', amount: 'next' })],
    ['an amount that is none', (id) => ({ after: 1, lot: id, amount: '1,000' })],
    ['a word for an amount', (id) => ({ after: 1, lot: id, amount: 'more' })],
    ['a negative wait', (id) => ({ after: -1, lot: id, amount: 'next' })],
    ['an endless wait', (id) => ({ after: Number.POSITIVE_INFINITY, lot: id, amount: 'next' })],
    ['a moment that has passed', (id) => ({ at: start - 1, lot: id, amount: 'next' })],
    ['a moment without a zone', (id) => ({ at: '2026-03-01T12:00:00', lot: id, amount: 'next' })],
    ['neither a wait nor a moment', (id) => ({ lot: id, amount: 'next' })],
    ['both', (id) => ({ after: 1, at: start + 1, lot: id, amount: 'next' })],
    ['the same amount twice', (id) => ({ after: 1, lot: id, amount: '100000.00', times: 2 })],
    ['no times at all', (id) => ({ after: 1, lot: id, amount: 'next', times: 0 })],
    ['half a time', (id) => ({ after: 1, lot: id, amount: 'next', times: 1.5 })],
    ['too many times', (id) => ({ after: 1, lot: id, amount: 'next', times: 10_001 })],
    ['a negative interval', (id) => ({ after: 1, lot: id, amount: 'next', times: 2, every: -1 })],
  ])('with %s is refused whole', (_, line) => {
    const lines: readonly ScriptedBid[] = [{ after: 1, lot, amount: 'next' }, line(lot) as ScriptedBid];
    expect(() => sandbox.rival.script(lines)).toThrow(RangeError);
    sandbox.clock.advance(60_000);
    expect(sandbox.ledger()).toEqual([]);
  });
});
