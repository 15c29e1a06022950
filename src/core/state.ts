import { isFields } from '../api/check.js';
import type { Lane, Route } from '../api/operation.js';
import type { Outcome } from '../errors/base.js';
import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import type { MutationOptions } from '../ports/caller.js';
import type { Clock, ServerClock } from '../ports/clock.js';
import type { Quota, Turn } from '../ports/quota.js';
import type { Randomness } from '../ports/randomness.js';
import type { StopSources } from '../runtime/timers.js';
import type { Digests, Signer } from '../signing/signer.js';
import type { CallJournal } from './call-journal.js';
import { type CallLimits, contextOf } from './caller.js';
import { type Redact, redactorOf } from './redact.js';
import type { Remedy } from './reply/classify.js';
import type { FailureContext } from './reply/failure.js';
import type { RequestBody } from './request/file-body.js';
import type { CallDefaults, PreparedCall } from './request/prepare.js';
import { attempts, type CallDiagnostics, calls, diagnosticsOf, type Log } from './telemetry.js';
import type { Transport } from './transport/transport.js';

/** Where a call gets its key from. */
export interface Keys {
  /** The key to sign with now; undefined where it has to be fetched first. */
  readonly signer: Signer | undefined;
  /** Signing secrets that were in use; none where something else signs. */
  readonly secrets: readonly string[];
  /** Fetches the key. */
  fetch(): Promise<Signer>;
  /** The service says that `revoked` is no longer valid: true where there is another key now. */
  renew(revoked: Signer): Promise<boolean>;
  /** What is being fetched did not arrive: the next call asks again. */
  abandon(): void;
}

/** Everything that a call needs, injected. */
export interface CallParts {
  readonly transport: Transport;
  readonly keys: Keys;
  readonly quota: Quota;
  readonly serverClock: ServerClock;
  /** How many retries all calls together have left. */
  readonly retryBudget: { left: number };
  /** How many replies came from a cache. */
  readonly cachedReplies: { count: number };
  /** Sent with every request: the user agent, and what the option `headers` adds. */
  readonly headers: Readonly<Record<string, string>>;
  /** Refuses larger JSON bodies, in bytes. */
  readonly maxReplyBytes: number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly digests: Digests;
  readonly defaults: CallDefaults;
  readonly limits: CallLimits;
  readonly log: Log;
}

/** One call in progress. `core/call` and `core/attempt` alone change it. */
export class CallState {
  readonly parts: CallParts;
  readonly call: PreparedCall;
  readonly limits: CallLimits;
  readonly lane: Lane;
  readonly journal: CallJournal | undefined;
  /** Its place among waiting bids. */
  readonly turn: Turn | undefined;
  readonly trace: CallDiagnostics | undefined;
  /** On the monotonic clock, in ms. */
  readonly startedAt: number;
  readonly sources: StopSources;
  body: RequestBody | undefined;
  signer: Signer | undefined;
  /** Signatures that were made, so that no text shows one. */
  readonly signatures: string[] = [];
  /** Attempts that were begun. */
  attempts = 0;
  /** Attempts that do not count against `maxAttempts`. */
  uncounted = 0;
  /** Replies without a code, of which the second is believed. */
  uncoded = 0;
  readonly remedies: Remedy[] = [];
  /** Milliseconds spent waiting for the request quota. */
  queuedMs = 0;
  /** What is known about the effect, all attempts considered. */
  outcome: Outcome = 'not_sent';

  constructor(
    parts: CallParts,
    call: PreparedCall,
    limits: CallLimits,
    startedAt: number,
    { signal, lane }: MutationOptions = {},
    journal?: CallJournal,
    turn?: Turn,
  ) {
    this.parts = parts;
    this.call = call;
    this.limits = limits;
    this.lane = lane ?? call.route.lane ?? call.route.effect;
    this.journal = journal;
    this.turn = turn;
    // Costs nothing while nobody listens.
    if (calls.hasSubscribers || attempts.hasSubscribers) this.trace = diagnosticsOf(call);
    this.startedAt = startedAt;
    this.sources = { clock: parts.clock, signal, deadlineAt: startedAt + limits.deadline };
  }

  /** What an error says about the call. */
  get context(): FailureContext {
    const { route, idempotencyKey } = this.call;
    return {
      ...contextOf(route),
      attempts: this.attempts,
      outcome: this.outcome,
      mutates: route.effect !== 'read',
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
  }

  /** What a log line says about the call. */
  get facts() {
    const { route, idempotencyKey } = this.call;
    const attempt = this.attempts;
    return { ...contextOf(route), attempt, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  }

  /** Redacts the secrets of the client and the signatures of this call, as far as they are known now. */
  get redact(): Redact {
    return redactorOf([...this.parts.keys.secrets, ...this.signatures]);
  }
}

export const defaultLimits: CallLimits = { timeout: 15_000, deadline: 90_000, maxAttempts: 3 };

const baseOptions = ['signal', 'timeout', 'deadline', 'maxAttempts', 'lane'];
const knownOptions: Readonly<Record<Route['effect'], readonly string[]>> = {
  read: [...baseOptions, 'extraQuery'],
  bid: [...baseOptions, 'idempotencyKey'],
  command: [...baseOptions, 'idempotencyKey', 'extraQuery', 'extraBody'],
};

const lanes: readonly Lane[] = ['bid', 'command', 'read', 'poll'];

/** The limits of one call: the client's, unless its options say otherwise. @throws InvalidRequestError */
export function limitsFor(limits: CallLimits, options: MutationOptions, route: Route): CallLimits {
  const known = knownOptions[route.effect];
  if (!isFields(options)) {
    const message = `must be an object with any of ${known.join(', ')}`;
    throw new InvalidRequestError([{ path: 'options', message }], contextOf(route));
  }
  const issues = optionIssues(options, route);
  const { timeout = limits.timeout, maxAttempts = limits.maxAttempts } = options;
  // Who gives one attempt longer than a whole call has means the call as well.
  const deadline = options.deadline ?? Math.max(limits.deadline, options.timeout ?? 0);
  for (const { path, message } of limitIssues({ timeout, deadline, maxAttempts })) {
    issues.push({ path: `options.${path}`, message });
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, contextOf(route));
  return { timeout, deadline, maxAttempts };
}

function optionIssues(options: MutationOptions, { effect }: Route): InputIssue[] {
  const known = knownOptions[effect];
  const issues = Object.keys(options)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: `options.${key}`, message: notHere(key, effect, known) }));
  const { signal, lane } = options;
  if (signal !== undefined && !isSignal(signal)) {
    issues.push({
      path: 'options.signal',
      message: 'must be an AbortSignal (of an AbortController, its `signal`)',
    });
  }
  if (lane !== undefined && !lanes.includes(lane)) {
    issues.push({ path: 'options.lane', message: `must be one of ${lanes.join(', ')}` });
  }
  return issues;
}

function notHere(key: string, effect: Route['effect'], known: readonly string[]): string {
  if (effect === 'bid' && (key === 'extraBody' || key === 'extraQuery')) {
    return 'is refused on bids: a bid is exactly what the API describes';
  }
  return `is not an option here; known options: ${known.join(', ')}`;
}

/** By its shape, because a signal of another realm (a test runner's) fails `instanceof`. */
function isSignal(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'aborted' in value &&
    'addEventListener' in value &&
    'removeEventListener' in value
  );
}

/** What is wrong with limits. */
export function limitIssues({ timeout, deadline, maxAttempts }: CallLimits): InputIssue[] {
  const issues: InputIssue[] = [];
  for (const [path, value] of Object.entries({ timeout, deadline })) {
    if (!(Number.isFinite(value) && value > 0))
      issues.push({ path, message: 'must be a positive number of milliseconds' });
  }
  if (!(Number.isInteger(maxAttempts) && maxAttempts >= 1)) {
    issues.push({ path: 'maxAttempts', message: 'must be a whole number from 1' });
  }
  return issues;
}
