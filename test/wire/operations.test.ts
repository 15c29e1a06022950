import { createHash, createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { resources } from '../../src/api/service.js';
import { BankClient } from '../../src/client/bank-client.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { credentials, KEY, SECRET } from '../support/clients.js';
import { listen } from '../support/loopback.js';

/** Every expectation here is a literal from the API text; nothing is read from src/api but the list of operations. */
interface Case {
  readonly operation: string;
  readonly call: (partner: PartnerClient<'platform'>, bank: BankClient) => Promise<unknown>;
  readonly wire: string;
  readonly query?: string;
  /** The effective method and path that are signed. */
  readonly body?: string;
  readonly key?: string;
  readonly reply: { readonly status?: number; readonly json?: unknown; readonly bytes?: Buffer };
  readonly result: unknown;
}

const event = {
  id: 'auc_1',
  name: 'Sale',
  bid_type: 'open',
  status: 'live',
  bid_increment: '5000.00',
  revision: 3,
};
const eventLot = {
  id: 'lot_1',
  auction_id: 'auc_1',
  starting_price: '450000.00',
  own_amount: null,
  bidder_status: 'no_bid',
  channel_status: 'no_bid',
  provisional: true,
  highest_amount: null,
};
const lotSummary = {
  id: 'lot_1',
  auction_id: 'auc_1',
  title: 'Swift',
  category: 'car',
  starting_price: '450000.00',
  status: 'live',
};
const lotStatus = {
  lot_id: 'lot_1',
  auction_state: 'live',
  resource_version: 9,
  allowed_actions: ['bid'],
  sale: null,
  provisional: true,
};
const listed = {
  public_id: 'bid_1',
  bidder_reference: 'buyer-9',
  amount: '465000.00',
  status: 'accepted',
  created_at: '2026-03-02 06:00:00',
};
const receipt = { request_id: 'req_1', bid_id: 'bid_1', status: 'accepted', lot_version: 4, replayed: false };
const detail = {
  id: 'bid_1',
  lot_id: 'lot_1',
  bidder_reference: 'buyer-9',
  amount: '465000.00',
  status: 'accepted',
  lot_version: 4,
  errors: [],
};
const lookup = {
  idempotency_key: KEY,
  state: 'absent',
  observed_at: '2026-03-02T06:00:00+00:00',
  receipt: null,
  retry: 'Resend.',
};
const record = {
  id: 'can_1',
  kind: 'cancellation',
  state: 'pending',
  resource_version: 1,
  data: {
    bid_id: 'bid_1',
    reason_code: 'mistake',
    explanation: 'Typed one zero too many',
    policy_version: 'p1',
  },
  created_at: '2026-03-02T06:00:00+00:00',
  updated_at: '2026-03-02T06:00:00+00:00',
};
const profile = {
  environment: 'sandbox',
  client_id: 'cl_7f3a',
  actor_type: 'partner',
  dealer_id: 'D-204',
  scopes: ['bids:write'],
  operations: [],
};
const capabilities = { api_versions: ['v1'], webhooks: { enabled: false }, realtime: { enabled: false } };
const server_time = '2026-03-02T06:00:00+00:00';
const page = (data: readonly unknown[]) => ({ data, current_page: 1, last_page: 1, total: 1 });

const cases: readonly Case[] = [
  {
    operation: 'integration.profile',
    call: (partner) => partner.integration.profile(),
    wire: 'GET /api/v1/integration/profile',
    reply: { json: { data: profile, server_time } },
    result: profile,
  },
  {
    operation: 'integration.capabilities',
    call: (_, bank) => bank.integration.capabilities(),
    wire: 'GET /api/v1/integration/capabilities',
    reply: { json: { data: capabilities, server_time } },
    result: capabilities,
  },
  {
    operation: 'events.list',
    call: (partner) => partner.events.list({ status: 'upcoming', per_page: 100, page: 1 }).toArray(),
    wire: 'GET /api/v1/events',
    query: 'page=1&per_page=100&status=upcoming',
    reply: { json: page([event]) },
    result: [event],
  },
  {
    operation: 'events.get',
    call: (_, bank) => bank.events.get('auc_1'),
    wire: 'GET /api/v1/events/auc_1',
    reply: { json: { data: event } },
    result: event,
  },
  {
    operation: 'events.lots',
    call: (partner) =>
      partner.events.lots('auc_1', { search: 'Maruti Swift+', bidder_reference: 'buyer-9' }).toArray(),
    wire: 'GET /api/v1/events/auc_1/lots',
    query: 'bidder_reference=buyer-9&search=Maruti%20Swift%2B',
    reply: { json: page([eventLot]) },
    result: [eventLot],
  },
  {
    operation: 'events.lot',
    call: (partner) => partner.events.lot('auc_1', 'lot_1', { bidder_reference: 'buyer-9' }),
    wire: 'GET /api/v1/events/auc_1/lots/lot_1',
    query: 'bidder_reference=buyer-9',
    reply: { json: { data: eventLot } },
    result: eventLot,
  },
  {
    operation: 'events.media',
    call: async (partner) => {
      const { stream, ...about } = await partner.events.media('auc_1', 'lot_1', 901);
      const chunks: Uint8Array[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      return { ...about, text: Buffer.concat(chunks).toString() };
    },
    wire: 'GET /api/v1/events/auc_1/lots/lot_1/media/901',
    reply: { bytes: Buffer.from('photo') },
    result: { contentType: 'image/jpeg', contentLength: 5, contentDisposition: 'inline', text: 'photo' },
  },
  {
    operation: 'lots.list',
    call: (_, bank) => bank.lots.list({ page: 1 }).toArray(),
    wire: 'GET /api/v1/lots',
    query: 'page=1',
    reply: { json: page([lotSummary]) },
    result: [lotSummary],
  },
  {
    operation: 'lots.status',
    call: (partner) => partner.lots.status('lot_1'),
    wire: 'GET /api/v1/lots/lot_1/status',
    reply: { json: { data: lotStatus, server_time } },
    result: lotStatus,
  },
  {
    operation: 'lots.statusBatch',
    call: (partner) => partner.lots.statusBatch({ lot_ids: ['lot_1', 'lot_x'], bidder_reference: 'buyer-9' }),
    wire: 'POST /api/v1/lots/status-batch',
    body: '{"lot_ids":["lot_1","lot_x"],"bidder_reference":"buyer-9"}',
    reply: {
      json: {
        data: [
          { lot_id: 'lot_1', status: 200, data: lotStatus },
          { lot_id: 'lot_x', status: 404, code: 'NOT_FOUND' },
        ],
        server_time,
      },
    },
    result: [
      { lot_id: 'lot_1', status: 200, data: lotStatus },
      { lot_id: 'lot_x', status: 404, code: 'NOT_FOUND' },
    ],
  },
  {
    operation: 'bids.submit',
    call: (partner) =>
      partner.bids.submit(
        'lot_1',
        { amount: '465000', bidder_reference: 'buyer-9', client_bid_time: '2026-03-02T11:30:00+05:30' },
        { idempotencyKey: KEY },
      ),
    wire: 'POST /api/v1/lots/lot_1/bids',
    body: `{"amount":"465000","bidder_reference":"buyer-9","client_bid_time":"2026-03-02T11:30:00+05:30","dealer_id":"D-204","idempotency_key":"${KEY}"}`,
    key: KEY,
    reply: {
      status: 201,
      json: {
        success: true,
        code: 'BID_ACCEPTED',
        message: 'x',
        data: receipt,
        errors: [],
        request_id: 'req_1',
        timestamp: server_time,
      },
    },
    result: receipt,
  },
  {
    operation: 'bids.list',
    call: (_, bank) => bank.bids.list({ bidder_reference: 'buyer-9' }).toArray(),
    wire: 'GET /api/v1/bids',
    query: 'bidder_reference=buyer-9',
    reply: { json: { ...page([listed]), per_page: 25, next_page_url: null } },
    result: [listed],
  },
  {
    operation: 'bids.get',
    call: (_, bank) => bank.bids.get('bid_1'),
    wire: 'GET /api/v1/bids/bid_1',
    reply: { json: { data: detail, server_time } },
    result: detail,
  },
  {
    operation: 'bids.lookup',
    call: (partner) => partner.bids.lookup(KEY),
    wire: `GET /api/v1/bid-requests/${KEY}`,
    reply: { json: { data: lookup, server_time } },
    result: lookup,
  },
  {
    operation: 'bids.requestCancellation',
    call: (partner) =>
      partner.bids.requestCancellation(
        'bid_1',
        { reason_code: 'mistake', explanation: 'Typed one zero too many' },
        { idempotencyKey: KEY },
      ),
    wire: 'POST /api/v1/bids/bid_1/cancellation-requests',
    body: `{"reason_code":"mistake","explanation":"Typed one zero too many","idempotency_key":"${KEY}"}`,
    key: KEY,
    reply: { json: { data: record, request_id: 'req_2', server_time } },
    result: record,
  },
];

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

describe('every operation on a real socket', () => {
  it('has a case here', () => {
    const all = resources.flatMap((resource) =>
      Object.keys(resource.operations).map((name) => `${resource.name}.${name}`),
    );
    expect(cases.map((one) => one.operation).sort()).toEqual(all.sort());
  });

  it.each(cases)('$operation', async ({ call, wire, query = '', body, key, reply, result }) => {
    const received: { wire: string; headers: Record<string, unknown>; body: string }[] = [];
    await using server = await listen(
      createServer((req, res) => {
        const chunks: Buffer[] = [];
        req.on('data', (chunk: Buffer) => chunks.push(chunk));
        req.on('end', () => {
          received.push({
            wire: `${req.method} ${req.url}`,
            headers: req.headers,
            body: Buffer.concat(chunks).toString(),
          });
          const payload = reply.bytes ?? Buffer.from(JSON.stringify(reply.json));
          const type = reply.bytes === undefined ? 'application/json' : 'image/jpeg';
          res.writeHead(reply.status ?? 200, {
            'content-type': type,
            'content-length': payload.length,
            'content-disposition': 'inline',
          });
          res.end(payload);
        });
      }),
    );
    const options = { baseUrl: server.baseUrl, credentials, clock: { now: () => 1_772_431_200_999 } };
    await using partner = new PartnerClient({ ...options, partnerType: 'platform', dealerId: 'D-204' });
    await using bank = new BankClient(options);

    expect(await call(partner, bank)).toEqual(result);

    const [request] = received;
    expect(received).toHaveLength(1);
    expect(request?.wire).toBe(query === '' ? wire : `${wire}?${query}`);
    expect(request?.body).toBe(body ?? '');
    const digest = body === undefined ? EMPTY : createHash('sha256').update(body).digest('hex');
    const nonce = String(request?.headers['x-nonce']);
    const [method = '', path = ''] = wire.split(' ');
    expect(request?.headers).toMatchObject({
      'x-client-id': 'cl_7f3a',
      'x-key-id': 'key_19c2',
      'x-timestamp': '1772431200',
      'x-nonce': expect.stringMatching(/^[A-Za-z0-9_-]{16,128}$/),
      'x-content-sha256': digest,
      'x-signature': createHmac('sha256', SECRET)
        .update([method, path, query, '1772431200', nonce, digest].join('\n'))
        .digest('hex'),
    });
    expect(request?.headers['idempotency-key']).toBe(key);
    expect(request?.headers['content-type']).toBe(body === undefined ? undefined : 'application/json');
    expect(request?.headers['content-length']).toBe(
      body === undefined ? undefined : String(Buffer.byteLength(body)),
    );
    expect(String(request?.headers['accept'])).toMatch(
      reply.bytes === undefined ? /^application\/json$/ : /\*/,
    );
  });
});
