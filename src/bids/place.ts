import type { CallJournal } from '../core/call-journal.js';
import { IdempotencyConflictError } from '../errors/api.js';
import { VehicleAuctionError } from '../errors/base.js';
import { AbortedError, TimeoutError } from '../errors/connection.js';
import { ConfigurationError, InDoubtError, NotSentError } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import { bids } from '../generated/bids.js';
import { countCall, ensureServerTime, refuseWithoutStore } from '../intents/caller.js';
import type { Intent } from '../intents/ledger.js';
import { RecordedCall, unsentBy } from '../intents/recorded-call.js';
import { follow, Stopped } from '../runtime/timers.js';
import { readLot } from './lookup.js';
import { type NotBegunReason, notBegun, outcomeOf } from './outcome.js';
import type { BidParts } from './parts.js';
import type { PreparedBid } from './prepare.js';
import { left, type Means, settleBid, settleClashes, settleReady } from './settle.js';
import type { BidOutcome } from './types.js';

/** For how long a bid may be sent where no close is known, ms. */
const PLACE_WITHIN_MS = 120_000;

/** Lookups that bring nothing new before a bid is reported as unknown. */
const MAX_LOOKUPS = 4;

const context = { call: 'bids.place', operation: bids.submit.id } as const;

/**
 * Places one bid: records it, sends it, and looks it up if its outcome is unknown.
 *
 * @param halt of a batch: once it fires, this bid no longer leaves. It is settled as not sent, or as it is on record where
 * it was not begun. An attempt on the wire is awaited within its own limits, and nothing follows it
 * @throws AbortedError where `halt` fired before the bid was recorded by this call
 */
export async function placeBid(
  parts: BidParts,
  bid: PreparedBid,
  halt: AbortSignal | undefined,
): Promise<BidOutcome> {
  const brake = new Brake(bid.options.signal, halt);
  try {
    return await new Placing(parts, bid, brake).toOutcome();
  } finally {
    brake.release();
  }
}

/** One bid on its way. */
class Placing {
  readonly #parts: BidParts;
  readonly #bid: PreparedBid;
  readonly #brake: Brake;
  readonly #means: Means;
  /** Attempts that this call has made; those that met the rate limit don't count. */
  #made = 0;
  /** Leftovers of dead processes on this lot are cleared away once. */
  #hasCleared = false;

  constructor(parts: BidParts, bid: PreparedBid, brake: Brake) {
    this.#parts = parts;
    this.#bid = bid;
    this.#brake = brake;
    const { clock } = parts.recording;
    const { signal } = brake;
    const { signal: _, ...options } = bid.options;
    this.#means = {
      options: { ...options, ...(signal !== undefined && { signal }) },
      sources: { clock, signal, deadlineAt: clock.monotonic() + bid.limits.deadline },
      maxLookups: MAX_LOOKUPS,
      resend: (found) => this.#resend(found),
    };
  }

  async toOutcome(): Promise<BidOutcome> {
    const { recording, pipeline } = this.#parts;
    const { sources } = this.#means;
    const { key, allowUnresolved, intended, columns, keyGiven } = this.#bid;
    refuseWithoutStore(recording, { ...context, idempotencyKey: key });
    countCall(recording, { ...context, idempotencyKey: key });
    let isTimed = false;
    try {
      await ensureServerTime(pipeline, recording, sources, left(this.#means), context);
      isTimed = true;
      const alone = () => recording.locks.alone(key, sources, () => this.#place());
      if (allowUnresolved) return await alone();
      return await recording.locks.alone(`${columns.lot} ${columns.buyer}`, sources, alone);
    } catch (error) {
      if (!isTimed && error instanceof NotSentError) return this.#withoutTime('failure');
      if (!(error instanceof Stopped)) throw error;
      if (this.#brake.isHalted) throw haltedEarly(key);
      const reason = error.kind === 'aborted' ? 'aborted' : 'deadline';
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
    const sent = await this.#send();
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
    const settled = await settleBid(this.#parts, intent, this.#means);
    await settleClashes(this.#parts, settled.intent, this.#means);
    ledger.prune();
    return outcomeOf(settled.intent, { similar: settled.similar, now: ledger.now() });
  }

  /** Sends it, unless the record already shows its outcome. */
  async #send(mayResend = false): Promise<Intent> {
    const { pipeline, recording } = this.#parts;
    const { call, key, placeBy, closesAt, limits, intended, columns, allowUnresolved, confirm } = this.#bid;
    const bid = { intended, columns, placeBy: this.#placeBy(), allowUnresolved, confirm };
    const callContext = { ...context, idempotencyKey: key };
    const work = new RecordedCall(recording, { call, key, context: callContext, bid, mayResend });
    const maxAttempts = Math.max(1, limits.maxAttempts - this.#made);
    let ended: Awaited<ReturnType<RecordedCall['run']>>;
    try {
      ended = await work.run(
        pipeline,
        { ...left(this.#means), maxAttempts },
        {
          turn: { closesAt: placeBy ?? closesAt, buyer: columns.buyer },
          journal: this.#brake.guard(work),
          unsent: (failure) => (this.#brake.isHalted ? unsentByHalt : unsentBy(failure)),
        },
      );
    } finally {
      this.#made += work.made;
    }
    const failure = 'failure' in ended ? ended.failure : undefined;
    if (failure !== undefined && !(failure instanceof VehicleAuctionError)) throw failure;
    if (failure instanceof InDoubtError && failure.reason === 'unresolved_bid' && !this.#hasCleared) {
      this.#hasCleared = true;
      if (await this.#clearReady(failure)) return this.#send(mayResend);
    }
    const { intent } = work;
    if (intent === undefined || isOfTheCall(failure)) throw stoppedBy(failure) ?? failure;
    return intent;
  }

  /** The same bytes once more, where the lot is still open and nothing speaks against it. */
  async #resend(intent: Intent): Promise<boolean> {
    const { ledger } = this.#parts.recording;
    const { status, key, content } = intent;
    const results = content.log.flatMap((event) => (event.type === 'result' ? [event.effect] : []));
    // What was just turned away would be turned away again, and what was rejected is never sent again.
    const last = results.at(-1);
    const wasTurnedAway = last === 'refused' || last === 'uncoded' || results.includes('rejected');
    if (wasTurnedAway || status.closed || this.#made >= this.#bid.limits.maxAttempts) return false;
    if (ledger.now() >= status.sendableUntil || this.#means.sources.signal?.aborted === true) return false;
    const bid = content.bid;
    if (bid === undefined) return false;
    const after = await ledger.add(key, await readLot(this.#parts, bid.lot, left(this.#means)));
    if (after === undefined || after.status.closed || after.status.state !== 'sent') return false;
    const before = this.#made;
    await this.#send(true);
    // Where it was held back, the same would be tried without end.
    return this.#made > before;
  }

  /** Settles what a dead process left recorded and unsent on this lot; false where more than that is in the way. */
  async #clearReady({ unresolved }: InDoubtError): Promise<boolean> {
    const { ledger } = this.#parts.recording;
    const { options, sources } = this.#means;
    const means = { options, sources, maxLookups: 1 };
    for (const { idempotencyKey } of unresolved) {
      const intent = await ledger.read(idempotencyKey);
      if (intent?.status.state !== 'ready') return false;
      await settleReady(this.#parts, intent, means);
    }
    return true;
  }

  /** A deadline is on every bid: the one that was given, or the earlier of the known close and two minutes. */
  #placeBy(): number {
    const { ledger } = this.#parts.recording;
    const { placeBy, closesAt } = this.#bid;
    const soon = ledger.now() + PLACE_WITHIN_MS;
    // Closes move: one that has passed only shows that the record is old.
    return placeBy ?? (closesAt === undefined || closesAt <= ledger.now() ? soon : Math.min(closesAt, soon));
  }
}

/**
 * Stops one bid: at once where the call is aborted; where its batch is halted, only before the first byte and between
 * attempts, so that what is on the wire is awaited.
 */
class Brake {
  /** Fires when no part of the bid is waited for any longer. */
  readonly signal: AbortSignal | undefined;
  readonly release: () => void;
  readonly #controller = new AbortController();
  readonly #halt: AbortSignal | undefined;
  #onWire = false;

  /** @param own the signal of a single bid; those of a batch have only its halt */
  constructor(own: AbortSignal | undefined, halt: AbortSignal | undefined) {
    this.#halt = halt;
    this.signal = halt === undefined ? own : this.#controller.signal;
    this.release = halt === undefined ? () => undefined : follow(halt, () => this.#stopUnlessOnWire());
    if (this.isHalted) this.#stopUnlessOnWire();
  }

  get isHalted(): boolean {
    return this.#halt?.aborted === true;
  }

  /** Knows from the record of an attempt when it is on the wire. */
  guard(work: CallJournal): CallJournal {
    if (this.#halt === undefined) return work;
    return {
      begin: (body, signal) => work.begin(body, signal),
      departing: async (attempt) => {
        const answer = await work.departing(attempt);
        this.#onWire = answer.kind === 'go';
        return answer;
      },
      arrived: async (report) => {
        const isUnsent = this.isHalted && report.effect === 'not_sent' && report.stop !== undefined;
        try {
          return await work.arrived(
            isUnsent ? { ...report, stop: 'aborted', why: unsentByHalt.why } : report,
          );
        } finally {
          this.#onWire = false;
          if (this.isHalted) this.#stopUnlessOnWire();
        }
      },
      // Asked once more right before the first byte, also after a connection had to be made.
      msToDepart: () => (this.isHalted ? 0 : work.msToDepart()),
    };
  }

  #stopUnlessOnWire(): void {
    if (!this.#onWire) this.#controller.abort(this.#halt?.reason);
  }
}

const unsentByHalt = { reason: 'aborted', why: 'the batch was stopped before it could be sent' } as const;

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
  if (failure instanceof AbortedError) return new Stopped('aborted', failure.cause);
  return failure instanceof TimeoutError ? new Stopped('deadline') : undefined;
}

function sha256Of({ body }: PreparedBid['call']): string | undefined {
  return body === undefined || 'pending' in body ? undefined : body.sha256;
}
