import { type Attributes, metrics, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { VERSION } from '../client/version.js';
import { type Observed, type Observer, observe } from '../core/observe.js';
import { ConfigurationError } from '../errors/local.js';

/** Options of `instrument`. */
export interface InstrumentOptions {
  /** Name of the tracer and meter; defaults to `vehicle-auction-sdk`. */
  readonly name?: string | undefined;
}

/** A client of this package, of either build. */
export interface InstrumentedClient {
  /** A method of both clients. */
  withOptions(options: object): unknown;
}

/**
 * Makes a client report to OpenTelemetry: a span for each use case, such as `bids.place`, a batch and its rows, or `recover`, with its
 * calls, lookups and attempts as children; and metrics.
 *
 * Names and attributes follow the HTTP conventions. The outcome stands on the span of the use case and of the call. No amount,
 * reference, body or secret is exported. It reports to the providers that are registered with `@opentelemetry/api`; without
 * any, it costs next to nothing. Clients that are derived with `withOptions` report as well.
 *
 * @returns a function that ends the reporting
 * @throws ConfigurationError for what is no client of this package
 */
export function instrument(
  client: InstrumentedClient,
  { name = 'vehicle-auction-sdk' }: InstrumentOptions = {},
): () => void {
  const set: unknown = Reflect.get(Object(client), observe);
  if (typeof set !== 'function') {
    throw new ConfigurationError('client', 'must be a PartnerClient or a BankClient of this package');
  }
  const observer = observerOf(name);
  Reflect.apply(set, client, [observer]);
  return () => Reflect.apply(set, client, [undefined]);
}

function observerOf(name: string): Observer {
  const tracer = trace.getTracer(name, VERSION);
  const meter = metrics.getMeter(name, VERSION);
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
  return async (observed, run) => {
    const options = { kind: observed.kind === 'attempt' ? SpanKind.CLIENT : SpanKind.INTERNAL };
    const attributes = attributesBefore(observed);
    const spanName = observed.kind === 'attempt' ? observed.facts.call.route : observed.name;
    return tracer.startActiveSpan(spanName, { ...options, attributes }, async (span) => {
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
        record(observed, { ...attributes, ...ended }, (performance.now() - startedAt) / 1_000);
      }
    });
  };

  function record(observed: Observed, attributes: Attributes, seconds: number): void {
    if (observed.kind === 'attempt') {
      requests.record(seconds, only(attributes, HTTP));
      return;
    }
    const outcome = attributes['vehicle_auction.outcome'];
    if (outcome === undefined) return;
    const facts = only(attributes, ['vehicle_auction.outcome', 'vehicle_auction.reason', 'error.type']);
    const dimensions = { 'vehicle_auction.call': observed.name, ...facts };
    outcomes.add(1, dimensions);
    durations.record(seconds, dimensions);
  }
}

const HTTP = [
  'http.request.method',
  'url.template',
  'server.address',
  'http.response.status_code',
  'error.type',
];

function attributesBefore(observed: Observed): Attributes {
  if (observed.kind === 'use_case') return { 'vehicle_auction.call': observed.name };
  const { call, operation, effect, route, origin, idempotencyKey } =
    observed.kind === 'call' ? observed.facts : observed.facts.call;
  const common = {
    'vehicle_auction.call': call,
    'vehicle_auction.operation': operation,
    'vehicle_auction.effect': effect,
    ...(idempotencyKey !== undefined && { 'vehicle_auction.idempotency_key': idempotencyKey }),
  };
  if (observed.kind === 'call') return common;
  const { hostname, port, protocol } = new URL(origin);
  const [method = '', template = ''] = route.split(' ');
  const { attempt } = observed.facts;
  return {
    ...common,
    'http.request.method': method,
    'url.template': template,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
    ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
  };
}

function attributesAfter(observed: Observed, result: unknown): Attributes {
  if (observed.kind === 'attempt') {
    const { status, effect, requestId } = observed.facts;
    return {
      ...(status !== undefined && { 'http.response.status_code': status }),
      ...(requestId !== undefined && { 'vehicle_auction.request_id': requestId }),
      ...(effect !== undefined && effect !== 'done' && { 'error.type': String(status ?? effect) }),
    };
  }
  if (observed.kind === 'call') {
    const { effect, outcome, attempts } = observed.facts;
    const own = { 'vehicle_auction.attempts': attempts };
    if (effect === 'read') return own;
    return { ...own, 'vehicle_auction.outcome': outcome ?? 'done' };
  }
  return ofOutcome(result);
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

function only(attributes: Attributes, names: readonly string[]): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => names.includes(name)));
}
