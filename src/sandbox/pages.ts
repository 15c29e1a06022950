import { type Answering, type Reply, read } from './replies.js';

/** The page size of lists that take none. */
export const fixedPageSize = 25;

/** Events, event lots, `/lots`, notifications: items with `current_page`, `last_page`, `total`, and no more. */
export function cataloguePage<T>(
  all: readonly T[],
  page: number,
  perPage: number,
  show: (item: T) => unknown,
): Reply {
  const { items, lastPage } = slice(all, page, perPage);
  return {
    status: 200,
    json: { data: items.map(show), current_page: page, last_page: lastPage, total: all.length },
  };
}

/** `/results`: as in the catalogue, without a total. */
export function resultsPage<T>(all: readonly T[], page: number, show: (item: T) => unknown): Reply {
  const { items, lastPage } = slice(all, page, fixedPageSize);
  return { status: 200, json: { data: items.map(show), current_page: page, last_page: lastPage } };
}

/** A08, A20: the page stands inside `data`. */
export function workflowPage<T>(
  answering: Answering,
  all: readonly T[],
  page: number,
  show: (item: T) => unknown,
): Reply {
  const { items, lastPage } = slice(all, page, fixedPageSize);
  const data = { items: items.map(show), current_page: page, last_page: lastPage, total: all.length };
  return read(answering, data);
}

/** `/bids`: the framework's own pagination envelope. `path` is the absolute URL of the list. */
export function frameworkPage<T>(
  all: readonly T[],
  page: number,
  path: string,
  show: (item: T) => unknown,
): Reply {
  const { items, lastPage, from } = slice(all, page, fixedPageSize);
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
      last_page_url: url(lastPage),
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
    },
  };
}

function slice<T>(all: readonly T[], page: number, perPage: number) {
  const start = (page - 1) * perPage;
  return {
    items: all.slice(start, start + perPage),
    lastPage: Math.max(1, Math.ceil(all.length / perPage)),
    from: start + 1,
  };
}
