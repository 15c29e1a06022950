import type { InputIssue } from '../../errors/local.js';
import { isFileContent } from './body.js';

/**
 * Whether a value can be taken for the fields that it holds: a plain object, or an instance of a class of the
 * caller's with fields of its own. Maps, forms, search parameters, signals and the like keep what they hold to
 * themselves, and would silently be sent as nothing.
 */
export function isFields(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.prototype.toString.call(value) !== '[object Object]') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(Object(prototype)) === null;
  return isPlain || Object.keys(value).length > 0;
}

/** What is wrong with a value that is to travel as JSON. */
interface JsonProblem {
  /** Where inside the value: `.items.3`, or nothing for the value itself. */
  readonly path: string;
  readonly message: string;
}

const MAX_DEPTH = 64;

/**
 * Finds what JSON would drop, change or choke on: functions, bigints, dates, class instances, numbers that aren't
 * finite, circles. What is signed must be what the caller gave.
 */
export function jsonProblem(value: unknown, depth = 0): JsonProblem | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : { path: '', message: 'must be a finite number' };
  }
  if (typeof value !== 'object') return { path: '', message: `must be JSON, which has no ${typeof value}` };
  if (depth === MAX_DEPTH) return { path: '', message: `must not be nested deeper than ${MAX_DEPTH} levels` };
  if (isFileContent(value)) {
    return { path: '', message: 'must be JSON; the content of a file is taken by fields of base64 only' };
  }
  if (!Array.isArray(value) && (!isFields(value) || 'toJSON' in value)) {
    return { path: '', message: 'must be JSON: a plain object, an array, or a simple value' };
  }
  // Holes are no entries, and would be sent as null.
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [key, inner] of entries) {
    // A property that is undefined is left out of JSON, as everywhere in JavaScript; an array would hold null instead.
    if (inner === undefined && !Array.isArray(value)) continue;
    if (key === '__proto__') return { path: '', message: 'must not have a field named __proto__' };
    const problem = jsonProblem(inner, depth + 1);
    if (problem !== undefined) return { path: `.${key}${problem.path}`, message: problem.message };
  }
  return undefined;
}

/** Names that no extra may take, whatever the operation: they decide what a call does, and how often. */
const reserved = ['_method', 'expected_version', 'idempotency_key'];

/** Checks `extraQuery` or `extraBody` beside the `known` fields; undefined values are left out. */
export function extrasOf(
  option: 'extraQuery' | 'extraBody',
  given: unknown,
  known: readonly string[],
  issues: InputIssue[],
): Record<string, unknown> {
  const extras: Record<string, unknown> = {};
  if (given === undefined) return extras;
  if (!isFields(given)) {
    issues.push({ path: `options.${option}`, message: 'must be a plain object' });
    return extras;
  }
  const problemOf = option === 'extraBody' ? jsonProblem : scalarProblem;
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue;
    const problem = nameProblem(name, known) ?? problemOf(value);
    if (problem === undefined) extras[name] = value;
    else issues.push({ path: `options.${option}.${name}${problem.path}`, message: problem.message });
  }
  return extras;
}

function nameProblem(name: string, known: readonly string[]): JsonProblem | undefined {
  if (name === '' || name === '__proto__') return { path: '', message: 'must have a name' };
  if (reserved.includes(name))
    return { path: '', message: 'is never an extra: it decides what the call does' };
  if (!known.includes(name)) return undefined;
  return { path: '', message: 'is a known field; give it among the others' };
}

function scalarProblem(value: unknown): JsonProblem | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return undefined;
  return { path: '', message: 'must be a string, a number or a boolean' };
}
