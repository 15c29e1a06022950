import { expect, test } from 'vitest';
import { bid, freshSandbox, get, lotOf, plus, sandbox } from './caller.js';
import { told } from './story.js';

freshSandbox();

const results = async (query = '') =>
  (await get(sandbox, sandbox.credentials.dealer, '/api/v1/results', query)).json;
const idsOf = (label: string) => sandbox.auctions.get(label).lots.map(({ id }) => id);

// rule: general.3
test('who bid and how much is nobody’s to read, not even one’s own', async () => {
  const lot = lotOf(sandbox, 'live-open');
  const { dealer, platform } = sandbox.credentials;
  await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
  await bid(sandbox, platform, lot.id, {
    amount: plus(lot.startingPrice, 5000),
    bidder_reference: 'cust-77',
  });
  sandbox.actors.rival.bid(lot.id, plus(lot.startingPrice, 10_000));
  sandbox.auctions.close('live-open');
  for (const who of [dealer, platform, sandbox.credentials.aggregator, sandbox.credentials.bank]) {
    const { text, json } = await get(sandbox, who, '/api/v1/results');
    expect(json.data[0].id).toBe(lot.id);
    const secrets = ['D-204', 'D-911', 'D-310', 'cust-77', 'ptn_', 'client_sbx', 'bid', 'amount', 'winner'];
    for (const secret of secrets) expect(text, secret).not.toContain(secret);
    expect(text).not.toContain(plus(lot.startingPrice, 10_000));
  }
});

// rule: event-state.cancelled, catalogue.shown
test('withdrawn, cancelled, unassigned and other banks’ lots are left out', async () => {
  const [gone] = idsOf('over');
  sandbox.auctions.withdraw(gone ?? '');
  sandbox.auctions.cancel('over-closed');
  for (const label of ['unassigned', 'other-bank', 'cancelled']) sandbox.auctions.close(label);
  const found = (await results()).data.map(({ id }: { id: string }) => id);
  expect(found).toEqual(idsOf('over').slice(1));
  sandbox.partners.update(sandbox.credentials.dealer.clientId, { auctions: [] });
  expect(await results()).toEqual({ data: [], current_page: 1, last_page: 1 });
});

// rule: limit.fixed-pages
test.each(['page=0', 'page=x'])('%s is invalid', async (query) => {
  const reply = await get(sandbox, sandbox.credentials.dealer, '/api/v1/results', query);
  expect(told(reply)).toEqual([422, ['page']]);
});
