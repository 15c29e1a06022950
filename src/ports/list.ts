/** A record of a list that could not be read, such as one without an amount. */
export interface SkippedRecord {
  /** Position on its page, from 0. */
  readonly index: number;
  /** Id of the record, if that could be read. */
  readonly id?: string;
  /** The field that is wrong, such as `starting_price`; empty if it is the whole record. */
  readonly field: string;
  /** Why, such as `must be a decimal string`. */
  readonly problem: string;
  /** The record as the service sent it. */
  readonly record: unknown;
}

/** Base of all lists. Pages are requested as you iterate. */
export interface List<T> extends AsyncIterable<T> {
  /**
   * Records of the pages read so far that could not be read. The list leaves them out and goes on; with the option
   * `strict`, it throws instead.
   */
  readonly skipped: readonly SkippedRecord[];
  /** Iterates over items, from the first page. */
  [Symbol.asyncIterator](): AsyncGenerator<T, void, undefined>;
  /** Iterates over pages, from the first page. */
  pages(): AsyncGenerator<Page<T>, void, undefined>;
  /** Reads the first page, or the page or cursor in the query. */
  firstPage(): Promise<Page<T>>;
  /**
   * Collects items into an array.
   *
   * @param options `limit`: maximum number of items; defaults to all.
   */
  toArray(options?: { readonly limit?: number | undefined }): Promise<T[]>;
}

/**
 * A list that is read page by page as you iterate. No request is sent before that.
 *
 * `for await (const item of pager)` yields items. A second loop starts again. A list can change while you read it:
 * an item that moves between pages may appear twice or be missed, so match items by id.
 */
export interface Pager<T> extends List<T> {
  /** Reads one page by its number, from 1. */
  page(number: number): Promise<Page<T>>;
}

/**
 * A list that is read by cursor as you iterate. No request is sent before that.
 *
 * Every page has `nextCursor`. Store it after you handled the page's items, and pass it as `after` next time.
 * Reading from a cursor again is safe. The last page has no cursor, or the one it was requested with.
 */
export interface CursorPager<T> extends List<T> {}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Number of this page, from 1. */
  readonly page?: number;
  /** Number of the last page at the time of reading. It can change. */
  readonly lastPage?: number;
  /** Number of items on all pages. Not every list has it. */
  readonly total?: number;
  /** Cursor of the next page, in cursor lists only; absent at the end. */
  readonly nextCursor?: string;
  /** Records of this page that could not be read; absent if there are none. */
  readonly skipped?: readonly SkippedRecord[];
}
