import { describe, expect, it } from 'vitest';
import { prepare } from '../../src/core/request/prepare.js';
import { events } from '../../src/generated/events.js';
import { accepted, dealer, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

const defaults = { origin: 'https://bank.example', prefix: '', fill: {}, partnerType: undefined };
const uuid = () => '00000000-0000-4000-8000-000000000001';
const tooMany = (retryAfter: string): Step => ({
  status: 429,
  json: { message: 'Too Many Attempts.' },
  headers: { 'retry-after': retryAfter },
});

// That attempts are the same bytes under the same key is in test/wire and test/client/frozen-bytes.test.ts.
describe('a bid', () => {
  it('is sent again after 250 and 500 ms, at the most that jitter makes of them', async () => {
    const steps: Step[] = [{ fail: 'maybe' }, { status: 500, json: { message: 'Server Error' } }];
    const { client, clock } = dealer([...steps, { status: 200, json: accepted({ replayed: true }) }], {
      randomness: { fraction: () => 1, nonce: () => 'n'.repeat(16) },
    });
    const call = client.bids.submit('lot_1', { amount: '465000' });
    await clock.advance(5_000);
    await call;
    expect(clock.asked).toEqual(expect.arrayContaining([250, 500]));
  });

  it('waits for a Retry-After as long as it may be sent, however often, and counts no attempt for it', async () => {
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

  it.each(['3600', '2147483648'])(
    'waits a minute where the service asks for %s s, longer than is left, and is sent again',
    async (seconds) => {
      const { client, transport, clock } = dealer([tooMany(seconds), { status: 201, json: accepted() }]);
      const call = client.bids.submit('lot_1', { amount: '465000' });
      await clock.advance(59_000);
      expect(transport.sent).toHaveLength(1);
      await clock.advance(1_000);
      expect(await call).toMatchObject({ status: 'accepted' });
    },
  );

  it('surfaces at once what could only be waited for past the deadline', async () => {
    const { client, transport, clock } = dealer([tooMany('5'), tooMany('30')]);
    const failed = rejection(client.bids.submit('lot_1', { amount: '1' }, { deadline: 34_000 }));
    await clock.advance(5_000);
    expect(await failed).toMatchObject({ name: 'RateLimitError', retryAfter: 30_000 });
    expect(transport.sent).toHaveLength(2);
    expect(clock.pending).toEqual([]);
  });
});

// rule: header.nonce, limit.nonce
it('A nonce that the service would refuse is refused before anything is sent', async () => {
  const { client, transport } = dealer([], { randomness: { nonce: () => 'short' } });
  const error = await rejection(client.events.get('auc_1'));
  expect(error).toMatchObject({ name: 'ConfigurationError', option: 'randomness.nonce' });
  expect(transport.sent).toEqual([]);
});

it('A path that would reach the service as another one is never signed, even if a schema let its id through', () => {
  const lax = { ...events.get, params: { event: 'filled' } } as const;
  const make = (event: string) => () => prepare(lax, { path: { event } }, undefined, defaults, uuid);
  for (const event of ['..', '.']) expect(make(event)).toThrow(/reach the service unchanged/);
});
