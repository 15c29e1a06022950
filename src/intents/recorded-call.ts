import type { AttemptReport, CallJournal, DepartingAttempt, Go, Settled } from '../core/call-journal.js';
import type { RequestBody } from '../core/request/body.js';
import type { PreparedCall } from '../core/request/prepare.js';
import type { CallContext, Outcome } from '../errors/base.js';
import { NotSentError, type NotSentReason } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import type { BidColumns } from '../store/intents.js';
import { isOpen } from '../store/intents.js';
import type { StoreTransaction } from '../store/store.js';
import {
  failed,
  foreignIntent,
  GO,
  inDoubt,
  inProgress,
  notSentAgain,
  otherContent,
  outcomeOf,
  recordedRejection,
  recordedValue,
  superseded,
  unresolvedBids,
} from './answers.js';
import { bodyRecord, targetOf } from './bytes.js';
import {
  bodyOf,
  type Identity,
  type IntendedBid,
  type IntentBody,
  type IntentEvent,
  type ResultEvent,
} from './content.js';
import { claimIds, isForeign, resultOf } from './evidence.js';
import type { Changes, Intent, Ledger } from './ledger.js';
import { isFree, Owner } from './owners.js';

/** How long a call that is over waits for its store, ms. */
const ENDING_MS = 5_000;

/** What a bid is recorded with. */
export interface BidTerms {
  readonly intended: IntendedBid;
  readonly columns: BidColumns;
  /** After it nothing is sent, Unix ms in server time. */
  readonly placeBy: number;
  readonly allowUnresolved: boolean;
  readonly confirm: boolean;
  /** Halt and risk limits, checked in the transactions that insert and send, once the bid is recorded. */
  admit(tx: StoreTransaction, key: string): Promise<Held | undefined>;
}

/** Why a bid is held back. */
export interface Held {
  readonly reason: 'halted' | 'risk_limit';
  readonly why: string;
}

/** One call under an intent. */
export interface CallTerms {
  readonly ledger: Ledger;
  readonly call: PreparedCall;
  readonly key: string;
  readonly identity: () => Identity;
  /** Earlier origins of the same service. */
  readonly formerOrigins: readonly string[];
  /** Keys that `runOnce` has reserved, with the owner of their rows. */
  readonly reservations: ReadonlyMap<string, { readonly owner: string }>;
  readonly bid?: BidTerms | undefined;
  /** What is in doubt is sent again; false where it is to be looked up first. */
  readonly mayResend: boolean;
  readonly context: CallContext;
}

/**
 * Records one call: the row before anything waits, each attempt before its first byte, each result before it is
 * reported. Every step is one transaction, and every step first looks at what is in the store.
 */
export class RecordedCall implements CallJournal {
  readonly #terms: CallTerms;
  readonly #owner: Owner;
  #intent: Intent | undefined;
  /** Number of the attempt that was announced and has no result yet; 0 where there is none. */
  #attempt = 0;
  #made = 0;
  #hasSent = false;
  /** Steps follow each other, also when a call was stopped in the middle of one. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(terms: CallTerms) {
    this.#terms = terms;
    const { store, parts } = terms.ledger;
    this.#owner = new Owner(store, parts.account, parts.clock);
  }

  /** The intent as this call last saw it; undefined before it was recorded. */
  get intent(): Intent | undefined {
    return this.#intent;
  }

  /** Attempts that this call has made; a bid that met the rate limit doesn't count. */
  get made(): number {
    return this.#made;
  }

  begin(body: RequestBody): Promise<Go | Settled> {
    return this.#step(async () => {
      const given = {
        target: targetOf(this.#terms.call, body),
        body: bodyRecord(body),
        bid: this.#terms.bid?.intended,
      };
      return this.#recovering(
        () => this.#open(given),
        (intent) => intent?.row.owner === this.#owner.id,
      );
    });
  }

  departing(attempt: DepartingAttempt): Promise<Go | Settled> {
    const announced = (intent: Intent | undefined) =>
      intent?.content.log.find((event) => event.type === 'attempt' && event.nonce === attempt.nonce);
    return this.#step(async () => {
      this.#attempt = 0;
      const answer = await this.#recovering(
        () => this.#depart(attempt),
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
      const { key, ledger } = this.#terms;
      const n = this.#attempt;
      this.#attempt = 0;
      // Nothing was announced, because signing or recording failed: only earlier attempts show what is known.
      if (n === 0) return this.#intent === undefined ? report.effect : outcomeOf(this.#intent);
      const event = resultOf(report, n, ledger.now());
      if (report.status === 429 && this.#terms.bid !== undefined) this.#made -= 1;
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
    if (!this.#terms.ledger.noteTime()) return 0;
    const until = this.#intent?.status.sendableUntil ?? this.#terms.bid?.placeBy;
    return until === undefined ? Number.POSITIVE_INFINITY : until - this.#terms.ledger.now();
  }

  /**
   * Ends the call. What it recorded and never sent is settled as not sent. A store that doesn't answer is not waited for:
   * what it holds as `ready` is free once the call is over.
   *
   * @param unsent why, where it is known
   */
  async end(unsent: { readonly reason: string; readonly why: string }): Promise<void> {
    const { ledger } = this.#terms;
    let cancel: () => void = () => undefined;
    const limit = new Promise<void>((resolve) => {
      cancel = ledger.parts.clock.after(ENDING_MS, resolve);
    });
    const ended = this.#step(async () => {
      if (this.#intent?.status.state !== 'ready') return;
      this.#intent = await ledger.change(this.#terms.key, (intent) =>
        intent.status.state === 'ready' && intent.row.owner === this.#owner.id
          ? { events: [{ type: 'unsent', at: ledger.now(), ...unsent }] }
          : undefined,
      );
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

  /** Where a commit's answer was lost, the store is asked whether it took place. */
  async #recovering(
    work: () => Promise<Go | Settled>,
    happened: (intent: Intent | undefined) => boolean,
  ): Promise<Go | Settled> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreError) || error.commit !== 'unknown') throw error;
      const intent = await this.#terms.ledger.read(this.#terms.key).catch(() => undefined);
      if (!happened(intent)) throw error;
      this.#intent = intent;
      return GO;
    }
  }

  // Before anything waits.

  async #open(given: Given): Promise<Go | Settled> {
    const { ledger, key } = this.#terms;
    const opened = await ledger.within(async (tx) => {
      const known = ledger.intentOf(await tx.intents.get(key));
      return known === undefined ? this.#insert(tx, given) : this.#adopt(tx, known, given);
    });
    this.#intent = opened.intent ?? this.#intent;
    return opened.answer;
  }

  async #insert(tx: StoreTransaction, { target, body }: Given): Promise<Opened> {
    const { ledger, key, identity, bid } = this.#terms;
    const blocked = await this.#blockedBy(tx);
    if (blocked !== undefined) return { answer: failed(blocked) };
    const inserted = await ledger.insert(
      tx,
      {
        key,
        content: { identity: identity(), target, ...(bid !== undefined && { bid: bid.intended }) },
        body,
        columns: bid?.columns,
        guarded: bid !== undefined && !bid.allowUnresolved,
        owner: this.#owner.id,
        once: undefined,
      },
      this.#placed(),
    );
    return this.#admitted(tx, inserted);
  }

  async #adopt(tx: StoreTransaction, known: Intent, given: Given): Promise<Opened> {
    const { ledger, call, context } = this.#terms;
    const { target } = known.content;
    const { state } = known.status;
    if (this.#isForeign(known)) return { answer: failed(foreignIntent(known, isOpen(state), context)) };
    if (target !== undefined && !isSame(known, given)) {
      return { answer: failed(otherContent(known, given, bodyOf(known.row), context)) };
    }
    switch (state) {
      case 'done':
      case 'accepted':
      case 'rejected':
      case 'stuck':
      case 'abandoned':
        return { intent: known, answer: this.#answerFrom(known) ?? GO };
      case 'sent':
        return this.#adoptSent(known);
      case 'ready': {
        if (target !== undefined && !isFree(known.row, ledger.store)) {
          return { intent: known, answer: failed(inProgress(known, context)) };
        }
        return this.#placeAgain(tx, known, given);
      }
      case 'refused':
      case 'not_sent':
        return this.#placeAgain(tx, known, given);
      default:
        throw new Error(`${call.route.id} was found in an unknown state`);
    }
  }

  /** What the record of a settled intent answers in place of the service; undefined where it may be sent. */
  #answerFrom(known: Intent): Settled | undefined {
    const { ledger, context, mayResend } = this.#terms;
    switch (known.status.state) {
      case 'done':
      case 'accepted': {
        const recorded = recordedValue(known);
        if (recorded !== undefined) return recorded;
        // Its reply could not be kept; the service still answers from its own record.
        const isSendable = mayResend && ledger.now() <= known.status.sendableUntil;
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

  #adoptSent(known: Intent): Opened {
    const { ledger, context, mayResend } = this.#terms;
    if (mayResend && ledger.now() <= known.status.sendableUntil) return { intent: known, answer: GO };
    return { intent: known, answer: failed(inDoubt(known, context)) };
  }

  /** Refused or not sent, and placed again: a new round under the same key. */
  async #placeAgain(tx: StoreTransaction, known: Intent, { target, body }: Given): Promise<Opened> {
    const { ledger, bid, context } = this.#terms;
    if (known.status.restored) return { intent: known, answer: failed(inDoubt(known, context)) };
    // A generation of `runOnce` is begun by the function that reserved it, or not at all: a later one may be done.
    const owner = this.#terms.reservations.get(known.key)?.owner;
    if (known.content.once !== undefined && (known.status.state !== 'ready' || known.row.owner !== owner)) {
      return { intent: known, answer: failed(superseded(known, context)) };
    }
    const blocked = await this.#blockedBy(tx);
    if (blocked !== undefined) return { intent: known, answer: failed(blocked) };
    const placed = await ledger.save(tx, known, {
      events: this.#placed(),
      owner: this.#owner.id,
      guarded: bid !== undefined && !bid.allowUnresolved,
      body,
      columns: bid?.columns,
      content: { target, ...(bid !== undefined && { bid: bid.intended }) },
    });
    return this.#admitted(tx, placed);
  }

  /** Halt and limits: the bid counts already, so what is at stake includes it. */
  async #admitted(tx: StoreTransaction, intent: Intent): Promise<Opened> {
    const held = await this.#terms.bid?.admit(tx, intent.key);
    if (held === undefined) return { intent, answer: GO };
    const unsent = await this.#terms.ledger.save(tx, intent, { events: this.#heldEvents(held) });
    return { intent: unsent, answer: failed(this.#heldError(held, unsent)) };
  }

  async #blockedBy(tx: StoreTransaction): Promise<Error | undefined> {
    const { bid, key, ledger, context } = this.#terms;
    if (bid === undefined || bid.allowUnresolved) return undefined;
    const open = await tx.intents.openBids(bid.columns.lot, bid.columns.buyer);
    const others = open.flatMap((row) => (row.key === key ? [] : (ledger.intentOf(row) ?? [])));
    const foreign = others.find((other) => this.#isForeign(other));
    if (foreign !== undefined) return foreignIntent(foreign, true, context);
    return others.length === 0 ? undefined : unresolvedBids(others, context);
  }

  #isForeign({ content: { identity } }: Intent): boolean {
    return isForeign(identity, this.#terms.identity(), this.#terms.formerOrigins);
  }

  #placed(): IntentEvent[] {
    const { bid, ledger } = this.#terms;
    const at = ledger.now();
    const placed = { type: 'placed', at, ...(bid !== undefined && { placeBy: bid.placeBy }) } as const;
    return bid?.confirm === true ? [placed, { type: 'confirm', at }] : [placed];
  }

  #heldEvents(held: Held): IntentEvent[] {
    return [{ type: 'unsent', at: this.#terms.ledger.now(), ...held }];
  }

  #heldError({ reason, why }: Held, intent: Intent): Error {
    const nextStep =
      reason === 'halted'
        ? 'Call bids.resume() to bid again, then place the same bid under the same key.'
        : 'Raise the limit or wait until less is at stake, then place the same bid under the same key.';
    return this.#keptBack(intent, reason, { why: why.replace(/\.$/, ''), nextStep });
  }

  /** The local clock was set, or the machine slept, and no reply has stated server time since. */
  #timeError(intent: Intent): Error {
    const why = 'Server time is not known any more, because the local clock was set or the machine slept';
    return this.#keptBack(intent, 'no_server_time', { why, nextStep: 'Call again under the same key.' });
  }

  #keptBack(
    intent: Intent,
    reason: NotSentReason,
    { why, nextStep }: { readonly why: string; readonly nextStep: string },
  ): Error {
    const context = { ...this.#terms.context, idempotencyKey: this.#terms.key };
    if (mayHaveEffect(intent)) return notSentAgain(intent, context, { why, nextStep });
    return new NotSentError(reason, { ...context, what: `${why}. Nothing was sent.`, nextStep });
  }

  /** Another call has read meanwhile that the lot is closed. */
  #closedError(intent: Intent): Error {
    const { context } = this.#terms;
    if (!mayHaveEffect(intent)) return superseded(intent, context);
    const nextStep = 'Reconcile it to learn what became of it.';
    return notSentAgain(intent, context, { why: 'The lot has closed', nextStep });
  }

  // Before the first byte.

  async #depart({ timestamp, nonce, keyId }: DepartingAttempt): Promise<Go | Settled> {
    const { key, ledger, bid, context } = this.#terms;
    const mine = this.#intent;
    let stop: Settled | undefined;
    const after = await ledger.change(key, async (intent, tx): Promise<Changes | undefined> => {
      stop = undefined;
      const { status } = intent;
      if (intent.row.version !== mine?.row.version) {
        stop = failed(superseded(intent, context, this.#hasSent));
        return undefined;
      }
      // Settled between two attempts of this call: by its own result, or by another process.
      const isOver = status.state === 'refused' || status.state === 'not_sent';
      const answer = isOver ? await this.#keptFromAnotherRound(intent, tx) : this.#answerFrom(intent);
      if (answer !== undefined) {
        stop = answer;
        return undefined;
      }
      if (status.closed) {
        stop = failed(this.#closedError(intent));
        return undefined;
      }
      const held = await bid?.admit(tx, key);
      if (held !== undefined) {
        stop = failed(this.#heldError(held, intent));
        return status.state === 'ready' ? { events: this.#heldEvents(held) } : undefined;
      }
      if (!ledger.noteTime()) {
        stop = failed(this.#timeError(intent));
        return undefined;
      }
      // A copy must expire while the service still remembers the key.
      if (status.restored || Math.max(timestamp * 1000, ledger.now()) > status.sendableUntil) {
        stop = failed(inDoubt(intent, context));
        return undefined;
      }
      const n = status.attempts + 1;
      const attempt: IntentEvent = { type: 'attempt', n, at: ledger.now(), timestamp, nonce, keyId };
      if (!isOver) return { events: [attempt] };
      return { events: [...this.#placed(), attempt], guarded: bid !== undefined && !bid.allowUnresolved };
    });
    this.#intent = after;
    if (stop !== undefined) return stop;
    if (after === undefined) return failed(superseded(undefined, context));
    return GO;
  }

  /** Why an intent that was refused or not sent is not tried again: what others have begun since. */
  async #keptFromAnotherRound(intent: Intent, tx: StoreTransaction): Promise<Settled | undefined> {
    const { once } = intent.row;
    const latest = once === undefined ? undefined : await tx.intents.latestOnce(once);
    if (latest !== undefined && latest.key !== intent.key)
      return failed(superseded(intent, this.#terms.context));
    const blocked = await this.#blockedBy(tx);
    return blocked === undefined ? undefined : failed(blocked);
  }

  // After the reply.

  /** Adds a result. The ids of a verdict belong to one key: where two claim them, neither is believed until A06 answers. */
  async #take(event: ResultEvent, tx: StoreTransaction): Promise<Changes> {
    const { ledger, key, bid } = this.#terms;
    const isVerdict = event.effect === 'done' || event.effect === 'rejected';
    if (bid === undefined || !isVerdict) return { events: [event] };
    const clashes = await claimIds(ledger, tx, key, event);
    if (clashes.length === 0) return { events: [event] };
    const { at } = event;
    const voided = clashes.map(({ other, ids }) => ({ type: 'voided', at, ids, otherKey: other }) as const);
    return { events: [event, ...voided] };
  }
}

/** Whether an earlier attempt has taken effect, or may have. */
function mayHaveEffect({ status: { state } }: Intent): boolean {
  return state !== 'ready' && state !== 'refused' && state !== 'not_sent';
}

interface Given {
  readonly target: ReturnType<typeof targetOf>;
  readonly body: IntentBody;
  readonly bid: IntendedBid | undefined;
}

interface Opened {
  readonly intent?: Intent;
  readonly answer: Go | Settled;
}

function isSame({ content: { target } }: Intent, { target: given }: Given): boolean {
  return (
    target?.operation === given.operation &&
    target.method === given.method &&
    target.path === given.path &&
    target.query === given.query &&
    target.sha256 === given.sha256
  );
}
