import { isFields } from '../api/check.js';
import { copyInfo, skippedIn } from '../core/reply/reply.js';
import type { CallContext } from '../errors/base.js';
import { UnexpectedResponseError } from '../errors/connection.js';
import { InvalidRequestError } from '../errors/local.js';
import type * as ports from '../ports/list.js';
import type { Page, SkippedRecord } from '../ports/list.js';

/** How errors name the call that made a list. */
export type ListContext = CallContext & { readonly call: string };

/** Base class of all lists. */
export abstract class List<T> implements ports.List<T> {
  readonly #context: ListContext;
  readonly #skipped = new Map<string, SkippedRecord>();

  constructor(context: ListContext) {
    this.#context = context;
  }

  get skipped(): readonly SkippedRecord[] {
    return [...this.#skipped.values()];
  }

  /** Collects the unreadable records of a page, once however often the page is read. */
  protected noted(page: Page<T>): Page<T> {
    for (const each of page.skipped ?? [])
      this.#skipped.set(`${page.page} ${each.index} ${itemIdentity(each.record)}`, each);
    return page;
  }

  abstract pages(): AsyncGenerator<Page<T>, void, undefined>;
  abstract firstPage(): Promise<Page<T>>;

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.items;
  }

  async toArray(options: { readonly limit?: number | undefined } = {}): Promise<T[]> {
    const unknown =
      typeof options === 'object' && options !== null
        ? Object.keys(options).filter((key) => key !== 'limit')
        : ['options'];
    const limit = options?.limit ?? Number.POSITIVE_INFINITY;
    if (unknown.length > 0 || typeof limit !== 'number' || !(limit >= 0)) {
      throw new InvalidRequestError(
        [{ path: 'limit', message: 'must be a number from 0, given as { limit: 100 }' }],
        this.#context,
      );
    }
    const items: T[] = [];
    if (limit === 0) return items;
    // Iterate over pages, because awaiting each item costs a microtask.
    for await (const page of this.pages()) {
      for (const item of page.items) {
        items.push(item);
        if (items.length >= limit) return items;
      }
    }
    return items;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `${this.constructor.name} of ${this.#context.call} (nothing is read until you iterate it)`;
  }

  /** The error for pages that contradict each other. */
  protected misleading(what: string): UnexpectedResponseError {
    return unexpectedPage(this.#context, what);
  }
}

/** Pages in a row without a new item after which a list is ended. */
const MOST_IDLE_PAGES = 5;

/** Notices a list that goes on without bringing anything new, such as one that serves the same page for every number. */
export class Progress {
  readonly #seen = new Set<string>();
  #idle = 0;

  /** True if the last page brought nothing new. */
  get isIdle(): boolean {
    return this.#idle > 0;
  }

  /** True if this page and the pages before it brought nothing new. */
  isStalled({ items, skipped = [] }: Page<unknown>): boolean {
    const before = this.#seen.size;
    for (const item of items) this.#seen.add(itemIdentity(item));
    for (const { record } of skipped) this.#seen.add(itemIdentity(record));
    this.#idle = this.#seen.size > before ? 0 : this.#idle + 1;
    return this.#idle >= MOST_IDLE_PAGES;
  }
}

/** What `Progress` reports. */
export const STALLED = `The last ${MOST_IDLE_PAGES} pages had no new item, although the service says that more follow.`;

function itemIdentity(item: unknown): string {
  const id: unknown = Object(item).id;
  return typeof id === 'string' ? id : `${JSON.stringify(item)}`;
}

// Array methods that a list lacks. These throw a helpful message instead of "is not a function".
const arrayMethods = Object.getOwnPropertyNames(Array.prototype).filter(
  (name) => !/^(?:constructor|length|toString|toLocaleString|keys|values|entries)$/.test(name),
);
for (const name of arrayMethods) {
  Object.defineProperty(List.prototype, name, {
    value(this: List<unknown>): never {
      throw new TypeError(
        `${name}() is not available: a list is read page by page. Use \`for await (const item of list)\` or \`(await list.toArray({ limit })).${name}(…)\`.`,
      );
    },
    configurable: true,
    writable: true,
  });
}

function notAwaited(): never {
  throw new TypeError(
    'A list is read page by page, so it has no items yet. Use `for await (const item of list)` or `await list.toArray({ limit })`.',
  );
}

// A list without `await`: a loop over nothing, or an index that is undefined, would look like an empty list.
for (const name of [Symbol.iterator, 'length'] as const) {
  Object.defineProperty(List.prototype, name, { get: notAwaited, configurable: true });
}
// Found only if a list has no such member. In front of Object.prototype, so that a list stays an object.
Object.setPrototypeOf(
  List.prototype,
  new Proxy(Object.create(Object.prototype), {
    get: (target, name, receiver) =>
      typeof name === 'string' && /^\d+$/.test(name) ? notAwaited() : Reflect.get(target, name, receiver),
  }),
);

export function unexpectedPage(context: ListContext, what: string): UnexpectedResponseError {
  return new UnexpectedResponseError({
    ...context,
    reason: 'paging',
    outcome: 'unknown',
    status: 200,
    what,
    nextStep: 'Read the list again, and tell the bank if this persists.',
  });
}

/** A page with the records of its reply that could not be read. */
export function withSkipped<T>(page: Page<T>, envelope: object): Page<T> {
  const skipped = skippedIn(envelope);
  const found = skipped === undefined ? page : { ...page, skipped };
  copyInfo(envelope, found);
  return found;
}

/** Reads a page from an envelope, with page fields and items at the top or inside `data`. */
export function pageOf<T>(envelope: object): Page<T> {
  const { data } = envelope as {
    readonly data: readonly T[] | (PageFields & { readonly items: readonly T[] });
  };
  return isItems(data) ? page(data, envelope) : page(data.items, data);
}

/** Their types are those of the API text, or whatever the service wrote. */
interface PageFields {
  readonly current_page?: unknown;
  readonly last_page?: unknown;
  readonly total?: unknown;
}

function isItems<T>(data: readonly T[] | object): data is readonly T[] {
  return Array.isArray(data);
}

function page<T>(items: readonly T[], { current_page, last_page, total }: PageFields): Page<T> {
  return {
    items,
    ...(isCount(current_page) && current_page > 0 && { page: current_page }),
    ...(isCount(last_page) && { lastPage: last_page }),
    ...(isCount(total) && { total }),
  };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value);
}

/**
 * Copies a query, so that later changes of the object do not affect further pages. Returns a non-object unchanged,
 * to be refused like any invalid query.
 */
export function copyOf(query: object = {}): object {
  return isFields(query) ? { ...query } : query;
}
