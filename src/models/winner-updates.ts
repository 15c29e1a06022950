// Generated from src/api by `npm run generate`; edits are lost.

/**
 * A committed sale decision of the bank, as the pull API reports it; its fields are undocumented.
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
   * Cursor to continue from: the `next_cursor` of the last page that you handled. Leave it out the first
   * time. (API: Winner updates)
   */
  readonly after?: string | undefined;
  /** Updates per page, from 1; the maximum is undocumented. (API: Winner updates) */
  readonly limit?: number | undefined;
}
