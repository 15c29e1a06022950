import { List } from '../paging/list.js';
import type * as ports from '../ports/list.js';
import type { Page } from '../ports/list.js';

/** The pages of a list of intents. */
export interface IntentPages<T> {
  /** Maximum number of intents on one page. */
  readonly limit: number;
  /** One page of this account, after a position; undefined for the first. */
  pageAfter(position: number | undefined): Promise<readonly T[]>;
  positionOf(item: T): number;
  /** Intents of other accounts that belong to the list. They come last. */
  elsewhere(): Promise<readonly T[]>;
}

/** Intents, read from the store page by page. */
export class IntentList<T> extends List<T> implements ports.CursorPager<T> {
  readonly #pages: IntentPages<T>;

  constructor(pages: IntentPages<T>) {
    super({ call: 'intents.list', operation: 'intents.list' });
    this.#pages = pages;
  }

  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    const { limit, pageAfter, positionOf, elsewhere } = this.#pages;
    let position: number | undefined;
    for (;;) {
      const items = await pageAfter(position);
      const last = items.at(-1);
      if (last !== undefined) position = positionOf(last);
      const isLast = items.length < limit;
      const others = isLast ? await elsewhere() : [];
      yield {
        items: [...items, ...others],
        ...(position !== undefined && { nextCursor: String(position) }),
      };
      if (isLast) return;
    }
  }

  async firstPage(): Promise<Page<T>> {
    const first = await this.pages().next();
    return first.done === true ? { items: [] } : first.value;
  }
}
