import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { bid, lotOf, plus } from '../caller.js';
import { evidence } from '../funds.js';
import { command, done, wonLot } from '../workflow.js';
import { asked, data, provesEach } from './table.js';

/** The dealer's bid at the opening of a lot. */
const opening = (sandbox: Sandbox, label: string, key: string = randomUUID()) => {
  const { id, startingPrice } = lotOf(sandbox, label);
  return bid(sandbox, sandbox.credentials.dealer, id, { amount: startingPrice, idempotency_key: key });
};

async function createdAt(sandbox: Sandbox) {
  await opening(sandbox, 'live-open');
  return (await data(sandbox, '/bids'))[0].created_at;
}

/** The names that a receipt has, and whether it is what the bid was answered or what A05 says. */
async function receipt(sandbox: Sandbox) {
  const key = randomUUID();
  const made = (await opening(sandbox, 'live-open', key)).json.data;
  const { receipt, state } = await data(sandbox, `/bid-requests/${key}`);
  expect(state).toBe('accepted');
  if (JSON.stringify(receipt) === JSON.stringify(made)) return 'the reply';
  return JSON.stringify(receipt) === JSON.stringify(await data(sandbox, `/bids/${made.bid_id}`))
    ? 'the bid'
    : receipt;
}

async function neverSent(sandbox: Sandbox) {
  const { status, json } = await asked(sandbox, `/bid-requests/${randomUUID()}`);
  return status === 200 ? json.data.state : [status, json];
}

/** A07 with evidence: ready, awaiting its scan, another partner's. */
async function withEvidence(sandbox: Sandbox) {
  const { dealer, bank } = sandbox.credentials;
  const sold = await wonLot(sandbox);
  const theirs = await wonLot(sandbox, {
    label: 'live-closed',
    who: sandbox.credentials.platform,
    bidder_reference: 'B-1',
  });
  const ready = await evidence(sandbox, sold);
  const foreign = await evidence(sandbox, theirs, bank);
  sandbox.scanner.pause();
  const waiting = await evidence(sandbox, sold);
  const answers: unknown[] = [];
  for (const evidence_id of [waiting, foreign, ready]) {
    const body = { reason_code: 'WRONG_AMOUNT', evidence_id };
    const path = `/api/v1/bids/${sold.bidId}/cancellation-requests`;
    const { status, json } = await command(sandbox, dealer, path, body);
    answers.push(status === 200 ? json.data.state : Object.keys(json.errors));
  }
  return answers;
}

/** What a bid that was cancelled is called, in the list and by itself, and the rejected one beside it. */
async function cancelled(sandbox: Sandbox) {
  const { dealer, bank } = sandbox.credentials;
  const { id, startingPrice } = lotOf(sandbox, 'live-open');
  await bid(sandbox, dealer, id, { amount: plus(startingPrice, 1) });
  const { bid_id } = (await opening(sandbox, 'live-open')).json.data;
  const stands = (await opening(sandbox, 'live-closed')).json.data;
  const asks = { reason_code: 'WRONG_AMOUNT' };
  const { id: request } = await done(
    command(sandbox, dealer, `/api/v1/bids/${bid_id}/cancellation-requests`, asks),
  );
  const yes = { decision: 'approved', reason: 'A typing error', expected_version: 1 };
  await done(command(sandbox, bank, `/api/v1/bid-cancellation-requests/${request}/decisions`, yes));
  const list = (await data(sandbox, '/bids')).map(({ status }: { status: string }) => status);
  return [
    ...list,
    (await data(sandbox, `/bids/${bid_id}`)).status,
    (await data(sandbox, `/bids/${stands.bid_id}`)).status,
  ];
}

/** How many requests each filter leaves of two, one of them decided. */
async function filtered(sandbox: Sandbox) {
  const { dealer, bank } = sandbox.credentials;
  const bids = [await opening(sandbox, 'live-open'), await opening(sandbox, 'live-closed')];
  const ids = bids.map(({ json }) => json.data.bid_id);
  for (const id of ids) {
    await done(command(sandbox, dealer, `/api/v1/bids/${id}/cancellation-requests`, { reason_code: 'SLIP' }));
  }
  const [first] = (await data(sandbox, '/bid-cancellation-requests')).items;
  const yes = { decision: 'approved', reason: 'A slip', expected_version: 1 };
  await done(command(sandbox, bank, `/api/v1/bid-cancellation-requests/${first.id}/decisions`, yes));
  const answers: unknown[] = [];
  for (const query of [`bid_id=${ids[0]}`, `lot_id=${lotOf(sandbox, 'live-closed').id}`, 'status=pending']) {
    const { status, json } = await asked(sandbox, '/bid-cancellation-requests', query);
    answers.push(
      status === 200
        ? json.data.items.map((item: { data: { bid_id: string } }) => ids.indexOf(item.data.bid_id))
        : [status, Object.keys(json.errors)],
    );
  }
  return answers;
}

async function firstLegacyBid(sandbox: Sandbox) {
  const { status, json } = await opening(sandbox, 'live-legacy');
  return [status, json.errors];
}

/** What a replay says once a rival leads and the close has moved. */
async function replay(sandbox: Sandbox) {
  const key = randomUUID();
  const first = (await opening(sandbox, 'live-open', key)).json.data;
  const lot = lotOf(sandbox, 'live-open');
  sandbox.rival.bid(lot.id, plus(lot.startingPrice, 5_000));
  sandbox.auctions.moveClose('live-open', '2026-03-01T20:00:00Z');
  const again = await opening(sandbox, 'live-open', key);
  expect([again.status, again.json.data.replayed]).toEqual([200, true]);
  const { bidder_status, highest_amount, current_amount, effective_close_at, lot_version, ...rest } =
    again.json.data;
  expect(rest).toMatchObject({ bid_id: first.bid_id, server_received_at: first.server_received_at });
  const above = (amount: unknown) => Number(amount) - Number(lot.startingPrice);
  return [bidder_status, above(highest_amount), above(current_amount), effective_close_at, lot_version];
}

/** A rejection is replayed as it was, whatever has become of the lot. */
async function replayedRejection(sandbox: Sandbox) {
  const key = randomUUID();
  const { id, startingPrice } = lotOf(sandbox, 'live-open');
  const send = () =>
    bid(sandbox, sandbox.credentials.dealer, id, {
      amount: plus(startingPrice, 1),
      idempotency_key: key,
    });
  const first = (await send()).json.data;
  sandbox.rival.bid(id, startingPrice);
  const { status, json } = await send();
  return [status, JSON.stringify({ ...first, replayed: true }) === JSON.stringify(json.data)];
}

/** One key for a command and then for a bid, and what A06 says of it. */
async function oneKey(sandbox: Sandbox) {
  const { dealer } = sandbox.credentials;
  const key = randomUUID();
  const { bid_id } = (await opening(sandbox, 'live-closed')).json.data;
  const body = { reason_code: 'SLIP', idempotency_key: key };
  await done(command(sandbox, dealer, `/api/v1/bids/${bid_id}/cancellation-requests`, body));
  const { status } = await opening(sandbox, 'live-open', key);
  return [status, (await data(sandbox, `/bid-requests/${key}`)).state];
}

async function highestIn(sandbox: Sandbox, label: string) {
  const { highest_amount } = (await opening(sandbox, label)).json.data;
  return [highest_amount === null ? 'null' : typeof highest_amount];
}

/** Bids around the limit of 500,000 with a deposit of 20,000. */
async function limits(sandbox: Sandbox) {
  const { dealer } = sandbox.credentials;
  sandbox.partners.update(dealer.clientId, { buyerLimit: '500000.00', emdAmount: '20000.00' });
  const lot = lotOf(sandbox, 'live-no-grid');
  const answers: unknown[] = [];
  for (const amount of ['500000.00', '520000.00', '520000.01']) {
    const { json } = await bid(sandbox, dealer, lot.id, { amount });
    answers.push(json.errors);
  }
  return answers;
}

const closeBefore = '2026-03-01T19:30:00+05:30';
const closeAfter = '2026-03-02T01:30:00+05:30';
const limited = ['DEALER_NOT_ELIGIBLE'];

provesEach('bids', [
  ['bid-created-at-zone', 'utc', createdAt, '2026-03-01 10:00:00'],
  ['bid-created-at-zone', 'india', createdAt, '2026-03-01 15:30:00'],
  ['lookup-receipt', 'receipt', receipt, 'the reply'],
  ['lookup-receipt', 'detail', receipt, 'the bid'],
  ['lookup-receipt', 'unfamiliar', receipt, { outcome: 'unfamiliar_to_all' }],
  ['lookup-unknown-key', 'absent', neverSent, 'absent'],
  ['lookup-unknown-key', 'not-found', neverSent, [404, { message: 'Not found.' }]],
  ['bid-cancellation-evidence', 'refused', withEvidence, [['evidence_id'], ['evidence_id'], ['evidence_id']]],
  ['bid-cancellation-evidence', 'evidence-id', withEvidence, [['evidence_id'], ['evidence_id'], 'pending']],
  [
    'cancelled-bid-status',
    'accepted',
    cancelled,
    ['accepted', 'accepted', 'rejected', 'accepted', 'accepted'],
  ],
  [
    'cancelled-bid-status',
    'cancelled',
    cancelled,
    ['accepted', 'cancelled', 'rejected', 'cancelled', 'accepted'],
  ],
  [
    'bid-cancellation-filters',
    'refused',
    filtered,
    [
      [422, ['bid_id']],
      [422, ['lot_id']],
      [422, ['status']],
    ],
  ],
  ['bid-cancellation-filters', 'taken', filtered, [[0], [1], [0]]],
  ['legacy-first-bid', 'above-opening', firstLegacyBid, [422, ['BID_BELOW_MINIMUM']]],
  ['legacy-first-bid', 'opening', firstLegacyBid, [201, []]],
  ['replayed-fields', 'as-recorded', replay, ['leading', 0, 0, closeBefore, 2]],
  ['replayed-fields', 'as-they-stand', replay, ['outbid', 5_000, 5_000, closeAfter, 2]],
  ['replayed-fields', 'as-they-stand', replayedRejection, [422, true]],
  ['key-namespace', 'shared', oneKey, [409, 'absent']],
  ['key-namespace', 'apart', oneKey, [201, 'accepted']],
  ['receipt-highest-amount-type', 'string', (sandbox) => highestIn(sandbox, 'live-open'), ['string']],
  ['receipt-highest-amount-type', 'number', (sandbox) => highestIn(sandbox, 'live-open'), ['number']],
  ['receipt-highest-when-closed', 'omitted', (sandbox) => highestIn(sandbox, 'live-closed'), ['undefined']],
  ['receipt-highest-when-closed', 'null', (sandbox) => highestIn(sandbox, 'live-closed'), ['null']],
  ['buyer-limit-and-emd', 'limit', limits, [[], limited, limited]],
  ['buyer-limit-and-emd', 'limit-plus-emd', limits, [[], [], limited]],
]);
