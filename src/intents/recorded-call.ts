import type { Pipeline } from '../core/call.js';
import type { AttemptReport, CallJournal, DepartingAttempt, Go, Settled } from '../core/call-journal.js';
import type { BaseOptions, MutationOptions } from '../core/caller.js';
import type { Redact } from '../core/redact.js';
import type { RequestBody } from '../core/request/file-body.js';
import type { PreparedCall } from '../core/request/prepare.js';
import type { Log } from '../core/telemetry.js';
import { type CallContext, type Outcome, VehicleAuctionError } from '../errors/base.js';
import { AbortedError, TimeoutError } from '../errors/connection.js';
import { StoreError } from '../errors/store.js';
import type { Clock } from '../ports/clock.js';
import type { Turn } from '../ports/quota.js';
import { type BidColumns, isOpen } from '../store/intents.js';
import type { StoreTransaction } from '../store/store.js';
import {
  closedMeanwhile,
  failed,
  foreignIntent,
  type Held,
  heldBack,
  inDoubt,
  inProgress,
  otherContent,
  recordedRejection,
  recordedValue,
  superseded,
  timeLost,
  unresolvedBids,
} from './answers.js';
import {
  bodyOf,
  bodyRecord,
  type Client,
  type IntendedBid,
  type IntentBody,
  type IntentEvent,
  isForeign,
  isSame,
  type ResultEvent,
  resultOf,
  type Target,
  targetOf,
} from './content.js';
import {
  type Changes,
  type Intent,
  isFree,
  type Ledger,
  type Locks,
  Owner,
  outcomeOf,
  settleUnsent,
  type Unsent,
} from './ledger.js';

const GO: Go = { kind: 'go' };

/** How long a call that is over waits for its store, ms. */
const ENDING_MS = 5_000;

/** What recorded calls are made with; one for all clients derived from one. */
export interface Recording extends Client {
  readonly ledger: Ledger;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly log: Log;
  /** Redacts signing secrets. */
  readonly redact: Redact;
  /** Why writes are refused: a production client without a store. */
  readonly refusal: string | undefined;
  /** How a call of `bids.submit` is recorded. */
  readonly bidTerms: ((call: PreparedCall) => BidTerms) | undefined;
  /** Halt and risk limits, checked in the transactions that insert and send, once the bid is recorded. */
  readonly admit: (tx: StoreTransaction, key: string, bid: BidColumns) => Promise<Held | undefined>;
  /** Reads (A05) what the service answered for although this store never sent it; absent where there are no bids. */
  readonly settleClaim?: ((intent: Intent, options: BaseOptions) => Promise<Intent>) | undefined;
  /** Keys that `runOnce` has reserved in this process. */
  readonly reservations: Map<string, Reservation>;
}

/** A key that a function of `runOnce` was given. */
export interface Reservation {
  /** The owner of its row. */
  readonly owner: string;
  /** Calls that were made under it. */
  calls: number;
}

/** What a bid is recorded with. */
export interface BidTerms {
  readonly intended: IntendedBid;
  readonly columns: BidColumns;
  /** After it nothing is sent, Unix ms in server time. */
  readonly placeBy: number;
  readonly allowUnresolved: boolean;
  readonly confirm: boolean;
}

/** One call under an intent. */
export interface CallTerms {
  readonly call: PreparedCall;
  readonly key: string;
  readonly bid?: BidTerms | undefined;
  /** What is in doubt is sent again; false where it is to be looked up first. */
  readonly mayResend: boolean;
  readonly context: CallContext;
}

/** How a recorded call is made. */
interface RunOptions {
  readonly turn?: Turn;
  /** Stands before this record. */
  readonly journal?: CallJournal;
  /** Why it was not sent, where it was not. */
  readonly unsent?: (failure: unknown) => Unsent;
}

/**
 * Records one call: the row before anything waits, each attempt before its first byte, each result before it is
 * reported. Every step is one transaction, and every step first looks at what is in the store.
 */
export class RecordedCall implements CallJournal {
  readonly #recording: Recording;
  readonly #ledger: Ledger;
  readonly #terms: CallTerms;
  readonly #owner: Owner;
  #intent: Intent | undefined;
  /** Number of the attempt that was announced and has no result yet; 0 where there is none. */
  #attempt = 0;
  #made = 0;
  #hasSent = false;
  /** Steps follow each other, also when a call was stopped in the middle of one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(recording: Recording, terms: CallTerms) {
    const { ledger } = recording;
    this.#recording = recording;
    this.#ledger = ledger;
    this.#terms = terms;
    this.#owner = new Owner(ledger.parts);
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
   * @throws StoreError where it can't be recorded that nothing was sent
   */
  async run(
    pipeline: Pipeline,
    options: MutationOptions,
    { turn, journal = this, unsent = unsentBy }: RunOptions = {},
  ): Promise<{ readonly value: unknown } | { readonly failure: unknown }> {
    let failure: unknown;
    try {
      return { value: await pipeline.run(this.#terms.call, options, journal, turn) };
    } catch (error) {
      failure = error;
      return { failure };
    } finally {
      await this.#end(unsent(failure));
    }
  }

  begin(body: RequestBody): Promise<Go | Settled> {
    const given = { target: targetOf(this.#terms.call, body), body: bodyRecord(body) };
    return this.#step(() =>
      this.#recovering(
        () =>
          this.#unitOfWork((known, tx) => (known ? this.#adopt(tx, known, given) : this.#insert(tx, given))),
        (intent) => intent?.row.owner === this.#owner.id,
      ),
    );
  }

  departing(attempt: DepartingAttempt): Promise<Go | Settled> {
    const announced = (intent: Intent | undefined) =>
      intent?.content.log.find((event) => event.type === 'attempt' && event.nonce === attempt.nonce);
    return this.#step(async () => {
      this.#attempt = 0;
      const answer = await this.#recovering(
        () => this.#unitOfWork((known, tx) => this.#depart(attempt, known, tx)),
        (intent) => announced(intent) !== undefined,
      );
      if (answer.kind !== 'go') return answer;
      const event = announced(this.#intent);
      if (event?.type === 'attempt') this.#attempt = event.n;
      this.#made += 1;
      this.#hasSent = true;
      return answer;
    });
  }

  arrived(report: AttemptReport): Promise<Outcome | 'done'> {
    return this.#step(async () => {
      const { key } = this.#terms;
      const ledger = this.#ledger;
      const n = this.#attempt;
      this.#attempt = 0;
      // Nothing was announced, because signing or recording failed: only earlier attempts show what is known.
      if (n === 0) return this.#intent === undefined ? report.effect : outcomeOf(this.#intent);
      const event = resultOf(report, n, ledger.now());
      if (report.status === 429) this.#made -= 1;
      await this.#recovering(
        async () => {
          this.#intent = await ledger.change(key, (_, tx) => this.#take(event, tx));
          return GO;
        },
        (intent) => intent?.content.log.some((one) => one.type === 'result' && one.n === n) === true,
      );
      return this.#intent === undefined ? 'unknown' : outcomeOf(this.#intent);
    });
  }

  msToDepart(): number {
    // Once the local clock was set, or the machine slept, nobody knows.
    if (!this.#ledger.noteTime()) return 0;
    const until = this.#intent?.status.sendableUntil ?? this.#terms.bid?.placeBy;
    return until === undefined ? Number.POSITIVE_INFINITY : until - this.#ledger.now();
  }

  /**
   * Ends the call. What it recorded and never sent is settled as not sent. A store that doesn't answer is not waited for:
   * what it holds as `ready` is free once the call is over.
   */
  async #end(unsent: Unsent): Promise<void> {
    const ledger = this.#ledger;
    let cancel: () => void = () => undefined;
    const limit = new Promise<void>((resolve) => {
      cancel = ledger.parts.clock.after(ENDING_MS, resolve);
    });
    const ended = this.#step(async () => {
      const held = this.#intent;
      if (held?.row.owner === this.#owner.id) this.#intent = await settleUnsent(ledger, held, unsent);
    });
    try {
      await Promise.race([ended, limit]);
    } catch (error) {
      // It was not sent, but that is not on record.
      throw error instanceof StoreError
        ? error.within({ ...this.#terms.context, outcome: 'unknown' })
        : error;
    } finally {
      cancel();
      this.#owner.release();
    }
  }

  /** Runs one step after the other. */
  #step<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #unitOfWork(
    work: (known: Intent | undefined, tx: StoreTransaction) => Promise<Found>,
  ): Promise<Go | Settled> {
    const ledger = this.#ledger;
    const { intent, answer } = await ledger.within(async (tx) =>
      work(ledger.intentOf(await tx.intents.get(this.#terms.key)), tx),
    );
    this.#intent = intent;
    return answer;
  }

  /** Where a commit's answer was lost, the store is asked whether it took place. */
  async #recovering(
    work: () => Promise<Go | Settled>,
    happened: (intent: Intent | undefined) => boolean,
  ): Promise<Go | Settled> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreError) || error.commit !== 'unknown') throw error;
      const intent = await this.#ledger.read(this.#terms.key).catch(() => undefined);
      if (!happened(intent)) throw error;
      this.#intent = intent;
      return GO;
    }
  }

  // Before anything waits.

  async #insert(tx: StoreTransaction, { target, body }: Given): Promise<Found> {
    const { key, bid } = this.#terms;
    const blocked = await this.#blockedBy(tx);
    if (blocked !== undefined) return { answer: failed(blocked) };
    const inserted = await this.#ledger.insert(
      tx,
      {
        key,
        content: { identity: this.#recording.identity(), target, ...(bid && { bid: bid.intended }) },
        body,
        columns: bid?.columns,
        guarded: this.#isGuarded,
        owner: this.#owner.id,
      },
      this.#placed(),
    );
    return this.#admitted(tx, inserted);
  }

  async #adopt(tx: StoreTransaction, known: Intent, given: Given): Promise<Found> {
    const { context, mayResend } = this.#terms;
    const { target } = known.content;
    const { state, sendableUntil } = known.status;
    if (isForeign(known.content, this.#recording))
      return { answer: failed(foreignIntent(known, isOpen(state), context)) };
    if (target !== undefined && !isSame(target, given.target)) {
      return { answer: failed(otherContent(known, given, bodyOf(known.row), context)) };
    }
    const settled = this.#answerFrom(known);
    if (settled !== undefined) return { intent: known, answer: settled };
    if (state === 'sent') {
      const isSendable = mayResend && this.#ledger.now() <= sendableUntil;
      return { intent: known, answer: isSendable ? GO : failed(inDoubt(known, context)) };
    }
    if (state === 'done' || state === 'accepted') return { intent: known, answer: GO };
    if (state === 'ready' && target !== undefined && !isFree(known.row, this.#ledger.store)) {
      return { intent: known, answer: failed(inProgress(known, context)) };
    }
    return this.#placeAgain(tx, known, given);
  }

  /** What the record of a settled intent answers in place of the service; undefined where it may be sent. */
  #answerFrom(known: Intent): Settled | undefined {
    const { context, mayResend } = this.#terms;
    switch (known.status.state) {
      case 'done':
      case 'accepted': {
        const recorded = recordedValue(known);
        if (recorded !== undefined) return recorded;
        // Its reply could not be kept; the service still answers from its own record.
        const isSendable = mayResend && this.#ledger.now() <= known.status.sendableUntil;
        return isSendable ? undefined : failed(inDoubt(known, context));
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

  /** Recorded and never sent, refused or not sent, and placed again: a new round under the same key. */
  async #placeAgain(tx: StoreTransaction, known: Intent, { target, body }: Given): Promise<Found> {
    const { bid, context } = this.#terms;
    if (known.status.restored) return { intent: known, answer: failed(inDoubt(known, context)) };
    // A generation of `runOnce` is begun by the function that reserved it, or not at all: a later one may be done.
    const owner = this.#recording.reservations.get(known.key)?.owner;
    if (known.content.once !== undefined && (known.status.state !== 'ready' || known.row.owner !== owner)) {
      return { intent: known, answer: failed(superseded(known, context)) };
    }
    const blocked = await this.#blockedBy(tx);
    if (blocked !== undefined) return { intent: known, answer: failed(blocked) };
    const placed = await this.#ledger.save(tx, known, {
      events: this.#placed(),
      owner: this.#owner.id,
      guarded: this.#isGuarded,
      body,
      columns: bid?.columns,
      content: { target, ...(bid && { bid: bid.intended }) },
    });
    return this.#admitted(tx, placed);
  }

  /** Halt and limits: the bid counts already, so what is at stake includes it. */
  async #admitted(tx: StoreTransaction, intent: Intent): Promise<Found> {
    const held = await this.#heldBack(tx);
    if (held === undefined) return { intent, answer: GO };
    const unsent = await this.#ledger.save(tx, intent, { events: this.#heldEvents(held) });
    return { intent: unsent, answer: failed(heldBack(unsent, this.#terms.context, held)) };
  }

  async #heldBack(tx: StoreTransaction): Promise<Held | undefined> {
    const { bid, key } = this.#terms;
    return bid && this.#recording.admit(tx, key, bid.columns);
  }

  /** Another open bid of the same buyer on the same lot. */
  async #blockedBy(tx: StoreTransaction): Promise<Error | undefined> {
    const { bid, key, context } = this.#terms;
    if (bid === undefined || bid.allowUnresolved) return undefined;
    const open = await tx.intents.openBids(bid.columns.lot, bid.columns.buyer);
    const others = open.flatMap((row) => (row.key === key ? [] : (this.#ledger.intentOf(row) ?? [])));
    const foreign = others.find((other) => isForeign(other.content, this.#recording));
    if (foreign !== undefined) return foreignIntent(foreign, true, context);
    const [first] = others;
    return first && unresolvedBids(first, others, context);
  }

  get #isGuarded(): boolean {
    return this.#terms.bid?.allowUnresolved === false;
  }

  #placed(): IntentEvent[] {
    const { bid } = this.#terms;
    const at = this.#ledger.now();
    const placed = { type: 'placed', at, ...(bid && { placeBy: bid.placeBy }) } as const;
    return bid?.confirm === true ? [placed, { type: 'confirm', at }] : [placed];
  }

  #heldEvents(held: Held): IntentEvent[] {
    return [{ type: 'unsent', at: this.#ledger.now(), ...held }];
  }

  // Before the first byte.

  async #depart(
    { timestamp, nonce, keyId }: DepartingAttempt,
    intent: Intent | undefined,
    tx: StoreTransaction,
  ): Promise<Found> {
    const { context } = this.#terms;
    const ledger = this.#ledger;
    const stop = (error: Error): Found => ({ intent, answer: failed(error) });
    if (intent === undefined) return stop(superseded(undefined, context));
    const { status, row } = intent;
    if (row.version !== this.#intent?.row.version) return stop(superseded(intent, context, this.#hasSent));
    // Settled between two attempts of this call: by its own result, or by another process.
    const isOver = status.state === 'refused' || status.state === 'not_sent';
    const answer = isOver ? await this.#keptFromAnotherRound(intent, tx) : this.#answerFrom(intent);
    if (answer !== undefined) return { intent, answer };
    if (status.closed) return stop(closedMeanwhile(intent, this.#terms.context));
    const held = await this.#heldBack(tx);
    if (held !== undefined) {
      const after =
        status.state === 'ready' ? await ledger.save(tx, intent, { events: this.#heldEvents(held) }) : intent;
      return { intent: after, answer: failed(heldBack(intent, this.#terms.context, held)) };
    }
    if (!ledger.noteTime()) return stop(timeLost(intent, this.#terms.context));
    // A copy must expire while the service still remembers the key.
    if (status.restored || Math.max(timestamp * 1000, ledger.now()) > status.sendableUntil) {
      return stop(inDoubt(intent, context));
    }
    const n = status.attempts + 1;
    const attempt: IntentEvent = { type: 'attempt', n, at: ledger.now(), timestamp, nonce, keyId };
    const changes = isOver
      ? { events: [...this.#placed(), attempt], guarded: this.#isGuarded }
      : { events: [attempt] };
    return { intent: await ledger.save(tx, intent, changes), answer: GO };
  }

  /** Why an intent that was refused or not sent is not tried again: what others have begun since. */
  async #keptFromAnotherRound(intent: Intent, tx: StoreTransaction): Promise<Settled | undefined> {
    const { once } = intent.row;
    const latest = once === undefined ? undefined : await tx.intents.latestOnce(once);
    if (latest !== undefined && latest.key !== intent.key)
      return failed(superseded(intent, this.#terms.context));
    const blocked = await this.#blockedBy(tx);
    return blocked && failed(blocked);
  }

  // After the reply.

  /** Adds a result. The ids of a verdict belong to one key: where two claim them, neither is believed until A06 answers. */
  async #take(event: ResultEvent, tx: StoreTransaction): Promise<Changes> {
    const { key, bid } = this.#terms;
    const isVerdict = event.effect === 'done' || event.effect === 'rejected';
    if (bid === undefined || !isVerdict) return { events: [event] };
    const clashes = await this.#ledger.claimIds(tx, key, event);
    if (clashes.length === 0) return { events: [event] };
    const { at } = event;
    const voided = clashes.map(({ other, ids }) => ({ type: 'voided', at, ids, otherKey: other }) as const);
    return { events: [event, ...voided] };
  }
}

/** What a call is recorded with. */
interface Given {
  readonly target: Target;
  readonly body: IntentBody;
}

/** The intent as a unit of work leaves it, and whether it may be sent. */
interface Found {
  readonly intent?: Intent | undefined;
  readonly answer: Go | Settled;
}

/** Why what was recorded was not sent, by what the call failed with. */
export function unsentBy(failure: unknown): Unsent {
  if (failure instanceof AbortedError)
    return { reason: 'aborted', why: 'the call was aborted before it could be sent' };
  if (failure instanceof TimeoutError)
    return { reason: 'deadline', why: 'its deadline passed before it could be sent' };
  const why =
    failure instanceof VehicleAuctionError ? failure.name : 'the call ended before it could be sent';
  return { reason: failure === undefined ? 'interrupted' : 'failure', why };
}
