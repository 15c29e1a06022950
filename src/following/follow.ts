import { InvalidRequestError } from '../errors/local.js';
import { LinkedSignal, sleep } from '../runtime/timers.js';
import { type AskOptions, ask, notify } from '../runtime/user-code.js';
import { HEARTBEAT_MS, Owner, type StoreProcess } from '../store/owner.js';
import type { CursorTable } from '../store/tables.js';
import { gapMs, isTransient, type Pace, retryPause } from './pace.js';

/** What followers share. */
export interface FollowOptions {
  /**
   * Names this follower in the store: 1 to 60 letters, digits, `.`, `_` or `-`. Of several processes under one name one
   * works at a time, and another takes over when it ends. Two programs that both need every item take two names.
   */
  readonly name: string;
  /** Ends following, after the handler that is running. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long the handler may take for one item, ms; defaults to 30,000. One that takes longer has failed: its signal fires,
   * and it is called again with the same item. Infinity lets it take as long as it likes.
   */
  readonly handlerTimeout?: number | undefined;
  /**
   * Called with each failure that is retried: of the handler, the service or the store. Logged by default. Not awaited; an
   * error it throws or rejects with is logged.
   */
  readonly onError?: ((error: unknown) => unknown) | undefined;
}

/** What a handler gets besides the item. */
export interface FollowContext {
  /** Fires when following ends, or when `handlerTimeout` has passed. */
  readonly signal: AbortSignal;
}

/** Handles one item. */
export type FollowHandler<T> = (item: T, context: FollowContext) => unknown;

/** Where followers keep how far they are. */
export interface CursorStore {
  within<T>(work: (cursors: CursorTable) => Promise<T>): Promise<T>;
  readonly process: StoreProcess;
  /** In production, and lost when this process ends. */
  readonly isForgetful: boolean;
}

/** What a follower does with one look at the list. */
export interface Follower<State> {
  /** Names the call in errors, such as `winnerUpdates.follow`. */
  readonly call: string;
  readonly start: State;
  /**
   * Reads once and handles what is new; `save` after each item.
   *
   * @returns whether there is more to read at once
   */
  round(
    state: State,
    save: (state: State) => Promise<void>,
    signal: AbortSignal,
    handled: Handled,
  ): Promise<boolean>;
}

/** Calls a handler and waits for it. @throws HandlerFailed */
export type Handled = <T>(handle: FollowHandler<T>, item: T) => Promise<void>;

const HANDLER_MS = 30_000;

const LONGEST_POLL_MS = 60_000;
const FIRST_POLL_MS = 5_000;

/** Another follower under this name has taken over. */
class Lost extends Error {}

/** A handler failed: it is called again, whatever it threw. */
export class HandlerFailed extends Error {}

/** Follows until the signal fires or the client closes. @throws what trying again does not cure */
export function follow<State>(
  pace: Pace,
  store: CursorStore,
  follower: Follower<State>,
  options: FollowOptions,
): Promise<void> {
  const { name, signal, handlerTimeout = HANDLER_MS } = options;
  if (typeof name !== 'string' || !/^[\w.-]{1,60}$/.test(name)) {
    const message = 'must be 1 to 60 letters, digits, ".", "_" or "-"';
    throw new InvalidRequestError([{ path: 'name', message }], named(follower.call));
  }
  if (!(typeof handlerTimeout === 'number' && handlerTimeout > 0)) {
    const message = 'must be a positive number of milliseconds, or Infinity';
    throw new InvalidRequestError([{ path: 'handlerTimeout', message }], named(follower.call));
  }
  if (store.isForgetful) {
    const message = `${follower.call} keeps its place in memory, so a restart handles everything again; give the client a durable store`;
    pace.warn(message, () => ({ name }));
  }
  return pace.during(follower.call, async () => {
    const stop = new LinkedSignal(signal, pace.closing);
    const place = new Place<State>(pace, store, follower, `${follower.call} ${name}`);
    try {
      await run(pace, place, follower, options, stop.signal);
    } finally {
      stop.fire();
      await place.leave();
    }
  });
}

async function run<State>(
  pace: Pace,
  place: Place<State>,
  follower: Follower<State>,
  { onError, name, handlerTimeout = HANDLER_MS }: FollowOptions,
  signal: AbortSignal,
): Promise<void> {
  const handled: Handled = (handle, item) => {
    const asking = { name: `handle of ${follower.call}`, clock: pace.clock, limit: handlerTimeout };
    return handledOnce(handle, item, asking, signal);
  };
  let failures = 0;
  let idle = FIRST_POLL_MS;
  while (!signal.aborted) {
    let pause: number;
    try {
      const state = await place.take();
      if (state === undefined) {
        // Another process works: look again when it could have gone.
        pause = HEARTBEAT_MS;
      } else {
        const before = place.saves;
        const isMore = await follower.round(state.value, (next) => place.save(next), signal, handled);
        idle = place.saves > before ? FIRST_POLL_MS : Math.min(idle * 1.5, LONGEST_POLL_MS);
        pause = isMore ? 0 : Math.max(idle, 2 * gapMs(pace));
      }
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      place.forget();
      const cause = error instanceof HandlerFailed ? error.cause : error;
      if (!(error instanceof HandlerFailed || error instanceof Lost || isTransient(error))) throw error;
      if (error instanceof Lost) continue;
      failures += 1;
      pause = retryPause(cause, failures, pace);
      if (onError !== undefined) notify('onError', () => onError(cause), pace.warn);
      else pace.warn(`${follower.call} failed and will retry`, () => ({ name, error: String(cause) }));
    }
    if (pause > 0) await sleep(pace.clock, pause, signal);
  }
}

/** The row of a follower, as long as it is this follower's. */
class Place<State> {
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

  /** Where to continue; undefined while another follower works under this name. */
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
    // Signs of life go on during a long handler.
    if (this.#held !== undefined) this.#owner.begin();
    return this.#held;
  }

  /** @throws Lost where another follower has taken over: what it saved stays. */
  async save(value: State): Promise<void> {
    const { version } = this.#held ?? { version: -1 };
    const row = { value: JSON.stringify(value), owner: this.#owner.id };
    const saved = await this.#store.within((cursors) => cursors.save(this.#name, version, row));
    if (!saved) throw new Lost();
    this.#held = { value, version: version + 1 };
    this.saves += 1;
  }

  /** After a failure the row is read again: a save may have happened all the same. */
  forget(): void {
    this.#held = undefined;
    this.#owner.rest();
  }

  /** Another follower can begin at once. */
  async leave(): Promise<void> {
    const held = this.#held;
    this.forget();
    if (held !== undefined) {
      const row = { value: JSON.stringify(held.value), owner: undefined };
      // If that fails, this isolate knows that the owner is released; to others it falls silent.
      await this.#store
        .within((cursors) => cursors.save(this.#name, held.version, row))
        .catch(() => undefined);
    }
    this.#owner.release();
  }
}

function named(call: string) {
  return { call, operation: call };
}

/** A running handler is awaited although following ends: its item is done then, and not delivered again. */
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
