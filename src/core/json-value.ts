import { isFileContent } from './file-content.js';
import { isFields } from './plain.js';

/** What is wrong with a value that is to travel as JSON. */
export interface JsonProblem {
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
