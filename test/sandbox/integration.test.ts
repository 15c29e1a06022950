import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get } from './caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

describe('integration', () => {
  test('A01 tells each caller who it is, and never the secret', async () => {
    const { dealer, platform, bank } = sandbox.credentials;
    const read = (who: typeof dealer) => get(sandbox, who, '/api/v1/integration/profile');
    const mine = await read(dealer);
    expect(Object.keys(mine.json.data).sort()).toEqual(
      [
        ...['environment', 'bank_id', 'partner_id', 'client_id', 'actor_type', 'partner_type', 'dealer_id'],
        ...['scopes', 'operations'],
      ].sort(),
    );
    expect(mine.json.data).toMatchObject({
      environment: 'sandbox',
      actor_type: 'partner',
      dealer_id: 'D-204',
    });
    expect(mine.text).not.toContain(dealer.signingSecret);
    expect(mine.json.data.operations).toContainEqual({
      id: 'A06',
      method: 'GET',
      path: '/api/v1/bid-requests/{idempotency_key}',
      scope: 'bids:read',
      title: expect.any(String),
      actors: ['partner'],
    });
    expect((await read(platform)).json.data.partner_type).toBe('platform');
    const banks = (await read(bank)).json.data;
    expect(banks).toMatchObject({ actor_type: 'bank', partner_id: null, dealer_id: null });
    const ids = banks.operations.map((operation: { id: string }) => operation.id);
    expect(ids).toContain('A05');
    expect(ids).not.toContain('A06');
    sandbox.partners.update(dealer.clientId, { scopes: ['integration:read'] });
    expect((await read(dealer)).json.data.scopes).toEqual(['integration:read']);
    expect((await read(dealer)).json.data.operations).toHaveLength(2);
  });

  // rule: version.1, version.2
  test('A02', async () => {
    const { json } = await get(sandbox, sandbox.credentials.bank, '/api/v1/integration/capabilities');
    expect(json.server_time).toBe('2026-03-01T10:00:00.000Z');
    expect(json.data).toMatchObject({
      api_versions: ['v1'],
      bid_visibility: { open: expect.any(String), closed: expect.any(String) },
      webhooks: { enabled: false },
      realtime: { enabled: false },
    });
  });
});

describe('seeds', () => {
  test('the same seed makes the same sandbox, another another', async () => {
    const ids = async (seed: number) => {
      await using other = await startSandbox({ seed, clock: 'manual', startAt: '2026-03-01T10:00:00Z' });
      const { json } = await get(other, other.credentials.dealer, '/api/v1/lots');
      return JSON.stringify(json.data).replaceAll(other.baseUrl, '');
    };
    expect(await ids(7)).toBe(await ids(7));
    expect(await ids(7)).not.toBe(await ids(8));
  });

  test('more than a hundred lots, all with prices on whole rupees', () => {
    const lots = sandbox.auctions.list().flatMap((auction) => auction.lots);
    expect(lots.length).toBeGreaterThan(100);
    expect(new Set(lots.map(({ id }) => id)).size).toBe(lots.length);
    for (const { startingPrice } of lots) expect(startingPrice).toMatch(/^\d+\.00$/);
  });
});
