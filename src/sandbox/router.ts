import { API_PREFIX } from '../api/common.js';
import type { Operation, Resource } from '../api/operation.js';

/** An operation found for a request, with the values of its path parameters, unescaped. */
export interface Match {
  readonly operation: Operation;
  readonly params: ReadonlyMap<string, string>;
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

/** Finds operations by effective method and path, from the api's own data. */
export class Router {
  readonly #routes: readonly Route[];

  constructor(resources: readonly Resource[]) {
    const operations = resources.flatMap((resource) => Object.values(resource.operations));
    this.#routes = operations
      .map((operation) => ({ operation, segments: operation.path.slice(1).split('/') }))
      // A literal segment wins over a parameter in its place.
      .sort(
        (a, b) => Object.keys(a.operation.params ?? {}).length - Object.keys(b.operation.params ?? {}).length,
      );
  }

  match(method: string, path: string): Match | undefined {
    const segments = path.slice(API_PREFIX.length + 1).split('/');
    for (const { operation, segments: template } of this.#routes) {
      if (operation.method !== method || template.length !== segments.length) continue;
      const params = bind(template, segments);
      if (params !== undefined) return { operation, params };
    }
    return undefined;
  }
}

interface Route {
  readonly operation: Operation;
  readonly segments: readonly string[];
}

function bind(template: readonly string[], segments: readonly string[]): Map<string, string> | undefined {
  const params = new Map<string, string>();
  for (const [at, part] of template.entries()) {
    const segment = segments[at] ?? '';
    if (!part.startsWith('{')) {
      if (part !== segment) return undefined;
      continue;
    }
    const value = unescaped(segment);
    if (value === undefined || value === '') return undefined;
    params.set(part.slice(1, -1), value);
  }
  return params;
}

function unescaped(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
