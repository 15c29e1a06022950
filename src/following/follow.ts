import { observing } from '../core/observe.js';
import { InvalidRequestError } from '../errors/local.js';
import { StoreError } from '../errors/store.js';
import { LinkedSignal, sleep } from '../runtime/timers.js';
import { type AskOptions, ask, notify } from '../runtime/user-code.js';
import { HEARTBEAT_MS, Owner, type StoreProcess } from '../store/owner.js';
import type { CursorTable } from '../store/tables.js';
import { type FollowerRead, gapMs, isTransient, type Pace, retryPause } from './pace.js';
import { callContext } from './wait.js';

/** Options of every follower. */
export interface FollowOptions {
  /**
   * Name of this follower in the store: 1 to 60 letters, digits, `.`, `_` or `-`. Of several processes with the same name, one
   * works at a time, and another takes over when it ends. If two programs both need every item, give them different names.
   */
  readonly name: string;
  /** Ends following after the running handler. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Timeout of the handler for one item, ms; defaults to 30,000. A handler that exceeds it has failed: its signal fires, and
   * it is called again with the same item. `Infinity` disables the timeout.
   */
  readonly handlerTimeout?: number | undefined;
  /**
   * Called for each failure that is retried: of the handler, the service or the store. Logs by default. Not awaited; its own
   * errors are logged.
   */
  readonly onError?: ((error: unknown) => unknown) | undefined;
}

/** Context that a handler gets with the item. */
export interface FollowContext {
  /** Fires when following ends, or when `handlerTimeout` has passed. */
  readonly signal: AbortSignal;
}

/** Handles one item. */
export type FollowHandler<T> = (item: T, context: FollowContext) => unknown;

/** Storage of the positions of followers. */
export interface CursorStore {
  within<T>(work: (cursors: CursorTable) => Promise<T>): Promise<T>;
  readonly process: StoreProcess;
  /** True in production if positions are lost when this process ends. */
  readonly isVolatile: boolean;
}

/** A follower: how it reads a list and handles new items. */
export interface Follower<State> {
  /** Names the call in errors, such as `winnerUpdates.follow`. */
  readonly call: string;
  readonly start: State;
  /**
   * Reads once and handles new items; calls `save` after each item.
   *
   * @returns true if there is more to read at once
   */
  round(state: State, round: Round<State>): Promise<boolean>;
}

/** What a follower uses to read and handle items. */
export interface Round<State> {
  /** Saves the state, and in the same transaction a new part that never changes. */
  save(state: State, part?: { readonly key: string; readonly value: string }): Promise<void>;
  /** Reads a part. */
  part(key: string): Promise<string>;
  readonly handled: Handled;
  readonly signal: AbortSignal;
}

/** Calls a handler and waits for it. @throws HandlerFailed */
export type Handled = <T>(handle: FollowHandler<T>, item: T) => Promise<void>;

const HANDLER_MS = 30_000;

const LONGEST_POLL_MS = 60_000;
const FIRST_POLL_MS = 5_000;

/** Another follower with this name has taken over. */
class TakenOver extends Error {}

/** A handler failed. It is called again, whatever it threw. */
export class HandlerFailed extends Error {}

/** Follows until the signal fires or the client closes. @throws errors that a retry can't fix */
export function follow<State>(
  pace: Pace,
  store: CursorStore,
  follower: Follower<State>,
  options: FollowOptions,
): Promise<void> {
  const { name, signal, handlerTimeout = HANDLER_MS } = options;
  if (typeof name !== 'string' || !/^[\w.-]{1,60}$/.test(name)) {
    const message = 'must be 1 to 60 letters, digits, ".", "_" or "-"';
    throw new InvalidRequestError([{ path: 'name', message }], callContext(follower.call));
  }
  if (!(typeof handlerTimeout === 'number' && handlerTimeout > 0)) {
    const message = 'must be a positive number of milliseconds, or Infinity';
    throw new InvalidRequestError([{ path: 'handlerTimeout', message }], callContext(follower.call));
  }
  if (store.isVolatile) {
    const message = `${follower.call} loses its position at a restart: the store is in memory. Give the client a durable store`;
    pace.warn(message, () => ({ name }));
  }
  return pace.during(follower.call, async () => {
    const stop = new LinkedSignal(signal, pace.closing);
    const position = new Position<State>(pace, store, follower, `${follower.call} ${name}`);
    try {
      await followFrom(pace, position, follower, options, stop.signal);
    } finally {
      stop.fire();
      pace.followed?.({ call: follower.call, name, state: 'ended', failures: 0 });
      await position.leave();
    }
  });
}

async function followFrom<State>(
  pace: Pace,
  position: Position<State>,
  follower: Follower<State>,
  { onError, name, handlerTimeout = HANDLER_MS }: FollowOptions,
  signal: AbortSignal,
): Promise<void> {
  let failures = 0;
  const handled: Handled = (handle, item) => {
    const asking = { name: `handle of ${follower.call}`, clock: pace.clock, limit: handlerTimeout };
    const observed = { kind: 'item', name: follower.call } as const;
    return observing(pace.observation, observed, () => handledOnce(handle, item, asking, signal));
  };
  const report = (state: FollowerRead['state']) =>
    pace.followed?.({ call: follower.call, name, state, failures });
  let idle = FIRST_POLL_MS;
  report('behind');
  while (!signal.aborted) {
    let pause: number;
    try {
      const state = await position.take();
      if (state === undefined) {
        // Another process owns the position: check again when it may have ended.
        pause = HEARTBEAT_MS;
        failures = 0;
        report('standby');
      } else {
        const before = position.saves;
        const isMore = await follower.round(state.value, {
          save: (next, part) => position.save(next, part),
          part: (key) => position.part(key),
          handled,
          signal,
        });
        idle = position.saves > before ? FIRST_POLL_MS : Math.min(idle * 1.5, LONGEST_POLL_MS);
        pause = isMore ? 0 : Math.max(idle, 2 * gapMs(pace));
        failures = 0;
        report(isMore ? 'behind' : 'current');
      }
    } catch (error) {
      if (signal.aborted) return;
      position.forget();
      const cause = error instanceof HandlerFailed ? error.cause : error;
      if (!(error instanceof HandlerFailed || error instanceof TakenOver || isTransient(error))) throw error;
      if (error instanceof TakenOver) continue;
      failures += 1;
      report('behind');
      pause = retryPause(cause, failures, pace);
      if (onError !== undefined) notify('onError', () => onError(cause), pace.warn);
      else pace.warn(`${follower.call} failed and will retry`, () => ({ name, error: String(cause) }));
    }
    if (pause > 0) await sleep(pace.clock, pause, signal);
  }
}

/** The stored position of a follower, which one follower owns at a time. */
class Position<State> {
  readonly #store: CursorStore;
  readonly #follower: Follower<State>;
  readonly #name: string;
  readonly #owner: Owner;
  #held: { readonly value: State; readonly version: number } | undefined;
  saves = 0;

  constructor({ clock }: Pace, store: CursorStore, follower: Follower<State>, name: string) {
    this.#store = store;
    this.#follower = follower;
    this.#name = name;
    const heartbeat = (owner: string) => store.within((cursors) => cursors.touchOwner(owner));
    this.#owner = new Owner({ process: store.process, clock, heartbeat });
  }

  /** Takes the position, to continue from it; undefined while another follower owns it. */
  async take(): Promise<{ readonly value: State } | undefined> {
    if (this.#held !== undefined) return this.#held;
    this.#held = await this.#store.within(async (cursors) => {
      const row = await cursors.get(this.#name);
      if (row !== undefined && !this.#owner.mayTake(row)) return undefined;
      const version = row?.version ?? 0;
      const taken = await cursors.save(this.#name, version, { value: row?.value, owner: this.#owner.id });
      if (!taken) return undefined;
      const value = row?.value === undefined ? this.#follower.start : (JSON.parse(row.value) as State);
      return { value, version: version + 1 };
    });
    // Heartbeats continue during a long handler.
    if (this.#held !== undefined) this.#owner.begin();
    return this.#held;
  }

  /** @throws TakenOver if another follower has taken over; its position is kept */
  async save(value: State, part?: { readonly key: string; readonly value: string }): Promise<void> {
    const { version } = this.#held ?? { version: -1 };
    const row = { value: JSON.stringify(value), owner: this.#owner.id };
    const saved = await this.#store.within(async (cursors) => {
      if (!(await cursors.save(this.#name, version, row))) return false;
      if (part === undefined) return true;
      const added = { value: part.value, owner: undefined };
      // Thrown, so that the transaction is undone.
      if (!(await cursors.save(this.#partName(part.key), 0, added)))
        throw this.#corrupt(part.key, 'already has the');
      return true;
    });
    if (!saved) throw new TakenOver();
    this.#held = { value, version: version + 1 };
    this.saves += 1;
  }

  /** @throws StoreError if the store has lost the part */
  async part(key: string): Promise<string> {
    const row = await this.#store.within((cursors) => cursors.get(this.#partName(key)));
    if (row?.value !== undefined) return row.value;
    throw this.#corrupt(key, 'has no');
  }

  #corrupt(key: string, has: string): StoreError {
    return new StoreError({
      reason: 'corrupt',
      what: `The store ${has} row "${this.#partName(key)}" of a follower's position.`,
      nextStep:
        'Restore the store from its latest backup, or follow under another name, which handles every item again.',
    });
  }

  #partName(key: string): string {
    return `${this.#name}/${key}`;
  }

  /** Makes the next `take` read the row again, because a failed save may have been committed. */
  forget(): void {
    this.#held = undefined;
    this.#owner.rest();
  }

  /** Releases the position, so that another follower can start at once. */
  async leave(): Promise<void> {
    const held = this.#held;
    this.forget();
    if (held !== undefined) {
      const row = { value: JSON.stringify(held.value), owner: undefined };
      // If this fails, this isolate still knows that the owner is released; others miss its heartbeats.
      await this.#store
        .within((cursors) => cursors.save(this.#name, held.version, row))
        .catch(() => undefined);
    }
    this.#owner.release();
  }
}

/** Awaits a running handler even if following ends, so that its item is not delivered again. */
async function handledOnce<T>(
  handle: FollowHandler<T>,
  item: T,
  asking: AskOptions,
  following: AbortSignal,
): Promise<void> {
  let ended: LinkedSignal | undefined;
  try {
    await ask((waiting) => {
      ended = new LinkedSignal(following, waiting.signal);
      return handle(item, { signal: ended.signal });
    }, asking);
  } catch (cause) {
    throw new HandlerFailed('The handler failed', { cause });
  } finally {
    ended?.release();
  }
}
