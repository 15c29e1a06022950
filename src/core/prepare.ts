import { API_PREFIX } from '../api/common.js';
import type { Operation } from '../api/operation.js';
import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import type { Digests } from '../signing/digest-port.js';
import { canonicalQuery } from '../signing/query.js';
import type { RequestBody } from './body.js';
import type { CallInput } from './caller.js';
import { contextOf } from './context.js';
import { checkInput, checkParam } from './input.js';

/** A call whose bytes are frozen: what is signed, sent and retried. */
export interface PreparedCall {
  readonly operation: Operation;
  /** The path that is signed, from `/api/v1` on. */
  readonly signedPath: string;
  readonly canonicalQuery: string;
  readonly wireMethod: 'GET' | 'POST';
  readonly origin: string;
  /** Path and query on the wire. */
  readonly wirePath: string;
  readonly body: RequestBody | undefined;
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
  check(operation: Operation, query: object, body: object): InputIssue[];
}

export interface PrepareTools {
  readonly digests: Digests;
  uuid(): string;
}

/** @throws InvalidRequestError with everything that is wrong, before anything is sent. */
export function prepare(
  operation: Operation,
  input: CallInput,
  idempotencyKey: string | undefined,
  defaults: CallDefaults,
  tools: PrepareTools,
): PreparedCall {
  const issues: InputIssue[] = [];
  const query = objectOf('query', input.query, issues);
  const given = fillIn(
    operation,
    objectOf('body', input.body, issues),
    idempotencyKey,
    defaults,
    tools,
    issues,
  );

  const path = fillPath(operation, input.path ?? {}, issues);
  const checkedQuery = checkPart(operation, 'query', query, issues);
  const checkedBody = checkPart(operation, 'body', given, issues);
  issues.push(...defaults.check(operation, query, given));
  if (issues.length > 0) throw new InvalidRequestError(issues, contextOf(operation));

  const signedPath = API_PREFIX + path;
  const queryString = canonicalQuery(toPairs(checkedQuery ?? {}));
  const wirePath = defaults.prefix + signedPath + (queryString === '' ? '' : `?${queryString}`);
  assertUnchanged(defaults.origin, wirePath, operation);
  const key = checkedBody?.['idempotency_key'];
  return {
    operation,
    signedPath,
    canonicalQuery: queryString,
    wireMethod: operation.method === 'GET' ? 'GET' : 'POST',
    origin: defaults.origin,
    wirePath,
    body: checkedBody === undefined ? undefined : freeze(checkedBody, tools.digests),
    idempotencyKey: typeof key === 'string' ? key : undefined,
  };
}

/** Nothing given is an empty object; anything but a plain object is an issue. */
function objectOf(path: string, value: unknown, issues: InputIssue[]): object {
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  issues.push({ path, message: 'must be an object' });
  return {};
}

function fillIn(
  operation: Operation,
  body: object,
  idempotencyKey: string | undefined,
  defaults: CallDefaults,
  tools: PrepareTools,
  issues: InputIssue[],
): object {
  const shape = operation.body?.shape ?? {};
  const filled: Record<string, unknown> = { ...body };
  for (const [name, value] of Object.entries(defaults.fill)) {
    if (name in shape && filled[name] === undefined) filled[name] = value;
  }
  if (operation.effect === 'read') return filled;
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

function fillPath(
  operation: Operation,
  values: Readonly<Record<string, unknown>>,
  issues: InputIssue[],
): string {
  let path: string = operation.path;
  for (const [name, schema] of Object.entries(operation.params ?? {})) {
    const value = values[name];
    const wrong = checkParam(name, schema, value);
    issues.push(...wrong);
    if (wrong.length === 0) path = path.replace(`{${name}}`, () => encodeURIComponent(String(value)));
  }
  return path;
}

function checkPart(
  operation: Operation,
  part: 'query' | 'body',
  value: object,
  issues: InputIssue[],
): Record<string, unknown> | undefined {
  const schema = operation[part];
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

function freeze(body: object, digests: Digests): RequestBody {
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  // A copy for each attempt: a transport that writes into its own must not change the next one's.
  return { sha256: digests.sha256Hex(bytes), open: () => bytes.slice() };
}

/** A URL parser on the way must not see another path than the one that is signed. */
function assertUnchanged(origin: string, wirePath: string, operation: Operation): void {
  const url = new URL(origin + wirePath);
  if (url.origin === origin && url.pathname + url.search === wirePath) return;
  const message = 'must reach the service unchanged, which these ids would not';
  throw new InvalidRequestError([{ path: 'path', message }], contextOf(operation));
}
