import { KEY } from '../../support/clients.js';
import { asks, sends, type WireCase, wire, withExtra } from '../case.js';
import {
  commandOn,
  commandReplies,
  further,
  readReplies,
  record,
  SERVER_TIME,
  workflowPageReplies,
} from '../replies.js';

const profile = {
  environment: 'sandbox',
  partner_id: 'par_8',
  client_id: 'cl_7f3a',
  actor_type: 'partner',
  partner_type: 'platform',
  dealer_id: 'D-204',
  scopes: ['catalogue:read', 'bids:write', 'scope:of-next-year'],
  ...further,
};

const bankProfile = { ...profile, actor_type: 'bank', partner_id: null, partner_type: null, dealer_id: null };

const capabilities = {
  policy_version: '2026-01',
  ...further,
};

const eligibility = {
  eligible: false,
  errors: ['EMD_EXPIRED', 'DEALER_NOT_ELIGIBLE'],
  lot_id: 'lot_4f1c',
  buyer_limit: '900000.00',
  starting_price: '450000.00',
  bid_increment: '5000.00',
  ...further,
};

const detail = {
  id: 'bid_77',
  lot_id: 'lot_4f1c',
  bidder_reference: 'buyer-9',
  amount: '465000.00',
  status: 'rejected',
  lot_version: 4,
  errors: ['BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID'],
  ...further,
};

const lookup = {
  idempotency_key: KEY,
  state: 'accepted',
  observed_at: SERVER_TIME,
  receipt: { bid_id: 'bid_77', status: 'accepted' },
  retry: 'Nothing to do.',
  ...further,
};
const absent = { ...lookup, state: 'absent', receipt: null, retry: 'Resend the same body under this key.' };
const rejectedLookup = { ...lookup, state: 'rejected', receipt: {} };
const emptyReceipt = {
  name: 'with an empty list for an empty receipt',
  json: { data: { ...rejectedLookup, receipt: [] }, server_time: SERVER_TIME },
  read: { data: rejectedLookup, server_time: SERVER_TIME },
  result: rejectedLookup,
  info: { serverTime: SERVER_TIME },
};

const reason = { reason_code: 'mistake', explanation: 'Typed one zero “too” many' };
const cancellation = record('can_1', 'cancellation', 'pending', {
  bid_id: 'bid_77',
  ...reason,
  policy_version: '2026-01',
});
const decision = { decision: 'approved', reason: 'Obvious slip' };
const decided = record('can_1', 'cancellation', 'approved', { ...cancellation.data, ...decision });
const decisionBody = { ...decision, idempotency_key: KEY, expected_version: 7 };

const lotStatus = {
  lot_id: 'lot_4f1c',
  auction_state: 'live',
  resource_version: 9,
  sale: null,
  allowed_actions: ['bid', 'action_of_next_year'],
  own_standing: 'leading',
  own_amount: '465000.00',
  highest_amount: '465000.00',
  ...further,
};

const soldStatus = {
  ...lotStatus,
  auction_state: 'over',
  sale: { id: 'sale_5', state: 'approved' },
  payment: { state: 'unpaid' },
  release: { id: 'rel_1', state: 'valid' },
  allowed_actions: [],
};

const batch = [
  { lot_id: 'lot_4f1c', status: 200, data: lotStatus, ...further },
  { lot_id: 'lot_x', status: 404, code: 'NOT_FOUND' },
];

const asked = { lot_id: 'lot_4f1c', bidder_reference: 'buyer-9', amount: '465000' };

export const integration: readonly WireCase[] = [
  wire(
    'integration.profile A01 GET /integration/profile integration:read bank,partner',
    [],
    [asks()],
    [...readReplies(profile), ...readReplies(bankProfile)],
  ),
  // rule: version.2
  wire(
    'integration.capabilities A02 GET /integration/capabilities integration:read bank,partner',
    [],
    [asks()],
    [...readReplies(capabilities), ...readReplies({ ...capabilities, policy_version: 12 })],
  ),
  // rule: bid.7
  wire(
    'eligibility.check A03 GET /bidding-eligibility eligibility:read partner',
    [],
    [
      asks(asked, 'amount=465000&bidder_reference=buyer-9&lot_id=lot_4f1c'),
      asks({ lot_id: 'lot_4f1c' }, 'lot_id=lot_4f1c', ['platform', 'dealer']),
    ],
    readReplies(eligibility),
  ),
  wire(
    'bids.get A05 GET /bids/{bid} bids:read bank,partner',
    ['bid_77'],
    [asks()],
    [
      ...readReplies(detail),
      ...readReplies({ ...detail, status: 'accepted', bidder_reference: null, errors: [] }),
    ],
  ),
  // rule: bid.9
  wire(
    'bids.lookup A06 GET /bid-requests/{idempotency_key} bids:read partner',
    [KEY],
    [asks()],
    [
      ...readReplies(lookup),
      ...readReplies(absent),
      ...readReplies({ ...absent, state: 'processing' }),
      emptyReceipt,
    ],
  ),
  // rule: state.cancellation, version.2
  wire(
    'bids.requestCancellation A07 POST /bids/{bid}/cancellation-requests bids:cancel-request partner',
    ['bid_77'],
    [
      sends({ ...reason, idempotency_key: KEY }),
      // The text describes evidence, and gives its field no name.
      withExtra(
        { reason_code: 'mistake', idempotency_key: KEY, evidence: ['doc_3'] },
        { evidence: ['doc_3'] },
      ),
    ],
    commandReplies(cancellation),
  ),
  // rule: page.in-data
  wire(
    'bidCancellations.list A08 GET /bid-cancellation-requests bids:cancel-read bank,partner',
    [],
    [asks({ page: 1 }, 'page=1'), asks()],
    workflowPageReplies(cancellation, decided),
  ),
  // rule: state.cancellation
  commandOn(
    'bidCancellations.decide A09 POST /bid-cancellation-requests/{request}/decisions bids:cancel-approve bank',
    cancellation,
    decisionBody,
    decided,
  ),
  wire(
    'lots.status A10 GET /lots/{lot}/status lot-status:read partner',
    ['lot_4f1c'],
    [asks()],
    [...readReplies(lotStatus), ...readReplies(soldStatus)],
  ),
  wire(
    'lots.statusBatch A11 POST /lots/status-batch lot-status:read partner',
    [],
    [
      sends({ lot_ids: ['lot_4f1c', 'lot_x'], bidder_reference: 'buyer-9' }),
      sends({ lot_ids: ['lot_4f1c'] }),
    ],
    [...readReplies(batch), { name: 'without a time', json: { data: batch }, result: batch }],
  ),
];
