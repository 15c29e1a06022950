import { mayBeSentAgain } from '../core/resend.js';
import { outcomeReporter } from '../core/telemetry.js';
import { IdempotencyConflictError } from '../errors/api.js';
import { VehicleAuctionError } from '../errors/base.js';
import { AbortedError, TimeoutError } from '../errors/connection.js';
import { ConfigurationError, InDoubtError, NotSentError } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import { bids } from '../generated/bids.js';
import { counted, ensureServerTime, refuseWithoutStore } from '../intents/caller.js';
import { type Intent, isHeldByOther } from '../intents/ledger.js';
import { type CallToRecord, RecordedCall } from '../intents/recorded-call.js';
import type { BidToRecord } from '../intents/recording.js';
import type { Permit } from '../ports/quota.js';
import { Deadline, pause, Stopped, within } from '../runtime/timers.js';
import { readLot } from './lookup.js';
import { type NotBegunReason, notBegun, outcomeOf } from './outcome.js';
import type { BidPorts } from './ports.js';
import type { PreparedBid } from './prepare.js';
import { optionsWithin, type SettleOptions, settleBid, settleClashes, settleReady } from './settle.js';
import type { BidOutcome } from './types.js';

/**
 * A single bid may be sent for this time if no close is known, ms. A row of a batch waits as long as its batch runs.
 */
const PLACE_WITHIN_MS = 120_000;

/**
 * Lookups without news before a bid is reported as unknown. Without `maxAttempts` they don't count while the bid may be
 * sent again or the service does not answer them.
 */
const MAX_LOOKUPS = 4;

/** Interval of reading a bid that another call is sending, ms. */
const HELD_MS = 500;

const context = { call: 'bids.place', operation: bids.submit.id } as const;

/**
 * Places one bid: records it, sends it, and looks it up if its outcome is unknown.
 *
 * @param halt of a batch: once it fires, this bid is no longer sent. It is settled as not sent, or by its record if it
 * had not begun. An attempt on the wire is awaited within its own limits, and nothing follows it. A row of a batch is
 * recorded when its turn in the quota has come, and its deadline begins then unless it was given
 * @throws AbortedError if `halt` fired before the bid was recorded by this call
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
  /** From now on, closing the client ends this call only when the time to close is over. */
  #isSettling = false;
  /** Leftovers of ended processes on this lot are settled once. */
  #hasCleared = false;
  /** End of this call, on the monotonic clock, ms. */
  #deadlineAt: number;
  /** True while a row of a batch waits for its turn and nothing of it is recorded. */
  #isWaiting = false;
  /** End of the wait for another call that is sending this bid, on the monotonic clock, ms. */
  #waitsUntil: number | undefined;
  /** The latest known close, Unix ms in server time. */
  #closesAt: number | undefined;
  /** The read of the lot that shows that its close has moved. */
  #lotRead: BidToRecord['lotRead'];

  constructor(parts: BidPorts, bid: PreparedBid, halt: AbortSignal | undefined) {
    this.#parts = parts;
    this.#bid = bid;
    this.#halt = halt;
    this.#closesAt = bid.closesAt;
    const { clock } = parts.recording;
    // The bids of a batch have no signal of their own.
    const signal = halt ?? bid.options.signal;
    const { signal: _, ...options } = bid.options;
    this.#deadlineAt = clock.monotonic() + bid.limits.deadline;
    const deadlineAt = () => this.#deadlineAt;
    const mayHaveLeft = () => this.#isSettling;
    this.#settling = {
      options: { ...options, ...(signal !== undefined && { signal }) },
      sources: {
        clock,
        signal,
        get deadlineAt() {
          return deadlineAt();
        },
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
    const report = outcomeReporter(this.#parts.recording, { ...context, idempotencyKey: this.#bid.key });
    let outcome: BidOutcome;
    try {
      const called = { ...context, idempotencyKey: this.#bid.key };
      outcome = await counted(this.#parts.recording, called, () => this.#outcome());
    } catch (error) {
      if (error instanceof VehicleAuctionError) report(error);
      throw error;
    }
    report({ outcome: outcome.status, reason: 'reason' in outcome ? outcome.reason : outcome.codes[0] });
    if (outcome.status === 'not_sent' && (outcome.reason === 'network' || outcome.reason === 'failure')) {
      const { idempotencyKey, reason, what } = outcome;
      this.#parts.recording.log.warn('A bid was not sent', () => ({ idempotencyKey, reason, what }));
    }
    return outcome;
  }

  async #outcome(): Promise<BidOutcome> {
    const { recording, pipeline } = this.#parts;
    const { sources } = this.#settling;
    const { key, allowUnresolved, intended, columns, keyGiven } = this.#bid;
    refuseWithoutStore(recording, { ...context, idempotencyKey: key });
    let isTimed = false;
    try {
      const isPatient = this.#bid.limits.maxAttempts === Number.POSITIVE_INFINITY;
      await ensureServerTime(
        pipeline,
        recording,
        sources,
        { ...optionsWithin(this.#settling), isPatient },
        context,
      );
      isTimed = true;
      if (this.#isRow && this.#bid.options.deadline === undefined)
        this.#deadlineAt = Number.POSITIVE_INFINITY;
      const alone = () => recording.locks.alone(key, sources, () => this.#place());
      if (allowUnresolved) return await alone();
      return await recording.locks.alone(`${columns.lot} ${columns.buyer}`, sources, alone);
    } catch (error) {
      if (!isTimed && error instanceof NotSentError) return this.#unrecorded('failure', error);
      if (!(error instanceof Stopped)) throw error;
      if (this.#halt?.aborted === true) throw haltedEarly(key);
      const reason = error.kind === 'aborted' || error.kind === 'closed' ? 'aborted' : 'deadline';
      const hasRead = this.#isWaiting || !isTimed;
      return hasRead ? this.#unrecorded(reason) : notBegun(intended, key, { keyGiven, reason });
    }
  }

  /** The outcome if this call recorded and sent nothing. With a given key, another call may have done both. */
  async #unrecorded(reason: NotBegunReason, cause?: VehicleAuctionError): Promise<BidOutcome> {
    const { ledger } = this.#parts.recording;
    const { key, call, intended, keyGiven } = this.#bid;
    const recorded = keyGiven ? await ledger.read(key) : undefined;
    const isSame = recorded !== undefined && recorded.content.target?.sha256 === sha256Of(call);
    if (isSame) return outcomeOf(recorded, { now: ledger.now() });
    return notBegun(intended, key, { keyGiven: recorded !== undefined, reason, cause });
  }

  async #place(): Promise<BidOutcome> {
    // Another round after this call, or another one, has sent the bid.
    let isAnother = false;
    for (;;) {
      let sent: Intent | undefined;
      try {
        const closed = await this.#unlessOpen();
        if (closed !== undefined) return closed;
        sent = await this.#sendBeforeClose();
      } catch (error) {
        if (!isAnother) throw error;
        return await this.#onRecord(error);
      }
      if (sent === undefined) continue;
      if (await this.#hasWaitedForOther(sent)) {
        isAnother = true;
        continue;
      }
      this.#isSettling = true;
      try {
        return await this.#settle(sent);
      } catch (error) {
        throw this.#inDoubt(error);
      }
    }
  }

  /** The outcome on record, where a round failed that was not the first: the bid may have been sent before it. */
  async #onRecord(failure: unknown): Promise<BidOutcome> {
    const { ledger } = this.#parts.recording;
    const isExpected = failure instanceof Stopped || failure instanceof VehicleAuctionError;
    if (!isExpected || failure instanceof StoreError) throw this.#inDoubt(failure);
    try {
      const recorded = await ledger.read(this.#bid.key);
      if (recorded === undefined) throw failure;
      return outcomeOf(recorded, { now: ledger.now() });
    } catch (error) {
      throw this.#inDoubt(error);
    }
  }

  /** The same error; one of the store says that the bid may have been sent, even if this call can record nothing more. */
  #inDoubt(error: unknown): unknown {
    if (!(error instanceof StoreError)) return error;
    return error.within({ ...context, idempotencyKey: this.#bid.key, outcome: 'unknown' });
  }

  /** Sends it; undefined if the known close came first. */
  async #sendBeforeClose(): Promise<Intent | undefined> {
    let permit: Permit | undefined;
    try {
      permit = this.#isRow ? await this.#turn() : undefined;
      const sent = await this.#send('without_lookup', permit);
      const { state, unsent } = sent.status;
      const isLate = state === 'not_sent' && unsent?.reason === 'deadline' && this.#isPastClose;
      return isLate ? undefined : sent;
    } catch (error) {
      if (error instanceof Stopped && error.kind === 'too_late' && this.#isPastClose) return undefined;
      throw error;
    } finally {
      // The permit is unused if the record has answered: another process may have settled the row meanwhile.
      permit?.passOn();
    }
  }

  /**
   * Waits briefly if another call is sending this bid: that call is about to record a result, which saves a request.
   */
  async #hasWaitedForOther(found: Intent): Promise<boolean> {
    const { sources } = this.#settling;
    if (!isHeldByOther(found, this.#parts.recording.ledger.store)) return false;
    this.#waitsUntil ??= sources.clock.monotonic() + this.#bid.limits.deadline;
    if (sources.clock.monotonic() + HELD_MS >= Math.min(this.#waitsUntil, this.#deadlineAt)) return false;
    try {
      await pause(sources, HELD_MS);
      return true;
    } catch (error) {
      // Report the record as it is.
      if (error instanceof Stopped) return false;
      throw error;
    }
  }

  get #isPastClose(): boolean {
    return this.#closesAt !== undefined && this.#closesAt <= this.#parts.recording.ledger.now();
  }

  /**
   * The outcome if the lot has closed; undefined if it may be open. Reads a lot whose known close has passed, because
   * closes move.
   */
  async #unlessOpen(): Promise<BidOutcome | undefined> {
    const { recording, lotReader } = this.#parts;
    const { ledger, log } = recording;
    const { key, isOver, placeBy, columns } = this.#bid;
    if (!isOver && !this.#isPastClose) return undefined;
    const known = await ledger.read(key);
    const isOther = known !== undefined && known.content.target?.sha256 !== sha256Of(this.#bid.call);
    if (isOther || !mayLeave(known, ledger.now())) return undefined;
    if (isOver) return this.#closed(known, 'its record says that it is over');
    this.#isWaiting = true;
    const read = await within(this.#settling.sources, 'quota', lotReader.read(columns.lot));
    this.#isWaiting = false;
    const { closed, closesAt, why } = read;
    if (closed === true) return this.#closed(known, 'its status (A10) shows it closed');
    if (closesAt !== undefined && closesAt > ledger.now()) {
      log.info('The close of a lot has moved', () => ({ lot: columns.lot, closesAt, idempotencyKey: key }));
      this.#closesAt = closesAt;
      this.#lotRead = { type: 'lot_read', at: ledger.now(), closed: false, closesAt };
      return undefined;
    }
    // A time that was given for this bid outweighs a close that may have moved.
    const isAllowed = placeBy !== undefined && placeBy > ledger.now();
    if (!isAllowed)
      return this.#closed(known, `its close has passed, and its status (A10) could not be read: ${why}`);
    this.#closesAt = undefined;
    return undefined;
  }

  async #closed(known: Intent | undefined, why: string): Promise<BidOutcome> {
    const { ledger } = this.#parts.recording;
    const { intended, key } = this.#bid;
    if (known === undefined) return notBegun(intended, key, { keyGiven: false, reason: 'closed', why });
    const settled = known.status.state === 'ready' ? await this.#settleReady(known) : known;
    return outcomeOf(settled, { now: ledger.now() });
  }

  get #isRow(): boolean {
    return this.#halt !== undefined;
  }

  /** Waits for the turn of a row in the quota; undefined if the record of the row answers. */
  async #turn(): Promise<Permit | undefined> {
    const { quota, recording } = this.#parts;
    const { sources } = this.#settling;
    const { key, options, limits, columns } = this.#bid;
    let permit: Permit | undefined;
    const known = await recording.ledger.read(key);
    const isHeld = known !== undefined && isHeldByOther(known, recording.ledger.store);
    if (!isHeld && mayLeave(known, recording.ledger.now())) {
      this.#isWaiting = true;
      const now = recording.ledger.now();
      const placeBy = this.#placeBy(now);
      const isResend = known?.status.state === 'sent';
      const turn = { closesAt: placeBy, buyer: columns.buyer, isResend };
      const wait = new Deadline(sources, 'quota');
      try {
        wait.limit(placeBy === undefined ? undefined : placeBy - now, 'too_late');
        permit = await wait.race(quota.permit(options.lane ?? 'bid', wait.signal, turn));
      } catch (error) {
        wait.stop('aborted', error);
        throw error;
      } finally {
        wait.end();
      }
      this.#isWaiting = false;
    }
    if (options.deadline === undefined) this.#deadlineAt = sources.clock.monotonic() + limits.deadline;
    return permit;
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
  async #send(resend: CallToRecord['resend'], permit?: Permit): Promise<Intent> {
    const { pipeline, recording } = this.#parts;
    const { call, key, limits, intended, allowUnresolved, confirm } = this.#bid;
    const closesAt = this.#closesAt === undefined ? undefined : Math.floor(this.#closesAt);
    const columns = { ...this.#bid.columns, closesAt };
    const placeBy = (now: number) => this.#placeBy(now);
    const bid = { intended, columns, placeBy, allowUnresolved, confirm, lotRead: this.#lotRead };
    const callContext = { ...context, idempotencyKey: key };
    const halt = this.#halt;
    const work = new RecordedCall(recording, { call, key, context: callContext, bid, resend, halt });
    const options = optionsWithin(this.#settling);
    const attempts = Math.max(1, limits.maxAttempts - this.#made);
    const limited = attempts === Number.POSITIVE_INFINITY ? options : { ...options, maxAttempts: attempts };
    let ended: Awaited<ReturnType<RecordedCall['run']>>;
    try {
      const isResend = resend === 'after_lookup';
      const turn = { closesAt: this.#bid.placeBy ?? closesAt, buyer: columns.buyer, isResend, permit };
      ended = await work.run(pipeline, limited, turn);
    } finally {
      this.#made += work.made;
    }
    const failure = 'failure' in ended ? ended.failure : undefined;
    if (failure !== undefined && !(failure instanceof VehicleAuctionError)) throw failure;
    if (failure instanceof InDoubtError && failure.reason === 'unresolved_bid' && !this.#hasCleared) {
      this.#hasCleared = true;
      if (await this.#clearReady(failure)) return this.#send(resend, permit);
    }
    const { intent } = work;
    if (intent === undefined || isOfTheCall(failure)) throw stoppedBy(failure) ?? failure;
    return intent;
  }

  /** Whether to go on after lookups without news. */
  #goesOn({ status, content }: Intent): boolean {
    const { ledger } = this.#parts.recording;
    if (this.#bid.limits.maxAttempts !== Number.POSITIVE_INFINITY) return false;
    // A rejection that awaits its confirmation can't be sent again, only looked up.
    const latest = content.log.findLast((event) => event.type === 'lookup');
    return (
      latest?.found === 'failed' ||
      mayBeSentAgain('after_lookup', status.sent, status.sendableUntil - ledger.now())
    );
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
    const after = await ledger.add(key, await readLot(this.#parts, bid.lot, optionsWithin(this.#settling)));
    if (after?.status.state !== 'sent' || !maySend(after)) return false;
    const before = this.#made;
    await this.#send('after_lookup');
    // If it was held back, another try would be held back as well.
    return this.#made > before;
  }

  /** Settles unsent bids of ended processes on this lot; false if another bid is unresolved there. */
  async #clearReady({ unresolved }: InDoubtError): Promise<boolean> {
    const { ledger } = this.#parts.recording;
    for (const { idempotencyKey } of unresolved) {
      const intent = await ledger.read(idempotencyKey);
      if (intent?.status.state !== 'ready') return false;
      await this.#settleReady(intent);
    }
    return true;
  }

  #settleReady(intent: Intent): Promise<Intent> {
    const { options, sources } = this.#settling;
    return settleReady(this.#parts, intent, { options, sources, maxLookups: 1 });
  }

  /**
   * The latest time to send it: as given, else two minutes from now, or as long as its batch runs; never after the
   * known close.
   */
  #placeBy(now: number): number | undefined {
    const longest = this.#isRow ? Number.POSITIVE_INFINITY : now + PLACE_WITHIN_MS;
    const until = Math.min(this.#bid.placeBy ?? longest, this.#closesAt ?? Number.POSITIVE_INFINITY);
    return until === Number.POSITIVE_INFINITY ? undefined : until;
  }
}

/** Whether the record of a bid allows sending it. */
export function mayLeave(known: Intent | undefined, now: number): boolean {
  if (known === undefined) return true;
  const { state, sent, sendableUntil, verdict, claim } = known.status;
  if (state === 'ready' || state === 'refused' || state === 'not_sent') return true;
  const isRead = state !== 'sent' || verdict !== undefined || claim !== undefined;
  return !isRead && mayBeSentAgain('without_lookup', sent, sendableUntil - now);
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

/** The local limit that ended a call before anything was recorded; undefined for other failures. */
function stoppedBy(failure: unknown): Stopped | undefined {
  if (failure instanceof AbortedError) {
    return new Stopped(failure.reason === 'closed' ? 'closed' : 'aborted', failure.cause);
  }
  return failure instanceof TimeoutError ? new Stopped('deadline') : undefined;
}

function sha256Of({ body }: PreparedBid['call']): string | undefined {
  return body === undefined || 'pending' in body ? undefined : body.sha256;
}
