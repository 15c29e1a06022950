import { hasStepped } from '../clock/clock.js';
import type { Pipeline } from '../core/call.js';
import type { CallJournal, DepartingAttempt, Go, Known, Settled } from '../core/journal.js';
import type { AttemptResult } from '../core/reply/classify.js';
import type { Conclusion } from '../core/reply/failure.js';
import type { RequestBody } from '../core/request/file-body.js';
import type { PreparedCall } from '../core/request/prepare.js';
import { mayBeSentAgain, type ResendRequest } from '../core/resend.js';
import type { CallContext } from '../errors/base.js';
import { StoreError } from '../errors/store.js';
import type { MutationOptions } from '../ports/caller.js';
import type { ClockReading } from '../ports/clock.js';
import type { Turn } from '../ports/quota.js';
import { onceAborted, withTimeout } from '../runtime/timers.js';
import type { Owner } from '../store/owner.js';
import type { StoreTransaction } from '../store/store.js';
import {
  closedMeanwhile,
  effectsElsewhere,
  failed,
  type Given,
  type HoldReason,
  heldBack,
  inDoubt,
  inProgress,
  otherUnder,
  recordedRejection,
  recordedValue,
  superseded,
  timeLost,
  unsentBy,
} from './answers.js';
import { bodyRecord, type IntentEvent, type ResultEvent, targetOf } from './content.js';
import {
  type Intent,
  isHeldByOther,
  knownEffect,
  type Ledger,
  ownerOfCall,
  settleUnsent,
  type Unsent,
} from './ledger.js';
import { unresolvedBefore, unresolvedElsewhere } from './open-bids.js';
import type { BidToRecord, Recording } from './recording.js';
import { conclusionOf, lookUpVersion } from './version-lookup.js';

const GO: Go = { kind: 'go' };

/** Server time that moves by less than this is not corrected, only measured better, ms. */
const CORRECTED_MS = 2_000;

/** Time that a call which is over waits for its store, ms. */
const ENDING_MS = 5_000;

/** One call under an intent. */
export interface CallToRecord {
  readonly call: PreparedCall;
  readonly key: string;
  readonly bid?: BidToRecord | undefined;
  /** Reason to send an intent in doubt again; undefined if it must be looked up first. */
  readonly resend: Exclude<ResendRequest, 'retry'> | undefined;
  readonly context: CallContext;
  /**
   * Once it fires, nothing more is sent: it acts before the first byte and between attempts, and an attempt on the wire
   * is awaited.
   */
  readonly halt?: AbortSignal | undefined;
}

/**
 * Records one call, in the order in which this file goes: the row before anything waits (`begin`), each attempt before
 * its first byte (`departing`), each result before it is reported (`arrived`), and the end of a call that was never
 * sent (`#end`). Every step is one transaction, which decides on what is in the store by then.
 */
export class RecordedCall implements CallJournal {
  readonly #recording: Recording;
  readonly #ledger: Ledger;
  readonly #call: CallToRecord;
  readonly #owner: Owner;
  /** Ends the waits of this call; used only with a halt. */
  readonly #stopping = new AbortController();
  #intent: Intent | undefined;
  /** Number of the attempt that was announced and has no result yet; 0 if there is none. */
  #attempt = 0;
  #made = 0;
  #hasSent = false;
  /** The local clocks when this call recorded the bid. */
  #placedAt: ClockReading | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #pipeline: Pipeline | undefined;
  #signal: AbortSignal | undefined;

  constructor(recording: Recording, call: CallToRecord) {
    const { ledger } = recording;
    this.#recording = recording;
    this.#ledger = ledger;
    this.#call = call;
    this.#owner = ownerOfCall(ledger.parts);
  }

  /** The intent as this call last saw it; undefined before it was recorded. */
  get intent(): Intent | undefined {
    return this.#intent;
  }

  /** Attempts that this call has made; a bid that met the rate limit doesn't count. */
  get made(): number {
    return this.#made;
  }

  /**
   * Makes the call to its end.
   *
   * @param options a call with a halt has no signal of its own
   * @throws StoreError if it can't be recorded that nothing was sent
   */
  async run(
    pipeline: Pipeline,
    options: MutationOptions,
    turn?: Turn,
  ): Promise<{ readonly value: unknown } | { readonly failure: unknown }> {
    const { call, halt } = this.#call;
    const { signal } = this.#stopping;
    const unfollow = onceAborted(halt, () => this.#stopUnlessOnWire());
    this.#pipeline = pipeline;
    this.#signal = options.signal;
    let failure: unknown;
    try {
      const given = halt === undefined ? options : { ...options, signal };
      return { value: await pipeline.run(call, given, this, turn) };
    } catch (error) {
      failure = error;
      return { failure };
    } finally {
      unfollow();
      await this.#end(failure);
    }
  }

  get #isHalted(): boolean {
    return this.#call.halt?.aborted === true;
  }

  #stopUnlessOnWire(): void {
    if (this.#isHalted && this.#attempt === 0) this.#stopping.abort(this.#call.halt?.reason);
  }

  // Before anything waits: the call is recorded, or its record answers in place of the service.

  begin(body: RequestBody): Promise<Go | Settled> {
    const given = { target: targetOf(this.#call.call, body), body: bodyRecord(body) };
    return this.#inTurn(async () => {
      const answer = await this.#record((known, tx) => this.#place(given, known, tx));
      if (answer.kind !== 'go' || this.#intent === undefined) return answer;
      return { ...answer, outcome: knownEffect(this.#intent) };
    });
  }

  async #place(given: Given, known: Intent | undefined, tx: StoreTransaction): Promise<Found> {
    const found = known ? this.#foundIn(known, given) : await this.#foundElsewhere(given, tx);
    if (found !== undefined) return found;
    const { key, bid, context } = this.#call;
    const blocked = await this.#blockedBy(unresolvedBefore, tx);
    if (blocked !== undefined) return { intent: known, answer: failed(blocked) };
    const content = { target: given.target, ...(bid && { bid: bid.intended }) };
    const row = {
      body: given.body,
      columns: bid?.columns,
      guarded: this.#isGuarded,
      owner: this.#owner.id,
    };
    const events = this.#placed();
    const identity = this.#recording.identity();
    const placed = known
      ? await this.#ledger.save(tx, known, { ...row, content, events })
      : await this.#ledger.insert(tx, { ...row, key, content: { identity, ...content } }, events);
    // The bid counts already, so what is at stake includes it.
    const held = await this.#heldBack(tx);
    if (held === undefined) return { intent: placed, answer: GO };
    const unsent = await this.#saveUnsent(tx, placed, held);
    return { intent: unsent, answer: failed(heldBack(unsent, context, held)) };
  }

  /** The decision from the record of an earlier call; undefined if a new round under the same key begins. */
  #foundIn(known: Intent, given: Given): Found | undefined {
    const { context } = this.#call;
    const { target, once } = known.content;
    const { state, restored } = known.status;
    const other = otherUnder(this.#recording, known, given, context);
    if (other !== undefined) return { answer: failed(other) };
    const stop = (error: Error): Found => ({ intent: known, answer: failed(error) });
    const answer = this.#answerFrom(known);
    if (answer !== undefined) return { intent: known, answer };
    if (state === 'sent') {
      const isHeld = this.#call.resend === 'without_lookup' && isHeldByOther(known, this.#ledger.store);
      const kept = isHeld ? inProgress(known, context) : this.#keptInDoubt(known);
      if (kept !== undefined) return stop(kept);
    }
    if (state === 'sent' || state === 'done' || state === 'accepted') return { intent: known, answer: GO };
    if (target !== undefined && state === 'ready' && isHeldByOther(known, this.#ledger.store)) {
      return stop(inProgress(known, context));
    }
    if (restored) return stop(inDoubt(known, context));
    // Only the function that reserved a generation of `runOnce` begins it: a later one may be done.
    const owner = this.#recording.reservations.get(known.key)?.owner;
    const isReserved = state === 'ready' && known.row.owner === owner;
    return once !== undefined && !isReserved ? stop(superseded(known, context)) : undefined;
  }

  /** The intent that this client recorded under the key with another label or environment: to the service it is the same key. */
  async #foundElsewhere(given: Given, tx: StoreTransaction): Promise<Found | undefined> {
    const { key, context } = this.#call;
    const [intent] = effectsElsewhere(this.#recording, await tx.intents.recordedElsewhere({ key }));
    if (intent === undefined) return undefined;
    const other = otherUnder(this.#recording, intent, given, context);
    if (other !== undefined) return { answer: failed(other) };
    const answer = this.#answerFrom(intent);
    return answer === undefined ? { answer: failed(inDoubt(intent, context)) } : { intent, answer };
  }

  /** The answer of a settled intent in place of the service's; undefined if it may be sent. */
  #answerFrom(known: Intent): Settled | undefined {
    const { context } = this.#call;
    switch (known.status.state) {
      case 'done':
      case 'accepted': {
        const recorded = recordedValue(known);
        if (recorded !== undefined) return recorded;
        // Its reply could not be kept; the service still answers from its own record.
        const isAsked = this.#call.resend === 'by_caller';
        const kept = isAsked ? this.#keptBack(known, 'by_caller') : inDoubt(known, context);
        return kept && failed(kept);
      }
      case 'rejected':
        return failed(recordedRejection(known, context));
      case 'stuck':
      case 'abandoned':
        return failed(inDoubt(known, context));
      default:
        return undefined;
    }
  }

  /** Why an intent that an earlier call left in doubt is not sent again; undefined if it is. */
  #keptInDoubt(known: Intent): Error | undefined {
    const { resend, context } = this.#call;
    const { verdict, claim } = known.status;
    // A verdict that awaits its confirmation, or a bid that A05 must identify, is read and not sent.
    const isToBeRead = resend === 'without_lookup' && (verdict !== undefined || claim !== undefined);
    if (resend === undefined || isToBeRead) return inDoubt(known, context);
    return this.#keptBack(known, resend);
  }

  /** Why the recorded bytes may not leave; undefined if they may. @param signedAt timestamp of the attempt, Unix ms */
  #keptBack(intent: Intent, request: ResendRequest, signedAt = 0): Error | undefined {
    const { sent, sendableUntil } = intent.status;
    const { context } = this.#call;
    // A copy must expire while the service still remembers the key.
    const msLeft = sendableUntil - Math.max(signedAt, this.#ledger.now());
    if (mayBeSentAgain(request, sent, msLeft)) return undefined;
    return sent.isClosed ? closedMeanwhile(intent, context) : inDoubt(intent, context);
  }

  /** Another open bid of the same buyer on the same lot. */
  async #blockedBy(find: typeof unresolvedBefore, tx: StoreTransaction): Promise<Error | undefined> {
    const { bid, key, context } = this.#call;
    if (bid === undefined || bid.allowUnresolved) return undefined;
    const { lot, buyer } = bid.columns;
    return find(this.#recording, tx, { key, lot, buyer, context });
  }

  get #isGuarded(): boolean {
    return this.#call.bid?.allowUnresolved === false;
  }

  #placed(): IntentEvent[] {
    const { bid } = this.#call;
    const at = this.#ledger.now();
    this.#placedAt = this.#ledger.reading();
    const placed = { type: 'placed', at, ...(bid && { placeBy: bid.placeBy(at) }) } as const;
    const events: IntentEvent[] = [placed, ...(bid?.lotRead === undefined ? [] : [bid.lotRead])];
    return bid?.confirm === true ? [...events, { type: 'confirm', at }] : events;
  }

  /** Checks the halt and the risk limits. */
  async #heldBack(tx: StoreTransaction): Promise<HoldReason | undefined> {
    const { bid, key } = this.#call;
    return bid && this.#recording.admit(tx, key, bid.columns);
  }

  #saveUnsent(tx: StoreTransaction, intent: Intent, held: Unsent): Promise<Intent> {
    return this.#ledger.save(tx, intent, { events: [{ type: 'unsent', at: this.#ledger.now(), ...held }] });
  }

  // Before the first byte: each attempt is announced, unless something has changed since.

  msToDepart(): number {
    // Server time is unknown once the local clock was set, or the machine slept.
    if (this.#isHalted || !this.#ledger.noteTime()) return 0;
    const now = this.#ledger.now();
    const intent = this.#intent;
    const corrected = intent && this.#correctionOf(intent)?.placeBy;
    const until = corrected ?? intent?.status.sendableUntil ?? this.#call.bid?.placeBy(now);
    return until === undefined ? Number.POSITIVE_INFINITY : until - now;
  }

  /** The change of a default `placeBy` after a correction of server time; undefined without one. */
  #correctionOf({ status }: Intent): { readonly by: number; readonly placeBy: number } | undefined {
    const { bid } = this.#call;
    if (bid === undefined || this.#placedAt === undefined || status.placeBy === undefined) return undefined;
    const now = this.#ledger.reading();
    // Time that passed in a sleep is no correction.
    if (hasStepped(this.#placedAt, now)) return undefined;
    const sinceMs = now.monotonic - this.#placedAt.monotonic;
    const { closesAt } = bid.columns;
    // A known close stays where it is.
    const latest = closesAt !== undefined && status.placeBy <= closesAt ? closesAt : Number.POSITIVE_INFINITY;
    const next = bid.placeBy(this.#ledger.now() - sinceMs);
    if (next === undefined) return undefined;
    const placeBy = Math.min(Math.round(next), latest);
    const by = placeBy - status.placeBy;
    return Math.abs(by) > CORRECTED_MS ? { by, placeBy } : undefined;
  }

  departing(attempt: DepartingAttempt): Promise<Go | Settled> {
    return this.#inTurn(async () => {
      this.#attempt = 0;
      const answer = await this.#record((known, tx) => this.#depart(attempt, known, tx));
      if (answer.kind !== 'go') return answer;
      const event = this.#intent?.content.log.at(-1);
      if (event?.type === 'attempt') this.#attempt = event.n;
      this.#made += 1;
      this.#hasSent = true;
      return answer;
    });
  }

  async #depart(
    { timestamp, nonce, keyId }: DepartingAttempt,
    found: Intent | undefined,
    tx: StoreTransaction,
  ): Promise<Found> {
    const { context } = this.#call;
    const ledger = this.#ledger;
    if (found === undefined) return { answer: failed(superseded(undefined, context)) };
    if (found.row.version !== this.#intent?.row.version)
      return { intent: found, answer: failed(superseded(found, context, this.#hasSent)) };
    const intent = await this.#corrected(found, tx);
    const stop = (error: Error): Found => ({ intent, answer: failed(error) });
    const { status } = intent;
    // Settled between two attempts of this call: by its own result, or by another process.
    const isOver = status.state === 'refused' || status.state === 'not_sent';
    const answer = isOver ? await this.#keptFromAnotherRound(intent, tx) : this.#answerFrom(intent);
    if (answer !== undefined) return { intent, answer };
    const held = await this.#heldBack(tx);
    if (held !== undefined) {
      const after = status.state === 'ready' ? await this.#saveUnsent(tx, intent, held) : intent;
      return { intent: after, answer: failed(heldBack(intent, context, held)) };
    }
    if (!ledger.noteTime()) return stop(timeLost(intent, context));
    // Check again after the insert was committed: of two processes with different labels, one sees the other.
    const elsewhere = status.state === 'ready' ? await this.#blockedBy(unresolvedElsewhere, tx) : undefined;
    if (elsewhere !== undefined) {
      const held = { reason: 'failure', why: 'another bid of this buyer on this lot is unresolved' } as const;
      return { intent: await this.#saveUnsent(tx, intent, held), answer: failed(elsewhere) };
    }
    const kept = this.#keptBack(intent, 'by_caller', timestamp * 1000);
    if (kept !== undefined) return stop(kept);
    const n = status.attempts + 1;
    const traceparent = ledger.parts.observation?.traceparent?.();
    const attempt: IntentEvent = {
      type: 'attempt',
      n,
      at: ledger.now(),
      timestamp,
      nonce,
      keyId,
      ...(traceparent !== undefined && { traceparent }),
    };
    const changes = isOver
      ? { events: [...this.#placed(), attempt], guarded: this.#isGuarded }
      : { events: [attempt] };
    const owner = this.#owner.id;
    return { intent: await ledger.save(tx, intent, { ...changes, owner }), answer: GO };
  }

  /** Records that server time was corrected, and moves a default `placeBy` with it. */
  async #corrected(intent: Intent, tx: StoreTransaction): Promise<Intent> {
    const correction = this.#correctionOf(intent);
    if (correction === undefined) return intent;
    const at = this.#ledger.now();
    return this.#ledger.save(tx, intent, { events: [{ type: 'clock_corrected', at, ...correction }] });
  }

  /** Why an intent that was refused or not sent is not tried again: others have begun something since. */
  async #keptFromAnotherRound(intent: Intent, tx: StoreTransaction): Promise<Settled | undefined> {
    const { once } = intent.row;
    const latest = once === undefined ? undefined : await tx.intents.latestOnce(once);
    if (latest !== undefined && latest.key !== intent.key)
      return failed(superseded(intent, this.#call.context));
    const blocked = await this.#blockedBy(unresolvedBefore, tx);
    return blocked && failed(blocked);
  }

  // After the reply: its result is recorded, then reported.

  arrived(result: AttemptResult): Promise<Known> {
    return this.#inTurn(async () => {
      const n = this.#attempt;
      try {
        // Nothing was announced, because signing or recording failed: only earlier attempts show the outcome.
        if (n > 0) await this.#recordResult(n, result);
      } finally {
        this.#attempt = 0;
        this.#stopUnlessOnWire();
      }
      const intent = this.#intent;
      if (intent !== undefined) return { outcome: knownEffect(intent), sent: intent.status.sent };
      const outcome = n === 0 && result.effect === 'not_sent' ? 'not_sent' : 'unknown';
      return { outcome, sent: { last: result, wasRejected: false, isClosed: false } };
    });
  }

  async #recordResult(n: number, result: AttemptResult): Promise<void> {
    if (result.status === 429) this.#made -= 1;
    const isHeld = this.#isHalted && result.effect === 'not_sent' && result.stop !== undefined;
    const byHalt = isHeld ? ({ stop: 'aborted', why: unsentByHalt.why } as const) : {};
    const event: ResultEvent = { type: 'result', n, at: this.#ledger.now(), ...result, ...byHalt };
    await this.#record((known, tx) => this.#take(event, known, tx));
  }

  /**
   * Adds a result. The ids of a verdict belong to one key: if two keys have them, neither is believed until A06
   * answers.
   */
  async #take(event: ResultEvent, intent: Intent | undefined, tx: StoreTransaction): Promise<Found> {
    if (intent === undefined) return { answer: GO };
    const { key, bid } = this.#call;
    const isVerdict = event.effect === 'done' || event.effect === 'rejected';
    const clashes = bid && isVerdict ? await this.#ledger.reserveIds(tx, key, event) : [];
    const { at } = event;
    const voided = clashes.map(({ other, ids }) => ({ type: 'voided', at, ids, otherKey: other }) as const);
    const events = [event, ...voided];
    return { intent: await this.#ledger.save(tx, intent, { events }), answer: GO };
  }

  /** A command that was turned away without a code is looked up by the version of its record. */
  async concluding(msLeft: number): Promise<Conclusion | undefined> {
    const intent = this.#intent;
    if (intent === undefined || this.#call.bid !== undefined) return undefined;
    const { versionProvesFrom = Number.POSITIVE_INFINITY } = intent.status;
    const isDue = this.#ledger.now() >= versionProvesFrom && msLeft > 0;
    const pipeline = this.#pipeline;
    const limits = { deadline: msLeft, signal: this.#signal };
    if (!isDue || pipeline === undefined) return conclusionOf(intent);
    const ledger = this.#ledger;
    try {
      const looked = lookUpVersion({ pipeline, ledger }, intent, limits);
      this.#intent = await withTimeout(ledger.parts.clock, msLeft + ENDING_MS, looked, () => intent);
    } catch (error) {
      // A result that could not be recorded is not reported: the refusal stays in doubt.
      if (!(error instanceof StoreError)) throw error;
    }
    return conclusionOf(this.#intent ?? intent);
  }

  // When the call is over.

  /**
   * Settles an intent that it recorded and never sent as not sent. It does not wait for a store that doesn't answer: a
   * `ready` row is free once the call is over.
   */
  async #end(failure: unknown): Promise<void> {
    const ledger = this.#ledger;
    const ended = this.#inTurn(async () => {
      const held = this.#intent;
      if (held?.status.state !== 'ready' || held.row.owner !== this.#owner.id) return;
      const unsent = this.#isHalted ? unsentByHalt : unsentBy(failure);
      this.#intent = await settleUnsent(ledger, held, unsent);
    });
    try {
      await withTimeout(ledger.parts.clock, ENDING_MS, ended, () => undefined);
    } catch (error) {
      // It was not sent, but that is not on record.
      throw error instanceof StoreError ? error.within({ ...this.#call.context, outcome: 'unknown' }) : error;
    } finally {
      this.#owner.release();
    }
  }

  // Carrying out the steps.

  /** Runs one step after the other, also if a call was stopped in the middle of one. */
  #inTurn<T>(step: () => Promise<T>): Promise<T> {
    const next = this.#last.then(step, step);
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** Runs one unit of work. */
  async #record(
    work: (known: Intent | undefined, tx: StoreTransaction) => Promise<Found>,
  ): Promise<Go | Settled> {
    const ledger = this.#ledger;
    const { intent, answer } = await ledger.within(async (tx) =>
      work(ledger.intentOf(await tx.intents.get(this.#call.key)), tx),
    );
    this.#intent = intent;
    return answer;
  }
}

/** The intent as a unit of work leaves it, and whether it may be sent. */
interface Found {
  readonly intent?: Intent | undefined;
  readonly answer: Go | Settled;
}

const unsentByHalt: Unsent = {
  reason: 'aborted',
  why: 'the batch was stopped before it could be sent',
};
