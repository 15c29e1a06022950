import type { Route, VersionSource } from '../api/operation.js';
import { recordKinds } from '../api/records.js';
import type { InputIssue } from '../errors/local.js';

/** Path values as strings, and the version of the record that stood in for an id. */
export interface Resolved {
  readonly path: Readonly<Record<string, unknown>>;
  readonly version?: unknown;
}

/** Takes id and version from a record that was passed in place of an id. */
export function resolveRecord(
  { versionFrom }: Route,
  path: Readonly<Record<string, unknown>>,
  issues: InputIssue[],
): Resolved {
  if (versionFrom === undefined) return { path };
  const given = path[versionFrom.param];
  if (given instanceof Promise) {
    issues.push({ path: versionFrom.param, message: 'must not be a promise: await it first' });
    return { path: { ...path, [versionFrom.param]: 'record' }, version: 0 };
  }
  if (typeof given !== 'object' || given === null) return { path };
  const found = readRecord(versionFrom, given);
  if ('problem' in found) {
    issues.push({ path: versionFrom.param, message: found.problem });
    // The id is judged no further: one finding about the record says it all.
    return { path: { ...path, [versionFrom.param]: 'record' }, version: 0 };
  }
  return { path: { ...path, [versionFrom.param]: found.id }, version: found.version };
}

function readRecord(
  { kind, field }: VersionSource,
  record: object,
): { readonly id: string; readonly version: number } | { readonly problem: string } {
  const itsKind: unknown = Reflect.get(record, 'kind');
  if (typeof itsKind === 'string' && itsKind !== kind && recordKinds.includes(itsKind)) {
    return {
      problem: `must be the id or the record of ${withArticle(kind)}, not a record of kind "${itsKind}"`,
    };
  }
  const holder: unknown = field === 'inventory_version' ? Reflect.get(record, 'data') : record;
  const [idField, where] = field === 'inventory_version' ? ['vehicle_id', 'data.'] : ['id', ''];
  const id: unknown = Reflect.get(Object(holder), idField);
  const version: unknown = Reflect.get(Object(holder), field);
  if (typeof id !== 'string' || typeof version !== 'number' || !Number.isSafeInteger(version)) {
    return { problem: `must be an id, or a record that has ${where}${idField} and ${where}${field}` };
  }
  return { id, version };
}

function withArticle(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}
