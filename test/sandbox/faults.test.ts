import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FaultPlan, type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, get, lotOf, send } from './caller.js';
import { bodyOf, rawExchange, rawRequest, statusOf } from './raw.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z' });
});
afterEach(() => sandbox.close());

const profile = '/api/v1/integration/profile';
const key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';

const bidRequest = (index = 0) => {
  const lot = lotOf(sandbox, 'live-open', index);
  return {
    path: `/api/v1/lots/${lot.id}/bids`,
    body: { dealer_id: 'D-204', amount: lot.startingPrice, idempotency_key: key },
    headers: { 'Idempotency-Key': key },
  };
};
const overSocket = (sent = bidRequest()) =>
  rawExchange(sandbox, rawRequest(sandbox, sandbox.credentials.dealer, sent));
const state = async () =>
  (await get(sandbox, sandbox.credentials.dealer, `/api/v1/bid-requests/${key}`)).json.data.state;

describe('over a real socket', () => {
  test('without faults: a whole reply, Date from the sandbox', async () => {
    const reply = await overSocket();
    expect(statusOf(reply)).toBe(201);
    expect(reply).toContain('Date: Sun, 01 Mar 2026 10:00:00 GMT');
    expect(reply.match(/^date:/gim)).toHaveLength(1);
    expect(JSON.parse(bodyOf(reply)).code).toBe('BID_ACCEPTED');
  });

  // rule: code.server
  test.each([
    ['drop_before_commit', 'absent', 201],
    ['drop_after_commit', 'accepted', 200],
  ] as const)('%s: not a byte comes back; then it is %s, and the retry a %d', async (fault, found, retry) => {
    sandbox.inject({ operation: 'bids.submit', fault });
    expect(await overSocket()).toBe('');
    expect(sandbox.attempts().at(-1)).toMatchObject({
      operation: 'bids.submit',
      status: 'dropped',
      code: null,
    });
    expect(await state()).toBe(found);
    expect(statusOf(await overSocket())).toBe(retry);
    expect(sandbox.ledger()).toHaveLength(1);
  });

  // rule: code.server
  test.each([
    ['error_before_commit', 'absent', 201],
    ['error_after_commit', 'accepted', 200],
  ] as const)('%s: a bare 500; then it is %s, and the retry a %d', async (fault, found, retry) => {
    sandbox.inject({ operation: 'bids.submit', fault });
    const reply = await overSocket();
    expect([statusOf(reply), Object.keys(JSON.parse(bodyOf(reply)))]).toEqual([500, ['message']]);
    expect(await state()).toBe(found);
    expect(statusOf(await overSocket())).toBe(retry);
  });

  test('truncate: committed, headers of the whole, half of the body', async () => {
    sandbox.inject({ operation: 'bids.submit', fault: 'truncate' });
    const reply = await overSocket();
    const announced = Number(/content-length: (\d+)/i.exec(reply)?.[1]);
    expect(statusOf(reply)).toBe(201);
    expect(bodyOf(reply)).toHaveLength(Math.floor(announced / 2));
    expect(await state()).toBe('accepted');
  });

  // rule: error.any-shape
  test('rate_limit, garbage, redirect: nothing is done, no nonce is spent', async () => {
    const plans: [FaultPlan, number, RegExp][] = [
      [{ fault: 'rate_limit', retryAfter: 7 }, 429, /retry-after: 7\r\n/i],
      [{ fault: 'garbage' }, 502, /text\/html/],
      [{ fault: 'garbage', status: 200 }, 200, /<html>/],
      [
        { fault: 'redirect', location: 'https://evil.example/x' },
        307,
        /location: https:\/\/evil.example\/x\r\n/i,
      ],
    ];
    const sent = { ...bidRequest(), sign: { nonce: 'kept-for-the-last-one' } };
    for (const [plan, status, holds] of plans) {
      sandbox.inject(plan);
      const reply = await overSocket(sent);
      expect(statusOf(reply)).toBe(status);
      expect(reply).toMatch(holds);
    }
    expect(await state()).toBe('absent');
    expect(statusOf(await overSocket(sent))).toBe(201);
  });

  test.each(['rate_limit', 'garbage', 'redirect'] as const)('%s after the commit', async (fault) => {
    sandbox.inject({ operation: 'bids.submit', fault, commit: true });
    const reply = await overSocket();
    expect([429, 502, 307]).toContain(statusOf(reply));
    expect(reply).not.toContain('BID_ACCEPTED');
    expect(await state()).toBe('accepted');
  });

  test('delay: processing until the clock moves, then as if nothing had been', async () => {
    sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 5000 });
    const reply = overSocket();
    await arrival('bids.submit');
    expect(await state()).toBe('processing');
    expect(sandbox.ledger()).toEqual([]);
    expect(sandbox.attempts()[0]?.status).toBe('pending');
    sandbox.clock.advance(5000);
    const data = JSON.parse(bodyOf(await reply)).data;
    expect([data.status, data.server_received_at]).toEqual(['accepted', '2026-03-01T10:00:00.000Z']);
    expect(await state()).toBe('accepted');
  });

  // rule: bid.6
  test('a bid that arrived in time and was held past the close is in time', async () => {
    sandbox.auctions.moveClose('live-open', sandbox.clock.now() + 1000);
    sandbox.inject({ fault: 'delay', ms: 5000 });
    const reply = overSocket();
    await arrival('bids.submit');
    sandbox.clock.advance(5000);
    expect(statusOf(await reply)).toBe(201);
  });

  test('delay_after_commit holds the reply only', async () => {
    sandbox.inject({ operation: 'bids.submit', fault: 'delay_after_commit', ms: 5000 });
    const reply = overSocket();
    await arrival('bids.submit');
    expect(await state()).toBe('accepted');
    sandbox.clock.advance(5000);
    expect(statusOf(await reply)).toBe(201);
  });

  test('a sandbox that closes cuts what it still holds', async () => {
    sandbox.inject({ fault: 'delay', ms: 5000 });
    const reply = overSocket();
    await arrival('bids.submit');
    await sandbox.close();
    expect(await reply).toBe('');
    expect(sandbox.ledger()).toEqual([]);
    await sandbox.close();
  });
});

describe('in process', () => {
  const { dealer } = { dealer: () => sandbox.credentials.dealer };

  test('a drop rejects as fetch does', async () => {
    sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit' });
    await expect(send(sandbox, dealer(), bidRequest())).rejects.toThrow(TypeError);
    expect(await state()).toBe('accepted');
  });

  test('a truncated body breaks while it is read', async () => {
    sandbox.inject({ fault: 'truncate', bytes: 3 });
    await expect(get(sandbox, dealer(), profile)).rejects.toThrow(TypeError);
    sandbox.inject({ fault: 'truncate', bytes: 0 });
    await expect(get(sandbox, dealer(), profile)).rejects.toThrow(TypeError);
  });

  test('an aborted request stops waiting; the service goes on', async () => {
    sandbox.inject({ operation: 'bids.submit', fault: 'delay', ms: 1000 });
    const abort = new AbortController();
    const { path, body, headers } = bidRequest();
    const whole = {
      ...sandbox,
      fetch: (request: Request) => sandbox.fetch(new Request(request, { signal: abort.signal })),
    };
    const reply = send(whole, dealer(), { path, body, headers });
    await arrival('bids.submit');
    abort.abort(new Error('enough'));
    await expect(reply).rejects.toThrow('enough');
    sandbox.clock.advance(1000);
    await arrival('bids.submit', 201);
    expect(await state()).toBe('accepted');
  });

  test('takes what the global fetch takes', async () => {
    const url = `${sandbox.baseUrl}/integration/profile`;
    const refused = [
      await sandbox.fetch(url),
      await sandbox.fetch(new URL(url), { method: 'POST', body: '{}' }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([401, 401]);
    expect(sandbox.attempts().map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  test('the two doors lead to one service', async () => {
    expect(statusOf(await overSocket())).toBe(201);
    const again = await send(sandbox, dealer(), bidRequest());
    expect([again.status, again.json.data.replayed]).toEqual([200, true]);
  });
});

describe('plans', () => {
  const status = async () => (await get(sandbox, sandbox.credentials.dealer, profile)).status;

  test('nth, times, any operation, and withdrawing', async () => {
    sandbox.inject({ operation: 'A01', nth: 2, times: 2, fault: 'error_before_commit' });
    expect([await status(), await status(), await status(), await status()]).toEqual([200, 500, 500, 200]);
    sandbox.inject({ fault: 'garbage' });
    expect([await status(), await status()]).toEqual([502, 200]);
    sandbox.inject({ operation: 'A01', fault: 'garbage' })();
    expect(await status()).toBe(200);
  });

  test('an operation goes by its id or by the name of its method', async () => {
    sandbox.inject({ operation: 'integration.profile', fault: 'error_before_commit' });
    expect([await status(), await status()]).toEqual([500, 200]);
  });

  test('other operations and requests that aren’t let in don’t count', async () => {
    sandbox.inject({ operation: 'A02', fault: 'garbage' });
    sandbox.inject({ operation: 'A01', fault: 'error_before_commit' });
    const { dealer } = sandbox.credentials;
    expect((await send(sandbox, dealer, { path: profile, sign: { secret: 'x' } })).status).toBe(401);
    expect([await status(), await status()]).toEqual([500, 200]);
  });

  test('two plans: one after the other', async () => {
    sandbox.inject({ operation: 'A01', fault: 'error_before_commit' });
    sandbox.inject({ operation: 'A01', fault: 'error_after_commit' });
    expect([await status(), await status(), await status()]).toEqual([500, 500, 200]);
  });

  test('what can’t be meant is refused', () => {
    expect(() => sandbox.inject({ operation: 'bids.sumbit', fault: 'garbage' })).toThrow(
      /^plan\.operation must name an operation/,
    );
    expect(() => sandbox.inject({ nth: 0, fault: 'garbage' })).toThrow(RangeError);
    expect(() => sandbox.inject({ times: 1.5, fault: 'garbage' })).toThrow(RangeError);
  });
});

test('a nonce spent on a dropped request is spent', async () => {
  const sent = { ...bidRequest(), sign: { nonce: `n-${randomUUID()}` } };
  sandbox.inject({ fault: 'drop_before_commit' });
  expect(await overSocket(sent)).toBe('');
  expect(JSON.parse(bodyOf(await overSocket(sent))).code).toBe('NONCE_REPLAYED');
  expect(
    (await bid(sandbox, sandbox.credentials.dealer, lotOf(sandbox, 'live-open').id, sent.body)).status,
  ).toBe(201);
});

/** Waits, without a clock, until the latest request of an operation stands as told. */
async function arrival(operation: string, status: number | 'pending' = 'pending'): Promise<void> {
  for (;;) {
    const found = sandbox.attempts().findLast((attempt) => attempt.operation === operation);
    if (found?.status === status) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
