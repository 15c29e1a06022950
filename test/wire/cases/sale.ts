import { KEY } from '../../support/clients.js';
import { asks, sends, type WireCase, wire } from '../case.js';
import { commandOn, record, recordReplies, SERVER_TIME, workflowPageReplies } from '../replies.js';

const payee_instructions = { account: '0011', ifsc: 'BANK0000001' };
const due_at = '2026-03-05T18:00:00+05:30';

const sale = record('sale_5', 'sale', 'approved', {
  bid_id: 'bid_77',
  bidder_reference: 'buyer-9',
  amount: '465000.00',
  currency: 'INR',
  terms_version: 'T-3',
  acknowledged_at: null,
  lot_id: 'lot_4f1c',
  due_at,
  payee_instructions,
  payee_version: 2,
});
const active_offer = { id: 'off_2', state: 'accepted', amount: '470000.00' };
const saleDetail = { ...sale, data: { ...sale.data, active_offer } };
const saleWithoutOffer = {
  ...sale,
  data: { ...sale.data, active_offer: null, payee_instructions: 'By wire' },
};

const approval = {
  decision: 'approved',
  bid_id: 'bid_77',
  reason: 'Highest valid bid',
  terms_version: 'T-3',
  due_at,
  payee_instructions,
  idempotency_key: KEY,
  expected_version: 7,
  offer_id: 'off_2',
};
/** Without an offer, and with terms that are counted in numbers. */
const plainApproval = {
  decision: 'approved',
  bid_id: 'bid_77',
  terms_version: 3,
  due_at: '2026-03-05T12:30:00Z',
  payee_instructions: 'By wire',
  idempotency_key: KEY,
  expected_version: 0,
};

const acknowledgment = { terms_version: 'T-3', idempotency_key: KEY, expected_version: 7 };
const acknowledged = { ...sale, data: { ...sale.data, acknowledged_at: SERVER_TIME } };

const terms = {
  amount: '470000.00',
  currency: 'INR',
  terms_version: 'T-3',
  valid_until: '2026-03-03T18:00:00+05:30',
  reason: 'Above the reserve',
};
const offer = record('off_2', 'offer', 'open', terms);
const newOffer = { ...terms, expected_version: 7, idempotency_key: KEY };
const answered = { ...offer, state: 'accepted', data: { ...offer.data, decision: 'accepted' } };

const key = { expected_version: 7, idempotency_key: KEY };
const answer = { decision: 'accepted', terms_version: 'T-3', reason: 'Fair', ...key };

const withdrawal = { reason_code: 'buyer_withdrew', explanation: 'Loan refused' };
const cancellation = record('sca_1', 'sale_cancellation', 'pending', withdrawal);
const decision = { decision: 'approved', reason: 'Agreed with the buyer' };
const decided = { ...cancellation, state: 'approved', data: { ...cancellation.data, ...decision } };

export const sales: readonly WireCase[] = [
  // rule: page.in-data
  wire(
    'saleCases.list A20 GET /sale-cases sales:read bank,partner',
    [],
    [asks({ page: 4 }, 'page=4'), asks()],
    workflowPageReplies(sale, { ...sale, id: 'sale_6' }),
  ),
  // rule: state.sale
  wire(
    'saleCases.get A21 GET /sale-cases/{sale} sales:read bank,partner',
    ['sale_5'],
    [asks()],
    [...recordReplies(saleDetail), ...recordReplies(saleWithoutOffer)],
  ),
  // rule: general.4, state.sale
  commandOn(
    'saleCases.decide A22 POST /sale-cases/{sale}/decisions sales:approve bank',
    saleDetail,
    approval,
    sale,
    sends(plainApproval),
  ),
  // rule: state.sale
  commandOn(
    'saleCases.acknowledge A23 POST /sale-cases/{sale}/acknowledgments sales:acknowledge partner',
    sale,
    acknowledgment,
    acknowledged,
  ),
  // rule: state.offer
  commandOn('saleCases.offer A24 POST /sale-cases/{sale}/offers offers:write bank', sale, newOffer, offer),
  // rule: state.offer
  commandOn(
    'offers.respond A25 POST /offers/{offer}/responses offers:respond partner',
    offer,
    answer,
    answered,
    sends({ decision: 'declined', terms_version: 'T-3', ...key }),
  ),
  // rule: state.sale-cancellation
  commandOn(
    'saleCases.requestCancellation A26 POST /sale-cases/{sale}/cancellation-requests sales:cancel-request bank,partner',
    sale,
    { ...withdrawal, ...key },
    cancellation,
  ),
  // rule: state.sale-cancellation
  commandOn(
    'saleCancellations.decide A27 POST /sale-cancellation-requests/{request}/decisions sales:cancel-approve bank',
    cancellation,
    { ...decision, ...key },
    decided,
  ),
];
