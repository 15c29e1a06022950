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
    let page = await this.firstPage();
    progress.isStalled(page);
    yield page;
    let next = (page.page ?? this.#first) + 1;
    // Without the number of the last page, a list ends with the first page that brings nothing new.
    while (page.lastPage === undefined ? !progress.isIdle : next <= page.lastPage) {
      page = await this.page(next);
      if (page.page !== undefined && page.page !== next) {
        // The list shrank, and the service repeated its last page, which was already read.
        if (page.lastPage === undefined || next > page.lastPage) return;
        throw this.misleading(`Page ${next} was requested, but the service returned page ${page.page}.`);
      }
      const isStalled = progress.isStalled(page);
      if (page.lastPage === undefined && progress.isIdle) return;
      yield page;
      if (isStalled && page.lastPage !== undefined && next < page.lastPage) throw this.misleading(STALLED);
      next += 1;
    }
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
