import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { leader } from '../../src/sandbox/auctions/standings.js';
import type { Bid, Lot } from '../../src/sandbox/auctions/store.js';
import { type Attempt, type FaultPlan, type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { type Got, get, lotOf, plus, send } from './caller.js';
import { bodyOf, rawExchange, rawRequest, statusOf } from './raw.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z' });
});
afterEach(() => sandbox.close());

const profile = '/api/v1/integration/profile';
const key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
const dealer = () => sandbox.credentials.dealer;

const bidRequest = (index = 0) => {
  const lot = lotOf(sandbox, 'live-open', index);
  return {
    path: `/api/v1/lots/${lot.id}/bids`,
    body: { dealer_id: 'D-204', amount: lot.startingPrice, idempotency_key: key },
    headers: { 'Idempotency-Key': key },
  };
};
const placed = () => send(sandbox, dealer(), bidRequest());
const lookup = async () => (await get(sandbox, dealer(), `/api/v1/bid-requests/${key}`)).json.data.state;
const listed = async () => (await get(sandbox, dealer(), '/api/v1/bids')).json.total;

/** What a client sees of a reply, however it came. */
interface Seen {
  status: number;
  text: string;
  header(name: string): string | null;
}

/** The two ways to the service; `null` when the connection is cut. */
const doors: [string, (sent: ReturnType<typeof bidRequest>) => Promise<Seen | null>][] = [
  [
    'over HTTP',
    async (sent) => {
      const reply = await rawExchange(sandbox, rawRequest(sandbox, dealer(), sent));
      if (reply === '') return null;
      const head = reply.slice(0, reply.indexOf('\r\n\r\n') + 2);
      const header = (name: string) => new RegExp(`^${name}: (.*)\\r$`, 'im').exec(head)?.[1] ?? null;
      return { status: statusOf(reply), text: bodyOf(reply), header };
    },
  ],
  [
    'in process',
    async (sent) => {
      const got = await send(sandbox, dealer(), sent).catch(() => null);
      return got && { status: got.status, text: got.text, header: (name: string) => got.headers.get(name) };
    },
  ],
];

const html = '<html><body><h1>Bad Gateway</h1></body></html>';
const envelope =
  /^\{"success":false,"code":"[A-Z_]+",.*"data":null,"errors":\["[A-Z_]+"\],"request_id":"req_/;

describe.each(doors)('%s', (_, through) => {
  const cases: [string, FaultPlan, number, string | RegExp, string][] = [
    ['500', { fault: 'error_after_commit' }, 500, '{"message":"Server error."}', 'accepted'],
    ['502 as HTML', { fault: 'error_after_commit', status: 502, shape: 'html' }, 502, html, 'accepted'],
    ['503 without a body', { fault: 'error_before_commit', status: 503, shape: 'empty' }, 503, '', 'absent'],
    [
      '504 with a message',
      { fault: 'error_before_commit', status: 504, shape: 'message' },
      504,
      '{"message":"Server error."}',
      'absent',
    ],
    ['HTML', { fault: 'garbage' }, 502, html, 'absent'],
    ['half of a JSON text', { fault: 'garbage', content: 'half_json' }, 200, '{"data":{"id', 'absent'],
    [
      'half of the real reply',
      { fault: 'garbage', content: 'half_json', commit: true, status: 201 },
      201,
      /^\{"success":true,.*[^}]$/,
      'accepted',
    ],
    [
      'JSON of another shape',
      { fault: 'garbage', content: 'other_json' },
      200,
      '[{"unexpected":true}]',
      'absent',
    ],
    ['no byte', { fault: 'garbage', content: 'empty' }, 200, '', 'absent'],
    ['null', { fault: 'garbage', content: 'null' }, 200, 'null', 'absent'],
    [
      'the real reply, mislabelled',
      { fault: 'garbage', content: 'wrong_type', commit: true },
      200,
      /^\{"success":true,.*\}$/,
      'accepted',
    ],
    ['a chosen body', { fault: 'garbage', body: 'ok', contentType: 'text/plain' }, 200, 'ok', 'absent'],
    ['a code', { fault: 'refuse', code: 'NONCE_REPLAYED' }, 409, envelope, 'absent'],
    [
      'a code after the commit',
      { fault: 'refuse', code: 'NONCE_REPLAYED', commit: true },
      409,
      envelope,
      'accepted',
    ],
    ['TIMESTAMP_EXPIRED', { fault: 'refuse', code: 'TIMESTAMP_EXPIRED' }, 401, envelope, 'absent'],
    [
      'another status of a code',
      { fault: 'refuse', code: 'BANK_UNAVAILABLE', status: 403 },
      403,
      envelope,
      'absent',
    ],
    ['NOT_FOUND', { fault: 'refuse', code: 'NOT_FOUND' }, 404, '{"message":"Not found."}', 'absent'],
    ['a bare 404', { fault: 'refuse', status: 404 }, 404, '{"message":"Refused."}', 'absent'],
    [
      'invalid fields',
      { fault: 'refuse', fields: { amount: ['Too round.'] } },
      422,
      '{"message":"The given data was invalid.","errors":{"amount":["Too round."]}}',
      'absent',
    ],
  ];
  test.each(cases)('%s', async (_name, plan, status, text, state) => {
    sandbox.inject({ operation: 'bids.submit', ...plan });
    const seen = await through(bidRequest());
    expect(seen?.status).toBe(status);
    if (typeof text === 'string') expect(seen?.text).toBe(text);
    else expect(seen?.text).toMatch(text);
    expect(await lookup()).toBe(state);
    expect(sandbox.ledger()).toHaveLength(state === 'accepted' ? 1 : 0);
    expect(sandbox.attempts()[0]?.fault).toBe(plan.fault);
  });

  // rule: error.any-shape
  test.each([
    ['html', 'text/html; charset=utf-8'],
    ['half_json', 'application/json'],
    ['wrong_type', 'text/plain'],
  ] as const)('%s is declared as %s', async (content, type) => {
    sandbox.inject({ fault: 'garbage', content });
    expect((await through(bidRequest()))?.header('Content-Type')).toBe(type);
  });

  test.each([
    [{ fault: 'rate_limit' }, '1'],
    [{ fault: 'rate_limit', retryAfter: 30, form: 'seconds' }, '30'],
    [{ fault: 'rate_limit', retryAfter: 30, form: 'http-date' }, 'Sun, 01 Mar 2026 10:00:30 GMT'],
    [{ fault: 'rate_limit', form: 'absent' }, null],
  ] satisfies [FaultPlan, string | null][])('%o: Retry-After %s', async (plan, value) => {
    sandbox.inject(plan);
    const seen = await through(bidRequest());
    expect([seen?.status, seen?.header('Retry-After')]).toEqual([429, value]);
    expect(seen?.text).toBe('{"message":"Too many requests."}');
  });

  test('a code that rejects bids is recorded, and replays', async () => {
    sandbox.inject({ fault: 'refuse', code: 'BUYER_NOT_ENTITLED_TO_CLIENT', operation: 'bids.submit' });
    const first = JSON.parse((await through(bidRequest()))?.text ?? '');
    expect([first.code, first.errors, first.data.status]).toEqual([
      'BUYER_NOT_ENTITLED_TO_CLIENT',
      ['BUYER_NOT_ENTITLED_TO_CLIENT'],
      'rejected',
    ]);
    expect(await lookup()).toBe('rejected');
    const again = await through(bidRequest());
    expect([again?.status, JSON.parse(again?.text ?? '').data.replayed]).toEqual([422, true]);
    expect(sandbox.ledger()).toEqual([]);
  });

  test('processing: cut at once, judged later, as having come in time', async () => {
    sandbox.auctions.moveClose('live-open', sandbox.clock.now() + 1_000);
    sandbox.inject({ fault: 'processing', ms: 5_000 });
    expect(await through(bidRequest())).toBeNull();
    expect([await lookup(), sandbox.ledger().length]).toEqual(['processing', 0]);
    sandbox.clock.advance(4_999);
    expect(await lookup()).toBe('processing');
    sandbox.clock.advance(1);
    await turn();
    expect([await lookup(), sandbox.ledger().length]).toEqual(['accepted', 1]);
  });

  // rule: code.server
  test('processing, with a gateway’s 504', async () => {
    sandbox.inject({ fault: 'processing', ms: 5_000, status: 504 });
    expect((await through(bidRequest()))?.status).toBe(504);
    expect(await lookup()).toBe('processing');
  });

  test('late_copy: cut at once, carried out as it was sent, once', async () => {
    sandbox.inject({ fault: 'late_copy', ms: 60_000, times: 1 });
    expect(await through(bidRequest())).toBeNull();
    expect([await lookup(), sandbox.ledger().length]).toEqual(['absent', 0]);
    sandbox.clock.advance(60_000);
    await turn();
    expect([await lookup(), sandbox.ledger().length]).toEqual(['accepted', 1]);
    const [first, , copy] = sandbox.attempts();
    expect([first?.status, first?.fault, copy?.status, copy?.fault]).toEqual([
      'dropped',
      'late_copy',
      201,
      null,
    ]);
    expect([copy?.nonce, copy?.idempotencyKey, copy?.n]).toEqual([first?.nonce, key, 3]);
  });

  test('forget: a retry is a new bid', async () => {
    sandbox.inject({ fault: 'forget', operation: 'bids.submit' });
    expect((await through(bidRequest()))?.status).toBe(201);
    expect([await lookup(), await listed()]).toEqual(['absent', 1]);
    const again = JSON.parse((await through(bidRequest()))?.text ?? '');
    expect([again.code, again.data.replayed]).toEqual(['BID_BELOW_MINIMUM', false]);
  });
});

describe('late copies', () => {
  test.each([
    ['its timestamp has expired', 300_001, 'TIMESTAMP_EXPIRED', 0],
    ['at the last moment', 300_000, 'BID_ACCEPTED', 1],
  ])('%s', async (_, ms, code, bids) => {
    sandbox.inject({ fault: 'late_copy', ms });
    await expect(placed()).rejects.toThrow(TypeError);
    sandbox.clock.advance(ms);
    await turn();
    expect(sandbox.attempts().at(-1)?.code).toBe(code);
    expect(sandbox.ledger()).toHaveLength(bids);
  });

  test('its nonce was spent meanwhile', async () => {
    const sent = { ...bidRequest(), sign: { nonce: 'the-nonce-of-both-copies' } };
    sandbox.inject({ fault: 'late_copy', ms: 1_000 });
    await expect(send(sandbox, dealer(), sent)).rejects.toThrow(TypeError);
    expect((await send(sandbox, dealer(), sent)).status).toBe(201);
    sandbox.clock.advance(1_000);
    await turn();
    expect(sandbox.attempts().at(-1)?.code).toBe('NONCE_REPLAYED');
    expect(sandbox.ledger()).toHaveLength(1);
  });

  test('a retry came first: the copy replays', async () => {
    sandbox.inject({ fault: 'late_copy', ms: 1_000 });
    await expect(placed()).rejects.toThrow(TypeError);
    expect((await placed()).status).toBe(201);
    sandbox.clock.advance(1_000);
    await turn();
    expect(sandbox.attempts().at(-1)).toMatchObject({ status: 200, reply: { data: { replayed: true } } });
    expect(sandbox.ledger()).toHaveLength(1);
  });

  test('the auction closed meanwhile', async () => {
    sandbox.auctions.moveClose('live-open', sandbox.clock.now() + 1_000);
    sandbox.inject({ fault: 'late_copy', ms: 1_000 });
    await expect(placed()).rejects.toThrow(TypeError);
    sandbox.clock.advance(1_000);
    await turn();
    expect(sandbox.attempts().at(-1)?.code).toBe('LOT_NOT_LIVE');
  });

  test('no fault strikes them, and none arrives after the end', async () => {
    sandbox.inject({ fault: 'late_copy', ms: 1_000, times: Number.POSITIVE_INFINITY });
    await expect(placed()).rejects.toThrow(TypeError);
    sandbox.clock.advance(1_000);
    await turn();
    expect(sandbox.ledger()).toHaveLength(1);
    await expect(get(sandbox, dealer(), profile)).rejects.toThrow(TypeError);
    const arrived = sandbox.attempts().length;
    await sandbox.close();
    sandbox.clock.advance(1_000);
    await turn();
    expect(sandbox.attempts()).toHaveLength(arrived);
  });
});

describe('forgetting', () => {
  test('the record too: the bid is gone, and may be placed again', async () => {
    sandbox.inject({ fault: 'forget', what: 'record' });
    expect((await placed()).status).toBe(201);
    expect([await lookup(), await listed()]).toEqual(['absent', 0]);
    const again = await placed();
    expect([again.status, again.json.data.replayed]).toEqual([201, false]);
    expect(await listed()).toBe(1);
  });

  test('whoever is undone leads no more, whatever came after', () => {
    const placed = (amount: bigint) => ({ amount, buyer: 'somebody' }) as Bid;
    const [first, second, third] = [placed(100n), placed(50n), placed(40n)];
    const lot = { accepted: [first] } as Partial<Lot> as Lot;
    expect(leader(lot)).toBe(first);
    lot.accepted.splice(0, 1, second, third);
    expect(leader(lot)).toBe(second);
    lot.accepted.splice(0, 1);
    expect(leader(lot)).toBe(third);
    lot.accepted.length = 0;
    expect(leader(lot)).toBeUndefined();
    lot.accepted.push(second, first);
    expect(leader(lot)).toBe(first);
  });

  test('with drop: the client learns nothing', async () => {
    sandbox.inject({ fault: 'forget', drop: true });
    await expect(placed()).rejects.toThrow(TypeError);
    expect([await lookup(), await listed()]).toEqual(['absent', 1]);
  });

  test('a command: it is done twice', async () => {
    const bid = (await placed()).json.data.bid_id;
    const body = { idempotency_key: key.replace('3f', '4f'), reason_code: 'mistake', explanation: 'x' };
    const request = () =>
      send(sandbox, dealer(), {
        path: `/api/v1/bids/${bid}/cancellation-requests`,
        body,
        headers: { 'Idempotency-Key': body.idempotency_key },
      });
    sandbox.inject({ fault: 'forget', operation: 'bids.requestCancellation' });
    expect((await request()).status).toBe(200);
    const again = await request();
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([409, null]);
  });
});

describe('a skewed clock', () => {
  const date = 'Sun, 01 Mar 2026 10:10:00 GMT';

  test('Date, server times, timestamps and what is live: until it is withdrawn', async () => {
    const withdraw = sandbox.inject({ fault: 'skew', ms: 600_000 });
    const refused = await get(sandbox, dealer(), profile);
    expect([refused.status, refused.json.code, refused.json.timestamp, refused.headers.get('date')]).toEqual([
      401,
      'TIMESTAMP_EXPIRED',
      '2026-03-01T10:10:00.000Z',
      date,
    ]);
    const timestamp = String(Date.parse('2026-03-01T10:10:00Z') / 1_000);
    const read = await send(sandbox, dealer(), { path: profile, sign: { timestamp } });
    expect([read.status, read.json.server_time]).toEqual([200, '2026-03-01T10:10:00.000Z']);
    sandbox.auctions.moveClose('live-open', '2026-03-01T10:05:00Z');
    const late = await send(sandbox, dealer(), { ...bidRequest(), sign: { timestamp } });
    expect([late.json.code, late.json.data.server_received_at]).toEqual([
      'LOT_NOT_LIVE',
      '2026-03-01T10:10:00.000Z',
    ]);
    const nowhere = await sandbox.fetch(`${sandbox.baseUrl}/nowhere`);
    expect(nowhere.headers.get('date')).toBe(date);
    withdraw();
    const after = await get(sandbox, dealer(), profile);
    expect([after.status, after.headers.get('date')]).toEqual([200, 'Sun, 01 Mar 2026 10:00:00 GMT']);
  });

  test('a clock that is behind, of one operation', async () => {
    sandbox.inject({ fault: 'skew', ms: -301_000, operation: 'integration.profile' });
    expect((await get(sandbox, dealer(), profile)).json.code).toBe('TIMESTAMP_EXPIRED');
    expect((await get(sandbox, dealer(), '/api/v1/bids')).status).toBe(200);
  });

  test('a clock that is behind lets nobody bid on what is awarded', async () => {
    expect((await placed()).status).toBe(201);
    sandbox.auctions.close('live-open');
    sandbox.clock.advance(30_000);
    sandbox.inject({ fault: 'skew', ms: -60_000 });
    const before = sandbox.ledger();
    const lot = lotOf(sandbox, 'live-open');
    const other = '4f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
    const late = await send(sandbox, dealer(), {
      path: `/api/v1/lots/${lot.id}/bids`,
      body: { dealer_id: 'D-204', amount: plus(lot.startingPrice, 10_000), idempotency_key: other },
      headers: { 'Idempotency-Key': other },
    });
    expect([late.status, late.json.errors]).toEqual([422, ['LOT_NOT_LIVE']]);
    expect(late.json.data.server_received_at).toBe('2026-03-01T09:59:30.000Z');
    expect(sandbox.ledger()).toEqual(before);
  });

  test('it leaves room for other faults, and is not noted as one', async () => {
    sandbox.inject({ fault: 'skew', ms: 1_000 });
    sandbox.inject({ fault: 'error_before_commit' });
    const reply = await get(sandbox, dealer(), profile);
    expect([reply.status, reply.headers.get('date')]).toEqual([500, 'Sun, 01 Mar 2026 10:00:01 GMT']);
    expect((await get(sandbox, dealer(), profile)).json.server_time).toBe('2026-03-01T10:00:01.000Z');
    expect(sandbox.attempts().map(({ fault }) => fault)).toEqual(['error_before_commit', null]);
  });
});

describe('which requests are struck', () => {
  const statuses = async (...sent: Promise<Got>[]) => (await Promise.all(sent)).map(({ status }) => status);
  const read = (query = '') => get(sandbox, dealer(), '/api/v1/bids', query);

  test('those that where() is true of', async () => {
    const asked: Attempt[] = [];
    const where = (attempt: Attempt) => {
      asked.push(attempt);
      return attempt.query['page'] === '2';
    };
    sandbox.inject({ fault: 'error_before_commit', operation: 'bids.list', where, times: 2 });
    expect((await get(sandbox, dealer(), profile)).status).toBe(200);
    expect(await statuses(read('page=1'), read('page=2'), read(), read('page=2'), read('page=2'))).toEqual([
      200, 500, 200, 500, 200,
    ]);
    expect(asked.every(({ call, status }) => call === 'bids.list' && status === 'pending')).toBe(true);
  });

  test('by what the body says', async () => {
    sandbox.inject({
      fault: 'drop_after_commit',
      where: ({ request }) => (request as { amount?: string } | null)?.amount === '1.00',
    });
    expect((await placed()).status).toBe(201);
  });

  test('where() and nth together: the nth that it is true of', async () => {
    sandbox.inject({ fault: 'error_before_commit', where: ({ query }) => query['page'] === '2', nth: 2 });
    expect(await statuses(read('page=2'), read('page=1'), read('page=2'))).toEqual([200, 200, 500]);
  });

  test('a where() that throws is told to the caller', async () => {
    sandbox.inject({
      fault: 'garbage',
      where: () => {
        throw new Error('no such thing');
      },
    });
    const { status, json } = await read();
    expect([status, json.message]).toEqual([
      500,
      'The where() of an injected fault threw Error: no such thing.',
    ]);
    expect(sandbox.ledger()).toEqual([]);
  });

  test('those of one client', async () => {
    sandbox.inject({ fault: 'garbage', client: sandbox.credentials.platform.clientId });
    expect((await read()).status).toBe(200);
    expect((await get(sandbox, sandbox.credentials.platform, '/api/v1/bids')).status).toBe(502);
  });

  test('all of them, until withdrawn', async () => {
    const withdraw = sandbox.inject({ fault: 'garbage', times: Number.POSITIVE_INFINITY });
    for (let n = 0; n < 50; n += 1) expect((await read()).status).toBe(502);
    withdraw();
    withdraw();
    expect((await read()).status).toBe(200);
  });

  test('one of two methods with one operation id', async () => {
    sandbox.inject({ fault: 'garbage', operation: 'documents.download' });
    expect((await get(sandbox, dealer(), '/api/v1/documents/doc_1')).status).toBe(404);
    expect((await get(sandbox, dealer(), '/api/v1/documents/doc_1', 'download=1')).status).toBe(502);
  });
});

describe('what can’t be meant is refused', () => {
  const refused: [Record<string, unknown>][] = [
    [{ fault: 'oops' }],
    [{ fault: 'drop_after_commit', ms: 5 }],
    [{ fault: 'rate_limit', retry_after: 5 }],
    [{ fault: 'skew', ms: 5, times: 1 }],
    [{ fault: 'delay' }],
    [{ fault: 'delay', ms: -1 }],
    [{ fault: 'late_copy', ms: Number.NaN }],
    [{ fault: 'processing', ms: Number.POSITIVE_INFINITY }],
    [{ fault: 'skew' }],
    [{ fault: 'skew', ms: -1e12 }],
    [{ fault: 'rate_limit', form: 'http-date', retryAfter: 1e12 }],
    [{ fault: 'redirect', location: '/\r\nSet-Cookie: a=b' }],
    [{ fault: 'redirect', location: '' }],
    [{ fault: 'garbage', body: 'x', contentType: 'a/b\nX: y' }],
    [{ fault: 'error_after_commit', status: 404 }],
    [{ fault: 'processing', ms: 1, status: 200 }],
    [{ fault: 'error_after_commit', shape: 'xml' }],
    [{ fault: 'forget', what: 'all' }],
    [{ fault: 'rate_limit', retryAfter: -1 }],
    [{ fault: 'rate_limit', form: 'date' }],
    [{ fault: 'refuse' }],
    [{ fault: 'refuse', code: 'OOPS' }],
    [{ fault: 'refuse', code: 'KEY_REVOKED', status: 403 }],
    [{ fault: 'refuse', status: 500 }],
    [{ fault: 'refuse', code: 'KEY_REVOKED', fields: { a: ['b'] } }],
    [{ fault: 'refuse', status: 422, fields: { a: ['b'] } }],
    [{ fault: 'garbage', content: 'xml' }],
    [{ fault: 'garbage', content: 'null', body: 'x' }],
    [{ fault: 'garbage', contentType: 'text/plain' }],
    [{ fault: 'garbage', status: 99 }],
    [{ fault: 'truncate', bytes: 1.5 }],
    [{ fault: 'slow', bytesPerMs: 0 }],
    [{ fault: 'slow', stallAfter: -1 }],
    [{ fault: 'slow', part: 'tail' }],
    [{ fault: 'redirect', status: 200 }],
    [{ fault: 'garbage', client: 'nobody' }],
    [{ fault: 'garbage', where: 'A22' }],
    [{ fault: 'garbage', times: 0 }],
    [{ fault: 'garbage', nth: Number.POSITIVE_INFINITY }],
  ];
  test.each(refused)('%o', async (plan) => {
    const field = Object.keys(plan).at(-1) === 'fault' ? 'plan' : String(Object.keys(plan).at(-1));
    expect(() => sandbox.inject(plan as FaultPlan)).toThrow(RangeError);
    expect(() => sandbox.inject(plan as FaultPlan)).toThrow(field);
    expect((await get(sandbox, dealer(), profile)).status).toBe(200);
  });
});

/** Lets what is settled by now go on. */
async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
