import { API_PREFIX } from '../../api/common.js';
import type { Actor, Operation, Resource } from '../../api/operation.js';
import { resources } from '../../api/service.js';
import { unescaped } from './canonical.js';

/** The operation of a request, with decoded path parameters. */
export interface Match {
  readonly operation: Operation;
  readonly params: ReadonlyMap<string, string>;
  /** The query without `?` and without the operation's fixed parameters. */
  readonly query: string;
}

/** Finds the operation for a method, path and query from the API descriptions. */
export class Router {
  readonly #routes = new Map<string, Route[]>();

  constructor(resources: readonly Resource[]) {
    const operations = resources.flatMap((resource) => Object.values(resource.operations));
    // Literal segments win over parameters, and operations with a fixed query over those without.
    operations.sort(
      (a, b) => sizeOf(a.params) - sizeOf(b.params) || sizeOf(b.fixedQuery) - sizeOf(a.fixedQuery),
    );
    for (const operation of operations) {
      const segments = operation.path.slice(1).split('/');
      const key = routeKey(operation.method, segments);
      this.#routes.set(key, [...(this.#routes.get(key) ?? []), { operation, segments }]);
    }
  }

  /** Methods that a path has, other than by query. */
  methodsOf(path: string): string[] {
    return wireMethods.filter((method) => this.match(method, path, '') !== undefined);
  }

  /** `path` starts with `/api/v1`; `wireQuery` has no `?`. Both are as sent. */
  match(method: string, path: string, wireQuery: string): Match | undefined {
    const segments = path.slice(API_PREFIX.length + 1).split('/');
    for (const { operation, segments: template } of this.#routes.get(routeKey(method, segments)) ?? []) {
      if (!template.every((part, at) => part === segments[at] || part.startsWith('{'))) continue;
      const params = bind(template, segments);
      const query = withoutFixed(wireQuery, operation.fixedQuery);
      if (params !== undefined && query !== undefined) return { operation, params, query };
    }
    return undefined;
  }
}

const wireMethods = ['GET', 'POST', 'PATCH', 'PUT'];

interface Route {
  readonly operation: Operation;
  readonly segments: readonly string[];
}

/** Index key of a route. No path begins with a parameter. */
function routeKey(method: string, segments: readonly string[]): string {
  return `${method} ${segments.length} ${segments[0] ?? ''}`;
}

function sizeOf(record: Readonly<Record<string, unknown>> = {}): number {
  return Object.keys(record).length;
}

/** Removes the fixed parameters from a query. Returns undefined unless each appears once with its value. */
function withoutFixed(wireQuery: string, fixed: Operation['fixedQuery']): string | undefined {
  if (fixed === undefined) return wireQuery;
  const left = new URLSearchParams(wireQuery);
  for (const [name, value] of Object.entries(fixed)) {
    const [given, ...more] = left.getAll(name);
    if (given !== value || more.length > 0) return undefined;
    left.delete(name);
  }
  return left.toString();
}

function bind(template: readonly string[], segments: readonly string[]): Map<string, string> | undefined {
  const params = new Map<string, string>();
  for (const [at, part] of template.entries()) {
    if (!part.startsWith('{')) continue;
    const value = unescaped(segments[at] ?? '');
    if (value === undefined || value === '') return undefined;
    params.set(part.slice(1, -1), value);
  }
  return params;
}

export const allOperations = resources.flatMap(({ operations }) => Object.values<Operation>(operations));

/** Actors that may call an operation. Defaults to both. */
export function actorsOf({ actors = ['bank', 'partner'] }: Operation): readonly Actor[] {
  return actors;
}

/** Whether a client method or operation id exists. */
export function isOperation(nameOrId: string): boolean {
  return allOperations.some(({ name, id }) => name === nameOrId || id === nameOrId);
}
