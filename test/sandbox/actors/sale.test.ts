import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { lotOf } from '../caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z' });
});
afterEach(() => sandbox.close());

test('a whole sale, from the bid to the collection', () => {
  const lot = lotOf(sandbox, 'live-open').id;
  sandbox.actors.rival.bidNext(lot);
  sandbox.auctions.close('live-open');
  sandbox.actors.bank.approve(lot);
  sandbox.actors.buyer.acknowledge(lot);
  sandbox.actors.buyer.report(lot);
  sandbox.actors.bank.settle(lot);
  sandbox.actors.bank.release(lot);
  const collected = sandbox.actors.bank.collect(lot);
  expect(collected).toMatchObject({ kind: 'release', state: 'used' });
  expect(sandbox.ledger().map(({ kind, operation }) => [kind, operation])).toEqual([
    ['bid', 'bids.submit'],
    ['sale', 'A22'],
    ['sale', 'A23'],
    ['payment_report', 'A36'],
    ['bank_receipt', 'A42'],
    ['payment_report', 'A38'],
    ['allocation', 'A45'],
    ['release', 'A52'],
    ['release', 'A56'],
  ]);
  expect(sandbox.attempts()).toEqual([]);
});
