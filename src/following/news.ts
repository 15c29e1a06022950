import { InvalidRequestError } from '../errors/local.js';
import type {
  Notification,
  Notifications as NotificationCalls,
  PartnerNotifications as PartnerNotificationCalls,
} from '../generated/notifications.js';
import type { WinnerUpdate } from '../generated/winner-updates.js';
import { WinnerUpdates as WinnerUpdateCalls } from '../generated/winner-updates.js';
import { unexpectedPage } from '../paging/list.js';
import type { Caller } from '../ports/caller.js';
import type { Page } from '../ports/list.js';
import { checkMethodOptions, type KnownOptions } from '../runtime/injected.js';
import { type CursorStore, type Follower, type FollowHandler, type FollowOptions, follow } from './follow.js';
import { INBOX, messages } from './inbox.js';
import { type Pace, pollOptions } from './pace.js';

const WINNERS = 'winnerUpdates.follow';

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
    const { handle, limit } = checkedFollowing(WINNERS, options, winnerOptions);
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
   * The inbox has no cursor and no documented order, so the ids of handled messages are saved in the client's store, and every
   * poll reads the first page and some of the others. Polls every 5 to 60 seconds. A message on a middle page is found within
   * ten polls, or later if the inbox has more than 50 pages. A partner acknowledges messages itself (A75) if the bank asks
   * for that.
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
      const { handle } = checkedFollowing(INBOX, options, inboxOptions);
      const read = (page: number, signal: AbortSignal) => calls.list({}, pollOptions(signal)).page(page);
      return follow(pace, store, messages(read, handle), options);
    },
  };
  return Object.assign(calls, following);
}

const inboxOptions: KnownOptions<FollowNotificationsOptions> = {
  name: true,
  handle: true,
  signal: true,
  handlerTimeout: true,
  onError: true,
};
const winnerOptions: KnownOptions<FollowWinnersOptions> = { ...inboxOptions, limit: true };

function checkedFollowing<O extends FollowNotificationsOptions | FollowWinnersOptions>(
  call: string,
  options: O,
  known: KnownOptions<O>,
): O {
  checkMethodOptions(call, options, known, '');
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

/** Pages without updates, each with another cursor, after which they are reported. */
const EMPTY_PAGES = 3;

export function winners(
  read: (after: string | undefined, signal: AbortSignal) => Promise<Page<WinnerUpdate>>,
  handle: FollowHandler<WinnerUpdate>,
): Follower<WinnerState> {
  /** Cursors since the end of the list was last reached. */
  const walked = new Set<string>();
  let empty = 0;
  return {
    call: WINNERS,
    start: { handled: [] },
    async round(state, { save, signal, handled }) {
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
      if (nextCursor === undefined || nextCursor === after) {
        walked.clear();
        empty = 0;
        return false;
      }
      walked.add(after ?? '');
      if (walked.has(nextCursor)) {
        throw misleading('The service returned a cursor for the second time, so the list would never end.');
      }
      await save({ after: nextCursor, handled: [] });
      empty = items.length > 0 ? 0 : empty + 1;
      if (empty < EMPTY_PAGES) return items.length > 0;
      throw misleading(
        `The service returned ${empty} pages in a row without updates, each with another cursor.`,
      );
    },
  };
}

function misleading(what: string) {
  return unexpectedPage({ call: WINNERS, operation: WINNERS }, what);
}
