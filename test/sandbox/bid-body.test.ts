import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { bid, lotOf, send } from './caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

describe('fields of the body', () => {
  const key = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
  const good = { dealer_id: 'D-204', amount: '465000', idempotency_key: key };
  const cases: [string, unknown, string][] = [
    ['no amount', { ...good, amount: undefined }, 'amount'],
    ['zero', { ...good, amount: '0.00' }, 'amount'],
    ['negative', { ...good, amount: '-5' }, 'amount'],
    ['three decimals', { ...good, amount: '1.001' }, 'amount'],
    ['13 digits', { ...good, amount: '1000000000000' }, 'amount'],
    ['words', { ...good, amount: 'a lot' }, 'amount'],
    ['null', { ...good, amount: null }, 'amount'],
    ['an exponent', '{"dealer_id":"D-204","amount":1e300,"idempotency_key":"x"}', 'amount'],
    ['no dealer', { ...good, dealer_id: undefined }, 'dealer_id'],
    ['a dealer of 33', { ...good, dealer_id: 'D'.repeat(33) }, 'dealer_id'],
    ['no key', { ...good, idempotency_key: undefined }, 'idempotency_key'],
    ['a key that is no UUID', { ...good, idempotency_key: 'abc' }, 'idempotency_key'],
    ['an empty reference', { ...good, bidder_reference: '' }, 'bidder_reference'],
    ['a reference of 121', { ...good, bidder_reference: 'x'.repeat(121) }, 'bidder_reference'],
    ['a reference with a space', { ...good, bidder_reference: 'a b' }, 'bidder_reference'],
    ['a time without zone', { ...good, client_bid_time: '2026-03-01 10:00' }, 'client_bid_time'],
    ['an array', [good], 'body'],
    ['null at the top', 'null', 'body'],
    ['broken JSON', '{"amount":', 'body'],
    ['a byte order mark', `\ufeff${JSON.stringify(good)}`, 'body'],
  ];
  // rule: error-shape.2, code.invalid-fields, limit.bidder-reference, limit.dealer-id, limit.amount
  test.each(cases)('%s', async (_, body, field) => {
    const { dealer } = sandbox.credentials;
    const sent = { path: `/api/v1/lots/${lotOf(sandbox, 'live-open').id}/bids`, body };
    const reply = await send(sandbox, dealer, { ...sent, headers: { 'Idempotency-Key': key } });
    expect(reply.status).toBe(422);
    expect(Object.keys(reply.json).sort()).toEqual(['errors', 'message']);
    expect(Object.getOwnPropertyNames(reply.json.errors)).toContain(field);
    expect(reply.json.errors[field]).toEqual(expect.arrayContaining([expect.any(String)]));
    expect(sandbox.ledger()).toEqual([]);
  });

  test('a JSON number is an amount too', async () => {
    const lot = lotOf(sandbox, 'live-open');
    const { dealer } = sandbox.credentials;
    expect((await bid(sandbox, dealer, lot.id, { amount: Number(lot.startingPrice) })).status).toBe(201);
  });

  // rule: general.9
  test('a body that isn’t declared JSON', async () => {
    const lot = lotOf(sandbox, 'live-open');
    const reply = await send(sandbox, sandbox.credentials.dealer, {
      path: `/api/v1/lots/${lot.id}/bids`,
      body: good,
      headers: { 'Idempotency-Key': key, 'Content-Type': 'text/plain' },
    });
    expect([reply.status, Object.keys(reply.json.errors)]).toEqual([422, ['body']]);
  });

  // rule: convention.2, code.key-required
  test('the header must be there and equal', async () => {
    const lot = lotOf(sandbox, 'live-open');
    const { dealer } = sandbox.credentials;
    for (const header of [undefined, randomUUID(), key.toUpperCase(), `${key} x`]) {
      const content = { amount: lot.startingPrice, idempotency_key: key };
      const reply = await bid(sandbox, dealer, lot.id, content, { 'Idempotency-Key': header });
      expect([reply.status, reply.json.code, reply.json.data]).toEqual([
        422,
        'IDEMPOTENCY_KEY_REQUIRED',
        null,
      ]);
    }
    expect(sandbox.ledger()).toEqual([]);
  });
});
