import { context, metrics, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { instrument } from '../../src/opentelemetry/index.js';
import { acceptance, lookup } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { credentials, event, KEY, rejection, SECRET } from '../support/clients.js';
import { BID, BRIEF, KEYED, LOST, SENT } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

const spans = new InMemorySpanExporter();
const numbers = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const reader = new PeriodicExportingMetricReader({ exporter: numbers, exportIntervalMillis: 3_600_000 });
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
  );
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }));
});
afterAll(async () => {
  await reader.shutdown();
  trace.disable();
  metrics.disable();
  context.disable();
});
beforeEach(() => spans.reset());

/** Spans as a tree: name, and what is under it. */
type Tree = { readonly [name: string]: readonly Tree[] };
function treesOf(all: readonly ReadableSpan[]): readonly Tree[] {
  const under = (parent: string | undefined): Tree[] =>
    all
      .filter((span) => span.parentSpanContext?.spanId === parent)
      .sort((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1])
      .map((span) => ({ [span.name]: under(span.spanContext().spanId) }));
  return under(undefined);
}

function instrumented(steps: readonly Step[]) {
  const scene = new Scene();
  const actor = scene.dealer(steps, { headers: { 'X-Gateway': 'gw' } });
  const stop = instrument(actor.client);
  return { scene, stop, ...actor };
}

const named = (name: string) => spans.getFinishedSpans().find((span) => span.name === name);

describe('a client that is instrumented', () => {
  it('has a span for a read, with its attempts as children', async () => {
    const { client, scene } = instrumented([{ status: 503, json: {} }, event]);
    await scene.during(client.events.get('auc_1'));
    expect(treesOf(spans.getFinishedSpans())).toEqual([
      { 'events.get': [{ 'GET /events/{event}': [] }, { 'GET /events/{event}': [] }] },
    ]);
    const [first, second] = spans.getFinishedSpans().filter(({ name }) => name.startsWith('GET'));
    const common = {
      'http.request.method': 'GET',
      'url.template': '/events/{event}',
      'server.address': 'bank.example',
      'server.port': 443,
    };
    expect(first).toMatchObject({
      attributes: { ...common, 'http.response.status_code': 503, 'error.type': '503' },
      status: { code: SpanStatusCode.ERROR },
    });
    expect(second).toMatchObject({
      attributes: { ...common, 'http.response.status_code': 200, 'http.request.resend_count': 1 },
      status: { code: SpanStatusCode.UNSET },
    });
  });

  it('has one root for a bid whose reply is lost, and the outcome on it', async () => {
    const { client, scene, transport } = instrumented([LOST, acceptance({ replayed: true }, 200)]);
    const { status } = await scene.during(client.bids.place(BID, KEYED));
    expect([status, transport.lines]).toEqual(['accepted', [SENT, SENT]]);
    const [root, ...others] = treesOf(spans.getFinishedSpans());
    expect(others).toEqual([]);
    expect(Object.keys(root ?? {})).toEqual(['bids.place']);
    const calls = root?.['bids.place']?.map((tree) => Object.keys(tree)[0]);
    expect(calls).toEqual(['integration.profile', 'bids.submit']);
    expect(named('bids.place')).toMatchObject({
      attributes: {
        'vehicle_auction.outcome': 'accepted',
        'vehicle_auction.idempotency_key': KEY,
        'vehicle_auction.attempts': 2,
      },
      status: { code: SpanStatusCode.UNSET },
    });
  });

  it('has the lookups of a bid under its root, and an unknown outcome as an error', async () => {
    const refusals = Array.from({ length: 9 }, (): Step => ({ status: 403, json: { message: 'no' } }));
    const { client, scene } = instrumented([LOST, lookup('processing'), ...refusals]);
    const { status } = await scene.during(
      client.bids.place(BID, { ...KEYED, maxAttempts: 1, deadline: 3_000 }),
    );
    expect(status).toBe('unknown');
    const trees = treesOf(spans.getFinishedSpans());
    expect(trees).toHaveLength(1);
    expect(JSON.stringify(trees)).toContain('bids.lookup');
    expect(named('bids.place')).toMatchObject({
      attributes: { 'vehicle_auction.outcome': 'unknown', 'vehicle_auction.reason': 'in_doubt' },
      status: { code: SpanStatusCode.ERROR },
    });
  });

  it('links the recovery of a bid in another process to the trace that sent it', async () => {
    const { client, scene } = instrumented([LOST]);
    await scene.during(client.bids.place(BID, BRIEF));
    const [attempt] = spans.getFinishedSpans().filter(({ name }) => name.startsWith('POST'));
    const sent = attempt?.spanContext();
    spans.reset();
    const other = scene.dealer([acceptance({ replayed: true }, 200), lookup('accepted')]);
    instrument(other.client);
    await scene.during(other.client.recover());
    const settled = named('intents.settle');
    expect(treesOf(spans.getFinishedSpans())).toHaveLength(1);
    expect(settled?.attributes).toMatchObject({ 'vehicle_auction.idempotency_key': KEY });
    expect(settled?.links.map(({ context: { traceId, spanId } }) => ({ traceId, spanId }))).toEqual([
      { traceId: sent?.traceId, spanId: sent?.spanId },
    ]);
  });

  it('has the rows of a batch under the batch', async () => {
    const scene = new Scene();
    const replies = [1, 2].map((n) => acceptance({ bid_id: `bid_${n}`, request_id: `req_${n}` }));
    const { client } = scene.platform(replies);
    instrument(client);
    const rows = ['1', '2'].map((n) => ({
      rowId: n,
      lot: `lot_${n}`,
      amount: '100',
      bidderReference: 'buyer',
    }));
    await scene.during(client.bids.placeAll(rows, { batchId: 'b' }).summary);
    const [batch, ...others] = treesOf(spans.getFinishedSpans());
    expect(others).toEqual([]);
    expect(batch?.['bids.placeAll']?.filter((tree) => 'bids.placeAll' in tree)).toHaveLength(2);
  });

  it('names the kind of an error and its outcome, and never its message', async () => {
    const { client, scene } = instrumented([{ status: 404, json: { message: 'no event auc_77' } }]);
    await rejection(scene.during(client.events.get('auc_77')));
    const text = JSON.stringify(
      spans.getFinishedSpans().map(({ attributes, events, status }) => ({ attributes, events, status })),
    );
    expect(named('events.get')).toMatchObject({ attributes: { 'error.type': 'not_found' } });
    expect(text).not.toContain('auc_77');
  });

  it('counts outcomes and measures requests', async () => {
    const { client, scene } = instrumented([acceptance()]);
    await scene.during(client.bids.place(BID, KEYED));
    await reader.forceFlush();
    const found =
      numbers
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    const points = (name: string) =>
      found
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap((one): object[] => [...one.dataPoints]);
    expect(points('vehicle_auction.outcomes')).toContainEqual(
      expect.objectContaining({
        attributes: { 'vehicle_auction.call': 'bids.place', 'vehicle_auction.outcome': 'accepted' },
      }),
    );
    expect(points('http.client.request.duration').length).toBeGreaterThan(0);
  });

  it('exports no secret, signature, amount or reference', async () => {
    const echo: Step = {
      status: 422,
      json: { message: `${SECRET} 465000.00 buyer-9`, errors: { amount: [SECRET] } },
    };
    const scene = new Scene();
    const { client, transport } = scene.platform([echo, echo, echo, echo]);
    instrument(client);
    await scene.during(client.bids.place({ ...BID, bidderReference: 'buyer-9' }, { deadline: 2_000 }));
    const text = JSON.stringify(
      spans
        .getFinishedSpans()
        .map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    const signatures = transport.sent.map(({ headers }) => headers['X-Signature'] ?? '');
    for (const secret of [
      SECRET,
      credentials.signingSecret,
      '465000',
      'buyer-9',
      ...signatures.filter((one) => one !== ''),
    ])
      expect(text).not.toContain(secret);
  });

  it('reports through clients that are derived from it, and stops when it is told', async () => {
    const { client, scene, stop } = instrumented([event, event]);
    await scene.during(client.withOptions({ timeout: 5_000 }).events.get('a'));
    expect(spans.getFinishedSpans()).toHaveLength(2);
    stop();
    await scene.during(client.events.get('a'));
    expect(spans.getFinishedSpans()).toHaveLength(2);
  });
});

it.each([[undefined], [{}], ['client']])('What is no client is refused: %j', (wrong) => {
  expect(() => instrument(wrong as never)).toThrow(/client must be a PartnerClient/);
});
