import type { Route } from '../api/operation.js';
import { contextOf } from '../core/caller.js';
import type { Call, CallInput, CallOptions } from '../ports/caller.js';
import type * as ports from '../ports/list.js';
import type { Page } from '../ports/list.js';
import { copyOf, List, Progress, pageOf, STALLED, withSkipped } from './list.js';

export class Pager<T> extends List<T> implements ports.Pager<T> {
  readonly #fetch: (page: number | undefined) => Promise<Page<T>>;
  readonly #first: number;

  constructor(route: Route, first: number, fetch: (page: number | undefined) => Promise<Page<T>>) {
    super(contextOf(route));
    this.#first = first;
    this.#fetch = fetch;
  }

  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    const progress = new Progress();
    let next = this.#first;
    let page = await this.firstPage();
    if (page.lastPage !== undefined && this.#isRepeated(page, next)) return;
    progress.isStalled(page);
    yield page;
    next += 1;
    // Without the number of the last page, a list ends with the first page that brings nothing new.
    while (page.lastPage === undefined ? !progress.isIdle : next <= page.lastPage) {
      page = await this.page(next);
      if (this.#isRepeated(page, next)) return;
      const isStalled = progress.isStalled(page);
      if (page.lastPage === undefined && progress.isIdle) return;
      yield page;
      if (isStalled && page.lastPage !== undefined && next < page.lastPage) throw this.misleading(STALLED);
      next += 1;
    }
  }

  /** True if the list is shorter, and the service repeated its last page. @throws UnexpectedResponseError for another page */
  #isRepeated({ page, lastPage }: Page<T>, asked: number): boolean {
    if (page === undefined || page === asked) return false;
    if (lastPage === undefined || asked > lastPage) return true;
    throw this.misleading(`Page ${asked} was requested, but the service returned page ${page}.`);
  }

  async firstPage(): Promise<Page<T>> {
    return this.noted(await this.#fetch(undefined));
  }

  async page(number: number): Promise<Page<T>> {
    return this.noted(await this.#fetch(number));
  }
}

/** Creates a pager for a list operation. `T` is generated from the schema that checks each page. */
export function pagerOf<T>(call: Call, route: Route, input: CallInput, options?: CallOptions): Pager<T> {
  const query = copyOf(input.query);
  const page: unknown = Object(query).page;
  const first = typeof page === 'number' ? page : 1;
  return new Pager<T>(route, first, async (number) => {
    const asked = number === undefined ? query : { ...query, page: number };
    const envelope = await call<object>(route, { ...input, query: asked }, options);
    return withSkipped(pageOf<T>(envelope), envelope);
  });
}
