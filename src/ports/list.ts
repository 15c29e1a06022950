/** What all lists have in common: they are read page by page, as far as you iterate them. */
export interface List<T> extends AsyncIterable<T> {
  /** Walks every item from the first page on. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
  /** Walks pages from the first one on. */
  pages(): AsyncGenerator<Page<T>, void, undefined>;
  /** Reads the first page: from the beginning, or the one that the query names. */
  firstPage(): Promise<Page<T>>;
  /**
   * Collects items into an array.
   *
   * @param options `limit`: most items to collect; defaults to all.
   */
  toArray(options?: { readonly limit?: number | undefined }): Promise<T[]>;
}

/**
 * A list that is read page by page as you iterate it. Nothing is sent before.
 *
 * `for await (const item of pager)` yields items; a second loop starts again. Lists change while you read them: an
 * item that moves between pages may come twice or be missed, so match by id.
 */
export interface Pager<T> extends List<T> {
  /** Reads one page by its number, from 1. */
  page(number: number): Promise<Page<T>>;
}

/**
 * A list that is read by cursor as you iterate it. Nothing is sent before.
 *
 * Every page carries `nextCursor`: store it once the items of that page are handled, and begin there next time
 * (`after`). Asking for a cursor again is safe. The last page has none, or the one that was asked for.
 */
export interface CursorPager<T> extends List<T> {}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Number of this page, from 1. */
  readonly page?: number;
  /** Number of the last page when this one was read; it can move. */
  readonly lastPage?: number;
  /** Items on all pages; some lists don't say. */
  readonly total?: number;
  /** Where the next page begins; only of lists that are read along a cursor, and absent at the end. */
  readonly nextCursor?: string;
}
