/**
 * A copy of a query: changing the object later must not change the pages that are still to come. Whatever is no
 * object passes on, to be refused like any other query.
 */
export function copyOf(query: object = {}): object {
  return typeof query === 'object' && query !== null && !Array.isArray(query) ? { ...query } : query;
}
