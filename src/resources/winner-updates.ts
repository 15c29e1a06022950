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
   * Returns a pager: nothing is sent before it is walked.
   *
   * Store `next_cursor` only after every update of its page has been handled: what a crash cuts short then
   * comes again. Asking twice with one cursor is safe, so handle updates in a way that bears repetition.
   *
   * An update tells of the same decision as the `sale.approved` event; count it once where both arrive.
   *
   * API: `GET /winner-updates`, scope `sales:read`; "Winner updates".
   * @param query What to ask for: `after`, `limit`.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  list(query: WinnerUpdatesListQuery = {}, options?: CallOptions): CursorPager<WinnerUpdate> {
    return cursorPagerOf<WinnerUpdate>(this.#call, winnerUpdates.list, { query }, options);
  }
}
