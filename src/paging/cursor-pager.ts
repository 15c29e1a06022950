import { isObject } from '../api/check.js';
import type { Route } from '../api/operation.js';
import { tolerated } from '../api/tolerance.js';
import { contextOf } from '../core/caller.js';
import type { Call, CallInput, CallOptions } from '../ports/caller.js';
import type * as ports from '../ports/list.js';
import type { Page } from '../ports/list.js';
import { copyOf, List, Progress, STALLED, unexpectedPage, withSkipped } from './list.js';

export class CursorPager<T> extends List<T> implements ports.CursorPager<T> {
  readonly #fetch: (cursor: string | undefined) => Promise<Page<T>>;
  readonly #first: string | undefined;

  constructor(
    route: Route,
    first: string | undefined,
    fetch: (cursor: string | undefined) => Promise<Page<T>>,
  ) {
    super(contextOf(route));
    this.#first = first;
    this.#fetch = fetch;
  }

  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    const walked = new Set<string>(this.#first === undefined ? [] : [this.#first]);
    const progress = new Progress();
    let asked = this.#first;
    for (;;) {
      const page: Page<T> = this.noted(await this.#fetch(asked));
      const isStalled = progress.isStalled(page);
      yield page;
      const next = page.nextCursor;
      // The same cursor again: there is nothing after it yet.
      if (next === undefined || next === asked) return;
      if (isStalled) throw this.misleading(STALLED);
      if (walked.has(next)) {
        throw this.misleading(
          'The service returned a cursor for the second time, so the list would never end.',
        );
      }
      walked.add(next);
      asked = next;
    }
  }

  async firstPage(): Promise<Page<T>> {
    return this.noted(await this.#fetch(this.#first));
  }
}

/** Creates a pager for a cursor operation. `T` is generated from its schema. */
export function cursorPagerOf<T>(
  call: Call,
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
        contextOf(route),
        'The reply must have one array of items, and a cursor that is a string.',
      );
    }
    return withSkipped(page, envelope);
  });
}

/**
 * Reads a page from a cursor envelope; undefined if the list is ambiguous. The API text names only `next_cursor`
 * (unknowns: `winner-update-list`). The items are `data`, the only list inside `data`, or the only list of the
 * body.
 */
function cursorPageOf<T>(envelope: object): Page<T> | undefined {
  const written: unknown = Reflect.get(envelope, 'data');
  // An empty object says nothing about where the items are.
  const isByIndex = isObject(written) && Object.keys(written).length > 0;
  const data = isByIndex ? (tolerated('list', written)?.value ?? written) : written;
  const inner = isObject(data) ? data : undefined;
  const holders = [envelope, ...(inner === undefined ? [] : [inner, inner['meta']].filter(isObject))];
  const items = Array.isArray(data) ? data : (onlyList(envelope, inner) ?? namedList(inner));
  // PHP writes false if it has none.
  const cursors = holders.map((holder): unknown => Reflect.get(holder, 'next_cursor') || undefined);
  const cursor = cursors.find((one) => one !== undefined);
  if (items === undefined || (cursor !== undefined && typeof cursor !== 'string')) return undefined;
  return { items: items as readonly T[], ...(cursor !== undefined && { nextCursor: cursor }) };
}

function onlyList(...holders: readonly (object | undefined)[]): readonly unknown[] | undefined {
  const lists = holders.flatMap((holder) =>
    Object.values(holder ?? {}).filter((value) => Array.isArray(value)),
  );
  return lists.length === 1 ? lists[0] : undefined;
}

/** The list inside `data` with one of the names that lists of this API have. */
function namedList(inner: object | undefined): readonly unknown[] | undefined {
  const lists = ['data', 'items'].map((name): unknown => Reflect.get(inner ?? {}, name));
  return lists.find((value) => Array.isArray(value));
}
