import { expect, it } from 'vitest';
import { parseProfile } from '../../src/client/deployment-profile.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import type { DeploymentProfile } from '../../src/learn/profile.js';
import { onManualClock } from '../sandbox/caller.js';
import { learnedFrom } from './deployments.js';
import { type Rewrite, serverOver } from './hand-made.js';

const atMost50: Rewrite = ({ path, body }) => {
  const { lot_ids: lots } = body;
  if (path !== '/lots/status-batch' || !Array.isArray(lots) || lots.length <= 50) return undefined;
  return { status: 422, json: { message: 'Invalid.', errors: { lot_ids: ['At most 50.'] } } };
};

it('A client that has the profile asks for no more statuses at once than the deployment takes', async () => {
  const sandbox = await onManualClock();
  await using server = await serverOver(sandbox, atMost50);
  const { clock, credentials } = sandbox;
  const { baseUrl } = server;
  const learned = await learnedFrom({ baseUrl, clock, credentials }, 'dealer');
  expect(learned.settings).toEqual({ statusBatchSize: 50 });
  const profile = parseProfile(JSON.stringify(learned));
  const lots = ['live-open', 'live-closed'].flatMap((label) => sandbox.auctions.get(label).lots);
  const client = new PartnerClient({
    environment: 'sandbox',
    baseUrl,
    clock,
    profile,
    credentials: credentials.dealer,
    partnerType: 'direct_dealer',
    dealerId: credentials.dealer.dealerId,
    logLevel: 'off',
  });
  const before = sandbox.attempts().length;
  expect(await client.bids.standings(lots)).toHaveLength(70);
  expect(sandbox.attempts().length - before).toBe(2);
  await client.close();
  await sandbox.close();
});

const written = { version: 1, origin: 'https://bank.example/api/v1', settings: {} };

function clientWith(settings: object) {
  return new PartnerClient({
    environment: 'sandbox',
    baseUrl: 'https://bank.example/api/v1/',
    credentials: { clientId: 'cl_1', keyId: 'key_1', signingSecret: 'sk_of_a_test_1' },
    partnerType: 'platform',
    profile: parseProfile(JSON.stringify({ ...written, ...settings })),
    logLevel: 'off',
  });
}

it('A profile of this deployment is taken, whatever else its file has', () => {
  expect(() => clientWith({ rows: [], keys: [], settings: { keyRetention: 1_200_000 } })).not.toThrow();
});

it.each([
  ['is of another deployment', { origin: 'https://bank.example/index.php/api/v1' }],
  ['is not a file that "learn" has written', { version: 2 }],
  ['profile.origin', { origin: 7 }],
  ['profile.statusBatchSize', { settings: { statusBatchSize: 101 } }],
  ['profile.statusBatchSize', { settings: { statusBatchSize: '50' } }],
  ['keyRetention', { settings: { keyRetention: 1_000 } }],
])('A profile is refused: %s, for %j', (message, change) => {
  expect(() => clientWith(change)).toThrow(message);
});

it('Keys that are forgotten within the hour shorten the retention that a client trusts', async () => {
  const placed = new Map<string, string>();
  const sandbox = await onManualClock();
  await using server = await serverOver(sandbox, ({ path, now }, { status, json }) => {
    const at = placed.get(path.replace('/bid-requests/', ''));
    const isForgotten = at !== undefined && now - Date.parse(at) > 1_800_000;
    return isForgotten
      ? { status, json: { data: { ...json.data, state: 'absent', receipt: null } } }
      : undefined;
  });
  const service = { baseUrl: server.baseUrl, clock: sandbox.clock, credentials: sandbox.credentials };
  const run = async (before?: DeploymentProfile) => {
    const profile = await learnedFrom(service, 'dealer', { allowWrites: true, before });
    for (const { key, placedAt } of profile.keys) placed.set(key, placedAt);
    return profile;
  };
  const first = await run();
  sandbox.clock.advance(15 * 60_000);
  const second = await run(first);
  sandbox.clock.advance(20 * 60_000);
  const third = await run(second);
  expect(third.rows.find(({ id }) => id === 'key-retention')?.verdict).toBe('refuted');
  // The key of 20 minutes is remembered, that of 35 is not.
  expect(third.settings.keyRetention).toBe(20 * 60_000);
  await sandbox.close();
});
