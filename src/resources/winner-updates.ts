// Generated from src/api by `npm run generate`; edits are lost.

import type { CallOptions, Caller } from '../core/caller.js';
import type { WinnerUpdate, WinnerUpdatesListQuery } from '../models/winner-updates.js';
import { type CursorPager, cursorPagerOf } from '../paging/cursor-pager.js';
import { winnerUpdates } from '../routes/winner-updates.js';

/** Sale decisions that the bank has committed, read by cursor. */
export class WinnerUpdates {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Lists the committed sale decisions from a cursor on, page by page.
   *
   * Returns a pager: nothing is sent until you iterate it.
   *
   * Store `next_cursor` only after you have handled every update of its page; after a crash, unhandled
   * updates are then returned again. Handle updates idempotently: the same cursor can be read twice.
   *
   * An update and the `sale.approved` event report the same decision; if both arrive, count it once.
   *
   * API: `GET /winner-updates`, scope `sales:read`; "Winner updates".
   * @param query What to ask for: `after`, `limit`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: WinnerUpdatesListQuery = {}, options?: CallOptions): CursorPager<WinnerUpdate> {
    return cursorPagerOf<WinnerUpdate>(this.#call, winnerUpdates.list, { query }, options);
  }
}
