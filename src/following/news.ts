import { zonedTimeMs } from '../clock/reply-time.js';
import { InvalidRequestError } from '../errors/local.js';
import type {
  Notification,
  Notifications as NotificationCalls,
  PartnerNotifications as PartnerNotificationCalls,
} from '../generated/notifications.js';
import type { WinnerUpdate } from '../generated/winner-updates.js';
import { WinnerUpdates as WinnerUpdateCalls } from '../generated/winner-updates.js';
import type { Caller } from '../ports/caller.js';
import type { Page } from '../ports/list.js';
import { type CursorStore, type Follower, type FollowHandler, type FollowOptions, follow } from './follow.js';
import { type Pace, pollOptions } from './pace.js';

const WINNERS = 'winnerUpdates.follow';
const INBOX = 'notifications.follow';

/** Options of `winnerUpdates.follow`. */
export interface FollowWinnersOptions extends FollowOptions {
  /**
   * Handles one update. The next update follows when it has finished; if it throws, it is called again with the same update.
   * After a crash between its end and the save, the update is delivered again, so make the handler idempotent.
   */
  readonly handle: FollowHandler<WinnerUpdate>;
  /** Updates per request; the service decides by default. */
  readonly limit?: number | undefined;
}

/** Options of `notifications.follow`. */
export interface FollowNotificationsOptions extends FollowOptions {
  /** Handles one message, the oldest first. If it throws, it is called again with the same message. */
  readonly handle: FollowHandler<Notification>;
}

/** Sale decisions that the bank has committed: read by cursor, or follow them. */
export class WinnerUpdates extends WinnerUpdateCalls {
  readonly #pace: Pace;
  readonly #store: CursorStore;

  /** @internal */
  constructor(call: Caller, pace: Pace, store: CursorStore) {
    super(call);
    this.#pace = pace;
    this.#store = store;
  }

  /**
   * Passes every winner update to a function, in order and at least once, starting with the first.
   *
   * The position is saved in the client's store after each handler. Polls every 5 to 60 seconds, and less often if little
   * quota is idle. Outages and failed handlers are retried, so no update is skipped.
   *
   * API: `GET /winner-updates`, scope `sales:read`.
   * @returns a promise that resolves when the signal fires or the client closes, after the running handler.
   * @throws InvalidRequestError for invalid options. Later: errors that a retry can't fix.
   */
  follow(options: FollowWinnersOptions): Promise<void> {
    const { handle, limit } = withHandler(WINNERS, options);
    const read = (after: string | undefined, signal: AbortSignal) => {
      const query = { ...(after !== undefined && { after }), ...(limit !== undefined && { limit }) };
      return this.list(query, pollOptions(signal)).firstPage();
    };
    return follow(this.#pace, this.#store, winners(read, handle), options);
  }
}

/** Following the inbox of workflow messages. */
export interface InboxFollowing {
  /**
   * Passes every message of the inbox to a function, the oldest first and at least once.
   *
   * The inbox has no cursor, so the ids of handled messages are saved in the client's store. Polls every 5 to 60 seconds. A
   * partner acknowledges messages itself (A75) if the bank asks for that.
   *
   * API: A74, scope `notifications:read`.
   * @returns a promise that resolves when the signal fires or the client closes, after the running handler.
   * @throws InvalidRequestError for invalid options. Later: errors that a retry can't fix.
   */
  follow(options: FollowNotificationsOptions): Promise<void>;
}

/** The inbox of workflow messages, as a bank has it: list it, follow it. */
export type Notifications = NotificationCalls & InboxFollowing;

/** The inbox of workflow messages, as a partner has it: list, follow, acknowledge. */
export type PartnerNotifications = PartnerNotificationCalls & InboxFollowing;

/** Adds `follow` to the calls of an actor. */
export function withInbox<Calls extends Pick<NotificationCalls, 'list'>>(
  calls: Calls,
  pace: Pace,
  store: CursorStore,
): Calls & InboxFollowing {
  const following: InboxFollowing = {
    follow(options) {
      const { handle } = withHandler(INBOX, options);
      const read = (page: number, signal: AbortSignal) => calls.list({}, pollOptions(signal)).page(page);
      return follow(pace, store, messages(read, handle), options);
    },
  };
  return Object.assign(calls, following);
}

function withHandler<O extends { readonly handle: unknown }>(call: string, options: O): O {
  if (typeof options?.handle === 'function') return options;
  const message = 'must be a function';
  throw new InvalidRequestError([{ path: 'handle', message }], { call, operation: call });
}

/** Progress through winner updates: a cursor, and the handled updates after it. */
export interface WinnerState {
  readonly after?: string;
  /** Handled updates as JSON, so that a repeated one is recognised and a different one is not skipped. */
  readonly handled: readonly string[];
}

export function winners(
  read: (after: string | undefined, signal: AbortSignal) => Promise<Page<WinnerUpdate>>,
  handle: FollowHandler<WinnerUpdate>,
): Follower<WinnerState> {
  return {
    call: WINNERS,
    start: { handled: [] },
    async round(state, save, signal, handled) {
      const { after } = state;
      const { items, nextCursor } = await read(after, signal);
      const known = [...state.handled];
      let handledNow = state.handled;
      for (const item of items) {
        const text = JSON.stringify(item);
        const index = known.indexOf(text);
        // Each is skipped as often as it was handled, because two updates may be equal.
        if (index >= 0) known.splice(index, 1);
        else {
          if (signal.aborted) return false;
          await handled(handle, item);
          handledNow = [...handledNow, text];
          await save({ ...state, handled: handledNow });
        }
      }
      // At the end, a service may repeat the cursor or return none. Then keep the old one.
      if (nextCursor === undefined || nextCursor === after) return false;
      await save({ after: nextCursor, handled: [] });
      return items.length > 0;
    },
  };
}

/** Progress through the inbox: the ids of the latest handled messages. */
export interface InboxState {
  readonly seen: readonly (readonly [id: string, createdAt: string])[];
  /** Messages created up to this time were handled, although their ids are dropped; ISO 8601. */
  readonly horizon?: string;
  /** Number of messages at the last read. */
  readonly total?: number;
}

/** Number of ids to keep: more than a few pages are never needed. */
const KEPT_IDS = 500;

export function messages(
  read: (page: number, signal: AbortSignal) => Promise<Page<Notification>>,
  handle: FollowHandler<Notification>,
): Follower<InboxState> {
  return {
    call: INBOX,
    start: { seen: [] },
    async round(before, save, signal, handled) {
      const { fresh, total } = await unseen(before, read, signal);
      let state = before;
      for (const item of fresh) {
        if (signal.aborted) return false;
        await handled(handle, item);
        state = withSeen(state, item);
        await save(state);
      }
      if (total !== before.total && total !== undefined) await save({ ...state, total });
      return false;
    },
  };
}

/** Reads new messages, the oldest first. The order of the inbox is undocumented (unknowns: `list-order`). */
async function unseen(
  state: InboxState,
  read: (page: number, signal: AbortSignal) => Promise<Page<Notification>>,
  signal: AbortSignal,
): Promise<{ readonly fresh: readonly Notification[]; readonly total: number | undefined }> {
  const seen = new Set(state.seen.map(([id]) => id));
  const found = new Map<string, Notification>();
  const isNew = ({ id, created_at = '' }: Notification) =>
    !seen.has(id) && !found.has(id) && (state.horizon === undefined || !isBefore(created_at, state.horizon));
  const walk = async (number: number) => {
    const page = await read(number, signal);
    const items = page.items.filter(isNew);
    for (const item of items) found.set(item.id, item);
    return { page, isNews: items.length > 0 };
  };
  const first = await walk(1);
  const lastPage = first.page.lastPage ?? 1;
  // Newest first: read up to the first page without new messages.
  for (let number = 2, { isNews } = first; isNews && number <= lastPage; number += 1) {
    ({ isNews } = await walk(number));
  }
  // More messages, but none on the first page: the inbox lists the newest last.
  if (found.size === 0 && first.page.total !== state.total) {
    for (let number = lastPage; number > 1 && (await walk(number)).isNews; number -= 1);
  }
  const fresh = [...found.values()].reverse();
  const isDated = fresh.every(({ created_at }) => !Number.isNaN(orderMs(created_at)));
  if (isDated) fresh.sort((a, b) => orderMs(a.created_at) - orderMs(b.created_at));
  return { fresh, total: first.page.total };
}

function withSeen(state: InboxState, { id, created_at = '' }: Notification): InboxState {
  const all = [...state.seen, [id, created_at] as const];
  if (all.length <= KEPT_IDS) return { ...state, seen: all };
  const [dropped, seen] = [all.slice(0, KEPT_IDS / 2), all.slice(KEPT_IDS / 2)];
  let { horizon } = state;
  for (const [, at] of dropped) if (horizon === undefined || isBefore(horizon, at)) horizon = at;
  return { ...state, seen, ...(horizon !== undefined && { horizon }) };
}

function isBefore(one: string, other: string): boolean {
  return orderMs(one) < orderMs(other);
}

/** Time to sort messages by. A time without a zone is read as UTC, not in the zone of this machine. */
function orderMs(text = ''): number {
  return zonedTimeMs(text) ?? zonedTimeMs(`${text.replace(' ', 'T')}Z`) ?? Number.NaN;
}
