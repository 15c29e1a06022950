import { describe, expect, it } from 'vitest';
import type { BulkResult } from '../../../src/bidding/bulk/result.js';
import { resultsLine } from '../../../src/bidding/bulk/results-csv.js';
import type { BulkRow } from '../../../src/bidding/bulk/row.js';
import { acceptance } from '../../support/bid-replies.js';
import { Scene } from '../../support/bidders.js';
import { desk, row } from './desk.js';

const told = (results: readonly BulkResult<BulkRow>[]) =>
  [...results]
    .sort((one, other) => one.position - other.position)
    .map(({ rowId, status }) => [rowId, status]);

/** A row one field of which throws when it is read. */
function broken(field: string, good: BulkRow): BulkRow {
  const thrower = () => {
    throw new Error('the record is gone');
  };
  return Object.defineProperty({ ...good }, field, { get: thrower, enumerable: true });
}

describe('a row is bid as it was read', () => {
  it('whose lot and event are filled anew for the next row', async () => {
    const at = desk();
    const lot = { id: '', starting_price: '', ends_at: '' };
    const event = { bid_increment: '', ends_at: '', bid_type: 'open' };
    function* rows(): Generator<BulkRow> {
      for (const number of [1, 2]) {
        lot.id = `lot_${number}`;
        lot.starting_price = `${number}00`;
        lot.ends_at = `2026-03-02T0${6 + number}:00:00Z`;
        event.bid_increment = `${number}0`;
        event.ends_at = lot.ends_at;
        yield row(`r${number}`, '', '500', { lot, event });
      }
      lot.id = 'lot_9';
      event.bid_increment = '7';
    }
    await at.end(at.placeAll(rows()));
    expect(at.placings.map(({ rowId, bid: { lot: one, event: its } }) => [rowId, one, its])).toMatchObject(
      [1, 2].map((number) => {
        const ends_at = `2026-03-02T0${6 + number}:00:00Z`;
        return [
          `r${number}`,
          { id: `lot_${number}`, starting_price: `${number}00`, ends_at },
          { bid_increment: `${number}0`, ends_at },
        ];
      }),
    );
  });

  it('whose records are objects of a class', async () => {
    class Lot {
      readonly starting_price = '100';
      get id() {
        return 'lot_1';
      }
    }
    const at = desk();
    await at.end(at.placeAll([row('r1', '', '100', { lot: new Lot() })]));
    expect(at.placings[0]?.bid.lot).toMatchObject({ id: 'lot_1', starting_price: '100' });
  });

  it('whose lot is another one by the time it is placed: what leaves is what was checked', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance(), acceptance()]);
    const lot = { id: 'lot_a', starting_price: '100' };
    const rows = [{ rowId: 'r1', lot, amount: '100' }];
    const closes = async () => {
      lot.id = 'lot_z';
      return new Map();
    };
    const run = client.bidding.placeAll(rows, { batchId: 'b', closes });
    await scene.during(run.summary);
    expect(transport.lines).toEqual(['POST /lots/lot_a/bids']);
    // The row itself stays the caller's.
    expect(await run.toArray()).toMatchObject([{ status: 'accepted', row: { lot: { id: 'lot_z' } } }]);
    const meant = [{ rowId: 'r1', lot: { id: 'lot_a', starting_price: '100' }, amount: '100' }];
    const again = client.bidding.placeAll(meant, { batchId: 'b', closes: 'as_given' });
    await scene.during(again.summary);
    expect([(await again.toArray())[0]?.status, transport.lines.length]).toEqual(['accepted', 1]);
  });

  it('whose moments change afterwards', async () => {
    const at = desk();
    const placeBy = new Date(at.start + 60_000);
    const run = at.placeAll([row('r1', 'lot_1', '1', { placeBy })], {
      closes: async () => {
        placeBy.setTime(0);
        return new Map();
      },
    });
    await at.end(run);
    expect(at.placings[0]?.bid.placeBy).toBe(at.start + 60_000);
  });
});

describe('a row that throws when it is read', () => {
  const good = row('r2', 'lot_2', '200');

  it.each([
    'lot',
    'event',
    'amount',
    'bidderReference',
    'dealerId',
    'clientBidTime',
    'placeBy',
    'closesAt',
    'earlierResult',
  ])('is wrong, and says where: %s', async (field) => {
    const at = desk();
    const rows = [row('r1', 'lot_1', '100'), broken(field, good), row('r3', 'lot_3', '300')];
    const { results, summary } = await at.end(at.placeAll(rows, { onInvalid: 'report' }));
    expect(told(results)).toEqual([
      ['r1', 'accepted'],
      ['r2', 'invalid'],
      ['r3', 'accepted'],
    ]);
    const wrong = results.find(({ rowId }) => rowId === 'r2');
    expect(wrong?.issues).toEqual([{ path: field, message: 'could not be read: the record is gone' }]);
    expect(wrong?.row === rows[1]).toBe(true);
    expect(summary.stopped).toBeUndefined();
  });

  it.each(['rowId', 'line'])('is wrong where not even its name can be read: %s', async (field) => {
    const at = desk();
    const rows = [row('r1', 'lot_1', '100'), broken(field, good)];
    const { results } = await at.end(at.placeAll(rows, { onInvalid: 'report' }));
    expect(results.find(({ position }) => position === 2)).toMatchObject({
      status: 'invalid',
      issues: [{ path: field }],
    });
  });

  it.each<[field: string, thing: object]>([
    ['lot', { lot: broken('id', good) }],
    ['event', { event: broken('ends_at', good) }],
    ['placeBy', { placeBy: new Proxy(new Date(), {}) }],
    ['issues', { amount: undefined, issues: 7 }],
  ])('is wrong where it is deep inside: %s', async (field, thing) => {
    const at = desk();
    const bad: BulkRow = { ...good, ...thing };
    if (field === 'issues') Reflect.deleteProperty(bad, 'amount');
    const { results, summary } = await at.end(at.placeAll([good, bad], { onInvalid: 'report' }));
    expect(results.find(({ position }) => position === 2)).toMatchObject({
      status: 'invalid',
      issues: [{ path: field, message: expect.stringContaining('could not be read') }],
    });
    expect(summary.counts).toMatchObject({ accepted: 1, invalid: 1 });
  });

  it('keeps a whole batch from beginning, as any wrong row does', async () => {
    const at = desk();
    const rows = [row('r1', 'lot_1', '100'), broken('amount', good)];
    const { results, summary } = await at.end(at.placeAll(rows));
    expect(told(results)).toEqual([
      ['r1', 'not_sent'],
      ['r2', 'invalid'],
    ]);
    expect(summary.stopped?.by).toBe('invalid_rows');
  });

  it('leaves its cells empty in a result file', async () => {
    const at = desk();
    const { results } = await at.end(
      at.placeAll([broken('amount', good), broken('lot', row('r1', '', '5'))], { onInvalid: 'report' }),
    );
    expect(results.map(resultsLine)).toEqual([
      expect.stringMatching(/^r2,lot_2,,buyer-1,/),
      expect.stringMatching(/^r1,,5,buyer-1,/),
    ]);
  });

  it('may carry a result of a run before that is none', async () => {
    const at = desk();
    const rows = [{ status: 'accepted' }, null, {}].map((earlierResult, index) =>
      Object.assign(row(`r${index}`, `lot_${index}`, '1'), { earlierResult }),
    );
    const { results, summary } = await at.end(at.placeAll<BulkRow>(rows, { onInvalid: 'report' }));
    expect(told(results)).toEqual([
      ['r0', 'invalid'],
      ['r1', 'accepted'],
      ['r2', 'accepted'],
    ]);
    expect(summary.stopped).toBeUndefined();
  });
});
