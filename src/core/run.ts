import { noncePattern } from '../api/common.js';
import { type Outcome, VehicleAuctionError } from '../errors/base.js';
import { type AttemptEnd, type AttemptTools, attempt } from './attempt.js';
import { backoffMs } from './backoff.js';
import type { MutationOptions } from './caller.js';
import type { Verdict } from './classify.js';
import { contextOf } from './context.js';
import { type FailureContext, injectedFailure } from './failure.js';
import { signedHeaders } from './headers.js';
import { type Interpretation, interpret, type Payload } from './interpret.js';
import type { CallLimits } from './limits.js';
import type { CallParts } from './parts.js';
import type { PreparedCall } from './prepare.js';
import { safeCause } from './redact.js';
import { attachInfo } from './response-info.js';
import { pause, type StopKind, Stopped, type StopSources, Stretch } from './stop.js';

/** A wait that the service asks for is honoured up to here; past it the error surfaces, with the wait on it. */
const RETRY_AFTER_CEILING_MS = 60_000;

/** One call under way: what its attempts have shown so far. */
export class Run {
  readonly #parts: CallParts;
  readonly #call: PreparedCall;
  readonly #limits: CallLimits;
  readonly #sources: StopSources;
  readonly #startedAt: number;
  readonly #tools: AttemptTools;
  readonly #signatures: string[] = [];
  #attempts = 0;
  /** True once an attempt may have been let in: from then on only the service's word settles the effect. */
  #inDoubt = false;

  constructor(parts: CallParts, call: PreparedCall, limits: CallLimits, options: MutationOptions) {
    this.#parts = parts;
    this.#call = call;
    this.#limits = limits;
    this.#startedAt = parts.clock.monotonic();
    this.#tools = {
      transport: parts.transport,
      maxReplyBytes: parts.maxReplyBytes,
      streamError: (end) => this.#interpret(end).failure(this.#context('unknown')),
    };
    this.#sources = {
      clock: parts.clock,
      signal: options.signal,
      deadlineAt: this.#startedAt + limits.deadline,
    };
  }

  async toEnd(): Promise<unknown> {
    try {
      return await this.#attemptsToEnd();
    } catch (error) {
      if (error instanceof VehicleAuctionError) throw error;
      // A clock or randomness of the caller's that throws must not hide that something was sent.
      const outcome = this.#signatures.length > 0 ? 'unknown' : 'not_sent';
      throw injectedFailure(
        this.#context(outcome),
        'clock or randomness',
        'failed during a call',
        this.#safe(error),
      );
    }
  }

  async #attemptsToEnd(): Promise<unknown> {
    for (;;) {
      const found = await this.#attempt();
      if (found.payload !== undefined && found.verdict.effect === 'done') return this.#deliver(found.payload);

      const outcome = this.#settle(found.verdict);
      const waitMs = found.verdict.retry ? this.#waitBeforeNext(found) : undefined;
      if (waitMs === undefined) throw this.#report(found.failure(this.#context(outcome)));

      this.#parts.log.warn('Attempt failed; trying again with the same bytes', () => ({
        ...this.#facts(),
        outcome,
        waitMs,
      }));
      await this.#pause(waitMs, outcome);
    }
  }

  async #attempt(): Promise<Interpretation> {
    const { clock } = this.#parts;
    this.#attempts += 1;
    const begunAt = clock.monotonic();
    const signed = this.#sign();
    if ('problem' in signed) return signed.problem;
    const stretch = new Stretch(this.#sources, this.#limits.timeout);
    const end = await attempt(this.#call, signed.headers, stretch, this.#tools);
    if (end.kind !== 'reply' || end.binary === undefined) stretch.end();
    const found = this.#interpret(end);
    this.#parts.log.debug('Attempt', () => ({
      ...this.#facts(),
      ...(end.kind === 'reply' ? { status: end.reply.status } : { end: end.kind }),
      effect: found.verdict.effect,
      ms: Math.round(clock.monotonic() - begunAt),
    }));
    return found;
  }

  /** Stamps and signs an attempt. What is injected may fail here; then this attempt, and only this, isn't sent. */
  #sign(): { readonly headers: Readonly<Record<string, string>> } | { readonly problem: Interpretation } {
    const { clock, randomness, signer, userAgent } = this.#parts;
    try {
      const stamp = { timestamp: Math.floor(clock.now() / 1000), nonce: randomness.nonce() };
      if (!noncePattern.test(stamp.nonce)) {
        return this.#unsigned('randomness.nonce', 'must return 16 to 128 letters, digits, "_" or "-"');
      }
      if (!Number.isSafeInteger(stamp.timestamp))
        return this.#unsigned('clock.now', 'must return Unix milliseconds');
      const headers = signedHeaders(this.#call, stamp, signer, userAgent);
      this.#signatures.push(headers['X-Signature']);
      return { headers };
    } catch (cause) {
      return this.#unsigned(
        'clock or randomness',
        'failed while an attempt was being signed',
        this.#safe(cause),
      );
    }
  }

  #unsigned(option: string, problem: string, cause?: unknown): { readonly problem: Interpretation } {
    const failure = (context: FailureContext) => injectedFailure(context, option, problem, cause);
    return { problem: { verdict: { effect: 'not_sent', retry: false }, failure } };
  }

  #interpret(end: AttemptEnd): Interpretation {
    return interpret(this.#call.operation, end, {
      nowMs: this.#parts.clock.now(),
      safe: (cause) => this.#safe(cause),
      hides: this.#hides,
      limitOf: (kind) => this.#limitOf(kind),
    });
  }

  /** How long to wait before the next attempt; undefined where there must be none. */
  #waitBeforeNext({ retryAfterMs }: Interpretation): number | undefined {
    if (this.#attempts >= this.#limits.maxAttempts) return undefined;
    if (retryAfterMs !== undefined && retryAfterMs > RETRY_AFTER_CEILING_MS) return undefined;
    const wait = Math.max(backoffMs(this.#attempts, this.#parts.randomness.fraction()), retryAfterMs ?? 0);
    const left = this.#sources.deadlineAt - this.#parts.clock.monotonic();
    return wait < left ? wait : undefined;
  }

  async #pause(ms: number, outcome: Outcome): Promise<void> {
    try {
      await pause(this.#sources, ms);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      const stopped: AttemptEnd = { kind: 'stopped', stopped: error, sent: 'no' };
      throw this.#report(this.#interpret(stopped).failure(this.#context(outcome)));
    }
  }

  /** What the call as a whole knows, now that an attempt ended like this. */
  #settle({ effect, settlesAll = false }: Verdict): Outcome {
    const known = effect === 'done' ? 'unknown' : effect;
    if (this.#call.operation.effect === 'read') return known;
    const inDoubtBefore = this.#inDoubt;
    if (known === 'unknown') this.#inDoubt = true;
    // A refusal or a failed connection speaks for its own attempt only.
    return inDoubtBefore && !settlesAll ? 'unknown' : known;
  }

  #deliver({ reply, value, requestId, serverTime, replayed, odd }: Payload): unknown {
    if (odd.length > 0) {
      this.#parts.log.warn('Values of undocumented types passed through', () => ({
        ...this.#facts(),
        paths: odd.slice(0, 10),
      }));
    }
    if (typeof value === 'object' && value !== null) {
      attachInfo(value, {
        status: reply.status,
        headers: reply.headers,
        requestId,
        serverTime,
        replayed,
        attempts: this.#attempts,
        idempotencyKey: this.#call.idempotencyKey,
        timings: { totalMs: this.#parts.clock.monotonic() - this.#startedAt },
      });
    }
    return value;
  }

  #context(outcome: Outcome): FailureContext {
    const { operation, idempotencyKey } = this.#call;
    return {
      ...contextOf(operation),
      attempts: this.#attempts,
      outcome,
      mutates: operation.effect !== 'read',
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
  }

  #report(error: Error): Error {
    this.#parts.log.info('Call failed', () => ({ ...this.#facts(), error: error.name }));
    return error;
  }

  #facts() {
    const { operation, idempotencyKey } = this.#call;
    return {
      ...contextOf(operation),
      attempt: this.#attempts,
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    };
  }

  readonly #hides = (text: string): boolean => {
    if (this.#parts.leaks(text)) return true;
    const lower = text.toLowerCase();
    return this.#signatures.some((signature) => lower.includes(signature));
  };

  #safe(cause: unknown): unknown {
    return safeCause(cause, this.#hides);
  }

  #limitOf(kind: StopKind): number {
    return kind === 'deadline' ? this.#limits.deadline : this.#limits.timeout;
  }
}
