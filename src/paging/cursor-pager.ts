import type { Route } from '../api/operation.js';
import type { Caller, CallInput, CallOptions } from '../core/caller.js';
import { copyInfo } from '../core/response-info.js';
import { cursorPageOf } from './cursor-page.js';
import { copyOf } from './input.js';
import { List, unexpectedPage } from './list.js';
import type { Page } from './page.js';

/**
 * A list that is read along a cursor, as far as you walk it. Nothing is sent before you do.
 *
 * Every page carries `nextCursor`: store it once the items of that page are dealt with, and begin there next time
 * (`after`). Asking for a cursor again is safe. The last page has none, or the one that was asked for.
 */
export class CursorPager<T> extends List<T> {
  readonly #fetch: (cursor: string | undefined) => Promise<Page<T>>;
  readonly #first: string | undefined;

  /** @internal */
  constructor(
    route: Route,
    first: string | undefined,
    fetch: (cursor: string | undefined) => Promise<Page<T>>,
  ) {
    super(route);
    this.#first = first;
    this.#fetch = fetch;
  }

  /** Walks pages from the first one on, until one has no next cursor. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    const walked = new Set<string>(this.#first === undefined ? [] : [this.#first]);
    let asked = this.#first;
    for (;;) {
      const page: Page<T> = await this.#fetch(asked);
      yield page;
      const next = page.nextCursor;
      // The cursor that was asked for, given back: nothing has come after it yet.
      if (next === undefined || next === asked) return;
      if (walked.has(next)) {
        throw this.walkedTwice('The next cursor is one that was walked before, so the list would never end.');
      }
      walked.add(next);
      asked = next;
    }
  }

  /** Reads the first page: from the beginning, or after the cursor that the query names. */
  firstPage(): Promise<Page<T>> {
    return this.#fetch(this.#first);
  }
}

/** A pager over a cursor operation; what it walks as `T` is generated from its schema. */
export function cursorPagerOf<T>(
  call: Caller,
  route: Route,
  input: CallInput,
  options?: CallOptions,
): CursorPager<T> {
  const query = copyOf(input.query);
  const after: unknown = Object(query).after;
  return new CursorPager<T>(route, typeof after === 'string' ? after : undefined, async (cursor) => {
    const asked = cursor === undefined ? query : { ...query, after: cursor };
    const envelope = await call<object>(route, { ...input, query: asked }, options);
    const page = cursorPageOf<T>(envelope);
    if (page === undefined) {
      throw unexpectedPage(
        route,
        'The reply holds no list that could be told to be the items, or an odd cursor.',
      );
    }
    copyInfo(envelope, page);
    return page;
  });
}
