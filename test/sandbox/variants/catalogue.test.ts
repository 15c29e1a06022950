import { expect } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { bid, lotOf, plus } from '../caller.js';
import { asked, data, eventLot, provesEach } from './table.js';

const field = (label: string, name: string) => async (sandbox: Sandbox) =>
  (await data(sandbox, `/events/${sandbox.auctions.get(label).id}`))[name];

/** The standing of the dealer's channel: before it bids, when it leads, and once it is outbid. */
async function channel(sandbox: Sandbox) {
  const { dealer } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  const status = async () => (await eventLot(sandbox, 'live-open')).channel_status;
  const seen = [await status()];
  await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
  seen.push(await status());
  sandbox.rival.bid(lot.id, plus(lot.startingPrice, 5_000));
  return [...seen, await status()];
}

/** Types of what `vehicle_details` says, by its standard keys. */
async function details(sandbox: Sandbox) {
  const { vehicle_details } = await eventLot(sandbox, 'live-open');
  const { year, bank_reference, condition } = vehicle_details;
  const summary = await data(sandbox, `/vehicles/${lotOf(sandbox, 'live-open').id}`);
  expect(summary.vehicle_details).toMatchObject({ year, bank_reference, condition });
  return [typeof year, bank_reference === null ? 'null' : typeof bank_reference, typeof condition];
}

const statusesOf = async (sandbox: Sandbox, query: string) => {
  const { status, json } = await asked(sandbox, '/events', query);
  if (status !== 200) return [status, Object.keys(json.errors)];
  return [...new Set(json.data.map((event: { status: string }) => event.status))].sort();
};

const aliases = async (sandbox: Sandbox) => [
  await statusesOf(sandbox, ''),
  await statusesOf(sandbox, 'status=active'),
  await statusesOf(sandbox, 'status=scheduled'),
  await statusesOf(sandbox, 'status=ended'),
];

async function orders(sandbox: Sandbox) {
  const { dealer } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  for (const extra of [0, 5_000]) {
    await bid(sandbox, dealer, lot.id, { amount: plus(lot.startingPrice, extra) });
    sandbox.clock.advance(1_000);
  }
  const rising = (values: readonly number[]) =>
    values.every((value, at) => value >= (values[at - 1] ?? value)) ? 'rising' : 'falling';
  const events = await data(sandbox, '/events', 'status=all');
  const results = await data(sandbox, '/results');
  const bids = await data(sandbox, '/bids');
  return [
    rising(events.map((event: { starts_at: string }) => Date.parse(event.starts_at))),
    rising(results.map((result: { ends_at: string }) => Date.parse(result.ends_at))),
    rising(bids.map((one: { created_at: string }) => Date.parse(`${one.created_at}Z`))),
  ];
}

/** The statuses of the lots on all pages of `/lots`. */
async function listed(sandbox: Sandbox) {
  const seen = new Set<string>();
  const { last_page } = (await asked(sandbox, '/lots')).json;
  for (let page = 1; page <= last_page; page += 1) {
    for (const lot of await data(sandbox, '/lots', `page=${page}`)) seen.add(lot.status);
  }
  return [...seen].sort();
}

const addresses = async (sandbox: Sandbox) => {
  const { images } = await eventLot(sandbox, 'live-open');
  const { pathname, search } = new URL(images[0]);
  return [pathname.replace(/\/(auc|lot)_[0-9a-f]+/g, '/$1').replace(/\d+$/, '1'), search];
};

const revisions = async (sandbox: Sandbox) => {
  const before = await field('live-open', 'revision')(sandbox);
  sandbox.auctions.moveClose('live-open', '2026-03-01T20:00:00Z');
  return [before, await field('live-open', 'revision')(sandbox)];
};

/** A direct dealer that names a buyer: in the event, in a batch, and what it is told of itself. */
const named = async (sandbox: Sandbox) => {
  const { dealer } = sandbox.credentials;
  const lot = lotOf(sandbox, 'live-open');
  await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
  const path = `/events/${sandbox.auctions.get('live-open').id}/lots`;
  const { status, json } = await asked(sandbox, path, 'bidder_reference=B-1');
  return status === 200 ? [status, json.data[0].bidder_status] : [status, Object.keys(json.errors)];
};

const path = (prefix: string) => [`${prefix}/api/v1/events/auc/lots/lot/media/1`, ''];

provesEach('the catalogue', [
  ['distribution-mode-values', 'shown', field('live-open', 'distribution_mode'), 'syndicated'],
  ['distribution-mode-values', 'unfamiliar', field('live-open', 'distribution_mode'), 'unfamiliar_to_all'],
  ['vehicle-details-types', 'usual', details, ['number', 'string', 'string']],
  ['vehicle-details-types', 'mixed', details, ['string', 'null', 'object']],
  ['legacy-auctions', 'unmarked', field('live-legacy', 'legacy'), undefined],
  ['legacy-auctions', 'marked', field('live-legacy', 'legacy'), true],
  ['legacy-auctions', 'marked', field('live-open', 'legacy'), undefined],
  ['channel-status-values', 'no-bid', channel, ['no_bid', 'leading', 'no_bid']],
  ['channel-status-values', 'outbid', channel, ['no_bid', 'leading', 'outbid']],
  ['channel-status-values', 'unfamiliar', channel, ['no_bid', 'leading', 'unfamiliar_to_all']],
  ['list-order', 'usual', orders, ['rising', 'falling', 'falling']],
  ['list-order', 'reversed', orders, ['falling', 'rising', 'rising']],
  ['lots-listed', 'live', listed, ['live']],
  ['lots-listed', 'live-and-upcoming', listed, ['live', 'upcoming']],
  ['event-status-active', 'taken', aliases, [['live'], ['live'], ['upcoming'], ['over']]],
  ['event-status-active', 'refused', aliases, [['live'], [422, ['status']], ['upcoming'], ['over']]],
  [
    'event-status-active',
    'scheduled-until-over',
    aliases,
    [['live'], ['live'], ['live', 'upcoming'], ['over']],
  ],
  ['media-url-forms', 'with-prefix', addresses, path('/index.php')],
  ['media-url-forms', 'without-prefix', addresses, path('')],
  ['event-revision', 'counted', revisions, [1, 2]],
  ['event-revision', 'fixed', revisions, [1, 1]],
  ['buyer-of-a-direct-dealer', 'refused', named, [422, ['bidder_reference']]],
  ['buyer-of-a-direct-dealer', 'ignored', named, [200, 'leading']],
]);
