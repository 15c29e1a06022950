import { afterAll, expect, it } from 'vitest';
import { instrument } from '../../src/opentelemetry/index.js';
import { acceptance, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { BID, LOST, UNCONNECTED } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';
import { Telemetry, valuesOf } from './scrape.js';

const telemetry = new Telemetry();
afterAll(() => telemetry.end());

const BIDS = 300;

/** What the network and the service do to one bid, by its number. */
function stepsOf(n: number): readonly Step[] {
  const ids = { bid_id: `bid_${n}`, request_id: `req_${n}` };
  const accepted = acceptance(ids);
  const replayed = acceptance({ ...ids, replayed: true }, 200);
  const ways: readonly (readonly Step[])[] = [
    [accepted],
    [LOST, replayed],
    [LOST, LOST, replayed],
    [{ status: 503, json: {} }, replayed],
    [UNCONNECTED, accepted],
    [refusal(403, 'SCOPE_DENIED')],
  ];
  return ways[(n * 7 + Math.floor(n / 6)) % ways.length] ?? [accepted];
}

it('over 300 bids with faults, each is one trace, and traces, metrics and outcomes agree', async () => {
  const scene = new Scene();
  const numbers = Array.from({ length: BIDS }, (_, n) => n);
  const { client, transport } = scene.dealer(numbers.flatMap(stepsOf));
  instrument(client);
  const expected: Record<string, number> = {};
  for (const n of numbers) {
    telemetry.spans.reset();
    const outcome = await scene.during(client.bids.place({ ...BID, lot: `lot_${n}` }));
    expected[outcome.status] = (expected[outcome.status] ?? 0) + 1;
    const spans = telemetry.spans.getFinishedSpans();
    const roots = spans.filter(({ parentSpanContext }) => parentSpanContext === undefined);
    expect(roots.map(({ name, attributes }) => [name, attributes['vehicle_auction.outcome']])).toEqual([
      ['bids.place', outcome.status],
    ]);
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(spans.filter(({ name }) => name.startsWith('POST'))).toHaveLength(stepsOf(n).length);
  }
  expect(Object.keys(expected).sort()).toEqual(['accepted', 'refused']);
  const scrape = await telemetry.scrape();
  const { outcomes } = await client.metrics();
  const intents = await scene.intents();
  for (const [status, count] of Object.entries(expected)) {
    const labels = { vehicle_auction_call: 'bids.place', vehicle_auction_outcome: status };
    const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0);
    expect(sum(valuesOf(scrape, 'vehicle_auction_outcomes_total', labels))).toBe(count);
    expect(sum(outcomes.filter(({ outcome }) => outcome === status).map((one) => one.count))).toBe(count);
    expect(intents.filter(({ state }) => state === status)).toHaveLength(count);
  }
  expect(transport.lines).toHaveLength(numbers.flatMap(stepsOf).length);
});
