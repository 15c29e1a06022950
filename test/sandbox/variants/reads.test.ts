import { expect } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/index.js';
import { bid, lotOf, plus } from '../caller.js';
import { entryBody, imported, reportBody } from '../funds.js';
import { approval, approvedLot, command, done, type SoldLot } from '../workflow.js';
import { asked, data, provesEach } from './table.js';

const profile = async (sandbox: Sandbox) => {
  const { environment, partner_type } = await data(sandbox, '/integration/profile');
  const { bank } = sandbox.credentials;
  return [environment, partner_type, (await data(sandbox, '/integration/profile', '', bank)).partner_type];
};

const capability =
  (...names: readonly string[]) =>
  async (sandbox: Sandbox) => {
    const read = await data(sandbox, '/integration/capabilities');
    return names.map((name) => read[name]);
  };

/** What stands for the first operation that has an id of the text. */
const listed = async (sandbox: Sandbox) => {
  const { operations } = await data(sandbox, '/integration/capabilities');
  return operations.find((one: unknown) => one === 'A01' || (one as { id?: string }).id === 'A01');
};

/** Bids on lots of some auctions, closes these, and approves the sales. */
async function approvals(sandbox: Sandbox, labels: readonly string[], count?: number): Promise<void> {
  const { dealer, bank } = sandbox.credentials;
  for (const label of labels) {
    for (const lot of sandbox.auctions.get(label).lots.slice(0, count)) {
      // Above the opening too: the lowest first bid of a legacy auction.
      const amount = plus(lot.startingPrice, label === 'live-legacy' ? 1_000 : 0);
      const { status, text } = await bid(sandbox, dealer, lot.id, { amount });
      if (status !== 201) throw new Error(text);
    }
    sandbox.auctions.close(label);
  }
  const { last_page } = await data(sandbox, '/sale-cases');
  for (let page = 1; page <= last_page; page += 1) {
    for (const { id, state, data: sale } of (await data(sandbox, '/sale-cases', `page=${page}`)).items) {
      if (state === 'approved') continue;
      const sold: SoldLot = { saleId: id, lotId: sale.lot_id, bidId: sale.bid_id, amount: '', who: dealer };
      const path = `/api/v1/sale-cases/${id}/decisions`;
      await done(command(sandbox, bank, path, await approval(sandbox, sold)));
    }
  }
}

const updates = async (sandbox: Sandbox, query = '') => (await asked(sandbox, '/winner-updates', query)).json;

/** The names of a page of updates, and what the first one is called by. */
async function updatePage(sandbox: Sandbox) {
  await approvals(sandbox, ['live-open'], 1);
  const { server_time: _, ...page } = await updates(sandbox);
  const list = page.updates ?? page.data.updates ?? page.data;
  return [Object.keys(page), Object.keys(page.data ?? []).sort(), Object.keys(list[0]).slice(0, 3)];
}

const named = ['id', 'type', 'created_at'];

/** How many of more than 100 updates a limit gets; the fields that it is refused for. */
async function byLimit(sandbox: Sandbox) {
  await approvals(sandbox, ['live-open', 'live-closed', 'live-legacy', 'live-no-grid']);
  sandbox.clock.advance(86_460_000);
  await approvals(sandbox, ['upcoming']);
  const answers: unknown[] = [];
  for (const query of ['', 'limit=100', 'limit=101']) {
    const { status, json } = await asked(sandbox, '/winner-updates', query);
    answers.push(status === 200 ? json.data.length : Object.keys(json.errors));
  }
  return answers;
}

/** What a walk is told in the place of a cursor: where nothing is, at the end, and beyond. */
async function cursors(sandbox: Sandbox) {
  const told = (page: { next_cursor?: string | null }, last?: string | null) =>
    !('next_cursor' in page) ? 'absent' : page.next_cursor === last ? 'the same' : typeof page.next_cursor;
  const empty = await updates(sandbox);
  await approvals(sandbox, ['live-open'], 1);
  const one = await updates(sandbox);
  const end = await updates(sandbox, `after=${one.next_cursor}`);
  return [told(empty, null), told(one), told(end, one.next_cursor)];
}

/** How much a walk gets that begins without a cursor, and goes on after a second approval. */
async function beginning(sandbox: Sandbox) {
  await approvals(sandbox, ['live-open'], 1);
  const { data: first, next_cursor } = await updates(sandbox);
  await approvedLot(sandbox, { label: 'live-closed' });
  const { data: more } = await updates(sandbox, `after=${next_cursor}`);
  return [first.length, more.length];
}

/** A cursor after a day, and a second longer. */
async function agedCursor(sandbox: Sandbox) {
  await approvals(sandbox, ['live-open'], 1);
  const { next_cursor } = await updates(sandbox);
  const answers: unknown[] = [];
  for (const ms of [86_400_000, 1_000]) {
    sandbox.clock.advance(ms);
    const { status, json } = await asked(sandbox, '/winner-updates', `after=${next_cursor}`);
    answers.push(status === 200 ? json.next_cursor === next_cursor : [status, Object.keys(json.errors)]);
  }
  return answers;
}

const diagnosis = (sandbox: Sandbox, query = '') =>
  asked(sandbox, '/bidding-eligibility', `${query}lot_id=${lotOf(sandbox, 'live-open').id}`);

const expiries = async (sandbox: Sandbox) => {
  const read = (await diagnosis(sandbox)).json.data;
  return [Object.keys(read).length, read.eligible, read.limit_until, read.emd_until];
};

const statuses = async (sandbox: Sandbox) => {
  const { kyc_status, emd_status, eligible } = (await diagnosis(sandbox)).json.data;
  return [kyc_status, emd_status, eligible];
};

const withoutAmount = async (sandbox: Sandbox) => {
  const { status, json } = await diagnosis(sandbox);
  const full = await diagnosis(sandbox, 'amount=1000000.00&');
  return [status, json.errors && Object.keys(json.errors), full.status];
};

/** What A46 lists of a sale with a payment, an allocation and a report. */
async function receipts(sandbox: Sandbox) {
  const { bank } = sandbox.credentials;
  const sold = await approvedLot(sandbox);
  await done(command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold)));
  const receipt = await imported(sandbox, sold);
  const before = await data(sandbox, `/sale-cases/${sold.saleId}/receipts`);
  const [payment] = before.payments;
  return { sold, receipt, bank, before, payment };
}

const receiptItem = async (sandbox: Sandbox) => {
  const { payment } = await receipts(sandbox);
  return typeof payment === 'string' ? payment.replace(/_.*/, '') : Object.keys(payment);
};

const paymentId = async (sandbox: Sandbox) => {
  const { receipt, payment, sold } = await receipts(sandbox);
  if (receipt.data.payment_id === undefined) return 'untold';
  // An entry that comes again tells it too.
  const again = await imported(sandbox, sold);
  return receipt.data.payment_id === payment.id && again.data.payment_id === payment.id ? 'told' : 'wrong';
};

const reports = async (sandbox: Sandbox) => {
  const { before } = await receipts(sandbox);
  return before.payment_reports?.map(({ kind }: { kind: string }) => kind);
};

/** An equal entry under another key, and an unequal one. */
async function duplicates(sandbox: Sandbox) {
  const { bank } = sandbox.credentials;
  const sold = await approvedLot(sandbox);
  const first = await imported(sandbox, sold);
  const committed = sandbox.ledger().length;
  const answers: unknown[] = [];
  for (const change of [{}, { amount: '1.00' }]) {
    const path = '/api/v1/bank-receipts/imports';
    const { status, json } = await command(sandbox, bank, path, entryBody(sold, change));
    answers.push(status === 200 ? json.data.id === first.id : [status, Object.keys(json)]);
  }
  return [...answers, sandbox.ledger().length - committed];
}

const operation = {
  id: 'A01',
  method: 'GET',
  path: '/api/v1/integration/profile',
  scope: 'integration:read',
  title: expect.any(String),
  actors: ['bank', 'partner'],
};
const policies = capability('bid_visibility', 'cancellation_mode', 'sale_approval', 'payment_verification');
const strange = 'unfamiliar_to_all';
const late = '2027-03-01T15:30:00+05:30';
const refused = [409, ['message']];

provesEach('reads', [
  ['wire-partner-type', 'shown', profile, ['sandbox', 'direct_dealer', null]],
  ['wire-partner-type', 'unfamiliar', profile, [strange, strange, null]],
  ['policy-version-type', 'string', capability('policy_version'), ['1']],
  ['policy-version-type', 'integer', capability('policy_version'), [1]],
  ['capability-operations', 'as-in-profile', listed, operation],
  ['capability-operations', 'ids', listed, 'A01'],
  [
    'capability-values',
    'usual',
    policies,
    [{ open: 'highest_amount', closed: 'own_standing' }, 'bank_approval', 'bank', 'bank'],
  ],
  [
    'capability-values',
    'unfamiliar',
    policies,
    [{ open: strange, closed: strange }, strange, strange, strange],
  ],
  ['winner-update-list', 'data', updatePage, [['data', 'next_cursor'], ['0'], named]],
  ['winner-update-list', 'updates', updatePage, [['updates', 'next_cursor'], [], named]],
  ['winner-update-list', 'data-updates', updatePage, [['data'], ['next_cursor', 'updates'], named]],
  ['winner-update-fields', 'sale-approved', updatePage, [['data', 'next_cursor'], ['0'], named]],
  ['winner-update-fields', 'unfamiliar', updatePage, [['data', 'next_cursor'], ['0'], ['news']]],
  ['winner-update-limit', 'any', byLimit, [50, 100, 101]],
  ['winner-update-limit', '100-at-most', byLimit, [50, 100, ['limit']]],
  ['winner-update-limit', 'cut-to-100', byLimit, [50, 100, 100]],
  ['winner-update-ends', 'same', cursors, ['the same', 'string', 'the same']],
  ['winner-update-ends', 'null', cursors, ['the same', 'string', 'object']],
  ['winner-update-ends', 'absent', cursors, ['absent', 'string', 'absent']],
  ['winner-update-start', 'first', beginning, [1, 1]],
  ['winner-update-start', 'now', beginning, [0, 1]],
  ['winner-update-cursor-life', 'for-ever', agedCursor, [true, true]],
  ['winner-update-cursor-life', 'one-day', agedCursor, [true, [422, ['after']]]],
  ['capability-quotas', 'absent', capability('quotas'), [undefined]],
  ['capability-quotas', 'given', capability('quotas'), [{ requests_per_minute: 120 }]],
  ['eligibility-types', 'date-times', expiries, [14, true, late, late]],
  ['eligibility-types', 'dates', expiries, [14, true, '2027-03-01', '2027-03-01']],
  ['eligibility-types', 'sparse', expiries, [4, true, undefined, undefined]],
  ['eligibility-status-values', 'shown', statuses, ['approved', 'approved', true]],
  ['eligibility-status-values', 'unfamiliar', statuses, [strange, strange, true]],
  ['eligibility-parameters', 'lot', withoutAmount, [200, undefined, 200]],
  ['eligibility-parameters', 'lot-and-amount', withoutAmount, [422, ['amount'], 200]],
  [
    'sale-receipt-items',
    'records',
    receiptItem,
    ['id', 'kind', 'state', 'resource_version', 'data', 'created_at', 'updated_at'],
  ],
  ['sale-receipt-items', 'data', receiptItem, ['sale_id', 'amount', 'currency', 'settlement_state']],
  ['sale-receipt-items', 'ids', receiptItem, 'pay'],
  ['payment-ids', 'receipts', paymentId, 'untold'],
  ['payment-ids', 'bank-receipt', paymentId, 'told'],
  ['record-lists', 'by-id', reports, undefined],
  ['record-lists', 'in-receipts', reports, ['payment_report']],
  ['bank-receipt-duplicates', 'same-record', duplicates, [true, refused, 0]],
  ['bank-receipt-duplicates', 'refused', duplicates, [refused, refused, 0]],
]);
