import { isFields } from '../core/request/fields.js';

/**
 * A copy of a query: changing the object later must not change the pages that are still to come. Whatever isn't
 * made of fields passes on, to be refused like any other query.
 */
export function copyOf(query: object = {}): object {
  return isFields(query) ? { ...query } : query;
}
