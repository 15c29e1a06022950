// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type { CallOptions, Caller } from '../ports/caller.js';
import type { CursorPager } from '../ports/list.js';

/**
 * A committed sale decision of the bank. Its fields are undocumented.
 *
 * API text: Non-record read shapes.
 */
export interface WinnerUpdate {
  /** A field of the update; the API text shows none. */
  readonly [field: string]: unknown;
}

/**
 * Query of `winnerUpdates.list`.
 *
 * API text: Winner updates.
 */
export interface WinnerUpdatesListQuery {
  /**
   * Cursor to continue from: the `next_cursor` of the last page that you handled. Omit it the first time.
   * (API: Winner updates)
   */
  readonly after?: string | undefined;
  /** Updates per page, from 1; the maximum is undocumented. (API: Winner updates) */
  readonly limit?: number | undefined;
}

export const winnerUpdateSchema: ObjectSchema = { fields: {} };

export const winnerUpdates = {
  list: {
    name: 'winnerUpdates.list',
    id: 'winnerUpdates.list',
    method: 'GET',
    path: '/winner-updates',
    availability: 'callable',
    effect: 'read',
    query: { fields: { after: { optional: 'filled' }, limit: { optional: 'positive' } } },
    success: [200],
    envelope: 'cursor_page',
    reply: {
      fields: {
        data: { optional: { either: [{ list: winnerUpdateSchema }, { map: 'unknown' }] } },
        next_cursor: { optional: { nullable: 'string' } },
        server_time: { optional: 'string' },
      },
    },
  },
} satisfies Readonly<Record<string, Route>>;

/** Sale decisions that the bank has committed, read by cursor. */
export class WinnerUpdates {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists committed sale decisions from a cursor, page by page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * Store `next_cursor` only after you have handled every update of its page. After a crash, unhandled
   * updates are then returned again. Handle updates idempotently, because the same cursor can be read twice.
   *
   * An update and the `sale.approved` event report the same decision; if both arrive, count it once.
   *
   * API: `GET /winner-updates`, scope `sales:read`; "Winner updates".
   * @param query What to ask for: `after`, `limit`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: WinnerUpdatesListQuery = {}, options?: CallOptions): CursorPager<WinnerUpdate> {
    return this.#call.cursorPager<WinnerUpdate>(winnerUpdates.list, { query }, options);
  }
}
