import type { Route } from '../api/operation.js';
import type { InputIssue } from '../errors/local.js';
import type { MutationOptions } from './caller.js';
import { jsonProblem } from './json-value.js';
import { isFields } from './plain.js';

/** Names that no extra may take, whatever the operation: they decide what a call does, and how often. */
const reserved = ['_method', 'expected_version', 'idempotency_key'];

/** Checks `extraQuery`; undefined values are left out. */
export function extraQueryOf(
  route: Route,
  given: readonly string[],
  options: MutationOptions | undefined,
  issues: InputIssue[],
): [name: string, value: string][] {
  const known = [...Object.keys(route.query?.shape ?? {}), ...Object.keys(route.fixedQuery ?? {}), ...given];
  return entriesOf('extraQuery', options?.extraQuery, known, issues).flatMap(([name, value]) => {
    if (isScalar(value)) return [[name, String(value)] as [string, string]];
    issues.push({ path: `options.extraQuery.${name}`, message: 'must be a string, a number or a boolean' });
    return [];
  });
}

/** Checks `extraBody`; undefined values are left out. */
export function extraBodyOf(
  route: Route,
  options: MutationOptions | undefined,
  issues: InputIssue[],
): Record<string, unknown> {
  const extra: Record<string, unknown> = {};
  for (const [name, value] of entriesOf(
    'extraBody',
    options?.extraBody,
    Object.keys(route.body?.shape ?? {}),
    issues,
  )) {
    const problem = jsonProblem(value);
    if (problem === undefined) extra[name] = value;
    else issues.push({ path: `options.extraBody.${name}${problem.path}`, message: problem.message });
  }
  return extra;
}

function entriesOf(
  option: 'extraQuery' | 'extraBody',
  given: unknown,
  known: readonly string[],
  issues: InputIssue[],
): [name: string, value: unknown][] {
  if (given === undefined) return [];
  if (!isFields(given)) {
    issues.push({ path: `options.${option}`, message: 'must be a plain object' });
    return [];
  }
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return entries.filter(([name]) => {
    const message = nameProblem(name, known);
    if (message !== undefined) issues.push({ path: `options.${option}.${name}`, message });
    return message === undefined;
  });
}

function nameProblem(name: string, known: readonly string[]): string | undefined {
  if (name === '' || name === '__proto__') return 'must have a name';
  if (reserved.includes(name)) return 'is never an extra: it decides what the call does';
  return known.includes(name) ? 'is a known field; give it among the others' : undefined;
}

function isScalar(value: unknown): value is string | number | boolean {
  return (
    typeof value === 'string' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value))
  );
}
