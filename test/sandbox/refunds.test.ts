import { expect, it } from 'vitest';
import { lotOf, onManualClock, plus } from './caller.js';
import { type ActName, paidFor } from './commands.js';
import { plusPaise, type Story, saleAfter, storyOf, told } from './story.js';

/** A sale at 1,000 rupees, with 1,500 on the account, of which nothing is allocated. */
async function funded(variants = {}): Promise<Story> {
  const story = await storyOf(await onManualClock({ variants }), { label: 'live-no-grid' }, 'approve');
  await story.do('import', { amount: '1500.00' });
  return story;
}
const refund = async (story: Story, amount: string) => {
  await story.do('askBack', { amount });
  return String((await story.do('approveRefund')).data.refund_id);
};
const credits = async (story: Story) => {
  const { verified_credits, state } = await story.dues();
  return [verified_credits, state];
};
/** One paisa more than this is refused, of what can be allocated or asked back. */
async function atMost(story: Story, name: 'allocate' | 'askBack', amount: string) {
  const more = plusPaise(amount, 1);
  expect([name, amount, ...told(await story.send(name, { amount: more }))]).toEqual([
    ...[name, amount],
    ...[422, ['amount']],
  ]);
}

// rule: state.refund-request
it('a refund excludes earlier ones and pending requests, and not those that came to nothing', async () => {
  const story = await funded({ 'decision-values': 'rejected-too' });
  await atMost(story, 'askBack', '1500.00');
  const first = await refund(story, '400.00');
  await atMost(story, 'askBack', '1100.00');
  await story.do('askBack', { amount: '100.01' });
  await atMost(story, 'askBack', '999.99');
  story.sandbox.actors.set(first, 'succeeded');
  await atMost(story, 'askBack', '999.99');
  await story.do('rejectRefund');
  await atMost(story, 'askBack', '1100.00');
  const second = await refund(story, '1100.00');
  await atMost(story, 'askBack', '0.00');
  story.sandbox.actors.set(second, 'failed');
  await story.do('askBack', { amount: '1100.00' });
});

// rule: state.refund-request, state.refund
it('an approval makes a refund that is to be carried out', async () => {
  const story = await funded();
  const id = await refund(story, '200.50');
  expect(story.newest('refund')).toMatchObject({
    id,
    state: 'approved_pending_execution',
    resource_version: 1,
    data: {
      request_id: story.newest('refund_request').id,
      payment_id: story.newest('payment').id,
      amount_paise: 20_050,
      currency: 'INR',
      execution: 'pending',
    },
  });
  await atMost(story, 'allocate', '1299.50');
});

// rule: state.refund
it.each<[('processing' | 'succeeded' | 'failed')[], string]>([
  [['processing', 'succeeded'], 'done'],
  [['succeeded'], 'done'],
  [['processing'], 'processing'],
  [['processing', 'failed'], 'failed'],
  [['failed'], 'failed'],
])('a refund is moved to %j', async (moves, execution) => {
  const story = await funded();
  const id = await refund(story, '500.00');
  for (const [index, to] of moves.entries()) {
    story.sandbox.clock.advance(1_000);
    const moved = story.sandbox.actors.set(id, to);
    expect(await story.read(`refunds/${id}`, story.sold.who)).toEqual(moved);
    expect(moved).toMatchObject({ state: to, resource_version: index + 2, updated_at: story.in(0) });
    expect((await story.news(story.sold.who)).at(-1)).toBe(`refund.${to}`);
  }
  expect(story.newest('refund').data['execution']).toBe(execution);
  await atMost(story, 'allocate', execution === 'failed' ? '1500.00' : '1000.00');
});

// rule: state.refund
it('no refund is moved that is at its end, nor back, nor one that is not there', async () => {
  const story = await funded();
  const id = await refund(story, '500.00');
  story.sandbox.actors.set(id, 'processing');
  expect(() => story.sandbox.actors.set(id, 'processing')).toThrow(RangeError);
  const ended = story.sandbox.actors.set(id, 'succeeded');
  for (const to of ['processing', 'succeeded', 'failed']) {
    expect(() => story.sandbox.actors.set(id, to)).toThrow(RangeError);
  }
  expect(() => story.sandbox.actors.set('rfd_none', 'failed')).toThrow(RangeError);
  expect(story.newest('refund')).toEqual(ended);
});

// rule: state.refund-request
it('a sale loses its credit with the approval, not before, and has it again where the refund fails', async () => {
  const story = await saleAfter(...paidFor);
  const { amount } = story.sold;
  const { resource_version } = story.newest('sale');
  await story.do('askBack', { amount: '100.00' });
  expect([await credits(story), story.newest('sale').resource_version]).toEqual([
    [amount, 'paid'],
    resource_version,
  ]);
  const { data } = await story.do('approveRefund');
  expect(await credits(story)).toEqual([plusPaise(amount, -10_000), 'partially_paid']);
  story.sandbox.actors.set(data.refund_id, 'failed');
  expect(await credits(story)).toEqual([amount, 'paid']);
  expect(story.newest('sale').resource_version).toBe(resource_version + 2);
  expect((await story.news(story.sold.who)).slice(-4)).toEqual([
    ...['refund.approved', 'sale.payment_status_changed'],
    ...['refund.failed', 'sale.payment_status_changed'],
  ]);
});

it('a refund is taken from free money and cancelled sales first, then from the latest allocation', async () => {
  const first = await saleAfter(...paidFor);
  const { sandbox } = first;
  sandbox.partners.update(sandbox.credentials.dealer.clientId, { buyerLimit: '99999999.00' });
  const legacy = sandbox.auctions.get('live-legacy');
  const opening = plus(lotOf(sandbox, 'live-legacy').startingPrice, Number(legacy.increment));
  const second = await first.another({ label: 'live-closed' }, 'approve');
  const third = await first.another({ label: 'live-legacy', amount: opening }, 'approve');
  await first.do('import', { amount: '1000.00' });
  for (const { sold } of [second, first, third]) {
    await first.do('allocate', { sale_id: sold.saleId, amount: '300.00' });
  }
  await second.go('cancelSale', 'approveCancellation');
  const all = async () => Promise.all([second, first, third].map(async (each) => (await credits(each))[0]));
  const full = plus(first.sold.amount, 300);
  expect(await all()).toEqual(['300.00', full, '300.00']);
  // The cancellation asked for its 300 itself: 100 are free, and 200 are the latest.
  await refund(first, '300.00');
  expect(await all()).toEqual(['300.00', full, '100.00']);
  await refund(first, '150.00');
  expect(await all()).toEqual(['300.00', plus(full, -50), '0.00']);
});

it('money of a delivered vehicle stays, but for the excess', async () => {
  const story = await saleAfter(...paidFor, 'release', 'collect');
  await story.do('import', { amount: '100.00' });
  await story.do('allocate', { amount: '60.00' });
  const [first] = story.all('payment');
  await story.do('askBack', { amount: '100.00' });
  const more = { amount: '0.01', expected_version: first?.resource_version };
  const got = await story.sendTo(`payments/${first?.id}/refund-requests`, 'askBack', more);
  expect(told(got)).toEqual([422, ['amount']]);
});

// rule: state.allocation
it('what is asked back can be allocated until the bank decides, and what is refunded can not', async () => {
  const story = await funded();
  await story.do('askBack', { amount: '600.00' });
  await atMost(story, 'allocate', '1500.00');
  await story.do('allocate', { amount: '1200.00' });
  const { data } = await story.do('approveRefund');
  // 300 were free, and 300 of the credits follow the refund.
  await atMost(story, 'allocate', '0.00');
  expect((await credits(story))[0]).toBe('900.00');
  story.sandbox.actors.set(data.refund_id, 'failed');
  await atMost(story, 'allocate', '300.00');
  expect((await credits(story))[0]).toBe('1200.00');
});

// rule: state.release
it('money that went back is paid again before the vehicle leaves', async () => {
  const story = await saleAfter(...paidFor, 'release');
  await refund(story, '0.01');
  expect((await story.send('collect')).status).toBe(409);
  await story.do('import', { amount: '0.01' });
  await story.do('allocate', { amount: '0.01' });
  await story.do('collect');
});

// rule: state.allocation
it('of a request and an allocation of the same money at once, one holds', async () => {
  const story = await funded();
  const both: ActName[] = ['allocate', 'askBack'];
  const replies = await Promise.all(both.map((name) => story.send(name, { amount: '1500.00' })));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
});
