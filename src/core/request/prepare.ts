import { checkInput, type Issue, isFields, type ObjectSchema } from '../../api/check.js';
import { API_PREFIX, amountText, formats, keyAsSent } from '../../api/formats.js';
import { type PartnerType, type Route, recordKinds, type VersionSource } from '../../api/operation.js';
import { type InputIssue, InvalidRequestError, shownValue } from '../../errors/local.js';
import type { CallInput, MutationOptions } from '../../ports/caller.js';
import { canonicalQuery } from '../../signing/query.js';
import { sha256Hex } from '../../signing/signer.js';
import { contextOf } from '../caller.js';
import { type FrozenBody, isFileContent, type TakenFiles, takeFile, withFile } from './file-body.js';

/** A call with frozen bytes, which are signed, sent and retried. */
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

/** Address of calls, and values that the client fills in. */
export interface CallDefaults {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path before `/api/v1` on the wire: empty, or a front-controller segment. */
  readonly prefix: string;
  /** Body fields that are filled in if the caller gives none, such as `dealer_id`. */
  readonly fill: Readonly<Record<string, string>>;
  /** Kind of partner, which decides whether a call must name its buyer; undefined for a bank. */
  readonly partnerType: PartnerType | undefined;
}

/** State of one preparation, shared by its steps. */
interface Preparing {
  readonly route: Route;
  readonly options: MutationOptions;
  readonly defaults: CallDefaults;
  readonly uuid: (route: Route) => string;
  /** All problems so far. */
  readonly issues: InputIssue[];
}

/** @throws InvalidRequestError with every problem, before anything is sent. */
export function prepare(
  route: Route,
  input: CallInput,
  options: MutationOptions | undefined,
  defaults: CallDefaults,
  uuid: Preparing['uuid'],
): PreparedCall {
  const issues: InputIssue[] = [];
  const ids = input.path ?? NOTHING;
  const { path, version } =
    route.versionFrom === undefined ? { path: ids } : resolveRecord(route.versionFrom, ids, issues);
  const query = input.query === undefined ? NOTHING : objectOf('query', input.query, issues);
  const given = input.body === undefined ? NOTHING : objectOf('body', input.body, issues);
  const signedPath = API_PREFIX + fillPath(route, path, issues);
  const checkedQuery = route.query === undefined ? undefined : checkPart(route.query, query, issues);
  const preparing = { route, options: options ?? NOTHING, defaults, uuid, issues };
  const body = route.body === undefined ? undefined : prepareBody(preparing, route.body, given, version);
  const extraQuery = options?.extraQuery === undefined ? undefined : extrasIn(preparing, query);
  if (route.effect === 'bid' || route.asksForBuyer === true) {
    issues.push(...buyerIssues(route, query, given, defaults.partnerType));
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, contextOf(route));

  const queryString =
    checkedQuery === undefined && route.fixedQuery === undefined && extraQuery === undefined
      ? ''
      : canonicalQuery(toPairs({ ...checkedQuery, ...route.fixedQuery, ...extraQuery }));
  const wirePath = defaults.prefix + signedPath + (queryString === '' ? '' : `?${queryString}`);
  if (!PLAIN_PATH.test(wirePath)) assertUnchanged(defaults.origin, wirePath, route);
  return {
    route,
    signedPath,
    canonicalQuery: queryString,
    wireMethod: route.method === 'GET' ? 'GET' : 'POST',
    origin: defaults.origin,
    wirePath,
    body: body?.freeze(),
    idempotencyKey: body?.key,
  };
}

const NOTHING = {};

/** The parameters that `extraQuery` adds to those that are known or given. */
function extrasIn({ route, options, issues }: Preparing, query: object): Record<string, unknown> {
  const known = [route.query?.fields, route.fixedQuery, query].flatMap((fields) => Object.keys(fields ?? {}));
  return extrasOf('extraQuery', options.extraQuery, known, issues);
}

/** Checks a body. The returned function freezes it, once everything else is valid as well. */
function prepareBody(
  preparing: Preparing,
  schema: ObjectSchema,
  given: object,
  version: unknown,
): { readonly key: string | undefined; freeze(): FrozenBody } | undefined {
  const { route, options, issues } = preparing;
  const filled = fillIn(preparing, schema, given, version);
  const { fileFields: files = [] } = route;
  const { body, file } = files.length === 0 ? { body: filled } : takeFile(files, filled, issues);
  const checked = checkPart(schema, body, issues);
  if (route.effect !== 'bid') issues.push(...notJson(body, issues));
  const extra = extrasOf('extraBody', options.extraBody, Object.keys(schema.fields), issues);
  if (checked === undefined) return undefined;
  const key = checked['idempotency_key'];
  // The host accepts no PATCH or PUT, so they are sent as POST (Endpoints, Conventions, 4).
  const tunnel = route.method === 'PATCH' || route.method === 'PUT' ? { _method: route.method } : {};
  return {
    key: typeof key === 'string' ? key : undefined,
    freeze: () => freeze({ ...checked, ...extra, ...tunnel }, file),
  };
}

/** Serialises a body, once. */
export function freeze(body: object, file: TakenFiles['file']): FrozenBody {
  const text = JSON.stringify(body);
  if (file !== undefined) return { pending: (signal) => withFile(text, file, signal), field: file.field };
  const bytes = new TextEncoder().encode(text);
  // A copy for each attempt: a transport that writes into its own must not change the next one's.
  return { length: bytes.length, sha256: sha256Hex(bytes), open: () => bytes.slice() };
}

/** Checks that a call names its buyer if the kind of partner requires it, and only then (Bids, Bid rules, 8). */
function buyerIssues(
  { effect }: Route,
  query: object,
  body: object,
  partnerType: PartnerType | undefined,
): InputIssue[] {
  const path = 'bidder_reference';
  const isDirect = partnerType === undefined || partnerType === 'direct_dealer';
  if (effect !== 'bid') {
    const message = 'must be left out: only platforms and aggregators can ask for a buyer';
    return isDirect && Reflect.get(query, path) !== undefined ? [{ path, message }] : [];
  }
  const isNamed = Reflect.get(body, path) !== undefined;
  if (isDirect === !isNamed) return [];
  const who = `${partnerType === 'aggregator' ? 'an' : 'a'} ${partnerType}`;
  const message = isDirect
    ? 'must be left out: a direct dealer bids for itself'
    : `is required: ${who} names the actual buyer on every bid`;
  return [{ path, message }];
}

/** Anything but a plain object is an issue. */
function objectOf(path: string, value: unknown, issues: InputIssue[]): object {
  if (isFields(value)) return value;
  issues.push({ path, message: 'must be a plain object' });
  return NOTHING;
}

/** Fills in a body: client defaults, the version of a record that was passed, and the key. */
function fillIn(
  { route, options: { idempotencyKey }, defaults, uuid, issues }: Preparing,
  { fields }: ObjectSchema,
  body: object,
  version: unknown,
): object {
  const filled: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(defaults.fill)) {
    if (name in fields && filled[name] === undefined) filled[name] = value;
  }
  if (version !== undefined) {
    const own = filled['expected_version'];
    if (own !== undefined && own !== version) {
      const message = 'must equal the version of the record that was passed, or be left out';
      issues.push({ path: 'expected_version', message });
    }
    filled['expected_version'] = version;
  }
  if (route.effect === 'read') return filled;
  const own = keyAsSent(filled['idempotency_key']);
  const given = keyAsSent(idempotencyKey);
  if (own !== undefined && given !== undefined && own !== given) {
    const message = 'must equal idempotency_key of the body where both are given';
    issues.push({ path: 'options.idempotencyKey', message });
  }
  // Only an omitted key is generated: replacing a null key (such as an empty column) would cause a second effect.
  const key = own === undefined ? given : own;
  filled['idempotency_key'] = key === undefined ? keyAsSent(uuid(route)) : key;
  return filled;
}

/** Finds what JSON would drop or change in fields of open shape. */
function notJson(body: object, known: readonly InputIssue[]): InputIssue[] {
  const found = new Set(known.map(({ path }) => path.split('.')[0]));
  return Object.entries(body).flatMap(([name, value]) => {
    const problem = value === undefined || found.has(name) ? undefined : jsonProblem(amountText(value));
    return problem === undefined ? [] : [{ path: name + problem.path, message: problem.message }];
  });
}

/** Deepest nesting of a JSON value. */
const MAX_DEPTH = 64;

/**
 * Finds what JSON would drop, change or reject: functions, bigints, dates, class instances, numbers that aren't finite,
 * circles. What is signed must be what the caller gave. The path is within the value, such as `.items.3`.
 */
function jsonProblem(value: unknown, depth = 0): InputIssue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') {
    return Number.isFinite(value) ? undefined : { path: '', message: 'must be a finite number' };
  }
  if (typeof value !== 'object') return { path: '', message: `must be JSON, which has no ${typeof value}` };
  if (depth === MAX_DEPTH) return { path: '', message: `must not be nested deeper than ${MAX_DEPTH} levels` };
  if (isFileContent(value)) {
    return { path: '', message: 'must be JSON; only base64 fields accept the content of a file' };
  }
  if (!Array.isArray(value) && (!isFields(value) || 'toJSON' in value)) {
    return { path: '', message: 'must be JSON: a plain object, an array, or a simple value' };
  }
  // Holes are not entries, and would be sent as null.
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

/** Names that are reserved in every operation, because they decide what a call does, and how often. */
const reserved = ['_method', 'expected_version', 'idempotency_key'];

/** Checks `extraQuery` or `extraBody` against the `known` fields; undefined values are left out. */
function extrasOf(
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

function nameProblem(name: string, known: readonly string[]): InputIssue | undefined {
  if (name === '' || name === '__proto__') return { path: '', message: 'must have a name' };
  if (reserved.includes(name))
    return { path: '', message: 'cannot be an extra: it decides what the call does' };
  if (!known.includes(name)) return undefined;
  return { path: '', message: 'is a known field; pass it with the others' };
}

function scalarProblem(value: unknown): InputIssue | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) return undefined;
  return { path: '', message: 'must be a string, a number or a boolean' };
}

function fillPath(
  { path, params = {} }: Route,
  values: Readonly<Record<string, unknown>>,
  issues: InputIssue[],
): string {
  let filled: string = path;
  for (const [name, format] of Object.entries(params)) {
    const value = values[name];
    // An ordinary id: legal, and the same in a URL.
    if (format === 'pathId' && typeof value === 'string' && PLAIN_ID.test(value)) {
      filled = filled.replace(`{${name}}`, value);
      continue;
    }
    const problem = formats[format](value);
    const sent = format === 'uuid' ? keyAsSent(value) : value;
    if (problem === undefined) filled = filled.replace(`{${name}}`, encodeURIComponent(String(sent)));
    else issues.push({ path: name, message: paramProblem(problem, value), ...shownValue(name, value) });
  }
  return filled;
}

const PLAIN_ID = /^[\w-]+$/;

function paramProblem(problem: string, value: unknown): string {
  if (value === undefined) return 'is required';
  const isRecord = typeof value === 'object' && value !== null && 'id' in value;
  return isRecord ? 'must be an id: pass its .id' : problem + fixFor(value);
}

/** Checks one part of the input against its wire schema; the result has the schema's field order. */
function checkPart(
  schema: ObjectSchema,
  given: object,
  issues: InputIssue[],
): Record<string, unknown> | undefined {
  const { value, issues: found } = checkInput(schema, given);
  if (found.length === 0) return { ...Object(value) };
  for (const issue of found) issues.push(inputIssue(issue, inputAt(given, issue.path)));
  return undefined;
}

function toPairs(query: Readonly<Record<string, unknown>>): [name: string, value: string][] {
  return Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
}

/** Paths that every URL parser leaves unchanged. */
const PLAIN_PATH = /^(\/[\w-]+)+(\?[\w=&-]*)?$/;

/** A URL parser on the way must not see another path than the one that is signed. */
function assertUnchanged(origin: string, wirePath: string, route: Route): void {
  const url = new URL(origin + wirePath);
  if (url.origin === origin && url.pathname + url.search === wirePath) return;
  const message = 'must reach the service unchanged; these ids would be changed on the way';
  throw new InvalidRequestError([{ path: 'path', message }], contextOf(route));
}

/** Path values, and the version of a record that was passed in place of an id. */
interface Resolved {
  readonly path: Readonly<Record<string, unknown>>;
  readonly version?: unknown;
}

/** Takes id and version from a record that was passed in place of an id. */
function resolveRecord(source: VersionSource, path: Resolved['path'], issues: InputIssue[]): Resolved {
  const { param } = source;
  const given = path[param];
  if (typeof given !== 'object' || given === null) return { path };
  const found = readRecord(source, given);
  if (typeof found !== 'string') return { path: { ...path, [param]: found.id }, version: found.version };
  issues.push({ path: param, message: found });
  // The id is not checked further, because one finding about the record is enough.
  return { path: { ...path, [param]: 'record' }, version: 0 };
}

/** Id and version of a record, or what is wrong with it. */
function readRecord(
  { kind, field }: VersionSource,
  record: object,
): { id: string; version: number } | string {
  if (record instanceof Promise) return 'must not be a promise: await it first';
  const itsKind: unknown = Reflect.get(record, 'kind');
  if (typeof itsKind === 'string' && itsKind !== kind && recordKinds.includes(itsKind)) {
    return `must be the id or the record of ${withArticle(kind)}, not a record of kind "${itsKind}"`;
  }
  const isVehicle = field === 'inventory_version';
  const holder = Object(isVehicle ? Reflect.get(record, 'data') : record);
  const [idField, where] = isVehicle ? ['vehicle_id', 'data.'] : ['id', ''];
  const id: unknown = Reflect.get(holder, idField);
  const version: unknown = Reflect.get(holder, field);
  if (typeof id !== 'string' || typeof version !== 'number' || !Number.isSafeInteger(version)) {
    return `must be an id, or a record that has ${where}${idField} and ${where}${field}`;
  }
  return { id, version };
}

function withArticle(kind: string): string {
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** Values are never shown. */
function inputIssue({ path, problem }: Issue, value: unknown): InputIssue {
  const name = path.map(String).join('.');
  // An unknown field has a wrong name, not a wrong value.
  const shown = problem.startsWith('is not a known field') ? {} : shownValue(name, value);
  return { path: name, message: `${problem}${fixFor(value)}`, ...shown };
}

/** The fix of a common mistake. */
function fixFor(value: unknown): string {
  if (value instanceof Date)
    return '; a Date was given: toISOString() makes a time of it, and a calendar date is written as 2026-03-01';
  if (value instanceof Promise) return '; a promise was given: await it first';
  if (value instanceof Uint8Array) {
    return "; bytes were given: Buffer.from(bytes).toString('base64') makes base64 of them";
  }
  return '';
}

function inputAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
}
