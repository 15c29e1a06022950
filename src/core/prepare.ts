import { API_PREFIX } from '../api/common.js';
import type { Route } from '../api/operation.js';
import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import type { Digests } from '../signing/digest-port.js';
import { canonicalQuery } from '../signing/query.js';
import type { CallInput, MutationOptions } from './caller.js';
import { contextOf } from './context.js';
import { extraBodyOf, extraQueryOf } from './extras.js';
import { type FrozenBody, freeze, takeFile } from './freeze.js';
import { checkInput, checkParam } from './input.js';
import { jsonProblem } from './json-value.js';
import { isFields } from './plain.js';
import { resolveRecord } from './records.js';

/** A call whose bytes are frozen: what is signed, sent and retried. */
export interface PreparedCall {
  readonly route: Route;
  /** The path that is signed, from `/api/v1` on. */
  readonly signedPath: string;
  readonly canonicalQuery: string;
  readonly wireMethod: 'GET' | 'POST';
  readonly origin: string;
  /** Path and query on the wire. */
  readonly wirePath: string;
  readonly body: FrozenBody | undefined;
  readonly idempotencyKey: string | undefined;
}

/** Where calls go, and what the client fills in. */
export interface CallDefaults {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What precedes `/api/v1` on the wire: empty, or a front-controller segment. */
  readonly prefix: string;
  /** Body fields that are filled in where the caller gives none, such as `dealer_id`. */
  readonly fill: Readonly<Record<string, string>>;
  /** Further rules of this client, such as those of its partner type. */
  check(route: Route, query: object, body: object): InputIssue[];
}

export interface PrepareTools {
  readonly digests: Digests;
  uuid(): string;
}

/** @throws InvalidRequestError with everything that is wrong, before anything is sent. */
export function prepare(
  route: Route,
  input: CallInput,
  options: MutationOptions | undefined,
  defaults: CallDefaults,
  tools: PrepareTools,
): PreparedCall {
  const issues: InputIssue[] = [];
  const { path: ids, version } = resolveRecord(route, input.path ?? {}, issues);
  const query = objectOf('query', input.query, issues);
  const given = objectOf('body', input.body, issues);
  const filled = fillIn(route, given, version, options?.idempotencyKey, defaults, tools, issues);
  const { body, file } = takeFile(fileFields(route), filled, issues);

  const path = fillPath(route, ids, issues);
  const checkedQuery = checkPart(route, 'query', query, issues);
  const checkedBody = checkPart(route, 'body', body, issues);
  if (route.body !== undefined && route.effect !== 'bid') issues.push(...notJson(body, issues));
  const extraQuery = extraQueryOf(route, Object.keys(query), options, issues);
  const extraBody = extraBodyOf(route, options, issues);
  issues.push(...defaults.check(route, query, body));
  if (issues.length > 0) throw new InvalidRequestError(issues, contextOf(route));

  const signedPath = API_PREFIX + path;
  const queryString = canonicalQuery([
    ...toPairs(checkedQuery ?? {}),
    ...Object.entries(route.fixedQuery ?? {}),
    ...extraQuery,
  ]);
  const wirePath = defaults.prefix + signedPath + (queryString === '' ? '' : `?${queryString}`);
  assertUnchanged(defaults.origin, wirePath, route);
  const key = checkedBody?.['idempotency_key'];
  return {
    route,
    signedPath,
    canonicalQuery: queryString,
    wireMethod: route.method === 'GET' ? 'GET' : 'POST',
    origin: defaults.origin,
    wirePath,
    body:
      checkedBody === undefined
        ? undefined
        : freeze({ ...checkedBody, ...extraBody, ...tunnel(route) }, file, tools.digests),
    idempotencyKey: typeof key === 'string' ? key : undefined,
  };
}

/** The host lets no PATCH or PUT in: they travel as POST (Endpoints, Conventions, 4). */
function tunnel({ method }: Route): object {
  return method === 'PATCH' || method === 'PUT' ? { _method: method } : {};
}

/** Nothing given is an empty object; anything but a plain object is an issue. */
function objectOf(path: string, value: unknown, issues: InputIssue[]): object {
  if (value === undefined) return {};
  if (!isFields(value)) {
    issues.push({ path, message: 'must be a plain object' });
    return {};
  }
  return value;
}

function fillIn(
  route: Route,
  body: object,
  version: unknown,
  idempotencyKey: string | undefined,
  defaults: CallDefaults,
  tools: PrepareTools,
  issues: InputIssue[],
): object {
  const shape = route.body?.shape ?? {};
  const filled: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(defaults.fill)) {
    if (name in shape && filled[name] === undefined) filled[name] = value;
  }
  if (version !== undefined) {
    const own = filled['expected_version'];
    if (own !== undefined && own !== version) {
      issues.push({
        path: 'expected_version',
        message: 'must equal the version of the record that was passed, or be left out',
      });
    }
    filled['expected_version'] = version;
  }
  if (route.effect === 'read') return filled;
  const own = filled['idempotency_key'];
  if (own !== undefined && idempotencyKey !== undefined && own !== idempotencyKey) {
    issues.push({
      path: 'options.idempotencyKey',
      message: 'must equal idempotency_key of the body where both are given',
    });
  }
  // Only what is left out is made: a null key (an empty column, say) would else become a second effect.
  if (own === undefined)
    filled['idempotency_key'] = idempotencyKey === undefined ? tools.uuid() : idempotencyKey;
  return filled;
}

/** What JSON would drop or change in fields whose shape is open. */
function notJson(body: object, known: readonly InputIssue[]): InputIssue[] {
  const found = new Set(known.map(({ path }) => path.split('.')[0]));
  return Object.entries(body).flatMap(([name, value]) => {
    const problem = value === undefined || found.has(name) ? undefined : jsonProblem(value);
    return problem === undefined ? [] : [{ path: name + problem.path, message: problem.message }];
  });
}

/** Fields that may be given as the content of a file. */
function fileFields({ body, effect }: Route): string[] {
  if (body === undefined || effect !== 'command') return [];
  return Object.entries(body.shape)
    .filter(([, field]) => field.meta?.()?.file === true)
    .map(([name]) => name);
}

function fillPath(route: Route, values: Readonly<Record<string, unknown>>, issues: InputIssue[]): string {
  let path: string = route.path;
  for (const [name, schema] of Object.entries(route.params ?? {})) {
    const value = values[name];
    const wrong = checkParam(name, schema, value);
    issues.push(...wrong);
    if (wrong.length === 0) path = path.replace(`{${name}}`, () => encodeURIComponent(String(value)));
  }
  return path;
}

function checkPart(
  route: Route,
  part: 'query' | 'body',
  value: object,
  issues: InputIssue[],
): Record<string, unknown> | undefined {
  const schema = route[part];
  if (schema === undefined) return undefined;
  const checked = checkInput(schema, value);
  if ('ok' in checked) return checked.ok;
  for (const issue of checked.issues) issues.push(issue);
  return undefined;
}

function toPairs(query: Readonly<Record<string, unknown>>): [name: string, value: string][] {
  return Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
}

/** A URL parser on the way must not see another path than the one that is signed. */
function assertUnchanged(origin: string, wirePath: string, route: Route): void {
  const url = new URL(origin + wirePath);
  if (url.origin === origin && url.pathname + url.search === wirePath) return;
  const message = 'must reach the service unchanged, which these ids would not';
  throw new InvalidRequestError([{ path: 'path', message }], contextOf(route));
}
