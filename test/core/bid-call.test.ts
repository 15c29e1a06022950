import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accepted, dealer, KEY, rejection, SECRET } from '../support/clients.js';

const BODY = `{"amount":"465000","dealer_id":"D-204","idempotency_key":"${KEY}"}`;

describe('bids.submit on the wire', () => {
  // rule: canonical.lines
  it('keeps the signed path free of the front-controller segment that is sent', async () => {
    const { client, transport } = dealer([{ status: 201, json: accepted() }], {
      baseUrl: 'https://bank.example/index.php/api/v1/',
    });
    await client.bids.submit('lot_1', { amount: '465000' }, { idempotencyKey: KEY });
    const [sent] = transport.sent;
    expect(sent?.path).toBe('/index.php/api/v1/lots/lot_1/bids');
    const digest = createHash('sha256').update(BODY).digest('hex');
    const lines = `POST\n/api/v1/lots/lot_1/bids\n\n1772431200\nnonce-000000000002\n${digest}`;
    expect(sent?.headers['X-Signature']).toBe(createHmac('sha256', SECRET).update(lines).digest('hex'));
  });
});

describe('retry', () => {
  // rule: bid.9
  it('resends the identical bytes under the same key, with a fresh nonce, timestamp and signature', async () => {
    const { client, transport, clock } = dealer(
      [
        { fail: 'maybe' },
        { status: 500, json: { message: 'Server Error' } },
        { status: 200, json: accepted({ replayed: true }) },
      ],
      { randomness: { nonce: nonces(), fraction: () => 1 } },
    );
    const body = { amount: '465000', idempotency_key: KEY };
    const call = client.bids.submit('lot_1', body);
    body.amount = '999999';
    await clock.advance(5_000);
    await call;

    expect(transport.sent).toHaveLength(3);
    expect(new Set(transport.sent.map((sent) => sent.body))).toEqual(new Set([BODY]));
    expect(new Set(transport.sent.map((sent) => sent.headers['idempotency-key']))).toEqual(new Set([KEY]));
    for (const header of ['X-Nonce', 'X-Signature']) {
      expect(new Set(transport.sent.map((sent) => sent.headers[header])).size).toBe(3);
    }
    // Full jitter at its most: 250 ms after the first failure, 500 ms after the second.
    expect(transport.sent.map((sent) => sent.headers['X-Timestamp'])).toEqual([
      '1772431200',
      '1772431200',
      '1772431200',
    ]);
    expect(clock.asked).toEqual(expect.arrayContaining([250, 500]));
  });

  it('waits for a Retry-After as long as the deadline allows, however often, and counts no attempt for it', async () => {
    const { client, transport, clock } = dealer(
      [...Array.from({ length: 4 }, () => tooMany('61')), { status: 201, json: accepted() }],
      { deadline: 600_000, maxAttempts: 1 },
    );
    // Within the two minutes for which a bare bid may be sent.
    const call = rejection(client.bids.submit('lot_1', { amount: '1' }));
    await clock.advance(61_000);
    expect(transport.sent).toHaveLength(2);
    await clock.advance(120_000);
    expect(await call).toMatchObject({ name: 'RateLimitError', outcome: 'unknown' });
    expect(transport.sent).toHaveLength(2);
  });

  it('surfaces at once what could only be waited for past the deadline', async () => {
    const { client, transport, clock } = dealer([tooMany('30')]);
    await expect(client.bids.submit('lot_1', { amount: '1' }, { deadline: 20_000 })).rejects.toMatchObject({
      name: 'RateLimitError',
      retryAfterMs: 30_000,
    });
    expect(transport.sent).toHaveLength(1);
    expect(clock.pending).toEqual([]);
  });

  // rule: header.nonce, limit.nonce
  it('refuses a nonce that the service would refuse', async () => {
    const { client, transport } = dealer([], { randomness: { nonce: () => 'short' } });
    await expect(client.events.get('auc_1')).rejects.toMatchObject({
      name: 'ConfigurationError',
      option: 'randomness.nonce',
    });
    expect(transport.sent).toEqual([]);
  });
});

function tooMany(retryAfter: string) {
  return { status: 429, json: { message: 'Too Many Attempts.' }, headers: { 'retry-after': retryAfter } };
}

function nonces() {
  let count = 0;
  return () => `nonce-${String(++count).padStart(12, '0')}`;
}
