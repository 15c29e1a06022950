import { afterAll, expect, it, onTestFinished } from 'vitest';
import type { BidOutcome } from '../../src/bids/types.js';
import { fetchTransport, PartnerClient } from '../../src/index.js';
import { instrument } from '../../src/opentelemetry/index.js';
import { type Fault, startSandbox } from '../../src/sandbox/index.js';
import { countingRandomness } from '../support/clients.js';
import { thoroughly } from '../support/thorough.js';
import { Telemetry, valuesOf } from './scrape.js';

const telemetry = new Telemetry();
afterAll(() => telemetry.end());

const BIDS = thoroughly(300, 1_000);

/** What strikes the bids of a round, one fault after the other. */
const faults: readonly (Fault & { readonly times: number })[] = [
  { fault: 'drop_after_commit', times: 6 },
  { fault: 'drop_before_commit', times: 4 },
  { fault: 'error_after_commit', status: 503, times: 4 },
  { fault: 'error_before_commit', times: 4 },
  { fault: 'truncate', times: 3 },
  { fault: 'garbage', commit: true, times: 3 },
  { fault: 'refuse', code: 'SCOPE_DENIED', times: 3 },
];

/** A dealer's client against a sandbox in this process, whose retries wait for no time at all. */
async function stage() {
  const sandbox = await startSandbox({ listen: false, clock: 'manual', rateLimit: false });
  const client = new PartnerClient({
    environment: 'sandbox',
    baseUrl: sandbox.baseUrl,
    credentials: sandbox.credentials.dealer,
    partnerType: 'direct_dealer',
    dealerId: sandbox.credentials.dealer.dealerId,
    transport: fetchTransport(sandbox.fetch, { retriesNothing: true }),
    clock: sandbox.clock,
    randomness: countingRandomness(),
    quota: { limit: Number.POSITIVE_INFINITY },
    logLevel: 'off',
  });
  onTestFinished(async () => {
    await client.close();
    await sandbox.close();
  });
  return { sandbox, client };
}

/** Places bids on all lots of an auction, round after round; every tenth is too low. */
async function placed({ sandbox, client }: Awaited<ReturnType<typeof stage>>): Promise<BidOutcome[]> {
  const { lots } = sandbox.auctions.get('live-open');
  const outcomes: BidOutcome[] = [];
  for (let round = 0; outcomes.length < BIDS; round += 1) {
    for (const fault of faults) sandbox.inject({ ...fault, operation: 'bids.submit' });
    const bids = lots.slice(0, BIDS - outcomes.length).map((lot, index) => {
      const amount = index % 10 === 9 ? '1' : String(Number(lot.startingPrice) + round * 50_000);
      return client.bids.place({ lot: lot.id, amount });
    });
    outcomes.push(...(await Promise.all(bids)));
  }
  return outcomes;
}

const countBy = <T>(all: readonly T[], keyOf: (one: T) => string) => {
  const counts: Record<string, number> = {};
  for (const one of all) counts[keyOf(one)] = (counts[keyOf(one)] ?? 0) + 1;
  return counts;
};
const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0);

it(`over ${BIDS} bids with faults, each is one trace with one root, and outcomes, metrics and the ledger agree`, async () => {
  const { sandbox, client } = await stage();
  instrument(client);
  const outcomes = await placed({ sandbox, client });
  const expected = countBy(outcomes, ({ status }) => status);
  expect(sum(Object.values(expected))).toBe(BIDS);
  expect(Object.keys(expected).sort()).toEqual(['accepted', 'refused', 'rejected']);

  const spans = telemetry.spans.getFinishedSpans();
  const roots = spans.filter(({ parentSpanContext }) => parentSpanContext === undefined);
  expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(BIDS);
  const factsOf = (key: unknown, outcome: unknown) => `bids.place ${key}: ${outcome}`;
  const traced = roots.map(({ name, attributes }) => {
    const { 'vehicle_auction.idempotency_key': key, 'vehicle_auction.outcome': outcome } = attributes;
    return factsOf(key, outcome).replace('bids.place', name);
  });
  expect(traced.sort()).toEqual(outcomes.map((one) => factsOf(one.idempotencyKey, one.status)).sort());

  const submits = sandbox.attempts().filter(({ call }) => call === 'bids.submit');
  expect(submits.length).toBeGreaterThan(BIDS);
  expect(spans.filter(({ name }) => name === 'POST /lots/{lot}/bids')).toHaveLength(submits.length);
  const accepted = outcomes.filter(({ status }) => status === 'accepted');
  const keys = sandbox.ledger().map(({ idempotencyKey }) => idempotencyKey);
  expect(keys.sort()).toEqual(accepted.map(({ idempotencyKey }) => idempotencyKey).sort());

  const scrape = await telemetry.scrape();
  const counted = (await client.metrics()).outcomes;
  for (const [status, count] of Object.entries(expected)) {
    const labels = { vehicle_auction_call: 'bids.place', vehicle_auction_outcome: status };
    expect(sum(valuesOf(scrape, 'vehicle_auction_outcomes_total', labels))).toBe(count);
    expect(sum(counted.filter(({ outcome }) => outcome === status).map((one) => one.count))).toBe(count);
  }
});
