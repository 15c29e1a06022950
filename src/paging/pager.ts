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
    for (let next = (page.page ?? this.#first) + 1; next <= (page.lastPage ?? 0); next += 1) {
      page = await this.page(next);
      if (page.page !== undefined && page.page !== next) {
        // The list shrank, and the service repeated its last page, which was already read.
        if (next > (page.lastPage ?? 0)) return;
        throw this.misleading(`Page ${next} was requested, but the service returned page ${page.page}.`);
      }
      const isStalled = progress.isStalled(page);
      yield page;
      if (isStalled && next < (page.lastPage ?? 0)) throw this.misleading(STALLED);
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
