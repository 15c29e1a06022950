import { checkReply, type Issue, isObject, type Schema } from '../../api/check.js';
import type { Route } from '../../api/operation.js';
import type { SkippedRecord } from '../../ports/list.js';

/**
 * Removes unreadable records from a list, so that one bad record does not hide the others.
 *
 * @param body of a reply; its list is replaced
 * @returns the records that were left out, or undefined if the reply is no list or something else is wrong with it
 */
export function withoutUnreadable(
  { effect, reply }: Route,
  body: unknown,
  issues: readonly Issue[],
): readonly SkippedRecord[] | undefined {
  if (effect !== 'read' || reply === undefined || !isObject(body)) return undefined;
  const { data } = body;
  const holder = isObject(data) && Array.isArray(data['items']) ? data : body;
  const name = holder === body ? 'data' : 'items';
  const items: unknown = holder[name];
  if (!Array.isArray(items)) return undefined;
  const prefix = holder === body ? ['data'] : ['data', 'items'];
  const skipped = new Map<number, SkippedRecord>();
  for (const { path, problem } of itemIssues(reply, items, issues)) {
    const index = path[prefix.length];
    const isItem = prefix.every((key, at) => path[at] === key) && typeof index === 'number';
    if (!isItem) return undefined;
    if (skipped.has(index)) continue;
    const record: unknown = items[index];
    const id = isObject(record) ? (record['id'] ?? record['lot_id']) : undefined;
    skipped.set(index, {
      index,
      ...(typeof id === 'string' && { id }),
      field: path
        .slice(prefix.length + 1)
        .map(String)
        .join('.'),
      problem,
      record,
    });
  }
  if (skipped.size === 0) return undefined;
  holder[name] = items.filter((_, index) => !skipped.has(index));
  return [...skipped.values()];
}

/** The issues that make records unreadable. A list that may also be an object is checked as a list. */
function itemIssues(reply: Schema, items: readonly unknown[], issues: readonly Issue[]): readonly Issue[] {
  const fatal = issues.filter(({ tolerable }) => !tolerable);
  const [only] = fatal;
  const list = fatal.length === 1 && only?.path.length === 1 ? listIn(reply) : undefined;
  if (list === undefined) return fatal;
  const found = checkReply(list, items).issues.filter(({ tolerable }) => !tolerable);
  return found.map((issue) => ({ ...issue, path: ['data', ...issue.path] }));
}

/** The schema of `data` as a list, if it may also be something else. */
function listIn(reply: Schema): Schema | undefined {
  const data = typeof reply === 'object' && 'fields' in reply ? reply.fields['data'] : undefined;
  const schema = typeof data === 'object' && 'optional' in data ? data.optional : data;
  if (typeof schema !== 'object' || !('either' in schema)) return undefined;
  return schema.either.find((option) => typeof option === 'object' && 'list' in option);
}
