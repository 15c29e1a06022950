import type { Page } from './page.js';

/**
 * Reads a page out of a cursor envelope; undefined where it can't be told which list is meant. The API text names
 * only `next_cursor` (unknowns: `winner-update-list`): the items are `data`, the one list inside `data`, or the one
 * list of the body.
 */
export function cursorPageOf<T>(envelope: object): Page<T> | undefined {
  const data: unknown = Reflect.get(envelope, 'data');
  const holders = [
    envelope,
    ...(typeof data === 'object' && data !== null && !Array.isArray(data) ? [data] : []),
  ];
  const items = Array.isArray(data) ? data : onlyList(holders);
  const cursors = holders.map((holder): unknown => Reflect.get(holder, 'next_cursor') ?? undefined);
  const cursor = cursors.find((one) => one !== undefined && one !== '');
  if (items === undefined || (cursor !== undefined && typeof cursor !== 'string')) return undefined;
  return { items: items as readonly T[], ...(cursor !== undefined && { nextCursor: cursor }) };
}

function onlyList(holders: readonly object[]): readonly unknown[] | undefined {
  const lists = holders.flatMap((holder) => Object.values(holder).filter((value) => Array.isArray(value)));
  return lists.length === 1 ? lists[0] : undefined;
}
