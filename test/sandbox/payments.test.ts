import { expect, it } from 'vitest';
import { get, onManualClock } from './caller.js';
import type { ActName } from './commands.js';
import { plusPaise, type Story, saleAfter, saleAfterIn, storyOf, told } from './story.js';

const credits = async (story: Story) => (await story.dues()).verified_credits;

// rule: state.allocation
it('never more is credited than the payment has left, to the paisa', async () => {
  const story = await saleAfter('approve');
  await story.do('import', { amount: '1000.00' });
  for (const [amount, status, credited] of [
    ['1000.01', 422, '0.00'],
    ['999.98', 200, '999.98'],
    ['0.03', 422, '999.98'],
    ['0.01', 200, '999.99'],
    ['0.02', 422, '999.99'],
    ['0.01', 200, '1000.00'],
    ['0.01', 422, '1000.00'],
  ] as const) {
    const got = await story.send('allocate', { amount });
    expect([amount, got.status, await credits(story)]).toEqual([amount, status, credited]);
    if (status === 422) expect(told(got)).toEqual([422, ['amount']]);
  }
});

it("a payment is split over the buyer's sales", async () => {
  const story = await saleAfter('approve', 'import');
  const other = await story.another({ label: 'live-closed' }, 'approve');
  await story.do('allocate', { amount: '400.00' });
  const sale = story.newest('sale');
  await story.do('allocate', { amount: '600.00', sale_id: other.sold.saleId });
  expect([await credits(story), await credits(other)]).toEqual(['400.00', '600.00']);
  expect(story.newest('sale')).toEqual(sale);
  const { payments, allocations } = await other.receipts();
  expect(payments).toEqual([story.newest('payment')]);
  expect(allocations).toMatchObject([{ data: { amount: '600.00' } }]);
});

it.each([
  ['another buyer of the platform', { who: 'platform', bidder_reference: 'B' }, 422],
  ['another partner', { who: 'rival' }, 422],
  ['the same buyer', { who: 'platform', bidder_reference: 'A' }, 200],
] as const)('a payment for a sale of %s is answered %3$s', async (_, { who, ...buyer }, status) => {
  const story = await saleAfter();
  const { credentials } = story.sandbox;
  const from = { who: credentials.platform, label: 'live-closed', bidder_reference: 'A' };
  const paying = await story.another(from, 'approve', 'import');
  const other = await story.another({ who: credentials[who], label: 'live-no-grid', ...buyer }, 'approve');
  const got = await paying.send('allocate', { sale_id: other.sold.saleId, amount: '1.00' });
  expect(got.status).toBe(status);
  if (status === 422) expect(told(got)).toEqual([422, ['sale_id']]);
  expect(await credits(other)).toBe(status === 200 ? '1.00' : '0.00');
});

// rule: state.bank-receipt
it('an entry that is there already is answered with its receipt under any key, and is no second commit', async () => {
  const story = await saleAfter('approve');
  const evidence_id = await story.evidence();
  const entry = { ...story.body('import'), evidence_id, amount: '1000.50' };
  const first = await story.do('import', entry);
  const before = await story.everything();
  story.sandbox.clock.advance(60_000);
  const again = { ...entry, amount: '1000.5', idempotency_key: '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f' };
  for (const replayed of [null, 'true']) {
    const got = await story.send('import', again);
    expect([got.status, got.headers.get('idempotent-replayed')]).toEqual([200, replayed]);
    expect(got.json.data).toEqual(first);
  }
  expect(told(await story.send('import', { ...again, amount: '1.00' }))).toEqual([
    409,
    'IDEMPOTENCY_CONFLICT',
  ]);
  expect(await story.everything()).toEqual(before);
});

it('an entry with the ids of another one is refused where anything differs', async () => {
  const story = await saleAfter('approve');
  const evidence_id = await story.evidence();
  const other = await story.another({ label: 'live-closed' }, 'approve');
  const entry = { ...story.body('import'), amount: '1000.00' };
  await story.do('import', entry);
  const before = await story.everything();
  for (const change of [
    { amount: '1000.01' },
    { value_date: '2026-02-28' },
    { utr: 'U-2' },
    { external_transaction_id: 'E-2' },
    { sale_id: other.sold.saleId },
    { evidence_id },
  ]) {
    expect(told(await story.send('import', { ...entry, ...change }))).toEqual([409, ['message']]);
  }
  expect(await story.everything()).toEqual(before);
});

// rule: state.bank-receipt, state.payment
it.each([
  ['of the same amount, with ids of its own', { utr: 'U-2', external_transaction_id: 'E-2' }],
  ['of another account, with the same ids', { bank_account_reference: 'COLLECTION-8' }],
])('an entry %s is another one, and brings a payment of its own', async (_, change) => {
  const story = await saleAfter('approve');
  const entry = story.body('import');
  await story.do('import', entry);
  const { data } = await story.do('import', { ...entry, ...change });
  expect((await story.receipts()).payments).toHaveLength(2);
  const { sale_id, amount, currency } = data;
  expect(story.newest('payment').data).toEqual({
    ...{ sale_id, amount, currency },
    settlement_state: 'bank_received',
  });
});

it('a transfer is reported once for a sale, and again once the bank rejected it', async () => {
  const story = await saleAfterIn({ variants: { 'decision-values': 'rejected-too' } }, 'approve');
  const other = await story.another({ label: 'live-closed' }, 'approve');
  const twice = { ...story.body('report'), utr: 'U-1' };
  await story.do('report', twice);
  const same = { ...twice, amount: '1.00', paid_at: '2026-02-28T10:00:00Z' };
  expect(told(await story.send('report', same))).toEqual([409, ['message']]);
  await other.do('report', { utr: 'U-1' });
  await story.do('report', { utr: 'U-2' });
  const { id } = story.sandbox.records('payment_report')[0] ?? story.newest('payment_report');
  await story.sendTo(`payment-reports/${id}/decisions`, 'rejectReport');
  await story.do('report', same);
});

it('a payment may be reported by a clock that is 300 seconds ahead', async () => {
  const story = await saleAfter('approve');
  await story.do('report', { paid_at: '2026-03-01T15:35:00+05:30' });
});

// rule: state.payment-report
it.each([
  ['spells the amount in another way', (amount: string) => amount, {}, true],
  ['names the transfer as the bank does', () => '1.00', { utr: 'S-1' }, true],
  ['reported another amount than arrived', (amount: string) => plusPaise(amount, -1), {}, true],
  ['shows another transfer', () => '1.00', { utr: 'U-9' }, false],
])('a report that %s is verified: %4$s', async (_, received, change, isVerified) => {
  const story = await saleAfter('approve');
  await story.do('report', { utr: 'U-1', ...change });
  const amount = received(story.sold.amount);
  await story.do('import', { utr: 'U-1', external_transaction_id: 'S-1', amount });
  const received_amount = amount.replace(/\.00$/, '');
  const got = await story.send('verify', { received_amount });
  if (isVerified)
    expect(got.json.data).toMatchObject({ state: 'verified', data: { received_amount: amount } });
  else expect(told(got)).toEqual([422, ['bank_receipt_id']]);
});

it('a receipt verifies one report, and no report of another sale', async () => {
  const story = await saleAfter('approve', 'report', 'import', 'verify');
  await story.do('report', { utr: story.newest('bank_receipt').data['external_transaction_id'] });
  expect(told(await story.send('verify'))).toEqual([422, ['bank_receipt_id']]);
  const { id } = story.newest('bank_receipt');
  const other = await story.another({ label: 'live-closed' }, 'approve', 'report', 'import');
  const unknown = await other.send('verify', { bank_receipt_id: 'rcp_none' });
  const foreign = await other.send('verify', { bank_receipt_id: id });
  expect([foreign.status, foreign.text]).toEqual([422, unknown.text]);
});

/** A sale at any amount: without a grid. */
async function dueOf(amount: string, ...names: readonly ActName[]): Promise<Story> {
  const sandbox = await onManualClock();
  const { clientId } = sandbox.credentials.dealer;
  sandbox.partners.update(clientId, { buyerLimit: '999999999999.99' });
  return storyOf(sandbox, { label: 'live-no-grid', amount }, ...names);
}

it('what is due reads literally, to bank and buyer alike', async () => {
  const story = await dueOf('2500000.01', 'approve');
  const path = `/api/v1/sale-cases/${story.sold.saleId}/payment-dues`;
  for (const who of [story.sold.who, story.sandbox.credentials.bank]) {
    expect((await get(story.sandbox, who, path)).json).toEqual({
      data: {
        ...{ sale_id: story.sold.saleId, currency: 'INR', state: 'unpaid', resource_version: 2 },
        ...{ due_amount: '2500000.01', verified_credits: '0.00', remaining: '2500000.01', excess: '0.00' },
        ...{ due_at: '2026-03-08T10:00:00.000Z', payee_version: 1 },
        payee_instructions: 'NEFT to 000111222333, IFSC EXMP0000001',
      },
      server_time: '2026-03-01T10:00:00.000Z',
    });
  }
});

// rule: notification.inbox
it('what is due counts allocated money only, paisa by paisa, and its state is told when it moves', async () => {
  const story = await dueOf('2500000.01', 'approve', 'report');
  await story.do('import', { amount: '2500000.02' });
  const before = (await story.news()).length;
  for (const [amount, ...expected] of [
    ['0.01', 3, '0.01', '2500000.00', '0.00', 'partially_paid'],
    ['2499999.99', 4, '2500000.00', '0.01', '0.00', 'partially_paid'],
    ['0.01', 5, '2500000.01', '0.00', '0.00', 'paid'],
    ['0.01', 6, '2500000.02', '0.00', '0.01', 'paid'],
  ] as const) {
    await story.do('allocate', { amount });
    const { resource_version, verified_credits, remaining, excess, state } = await story.dues();
    expect([resource_version, verified_credits, remaining, excess, state]).toEqual(expected);
    expect(story.newest('sale').resource_version).toBe(resource_version);
  }
  const [allocated, moved] = ['payment.allocated', 'sale.payment_status_changed'];
  for (const who of [story.sandbox.credentials.bank, story.sold.who]) {
    expect((await story.news(who)).slice(before)).toEqual([
      ...[allocated, moved],
      ...[allocated],
      ...[allocated, moved],
      ...[allocated],
    ]);
  }
});

// rule: general.3
it.each(['pending', 'rejected'])('nothing is due for a sale that is %s', async (state) => {
  const story = await saleAfterIn(
    { variants: { 'decision-values': 'rejected-too' } },
    ...(state === 'rejected' ? (['reject'] as const) : []),
  );
  const path = `/api/v1/sale-cases/${story.sold.saleId}/payment-dues`;
  for (const who of [story.sold.who, story.sandbox.credentials.bank]) {
    expect(told(await get(story.sandbox, who, path))).toEqual([404, ['message']]);
  }
});

it('receipts list the records of the sale as they are read one by one, oldest first', async () => {
  const story = await saleAfter();
  const { sale_id, ...empty } = await story.receipts();
  expect([sale_id, empty]).toEqual([story.sold.saleId, { payments: [], documents: [], allocations: [] }]);
  await story.go('approve', 'upload');
  await story.another({ label: 'live-closed' }, 'approve', 'upload', 'import', 'allocate');
  story.sandbox.clock.advance(1_000);
  await story.go('upload', 'import', 'import');
  const made = [
    await story.do('allocate', { amount: '20.00' }),
    await story.sendTo(`payments/${story.all('payment')[0]?.id}/allocations`, 'allocate', {
      amount: '10.00',
      expected_version: 1,
    }),
  ];
  const shown = await story.receipts();
  expect(shown).toEqual({
    sale_id,
    payments: story.all('payment'),
    documents: story.all('document'),
    allocations: [made[0], made[1].json.data],
  });
  expect(shown.documents.map(({ state }: { state: string }) => state)).toEqual(['ready', 'awaiting_scan']);
  expect(await story.read(`sale-cases/${sale_id}/receipts`, story.sold.who)).toEqual(shown);
});

it('money of 12 digits is kept exactly', async () => {
  const story = await saleAfter('approve');
  await story.do('import', { amount: '999999999999.99' });
  const { data } = await story.do('allocate', { amount: '999999999999.98' });
  expect(data).toMatchObject({ amount: '999999999999.98', amount_paise: 99999999999998 });
  expect((await story.send('allocate', { amount: '0.02' })).status).toBe(422);
  await story.do('allocate', { amount: '0.01' });
  expect(await credits(story)).toBe('999999999999.99');
});

it('a payment credits no sale that is not approved', async () => {
  const story = await saleAfter('approve', 'import');
  const other = await story.another({ label: 'live-closed' });
  const got = await story.send('allocate', { sale_id: other.sold.saleId });
  expect(told(got)).toEqual([409, ['message']]);
});
