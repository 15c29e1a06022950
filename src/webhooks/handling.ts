import { AbortedError } from '../errors/connection.js';
import { ConfigurationError } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import { isError } from '../errors/thrown.js';
import type { Clock } from '../ports/clock.js';
import { type EventFacts, type Observation, observing } from '../runtime/observe.js';
import { LinkedSignal, sleep, withTimeout } from '../runtime/timers.js';
import { ask } from '../runtime/user-code.js';
import { Owner } from '../store/owner.js';
import type { SqlRow, SqlValue } from '../store/sql-driver.js';
import { type Store, type StoreTransaction, transact } from '../store/store.js';
import type { StoredWebhookEvent, WebhookEventTable, WebhookProgress } from '../store/tables.js';
import type { WebhookEvent } from './event.js';

/** Runs your SQL in the transaction that marks the event handled. Values are `$1`, `$2` and so on. */
export type OwnQuery = (sql: string, values?: readonly SqlValue[]) => Promise<readonly SqlRow[]>;

/** Context that a handler gets with the event. */
export interface HandlerContext {
  /** Number of this attempt, from 1. Above 1, an earlier attempt failed or its process died. */
  readonly attempt: number;
  /** True if a newer version of the resource was received. Do not overwrite newer data with this event. */
  readonly stale: boolean;
  /** Source: a webhook delivery, or a winner update that you passed to `winnerUpdate`. */
  readonly source: 'webhook' | 'winner_update';
  /** Time of the first receipt, Unix ms. */
  readonly receivedAt: number;
  /**
   * Fires after `handlerTimeout`, or when the time of `close({ within })` is over. End your work then, because the next
   * attempt may begin.
   */
  readonly signal: AbortSignal;
  /**
   * Marks the event as handled and runs your SQL in the same transaction of the store. Without `commit`, the event is
   * marked after the handler has finished, and a crash in between runs the handler again.
   *
   * Await nothing else inside: the transaction holds a lock.
   *
   * @throws ConfigurationError if you pass `work` and the store has no SQL.
   * @throws StoreError if the transaction failed.
   */
  commit(work?: (query: OwnQuery) => Promise<unknown>): Promise<void>;
}

export type WebhookHandler<E> = (event: E, context: HandlerContext) => unknown;

/** A failure to handle a stored event. */
export type HandlingReport =
  /** The handler threw or exceeded `handlerTimeout`. The next attempt is at `nextAttemptAt` (Unix ms). */
  | (Failure & { readonly kind: 'failed'; readonly nextAttemptAt: number })
  /** All `maxAttempts` attempts failed. Fix the cause, then call `retry(id)`. */
  | (Failure & { readonly kind: 'failed_permanently' });

interface Failure {
  readonly eventId: string;
  readonly type: string;
  readonly attempt: number;
  readonly error: unknown;
}

export interface HandlingParts {
  readonly store: Store;
  /** Account of the store that holds the events. */
  readonly account: string;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly handler: (event: WebhookEvent) => WebhookHandler<WebhookEvent> | undefined;
  readonly eventOf: (row: StoredWebhookEvent) => WebhookEvent;
  readonly maxAttempts: number;
  readonly concurrency: number;
  /** Timeout of a handler, ms. */
  readonly handlerTimeoutMs: number;
  /** Interval between searches for events of ended processes, ms. */
  readonly sweepMs: number;
  /** Retention of the bodies of handled events, ms. */
  readonly retentionMs: number;
  /** Retention of handled events, ms. */
  readonly idRetentionMs: number;
  readonly report: (report: HandlingReport) => void;
  readonly onStoreError: (error: unknown) => void;
  readonly observation: Observation;
}

/** An event that this receiver owns. */
interface Taken {
  readonly row: StoredWebhookEvent;
  /** True if a newer version of its resource was received. */
  readonly stale: boolean;
}

const SHRINK_ROWS = 200;
const LONGEST_BACKOFF_MS = 600_000;
const HELD_MS = 1_000;
/** Due events that one round searches for a free resource, and the page size of that search. */
const [DUE_ROWS, DUE_PAGE] = [1_000, 50];

/**
 * Runs the handlers of stored events: in the order of arrival, one at a time for each resource, and again after a failure
 * or a crash. Each row names its owner, and its version prevents two processes from marking it.
 */
export class Handling {
  readonly #parts: HandlingParts;
  readonly #owner: Owner;
  /** Events with a running handler, by id. */
  readonly #active = new Map<string, Promise<void>>();
  /** The ids of `#active`, and of events that this receiver is taking. */
  readonly #taken = new Set<string>();
  #round: Promise<void> | undefined;
  #again = false;
  #cancelTimer: () => void = () => undefined;
  /** Fires when the time for running handlers is over. */
  readonly #ending = new LinkedSignal();
  #confirmed: { readonly now: number; readonly at: number } | undefined;
  #closed = false;

  constructor(parts: HandlingParts) {
    this.#parts = parts;
    const heartbeat = (owner: string) => this.#within((tx) => tx.webhookEvents.touchOwner(owner));
    this.#owner = new Owner({ process: parts.store.process, clock: parts.clock, heartbeat });
  }

  /** Records that a verified delivery confirmed the clock. Retention uses confirmed time only. */
  confirmTime(): void {
    const { clock } = this.#parts;
    this.#confirmed = { now: clock.now(), at: clock.monotonic() };
  }

  /** Handles the events that are due. */
  wake(): void {
    if (this.#closed) return;
    this.#again = true;
    this.#round ??= this.#rounds();
  }

  /** Resolves when nothing is due and no handler is running. */
  async idle(): Promise<void> {
    while (this.#round !== undefined || this.#active.size > 0) {
      await this.#round;
      await Promise.all(this.#active.values());
    }
  }

  /** Handles one event now. @returns true if it is handled */
  async handleNow(id: string): Promise<boolean> {
    if (!this.#active.has(id)) {
      const taken = await this.#take(id);
      if (taken !== undefined) this.#start(taken);
    }
    await this.#active.get(id);
    const row = await this.#within((tx) => tx.webhookEvents.get(id));
    return row?.state === 'handled';
  }

  /**
   * @param within time for running handlers to end, ms; then their signals fire
   * @param clock keeps the process alive meanwhile
   */
  async close(within: number, clock: Clock): Promise<void> {
    this.#closed = true;
    this.#cancelTimer();
    await withTimeout(clock, within, this.#ended(), () => undefined);
    this.#ending.fire();
    this.#owner.release();
  }

  async #ended(): Promise<void> {
    await this.#round;
    await Promise.all(this.#active.values());
  }

  async #rounds(): Promise<void> {
    this.#cancelTimer();
    let next = this.#parts.sweepMs;
    try {
      while (this.#again && !this.#closed) {
        this.#again = false;
        next = await this.#begin();
      }
    } catch (error) {
      this.#parts.onStoreError(error);
    }
    this.#round = undefined;
    if (this.#closed) return;
    if (this.#again) this.wake();
    else this.#cancelTimer = this.#parts.clock.after(next, () => this.wake());
  }

  /** Starts due events up to `concurrency`. @returns the delay until the next round, ms */
  async #begin(): Promise<number> {
    const { clock, sweepMs } = this.#parts;
    const now = clock.now();
    const confirmedNow =
      this.#confirmed &&
      Math.floor(Math.min(now, this.#confirmed.now + clock.monotonic() - this.#confirmed.at));
    const nextDue = await this.#within(async (tx) => {
      if (confirmedNow !== undefined) await this.#prune(tx.webhookEvents, confirmedNow);
      // No backoff is longer than this, so a later due time was set while the clock was ahead.
      await tx.webhookEvents.hasten(now + LONGEST_BACKOFF_MS, now);
      return tx.webhookEvents.nextDue();
    });
    // Another process handles some of them, or another event of their resource.
    if (await this.#startDue(now)) return Math.min(sweepMs, HELD_MS);
    const wait = nextDue === undefined || nextDue <= now ? sweepMs : nextDue - now;
    return Math.max(1, Math.min(sweepMs, wait));
  }

  async #prune(events: WebhookEventTable, now: number): Promise<void> {
    const { retentionMs, idRetentionMs } = this.#parts;
    if (idRetentionMs !== Number.POSITIVE_INFINITY) await events.prune(now - idRetentionMs, SHRINK_ROWS);
    await events.shrink(now - retentionMs, SHRINK_ROWS);
  }

  /** Starts the first due event of each resource, the oldest first. @returns true if others are blocked */
  async #startDue(now: number): Promise<boolean> {
    const busy = new Set<string>();
    let areHeld = false;
    for (let after = 0, seen = 0; seen < DUE_ROWS; seen += DUE_PAGE) {
      const page = await this.#within((tx) => tx.webhookEvents.due(now, DUE_PAGE, after));
      for (const row of page) {
        if (this.#active.size >= this.#parts.concurrency || this.#closed) return areHeld;
        const { id, resource, position } = row;
        after = position;
        const isOurs = this.#active.has(id);
        const isHeld = isOurs || !this.#isFree(row) || (resource !== undefined && busy.has(resource));
        if (resource !== undefined) busy.add(resource);
        const taken = isHeld ? undefined : await this.#take(id);
        if (taken !== undefined) this.#start(taken);
        else if (!isOurs) areHeld = true;
      }
      if (page.length < DUE_PAGE) break;
    }
    return areHeld;
  }

  #start({ row, stale }: Taken): void {
    if (this.#active.size === 0) this.#owner.begin();
    const facts: EventFacts = { type: row.type, eventId: row.id, attempt: row.attempts };
    const observed = { kind: 'event', name: 'webhooks.handle', facts } as const;
    const handling = () => this.#handle(row, stale, facts);
    const work = observing(this.#parts.observation, observed, handling).finally(() => {
      this.#active.delete(row.id);
      this.#taken.delete(row.id);
      if (this.#active.size === 0) this.#owner.rest();
      // The next event may have waited for this slot or this resource.
      this.wake();
    });
    this.#active.set(row.id, work);
  }

  /** Takes ownership of an event; undefined if it is not due, or if it or its resource has another owner. */
  async #take(id: string): Promise<Taken | undefined> {
    if (this.#taken.has(id)) return undefined;
    this.#taken.add(id);
    let taken: Taken | undefined;
    try {
      taken = await this.#saveOwner(id);
      return taken;
    } finally {
      if (taken === undefined) this.#taken.delete(id);
    }
  }

  #saveOwner(id: string): Promise<Taken | undefined> {
    const now = this.#parts.clock.now();
    return this.#within(async ({ webhookEvents }) => {
      const row = await webhookEvents.get(id);
      if (row?.state !== 'pending' || row.dueAt > now || !this.#owner.mayTake(row)) return undefined;
      const others = row.resource === undefined ? [] : await webhookEvents.owned(row.resource);
      if (others.some((other) => other.id !== id && !this.#isFree(other))) return undefined;
      const { state, attempts, dueAt, resource, resourceVersion } = row;
      const taken = { state, attempts: attempts + 1, dueAt, owner: this.#owner.id };
      await webhookEvents.update(id, row.version, taken);
      const newest = resource === undefined ? undefined : await webhookEvents.newestVersion(resource);
      const stale = resourceVersion !== undefined && newest !== undefined && newest > resourceVersion;
      const mine = await webhookEvents.get(id);
      return mine && { row: mine, stale };
    });
  }

  /** An event that this receiver owns but does not handle is free: the reply to the commit of its owner was lost. */
  #isFree(row: StoredWebhookEvent): boolean {
    return !this.#taken.has(row.id) && this.#owner.mayTake(row);
  }

  async #handle(row: StoredWebhookEvent, stale: boolean, facts: EventFacts): Promise<void> {
    const { report, maxAttempts, clock, handlerTimeoutMs: limit } = this.#parts;
    let isCommitted = false;
    const attempt = row.attempts;
    const asking = {
      name: `the handler of ${row.type}`,
      clock,
      limit,
      signal: this.#ending.signal,
      details: {
        outcome: 'unknown',
        nextStep: 'The event is retried: end the handler sooner, or raise handlerTimeout.',
      },
    } as const;
    const handle = async (event: WebhookEvent, signal: AbortSignal): Promise<void> => {
      const commit: HandlerContext['commit'] = async (work) => {
        // The SQL holds a lock of the store, so a hanging query would stop everything else.
        const inTime = work && ((query: OwnQuery) => ask(() => work(query), { ...asking, signal }));
        await this.#save(row, this.#handled(row), inTime);
        isCommitted = true;
      };
      const source = row.source === 'winner_update' ? 'winner_update' : 'webhook';
      const context = { attempt, stale, source, receivedAt: row.receivedAt, signal, commit } as const;
      await this.#parts.handler(event)?.(event, context);
    };
    try {
      const event = this.#parts.eventOf(row);
      await ask(({ signal }) => handle(event, signal), asking);
      if (!isCommitted) await this.#surely(row, this.#handled(row));
      facts.outcome = 'handled';
    } catch (error) {
      facts.outcome = isCommitted ? 'handled' : 'failed';
      const failure = { eventId: row.id, type: row.type, attempt, error };
      if (this.#ending.signal.aborted) {
        // The row is free once this receiver is closed.
        report({ ...failure, error: closedError(row.type), kind: 'failed', nextAttemptAt: clock.now() });
        return;
      }
      if (isCommitted) {
        // A failure after commit() does not undo it: the event is handled.
        report({ ...failure, kind: 'failed', nextAttemptAt: Number.POSITIVE_INFINITY });
        return;
      }
      const isOver = attempt >= maxAttempts;
      if (isOver) facts.outcome = 'failed_permanently';
      const dueAt = clock.now() + this.#backoff(attempt);
      const text = isError(error) ? `${error.name}: ${error.message}` : String(error);
      const progress = { attempts: attempt, dueAt, error: text.replaceAll('\0', '').slice(0, 500) } as const;
      await this.#surely(row, { ...progress, state: isOver ? 'failed_permanently' : 'pending' });
      report(
        isOver
          ? { ...failure, kind: 'failed_permanently' }
          : { ...failure, kind: 'failed', nextAttemptAt: dueAt },
      );
    }
  }

  #handled({ attempts, dueAt }: StoredWebhookEvent): WebhookProgress {
    return { state: 'handled', attempts, dueAt, owner: this.#owner.id };
  }

  #save(
    row: StoredWebhookEvent,
    progress: WebhookProgress,
    work?: (query: OwnQuery) => Promise<unknown>,
  ): Promise<void> {
    return this.#within(async (tx) => {
      if (!(await tx.webhookEvents.update(row.id, row.version, progress))) {
        throw new Error(
          `Event ${row.id} was not marked: another process took it over, because this one seemed to have ended`,
        );
      }
      if (work === undefined) return;
      if (tx.query === undefined) {
        throw new ConfigurationError('store', `runs no SQL (${this.#parts.store.name})`, {
          nextStep: 'Call commit() without a function, or use sqliteStore or postgresStore.',
        });
      }
      await work(tx.query);
    });
  }

  /** Retries until the progress is saved; without it, the event would be handled again. */
  async #surely(row: StoredWebhookEvent, progress: WebhookProgress): Promise<void> {
    let isUnsure = false;
    for (let tries = 1; ; tries += 1) {
      try {
        if (!isUnsure || !(await this.#isSaved(row, progress))) await this.#save(row, progress);
        return;
      } catch (error) {
        this.#parts.onStoreError(error);
        if (!(error instanceof StoreError) || this.#closed) return;
        isUnsure ||= error.commit === 'unknown';
        await sleep(this.#parts.clock, this.#backoff(tries), this.#ending.signal);
      }
    }
  }

  /** Whether an earlier attempt to save was committed. */
  async #isSaved({ id, version }: StoredWebhookEvent, progress: WebhookProgress): Promise<boolean> {
    const now = await this.#within((tx) => tx.webhookEvents.get(id));
    const { state, owner, dueAt } = progress;
    const isSame = now?.state === state && now.owner === owner && now.dueAt === dueAt;
    return isSame && now.version === version + 1;
  }

  /** 1 s, 4 s, 16 s and so on, up to 10 minutes, with up to 50% jitter. */
  #backoff(attempt: number): number {
    const most = Math.min(LONGEST_BACKOFF_MS, 1_000 * 4 ** (attempt - 1));
    return Math.round(most * (1 - this.#parts.random() / 2));
  }

  #within<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T> {
    return transact(this.#parts.store, this.#parts.account, work);
  }
}

function closedError(type: string): AbortedError {
  return new AbortedError({
    reason: 'closed',
    outcome: 'unknown',
    what: `The receiver was closed while the handler of ${type} was running.`,
    nextStep: 'The next receiver of this endpoint runs the handler again.',
  });
}
