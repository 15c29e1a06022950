import { KEY } from '../../support/clients.js';
import { both, type WireCase } from '../case.js';
import {
  commandReplies,
  further,
  readReplies,
  record,
  SERVER_TIME,
  workflowPageReplies,
} from '../replies.js';

const profile = {
  environment: 'sandbox',
  bank_id: 'bank_3',
  partner_id: 'par_8',
  client_id: 'cl_7f3a',
  actor_type: 'partner',
  partner_type: 'platform',
  dealer_id: 'D-204',
  scopes: ['catalogue:read', 'bids:write', 'scope:of-next-year'],
  operations: [
    {
      id: 'A06',
      method: 'GET',
      path: '/api/v1/bid-requests/{idempotency_key}',
      scope: 'bids:read',
      title: 'Look up a bid request',
      actors: ['partner'],
    },
  ],
  ...further,
};

const bankProfile = { ...profile, actor_type: 'bank', partner_id: null, partner_type: null, dealer_id: null };

const capabilities = {
  api_versions: ['v1'],
  policy_version: '2026-01',
  bid_visibility: { open: 'highest_amount', closed: 'hidden' },
  cancellation_mode: 'bank_approval',
  sale_approval: 'bank',
  payment_verification: 'bank',
  webhooks: { enabled: false },
  realtime: { enabled: false },
  operations: ['A01', { id: 'A02' }],
  ...further,
};

const eligibility = {
  eligible: false,
  diagnostic_only: true,
  errors: ['EMD_EXPIRED', 'DEALER_NOT_ELIGIBLE'],
  dealer_id: 'D-204',
  kyc_status: 'approved',
  emd_status: 'pending',
  blocked: false,
  buyer_limit: '900000.00',
  limit_until: '2026-12-31',
  emd_until: '2026-02-28',
  lot_id: 'lot_4f1c',
  starting_price: '450000.00',
  bid_increment: '5000.00',
  notice: 'Acceptance checks everything again.',
  ...further,
};

const detail = {
  id: 'bid_77',
  lot_id: 'lot_4f1c',
  bidder_reference: 'buyer-9',
  amount: '465000.00',
  status: 'rejected',
  request_id: 'req_b1',
  server_received_at: '2026-03-02T06:00:00.120+00:00',
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

const cancellation = record({
  id: 'can_1',
  kind: 'cancellation',
  state: 'pending',
  data: {
    bid_id: 'bid_77',
    reason_code: 'mistake',
    explanation: 'Typed one zero too many',
    policy_version: '2026-01',
  },
});

const decided = record({
  id: 'can_1',
  kind: 'cancellation',
  state: 'approved',
  data: { ...cancellation.data, decision: 'approved', reason: 'Obvious slip' },
});

const lotStatus = {
  lot_id: 'lot_4f1c',
  auction_state: 'live',
  inventory_state: 'published',
  resource_version: 9,
  updated_at: '2026-03-02T05:59:30+00:00',
  effective_close_at: '2026-03-02T12:30:00+00:00',
  sale: null,
  payment: null,
  release: null,
  allowed_actions: ['bid', 'action_of_next_year'],
  provisional: true,
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

export const integration: readonly WireCase[] = [
  {
    operation: 'integration.profile',
    id: 'A01',
    route: 'GET /integration/profile',
    wire: 'GET /api/v1/integration/profile',
    effect: 'read',
    calls: [{ name: 'as it is', by: both((client) => client.integration.profile()) }],
    replies: [...readReplies(profile), ...readReplies(bankProfile)],
  },
  {
    // rule: version.2
    operation: 'integration.capabilities',
    id: 'A02',
    route: 'GET /integration/capabilities',
    wire: 'GET /api/v1/integration/capabilities',
    effect: 'read',
    calls: [{ name: 'as it is', by: both((client) => client.integration.capabilities()) }],
    replies: [...readReplies(capabilities), ...readReplies({ ...capabilities, policy_version: 12 })],
  },
  {
    // rule: bid.7
    operation: 'eligibility.check',
    id: 'A03',
    route: 'GET /bidding-eligibility',
    wire: 'GET /api/v1/bidding-eligibility',
    effect: 'read',
    calls: [
      {
        name: 'with every parameter',
        by: {
          platform: (client) =>
            client.eligibility.check({ lot_id: 'lot_4f1c', bidder_reference: 'buyer-9', amount: '465000' }),
        },
        query: 'amount=465000&bidder_reference=buyer-9&lot_id=lot_4f1c',
      },
      {
        name: 'of a lot alone',
        by: {
          platform: (client) => client.eligibility.check({ lot_id: 'lot_4f1c' }),
          dealer: (client) => client.eligibility.check({ lot_id: 'lot_4f1c' }),
        },
        query: 'lot_id=lot_4f1c',
      },
    ],
    replies: readReplies(eligibility),
  },
  {
    operation: 'bids.get',
    id: 'A05',
    route: 'GET /bids/{bid}',
    wire: 'GET /api/v1/bids/bid_77',
    effect: 'read',
    calls: [{ name: 'by id', by: both((client) => client.bids.get('bid_77')) }],
    replies: [
      ...readReplies(detail),
      ...readReplies({ ...detail, status: 'accepted', bidder_reference: null, errors: [] }),
    ],
  },
  {
    // rule: bid.9
    operation: 'bids.lookup',
    id: 'A06',
    route: 'GET /bid-requests/{idempotency_key}',
    wire: `GET /api/v1/bid-requests/${KEY}`,
    effect: 'read',
    calls: [{ name: 'by key', by: { platform: (client) => client.bids.lookup(KEY) } }],
    replies: [
      ...readReplies(lookup),
      ...readReplies(absent),
      ...readReplies({ ...absent, state: 'processing' }),
      {
        name: 'with an empty list for an empty receipt',
        json: { data: { ...lookup, state: 'rejected', receipt: [] }, server_time: SERVER_TIME },
        read: { data: { ...lookup, state: 'rejected', receipt: {} }, server_time: SERVER_TIME },
        result: { ...lookup, state: 'rejected', receipt: {} },
        info: { serverTime: SERVER_TIME },
      },
    ],
  },
  {
    // rule: state.cancellation, version.2
    operation: 'bids.requestCancellation',
    id: 'A07',
    route: 'POST /bids/{bid}/cancellation-requests',
    wire: 'POST /api/v1/bids/bid_77/cancellation-requests',
    effect: 'command',
    calls: [
      {
        name: 'with every field',
        by: {
          platform: (client, options) =>
            client.bids.requestCancellation(
              'bid_77',
              { reason_code: 'mistake', explanation: 'Typed one zero “too” many' },
              options,
            ),
        },
        body: `{"reason_code":"mistake","explanation":"Typed one zero “too” many","idempotency_key":"${KEY}"}`,
      },
      {
        name: 'with evidence under the name that the bank gave',
        by: {
          platform: (client, options) =>
            client.bids.requestCancellation(
              'bid_77',
              { reason_code: 'mistake' },
              { ...options, extraBody: { evidence: ['doc_3'] } },
            ),
        },
        body: `{"reason_code":"mistake","idempotency_key":"${KEY}","evidence":["doc_3"]}`,
      },
    ],
    replies: commandReplies(cancellation),
  },
  {
    // rule: page.in-data
    operation: 'bidCancellations.list',
    id: 'A08',
    route: 'GET /bid-cancellation-requests',
    wire: 'GET /api/v1/bid-cancellation-requests',
    effect: 'read',
    calls: [
      {
        name: 'with a page',
        by: both((client) => client.bidCancellations.list({ page: 1 }).firstPage()),
        query: 'page=1',
      },
      { name: 'without', by: both((client) => client.bidCancellations.list().firstPage()) },
      {
        name: 'filtered by a parameter that the bank named',
        by: both((client) =>
          client.bidCancellations.list({}, { extraQuery: { decision_status: 'pending' } }).firstPage(),
        ),
        query: 'decision_status=pending',
      },
    ],
    replies: workflowPageReplies(cancellation, decided),
  },
  {
    // rule: state.cancellation
    operation: 'bidCancellations.decide',
    id: 'A09',
    route: 'POST /bid-cancellation-requests/{request}/decisions',
    wire: 'POST /api/v1/bid-cancellation-requests/can_1/decisions',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          bank: (client, options) =>
            client.bidCancellations.decide(
              'can_1',
              { decision: 'approved', reason: 'Obvious slip', expected_version: 7 },
              options,
            ),
        },
        body: `{"decision":"approved","reason":"Obvious slip","idempotency_key":"${KEY}","expected_version":7}`,
      },
      {
        name: 'by the record',
        by: {
          bank: (client, options) =>
            client.bidCancellations.decide(
              cancellation,
              { decision: 'approved', reason: 'Obvious slip' },
              options,
            ),
        },
        body: `{"decision":"approved","reason":"Obvious slip","idempotency_key":"${KEY}","expected_version":7}`,
      },
    ],
    replies: commandReplies(decided),
  },
  {
    operation: 'lots.status',
    id: 'A10',
    route: 'GET /lots/{lot}/status',
    wire: 'GET /api/v1/lots/lot_4f1c/status',
    effect: 'read',
    calls: [{ name: 'by id', by: { platform: (client) => client.lots.status('lot_4f1c') } }],
    replies: [...readReplies(lotStatus), ...readReplies(soldStatus)],
  },
  {
    operation: 'lots.statusBatch',
    id: 'A11',
    route: 'POST /lots/status-batch',
    wire: 'POST /api/v1/lots/status-batch',
    effect: 'read',
    calls: [
      {
        name: 'for a buyer',
        by: {
          platform: (client) =>
            client.lots.statusBatch({ lot_ids: ['lot_4f1c', 'lot_x'], bidder_reference: 'buyer-9' }),
        },
        body: '{"lot_ids":["lot_4f1c","lot_x"],"bidder_reference":"buyer-9"}',
      },
      {
        name: 'for nobody in particular',
        by: { platform: (client) => client.lots.statusBatch({ lot_ids: ['lot_4f1c'] }) },
        body: '{"lot_ids":["lot_4f1c"]}',
      },
    ],
    replies: [...readReplies(batch), { name: 'without a time', json: { data: batch }, result: batch }],
  },
];
