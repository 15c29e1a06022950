import { expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { bid, lotOf } from '../caller.js';
import { duesOf, evidence, receiptsOf, reportBody } from '../funds.js';
import {
  allocate,
  askBack,
  askToCancel,
  authorize,
  collect,
  decideRefund,
  deliver,
  dispute,
  paidLot,
  paymentOf,
  refund,
  release,
} from '../reversals.js';
import { approval, approvedLot, command, done, type SoldLot, saleOf, wonLot } from '../workflow.js';
import { asked, type Case, data, provesEach } from './table.js';

const offered = {
  amount: '1000.00',
  currency: 'INR',
  terms_version: 'T1',
  valid_until: '2026-03-02T10:00:00Z',
};
const offer = async (sandbox: Sandbox, { saleId }: SoldLot) => {
  const { resource_version: expected_version } = await saleOf(sandbox, saleId);
  const url = `/api/v1/sale-cases/${saleId}/offers`;
  return done(command(sandbox, sandbox.credentials.bank, url, { ...offered, expected_version }));
};
const approve = async (sandbox: Sandbox, sold: SoldLot, change: Record<string, unknown> = {}) =>
  command(sandbox, sandbox.credentials.bank, `/api/v1/sale-cases/${sold.saleId}/decisions`, {
    ...(await approval(sandbox, sold)),
    ...change,
  });
const problem = ({ status, json }: { status: number; json: Record<string, unknown> }) => [
  status,
  json['code'] ?? Object.keys(Object(json['errors'])),
];

const staleVersion = async (sandbox: Sandbox) =>
  problem(await approve(sandbox, await wonLot(sandbox), { expected_version: 7 }));
const wrongState = async (sandbox: Sandbox) => problem(await approve(sandbox, await approvedLot(sandbox)));
const reasonCodes = async (sandbox: Sandbox) => {
  const lot = lotOf(sandbox, 'live-no-grid');
  const { dealer } = sandbox.credentials;
  const made = await bid(sandbox, dealer, lot.id, { amount: lot.startingPrice });
  const url = `/api/v1/bids/${made.json.data.bid_id}/cancellation-requests`;
  const sold = await approvedLot(sandbox);
  const replies = [
    await command(sandbox, dealer, url, { reason_code: 'made_up' }),
    await askToCancel(sandbox, sold, { reason_code: 'made_up' }),
    await dispute(sandbox, sold, { reason_code: 'made_up' }),
    await dispute(sandbox, sold, { reason_code: 'buyer_request' }),
  ];
  return replies.map(({ status }) => status);
};
/** Versions of sale and payment after an offer, an allocation, a refund request and a cancellation request. */
const versions = async (sandbox: Sandbox) => {
  const sold = await wonLot(sandbox);
  await offer(sandbox, sold);
  const seen = [(await saleOf(sandbox, sold.saleId)).resource_version];
  const paid = await paidLot(sandbox, { label: 'live-closed' });
  seen.push((await paymentOf(sandbox, paid.paymentId)).resource_version);
  await done(askBack(sandbox, paid.paymentId, '1.00'));
  seen.push((await paymentOf(sandbox, paid.paymentId)).resource_version);
  const before = (await saleOf(sandbox, paid.saleId)).resource_version;
  await done(askToCancel(sandbox, paid));
  return [...seen, (await saleOf(sandbox, paid.saleId)).resource_version - before];
};
const decidedKind = async (sandbox: Sandbox) => {
  const { paymentId } = await paidLot(sandbox);
  const { id } = await done(askBack(sandbox, paymentId, '1.00'));
  return (await done(decideRefund(sandbox, id))).kind;
};
/** The offer in A21 and A20, without one and with one. */
const activeOffers = async (sandbox: Sandbox) => {
  const sold = await wonLot(sandbox);
  const look = async () => {
    const item = (await data(sandbox, '/sale-cases')).items[0];
    return [(await saleOf(sandbox, sold.saleId)).data, item.data].map(({ active_offer }) =>
      active_offer === undefined ? 'absent' : (active_offer?.state ?? 'null'),
    );
  };
  const without = await look();
  await offer(sandbox, sold);
  return [...without, ...(await look())];
};
const undecidedFields = async (sandbox: Sandbox) => {
  const sold = await wonLot(sandbox);
  const names = Object.keys((await saleOf(sandbox, sold.saleId)).data);
  return ['due_at', 'acknowledged_at', 'payee_version', 'amount'].filter((name) => names.includes(name));
};
const afterDecline = async (sandbox: Sandbox) => {
  const sold = await wonLot(sandbox);
  const { id } = await offer(sandbox, sold);
  const answer = { decision: 'declined', terms_version: 'T1', expected_version: 1 };
  await done(command(sandbox, sold.who, `/api/v1/offers/${id}/responses`, answer));
  return (await approve(sandbox, sold)).status;
};
/** What is said of an offer that another one replaced, and of one that ran out. */
const endedOffers = async (sandbox: Sandbox) => {
  const sold = await wonLot(sandbox);
  const first = await offer(sandbox, sold);
  const second = await offer(sandbox, sold);
  sandbox.clock.advance(2 * 86_400_000);
  const said: string[] = [];
  for (const { id } of [first, second]) {
    const answer = { decision: 'accepted', terms_version: 'T1', expected_version: 2 };
    const got = await command(sandbox, sold.who, `/api/v1/offers/${id}/responses`, answer);
    said.push(got.json.message);
  }
  return said;
};
const refundInTime = async (sandbox: Sandbox) => {
  const { paymentId } = await paidLot(sandbox);
  await refund(sandbox, paymentId, '1.00');
  const states = () => sandbox.refunds.list().map(({ state }) => state);
  const seen = [...states()];
  sandbox.clock.advance(60_000);
  seen.push(...states());
  sandbox.clock.advance(3_540_000);
  return [...seen, ...states()];
};
/** Whether a text, and an object, is taken for the payee of A22. */
const payees = async (sandbox: Sandbox) => {
  const sold = await wonLot(sandbox);
  const text = await approve(sandbox, sold, { payee_instructions: 'NEFT', bid_id: 'bid_none' });
  const object = await approve(sandbox, sold, { payee_instructions: { ifsc: 'E' }, terms_version: 'T1' });
  return [Object.keys(text.json.errors ?? {}), Object.keys(object.json.errors ?? {})];
};
const method = async (sandbox: Sandbox) => {
  const sold = await approvedLot(sandbox);
  const body = reportBody(sold, { method: 'cheque' });
  return problem(await command(sandbox, sold.who, '/api/v1/payment-reports', body));
};
const paymentStates = async (sandbox: Sandbox) => {
  const sold = await paidLot(sandbox);
  const { state, data: content } = (await receiptsOf(sandbox, sold)).payments[0];
  return [state, content.settlement_state];
};
const duesState = async (sandbox: Sandbox) => (await duesOf(sandbox, await approvedLot(sandbox))).data.state;
const undecidedDues = async (sandbox: Sandbox) => {
  const { saleId } = await wonLot(sandbox);
  const { status, json } = await asked(sandbox, `/sale-cases/${saleId}/payment-dues`);
  return [status, json.data?.remaining];
};
const lateRevocation = async (sandbox: Sandbox) => {
  const sold = await paidLot(sandbox);
  const id = await deliver(sandbox, sold);
  const url = `/api/v1/release-authorizations/${id}/revocations`;
  const body = { reason: 'Too late', expected_version: 2 };
  const { status, json } = await command(sandbox, sandbox.credentials.bank, url, body);
  return [status, json.data?.state, sandbox.disputes.list().map(({ state }) => state)];
};
const summaries = async (sandbox: Sandbox) => {
  const sold = await paidLot(sandbox);
  await done(authorize(sandbox, sold));
  const { sale, release: released } = await data(sandbox, `/lots/${sold.lotId}/status`);
  return [sale.kind, sale.data?.lot_id === sold.lotId, released.kind, released.data?.yard];
};
const actions = async (sandbox: Sandbox) => {
  const { lotId } = await approvedLot(sandbox);
  const { allowed_actions: live } = await data(sandbox, `/lots/${lotOf(sandbox, 'live-closed').id}/status`);
  return [...(await data(sandbox, `/lots/${lotId}/status`)).allowed_actions, ...live];
};

const cases: readonly Case[] = [
  ['expected-version-conflict', '409', staleVersion, [409, []]],
  ['expected-version-conflict', '412', staleVersion, [412, []]],
  ['expected-version-conflict', '422', staleVersion, [422, ['expected_version']]],
  ['expected-version-conflict', 'code', staleVersion, [409, 'VERSION_CONFLICT']],
  ['workflow-error-codes', 'message', wrongState, [409, []]],
  ['workflow-error-codes', 'code', wrongState, [409, 'STATE_CONFLICT']],
  ['cancellation-reason-codes', 'any', reasonCodes, [200, 200, 200, 200]],
  ['cancellation-reason-codes', 'listed', reasonCodes, [422, 422, 422, 200]],
  ['new-record-version', 'moves', versions, [2, 2, 3, 1]],
  ['new-record-version', 'stays', versions, [1, 1, 1, 0]],
  ['command-reply-kinds', 'moved-record', decidedKind, 'refund_request'],
  ['command-reply-kinds', 'other-record', decidedKind, 'refund'],
  ['active-offer-shape', 'null', activeOffers, ['null', 'absent', 'open', 'absent']],
  ['active-offer-shape', 'absent', activeOffers, ['absent', 'absent', 'open', 'absent']],
  ['active-offer-shape', 'in-lists', activeOffers, ['null', 'null', 'open', 'open']],
  ['sale-absent-fields', 'null', undecidedFields, ['due_at', 'acknowledged_at', 'payee_version', 'amount']],
  ['sale-absent-fields', 'absent', undecidedFields, ['amount']],
  ['approval-after-an-offer', 'at-the-bid', afterDecline, 200],
  ['approval-after-an-offer', 'refused', afterDecline, 409],
  [
    'offer-states',
    'superseded-expired',
    endedOffers,
    ['The offer is not open: it is superseded.', 'The offer is not open: it is expired.'],
  ],
  [
    'offer-states',
    'withdrawn-lapsed',
    endedOffers,
    ['The offer is not open: it is withdrawn.', 'The offer is not open: it is lapsed.'],
  ],
  [
    'unshown-transitions',
    'by-hand',
    refundInTime,
    ['approved_pending_execution', 'approved_pending_execution', 'approved_pending_execution'],
  ],
  ['unshown-transitions', 'by-time', refundInTime, ['approved_pending_execution', 'processing', 'succeeded']],
  ['party-shapes', 'text-or-object', payees, [['bid_id'], []]],
  ['party-shapes', 'text', payees, [['bid_id'], ['payee_instructions']]],
  ['payment-method-values', 'bank-transfer', method, [422, ['method']]],
  ['payment-method-values', 'any', method, [200, []]],
  ['payment-states', 'shown', paymentStates, ['succeeded', 'bank_received']],
  ['payment-states', 'unfamiliar', paymentStates, ['unfamiliar_to_all', 'unfamiliar_to_all']],
  ['payment-dues-states', 'shown', duesState, 'unpaid'],
  ['payment-dues-states', 'unfamiliar', duesState, 'unfamiliar_to_all'],
  ['payment-dues-before-approval', 'not-found', undecidedDues, [404, undefined]],
  ['payment-dues-before-approval', 'zeros', undecidedDues, [200, '0.00']],
  ['payment-dues-before-approval', 'nulls', undecidedDues, [200, null]],
  ['release-used-revocation', 'conflict', lateRevocation, [409, undefined, []]],
  ['release-used-revocation', 'dispute', lateRevocation, [200, 'used', ['open']]],
  ['lot-status-summaries', 'summaries', summaries, [undefined, false, undefined, undefined]],
  ['lot-status-summaries', 'records', summaries, ['sale', true, 'release', release.yard]],
  ['allowed-actions', 'words', actions, ['acknowledge', 'report_payment', 'bid']],
  ['allowed-actions', 'operation-ids', actions, ['A23', 'A36', 'bids.submit']],
];

provesEach('sales, money and releases', cases);

it('where parties are objects, texts are refused wherever they stand', async () => {
  const sandbox = await startSandbox({
    clock: 'manual',
    startAt: '2026-03-01T10:00:00Z',
    rateLimit: false,
    variants: { 'party-shapes': 'object' },
  });
  const { bank } = sandbox.credentials;
  const sold = await wonLot(sandbox);
  const fields = async (reply: ReturnType<typeof command>) => Object.keys((await reply).json.errors ?? {});
  expect(await fields(approve(sandbox, sold))).toEqual(['payee_instructions']);
  await done(approve(sandbox, sold, { payee_instructions: { ifsc: 'EXMP0000001' } }));
  const { resource_version: version } = await saleOf(sandbox, sold.saleId);
  const url = `/api/v1/sale-cases/${sold.saleId}`;
  const terms = { terms_version: 'T1', expected_version: version };
  await done(command(sandbox, sold.who, `${url}/acknowledgments`, terms));
  const entry = {
    sale_id: sold.saleId,
    bank_account_reference: 'COLLECTION-7',
    utr: 'EXMPN26060000017',
    external_transaction_id: 'S26060/000042',
    amount: sold.amount,
    currency: 'INR',
    value_date: '2026-03-01',
    evidence_id: await evidence(sandbox, sold),
  };
  await done(command(sandbox, bank, '/api/v1/bank-receipts/imports', entry));
  const [payment] = (await receiptsOf(sandbox, sold)).payments;
  await done(allocate(sandbox, payment.id, sold.saleId, sold.amount));
  const authorized = async (change: Record<string, unknown>) => {
    const { resource_version: expected_version } = await saleOf(sandbox, sold.saleId);
    return command(sandbox, bank, `${url}/release-authorizations`, {
      ...release,
      expected_version,
      ...change,
    });
  };
  expect(await fields(authorized({}))).toEqual(['yard']);
  expect(await fields(authorized({ yard: { name: 'U' }, recipient: 'R. Iyer' }))).toEqual(['recipient']);
  const { id } = await done(authorized({ yard: { name: 'U' } }));
  expect(await fields(collect(sandbox, sold, id))).toEqual(['collector']);
  await sandbox.close();
});
