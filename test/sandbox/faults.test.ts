import { describe, expect, test } from 'vitest';
import type { FaultPlan, Sandbox, SandboxAttempt } from '../../src/sandbox/index.js';
import {
  bid,
  dealer,
  freshSandbox,
  type Got,
  get,
  lotOf,
  plus,
  profile,
  type Sent,
  sandbox,
  send,
} from './caller.js';
import { bodyOf, rawExchange, rawRequest, statusOf } from './raw.js';
import { command } from './workflow.js';

freshSandbox();

const key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';

const bidRequest = (): Sent => {
  const lot = lotOf(sandbox, 'live-open');
  return {
    path: `/api/v1/lots/${lot.id}/bids`,
    body: { dealer_id: 'D-204', amount: lot.startingPrice, idempotency_key: key },
    headers: { 'Idempotency-Key': key },
  };
};
const placed = () => send(sandbox, dealer(), bidRequest());
const overSocket = (sent = bidRequest()) => rawExchange(sandbox, rawRequest(sandbox, dealer(), sent));
const lookup = async () => (await get(sandbox, dealer(), `/api/v1/bid-requests/${key}`)).json.data.state;
const listed = async () => (await get(sandbox, dealer(), '/api/v1/bids')).json.total;
/** Lets what is settled by now go on. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
/** Waits, without a clock, until the latest bid has this status in the log. */
async function arrival(status: number | 'pending' = 'pending') {
  while (sandbox.attempts().findLast(({ call }) => call === 'bids.submit')?.status !== status) await turn();
}

/** What a client sees of a reply, however it came. */
interface Seen {
  status: number;
  text: string;
  header(name: string): string | null;
}

/** The two ways to the service; `null` when the connection is cut. */
const ways: [string, (sent: Sent) => Promise<Seen | null>][] = [
  [
    'over HTTP',
    async (sent) => {
      const reply = await overSocket(sent);
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

const message = /^\{"message":"[^"]+"\}$/;
const html = /^<html>.*<\/html>$/;
const real = /^\{"success":true,.*\}$/;
const code = /^\{"success":false,"code":"[A-Z_]+",.*"data":null,"errors":\["[A-Z_]+"\],"request_id":"req_/;
const nothing = /^$/;
const half = /^\{"success":true,.*[^}]$/;
const fields = /^\{"message":"[^"]+","errors":\{"amount":\["Too round."\]\}\}$/;

/** What the client sees of a bid (nothing at all: null), and whether it is placed. */
const outcomes: [FaultPlan, number | null, RegExp, boolean][] = [
  [{ fault: 'drop_before_commit' }, null, nothing, false],
  [{ fault: 'drop_after_commit' }, null, nothing, true],
  [{ fault: 'error_before_commit' }, 500, message, false],
  [{ fault: 'error_after_commit' }, 500, message, true],
  [{ fault: 'error_after_commit', status: 502, shape: 'html' }, 502, html, true],
  [{ fault: 'error_before_commit', status: 503, shape: 'empty' }, 503, nothing, false],
  [{ fault: 'error_before_commit', status: 504, shape: 'message' }, 504, message, false],
  [{ fault: 'rate_limit' }, 429, message, false],
  [{ fault: 'rate_limit', commit: true }, 429, message, true],
  [{ fault: 'redirect', location: 'https://evil.example/x' }, 307, /./, false],
  [{ fault: 'redirect', status: 302, commit: true }, 302, /./, true],
  [{ fault: 'garbage' }, 502, html, false],
  [{ fault: 'garbage', status: 200, commit: true }, 200, html, true],
  [{ fault: 'garbage', content: 'half_json' }, 200, /^\{"data":\{"id$/, false],
  [{ fault: 'garbage', content: 'half_json', commit: true, status: 201 }, 201, half, true],
  [{ fault: 'garbage', content: 'other_json' }, 200, /^\[\{"unexpected":true\}\]$/, false],
  [{ fault: 'garbage', content: 'empty' }, 200, nothing, false],
  [{ fault: 'garbage', content: 'null' }, 200, /^null$/, false],
  [{ fault: 'garbage', content: 'wrong_type', commit: true }, 200, real, true],
  [{ fault: 'garbage', body: 'ok', contentType: 'text/plain' }, 200, /^ok$/, false],
  [{ fault: 'refuse', code: 'NONCE_REPLAYED' }, 409, code, false],
  [{ fault: 'refuse', code: 'NONCE_REPLAYED', commit: true }, 409, code, true],
  [{ fault: 'refuse', code: 'TIMESTAMP_EXPIRED' }, 401, code, false],
  [{ fault: 'refuse', code: 'BANK_UNAVAILABLE', status: 403 }, 403, code, false],
  [{ fault: 'refuse', code: 'NOT_FOUND' }, 404, message, false],
  [{ fault: 'refuse', status: 404 }, 404, message, false],
  [{ fault: 'refuse', fields: { amount: ['Too round.'] } }, 422, fields, false],
];

describe.each(ways)('%s', (_, through) => {
  // rule: code.server, error.any-shape
  test.each(outcomes)('a bid struck by %o is answered %s', async (plan, status, text, committed) => {
    sandbox.inject({ operation: 'bids.submit', ...plan });
    const seen = await through(bidRequest());
    expect(seen?.status ?? null).toBe(status);
    expect(seen?.text ?? '').toMatch(text);
    const at = { call: 'bids.submit', fault: plan.fault, status: status ?? 'dropped' };
    expect(sandbox.attempts()).toMatchObject([at]);
    expect([await lookup(), sandbox.ledger().length]).toEqual(committed ? ['accepted', 1] : ['absent', 0]);
    expect((await through(bidRequest()))?.status).toBe(committed ? 200 : 201);
    expect(sandbox.ledger()).toHaveLength(1);
  });

  // rule: error.any-shape
  test.each<[FaultPlan, string, string | null]>([
    [{ fault: 'garbage', content: 'html' }, 'Content-Type', 'text/html; charset=utf-8'],
    [{ fault: 'garbage', content: 'half_json' }, 'Content-Type', 'application/json'],
    [{ fault: 'garbage', content: 'wrong_type' }, 'Content-Type', 'text/plain'],
    [{ fault: 'redirect', location: 'https://evil.example/x' }, 'Location', 'https://evil.example/x'],
    [{ fault: 'rate_limit' }, 'Retry-After', '1'],
    [{ fault: 'rate_limit', retryAfter: 30, form: 'seconds' }, 'Retry-After', '30'],
    [{ fault: 'rate_limit', form: 'http-date' }, 'Retry-After', 'Sun, 01 Mar 2026 10:00:01 GMT'],
    [{ fault: 'rate_limit', form: 'absent' }, 'Retry-After', null],
  ])('%o has the header %s: %s', async (plan, name, value) => {
    sandbox.inject(plan);
    expect((await through(bidRequest()))?.header(name)).toBe(value);
  });

  test.each<[FaultPlan['fault'], string]>([
    ['drop_before_commit', 'NONCE_REPLAYED'],
    ['rate_limit', 'BID_ACCEPTED'],
    ['garbage', 'BID_ACCEPTED'],
    ['redirect', 'BID_ACCEPTED'],
  ])('after %s the same nonce gets %s', async (fault, then) => {
    const sent = { ...bidRequest(), sign: { nonce: 'the-nonce-of-both-times' } };
    sandbox.inject({ fault } as FaultPlan);
    await through(sent);
    expect(JSON.parse((await through(sent))?.text ?? '').code).toBe(then);
  });

  test('a scripted code that rejects bids is recorded, and replays', async () => {
    sandbox.inject({ fault: 'refuse', code: 'BUYER_NOT_ENTITLED_TO_CLIENT', operation: 'bids.submit' });
    const codes = ['BUYER_NOT_ENTITLED_TO_CLIENT'];
    const first = JSON.parse((await through(bidRequest()))?.text ?? '');
    expect(first).toMatchObject({ code: codes[0], errors: codes, data: { status: 'rejected' } });
    expect(await lookup()).toBe('rejected');
    const again = await through(bidRequest());
    expect([again?.status, JSON.parse(again?.text ?? '').data.replayed]).toEqual([422, true]);
    expect(sandbox.ledger()).toEqual([]);
  });

  // rule: code.server
  test.each([undefined, 504])(
    'processing with status %s: judged later, as it came in time',
    async (status) => {
      sandbox.auctions.moveClose('live-open', sandbox.clock.now() + 1_000);
      sandbox.inject({ fault: 'processing', ms: 5_000, ...(status && { status }) });
      expect((await through(bidRequest()))?.status).toBe(status);
      sandbox.clock.advance(4_999);
      expect([await lookup(), sandbox.ledger().length]).toEqual(['processing', 0]);
      sandbox.clock.advance(1);
      await turn();
      expect([await lookup(), sandbox.ledger().length]).toEqual(['accepted', 1]);
    },
  );

  test('late_copy is cut at once, and carried out later as it was sent, once', async () => {
    sandbox.inject({ fault: 'late_copy', ms: 60_000, times: 1 });
    expect(await through(bidRequest())).toBeNull();
    expect([await lookup(), sandbox.ledger().length]).toEqual(['absent', 0]);
    sandbox.clock.advance(60_000);
    await turn();
    expect([await lookup(), sandbox.ledger().length]).toEqual(['accepted', 1]);
    const [first, , copy] = sandbox.attempts();
    expect(first).toMatchObject({ status: 'dropped', fault: 'late_copy', idempotencyKey: key });
    expect(copy).toMatchObject({ n: 3, status: 201, fault: null, nonce: first?.nonce, idempotencyKey: key });
  });

  test('forget makes a new bid of a retry', async () => {
    sandbox.inject({ fault: 'forget', operation: 'bids.submit' });
    expect((await through(bidRequest()))?.status).toBe(201);
    expect([await lookup(), await listed()]).toEqual(['absent', 1]);
    const again = JSON.parse((await through(bidRequest()))?.text ?? '');
    expect([again.code, again.data.replayed]).toEqual(['BID_BELOW_MINIMUM', false]);
  });
});

describe('a late copy', () => {
  test.each<[string, number, string, () => unknown]>([
    ['its timestamp has expired', 301_000, 'TIMESTAMP_EXPIRED', () => {}],
    ['it is the last moment', 300_999, 'BID_ACCEPTED', () => {}],
    ['a retry came first', 1_000, 'BID_ACCEPTED', placed],
    ['the auction has closed', 1_000, 'LOT_NOT_LIVE', () => sandbox.auctions.close('live-open')],
  ])('is judged when it arrives: %s', async (_, ms, judged, meanwhile) => {
    sandbox.inject({ fault: 'late_copy', ms });
    await expect(placed()).rejects.toThrow(TypeError);
    await meanwhile();
    sandbox.clock.advance(ms);
    await turn();
    const replayed = meanwhile === placed;
    expect(sandbox.attempts().at(-1)).toMatchObject({ code: judged, ...(replayed && { status: 200 }) });
    expect(sandbox.ledger()).toHaveLength(judged === 'BID_ACCEPTED' ? 1 : 0);
  });

  test('is struck by no fault, and does not arrive after the end', async () => {
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
  test('the record too undoes the bid: the one before it leads, and it may be placed again', async () => {
    const lot = lotOf(sandbox, 'live-open');
    sandbox.actors.rival.bid(lot.id, lot.startingPrice);
    const offer = () =>
      bid(sandbox, dealer(), lot.id, { amount: plus(lot.startingPrice, 5_000), idempotency_key: key });
    sandbox.inject({ fault: 'forget', what: 'record' });
    expect((await offer()).status).toBe(201);
    expect([await lookup(), await listed()]).toEqual(['absent', 0]);
    const status = async () => (await get(sandbox, dealer(), `/api/v1/lots/${lot.id}/status`)).json.data;
    expect(await status()).toMatchObject({ own_standing: 'no_bid', highest_amount: lot.startingPrice });
    const again = await offer();
    expect([again.status, again.json.data.replayed, await listed()]).toEqual([201, false, 1]);
  });

  test('with drop leaves the client in the dark', async () => {
    sandbox.inject({ fault: 'forget', drop: true });
    await expect(placed()).rejects.toThrow(TypeError);
    expect([await lookup(), await listed()]).toEqual(['absent', 1]);
  });

  test('a command makes a new command of its retry', async () => {
    const path = `/api/v1/bids/${(await placed()).json.data.bid_id}/cancellation-requests`;
    const body = { idempotency_key: key.replace('3f', '4f'), reason_code: 'mistake', explanation: 'x' };
    sandbox.inject({ fault: 'forget', operation: 'bids.requestCancellation' });
    expect((await command(sandbox, dealer(), path, body)).status).toBe(200);
    const again = await command(sandbox, dealer(), path, body);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([409, null]);
  });
});

describe('a request that is held', () => {
  // rule: bid.6
  test('before its commit is processing until the clock moves, and in time though the auction closed', async () => {
    sandbox.auctions.moveClose('live-open', sandbox.clock.now() + 1_000);
    sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 5_000 });
    const reply = overSocket();
    await arrival();
    expect([await lookup(), sandbox.attempts()[0]?.status]).toEqual(['processing', 'pending']);
    expect(sandbox.ledger()).toEqual([]);
    sandbox.clock.advance(5_000);
    const { data } = JSON.parse(bodyOf(await reply));
    expect(data).toMatchObject({ status: 'accepted', server_received_at: '2026-03-01T10:00:00.000Z' });
    expect(await lookup()).toBe('accepted');
  });

  test('after its commit is accepted before the reply comes', async () => {
    sandbox.inject({ operation: 'bids.submit', fault: 'delay_after_commit', ms: 5_000 });
    const reply = overSocket();
    await arrival();
    expect(await lookup()).toBe('accepted');
    sandbox.clock.advance(5_000);
    expect(statusOf(await reply)).toBe(201);
  });

  test('is cut when the sandbox closes', async () => {
    sandbox.inject({ fault: 'delay', ms: 5_000 });
    const reply = overSocket();
    await arrival();
    await sandbox.close();
    expect([await reply, sandbox.ledger()]).toEqual(['', []]);
    await sandbox.close();
  });

  test('may be given up by its caller; the service goes on', async () => {
    sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 1_000 });
    const abort = new AbortController();
    const fetch = (request: Request) => sandbox.fetch(new Request(request, { signal: abort.signal }));
    const reply = send({ ...sandbox, fetch } as Sandbox, dealer(), bidRequest());
    await arrival();
    abort.abort(new Error('enough'));
    await expect(reply).rejects.toThrow('enough');
    sandbox.clock.advance(1_000);
    await arrival(201);
    expect(await lookup()).toBe('accepted');
  });
});

test.each<[number | undefined, (length: number) => number]>([
  [undefined, (length) => Math.floor(length / 2)],
  [0, () => 0],
  [100, () => 100],
  [1_000_000, (length) => length - 1],
])('truncate after %s bytes commits, announces the whole and breaks off', async (bytes, expected) => {
  sandbox.inject({ operation: 'bids.submit', fault: 'truncate', ...(bytes !== undefined && { bytes }) });
  const reply = await overSocket();
  const announced = Number(/content-length: (\d+)/i.exec(reply)?.[1]);
  expect([statusOf(reply), bodyOf(reply).length]).toEqual([201, expected(announced)]);
  expect(await lookup()).toBe('accepted');
  sandbox.inject({ fault: 'truncate', ...(bytes !== undefined && { bytes }) });
  await expect(get(sandbox, dealer(), profile)).rejects.toThrow(TypeError);
});

describe('a skewed clock', () => {
  const ahead = { at: '2026-03-01T10:10:00.000Z', date: 'Sun, 01 Mar 2026 10:10:00 GMT' };

  test('is that of Date, server times, timestamps and what is live, until it is withdrawn', async () => {
    const withdraw = sandbox.inject({ fault: 'skew', ms: 600_000 });
    const refused = await get(sandbox, dealer(), profile);
    expect(refused.json).toMatchObject({ code: 'TIMESTAMP_EXPIRED', timestamp: ahead.at });
    expect(refused.headers.get('date')).toBe(ahead.date);
    const timestamp = String(Date.parse(ahead.at) / 1_000);
    const read = await send(sandbox, dealer(), { path: profile, sign: { timestamp } });
    expect([read.status, read.json.server_time]).toEqual([200, ahead.at]);
    sandbox.auctions.moveClose('live-open', '2026-03-01T10:05:00Z');
    const late = await send(sandbox, dealer(), { ...bidRequest(), sign: { timestamp } });
    expect(late.json).toMatchObject({ code: 'LOT_NOT_LIVE', data: { server_received_at: ahead.at } });
    expect((await sandbox.fetch(`${sandbox.baseUrl}/nowhere`)).headers.get('date')).toBe(ahead.date);
    withdraw();
    const after = await get(sandbox, dealer(), profile);
    expect([after.status, after.headers.get('date')]).toEqual([200, 'Sun, 01 Mar 2026 10:00:00 GMT']);
  });

  test('can be that of one operation only', async () => {
    sandbox.inject({ fault: 'skew', ms: -301_000, operation: 'integration.profile' });
    expect((await get(sandbox, dealer(), profile)).json.code).toBe('TIMESTAMP_EXPIRED');
    expect((await get(sandbox, dealer(), '/api/v1/bids')).status).toBe(200);
  });

  test('that is behind lets nobody bid on what is awarded', async () => {
    expect((await placed()).status).toBe(201);
    sandbox.auctions.close('live-open');
    sandbox.clock.advance(30_000);
    sandbox.inject({ fault: 'skew', ms: -60_000 });
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    const late = await bid(sandbox, dealer(), id, { amount: plus(startingPrice, 10_000) });
    expect([late.status, late.json.errors]).toEqual([422, ['LOT_NOT_LIVE']]);
    expect(late.json.data.server_received_at).toBe('2026-03-01T09:59:30.000Z');
    expect(sandbox.ledger().filter(({ kind }) => kind === 'bid')).toHaveLength(1);
  });

  test('leaves room for other faults, and is not noted as one', async () => {
    sandbox.inject({ fault: 'skew', ms: 1_000 });
    sandbox.inject({ fault: 'error_before_commit' });
    const reply = await get(sandbox, dealer(), profile);
    expect([reply.status, reply.headers.get('date')]).toEqual([500, 'Sun, 01 Mar 2026 10:00:01 GMT']);
    expect((await get(sandbox, dealer(), profile)).json.server_time).toBe('2026-03-01T10:00:01.000Z');
    expect(sandbox.attempts().map(({ fault }) => fault)).toEqual(['error_before_commit', null]);
  });
});

describe('the requests that a fault strikes', () => {
  const read = () => get(sandbox, dealer(), '/api/v1/bids', 'page=1');
  const second = () => get(sandbox, dealer(), '/api/v1/bids', 'page=2');
  const byPlatform = () => get(sandbox, sandbox.credentials.platform, '/api/v1/bids');
  const metadata = () => get(sandbox, dealer(), '/api/v1/documents/doc_1');
  const download = () => get(sandbox, dealer(), '/api/v1/documents/doc_1', 'download=1');
  const unsigned = () => send(sandbox, dealer(), { path: '/api/v1/bids', sign: { secret: 'x' } });
  const page2 = ({ query }: SandboxAttempt) => query['page'] === '2';
  const fault = 'error_before_commit';

  test.each<[string, Partial<FaultPlan>, (() => Promise<Got>)[], number[]]>([
    ['the next one', {}, [read, read], [500, 200]],
    ['the nth, so many times', { nth: 2, times: 2 }, [read, read, read, read], [200, 500, 500, 200]],
    ['those of an operation by id', { operation: 'A01' }, [read], [200]],
    ['those of an operation by name', { operation: 'bids.list' }, [read], [500]],
    ['those that are let in', {}, [unsigned, read], [401, 500]],
    ['one of two with one id', { operation: 'documents.download' }, [metadata, download], [404, 500]],
    ['those of one client', { client: 'client_sbx_platform' }, [read, byPlatform], [200, 500]],
    ['those where() is true of', { where: page2 }, [read, second], [200, 500]],
    ['the nth of those', { where: page2, nth: 2 }, [second, read, second], [200, 200, 500]],
  ])('are %s', async (_, plan, requests, statuses) => {
    sandbox.inject({ fault, ...plan } as FaultPlan);
    const seen = [];
    for (const request of requests) seen.push((await request()).status);
    expect(seen).toEqual(statuses);
  });

  test('get a 500 from a where() that throws', async () => {
    const where = () => {
      throw new Error('no such thing');
    };
    sandbox.inject({ fault: 'garbage', where });
    expect([(await read()).status, sandbox.ledger()]).toEqual([500, []]);
  });

  test('are all of them until the fault is withdrawn; two faults strike one after the other', async () => {
    const withdraw = sandbox.inject({ fault: 'garbage', times: Number.POSITIVE_INFINITY });
    for (let n = 0; n < 50; n += 1) expect((await read()).status).toBe(502);
    withdraw();
    withdraw();
    sandbox.inject({ fault });
    sandbox.inject({ fault, status: 503 });
    expect([(await read()).status, (await read()).status, (await read()).status]).toEqual([500, 503, 200]);
  });
});

/** Plans that can't be meant, by their fault; the last field is the wrong one. */
const refused: Record<string, Record<string, unknown>[]> = {
  oops: [{}],
  drop_after_commit: [{ ms: 5 }],
  error_after_commit: [{ status: 404 }, { shape: 'xml' }],
  delay: [{}, { ms: -1 }],
  late_copy: [{ ms: Number.NaN }],
  processing: [{ ms: Number.POSITIVE_INFINITY }, { ms: 1, status: 200 }],
  skew: [{}, { ms: -1e12 }, { ms: 5, times: 1 }],
  rate_limit: [
    { retry_after: 5 },
    { retryAfter: -1 },
    { form: 'http-date', retryAfter: 1e12 },
    { form: 'date' },
  ],
  redirect: [{ location: '/\r\nSet-Cookie: a=b' }, { location: '' }, { status: 200 }],
  forget: [{ what: 'all' }],
  truncate: [{ bytes: 1.5 }],
  slow: [{ bytesPerSecond: 0 }, { stallAfter: -1 }, { part: 'tail' }],
  refuse: [
    ...[{}, { code: 'OOPS' }, { code: 'KEY_REVOKED', status: 403 }, { status: 500 }],
    ...[
      { code: 'KEY_REVOKED', fields: { a: ['b'] } },
      { status: 422, fields: { a: ['b'] } },
    ],
  ],
  garbage: [
    ...[{ content: 'xml' }, { content: 'null', body: 'x' }, { contentType: 'text/plain' }, { status: 99 }],
    ...[{ body: 'x', contentType: 'a/b\nX: y' }, { client: 'nobody' }, { operation: 'bids.sumbit' }],
    ...[{ where: 'A22' }, { times: 0 }, { times: 1.5 }, { nth: 0 }, { nth: Number.POSITIVE_INFINITY }],
  ],
};
const plans = Object.entries(refused).flatMap(([fault, all]) =>
  all.map((fields) => [fault, fields] as const),
);
test.each(plans)('the plan %s with %o is refused, and the wrong field is named', async (fault, fields) => {
  const plan = { fault, ...fields } as FaultPlan;
  expect(() => sandbox.inject(plan)).toThrow(RangeError);
  expect(() => sandbox.inject(plan)).toThrow(Object.keys(fields).at(-1) ?? 'plan');
  expect((await get(sandbox, dealer(), profile)).status).toBe(200);
});

test('a late copy is refused when its nonce was spent meanwhile', async () => {
  const sent = { ...bidRequest(), sign: { nonce: 'the-nonce-of-both-copies' } };
  sandbox.inject({ fault: 'late_copy', ms: 1_000 });
  await expect(send(sandbox, dealer(), sent)).rejects.toThrow(TypeError);
  expect((await send(sandbox, dealer(), sent)).status).toBe(201);
  sandbox.clock.advance(1_000);
  await turn();
  expect(sandbox.attempts().at(-1)?.code).toBe('NONCE_REPLAYED');
});

test('the fetch of a sandbox takes what the global one takes, and leads to the same service', async () => {
  const url = `${sandbox.baseUrl}/integration/profile`;
  const unsigned = [
    await sandbox.fetch(url),
    await sandbox.fetch(new URL(url), { method: 'POST', body: '{}' }),
  ];
  expect(unsigned.map(({ status }) => status)).toEqual([401, 401]);
  expect(sandbox.attempts().map(({ method }) => method)).toEqual(['GET', 'POST']);
  expect(statusOf(await overSocket())).toBe(201);
  expect((await placed()).status).toBe(200);
});

test('the requests that a fault strikes are shown to where() as they were sent', async () => {
  const asked: SandboxAttempt[] = [];
  const where = (attempt: SandboxAttempt) => asked.push(attempt) > 1;
  sandbox.inject({ fault: 'error_before_commit', operation: 'bids.submit', where });
  expect((await placed()).status).toBe(201);
  expect(asked).toMatchObject([{ call: 'bids.submit', status: 'pending', request: { dealer_id: 'D-204' } }]);
});
