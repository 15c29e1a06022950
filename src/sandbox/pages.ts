import type { RoutedRequest } from './call.js';
import { notFound, Refusal, type Reply, read } from './replies.js';
import { isoTime } from './times.js';

/** The page size of lists that take none. */
export const fixedPageSize = 25;

/** Events, event lots, `/lots`, notifications: items with `current_page`, `last_page`, `total`, and no more. */
export function cataloguePage<T>(
  call: RoutedRequest,
  all: readonly T[],
  page: number,
  perPage: number,
  show: (item: T) => unknown,
): Reply {
  const { items, lastPage } = slice(call, all, page, perPage);
  const numbers = { current_page: page, last_page: lastPage, total: all.length };
  return { status: 200, json: { data: items.map(show), ...numbers, ...stamp(call) } };
}

/** `/results`: as in the catalogue, without a total. */
export function resultsPage<T>(
  call: RoutedRequest,
  all: readonly T[],
  page: number,
  show: (item: T) => unknown,
): Reply {
  const { items, lastPage } = slice(call, all, page, fixedPageSize);
  const numbers = { current_page: page, last_page: lastPage };
  return { status: 200, json: { data: items.map(show), ...numbers, ...stamp(call) } };
}

/** A08, A20: the page stands inside `data`. */
export function workflowPage<T>(
  call: RoutedRequest,
  all: readonly T[],
  page: number,
  show: (item: T) => unknown,
): Reply {
  const { items, lastPage } = slice(call, all, page, fixedPageSize);
  const data = { items: items.map(show), current_page: page, last_page: lastPage, total: all.length };
  return read(call, data);
}

/** `/bids`: the framework's own pagination envelope. `path` is the absolute URL of the list. */
export function frameworkPage<T>(
  call: RoutedRequest,
  all: readonly T[],
  page: number,
  path: string,
  show: (item: T) => unknown,
): Reply {
  const { items, lastPage, from } = slice(call, all, page, fixedPageSize);
  const url = (number: number) => `${path}?page=${number}`;
  const previous = page > 1 ? url(page - 1) : null;
  const next = page < lastPage ? url(page + 1) : null;
  const numbers = Array.from({ length: lastPage }, (_, index) => index + 1);
  return {
    status: 200,
    json: {
      current_page: page,
      data: items.map(show),
      first_page_url: url(1),
      from: items.length > 0 ? from : null,
      last_page: lastPage,
      last_page_url: url(Math.max(1, lastPage)),
      links: [
        { url: previous, label: '&laquo; Previous', active: false },
        ...numbers.map((number) => ({ url: url(number), label: String(number), active: number === page })),
        { url: next, label: 'Next &raquo;', active: false },
      ],
      next_page_url: next,
      path,
      per_page: fixedPageSize,
      prev_page_url: previous,
      to: items.length > 0 ? from + items.length - 1 : null,
      total: all.length,
      ...stamp(call),
    },
  };
}

/** One page. Order, the last page of an empty list, and what lies past the end are not shown (unknowns: `list-order`, `empty-list-last-page`, `page-past-the-end`). */
function slice<T>({ world }: RoutedRequest, all: readonly T[], page: number, perPage: number) {
  const { variants } = world.settings;
  const start = (page - 1) * perPage;
  const lastPage = Math.max(Number(variants['empty-list-last-page']), Math.ceil(all.length / perPage));
  if (variants['page-past-the-end'] === 'not-found' && page > Math.max(1, lastPage)) {
    throw new Refusal(notFound());
  }
  const ordered = variants['list-order'] === 'reversed' ? all.toReversed() : all;
  return { items: ordered.slice(start, start + perPage), lastPage, from: start + 1 };
}

/** What pages may carry beside the described fields (unknowns: `page-envelope-details`). */
function stamp(call: RoutedRequest) {
  return call.world.settings.variants['page-envelope-details'] === 'stamped'
    ? { server_time: isoTime(call.now()), request_id: call.requestId }
    : {};
}
