import { type Outcome, VehicleAuctionError } from '../errors/base.js';
import { StoreError } from '../errors/store.js';
import type { Lane, Turn } from '../ports/quota.js';
import type { Signer } from '../signing/signer.js';
import { Account } from './account.js';
import { type AttemptEnd, type AttemptTools, attempt, type Wait } from './attempt.js';
import type { RequestBody } from './body.js';
import { type CallJournal, reportOf, type Settled } from './call-journal.js';
import type { FailureContext } from './context.js';
import { type CallDiagnostics, traceAttempt } from './diagnostics.js';
import { injectedFailure } from './failure.js';
import { digestedBody, fetchedKey, type UnderWay } from './fetched.js';
import type { signedHeaders } from './headers.js';
import { type Interpretation, interpret } from './interpret.js';
import { leavingInTime } from './leaving.js';
import type { CallLimits } from './limits.js';
import type { CallParts } from './parts.js';
import type { PreparedCall } from './prepare.js';
import { unexpectedReply } from './reply-failure.js';
import { attachInfo } from './response-info.js';
import { Retries } from './retry.js';
import { stampAndSign } from './stamp.js';
import { pause, Stopped, type StopSources, Stretch } from './stop.js';
import type { Payload } from './success.js';
import { Waits } from './waits.js';

/** A signature older than this isn't sent: a store that took so long may have kept others waiting, too. */
const SIGNATURE_LASTS_MS = 60_000;

/** Wall clock and monotonic clock differ by more than this over a request: the wall clock was set, or the machine slept. */
const CLOCK_JUMP_MS = 1_000;

/** How long a call waits for a store that doesn't answer when there is something to record, ms. */
const RECORDING_MS = 5_000;

/** How one call is to be made. */
export interface RunSettings {
  readonly limits: CallLimits;
  readonly lane: Lane;
  /** Its place among the bids that wait. */
  readonly turn?: Turn | undefined;
  readonly signal: AbortSignal | undefined;
  readonly trace: CallDiagnostics | undefined;
  /** Writes down what is sent, and what comes of it. */
  readonly journal?: CallJournal | undefined;
}

/** One call under way: what its attempts have shown so far. */
export class Run {
  readonly #parts: CallParts;
  readonly #call: PreparedCall;
  readonly #settings: RunSettings;
  readonly #sources: StopSources;
  readonly #startedAt: number;
  readonly #tools: AttemptTools;
  readonly #account: Account;
  readonly #waits: Waits;
  readonly #under: UnderWay;
  readonly #retries: Retries;
  #body: RequestBody | undefined;
  #signer: Signer | undefined;

  constructor(parts: CallParts, call: PreparedCall, settings: RunSettings) {
    this.#parts = parts;
    this.#call = call;
    this.#settings = settings;
    this.#account = new Account(call, parts.log, parts.leaks);
    this.#startedAt = parts.clock.monotonic();
    this.#sources = {
      clock: parts.clock,
      signal: settings.signal,
      deadlineAt: this.#startedAt + settings.limits.deadline,
    };
    this.#waits = new Waits(settings.limits, this.#account);
    this.#under = { sources: this.#sources, waits: this.#waits, account: this.#account };
    this.#retries = new Retries(parts, call.route, settings, this.#sources, this.#account, this.#waits);
    this.#tools = {
      transport: parts.transport,
      maxReplyBytes: parts.maxReplyBytes,
      streamError: (end) => this.#interpret(end).failure(this.#account.context('unknown')),
    };
  }

  async toEnd(): Promise<unknown> {
    try {
      const { body } = this.#call;
      this.#body = body === undefined || !('pending' in body) ? body : await digestedBody(body, this.#under);
      const { journal } = this.#settings;
      if (journal !== undefined && this.#body !== undefined) {
        // Fetched first, because the record names the client that it belongs to.
        await this.#key();
        const begun = await this.#inTime('journal', (signal) => journal.begin(this.#bodyOf(), signal));
        if (begun.kind === 'settled') return settle(begun);
      }
      return await this.#attemptsToEnd();
    } catch (error) {
      if (error instanceof StoreError) throw this.#account.report(error.within(this.#account.shown()));
      if (error instanceof VehicleAuctionError) throw error;
      // A clock or randomness of the caller's that throws must not hide that something was sent.
      const context = this.#account.context(this.#account.hasSigned ? 'unknown' : 'not_sent');
      throw injectedFailure(
        context,
        'clock or randomness',
        'failed during a call',
        this.#account.safe(error),
      );
    }
  }

  async #attemptsToEnd(): Promise<unknown> {
    for (;;) {
      const found = await this.#attempt();
      if ('kind' in found) return settle(found);
      const outcome = await this.#recorded(found);
      if (found.payload !== undefined && outcome === 'done') return this.#deliver(found.payload);

      this.#account.settle(outcome);
      const waitMs = await this.#retries.waitAfter(found, this.#signer);
      // An earlier call may have brought the first of the two bare refusals that are believed.
      const isBelieved = found.verdict.uncoded === true && outcome === 'refused';
      if (waitMs === undefined || isBelieved) throw this.#account.report(this.#failureOf(found));

      this.#parts.log.warn('Attempt failed; trying again with the same bytes', () => ({
        ...this.#account.facts(),
        reason: found.reason,
        outcome: this.#account.outcome,
        maxAttempts: this.#settings.limits.maxAttempts,
        waitMs,
      }));
      if (waitMs > 0) await this.#waits.until('retry', pause(this.#sources, waitMs));
    }
  }

  /** What is known of the effect after this attempt, once that is on record. */
  async #recorded(found: Interpretation): Promise<Outcome | 'done'> {
    const { journal } = this.#settings;
    if (journal === undefined) return found.verdict.effect;
    this.#account.settle('unknown');
    const written = journal.arrived(reportOf(found, this.#call.route, this.#account.hides));
    // A store that hangs must not keep a call past its abort or deadline: what isn't recorded by then is unknown.
    const { clock } = this.#sources;
    let cancel: () => void = () => undefined;
    const patience = new Promise<'unknown'>((resolve) => {
      cancel = clock.after(RECORDING_MS, () => resolve('unknown'));
    });
    written.catch(() => undefined);
    return Promise.race([written, patience]).finally(cancel);
  }

  /** The error of an attempt that stays the last; a success that its record doesn't confirm is one, too. */
  #failureOf(found: Interpretation): Error {
    const context = this.#account.context();
    if (found.payload === undefined) return found.failure(context);
    return unexpectedReply(
      context,
      found.status ?? 0,
      'it answers for another request, or for one that was never sent from here',
    );
  }

  async #attempt(): Promise<Interpretation | Settled> {
    const key = this.#key();
    const signer = key instanceof Promise ? await key : key;
    this.#signer = signer;
    const stretch = new Stretch(this.#sources);
    try {
      const msToDepart = this.#settings.journal?.msToDepart() ?? Number.POSITIVE_INFINITY;
      if (msToDepart <= 0) await this.#waits.until(undefined, Promise.reject(new Stopped('too_late')));
      stretch.limit(msToDepart, 'too_late');
      if (stretch.signal.aborted || !this.#parts.quota.take()) await this.#queue(stretch);
      this.#account.attempts += 1;
      return await traceAttempt(
        this.#settings.trace,
        this.#account.attempts,
        () => this.#send(signer, stretch),
        (found) =>
          'kind' in found
            ? {}
            : { ...(found.status !== undefined && { status: found.status }), effect: found.verdict.effect },
      );
    } catch (error) {
      // Whatever still waits under its signal, a place in the line say, is wanted no more.
      stretch.stop(error);
      stretch.end();
      throw error;
    }
  }

  #key(): Signer | Promise<Signer> {
    const key = this.#parts.keys.current();
    return key instanceof Promise ? fetchedKey(key, this.#parts.keys, this.#under) : key;
  }

  async #send(signer: Signer, stretch: Stretch): Promise<Interpretation | Settled> {
    const signed = await this.#sign(signer, stretch);
    if (!('headers' in signed)) {
      stretch.end();
      return signed;
    }
    const { headers } = signed;
    this.#account.signed(headers['X-Signature']);
    const { clock } = this.#parts;
    const sentAtMs = clock.now();
    const begunAt = clock.monotonic();
    const { timeout } = this.#settings.limits;
    stretch.limit(timeout);
    const { journal } = this.#settings;
    const inTime =
      journal === undefined
        ? {}
        : leavingInTime(stretch, { clock, timeoutMs: timeout, msToDepart: () => journal.msToDepart() });
    const end = await attempt(this.#call, { headers, body: this.#body, ...inTime }, stretch, this.#tools);
    if (end.kind !== 'reply' || end.binary === undefined) stretch.end();
    const found = this.#interpret(end);
    // A replay may repeat the time of the first reply, and a clock that was set meanwhile measures nothing.
    const wasSet = Math.abs(clock.now() - sentAtMs - (clock.monotonic() - begunAt)) > CLOCK_JUMP_MS;
    if (found.stated !== undefined && found.payload?.replayed !== true && !wasSet) {
      const sample = { ...found.stated, sentAtMs, receivedAtMs: clock.now() };
      this.#parts.serverClock.observe(sample, found.verdict.remedy === 'clock');
    }
    this.#parts.log.debug('Attempt', () => ({
      ...this.#account.facts(),
      ...(end.kind === 'reply' ? { status: end.reply.status } : { end: end.kind }),
      effect: found.verdict.effect,
      reason: found.reason,
      ms: Math.round(clock.monotonic() - begunAt),
    }));
    return found;
  }

  /** Signs, and records what is about to leave. A signature that grew old while it was recorded is discarded. */
  async #sign(
    signer: Signer,
    stretch: Stretch,
  ): Promise<Interpretation | Settled | { readonly headers: ReturnType<typeof signedHeaders> }> {
    const { journal } = this.#settings;
    for (;;) {
      const stamped = stampAndSign(this.#call, this.#body, signer, this.#parts);
      if ('problem' in stamped) return this.#unsent(stamped);
      if (journal === undefined) return stamped;
      const signedAt = this.#parts.clock.monotonic();
      const { stamp, headers } = stamped;
      const departing = journal.departing({ ...stamp, keyId: signer.keyId });
      const stopped = await stoppedBy(stretch.race(departing));
      if (stopped instanceof Stopped) return this.#stoppedBeforeFirstByte(stopped);
      if (stopped.kind === 'settled') return stopped;
      if (journal.msToDepart() <= 0) return this.#stoppedBeforeFirstByte(new Stopped('too_late'));
      if (this.#parts.clock.monotonic() - signedAt < SIGNATURE_LASTS_MS) return { headers };
      const old = this.#stoppedBeforeFirstByte(new Stopped('too_late'));
      await this.#recorded({ ...old, reason: 'its signature grew old while it was recorded' });
    }
  }

  #stoppedBeforeFirstByte(stopped: Stopped): Interpretation {
    return this.#interpret({ kind: 'stopped', stopped, sent: 'no', during: 'journal' });
  }

  #bodyOf(): RequestBody {
    if (this.#body === undefined) throw new Error('A recorded call has no body');
    return this.#body;
  }

  async #inTime<T>(wait: Wait, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stretch = new Stretch(this.#sources);
    try {
      return await this.#waits.until(wait, stretch.race(work(stretch.signal)));
    } finally {
      stretch.end();
    }
  }

  #unsent({ option, problem, cause }: { option: string; problem: string; cause?: unknown }): Interpretation {
    const failure = (context: FailureContext) =>
      injectedFailure(context, option, problem, this.#account.safe(cause));
    return { verdict: { effect: 'not_sent', retry: false }, reason: problem, failure };
  }

  /** Waits for its turn. Signed only afterwards: a signature that had to queue could be too old. */
  async #queue(stretch: Stretch): Promise<void> {
    const { clock, quota, queueNotice, log } = this.#parts;
    const from = clock.monotonic();
    const isOver = stretch.signal.aborted;
    const line = 'The request quota is used up or paused; calls wait for their turn';
    if (!isOver) log[queueNotice.isDue(from) ? 'warn' : 'debug'](line, () => this.#account.facts());
    const turn = quota.permit(this.#settings.lane, stretch.signal, this.#settings.turn);
    await this.#waits.until(isOver ? undefined : 'quota', stretch.race(turn));
    this.#account.queuedMs += clock.monotonic() - from;
  }

  #interpret(end: AttemptEnd): Interpretation {
    return interpret(this.#call.route, end, {
      nowMs: this.#parts.clock.now(),
      safe: (cause) => this.#account.safe(cause),
      hides: this.#account.hides,
      limitOf: this.#waits.limitOf,
    });
  }

  #deliver({ reply, value, requestId, serverTime, replayed, odd }: Payload): unknown {
    this.#parts.retryBudget.refund();
    if (odd.length > 0) {
      this.#parts.log.warn('Values of undocumented types passed through', () => ({
        ...this.#account.facts(),
        paths: odd.slice(0, 10).map((path) => (this.#account.hides(path) ? '(withheld)' : path)),
      }));
    }
    if (typeof value === 'object' && value !== null) {
      attachInfo(value, {
        status: reply.status,
        headers: reply.headers,
        body: reply.json,
        requestId,
        serverTime,
        replayed,
        attempts: this.#account.attempts,
        idempotencyKey: this.#call.idempotencyKey,
        timings: {
          totalMs: this.#parts.clock.monotonic() - this.#startedAt,
          queuedMs: this.#account.queuedMs,
        },
      });
    }
    return value;
  }
}

/** What the record answers in place of the service. */
function settle(settled: Settled): unknown {
  if ('error' in settled) throw settled.error;
  if (typeof settled.value === 'object' && settled.value !== null) attachInfo(settled.value, settled.info);
  return settled.value;
}

/** An early stop, as a value. */
async function stoppedBy<T>(work: Promise<T>): Promise<T | Stopped> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Stopped) return error;
    throw error;
  }
}
