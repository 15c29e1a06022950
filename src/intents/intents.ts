import { formats, keyAsSent } from '../api/formats.js';
import type { Pipeline } from '../core/call.js';
import { defaultLimits, limitsFor } from '../core/caller.js';
import { VehicleAuctionError } from '../errors/base.js';
import { TimeoutError } from '../errors/connection.js';
import { InvalidRequestError } from '../errors/local.js';
import { integration } from '../generated/integration.js';
import type { BaseOptions } from '../ports/caller.js';
import type { CursorPager } from '../ports/list.js';
import { checkMethodOptions, type KnownOptions } from '../runtime/injected.js';
import { Slots } from '../runtime/slots.js';
import { LinkedSignal } from '../runtime/timers.js';
import { type IntentState, isOpen } from '../store/intents.js';
import { holderOf, isFree } from '../store/owner.js';
import { serverTimeFor } from './caller.js';
import { callNames, type IntentEvent, isForeign, isOwn } from './content.js';
import { ABSENCE_GAP_MS } from './facts.js';
import { IntentList } from './intent-list.js';
import type { Intent, Ledger } from './ledger.js';
import type { Recording } from './recording.js';
import { wordsOf } from './timeline.js';

/** Options of `recover`: limits for the calls of each intent, and for the whole run. */
export interface RecoverOptions extends BaseOptions {
  /**
   * Also sends unknown commands again, with the same bytes under the same key, while the service is sure to remember
   * the key. Defaults to false. Bids are only looked up.
   */
  readonly resend?: boolean | undefined;
  /**
   * Declares that the store was restored from a backup. Its `ready` and `sent` intents may have been sent since, so
   * they are in doubt from now on and are never resent. Declare it once, before any other use of the store.
   */
  readonly restored?: boolean | undefined;
  /**
   * Time limit of this call, ms. Intents that are not settled by then are returned as they are on record, with their
   * next step; the next `recover()` continues with them. Without a limit, all are looked up, however long the quota
   * takes.
   */
  readonly within?: number | undefined;
}

/** Which intents to list. */
export interface ListOptions {
  /**
   * `unresolved` (default): open, or settled provisionally, also those that this client recorded under another account
   * label; `all`: everything under this label. Ignored with `settledAfter`.
   */
  readonly which?: 'unresolved' | 'all' | undefined;
  /** Only intents that were inserted after this position. */
  readonly after?: number | undefined;
  /**
   * Reads settlements in their order, above this `settledSequence`; begin with 0. Settlements of all processes appear
   * here, including those of killed ones.
   */
  readonly settledAfter?: number | undefined;
  /** Intents per page, 1 to 1000; defaults to 100. The list goes on until its end. */
  readonly limit?: number | undefined;
}

/** An intent in brief. Times are Unix ms in server time. */
export interface IntentSummary {
  readonly idempotencyKey: string;
  /** Operation id, such as `bids.submit` or `A36`. */
  readonly operation: string;
  /** The method, such as `bids.submit` or `paymentReports.create`. */
  readonly call: string;
  /** Request path, such as `/api/v1/sale-cases/sal_1/acknowledgments`. */
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
  /** The service's id of a bid that it judged, if it is known. */
  readonly bidId?: string;
  /**
   * Environment and `account` label that recorded it, such as `production/bank-2`; absent if they are this client's.
   */
  readonly account?: string;
}

/** Everything on record about one intent, as data. */
export interface IntentExplanation extends IntentSummary {
  /** What is known, in a sentence. */
  readonly what: string;
  /** What to do next, as a sentence. */
  readonly nextStep: string;
  /** Time from which `recover()` can settle it, Unix ms in server time; absent if it can at any time, or never. */
  readonly recoverFrom?: number;
  /** Process that may send a `ready` intent or waits for the reply to a `sent` one, such as `pid 4711 on host-1`; absent once it has ended. */
  readonly heldBy?: string;
  /** All events, oldest first. */
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
  readonly account?: string;
}

/** Dependencies of intents on the client. */
export interface IntentsParts<Outcome extends OutcomeInWords> {
  readonly recording: Recording;
  readonly pipeline: Pipeline;
  readonly deadlineMs: number;
  /** The outcome of an intent as it is on record. */
  outcomeOf(intent: Intent): Outcome;
  /** Settles an unresolved intent as far as possible; `force` looks it up at least once. */
  settle(
    intent: Intent,
    options: BaseOptions,
    how: { readonly resend: boolean; readonly force: boolean; readonly slots?: Slots },
  ): Promise<Outcome>;
  /** Looks up a key that the store doesn't have. */
  lookUpOnly(key: string, options: BaseOptions): Promise<Outcome>;
  during<T>(call: string, work: () => Promise<T>): Promise<T>;
  /** The same for intents that this client recorded under another account label or environment. */
  inAccount(account: string): IntentsParts<Outcome>;
}

/** Every bid and command on record. */
export class Intents<Outcome extends OutcomeInWords> {
  readonly #parts: IntentsParts<Outcome>;
  /** Set for the intents of another account. */
  readonly #account: string | undefined;

  /** @internal */
  constructor(parts: IntentsParts<Outcome>, account?: string) {
    this.#parts = parts;
    this.#account = account;
  }

  /**
   * Reads one intent.
   *
   * @param key Its idempotency key.
   * @returns undefined if the store has none under this key.
   * @throws StoreError if the store can't be read.
   */
  async get(key: string): Promise<IntentSummary | undefined> {
    const found = await this.#find(key, 'intents.get');
    return found === undefined ? undefined : found.home.#summaryOf(found.intent);
  }

  /**
   * Lists intents: the unresolved ones, all, or settlements in their order. Nothing is read before you iterate.
   *
   * @throws InvalidRequestError for options that can't work.
   * @throws StoreError while you iterate, if the store can't be read; its `reason` is `corrupt` for a damaged row.
   */
  list(options: ListOptions = {}): CursorPager<IntentSummary> {
    const { which = 'unresolved', after = 0, settledAfter, limit = 100 } = checkedList(options);
    const { during } = this.#parts;
    return new IntentList({
      limit,
      pageAfter: (position) =>
        during('intents.list', async () => {
          const found =
            settledAfter === undefined
              ? await this.#ledger.list({ which, after: position ?? after, limit })
              : await this.#ledger.settledAfter(position ?? settledAfter, limit);
          return found.map((intent) => this.#summaryOf(intent));
        }),
      positionOf: ({ position, settledSequence = 0 }) =>
        settledAfter === undefined ? position : settledSequence,
      elsewhere: () =>
        settledAfter === undefined && which === 'unresolved'
          ? during('intents.list', () => this.#unresolvedElsewhere())
          : Promise.resolve([]),
    });
  }

  async #unresolvedElsewhere(): Promise<readonly IntentSummary[]> {
    const found = [];
    for (const home of await this.#elsewhere()) {
      const { recording } = home.#parts;
      for await (const intent of home.#ledger.unresolved(throwIt)) {
        if (isOwn(intent.content, recording)) found.push(home.#summaryOf(intent));
      }
    }
    return found;
  }

  /**
   * Explains one intent: its attempts, their results, lookups, and what to do next.
   *
   * @throws InvalidRequestError if the store has no intent under this key.
   */
  async explain(key: string): Promise<IntentExplanation> {
    const found = await this.#find(key, 'intents.explain');
    if (found === undefined) throw unknownKey('intents.explain', this.#ledger);
    const { intent, home } = found;
    const { what, nextStep } = home.#outcomeOf(intent);
    const timeline = intent.content.log.map((event) => ({
      at: event.at,
      type: event.type,
      what: wordsOf(event),
    }));
    const recoverFrom = recoverFromOf(intent);
    const heldBy = isFree(intent.row, this.#ledger.store) ? undefined : holderOf(intent.row.owner);
    return {
      ...home.#summaryOf(intent),
      what,
      nextStep,
      ...(recoverFrom !== undefined && { recoverFrom }),
      ...(heldBy !== undefined && { heldBy }),
      timeline,
    };
  }

  /**
   * Looks up a bid, and never sends anything. It always looks up an outcome that rests on less than the service's own
   * record of the key. For a command, it returns what is on record.
   *
   * @param key Its idempotency key.
   */
  reconcile(key: string, options: BaseOptions = {}): Promise<Outcome> {
    return this.#parts.during('intents.reconcile', async () => {
      const known = checkedKey(key, 'intents.reconcile');
      checkLimits(options, 'intents.reconcile');
      await this.#serverTime(options, 'intents.reconcile', false);
      const found = await this.#find(known, 'intents.reconcile');
      if (found === undefined) return this.#parts.lookUpOnly(known, options);
      const { home, intent } = found;
      return home.#labelled(await home.#parts.settle(intent, options, { resend: false, force: true }));
    });
  }

  /**
   * Abandons an unresolved intent, or one whose row in the store is damaged. It is no longer followed, and stays on record.
   *
   * @param reason Why, for the record.
   * @throws InvalidRequestError if the store has no unresolved intent under this key.
   */
  abandon(key: string, reason: string): Promise<Outcome> {
    const call = 'intents.abandon';
    return this.#parts.during(call, async () => {
      const why = typeof reason === 'string' ? reason.trim() : '';
      if (why === '') throw invalidInput('reason', 'must say why, for the record', call);
      const { recording } = this.#parts;
      const damaged = await this.#ledger.abandonDamaged(checkedKey(key, call), why, recording.identity());
      if (damaged !== undefined) return this.#outcomeOf(damaged);
      const found = await this.#find(key, call);
      if (found === undefined) throw unknownKey(call, this.#ledger);
      const { home, intent } = found;
      const after = await home.#ledger.change(intent.key, ({ status }) => {
        if (!isOpen(status.state)) {
          throw invalidInput('key', `must belong to an unresolved intent; this one is ${status.state}`, call);
        }
        return { events: [{ type: 'abandoned', at: this.#ledger.now(), why }] };
      });
      return home.#outcomeOf(after ?? intent);
    });
  }

  /** @internal Settles unresolved intents; see `recover` of the clients. */
  recover(options: RecoverOptions = {}): Promise<readonly Outcome[]> {
    const { resend = false, restored = false, within, ...limits } = options;
    const { recording, during } = this.#parts;
    return during('recover', async () => {
      checkMethodOptions('recover', options, recoverOptions);
      checkRecovery({ resend, restored }, within, limits);
      const failures: unknown[] = [];
      const ending = new LinkedSignal(limits.signal);
      const cancel = within === undefined ? undefined : recording.clock.after(within, () => ending.fire());
      const isTimed = this.#timedWithin(within, limits);
      try {
        const unresolved = await this.#unresolved(isTimed, failures);
        if (unresolved.length === 0 && failures.length === 0) return [];
        // Without server time nothing is judged, so all is returned as it is on record. A restored backup must be declared.
        if (!(await isTimed(resend, restored))) ending.fire();
        if (restored) for (const { home, key } of unresolved) await home.#declareRestored(key);
        const outcomes = await recoverAll(unresolved, failures, (each, slots) =>
          each.home.#recoverOne(each.key, { ...limits, signal: ending.signal }, { resend, slots }),
        );
        if (failures.length > 0) throw failures[0];
        return outcomes;
      } finally {
        cancel?.();
        ending.release();
      }
    });
  }

  /** Ensures that server time is known; resolves to false if `within` ended that, unless `isNeeded`. */
  #timedWithin(within: number | undefined, limits: BaseOptions) {
    const { recording, deadlineMs } = this.#parts;
    const { deadline = deadlineMs } = limits;
    const end = recording.clock.monotonic() + (within ?? Number.POSITIVE_INFINITY);
    return async (forWrites: boolean, isNeeded = false): Promise<boolean> => {
      const left = Math.max(1, end - recording.clock.monotonic());
      try {
        await this.#serverTime({ ...limits, deadline: Math.min(deadline, left) }, 'recover', forWrites);
        return true;
      } catch (error) {
        const isOver = error instanceof TimeoutError && error.reason === 'deadline' && left <= deadline;
        if (!isOver || isNeeded) throw error;
        return false;
      }
    };
  }

  /** Unresolved intents of this client, under its label and under others. A damaged row does not stop the others. */
  async #unresolved(
    isTimed: (forWrites: boolean) => Promise<boolean>,
    failures: unknown[],
  ): Promise<readonly Unresolved<Outcome>[]> {
    const found: Unresolved<Outcome>[] = [];
    const { recording } = this.#parts;
    const add = async (
      home: Intents<Outcome>,
      isIncluded: (intent: Intent) => boolean | Promise<boolean>,
    ) => {
      for await (const intent of home.#ledger.unresolved((error) => failures.push(error))) {
        const { key, status } = intent;
        if (await isIncluded(intent)) found.push({ home, key, keyExpiresAt: status.keyExpiresAt });
      }
    };
    await add(this, () => true);
    for (const home of await this.#elsewhere()) {
      await add(home, async ({ content }) => {
        // The client id, which tells another bank's rows from this client's, comes with the credentials.
        if (recording.identity().clientId === '') await isTimed(false);
        return isOwn(content, recording);
      });
    }
    return found;
  }

  /** The intents of the other accounts on the store, of which some may be this client's. */
  async #elsewhere(): Promise<readonly Intents<Outcome>[]> {
    const accounts = await this.#ledger.within((tx) => tx.intents.otherAccounts());
    return accounts.map((account) => new Intents(this.#parts.inAccount(account), account));
  }

  async #recoverOne(
    key: string,
    limits: BaseOptions,
    how: { readonly resend: boolean; readonly slots: Slots },
  ): Promise<Outcome | undefined> {
    const { recording, settle } = this.#parts;
    const intent = await how.slots.run(() => this.#ledger.read(key));
    if (intent === undefined) return undefined;
    const isOver = recording.closing().unsent?.aborted === true || limits.signal?.aborted === true;
    if (isOver) return this.#outcomeOf(intent);
    try {
      return this.#labelled(await settle(intent, limits, { ...how, force: false }));
    } catch (error) {
      if (!(error instanceof VehicleAuctionError)) throw error;
      recording.log.warn('An intent could not be settled; recover again', () => ({
        idempotencyKey: key,
        error: error.name,
      }));
      return this.#outcomeOf(intent);
    }
  }

  async #declareRestored(key: string): Promise<void> {
    const at = this.#ledger.now();
    await this.#ledger.change(key, ({ status }) =>
      isOpen(status.state) && !status.restored ? { events: [{ type: 'restored', at }] } : undefined,
    );
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

  /** An intent of this client by its key, and where it is recorded: under its label, or under another. */
  #find(key: string, call: string): Promise<Found<Outcome> | undefined> {
    return this.#parts.during(call, async () => {
      const known = checkedKey(key, call);
      const intent = await this.#ledger.read(known);
      if (intent !== undefined) return { home: this, intent };
      for (const home of await this.#elsewhere()) {
        const other = await home.#ledger.read(known);
        if (other !== undefined && isOwn(other.content, this.#parts.recording))
          return { home, intent: other };
      }
      return undefined;
    });
  }

  #outcomeOf(intent: Intent): Outcome {
    return this.#labelled(this.#parts.outcomeOf(intent));
  }

  /** Adds the account to an outcome that another account recorded. */
  #labelled(outcome: Outcome): Outcome {
    const account = this.#account;
    if (account === undefined) return outcome;
    return { ...outcome, account, what: `${outcome.what} It is recorded under "${account}".` };
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
      ...callNames(content),
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
      ...(this.#account !== undefined && { account: this.#account }),
    };
  }
}

/** An absence proves something once no copy can arrive, and the version of a record once none can take effect. */
function recoverFromOf({ status }: Intent): number | undefined {
  const { state, provisional, lastLookup, copiesExpireAt = 0, versionProvesFrom = 0, absentSince } = status;
  if (versionProvesFrom > 0) return versionProvesFrom;
  const isAbsent = state === 'sent' && lastLookup?.found === 'absent';
  if (!isAbsent && !provisional) return undefined;
  // The second of the two absences, if the first was seen.
  return absentSince === undefined ? copiesExpireAt : absentSince + ABSENCE_GAP_MS;
}

const recoverOptions: KnownOptions<RecoverOptions> = {
  resend: true,
  restored: true,
  within: true,
  signal: true,
  timeout: true,
  deadline: true,
  maxAttempts: true,
  lane: true,
};

const listOptions: KnownOptions<ListOptions> = { which: true, after: true, settledAfter: true, limit: true };

function checkedList(options: ListOptions): ListOptions {
  const issues = [];
  checkMethodOptions('intents.list', options, listOptions, '');
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

/** Checked before anything is recorded: a lookup that can't be made must not be on record as one that failed. */
function checkLimits(options: BaseOptions, call: string): void {
  try {
    limitsFor(defaultLimits, options, integration.profile);
  } catch (error) {
    if (!(error instanceof InvalidRequestError)) throw error;
    throw new InvalidRequestError(error.issues, { call, operation: call });
  }
}

/** An intent, and the intents of the account that it is recorded in. */
interface Found<Outcome extends OutcomeInWords> {
  readonly home: Intents<Outcome>;
  readonly intent: Intent;
}

interface Unresolved<Outcome extends OutcomeInWords> {
  readonly home: Intents<Outcome>;
  readonly key: string;
  /** Unix ms in server time. */
  readonly keyExpiresAt: number;
}

/** Settles all at once, those first whose keys the service forgets first. One that fails does not stop the others. */
async function recoverAll<Outcome extends OutcomeInWords>(
  unresolved: readonly Unresolved<Outcome>[],
  failures: unknown[],
  recoverOne: (each: Unresolved<Outcome>, slots: Slots) => Promise<Outcome | undefined>,
): Promise<readonly Outcome[]> {
  const slots = new Slots(RECOVERED_AT_ONCE);
  const outcomes = new Map<Unresolved<Outcome>, Outcome>();
  const soonest = [...unresolved].sort((one, other) => one.keyExpiresAt - other.keyExpiresAt);
  const all = soonest.map(async (each) => {
    try {
      const outcome = await recoverOne(each, slots);
      if (outcome !== undefined) outcomes.set(each, outcome);
    } catch (error) {
      failures.push(error);
    }
  });
  await Promise.all(all);
  return unresolved.flatMap((each) => outcomes.get(each) ?? []);
}

function throwIt(error: unknown): never {
  throw error;
}

/** Intents that `recover` works on at once; those that wait for their second lookup do not count. */
const RECOVERED_AT_ONCE = 32;

/** Checked before anything is recorded, because `restored` marks every open intent. */
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
  throw invalidInput('key', 'must be an idempotency key (UUID)', call);
}

function unknownKey(call: string, { store }: Ledger): InvalidRequestError {
  return invalidInput('key', `must be one that the store (${store.name}) knows`, call);
}

function invalidInput(path: string, message: string, call: string): InvalidRequestError {
  return new InvalidRequestError([{ path, message }], { call, operation: call });
}
