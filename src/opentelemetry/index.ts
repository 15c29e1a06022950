import {
  type Attributes,
  context,
  createNoopMeter,
  type Histogram,
  INVALID_SPAN_CONTEXT,
  INVALID_TRACEID,
  type Link,
  type Meter,
  metrics,
  ProxyTracerProvider,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { ClientMetrics } from '../client/metrics.js';
import { VERSION } from '../client/version.js';
import {
  type DeliveryFacts,
  type Observation,
  type Observed,
  type Observer,
  observe,
} from '../core/observe.js';
import type { CallDiagnostics } from '../core/telemetry.js';
import { ConfigurationError } from '../errors/local.js';
import { reportGauges } from './gauges.js';

/** Options of `instrument`. */
export interface InstrumentOptions {
  /** Name of the tracer and meter; defaults to `vehicle-auction-sdk`. */
  readonly name?: string | undefined;
  /** Attributes of every metric, such as the bank. Needed if a process instruments several clients. */
  readonly attributes?: Readonly<Record<string, string>> | undefined;
}

/** A client of this package, of either build. */
export interface InstrumentedClient {
  /** A method of both clients. */
  metrics(): Promise<ClientMetrics>;
}

/** A webhook receiver of this package, of either build. */
export interface InstrumentedReceiver {
  /** A method of receivers. */
  receive(delivery: never): Promise<unknown>;
}

/**
 * Makes a client or a webhook receiver report to OpenTelemetry: a span for each use case, such as `bids.place`, a batch and its rows,
 * or `recover`, with its calls, lookups and attempts as children; for each item of a follower, each webhook delivery and its
 * handling; and metrics, including the numbers of `client.metrics()`.
 *
 * Names and attributes follow the HTTP conventions. The outcome is an attribute of the use case and of the call. No amount,
 * reference, body or secret is exported. It reports to the providers that are registered with `@opentelemetry/api`; without
 * any, it costs next to nothing. Clients that are derived with `withOptions` report as well.
 *
 * @returns a function that ends the reporting
 * @throws ConfigurationError for other objects
 */
export function instrument(
  client: InstrumentedClient | InstrumentedReceiver,
  { name = 'vehicle-auction-sdk', attributes = {} }: InstrumentOptions = {},
): () => void {
  const set: unknown = Reflect.get(Object(client), observe);
  if (typeof set !== 'function') {
    const message = 'must be a PartnerClient, a BankClient or a WebhookReceiver of this package';
    throw new ConfigurationError('client', message);
  }
  const meter = metrics.getMeter(name, VERSION);
  const isMetered = meter !== createNoopMeter();
  const observation: Observation = {
    observer: observerOf(name, meter, attributes),
    traceparent: traceparentOf,
    isListening: () => isMetered || isTracerRegistered(),
  };
  Reflect.apply(set, client, [observation]);
  const stopGauges =
    'metrics' in client ? reportGauges(meter, () => client.metrics(), attributes) : undefined;
  return () => {
    Reflect.apply(set, client, [{ observer: undefined }]);
    stopGauges?.();
  };
}

/** Delivery spans that the handling of their events links to, kept until then. */
const DELIVERIES = 1_000;

/** The provider that spans go to while no SDK is registered. */
const NO_PROVIDER = new ProxyTracerProvider().getDelegate();

/** Whether an SDK takes spans now: it may be registered after a client was instrumented. */
function isTracerRegistered(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== NO_PROVIDER;
}

function observerOf(name: string, meter: Meter, own: Attributes): Observer {
  const deliveries = new Map<string, SpanContext>();
  const tracer = trace.getTracer(name, VERSION);
  const requests = meter.createHistogram('http.client.request.duration', {
    description: 'Duration of each request.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] },
  });
  const outcomes = meter.createCounter('vehicle_auction.outcomes', {
    description: 'Bids and commands by outcome and reason.',
    unit: '{outcome}',
  });
  const durations = meter.createHistogram('vehicle_auction.operation.duration', {
    description: 'Time from the call of a bid or command to its outcome.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120] },
  });
  const commits = meter.createHistogram('vehicle_auction.store.duration', {
    description: 'Duration of each unit of work of the store.',
    unit: 's',
    advice: {
      explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    },
  });
  const waits = meter.createHistogram('vehicle_auction.quota.wait', {
    description: 'Time that requests were queued for the quota, by lane.',
    unit: 's',
    advice: { explicitBucketBoundaries: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] },
  });
  const items = meter.createCounter('vehicle_auction.follower.items', {
    description: 'Items that a handler of a follower was called with.',
    unit: '{item}',
  });
  const received = meter.createCounter('vehicle_auction.webhook.deliveries', {
    description: 'Webhook deliveries by outcome.',
    unit: '{delivery}',
  });
  const handlings = meter.createCounter('vehicle_auction.webhook.handlings', {
    description: 'Attempts to handle a webhook event by type and outcome.',
    unit: '{attempt}',
  });
  const known = new KnownCalls();
  return (observed, run) => {
    // Spans of units of work and of waits would hide the calls.
    if (observed.kind === 'store') return measured(commits, own, run);
    if (observed.kind === 'queue') {
      return measured(waits, { ...own, 'vehicle_auction.quota.lane': observed.lane }, run, 'not_sent');
    }
    const attributes = attributesBefore(observed, known);
    const spanName = observed.kind === 'attempt' ? observed.facts.call.route : observed.name;
    const active = context.active();
    const span = tracer.startSpan(spanName, spanOptions(observed, attributes, deliveries), active);
    return context.with(trace.setSpan(active, span), () => traced(observed, span, attributes, run));
  };

  async function measured<T>(
    histogram: Histogram,
    attributes: Attributes,
    run: () => Promise<T>,
    failure?: string,
  ): Promise<T> {
    const startedAt = performance.now();
    let ended: Attributes = {};
    try {
      return await run();
    } catch (error) {
      ended = failure === undefined ? only(['error.type'], ofError(error)) : { 'error.type': failure };
      throw error;
    } finally {
      histogram.record(secondsSince(startedAt), { ...attributes, ...ended });
    }
  }

  async function traced<T>(
    observed: Traced,
    span: Span,
    before: Attributes,
    run: () => Promise<T>,
  ): Promise<T> {
    const startedAt = performance.now();
    let ended: Attributes = {};
    try {
      const result = await run();
      ended = attributesAfter(observed, result);
      fail(span, ended);
      return result;
    } catch (error) {
      ended = { ...attributesAfter(observed, undefined), ...ofError(error) };
      // Without the message: it can name amounts and references.
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.setAttributes(ended);
      span.end();
      if (observed.kind === 'delivery') remember(deliveries, observed.facts, span.spanContext());
      record(observed, before, ended, secondsSince(startedAt));
    }
  }

  function record(observed: Traced, before: Attributes, ended: Attributes, seconds: number): void {
    const pick = (...names: readonly string[]) => ({ ...own, ...only(names, ended, before) });
    switch (observed.kind) {
      case 'attempt':
        requests.record(seconds, { ...own, ...only(HTTP, ended, before) });
        return;
      case 'item':
        items.add(1, pick('vehicle_auction.call', 'error.type'));
        return;
      case 'delivery':
        received.add(1, pick('vehicle_auction.outcome', 'error.type'));
        return;
      case 'event':
        handlings.add(1, pick('vehicle_auction.webhook.type', 'vehicle_auction.outcome', 'error.type'));
        return;
      case 'settlement':
        return;
      default: {
        if (ended['vehicle_auction.outcome'] === undefined) return;
        const facts = pick('vehicle_auction.outcome', 'vehicle_auction.reason', 'error.type');
        const dimensions = { 'vehicle_auction.call': observed.name, ...facts };
        outcomes.add(1, dimensions);
        durations.record(seconds, dimensions);
      }
    }
  }
}

function secondsSince(startedAt: number): number {
  return (performance.now() - startedAt) / 1_000;
}

/** The options of a span: its kind, attributes and place in traces. */
function spanOptions(
  observed: Traced,
  attributes: Attributes,
  deliveries: Map<string, SpanContext>,
): SpanOptions {
  switch (observed.kind) {
    case 'attempt':
      return { kind: SpanKind.CLIENT, attributes };
    case 'settlement':
      return { kind: SpanKind.INTERNAL, attributes, links: observed.facts.traceparents.flatMap(linkTo) };
    case 'item':
      return { kind: SpanKind.CONSUMER, attributes, root: true };
    case 'event': {
      // A root with a link: events are handled after the reply, and again after a crash.
      const links = linkOf(observed.facts.eventId, deliveries);
      return { kind: SpanKind.CONSUMER, attributes, root: true, links };
    }
    default:
      return { kind: SpanKind.INTERNAL, attributes };
  }
}

/** W3C `traceparent` of the active span. */
function traceparentOf(): string | undefined {
  const { traceId, spanId, traceFlags } = trace.getActiveSpan()?.spanContext() ?? INVALID_SPAN_CONTEXT;
  const flags = traceFlags.toString(16).padStart(2, '0');
  return traceId === INVALID_TRACEID ? undefined : `00-${traceId}-${spanId}-${flags}`;
}

function linkTo(traceparent: string): Link[] {
  const [, traceId, spanId, flags] = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return [];
  return [{ context: { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true } }];
}

function linkOf(eventId: string, deliveries: Map<string, SpanContext>): Link[] {
  const delivered = deliveries.get(eventId);
  return delivered === undefined ? [] : [{ context: delivered }];
}

/** Keeps the latest deliveries of new events. */
function remember(deliveries: Map<string, SpanContext>, facts: DeliveryFacts, context: SpanContext): void {
  if (facts.outcome !== 'kept' || facts.eventId === undefined) return;
  deliveries.set(facts.eventId, context);
  const [oldest] = deliveries.keys();
  if (deliveries.size > DELIVERIES && oldest !== undefined) deliveries.delete(oldest);
}

const HTTP = [
  'http.request.method',
  'url.template',
  'server.address',
  'http.response.status_code',
  'error.type',
];

type Traced = Exclude<Observed, { readonly kind: 'store' | 'queue' }>;

function attributesBefore(observed: Traced, known: KnownCalls): Attributes {
  switch (observed.kind) {
    case 'call':
      return withKey(known.of(observed.facts).call, observed.facts);
    case 'attempt': {
      const { call, attempt } = observed.facts;
      const attributes = withKey(known.of(call).attempt, call);
      return attempt > 1 ? { ...attributes, 'http.request.resend_count': attempt - 1 } : attributes;
    }
    case 'event': {
      const { type, eventId, attempt } = observed.facts;
      return {
        'vehicle_auction.webhook.type': type,
        'vehicle_auction.webhook.event_id': eventId,
        'vehicle_auction.webhook.attempt': attempt,
      };
    }
    case 'delivery':
      return {};
    case 'settlement':
      return { 'vehicle_auction.idempotency_key': observed.facts.idempotencyKey };
    default:
      return { 'vehicle_auction.call': observed.name };
  }
}

function withKey(attributes: Attributes, { idempotencyKey }: CallDiagnostics): Attributes {
  if (idempotencyKey === undefined) return attributes;
  return { ...attributes, 'vehicle_auction.idempotency_key': idempotencyKey };
}

/** Attributes that all calls of an operation share. */
interface KnownCall {
  readonly name: string;
  readonly origin: string;
  readonly call: Attributes;
  readonly attempt: Attributes;
}

/** More routes than the API has: paths of `request()` are routes, too. */
const MOST_ROUTES = 500;

/** The attributes of each operation, made once. */
class KnownCalls {
  readonly #byRoute = new Map<string, KnownCall>();

  of(facts: CallDiagnostics): KnownCall {
    const found = this.#byRoute.get(facts.route);
    if (found !== undefined && found.name === facts.call && found.origin === facts.origin) return found;
    const made = knownCallOf(facts);
    if (this.#byRoute.size >= MOST_ROUTES) this.#byRoute.clear();
    this.#byRoute.set(facts.route, made);
    return made;
  }
}

function knownCallOf({ call: name, operation, effect, route, origin }: CallDiagnostics): KnownCall {
  const { hostname, port, protocol } = new URL(origin);
  const [method = '', template = ''] = route.split(' ');
  const call = {
    'vehicle_auction.call': name,
    'vehicle_auction.operation': operation,
    'vehicle_auction.effect': effect,
  };
  const attempt = {
    'vehicle_auction.call': name,
    'http.request.method': method,
    'url.template': template,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
  };
  return { name, origin, call, attempt };
}

function attributesAfter(observed: Traced, result: unknown): Attributes {
  if (observed.kind === 'item') return {};
  if (observed.kind === 'delivery' || observed.kind === 'event') return afterWebhook(observed);
  if (observed.kind === 'attempt') {
    const { status, effect, requestId } = observed.facts;
    const ended: Attributes = {};
    if (status !== undefined) ended['http.response.status_code'] = status;
    if (requestId !== undefined) ended['vehicle_auction.request_id'] = requestId;
    if (effect !== undefined && effect !== 'done') ended['error.type'] = String(status ?? effect);
    return ended;
  }
  if (observed.kind === 'call') {
    const { effect, outcome, attempts } = observed.facts;
    const own = { 'vehicle_auction.attempts': attempts };
    if (effect === 'read') return own;
    return { ...own, 'vehicle_auction.outcome': outcome ?? 'done' };
  }
  return ofOutcome(result);
}

function afterWebhook(observed: Extract<Traced, { readonly kind: 'delivery' | 'event' }>): Attributes {
  const { outcome } = observed.facts;
  const ended = outcome === undefined ? {} : { 'vehicle_auction.outcome': outcome };
  if (observed.kind === 'event') {
    return { ...ended, ...(outcome !== 'handled' && outcome !== undefined && { 'error.type': outcome }) };
  }
  const { reason, eventId } = observed.facts;
  const isError = outcome === 'unavailable' || outcome === 'misused';
  return {
    ...ended,
    ...(eventId !== undefined && { 'vehicle_auction.webhook.event_id': eventId }),
    ...((reason ?? isError) && { 'error.type': reason ?? outcome }),
  };
}

const statuses = [
  'accepted',
  'rejected',
  'refused',
  'not_sent',
  'unknown',
  'approved',
  'offered',
  'decided',
  'held',
  'conflict',
];

/** Attributes of an outcome, without amounts and references. */
function ofOutcome(result: unknown): Attributes {
  const { status, reason, idempotencyKey, attempts }: Readonly<Record<string, unknown>> = Object(result);
  if (typeof status !== 'string' || !statuses.includes(status)) return {};
  return {
    'vehicle_auction.outcome': status,
    ...(typeof reason === 'string' && { 'vehicle_auction.reason': reason }),
    ...(typeof idempotencyKey === 'string' && { 'vehicle_auction.idempotency_key': idempotencyKey }),
    ...(typeof attempts === 'number' && { 'vehicle_auction.attempts': attempts }),
  };
}

function ofError(error: unknown): Attributes {
  const { name, reason, outcome, idempotencyKey, requestId }: Readonly<Record<string, unknown>> =
    Object(error);
  const type = typeof reason === 'string' ? reason : name;
  return {
    'error.type': typeof type === 'string' ? type : '_OTHER',
    ...(typeof outcome === 'string' && { 'vehicle_auction.outcome': outcome }),
    ...(typeof idempotencyKey === 'string' && { 'vehicle_auction.idempotency_key': idempotencyKey }),
    ...(typeof requestId === 'string' && { 'vehicle_auction.request_id': requestId }),
  };
}

/** A bid that is not accepted, and an attempt that failed, are errors of their spans. */
function fail(span: Span, attributes: Attributes): void {
  const outcome = attributes['vehicle_auction.outcome'];
  const isFailed = attributes['error.type'] !== undefined || outcome === 'unknown' || outcome === 'not_sent';
  if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Attributes of these names, from the first source that has each. */
function only(names: readonly string[], first: Attributes, second: Attributes = NO_ATTRIBUTES): Attributes {
  const kept: Attributes = {};
  for (const name of names) {
    const value = first[name] ?? second[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

const NO_ATTRIBUTES: Attributes = {};
