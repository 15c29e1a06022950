import { mayBeSentAgain } from '../core/resend.js';
import { IdempotencyConflictError } from '../errors/api.js';
import { VehicleAuctionError } from '../errors/base.js';
import { AbortedError, TimeoutError } from '../errors/connection.js';
import { ConfigurationError, InDoubtError, NotSentError } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import { bids } from '../generated/bids.js';
import { countCall, ensureServerTime, refuseWithoutStore } from '../intents/caller.js';
import type { Intent } from '../intents/ledger.js';
import { type CallToRecord, RecordedCall } from '../intents/recorded-call.js';
import { Stopped } from '../runtime/timers.js';
import { readLot } from './lookup.js';
import { type NotBegunReason, notBegun, outcomeOf } from './outcome.js';
import type { BidPorts } from './ports.js';
import type { PreparedBid } from './prepare.js';
import { left, type SettleOptions, settleBid, settleClashes, settleReady } from './settle.js';
import type { BidOutcome } from './types.js';

/** For how long a bid may be sent where no close is known, ms. */
const PLACE_WITHIN_MS = 120_000;

/**
 * Lookups that bring nothing new before a bid is reported as unknown. They don't count while the bid may be sent again and no
 * `maxAttempts` limits it.
 */
const MAX_LOOKUPS = 4;

const context = { call: 'bids.place', operation: bids.submit.id } as const;

/**
 * Places one bid: records it, sends it, and looks it up if its outcome is unknown.
 *
 * @param halt of a batch: once it fires, this bid no longer leaves. It is settled as not sent, or as it is on record where
 * it was not begun. An attempt on the wire is awaited within its own limits, and nothing follows it
 * @throws AbortedError where `halt` fired before the bid was recorded by this call
 */
export function placeBid(
  parts: BidPorts,
  bid: PreparedBid,
  halt: AbortSignal | undefined,
): Promise<BidOutcome> {
  return new Placement(parts, bid, halt).toOutcome();
}

/** State of one bid while it is placed. */
class Placement {
  readonly #parts: BidPorts;
  readonly #bid: PreparedBid;
  readonly #halt: AbortSignal | undefined;
  readonly #settling: SettleOptions;
  /** Attempts that this call has made; those that met the rate limit don't count. */
  #made = 0;
  /** From here on closing the client ends it only when the time to close is over. */
  #isSettling = false;
  /** Leftovers of dead processes on this lot are cleared away once. */
  #hasCleared = false;

  constructor(parts: BidPorts, bid: PreparedBid, halt: AbortSignal | undefined) {
    this.#parts = parts;
    this.#bid = bid;
    this.#halt = halt;
    const { clock } = parts.recording;
    // The bids of a batch have no signal of their own.
    const signal = halt ?? bid.options.signal;
    const { signal: _, ...options } = bid.options;
    const mayHaveLeft = () => this.#isSettling;
    this.#settling = {
      options: { ...options, ...(signal !== undefined && { signal }) },
      sources: {
        clock,
        signal,
        deadlineAt: clock.monotonic() + bid.limits.deadline,
        closing: parts.recording.closing(),
        get mayHaveLeft() {
          return mayHaveLeft();
        },
      },
      maxLookups: MAX_LOOKUPS,
      goesOn: (found) => this.#goesOn(found),
      resend: (found) => this.#resend(found),
    };
  }

  async toOutcome(): Promise<BidOutcome> {
    const { recording, pipeline } = this.#parts;
    const { sources } = this.#settling;
    const { key, allowUnresolved, intended, columns, keyGiven } = this.#bid;
    refuseWithoutStore(recording, { ...context, idempotencyKey: key });
    countCall(recording, { ...context, idempotencyKey: key });
    let isTimed = false;
    try {
      const isPatient = this.#bid.limits.maxAttempts === Number.POSITIVE_INFINITY;
      await ensureServerTime(pipeline, recording, sources, { ...left(this.#settling), isPatient }, context);
      isTimed = true;
      const alone = () => recording.locks.alone(key, sources, () => this.#place());
      if (allowUnresolved) return await alone();
      return await recording.locks.alone(`${columns.lot} ${columns.buyer}`, sources, alone);
    } catch (error) {
      if (!isTimed && error instanceof NotSentError) return this.#withoutTime('failure');
      if (!(error instanceof Stopped)) throw error;
      if (this.#halt?.aborted === true) throw haltedEarly(key);
      const reason = error.kind === 'aborted' || error.kind === 'closed' ? 'aborted' : 'deadline';
      return isTimed ? notBegun(intended, key, { keyGiven, reason }) : this.#withoutTime(reason);
    }
  }

  /** Without server time nothing is recorded or sent; an earlier call may have done both under a key that was given. */
  async #withoutTime(reason: NotBegunReason): Promise<BidOutcome> {
    const { ledger } = this.#parts.recording;
    const { key, call, intended, keyGiven } = this.#bid;
    const recorded = keyGiven ? await ledger.read(key) : undefined;
    const isSame = recorded !== undefined && recorded.content.target?.sha256 === sha256Of(call);
    if (isSame) return outcomeOf(recorded, { now: ledger.now() });
    return notBegun(intended, key, { keyGiven: recorded !== undefined, reason });
  }

  async #place(): Promise<BidOutcome> {
    const sent = await this.#send('without_lookup');
    this.#isSettling = true;
    try {
      return await this.#settle(sent);
    } catch (error) {
      // It may be on its way, even if this call can record nothing more.
      throw error instanceof StoreError
        ? error.within({ ...context, idempotencyKey: sent.key, outcome: 'unknown' })
        : error;
    }
  }

  async #settle(sent: Intent): Promise<BidOutcome> {
    const { ledger } = this.#parts.recording;
    let intent = sent;
    if (this.#bid.confirm && intent.status.verdict?.by !== 'lookup' && !intent.status.confirm) {
      const { state } = intent.status;
      if (state === 'accepted' || state === 'rejected' || state === 'refused') {
        intent = (await ledger.add(intent.key, { type: 'confirm', at: ledger.now() })) ?? intent;
      }
    }
    const settled = await settleBid(this.#parts, intent, this.#settling);
    await settleClashes(this.#parts, settled, this.#settling);
    ledger.prune();
    return outcomeOf(settled, { now: ledger.now() });
  }

  /** Sends it, unless the record already shows its outcome. */
  async #send(resend: CallToRecord['resend']): Promise<Intent> {
    const { pipeline, recording } = this.#parts;
    const { call, key, placeBy, closesAt, limits, intended, columns, allowUnresolved, confirm } = this.#bid;
    const bid = { intended, columns, placeBy: (now: number) => this.#placeBy(now), allowUnresolved, confirm };
    const callContext = { ...context, idempotencyKey: key };
    const halt = this.#halt;
    const work = new RecordedCall(recording, { call, key, context: callContext, bid, resend, halt });
    const options = left(this.#settling);
    const attempts = Math.max(1, limits.maxAttempts - this.#made);
    const limited = attempts === Number.POSITIVE_INFINITY ? options : { ...options, maxAttempts: attempts };
    let ended: Awaited<ReturnType<RecordedCall['run']>>;
    try {
      const turn = { closesAt: placeBy ?? closesAt, buyer: columns.buyer };
      ended = await work.run(pipeline, limited, turn);
    } finally {
      this.#made += work.made;
    }
    const failure = 'failure' in ended ? ended.failure : undefined;
    if (failure !== undefined && !(failure instanceof VehicleAuctionError)) throw failure;
    if (failure instanceof InDoubtError && failure.reason === 'unresolved_bid' && !this.#hasCleared) {
      this.#hasCleared = true;
      if (await this.#clearReady(failure)) return this.#send(resend);
    }
    const { intent } = work;
    if (intent === undefined || isOfTheCall(failure)) throw stoppedBy(failure) ?? failure;
    return intent;
  }

  /** Whether lookups that bring nothing new are no reason to end. */
  #goesOn({ status }: Intent): boolean {
    const { ledger } = this.#parts.recording;
    const isLimited = this.#bid.limits.maxAttempts !== Number.POSITIVE_INFINITY;
    return !isLimited && mayBeSentAgain('after_lookup', status.sent, status.sendableUntil - ledger.now());
  }

  /** Sends the same bytes once more, after a lookup found nothing. */
  async #resend(intent: Intent): Promise<boolean> {
    const { ledger } = this.#parts.recording;
    const { key, content } = intent;
    const maySend = ({ status }: Intent) =>
      mayBeSentAgain('after_lookup', status.sent, status.sendableUntil - ledger.now());
    if (this.#made >= this.#bid.limits.maxAttempts || this.#settling.sources.signal?.aborted === true)
      return false;
    const { bid } = content;
    if (bid === undefined || !maySend(intent)) return false;
    const after = await ledger.add(key, await readLot(this.#parts, bid.lot, left(this.#settling)));
    if (after?.status.state !== 'sent' || !maySend(after)) return false;
    const before = this.#made;
    await this.#send('after_lookup');
    // If it was held back, another try would be held back as well.
    return this.#made > before;
  }

  /** Settles what a dead process left recorded and unsent on this lot; false where more than that is in the way. */
  async #clearReady({ unresolved }: InDoubtError): Promise<boolean> {
    const { ledger } = this.#parts.recording;
    const { options, sources } = this.#settling;
    const settling = { options, sources, maxLookups: 1 };
    for (const { idempotencyKey } of unresolved) {
      const intent = await ledger.read(idempotencyKey);
      if (intent?.status.state !== 'ready') return false;
      await settleReady(this.#parts, intent, settling);
    }
    return true;
  }

  /** A deadline is on every bid: the one that was given, or the earlier of the known close and two minutes. */
  #placeBy(now: number): number {
    const { placeBy, closesAt } = this.#bid;
    const soon = now + PLACE_WITHIN_MS;
    // Closes move: one that has passed only shows that the record is old.
    return placeBy ?? (closesAt === undefined || closesAt <= now ? soon : Math.min(closesAt, soon));
  }
}

function haltedEarly(idempotencyKey: string): AbortedError {
  return new AbortedError({
    reason: 'stopped',
    ...context,
    idempotencyKey,
    outcome: 'not_sent',
    what: 'The batch was stopped before this bid was begun, so nothing was sent.',
    nextStep: 'Run the batch again if you still want it.',
  });
}

/** Errors about the call itself, not about the outcome of the bid. */
function isOfTheCall(error: unknown): boolean {
  if (error instanceof StoreError || error instanceof ConfigurationError) return true;
  if (error instanceof IdempotencyConflictError) return error.recorded !== undefined;
  return error instanceof InDoubtError && (error.reason === 'unresolved_bid' || error.reason === 'foreign');
}

/** This side's own limit, where it ended a call before anything was recorded. */
function stoppedBy(failure: unknown): Stopped | undefined {
  if (failure instanceof AbortedError) {
    return new Stopped(failure.reason === 'closed' ? 'closed' : 'aborted', failure.cause);
  }
  return failure instanceof TimeoutError ? new Stopped('deadline') : undefined;
}

function sha256Of({ body }: PreparedBid['call']): string | undefined {
  return body === undefined || 'pending' in body ? undefined : body.sha256;
}
