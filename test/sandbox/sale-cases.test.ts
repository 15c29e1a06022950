import { describe, expect, it } from 'vitest';
import { bid, freshSandbox, get, lotOf, plus, sandbox } from './caller.js';
import { aDay } from './story.js';

freshSandbox();

const sales = async (who = sandbox.credentials.bank) =>
  (await get(sandbox, who, '/api/v1/sale-cases')).json.data;
/** Bids on the first lot of an auction, at its opening plus some rupees. */
const open = (label: string, extra = 0, who = sandbox.credentials.dealer) => {
  const { id, startingPrice } = lotOf(sandbox, label);
  return bid(sandbox, who, id, { amount: plus(startingPrice, extra) });
};

// rule: general.4, page.in-data, state.sale
it('the close of an auction awards every lot to its leading bid, literally', async () => {
  const { dealer, bank } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  const first = await open('live-open');
  const { closesAt } = sandbox.auctions.get('live-open');
  sandbox.clock.advance(closesAt - sandbox.clock.now() - 1);
  expect((await sales()).items).toEqual([]);
  sandbox.clock.advance(60_001);
  const list = await get(sandbox, bank, '/api/v1/sale-cases');
  const sale = {
    id: expect.stringMatching(/^sal_[0-9a-f]{12}$/),
    kind: 'sale',
    state: 'pending_bank_approval',
    resource_version: 1,
    data: {
      ...{ bid_id: first.json.data.bid_id, bidder_reference: null, lot_id: lot.id },
      ...{ amount: lot.startingPrice, currency: 'INR', terms_version: null, acknowledged_at: null },
      ...{ due_at: null, payee_instructions: null, payee_version: null },
    },
    created_at: '2026-03-01T14:00:00.000Z',
    updated_at: '2026-03-01T14:00:00.000Z',
  };
  expect(list.json).toEqual({
    data: { items: [sale], current_page: 1, last_page: 1, total: 1 },
    server_time: '2026-03-01T14:01:00.000Z',
  });
  const detail = await get(sandbox, dealer, `/api/v1/sale-cases/${list.json.data.items[0].id}`);
  expect(detail.json.data).toEqual({ ...sale, data: { ...sale.data, active_offer: null } });
});

describe('with a bid that came before the close and is held up beyond it', () => {
  /** The rival's opening bid, then one of the dealer's that is held for five seconds; the close comes after one. */
  async function held(label: string, extra: number) {
    const lot = lotOf(sandbox, 'live-open');
    sandbox.actors.rival.bid(lot.id, lot.startingPrice);
    sandbox.auctions.moveClose('live-open', sandbox.clock.now() + 1_000);
    sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 5_000 });
    const reply = open(label, extra);
    while (sandbox.attempts().at(-1)?.status !== 'pending') await new Promise(setImmediate);
    sandbox.clock.advance(1_000);
    const meanwhile = (await sales()).total;
    sandbox.clock.advance(4_000);
    const { status } = await reply;
    const { items } = await sales();
    return {
      meanwhile,
      status,
      above: items.map(({ data }: (typeof items)[0]) => data.amount - Number(lot.startingPrice)),
    };
  }

  it.each([
    ['waits for it, and is made to it where it leads', 'live-open', 5_000, 0, 201, 5_000],
    ['waits for it, and is made without it where it is rejected', 'live-open', 0, 0, 422, 0],
    ['does not wait for one in another auction', 'live-closed', 0, 1, 201, 0],
  ] as const)('the award %s', async (_, label, extra, meanwhile, status, above) => {
    expect(await held(label, extra)).toEqual({ meanwhile, status, above: [above] });
  });
});

it('the award is to the highest bid, and there is none of a withdrawn lot or a cancelled auction', async () => {
  const { dealer, platform } = sandbox.credentials;
  const [won, withdrawn] = [lotOf(sandbox, 'live-open', 0), lotOf(sandbox, 'live-open', 1)];
  await open('live-open');
  const raised = plus(won.startingPrice, 5_000);
  await bid(sandbox, platform, won.id, { amount: raised, bidder_reference: 'buyer-1' });
  await bid(sandbox, dealer, withdrawn.id, { amount: withdrawn.startingPrice });
  await open('live-closed');
  sandbox.auctions.withdraw(withdrawn.id);
  sandbox.auctions.cancel('live-closed');
  sandbox.auctions.close('live-open');
  sandbox.clock.advance(aDay);
  expect((await sales()).items).toMatchObject([
    { data: { lot_id: won.id, amount: raised, bidder_reference: 'buyer-1' } },
  ]);
});
