import { formats, keyAsSent } from '../api/formats.js';
import type { Pipeline } from '../core/call.js';
import { defaultLimits, limitsFor } from '../core/caller.js';
import { VehicleAuctionError } from '../errors/base.js';
import { InvalidRequestError } from '../errors/local.js';
import { integration } from '../generated/integration.js';
import type { BaseOptions } from '../ports/caller.js';
import { Slots } from '../runtime/slots.js';
import { LinkedSignal } from '../runtime/timers.js';
import { type IntentState, isOpen } from '../store/intents.js';
import { serverTimeFor } from './caller.js';
import { type IntentEvent, isForeign, namesOf, type ResultEvent } from './content.js';
import type { Intent, Ledger } from './ledger.js';
import type { Recording } from './recorded-call.js';

/** What `recover` takes: limits for the calls of each intent, and how far it may go. */
export interface RecoverOptions extends BaseOptions {
  /**
   * Also sends again what is unknown, with the same bytes under the same key: a command while the service is sure to
   * remember its key. Defaults to false. Bids are only ever looked up.
   */
  readonly resend?: boolean | undefined;
  /**
   * Declares that the store was restored from a backup: what is `ready` or `sent` in it may have been sent since, so it is
   * in doubt from now on and is never resent. Declare it once, before anything else is done on the store.
   */
  readonly restored?: boolean | undefined;
  /**
   * Ends this call after so many ms. What is not settled by then is returned as it is on record, with its next step; the next
   * `recover()` goes on with it. Without it, all is looked up, however long the quota needs for that.
   */
  readonly within?: number | undefined;
}

/** Which intents to list. */
export interface ListOptions {
  /** `unresolved` (default): open, or settled provisionally; `all`. Ignored with `settledAfter`. */
  readonly which?: 'unresolved' | 'all' | undefined;
  /** Only intents that were inserted after this position. */
  readonly after?: number | undefined;
  /**
   * Reads settlements in their order, above this `settledSequence`; begin with 0. Whatever any process settles appears
   * here, also what a killed one settled.
   */
  readonly settledAfter?: number | undefined;
  /** How many, 1 to 1000; defaults to 100. */
  readonly limit?: number | undefined;
}

/** An intent in brief. Times are Unix ms in server time. */
export interface IntentSummary {
  readonly idempotencyKey: string;
  /** Operation id, such as `bids.submit` or `A36`. */
  readonly operation: string;
  /** The method, such as `bids.submit` or `paymentReports.create`. */
  readonly call: string;
  /** Where it is sent, such as `/api/v1/sale-cases/sal_1/acknowledgments`. */
  readonly path: string;
  readonly state: IntentState;
  /** Settled for now: a later lookup may still find something else. */
  readonly provisional: boolean;
  /** Recorded under another origin or client id: only that client can settle it. */
  readonly foreign: boolean;
  readonly createdAt: number;
  readonly attempts: number;
  /** Position in the order of inserts, for `after`. */
  readonly position: number;
  /** Position in the order of settlements, for `settledAfter`; absent while it is open. */
  readonly settledSequence?: number;
  /** Of a bid: public lot id, INR decimal string, the platform's buyer, and until when it may be sent. */
  readonly lot?: string;
  readonly amount?: string;
  readonly bidderReference?: string;
  readonly placeBy?: number;
  /** The service's id of a bid that it judged, where it is known. */
  readonly bidId?: string;
}

/** Everything on record about one intent, as data. */
export interface IntentExplanation extends IntentSummary {
  /** What is known, in a sentence. */
  readonly what: string;
  /** What to do next, as a sentence. */
  readonly nextStep: string;
  /** Everything that happened, the oldest first. */
  readonly timeline: readonly TimelineEntry[];
}

export interface TimelineEntry {
  /** Unix ms in server time. */
  readonly at: number;
  readonly type: IntentEvent['type'];
  /** In a few words. */
  readonly what: string;
}

/** The outcome of an intent, in words. */
interface OutcomeInWords {
  readonly what: string;
  readonly nextStep: string;
}

/** What intents need of the client around them. */
export interface IntentsParts<Outcome extends OutcomeInWords> {
  readonly recording: Recording;
  readonly pipeline: Pipeline;
  readonly deadlineMs: number;
  /** What became of an intent as it is on record. */
  outcomeOf(intent: Intent): Outcome;
  /** Settles an unresolved intent as far as that can be done; `force` looks at least once. */
  settle(
    intent: Intent,
    options: BaseOptions,
    how: { readonly resend: boolean; readonly force: boolean; readonly slots?: Slots },
  ): Promise<Outcome>;
  /** What the service has under a key that the store doesn't know. */
  lookUpOnly(key: string, options: BaseOptions): Promise<Outcome>;
  during<T>(call: string, work: () => Promise<T>): Promise<T>;
}

/** Every bid and command on record. */
export class Intents<Outcome extends OutcomeInWords> {
  readonly #parts: IntentsParts<Outcome>;

  /** @internal */
  constructor(parts: IntentsParts<Outcome>) {
    this.#parts = parts;
  }

  /**
   * Reads one intent.
   *
   * @param key Its idempotency key.
   * @returns undefined where the store has none under this key.
   * @throws StoreError where the store can't be read.
   */
  async get(key: string): Promise<IntentSummary | undefined> {
    const intent = await this.#read(key, 'intents.get');
    return intent === undefined ? undefined : this.#summaryOf(intent);
  }

  /**
   * Lists intents of this account: the unresolved ones, all, or settlements in their order.
   *
   * @throws StoreError where the store can't be read.
   */
  list(options: ListOptions = {}): Promise<readonly IntentSummary[]> {
    const { which = 'unresolved', after = 0, settledAfter, limit = 100 } = checkedList(options);
    const { ledger } = this.#parts.recording;
    return this.#parts.during('intents.list', async () => {
      const found =
        settledAfter === undefined
          ? await ledger.list({ which, after, limit })
          : await ledger.settledAfter(settledAfter, limit);
      return found.map((intent) => this.#summaryOf(intent));
    });
  }

  /**
   * Explains one intent: its attempts, their results, lookups, and what to do next.
   *
   * @throws InvalidRequestError where the store has no intent under this key.
   */
  async explain(key: string): Promise<IntentExplanation> {
    const intent = await this.#read(key, 'intents.explain');
    if (intent === undefined) throw unknownKey('intents.explain', this.#ledger);
    const { what, nextStep } = this.#parts.outcomeOf(intent);
    const timeline = intent.content.log.map((event) => ({
      at: event.at,
      type: event.type,
      what: wordsOf(event),
    }));
    return { ...this.#summaryOf(intent), what, nextStep, timeline };
  }

  /**
   * Looks up a bid, and never sends anything. It always looks where the recorded outcome rests on less than
   * the service's own record of the key. For a command, it returns what is on record.
   *
   * @param key Its idempotency key.
   */
  reconcile(key: string, options: BaseOptions = {}): Promise<Outcome> {
    return this.#parts.during('intents.reconcile', async () => {
      const known = checkedKey(key, 'intents.reconcile');
      checkLimits(options, 'intents.reconcile');
      await this.#serverTime(options, 'intents.reconcile', false);
      const intent = await this.#ledger.read(known);
      if (intent === undefined) return this.#parts.lookUpOnly(known, options);
      return this.#parts.settle(intent, options, { resend: false, force: true });
    });
  }

  /**
   * Abandons an unresolved intent. It is no longer followed, and stays on record.
   *
   * @param reason Why, for the record.
   * @throws InvalidRequestError where the store has no unresolved intent under this key.
   */
  abandon(key: string, reason: string): Promise<Outcome> {
    const call = 'intents.abandon';
    return this.#parts.during(call, async () => {
      const why = typeof reason === 'string' ? reason.trim() : '';
      if (why === '') throw invalid('reason', 'must say why, for the record', call);
      const after = await this.#ledger.change(checkedKey(key, call), ({ status }) => {
        if (!isOpen(status.state)) {
          throw invalid('key', `must be that of an unresolved intent; this one is ${status.state}`, call);
        }
        return { events: [{ type: 'abandoned', at: this.#ledger.now(), why }] };
      });
      if (after === undefined) throw unknownKey(call, this.#ledger);
      return this.#parts.outcomeOf(after);
    });
  }

  /** @internal Settles what was left unresolved; see `recover` of the clients. */
  recover(options: RecoverOptions = {}): Promise<readonly Outcome[]> {
    const { resend = false, restored = false, within, ...limits } = options;
    const { recording, during } = this.#parts;
    return during('recover', async () => {
      checkRecovery({ resend, restored }, within, limits);
      const unresolved: Unresolved[] = [];
      for await (const { key, status } of this.#ledger.unresolved()) {
        unresolved.push({ key, keyExpiresAt: status.keyExpiresAt });
      }
      if (unresolved.length === 0) return [];
      const ending = new LinkedSignal(limits.signal);
      const cancel = within === undefined ? undefined : recording.clock.after(within, () => ending.fire());
      try {
        await this.#serverTime(limits, 'recover', resend);
        if (restored) await this.#declareRestored(unresolved);
        return await this.#recoverAll(unresolved, { ...limits, signal: ending.signal }, resend);
      } finally {
        cancel?.();
        ending.release();
      }
    });
  }

  /** Settles all at once, those first whose keys the service forgets first. One that fails stops no other. */
  async #recoverAll(
    unresolved: readonly Unresolved[],
    limits: BaseOptions,
    resend: boolean,
  ): Promise<readonly Outcome[]> {
    const slots = new Slots(RECOVERED_AT_ONCE);
    const outcomes = new Map<string, Outcome>();
    const failures: unknown[] = [];
    const soonest = [...unresolved].sort((one, other) => one.keyExpiresAt - other.keyExpiresAt);
    const all = soonest.map(async ({ key }) => {
      try {
        const outcome = await this.#recoverOne(key, limits, { resend, slots });
        if (outcome !== undefined) outcomes.set(key, outcome);
      } catch (error) {
        failures.push(error);
      }
    });
    await Promise.all(all);
    if (failures.length > 0) throw failures[0];
    return unresolved.flatMap(({ key }) => outcomes.get(key) ?? []);
  }

  async #recoverOne(
    key: string,
    limits: BaseOptions,
    how: { readonly resend: boolean; readonly slots: Slots },
  ): Promise<Outcome | undefined> {
    const { recording, settle, outcomeOf } = this.#parts;
    const intent = await how.slots.run(() => this.#ledger.read(key));
    if (intent === undefined) return undefined;
    const isOver = recording.closing().unsent?.aborted === true || limits.signal?.aborted === true;
    if (isOver) return outcomeOf(intent);
    try {
      return await settle(intent, limits, { ...how, force: false });
    } catch (error) {
      if (!(error instanceof VehicleAuctionError)) throw error;
      recording.log.warn('An intent could not be settled; recover again', () => ({
        idempotencyKey: key,
        error: error.name,
      }));
      return outcomeOf(intent);
    }
  }

  async #declareRestored(unresolved: readonly Unresolved[]): Promise<void> {
    const at = this.#ledger.now();
    for (const { key } of unresolved) {
      await this.#ledger.change(key, ({ status }) =>
        isOpen(status.state) && !status.restored ? { events: [{ type: 'restored', at }] } : undefined,
      );
    }
  }

  #serverTime(options: BaseOptions, call: string, forWrites: boolean): Promise<void> {
    const { pipeline, recording, deadlineMs } = this.#parts;
    return serverTimeFor(
      pipeline,
      recording,
      { ...options, deadlineMs },
      { call, operation: call },
      forWrites,
    );
  }

  #read(key: string, call: string): Promise<Intent | undefined> {
    return this.#parts.during(call, () => this.#ledger.read(checkedKey(key, call)));
  }

  get #ledger(): Ledger {
    return this.#parts.recording.ledger;
  }

  #summaryOf({ key, row, content, status }: Intent): IntentSummary {
    const { recording } = this.#parts;
    const { bid, log } = content;
    const { bidderReference } = bid ?? {};
    return {
      idempotencyKey: key,
      ...namesOf(content),
      state: status.state,
      provisional: status.provisional,
      foreign: isForeign(content, recording),
      createdAt: log[0]?.at ?? 0,
      attempts: status.attempts,
      position: row.id,
      ...(row.settledSequence !== undefined && { settledSequence: row.settledSequence }),
      ...(bid !== undefined && { lot: bid.lot, amount: bid.amount }),
      ...(bidderReference !== undefined && { bidderReference }),
      ...(status.placeBy !== undefined && { placeBy: status.placeBy }),
      ...(status.verdict?.event.bidId !== undefined && { bidId: status.verdict.event.bidId }),
    };
  }
}

function checkedList(options: ListOptions): ListOptions {
  const issues = [];
  const { which, after, settledAfter, limit } = options;
  if (which !== undefined && which !== 'unresolved' && which !== 'all') {
    issues.push({ path: 'which', message: 'must be "unresolved" or "all"' });
  }
  for (const [path, value] of Object.entries({ after, settledAfter })) {
    if (value !== undefined && !(Number.isInteger(value) && value >= 0)) {
      issues.push({ path, message: 'must be a whole number from 0' });
    }
  }
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 1 && limit <= 1000)) {
    issues.push({ path: 'limit', message: 'must be a whole number from 1 to 1000' });
  }
  if (issues.length === 0) return options;
  throw new InvalidRequestError(issues, { call: 'intents.list', operation: 'intents.list' });
}

/** Before anything is recorded: a lookup that can't be made must not be on record as one that failed. */
function checkLimits(options: BaseOptions, call: string): void {
  try {
    limitsFor(defaultLimits, options, integration.profile);
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    throw new InvalidRequestError(error.issues, { call, operation: call });
  }
}

/** Before anything is recorded: `restored` would mark every open intent. */
interface Unresolved {
  readonly key: string;
  /** Unix ms in server time. */
  readonly keyExpiresAt: number;
}

/** Intents that `recover` works on at once; those that wait for their second look do not count. */
const RECOVERED_AT_ONCE = 32;

function checkRecovery(
  switches: Readonly<Record<string, unknown>>,
  within: unknown,
  limits: BaseOptions,
): void {
  const issues = Object.entries(switches).flatMap(([path, value]) =>
    typeof value === 'boolean' ? [] : [{ path: `options.${path}`, message: 'must be true or false' }],
  );
  if (within !== undefined && !(Number.isFinite(within) && Number(within) > 0)) {
    issues.push({ path: 'options.within', message: 'must be a positive number of milliseconds' });
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, { call: 'recover', operation: 'recover' });
  checkLimits(limits, 'recover');
}

function checkedKey(key: string, call: string): string {
  if (formats.uuid(key) === undefined) return String(keyAsSent(key));
  throw invalid('key', 'must be an idempotency key (UUID)', call);
}

function unknownKey(call: string, { store }: Ledger): InvalidRequestError {
  return invalid('key', `must be one that the store (${store.name}) knows`, call);
}

function invalid(path: string, message: string, call: string): InvalidRequestError {
  return new InvalidRequestError([{ path, message }], { call, operation: call });
}

function replayNote({ replayed }: ResultEvent): string {
  return replayed === true ? ', answered from its record of the key' : '';
}

function clockNote({ clockOffMs }: ResultEvent): string {
  if (clockOffMs === undefined) return '';
  const seconds = Math.round(Math.abs(clockOffMs) / 1_000);
  return `, the local clock is ${seconds} s ${clockOffMs > 0 ? 'behind' : 'ahead of'} server time`;
}

/** One event in a few words. */
function wordsOf(event: IntentEvent): string {
  switch (event.type) {
    case 'placed':
      return event.placeBy === undefined
        ? 'recorded'
        : `recorded; may be sent until ${new Date(event.placeBy).toISOString()}`;
    case 'attempt':
      return `attempt ${event.n}, signed with key ${event.keyId}`;
    case 'result':
      return `attempt ${event.n}: ${event.effect} (${event.why})${replayNote(event)}${clockNote(event)}`;
    case 'lookup':
      return `lookup (A06): ${event.found}${event.why === undefined ? '' : ` (${event.why})`}`;
    case 'clock_corrected':
      return `server time corrected by ${event.byMs} ms; may be sent until ${new Date(event.placeBy).toISOString()}`;
    case 'confirm':
      return 'every verdict is to be confirmed by a lookup';
    case 'voided':
      return `another key (${event.otherKey}) got a verdict with the same ids, so neither is believed before a lookup`;
    case 'bid_read':
      return `bid read (A05): ${event.found}${event.why === undefined ? '' : ` (${event.why})`}`;
    case 'target_read': {
      const { noun, version, expected } = event;
      return `${noun} read: ${version === undefined ? 'not found' : `version ${version}`}, expected version ${expected}`;
    }
    case 'lot_read':
      return `lot read (A10): ${event.closed ? 'closed' : 'open'}`;
    case 'cancellation':
      return 'its cancellation (A07) was requested';
    case 'unsent':
      return `not sent: ${event.why}`;
    case 'stuck':
      return `needs manual resolution: ${event.why}`;
    case 'abandoned':
      return `abandoned: ${event.why}`;
    case 'expired':
      return 'the service may have forgotten the key, so the refusal counts as final';
    case 'restored':
      return 'the store was restored from a backup';
  }
}
