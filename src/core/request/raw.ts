import type { ObjectSchema } from '../../api/check.js';
import { isFields } from '../../api/check.js';
import { API_PREFIX, formats } from '../../api/formats.js';
import type { Route } from '../../api/operation.js';
import { plannedOperations } from '../../api/planned.js';
import { type InputIssue, InvalidRequestError } from '../../errors/local.js';
import { routes } from '../../generated/routes.js';
import type { CallInput } from '../../ports/caller.js';

/** A call of an operation that has no method, or of one that isn't known at all. */
export interface RawRequest {
  /** The effective method; PATCH and PUT are sent as POST with `_method` in the signed body. */
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT';
  /** Path after `/api/v1`, such as `/audit-events`. */
  readonly path: string;
  /** Query parameters; they are sorted and encoded. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** JSON object; an `idempotency_key` is filled in for everything that isn't known to be a read. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Converts a raw request to a call.
 *
 * @param name name of an unknown operation in errors
 * @throws InvalidRequestError
 */
export function rawCall(
  request: RawRequest,
  envelope: 'raw' | 'binary',
  name = 'request',
): { route: Route; input: CallInput } {
  const issues = requestIssues(request);
  if (issues.length > 0) throw new InvalidRequestError(issues, { call: name, operation: name });
  const { method, path, query, body } = request;
  const [known] = knownFor(method, path);
  const segments = path.slice(1).split('/');
  const template: Route['path'] =
    known?.path ?? `/${segments.map((_, index) => `{segment${index + 1}}`).join('/')}`;
  const ids = template
    .slice(1)
    .split('/')
    .map((part, index) => [paramOf(part), segments[index]] as const)
    .flatMap(([name, value]) => (name === undefined ? [] : [[name, value] as const]));
  const effect = known?.effect ?? (method === 'GET' ? 'read' : 'command');
  return {
    route: {
      id: known?.id ?? name,
      name: known?.id ?? name,
      method,
      path: template,
      availability: known?.availability ?? 'callable',
      effect,
      params: Object.fromEntries(ids.map(([name]) => [name, 'pathId' as const])),
      query: anyQuery,
      ...(method !== 'GET' && {
        body: { fields: effect === 'read' ? {} : { idempotency_key: 'uuid' }, rest: 'unknown' },
      }),
      success: anySuccess,
      envelope,
    },
    input: {
      path: Object.fromEntries(ids),
      ...(query !== undefined && { query }),
      ...(body !== undefined && { body }),
    },
  };
}

/** The operation of a path, if no operation of that path returns a file. */
export function knownWithoutFile(path: string): string | undefined {
  return isFile(path) ? undefined : knownFor('GET', path)[0]?.id;
}

/** Whether a path belongs to an operation that returns a file. */
export function isFile(path: string): boolean {
  return knownFor('GET', path).some(({ envelope }) => envelope === 'binary');
}

const anySuccess: readonly number[] = Array.from({ length: 100 }, (_, index) => 200 + index);

const anyQuery: ObjectSchema = {
  fields: {},
  rest: {
    optional: {
      either: ['string', 'number', 'boolean'],
      problem: 'must be a string, a number or a boolean',
    },
  },
};

function requestIssues(request: RawRequest): InputIssue[] {
  if (typeof request !== 'object' || request === null) {
    return [{ path: 'request', message: 'must be an object with method and path' }];
  }
  const issues = Object.keys(request)
    .filter((key) => !['method', 'path', 'query', 'body'].includes(key))
    .map((path) => ({ path, message: 'is not a field here; known fields: method, path, query, body' }));
  const { method, path, query, body } = request;
  if (!['GET', 'POST', 'PATCH', 'PUT'].includes(method)) {
    issues.push({ path: 'method', message: 'must be one of GET, POST, PATCH, PUT' });
  }
  for (const [path, part] of Object.entries({ query, body })) {
    if (part !== undefined && !isFields(part)) issues.push({ path, message: 'must be a plain object' });
    if (Object.hasOwn(Object(part), '_method')) {
      issues.push({ path: '_method', message: 'must be left out: give the effective method as `method`' });
    }
    // Loose schemas drop `__proto__` silently, and the request would differ from the one that was given.
    if (Object.hasOwn(Object(part), '__proto__')) {
      issues.push({ path: '__proto__', message: 'must be left out' });
    }
  }
  if (method === 'GET' && body !== undefined) {
    issues.push({ path: 'body', message: 'must be left out of a GET' });
  }
  const message = pathProblem(path);
  if (message !== undefined) issues.push({ path: 'path', message });
  else if (method !== 'GET' && knownFor('POST', path)[0]?.effect === 'bid') {
    issues.push({
      path: 'path',
      message: 'is the path of a bid: call bids.submit, which prevents duplicates',
    });
  }
  return issues;
}

function pathProblem(path: unknown): string | undefined {
  if (typeof path !== 'string' || !path.startsWith('/')) return 'must begin with "/", such as /audit-events';
  if (`${path}/`.startsWith(`${API_PREFIX}/`)) return `must be the part after ${API_PREFIX}`;
  if (path.includes('?')) return 'must hold no query; give that as `query`';
  const unfilled = /\{[^/]*\}/.exec(path);
  if (unfilled !== null) return `must have an id in place of ${unfilled[0]}`;
  const wrong = path
    .slice(1)
    .split('/')
    .find((segment) => formats.pathId(segment) !== undefined);
  return wrong === undefined
    ? undefined
    : 'must consist of plain segments: none empty, "." or "..", and without "%", "\\", "#" or control characters';
}

/** The known facts of an operation that has a method, or is planned. */
type Known = Pick<Route, 'id' | 'method' | 'path'> &
  Partial<Pick<Route, 'effect' | 'availability' | 'envelope'>>;

const allKnown: readonly Known[] = [
  ...routes,
  ...plannedOperations.map((planned) => ({ ...planned, availability: 'documented' as const })),
];

/**
 * Finds the operations of a path, listed or planned, so that errors name them and bids are recognised. One path may
 * have two, which differ in a query parameter (A73).
 */
function knownFor(method: string, path: string): readonly Known[] {
  const segments = path.split('/');
  return allKnown.filter((candidate) => {
    const parts = candidate.path.split('/');
    return (
      candidate.method === method &&
      parts.length === segments.length &&
      parts.every((part, index) => paramOf(part) !== undefined || part === segments[index])
    );
  });
}

/** The name in `{name}`; undefined for a literal segment. */
function paramOf(segment: string): string | undefined {
  return /^\{(\w+)\}$/.exec(segment)?.[1];
}
