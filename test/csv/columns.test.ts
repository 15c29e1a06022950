import { describe, expect, it } from 'vitest';
import { readBids } from '../../src/csv/index.js';
import { rejection } from '../support/clients.js';

const columns = { rowId: 'Ref No.', lot: 'Vehicle', amount: 'Bid (INR)', bidderReference: 'Buyer' };
const rowsOf = async (text: string, options: Parameters<typeof readBids>[1] = { columns }) => {
  const rows = [];
  for await (const row of readBids([text], options)) rows.push(row);
  return rows;
};

describe('columns that have names of their own', () => {
  it.each([',', ';', '\t'])('are found in any case and order, between "%s"', async (separator) => {
    const lines = [
      ['BID (INR)', 'vehicle', ' Buyer ', 'ref no.', 'place_by'],
      ['465000', 'lot_1', 'buyer-9', 'r1', '2026-03-01T10:00:00Z'],
    ];
    const text = lines.map((cells) => cells.join(separator)).join('\n');
    const [row] = await rowsOf(text);
    expect(row).toEqual({
      line: 2,
      rowId: 'r1',
      lot: 'lot_1',
      amount: '465000',
      bidderReference: 'buyer-9',
      placeBy: '2026-03-01T10:00:00Z',
    });
  });

  it('are quoted as they are written where a value is wrong or missing', async () => {
    const text = 'Ref No.,Vehicle,Bid (INR)\nr1,lot_1,"4,65,000"\nr2,,5\n';
    const [wrong, missing] = await rowsOf(text);
    expect(wrong).toMatchObject({
      issues: [{ path: 'Bid (INR)', message: expect.stringContaining('like 465000') }],
    });
    expect(missing).toMatchObject({ issues: [{ path: 'Vehicle', message: 'is missing' }] });
  });

  it('are named where they are missing, and the standard name does not stand for them', async () => {
    const error = await rejection(rowsOf('Ref No.,Vehicle,amount\nr1,lot_1,5\n'));
    const message = expect.stringMatching(
      /named "amount", which is unknown.*column "bid \(inr\)" is missing/,
    );
    expect(error).toMatchObject({ name: 'InvalidRequestError', message });
  });

  it.each<[object, RegExp]>([
    [{ price: 'x' }, /columns\.price is not a field; fields: rowId, lot, amount/],
    [{ amount: ' ' }, /columns\.amount must be the name of a column/],
    [{ amount: 'x', lot: 'X' }, /names the same column/],
  ])('are refused where they can not be: %j', (wrong, message) => {
    expect(() => readBids([''], { columns: wrong })).toThrow(message);
  });
});
