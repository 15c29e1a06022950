import { expect, it } from 'vitest';
import type { WireRecord } from '../../src/sandbox/index.js';
import { paidFor } from './commands.js';
import { plusPaise, type Story, saleAfter, told } from './story.js';

const cancelled = ['cancelSale', 'approveCancellation'] as const;
const amounts = (story: Story) => story.all('refund_request').map(({ data }) => data['amount']);
const data = (records: readonly WireRecord[]) => records.map((record) => record.data);

// rule: state.sale-cancellation
it('a cancelled sale takes its release back, asks for what is credited, and keeps what was recorded', async () => {
  const story = await saleAfter(...paidFor, 'release', 'import');
  await story.do('allocate', { amount: '200.00' });
  const before = await story.receipts();
  const { data: sold } = story.newest('sale');
  await story.go(...cancelled);
  expect(story.newest('release')).toMatchObject({
    state: 'revoked',
    resource_version: 2,
    data: { reason: expect.stringMatching(/./) },
  });
  expect(amounts(story)).toEqual([story.sold.amount, '200.00']);
  expect((await story.news(story.sold.who)).slice(-5)).toEqual([
    'release.revoked',
    'vehicle.status_changed',
    'refund.requested',
    'refund.requested',
    'sale.cancellation_approved',
  ]);
  const { payments, allocations } = await story.receipts();
  expect([data(payments), allocations]).toEqual([data(before.payments), before.allocations]);
  expect(story.newest('sale').data).toEqual(sold);
});

it('a cancelled sale does not ask again for what is asked back or refunded', async () => {
  const story = await saleAfter(...paidFor);
  await story.do('askBack', { amount: '1000.00' });
  await story.do('approveRefund');
  await story.do('askBack', { amount: '500.00' });
  await story.go(...cancelled);
  expect(amounts(story)).toEqual(['1000.00', '500.00', plusPaise(story.sold.amount, -150_000)]);
});

it('a cancelled sale owes nothing, and its lot offers nothing', async () => {
  const story = await saleAfter(...paidFor, ...cancelled);
  const { amount } = story.sold;
  const owed = { due_amount: '0.00', remaining: '0.00', state: 'cancelled' };
  expect(await story.dues()).toMatchObject({ ...owed, verified_credits: amount, excess: amount });
  const { sale, payment, release, inventory_state, allowed_actions } = await story.lotStatus();
  expect([sale.state, release, inventory_state]).toEqual(['cancelled', null, 'published']);
  expect(allowed_actions).toEqual([]);
  expect(payment).toMatchObject(owed);
});

it('money that arrives for a cancelled sale can be asked back, and what it had frees none for another', async () => {
  const story = await saleAfter(...paidFor, ...cancelled);
  const other = await story.another({ label: 'live-closed' }, 'approve');
  const credited = { sale_id: other.sold.saleId, amount: '0.01' };
  expect(told(await story.send('allocate', credited))).toEqual([422, ['amount']]);
  await story.do('import', { amount: '77.00' });
  await story.do('askBack', { amount: '77.00' });
});

// rule: state.sale-cancellation
it('while a cancellation is asked for, money that came for the sale pays for no other one either', async () => {
  const story = await saleAfter('approve', 'import', 'cancelSale');
  const other = await story.another({ label: 'live-closed' }, 'approve');
  const credited = { sale_id: other.sold.saleId, amount: '10.00' };
  expect((await story.send('allocate', credited)).status).toBe(409);
  await story.go('approveCancellation');
  await story.do('allocate', credited);
});

it('while a cancellation is asked for, the lot offers no report of a payment', async () => {
  const story = await saleAfter('approve');
  expect((await story.lotStatus()).allowed_actions).toEqual(['acknowledge', 'report_payment']);
  await story.do('cancelSale');
  expect((await story.lotStatus()).allowed_actions).toEqual(['acknowledge']);
});
