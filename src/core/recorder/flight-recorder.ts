import type { AsyncLocalStorage } from 'node:async_hooks';
import { type Outcome, VehicleAuctionError } from '../../errors/base.js';
import { ConfigurationError } from '../../errors/local.js';
import { thrownCode } from '../../errors/thrown.js';
import type { Clock } from '../../ports/clock.js';
import { checkNames } from '../../runtime/injected.js';
import { missingApi, nodeModule, optionalModule } from '../../runtime/node-modules.js';
import { type Redact, redactorOf } from '../redact.js';
import { decompressed } from '../reply/encoding.js';
import { type CallDiagnostics, calls, type Hooks, type OutcomeEvent } from '../telemetry.js';
import {
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from '../transport/transport.js';
import { Redaction } from './redaction.js';

/** Limits of a flight recorder. */
export interface FlightRecorderOptions {
  /** Most entries that are kept; older ones are dropped. Defaults to 200. */
  readonly entries?: number | undefined;
  /** Most bytes of all entries together, as JSON; defaults to 4,000,000. */
  readonly bytes?: number | undefined;
}

/** The latest calls of one or more clients, redacted, in memory. Pass it to a client as `flightRecorder`. */
export interface FlightRecorder {
  /** The entries that are kept, oldest first. A copy. */
  entries(): readonly RecordedEntry[];
  /** Writes the entries to a file that only you can read, one line of JSON each. Replaces the file. */
  save(path: string): Promise<void>;
}

/** An entry of a flight recorder. */
export type RecordedEntry = RecordedCall | RecordedOutcome;

/** A call that was sent, with each of its requests and replies. */
export interface RecordedCall {
  readonly kind: 'call';
  /** Local time of its first request, ISO 8601. */
  readonly at: string;
  /** Name of the method, such as `bids.submit`. */
  readonly call: string;
  /** Route template, such as `POST /lots/{lot}/bids`. */
  readonly route: string;
  /** The key that it was sent under; absent for reads. */
  readonly idempotencyKey?: string;
  readonly exchanges: readonly RecordedExchange[];
  /** How it ended; `pending` if it had not. */
  readonly outcome: Outcome | 'pending';
  /** Name of the error; absent without one. */
  readonly error?: string;
  /** Reason of the error; absent without one. */
  readonly reason?: string;
}

/** How a bid or a command ended, as `onOutcome` reports it. */
export interface RecordedOutcome
  extends Pick<OutcomeEvent, 'call' | 'idempotencyKey' | 'outcome' | 'reason'> {
  readonly kind: 'outcome';
  /** Local time, ISO 8601. */
  readonly at: string;
}

/** One request and its reply. */
export interface RecordedExchange {
  readonly request: RecordedRequest;
  /** Time from the request to the end of the reply, or to the failure, ms. Absent while it is under way. */
  readonly ms?: number;
  readonly reply?: RecordedReply;
  /** Why no reply began. */
  readonly failure?: RecordedFailure;
}

/** A request as it was signed, without nonce, digest and signature. */
export interface RecordedRequest {
  readonly method: 'GET' | 'POST';
  /** Path as sent, without the query. */
  readonly path: string;
  /** Query as sent; empty without one. */
  readonly query: string;
  /** `X-Timestamp`, Unix seconds. */
  readonly timestamp: string;
  /** JSON of the body; absent without one, and if it was read from a file. */
  readonly body?: unknown;
}

/** A reply, with the headers that can change its meaning. */
export interface RecordedReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON of the body; absent if it is none. */
  readonly json?: unknown;
  /** A placeholder for a body that is not JSON. */
  readonly text?: string;
  /** Why the body is not recorded: it is too large, a file, or broke off. */
  readonly omitted?: 'too_large' | 'file' | 'broken';
}

/** Why no reply began. */
export interface RecordedFailure {
  /** `no` only if certainly no byte of the request left. */
  readonly sent: 'no' | 'maybe';
  /** Error code, such as `ECONNRESET`. */
  readonly code?: string;
  /** True if the client ended the attempt, for example after its timeout. */
  readonly stopped: boolean;
}

/** Records the latest calls of the clients that it is given to. */
export function flightRecorder(options: FlightRecorderOptions = {}): FlightRecorder {
  checkNames('flightRecorder', options, ['entries', 'bytes']);
  const { entries = 200, bytes = 4_000_000 } = options;
  for (const [name, value] of Object.entries({ entries, bytes })) {
    if (Number.isInteger(value) && value > 0) continue;
    throw new ConfigurationError(`flightRecorder.${name}`, 'must be a whole number above zero', {
      given: value,
    });
  }
  return new Recorder(entries, bytes);
}

/** The part of a flight recorder that a client uses. A symbol, so that recorders of either build work. */
export const recording = Symbol.for('vehicle-auction-sdk.flight-recorder');

/** Facts of the recorded client. */
export interface Recorded {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Signing secrets that were in use. */
  readonly secrets: () => readonly string[];
}

/** Records a client through its transport and its hooks. */
export interface ClientRecording {
  over(transport: Transport): Transport;
  with(hooks: Hooks): Hooks;
}

/** The recording of a client's option; undefined without one. @throws ConfigurationError for another object */
export function recordingOf(recorder: unknown, client: Recorded): ClientRecording | undefined {
  if (recorder === undefined) return undefined;
  const record: unknown = Reflect.get(Object(recorder), recording);
  if (typeof record !== 'function')
    throw new ConfigurationError('flightRecorder', 'must be made by flightRecorder()');
  return Reflect.apply(record, recorder, [client]);
}

/** Larger bodies are not recorded, bytes. */
const LARGEST_BODY = 65_536;

/** Headers of replies that can change their meaning. */
const HEADERS = [
  'content-type',
  'date',
  'age',
  'retry-after',
  'x-cache',
  'cf-cache-status',
  'warning',
  'location',
];

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

interface OpenCall extends Writable<Omit<RecordedCall, 'exchanges'>> {
  readonly exchanges: Writable<RecordedExchange>[];
}

interface Slot<Entry = OpenCall | RecordedOutcome> {
  readonly entry: Entry;
  bytes: number;
}

/** The running call, for the requests that it sends. */
let running: AsyncLocalStorage<CallDiagnostics> | undefined;
/** Ends the entries of calls. */
const ends = new WeakMap<CallDiagnostics, (() => void)[]>();
const ignore = () => undefined;
const IGNORED = { start: ignore, end: ignore, asyncStart: ignore, error: ignore };

/** Follows calls through the tracing channel, from the first recorder on. @throws ConfigurationError if there is none */
function subscribeToCalls(): void {
  if (running !== undefined) return;
  const hooks = optionalModule('node:async_hooks');
  if (calls === undefined || hooks === undefined) throw missingApi('node:diagnostics_channel');
  running = new hooks.AsyncLocalStorage();
  calls.start.bindStore(running, (context) => context);
  calls.subscribe({
    ...IGNORED,
    asyncEnd: (context) => {
      for (const end of ends.get(context) ?? []) end();
    },
  });
}

class Recorder implements FlightRecorder {
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #slots: Slot[] = [];
  readonly #open = new WeakMap<CallDiagnostics, Slot<OpenCall>>();
  readonly #redaction = new Redaction(crypto.randomUUID());
  #bytes = 0;

  constructor(entries: number, bytes: number) {
    this.#most = entries;
    this.#mostBytes = bytes;
    subscribeToCalls();
  }

  entries(): readonly RecordedEntry[] {
    return structuredClone(this.#slots.map(({ entry }) => entry));
  }

  async save(path: string): Promise<void> {
    const lines = this.#slots.map(({ entry }) => `${JSON.stringify(entry)}\n`);
    await nodeModule('node:fs/promises').writeFile(path, lines.join(''), { mode: 0o600 });
  }

  [recording](client: Recorded): ClientRecording {
    return {
      over: (transport) => ({
        send: (request) => this.#exchange(transport, request, client),
        close: () => transport.close(),
      }),
      with: (hooks) => ({
        ...hooks,
        onOutcome: (event) => {
          this.#noteOutcome(event, client);
          return hooks.onOutcome?.(event);
        },
      }),
    };
  }

  #noteOutcome({ call, idempotencyKey, outcome, reason }: OutcomeEvent, client: Recorded): void {
    const at = localTime(client);
    this.#add({
      ...{ kind: 'outcome', at, call, idempotencyKey, outcome },
      ...(reason !== undefined && { reason }),
    });
  }

  async #exchange(
    transport: Transport,
    request: TransportRequest,
    client: Recorded,
  ): Promise<TransportReply> {
    const context = running?.getStore();
    // Not sent by a call of this package.
    if (context === undefined) return transport.send(request);
    const { 'X-Signature': signature = '', 'X-Nonce': nonce = '' } = request.headers;
    const redact = redactorOf([...client.secrets(), signature, nonce]);
    const slot = this.#open.get(context) ?? this.#begin(context, client, redact);
    const exchange: Writable<RecordedExchange> = { request: this.#requestOf(request, redact) };
    slot.entry.exchanges.push(exchange);
    const monotonic = () => readClock(() => client.clock.monotonic(), 0);
    const startedAt = monotonic();
    const ended = (end: Pick<RecordedExchange, 'reply' | 'failure'>) => {
      Object.assign(exchange, end, { ms: Math.round(monotonic() - startedAt) });
      this.#weigh(slot);
    };
    this.#weigh(slot);
    try {
      return this.#watched(await transport.send(request), request, redact, ended);
    } catch (error) {
      ended({ failure: failureOf(error, request) });
      throw error;
    }
  }

  #begin(context: CallDiagnostics, client: Recorded, redact: Redact): Slot<OpenCall> {
    const { call, route, idempotencyKey } = context;
    const entry: OpenCall = {
      ...{ kind: 'call', at: localTime(client), call, route },
      ...(idempotencyKey !== undefined && { idempotencyKey: redact(idempotencyKey) }),
      exchanges: [],
      outcome: 'pending',
    };
    const slot = this.#add(entry);
    this.#open.set(context, slot);
    const end = () => {
      const { error } = context;
      entry.outcome = error === undefined ? 'done' : (context.outcome ?? 'unknown');
      if (error instanceof VehicleAuctionError)
        Object.assign(entry, { error: error.name, reason: error.reason });
      this.#weigh(slot);
    };
    ends.set(context, [...(ends.get(context) ?? []), end]);
    return slot;
  }

  #requestOf({ method, path, headers, body }: TransportRequest, redact: Redact): RecordedRequest {
    const [bare = '', search = ''] = path.split('?');
    const query = new URLSearchParams();
    for (const [name, value] of new URLSearchParams(search))
      query.append(redact(name), this.#redaction.text(value, redact, name));
    return {
      ...{ method, path: redact(bare), query: query.toString() },
      timestamp: headers['X-Timestamp'] ?? '',
      ...(body instanceof Uint8Array && { body: this.#bodyOf(body, redact).json }),
    };
  }

  /** The reply; its body is recorded while the client reads it. */
  #watched(
    reply: TransportReply,
    { streams }: TransportRequest,
    redact: Redact,
    ended: (end: Pick<RecordedExchange, 'reply'>) => void,
  ): TransportReply {
    const { status, headers } = reply;
    const shown = { status, headers: recordedHeaders(headers, redact) };
    if (streams) {
      ended({ reply: { ...shown, omitted: 'file' } });
      return reply;
    }
    const bodyOf = (bytes: Uint8Array) => this.#bodyOf(bytes, redact, headers['content-encoding']);
    const chunks: Uint8Array[] = [];
    async function* body(): AsyncGenerator<Uint8Array> {
      let size = 0;
      let isWhole = false;
      try {
        for await (const chunk of reply.body) {
          size += chunk.length;
          if (size <= LARGEST_BODY) chunks.push(chunk);
          yield chunk;
        }
        isWhole = true;
      } finally {
        const read = isWhole ? bodyOf(Buffer.concat(chunks)) : ({ omitted: 'broken' } as const);
        ended({ reply: { ...shown, ...(size > LARGEST_BODY ? { omitted: 'too_large' } : read) } });
      }
    }
    return { status, headers, body: body(), discard: () => reply.discard() };
  }

  #bodyOf(
    bytes: Uint8Array,
    redact: Redact,
    encoding: string | string[] = '',
  ): Pick<RecordedReply, 'json' | 'text' | 'omitted'> {
    if (bytes.length > LARGEST_BODY) return { omitted: 'too_large' };
    const read = encoding === '' ? { bytes } : decompressed(bytes, String(encoding), LARGEST_BODY);
    if ('failed' in read) return { omitted: 'too_large' };
    const text = new TextDecoder().decode(read.bytes);
    try {
      return { json: this.#redaction.json(JSON.parse(text), redact) };
    } catch {
      return { text: text === '' ? '' : this.#redaction.placeholder(text) };
    }
  }

  #add<Entry extends OpenCall | RecordedOutcome>(entry: Entry): Slot<Entry> {
    const slot = { entry, bytes: 0 };
    this.#slots.push(slot);
    this.#weigh(slot);
    return slot;
  }

  /** Weighs an entry that has changed, and drops the oldest ones beyond the limits. */
  #weigh(slot: Slot): void {
    const bytes = JSON.stringify(slot.entry).length;
    if (this.#slots.includes(slot)) this.#bytes += bytes - slot.bytes;
    slot.bytes = bytes;
    while (this.#slots.length > this.#most || this.#bytes > this.#mostBytes) {
      const dropped = this.#slots.shift();
      if (dropped === undefined) return;
      this.#bytes -= dropped.bytes;
    }
  }
}

function localTime({ clock }: Recorded): string {
  return readClock(() => new Date(clock.now()).toISOString(), '');
}

/** Reads a clock. One that throws must not fail a call. */
function readClock<T>(clock: () => T, otherwise: T): T {
  try {
    return clock();
  } catch {
    return otherwise;
  }
}

function recordedHeaders(
  headers: TransportReply['headers'],
  redact: Redact,
): Readonly<Record<string, string>> {
  const kept = HEADERS.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, redact(String(value))] as const];
  });
  return Object.fromEntries(kept);
}

function failureOf(error: unknown, { stop, signal }: TransportRequest): RecordedFailure {
  const isStopped = stop === undefined ? signal.aborted : stop.reason !== undefined;
  const code = error instanceof TransportFailure ? thrownCode(error.cause) : thrownCode(error);
  const sent = error instanceof TransportFailure ? error.sent : 'maybe';
  return { sent, ...(code !== undefined && { code }), stopped: isStopped };
}
