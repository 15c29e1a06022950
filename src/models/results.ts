// Generated from src/api by `npm run generate`; edits are lost.

/**
 * Query of `results.list`.
 *
 * API text: Catalogue and events.
 */
export interface ResultsListQuery {
  /** Page number, from 1. (API: Catalogue and events) */
  readonly page?: number | undefined;
}
