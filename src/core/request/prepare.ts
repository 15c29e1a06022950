import { type Issue, inputChecker, type ObjectSchema, type Schema } from '../../api/check.js';
import { API_PREFIX } from '../../api/formats.js';
import { type Route, recordKinds, type VersionSource } from '../../api/operation.js';
import { type InputIssue, InvalidRequestError } from '../../errors/local.js';
import { canonicalQuery } from '../../signing/query.js';
import type { Digests } from '../../signing/signer.js';
import type { CallInput, MutationOptions } from '../caller.js';
import { contextOf } from '../caller.js';
import { type FrozenBody, freeze, takeFile } from './body.js';
import { extraBodyOf, extraQueryOf, isFields, jsonProblem } from './fields.js';

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

interface PrepareTools {
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
  const { fileFields: files = [] } = route;
  const { body, file } = files.length === 0 ? { body: filled } : takeFile(files, filled, issues);

  const path = fillPath(route, ids, issues);
  const checkedQuery = checkPart(route, 'query', query, issues);
  const checkedBody = checkPart(route, 'body', body, issues);
  if (route.body !== undefined && route.effect !== 'bid') issues.push(...notJson(body, issues));
  const hasExtras = options?.extraQuery !== undefined || options?.extraBody !== undefined;
  const extraQuery = hasExtras ? extraQueryOf(route, Object.keys(query), options?.extraQuery, issues) : [];
  const extraBody = hasExtras ? extraBodyOf(route, options?.extraBody, issues) : {};
  issues.push(...defaults.check(route, query, body));
  if (issues.length > 0) throw new InvalidRequestError(issues, contextOf(route));

  const signedPath = API_PREFIX + path;
  const pairs = [...toPairs(checkedQuery ?? {}), ...Object.entries(route.fixedQuery ?? {}), ...extraQuery];
  const queryString = pairs.length === 0 ? '' : canonicalQuery(pairs);
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
  const shape = route.body?.fields ?? {};
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

/** What every URL parser leaves as it is. */
const PLAIN_PATH = /^(\/[\w-]+)+(\?[\w=&-]*)?$/;

/** A URL parser on the way must not see another path than the one that is signed. */
function assertUnchanged(origin: string, wirePath: string, route: Route): void {
  if (PLAIN_PATH.test(wirePath)) return;
  const url = new URL(origin + wirePath);
  if (url.origin === origin && url.pathname + url.search === wirePath) return;
  const message = 'must reach the service unchanged, which these ids would not';
  throw new InvalidRequestError([{ path: 'path', message }], contextOf(route));
}

/** Path values as strings, and the version of the record that stood in for an id. */
interface Resolved {
  readonly path: Readonly<Record<string, unknown>>;
  readonly version?: unknown;
}

/** Takes id and version from a record that was passed in place of an id. */
function resolveRecord(
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

/** Checks one part of the input against its wire schema; what comes back has the schema's field order. */
function checkInput(
  schema: ObjectSchema,
  given: object,
): { readonly ok: Record<string, unknown> } | { readonly issues: InputIssue[] } {
  const { value, issues } = inputChecker(schema)(given);
  if (issues.length === 0) return { ok: { ...Object(value) } };
  return { issues: issues.map((issue) => inputIssue(issue, valueAt(given, issue.path))) };
}

/** Checks one path parameter. */
function checkParam(name: string, schema: Schema, value: unknown): InputIssue[] {
  const isRecord = typeof value === 'object' && value !== null && 'id' in value;
  return inputChecker(schema)(value).issues.map((issue) =>
    isRecord
      ? { path: name, message: 'must be an id: pass its .id' }
      : { ...inputIssue(issue, value), path: name },
  );
}

/** Values are never shown. */
function inputIssue({ path, problem }: Issue, value: unknown): InputIssue {
  return { path: path.map(String).join('.'), message: `${problem}${remedyFor(value)}` };
}

/** How to put right what is often given in place of what is asked for. */
function remedyFor(value: unknown): string {
  if (value instanceof Date) return '; a Date was given: toISOString() makes a text of it';
  if (value instanceof Promise) return '; a promise was given: await it first';
  if (value instanceof Uint8Array) {
    return "; bytes were given: Buffer.from(bytes).toString('base64') makes base64 of them";
  }
  return '';
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
}
