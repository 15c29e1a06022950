import { VehicleAuctionError } from '../errors/base.js';
import { JournalError } from '../errors/journal.js';
import type { Lane } from '../ports/quota.js';
import type { Signer } from '../signing/signer.js';
import { Account } from './account.js';
import { type AttemptEnd, type AttemptTools, attempt } from './attempt.js';
import { type AttemptJournal, CallSuperseded } from './attempt-journal.js';
import type { RequestBody } from './body.js';
import { CallRecord } from './call-record.js';
import type { FailureContext } from './context.js';
import { type CallDiagnostics, traceAttempt } from './diagnostics.js';
import { injectedFailure } from './failure.js';
import { digestedBody, fetchedKey, type UnderWay } from './fetched.js';
import { type Interpretation, interpret } from './interpret.js';
import type { CallLimits } from './limits.js';
import type { CallParts } from './parts.js';
import type { PreparedCall } from './prepare.js';
import { attachInfo } from './response-info.js';
import { Retries } from './retry.js';
import { stampAndSign } from './stamp.js';
import { pause, Stopped, type StopSources, Stretch } from './stop.js';
import type { Payload } from './success.js';
import { Waits } from './waits.js';

/** How one call is to be made. */
export interface RunSettings {
  readonly limits: CallLimits;
  readonly lane: Lane;
  readonly signal: AbortSignal | undefined;
  readonly trace: CallDiagnostics | undefined;
  /** Writes down what is sent, and what comes of it. */
  readonly journal?: AttemptJournal | undefined;
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
  readonly #record: CallRecord | undefined;
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
    const { journal } = settings;
    this.#record =
      journal === undefined
        ? undefined
        : new CallRecord(journal, { ...this.#under, interpret: (end) => this.#interpret(end) });
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
      // Fetched first: what a journal asks for, too, is then at hand.
      if (this.#record !== undefined) await this.#key();
      await this.#record?.begin(this.#body);
      return await this.#attemptsToEnd();
    } catch (error) {
      if (error instanceof JournalError) throw this.#account.report(error.within(this.#account.shown()));
      if (error instanceof VehicleAuctionError || error instanceof CallSuperseded) throw error;
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
      if (found.payload !== undefined && found.verdict.effect === 'done') return this.#deliver(found.payload);

      this.#account.settle(found.verdict);
      const waitMs = await this.#retries.waitAfter(found, this.#signer);
      if (waitMs === undefined) throw this.#account.report(found.failure(this.#account.context()));

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

  async #attempt(): Promise<Interpretation> {
    const key = this.#key();
    const signer = key instanceof Promise ? await key : key;
    this.#signer = signer;
    const stretch = new Stretch(this.#sources);
    try {
      const msToDepart = this.#record?.msToDepart() ?? Number.POSITIVE_INFINITY;
      if (msToDepart <= 0) await this.#waits.until(undefined, Promise.reject(new Stopped('too_late')));
      stretch.limit(msToDepart, 'too_late');
      if (stretch.signal.aborted || !this.#parts.quota.take()) await this.#queue(stretch);
      this.#account.attempts += 1;
      return await traceAttempt(
        this.#settings.trace,
        this.#account.attempts,
        () => this.#send(signer, stretch),
        ({ status, verdict }) => ({ ...(status !== undefined && { status }), effect: verdict.effect }),
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

  async #send(signer: Signer, stretch: Stretch): Promise<Interpretation> {
    const stamped = stampAndSign(this.#call, this.#body, signer, this.#parts);
    if ('problem' in stamped) {
      stretch.end();
      return this.#unsent(stamped);
    }
    const { headers, stamp } = stamped;
    const stopped = await this.#record?.announce({ ...stamp, keyId: signer.keyId }, stretch);
    if (stopped !== undefined) {
      stretch.end();
      return stopped;
    }
    this.#account.signed(headers['X-Signature']);
    const begunAt = this.#parts.clock.monotonic();
    const { timeout } = this.#settings.limits;
    stretch.limit(timeout);
    const inTime = this.#record?.leavingInTime(stretch, timeout);
    const end = await attempt(this.#call, { headers, body: this.#body, ...inTime }, stretch, this.#tools);
    if (end.kind !== 'reply' || end.binary === undefined) stretch.end();
    const found = this.#interpret(end);
    this.#record?.arrived(found);
    this.#parts.log.debug('Attempt', () => ({
      ...this.#account.facts(),
      ...(end.kind === 'reply' ? { status: end.reply.status } : { end: end.kind }),
      effect: found.verdict.effect,
      reason: found.reason,
      ms: Math.round(this.#parts.clock.monotonic() - begunAt),
    }));
    return found;
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
    // What has to wait is on record meanwhile; a turn that comes sooner is not lost.
    const written = isOver ? undefined : this.#record?.waiting();
    const turn = quota.permit(this.#settings.lane, stretch.signal);
    await this.#waits.until(
      isOver ? undefined : 'quota',
      stretch.race(written === undefined ? turn : Promise.all([turn, written]).then(() => undefined)),
    );
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
