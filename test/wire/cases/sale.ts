import { KEY } from '../../support/clients.js';
import { both, type WireCase } from '../case.js';
import { commandReplies, record, recordReplies, workflowPageReplies } from '../replies.js';

const sale = record({
  id: 'sale_5',
  kind: 'sale',
  state: 'approved',
  data: {
    bid_id: 'bid_77',
    bidder_reference: 'buyer-9',
    amount: '465000.00',
    currency: 'INR',
    terms_version: 'T-3',
    acknowledged_at: null,
    lot_id: 'lot_4f1c',
    due_at: '2026-03-05T18:00:00+05:30',
    payee_instructions: { account: '0011', ifsc: 'BANK0000001' },
    payee_version: 2,
  },
});

const saleDetail = {
  ...sale,
  data: { ...sale.data, active_offer: { id: 'off_2', state: 'accepted', amount: '470000.00' } },
};

const offer = record({
  id: 'off_2',
  kind: 'offer',
  state: 'open',
  data: {
    amount: '470000.00',
    currency: 'INR',
    terms_version: 'T-3',
    valid_until: '2026-03-03T18:00:00+05:30',
    reason: 'Above the reserve',
  },
});

const answered = { ...offer, state: 'accepted', data: { ...offer.data, decision: 'accepted' } };

const cancellation = record({
  id: 'sca_1',
  kind: 'sale_cancellation',
  state: 'pending',
  data: { reason_code: 'buyer_withdrew', explanation: 'Loan refused' },
});

const decided = {
  ...cancellation,
  state: 'approved',
  data: { ...cancellation.data, decision: 'approved', reason: 'Agreed with the buyer' },
};

const approval = {
  decision: 'approved',
  bid_id: 'bid_77',
  reason: 'Highest valid bid',
  terms_version: 'T-3',
  due_at: '2026-03-05T18:00:00+05:30',
  payee_instructions: { account: '0011', ifsc: 'BANK0000001' },
  offer_id: 'off_2',
};

const approvalBody = `{"decision":"approved","bid_id":"bid_77","reason":"Highest valid bid","terms_version":"T-3","due_at":"2026-03-05T18:00:00+05:30","payee_instructions":{"account":"0011","ifsc":"BANK0000001"},"idempotency_key":"${KEY}","expected_version":7,"offer_id":"off_2"}`;

const newOffer = {
  amount: '470000.00',
  currency: 'INR',
  terms_version: 'T-3',
  valid_until: '2026-03-03T18:00:00+05:30',
  reason: 'Above the reserve',
} as const;

const offerBody = `{"amount":"470000.00","currency":"INR","terms_version":"T-3","valid_until":"2026-03-03T18:00:00+05:30","reason":"Above the reserve","expected_version":7,"idempotency_key":"${KEY}"}`;

export const sales: readonly WireCase[] = [
  {
    // rule: page.in-data
    operation: 'saleCases.list',
    id: 'A20',
    route: 'GET /sale-cases',
    wire: 'GET /api/v1/sale-cases',
    effect: 'read',
    calls: [
      {
        name: 'with a page',
        by: both((client) => client.saleCases.list({ page: 4 }).firstPage()),
        query: 'page=4',
      },
      { name: 'without', by: both((client) => client.saleCases.list().firstPage()) },
    ],
    replies: workflowPageReplies(sale, { ...sale, id: 'sale_6' }),
  },
  {
    // rule: state.sale
    operation: 'saleCases.get',
    id: 'A21',
    route: 'GET /sale-cases/{sale}',
    wire: 'GET /api/v1/sale-cases/sale_5',
    effect: 'read',
    calls: [{ name: 'by id', by: both((client) => client.saleCases.get('sale_5')) }],
    replies: [
      ...recordReplies(saleDetail),
      ...recordReplies({
        ...sale,
        data: { ...sale.data, active_offer: null, payee_instructions: 'By wire' },
      }),
    ],
  },
  {
    // rule: general.4, state.sale
    operation: 'saleCases.decide',
    id: 'A22',
    route: 'POST /sale-cases/{sale}/decisions',
    wire: 'POST /api/v1/sale-cases/sale_5/decisions',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          bank: (client, options) =>
            client.saleCases.decide('sale_5', { ...approval, expected_version: 7 }, options),
        },
        body: approvalBody,
      },
      {
        name: 'by the record',
        by: { bank: (client, options) => client.saleCases.decide(saleDetail, approval, options) },
        body: approvalBody,
      },
      {
        name: 'without an offer, terms counted in numbers',
        by: {
          bank: (client, options) =>
            client.saleCases.decide(
              'sale_5',
              {
                decision: 'approved',
                bid_id: 'bid_77',
                terms_version: 3,
                due_at: '2026-03-05T12:30:00Z',
                payee_instructions: 'By wire',
                expected_version: 0,
              },
              options,
            ),
        },
        body: `{"decision":"approved","bid_id":"bid_77","terms_version":3,"due_at":"2026-03-05T12:30:00Z","payee_instructions":"By wire","idempotency_key":"${KEY}","expected_version":0}`,
      },
    ],
    replies: commandReplies(sale),
  },
  {
    // rule: state.sale
    operation: 'saleCases.acknowledge',
    id: 'A23',
    route: 'POST /sale-cases/{sale}/acknowledgments',
    wire: 'POST /api/v1/sale-cases/sale_5/acknowledgments',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          platform: (client, options) =>
            client.saleCases.acknowledge('sale_5', { terms_version: 'T-3', expected_version: 7 }, options),
        },
        body: `{"terms_version":"T-3","idempotency_key":"${KEY}","expected_version":7}`,
      },
      {
        name: 'by the record',
        by: {
          platform: (client, options) =>
            client.saleCases.acknowledge(sale, { terms_version: 'T-3' }, options),
        },
        body: `{"terms_version":"T-3","idempotency_key":"${KEY}","expected_version":7}`,
      },
    ],
    replies: commandReplies({
      ...sale,
      data: { ...sale.data, acknowledged_at: '2026-03-02T06:00:00+00:00' },
    }),
  },
  {
    // rule: state.offer
    operation: 'saleCases.offer',
    id: 'A24',
    route: 'POST /sale-cases/{sale}/offers',
    wire: 'POST /api/v1/sale-cases/sale_5/offers',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          bank: (client, options) =>
            client.saleCases.offer('sale_5', { ...newOffer, expected_version: 7 }, options),
        },
        body: offerBody,
      },
      {
        name: 'by the record',
        by: { bank: (client, options) => client.saleCases.offer(sale, newOffer, options) },
        body: offerBody,
      },
    ],
    replies: commandReplies(offer),
  },
  {
    // rule: state.offer
    operation: 'offers.respond',
    id: 'A25',
    route: 'POST /offers/{offer}/responses',
    wire: 'POST /api/v1/offers/off_2/responses',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          platform: (client, options) =>
            client.offers.respond(
              'off_2',
              { decision: 'accepted', terms_version: 'T-3', reason: 'Fair', expected_version: 7 },
              options,
            ),
        },
        body: `{"decision":"accepted","terms_version":"T-3","reason":"Fair","expected_version":7,"idempotency_key":"${KEY}"}`,
      },
      {
        name: 'by the record',
        by: {
          platform: (client, options) =>
            client.offers.respond(
              offer,
              { decision: 'accepted', terms_version: 'T-3', reason: 'Fair' },
              options,
            ),
        },
        body: `{"decision":"accepted","terms_version":"T-3","reason":"Fair","expected_version":7,"idempotency_key":"${KEY}"}`,
      },
      {
        name: 'declined, with what it must have',
        by: {
          platform: (client, options) =>
            client.offers.respond(
              'off_2',
              { decision: 'declined', terms_version: 'T-3', expected_version: 7 },
              options,
            ),
        },
        body: `{"decision":"declined","terms_version":"T-3","expected_version":7,"idempotency_key":"${KEY}"}`,
      },
    ],
    replies: commandReplies(answered),
  },
  {
    // rule: state.sale-cancellation
    operation: 'saleCases.requestCancellation',
    id: 'A26',
    route: 'POST /sale-cases/{sale}/cancellation-requests',
    wire: 'POST /api/v1/sale-cases/sale_5/cancellation-requests',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: both((client, options) =>
          client.saleCases.requestCancellation(
            'sale_5',
            { reason_code: 'buyer_withdrew', explanation: 'Loan refused', expected_version: 7 },
            options,
          ),
        ),
        body: `{"reason_code":"buyer_withdrew","explanation":"Loan refused","expected_version":7,"idempotency_key":"${KEY}"}`,
      },
      {
        name: 'by the record',
        by: both((client, options) =>
          client.saleCases.requestCancellation(
            sale,
            { reason_code: 'buyer_withdrew', explanation: 'Loan refused' },
            options,
          ),
        ),
        body: `{"reason_code":"buyer_withdrew","explanation":"Loan refused","expected_version":7,"idempotency_key":"${KEY}"}`,
      },
    ],
    replies: commandReplies(cancellation),
  },
  {
    // rule: state.sale-cancellation
    operation: 'saleCancellations.decide',
    id: 'A27',
    route: 'POST /sale-cancellation-requests/{request}/decisions',
    wire: 'POST /api/v1/sale-cancellation-requests/sca_1/decisions',
    effect: 'command',
    calls: [
      {
        name: 'by id and version',
        by: {
          bank: (client, options) =>
            client.saleCancellations.decide(
              'sca_1',
              { decision: 'approved', reason: 'Agreed with the buyer', expected_version: 7 },
              options,
            ),
        },
        body: `{"decision":"approved","reason":"Agreed with the buyer","expected_version":7,"idempotency_key":"${KEY}"}`,
      },
      {
        name: 'by the record',
        by: {
          bank: (client, options) =>
            client.saleCancellations.decide(
              cancellation,
              { decision: 'approved', reason: 'Agreed with the buyer' },
              options,
            ),
        },
        body: `{"decision":"approved","reason":"Agreed with the buyer","expected_version":7,"idempotency_key":"${KEY}"}`,
      },
    ],
    replies: commandReplies(decided),
  },
];
