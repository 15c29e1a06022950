import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.js';
import { bid, get, lotOf, onManualClock, send } from './caller.js';
import { imported, reportBody } from './funds.js';
import { rawExchange, rawRequest, statusOf } from './raw.js';
import { approvedLot, command, done, inventoryOf } from './workflow.js';

let sandbox: Sandbox;
const start = async (options: SandboxOptions = {}) => {
  await sandbox?.close();
  sandbox = await onManualClock({ ...options });
};
beforeEach(() => start());
afterEach(() => sandbox.close());

const profile = '/api/v1/integration/profile';
const hintOf = ({ headers }: { headers: Headers }) => headers.get('x-sandbox-hint');

describe('what the API text does not list', () => {
  const odd = () => {
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    const unlisted = { note: 'x', __proto__: null, bidder_reference: null, client_bid_time: null };
    return bid(sandbox, sandbox.credentials.dealer, id, { amount: startingPrice, ...unlisted } as never);
  };

  test('a bid with unknown fields, and null for optional ones, is accepted, and the hint names them', async () => {
    const reply = await odd();
    expect(reply.status).toBe(201);
    for (const name of ['note', 'bidder_reference', 'client_bid_time']) expect(hintOf(reply)).toContain(name);
  });

  test('a command with unknown fields, and null for optional ones, is carried out', async () => {
    const sold = await approvedLot(sandbox);
    const body = { ...reportBody(sold), evidence_id: null, channel: 'app' };
    const reply = await command(sandbox, sold.who, '/api/v1/payment-reports', body);
    expect(reply.status).toBe(200);
    expect(hintOf(reply)).toMatch(/evidence_id.*channel|channel.*evidence_id/);
  });

  test('null for a required field stays a 422', async () => {
    const sold = await approvedLot(sandbox);
    const reply = await command(sandbox, sold.who, '/api/v1/payment-reports', {
      ...reportBody(sold),
      utr: null,
    });
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, ['utr']]);
  });

  test.each([
    ['an operation with parameters', '/api/v1/events', 'page=1&sort=name'],
    ['an operation without parameters', profile, 'sort=name'],
    ['a parameter twice', '/api/v1/events', 'sort=a&sort=b'],
  ])('%s ignores an unknown query parameter, and the hint names it', async (_, path, query) => {
    const reply = await get(sandbox, sandbox.credentials.dealer, path, query);
    expect(reply.status).toBe(200);
    expect(hintOf(reply)).toContain('sort');
  });

  test('the variant refuses unknown fields and parameters, and null for optional fields', async () => {
    await start({ variants: { 'unknown-fields': 'refused' } });
    const reply = await odd();
    expect([reply.status, Object.keys(reply.json.errors).sort()]).toEqual([
      422,
      ['bidder_reference', 'client_bid_time', 'note'],
    ]);
    const read = await get(sandbox, sandbox.credentials.dealer, profile, 'sort=name');
    expect([read.status, Object.keys(read.json.errors)]).toEqual([422, ['sort']]);
    expect(sandbox.ledger()).toEqual([]);
  });
});

describe('amounts with leading zeros', () => {
  // rule: limit.amount
  test('a bid of 12 digits with leading zeros counts as its value', async () => {
    const { id, startingPrice } = lotOf(sandbox, 'live-open');
    const amount = startingPrice.padStart('000000000000.00'.length, '0');
    expect((await bid(sandbox, sandbox.credentials.dealer, id, { amount })).status).toBe(201);
    expect(sandbox.ledger()[0]?.amount).toBe(startingPrice);
  });

  test('reports, receipts and eligibility take them too', async () => {
    const sold = await approvedLot(sandbox);
    const report = { ...reportBody(sold), amount: `000${sold.amount}` };
    const { data } = await done(command(sandbox, sold.who, '/api/v1/payment-reports', report));
    expect(data.amount).toBe(sold.amount);
    expect((await imported(sandbox, sold, { amount: `0${sold.amount}` })).data.amount).toBe(sold.amount);
    const { id, startingPrice } = lotOf(sandbox, 'live-closed');
    const query = `amount=00${startingPrice}&lot_id=${id}`;
    const { json } = await get(sandbox, sandbox.credentials.dealer, '/api/v1/bidding-eligibility', query);
    expect(json.data.eligible).toBe(true);
  });
});

describe('a path that does not exist', () => {
  const nowhere = '/api/v1/no-such-thing';

  test('is a 404 for a signed request only', async () => {
    const { dealer } = sandbox.credentials;
    expect((await get(sandbox, dealer, nowhere)).status).toBe(404);
    expect((await send(sandbox, dealer, { path: nowhere, sign: { secret: 'x' } })).status).toBe(401);
    expect((await sandbox.fetch(`${sandbox.baseUrl}/no-such-thing`)).status).toBe(401);
  });

  test('counts against the rate limit', async () => {
    await start({ rateLimit: 2 });
    const { dealer } = sandbox.credentials;
    const statuses = [];
    for (const path of [nowhere, nowhere, profile]) statuses.push((await get(sandbox, dealer, path)).status);
    expect(statuses).toEqual([404, 404, 429]);
  });
});

test('an unsigned request is told which headers are missing', async () => {
  const unsigned = await sandbox.fetch(`${sandbox.baseUrl}/integration/profile`);
  expect([unsigned.status, await unsigned.json()]).toMatchObject([401, { code: 'API_CLIENT_NOT_ACTIVE' }]);
  const names = ['Client-ID', 'Key-ID', 'Timestamp', 'Nonce', 'Content-SHA256', 'Signature'];
  for (const name of names) expect(hintOf(unsigned)).toContain(`X-${name}`);
});

test('the lot of a vehicle that went back to draft takes no bids until it is published again', async () => {
  const { dealer } = sandbox.credentials;
  const { id, startingPrice } = lotOf(sandbox, 'live-open');
  const { vehicleId } = inventoryOf(sandbox).ofLot(id);
  const event = `/api/v1/events/${sandbox.auctions.get('live-open').id}/lots/${id}`;
  const seen = async () => [
    (await bid(sandbox, dealer, id, { amount: startingPrice })).json.code,
    (await get(sandbox, dealer, event)).status,
    (await get(sandbox, dealer, `/api/v1/lots/${id}/status`)).status,
  ];
  sandbox.actors.set(vehicleId, 'draft');
  expect(await seen()).toEqual(['LOT_NOT_LIVE', 404, 404]);
  sandbox.actors.set(vehicleId, 'published');
  expect(await seen()).toEqual(['BID_ACCEPTED', 200, 200]);
});

describe('request bodies', () => {
  const content = Buffer.alloc(16 * 1_048_576, 32);
  /** Sends the head of an unsigned request, and this much of its body. */
  const begin = (length: number, sent: number) =>
    new Promise<{ socket: Socket; reply: Promise<string> }>((resolve) => {
      const { hostname, port } = new URL(sandbox.baseUrl);
      const socket = connect(Number(port), hostname);
      const chunks: Buffer[] = [];
      const reply = new Promise<string>((done) => {
        socket.on('data', (chunk) => {
          chunks.push(chunk);
          done(Buffer.concat(chunks).toString('latin1'));
        });
        socket.on('error', () => {});
        socket.on('close', () => done(Buffer.concat(chunks).toString('latin1')));
      });
      socket.write(`POST /api/v1/lots/x/bids HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
      socket.write(content.subarray(0, sent), () => resolve({ socket, reply }));
    });

  test('are held up to a total; a request beyond it is a 429, and the others go on', async () => {
    const mebibyte = 1_048_576;
    await start({ maxBodyBytes: 16 * mebibyte });
    const most = 16 * mebibyte;
    // So many that the server holds too much, however much of them is still in the buffers of the system.
    const open = await Promise.all(Array.from({ length: 12 }, () => begin(most, most - 1)));
    for (const { socket } of open) socket.write(' ');
    const statuses = (await Promise.all(open.map(({ reply }) => reply))).map(statusOf);
    expect(statuses).toContain(429);
    expect(statuses).toContain(401);
    for (const { socket } of open) socket.destroy();
    // What was held is free again.
    const { dealer } = sandbox.credentials;
    const body = { lot_ids: ['x'.repeat(8 * mebibyte)] };
    const next = await rawExchange(
      sandbox,
      rawRequest(sandbox, dealer, { path: '/api/v1/lots/status-batch', body }),
    );
    expect(statusOf(next)).toBe(200);
  });
});
