/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Number of this page, from 1. */
  readonly page?: number;
  /** Number of the last page when this one was read; it can move. */
  readonly lastPage?: number;
  /** Items on all pages; some lists don't say. */
  readonly total?: number;
  /** Where the next page begins; only of lists that are read along a cursor, and absent at the end. */
  readonly nextCursor?: string;
}

/** Reads a page out of an envelope: page fields and items stand at its top, or together inside `data`. */
export function pageOf<T>(envelope: object): Page<T> {
  const { data } = envelope as {
    readonly data: readonly T[] | (PageFields & { readonly items: readonly T[] });
  };
  return isItems(data) ? page(data, envelope) : page(data.items, data);
}

interface PageFields {
  readonly current_page?: number;
  readonly last_page?: number;
  readonly total?: number;
}

function isItems<T>(data: readonly T[] | object): data is readonly T[] {
  return Array.isArray(data);
}

function page<T>(items: readonly T[], { current_page, last_page, total }: PageFields): Page<T> {
  return {
    items,
    ...(current_page !== undefined && { page: current_page }),
    ...(last_page !== undefined && { lastPage: last_page }),
    ...(total !== undefined && { total }),
  };
}
