import type { Issue } from '../../api/check.js';
import type { Envelope } from '../../api/operation.js';
import { type ToleranceName, tolerated } from '../../api/tolerance.js';

/** The body of a list, with its items and page numbers in their documented places. */
export interface ListPage {
  readonly body: unknown;
  /** The tolerated forms in which parts of the list were read. */
  readonly tolerated: readonly { readonly name: ToleranceName; readonly path: readonly string[] }[];
}

const forms: Readonly<Partial<Record<Envelope, readonly ('page' | 'numbered_page' | 'workflow_page')[]>>> = {
  page: ['numbered_page', 'page'],
  results_page: ['numbered_page', 'page'],
  bids_page: ['numbered_page', 'page'],
  workflow_page: ['workflow_page'],
  cursor_page: ['page'],
};

/** Reads a list in the forms that are tolerated. Other bodies are returned as they are. */
export function listPage(envelope: Envelope, json: unknown): ListPage {
  const found: ListPage['tolerated'][number][] = [];
  let body = json;
  for (const form of forms[envelope] ?? []) {
    const page = tolerated(form, body);
    if (page === undefined) continue;
    found.push({ name: page.name, path: [page.name === 'page_in_meta' ? 'meta' : 'data'] });
    body = page.value;
  }
  return { body, tolerated: found };
}

/**
 * Tolerates one unreadable page number. The list then relies on the other number; without `last_page` it ends at the first
 * page without a new item. A body without both numbers is not a page.
 */
export function withoutPageNumber(envelope: Envelope, issues: readonly Issue[]): readonly Issue[] {
  if (!envelope.endsWith('page')) return issues;
  const place = envelope === 'workflow_page' ? ['data'] : [];
  const isPageNumber = ({ path }: Issue) =>
    path.length === place.length + 1 &&
    place.every((name, index) => path[index] === name) &&
    (path[place.length] === 'current_page' || path[place.length] === 'last_page');
  if (issues.filter(isPageNumber).length > 1) return issues;
  return issues.map((issue) => (isPageNumber(issue) ? { ...issue, tolerable: true } : issue));
}
