import { expect, it, onTestFinished } from 'vitest';
import { bid, get, onManualClock } from './caller.js';
import { type ActName, paidFor } from './commands.js';
import { saleAfter, told } from './story.js';
import { command, done } from './workflow.js';

/*
 * Reads of the workflow: who may, and what they see of a record that a command gave. What else is in a reply is with its
 * feature.
 */

type Read = readonly [id: string, path: string, kind: string, names: readonly ActName[]];
const reads: readonly Read[] = [
  ['A21', 'sale-cases/{id}', 'sale', []],
  ['A34', 'sale-cases/{id}/payment-dues', 'sale', ['approve']],
  ['A37', 'payment-reports/{id}', 'payment_report', ['approve', 'report']],
  ['A40', 'payments/{id}', 'payment', ['approve', 'import']],
  ['A46', 'sale-cases/{id}/receipts', 'sale', ['approve', 'import']],
  ['A49', 'refunds/{id}', 'refund', [...paidFor, 'askBack', 'approveRefund']],
  ['A51', 'disputes/{id}', 'dispute', ['dispute']],
  ['A53', 'release-authorizations/{id}', 'release', [...paidFor, 'release']],
  ['A58', 'sale-cases/{id}/transfer-status', 'sale', ['approve', 'transfer']],
  ['A73', 'documents/{id}', 'document', ['upload']],
];

// rule: general.4, general.5, code.not-found, state.payment
it.each(reads)(
  '%s is read by the bank and the partner whose record it is; others are told what is told of none',
  async (_, path, kind, names) => {
    const story = await saleAfter(...names);
    const { sandbox, sold } = story;
    const { bank, rival, platform, otherBank } = sandbox.credentials;
    const { id, ...record } = story.newest(kind);
    const read = (who = bank, of = id) => get(sandbox, who, `/api/v1/${path.replace('{id}', of)}`);
    const [seen, own] = [await read(), await read(sold.who)];
    expect(own.json).toEqual(seen.json);
    expect([seen.status, Object.keys(seen.json)]).toEqual([200, ['data', 'server_time']]);
    if (path.endsWith('}')) {
      expect(seen.json.data).toMatchObject({ id, ...record });
      expect(Object.keys(seen.json.data)).toEqual(['id', ...Object.keys(record)]);
    }
    const none = await read(bank, 'none');
    expect(told(none)).toEqual([404, ['message']]);
    for (const who of [rival, platform, otherBank]) {
      const hidden = await read(who);
      expect([hidden.status, hidden.json]).toEqual([404, none.json]);
    }
  },
);

// rule: general.5, code.not-found
it('every list has what is the caller’s own, and nothing for others', async () => {
  const story = await saleAfter('cancelBid', 'approve');
  const { bank, rival, platform, otherBank } = story.sandbox.credentials;
  for (const path of ['bid-cancellation-requests', 'sale-cases', 'notifications', 'bids', 'winner-updates']) {
    const listed = async (who: typeof bank) => {
      const data = await story.read(path, who);
      return [path, who.clientId, (data.items ?? data).length > 0];
    };
    for (const who of [bank, story.sold.who]) expect(await listed(who)).toEqual([path, who.clientId, true]);
    for (const who of [rival, platform, otherBank]) {
      expect(await listed(who)).toEqual([path, who.clientId, false]);
    }
  }
});

// rule: limit.fixed-pages, page.in-data, page.inbox
it('lists come in pages of 25, newest first', async () => {
  const sandbox = await onManualClock();
  onTestFinished(() => sandbox.close());
  const { dealer, bank } = sandbox.credentials;
  const lots = sandbox.auctions.get('live-open').lots.slice(0, 26);
  for (const { id, startingPrice } of lots) {
    const { json } = await bid(sandbox, dealer, id, { amount: startingPrice });
    const path = `/api/v1/bids/${json.data.bid_id}/cancellation-requests`;
    await done(command(sandbox, dealer, path, { reason_code: 'R' }));
  }
  sandbox.auctions.close('live-open');
  for (const [path, kind, lotOf] of [
    ['bid-cancellation-requests', 'cancellation', ({ bid_id }) => bid_id],
    ['sale-cases', 'sale', ({ lot_id }) => lot_id],
  ] satisfies [string, string, (data: Record<string, unknown>) => unknown][]) {
    const page = async (query: string) => (await get(sandbox, bank, `/api/v1/${path}`, query)).json.data;
    const [one, two] = [await page(''), await page('page=2')];
    expect(one).toMatchObject({ current_page: 1, last_page: 2, total: 26 });
    expect(two).toMatchObject({ current_page: 2, last_page: 2, total: 26 });
    expect(one.items).toHaveLength(25);
    const newestFirst = sandbox.records(kind).reverse();
    const listed = [...one.items, ...two.items].map(({ data }) => lotOf(data));
    expect(listed).toEqual(newestFirst.map(({ data }) => lotOf(data)));
  }
  const inbox = async (query: string) => (await get(sandbox, dealer, '/api/v1/notifications', query)).json;
  const [one, two] = [await inbox(''), await inbox('page=2')];
  expect(Object.keys(one)).toEqual(['data', 'current_page', 'last_page', 'total']);
  expect([one.data.length, one.last_page, one.total, two.data.length]).toEqual([25, 2, 26, 1]);
  expect(two.data[0].subject).toContain(sandbox.records('cancellation')[0]?.data['bid_id']);
});
