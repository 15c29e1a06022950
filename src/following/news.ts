import { zonedTimeMs } from '../clock/parse-time.js';
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
   * Handles one update. The next one comes after it has finished; where it throws, it is called again with the same update.
   * After a crash between its end and the save, the update is delivered again, so make it idempotent.
   */
  readonly handle: FollowHandler<WinnerUpdate>;
  /** Updates per request; the service decides by default. */
  readonly limit?: number | undefined;
}

/** Options of `notifications.follow`. */
export interface FollowNotificationsOptions extends FollowOptions {
  /** Handles one message, the oldest first; where it throws, it is called again with the same message. */
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
   * How far it is stays in the store of the client, saved after the handler has finished. It polls every 5 to 60 seconds,
   * and less often where the quota spares little. An outage or a handler that throws is tried again, so nothing is
   * skipped.
   *
   * API: `GET /winner-updates`, scope `sales:read`.
   * @returns a promise that resolves when the signal fires or the client closes, after the running handler.
   * @throws InvalidRequestError for options that can't work. Later: errors that trying again does not cure.
   */
  follow(options: FollowWinnersOptions): Promise<void> {
    const { handle, limit } = checked(WINNERS, options);
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
   * The inbox has no cursor, so the ids of handled messages are kept in the store of the client. It polls every 5 to 60
   * seconds. A partner acknowledges a message itself (A75), where the bank asks for that.
   *
   * API: A74, scope `notifications:read`.
   * @returns a promise that resolves when the signal fires or the client closes, after the running handler.
   * @throws InvalidRequestError for options that can't work. Later: errors that trying again does not cure.
   */
  follow(options: FollowNotificationsOptions): Promise<void>;
}

/** The inbox of workflow messages, as a bank has it: list it, follow it. */
export type Notifications = NotificationCalls & InboxFollowing;

/** The inbox of workflow messages, as a partner has it: list, follow, acknowledge. */
export type PartnerNotifications = PartnerNotificationCalls & InboxFollowing;

/** Adds following to the calls of an actor. */
export function withInbox<Calls extends Pick<NotificationCalls, 'list'>>(
  calls: Calls,
  pace: Pace,
  store: CursorStore,
): Calls & InboxFollowing {
  const following: InboxFollowing = {
    follow(options) {
      const { handle } = checked(INBOX, options);
      const read = (page: number, signal: AbortSignal) => calls.list({}, pollOptions(signal)).page(page);
      return follow(pace, store, messages(read, handle), options);
    },
  };
  return Object.assign(calls, following);
}

function checked<O extends { readonly handle: unknown }>(call: string, options: O): O {
  if (typeof options?.handle === 'function') return options;
  const message = 'must be a function';
  throw new InvalidRequestError([{ path: 'handle', message }], { call, operation: call });
}

/** Progress through winner updates: a cursor, and which updates after it were handled. */
export interface WinnerState {
  readonly after?: string;
  /** As JSON, so that a repeated one is recognised and a different one is not skipped. */
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
        const place = known.indexOf(text);
        // Each is passed over as often as it was handled: two updates may read the same.
        if (place >= 0) known.splice(place, 1);
        else {
          if (signal.aborted) return false;
          await handled(handle, item);
          handledNow = [...handledNow, text];
          await save({ ...state, handled: handledNow });
        }
      }
      // At the end a service may repeat the cursor or give none: then the old one stays, never null.
      if (nextCursor === undefined || nextCursor === after) return false;
      await save({ after: nextCursor, handled: [] });
      return items.length > 0;
    },
  };
}

/** Which messages were handled: the ids of the latest ones. */
export interface InboxState {
  readonly seen: readonly (readonly [id: string, createdAt: string])[];
  /** Messages created by then whose ids are no longer kept were handled; ISO 8601. */
  readonly horizon?: string;
  /** How many messages there were at the last look. */
  readonly total?: number;
}

/** Ids that are kept; more than a few pages are never needed. */
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

/** Messages that were not handled yet, the oldest first. The order of the inbox is undocumented (unknowns: `list-order`). */
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
  // The newest first: on to the first page without news.
  for (let number = 2, { isNews } = first; isNews && number <= lastPage; number += 1) {
    ({ isNews } = await walk(number));
  }
  // More messages, and none of them at the front: the newest come last.
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

/** Places messages of one inbox in order. A time without a zone is read as UTC, whatever the zone of this machine. */
function orderMs(text = ''): number {
  return zonedTimeMs(text) ?? zonedTimeMs(`${text.replace(' ', 'T')}Z`) ?? Number.NaN;
}
