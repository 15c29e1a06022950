import type { Operation } from '../api/operation.js';
import type { Caller, CallInput, CallOptions } from '../core/caller.js';
import { contextOf } from '../core/context.js';
import { attachInfo, responseOf } from '../core/response-info.js';
import { UnexpectedResponseError } from '../errors/connection.js';
import { InvalidRequestError } from '../errors/local.js';
import { type Page, pageOf } from './page.js';

/**
 * A list that is read page by page, as far as you walk it. Nothing is sent before you do.
 *
 * `for await (const item of pager)` walks items; walking again starts again. Lists move while they are walked: an
 * item that moves between pages may come twice or be missed, so match by id.
 */
export class Pager<T> implements AsyncIterable<T> {
  readonly #fetch: (page: number | undefined) => Promise<Page<T>>;
  readonly #first: number;
  readonly #operation: Operation;

  /** @internal */
  constructor(operation: Operation, first: number, fetch: (page: number | undefined) => Promise<Page<T>>) {
    this.#operation = operation;
    this.#first = first;
    this.#fetch = fetch;
  }

  /** Walks every item from the first page on. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  /** Walks pages from the first one on. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page = await this.firstPage();
    yield page;
    for (let next = (page.page ?? this.#first) + 1; next <= (page.lastPage ?? 0); next += 1) {
      page = await this.page(next);
      if (page.page !== undefined && page.page !== next) {
        // The list shrank, and the service answers with its last page again: every item of it has been seen.
        if (next > (page.lastPage ?? 0)) return;
        throw this.#wrongPage(next, page.page);
      }
      yield page;
    }
  }

  /** Reads the first page: page 1, or the one that the query names. */
  firstPage(): Promise<Page<T>> {
    return this.#fetch(undefined);
  }

  /** Reads one page by its number, from 1. */
  page(number: number): Promise<Page<T>> {
    return this.#fetch(number);
  }

  /**
   * Collects items into an array.
   *
   * @param options `limit`: how many items at the most; all of them when left out.
   */
  async toArray(options: { readonly limit?: number | undefined } = {}): Promise<T[]> {
    const unknown =
      typeof options === 'object' && options !== null
        ? Object.keys(options).filter((key) => key !== 'limit')
        : ['options'];
    const limit = options?.limit ?? Number.POSITIVE_INFINITY;
    if (unknown.length > 0 || typeof limit !== 'number' || !(limit >= 0)) {
      throw new InvalidRequestError(
        [{ path: 'limit', message: 'must be a number from 0, given as { limit: 100 }' }],
        contextOf(this.#operation),
      );
    }
    const items: T[] = [];
    if (limit === 0) return items;
    for await (const item of this) {
      items.push(item);
      if (items.length >= limit) break;
    }
    return items;
  }

  #wrongPage(asked: number, got: number): UnexpectedResponseError {
    return new UnexpectedResponseError({
      ...contextOf(this.#operation),
      outcome: 'unknown',
      status: 200,
      what: `Page ${asked} was asked for and page ${got} came, which would be walked twice.`,
      nextStep: 'Walk the list again, and tell the bank if it lasts.',
    });
  }
}

/** A pager over a list operation; what it walks as `T` is generated from the schema that checks each page. */
export function pagerOf<T>(
  call: Caller,
  operation: Operation,
  input: CallInput,
  options?: CallOptions,
): Pager<T> {
  // Copied now: changing the object later must not change the pages that are still to come.
  const query = copyOf(input.query);
  const page: unknown = Object(query).page;
  const first = typeof page === 'number' ? page : 1;
  return new Pager<T>(operation, first, async (number) => {
    const asked = number === undefined ? query : { ...query, page: number };
    const envelope = await call<object>(operation, { ...input, query: asked }, options);
    const page = pageOf<T>(envelope);
    attachInfo(page, responseOf(envelope));
    return page;
  });
}

/** A copy of what is an object; whatever else came passes on, to be refused like any other query. */
function copyOf(query: object = {}): object {
  return typeof query === 'object' && query !== null && !Array.isArray(query) ? { ...query } : query;
}
