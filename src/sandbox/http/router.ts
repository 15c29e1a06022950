import { API_PREFIX } from '../../api/common.js';
import type { Operation, Resource } from '../../api/operation.js';
import { queryPairs } from './canonical.js';

/** An operation found for a request, with the values of its path parameters, unescaped. */
export interface Match {
  readonly operation: Operation;
  readonly params: ReadonlyMap<string, string>;
  /** The query as sent, without `?`, and without the parameters that picked the operation. */
  readonly query: string;
}

/** A request target taken apart: nothing of it is unescaped. */
export interface Target {
  /** What stood before `/api/v1`. */
  readonly prefix: string;
  /** The path from `/api/v1` on: the one that is signed. */
  readonly path: string;
  /** Without `?`. */
  readonly query: string;
}

/** Splits a target; undefined when it isn't under the prefix and `/api/v1`. */
export function parseTarget(target: string, prefix: string): Target | undefined {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  if (!path.startsWith(`${prefix}${API_PREFIX}/`)) return undefined;
  return { prefix, path: path.slice(prefix.length), query: mark < 0 ? '' : target.slice(mark + 1) };
}

/** Finds operations by effective method, path, and what of the query is fixed, from the api's own data. */
export class Router {
  readonly #routes = new Map<string, Route[]>();

  constructor(resources: readonly Resource[]) {
    const operations = resources.flatMap((resource) => Object.values(resource.operations));
    const routes = operations
      .map((operation) => ({ operation, segments: operation.path.slice(1).split('/') }))
      // A literal segment wins over a parameter in its place, a fixed parameter of the query over none.
      .sort(
        (a, b) =>
          sizeOf(a.operation.params) - sizeOf(b.operation.params) ||
          sizeOf(b.operation.fixedQuery) - sizeOf(a.operation.fixedQuery),
      );
    for (const route of routes) {
      const key = keyOf(route.operation.method, route.segments);
      this.#routes.set(key, [...(this.#routes.get(key) ?? []), route]);
    }
  }

  /** `path` from `/api/v1` on, `wireQuery` without `?`, both as sent. */
  match(method: string, path: string, wireQuery: string): Match | undefined {
    const segments = path.slice(API_PREFIX.length + 1).split('/');
    for (const { operation, segments: template } of this.#routes.get(keyOf(method, segments)) ?? []) {
      const params = bind(template, segments);
      if (params === undefined) continue;
      const query = withoutFixed(wireQuery, operation.fixedQuery ?? none);
      if (query !== undefined) return { operation, params, query };
    }
    return undefined;
  }
}

interface Route {
  readonly operation: Operation;
  readonly segments: readonly string[];
}

/** No path begins with a parameter, so few are left to compare. */
function keyOf(method: string, segments: readonly string[]): string {
  return `${method} ${segments.length} ${segments[0] ?? ''}`;
}

const none: Readonly<Record<string, string>> = {};

function sizeOf(record: Readonly<Record<string, unknown>> | undefined): number {
  return Object.keys(record ?? {}).length;
}

/** What a query holds beside the fixed parameters; undefined unless each stands in it once, with its value. */
function withoutFixed(wireQuery: string, fixed: Readonly<Record<string, string>>): string | undefined {
  if (wireQuery === '' && fixed === none) return '';
  const left: string[] = [];
  const met: string[] = [];
  for (const part of wireQuery.split('&')) {
    const [pair] = queryPairs(part);
    const name = pair?.name.toString('utf8') ?? '';
    if (!Object.hasOwn(fixed, name)) left.push(part);
    else if (pair?.value.toString('utf8') === fixed[name]) met.push(name);
    else return undefined;
  }
  const isMet = met.length === sizeOf(fixed) && new Set(met).size === met.length;
  return isMet ? left.join('&') : undefined;
}

function bind(template: readonly string[], segments: readonly string[]): Map<string, string> | undefined {
  // First without a thought of parameters: most templates are another's.
  for (let at = 0; at < template.length; at += 1) {
    const part = template[at] ?? '';
    if (part !== segments[at] && !part.startsWith('{')) return undefined;
  }
  const params = new Map<string, string>();
  for (const [at, part] of template.entries()) {
    if (!part.startsWith('{')) continue;
    const value = unescaped(segments[at] ?? '');
    if (value === undefined || value === '') return undefined;
    params.set(part.slice(1, -1), value);
  }
  return params;
}

function unescaped(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
