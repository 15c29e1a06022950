import { API_PREFIX } from '../api/formats.js';
import type { Route } from '../api/operation.js';
import type { AttemptResult } from '../core/reply/classify.js';
import { fileBody, fileContent, type RequestBody } from '../core/request/file-body.js';
import type { CallDefaults, PreparedCall } from '../core/request/prepare.js';
import { rawCall } from '../core/request/raw.js';
import { StoreError } from '../errors/store.js';
import { routes } from '../generated/routes.js';
import { sha256Hex } from '../signing/signer.js';
import type { StoredIntent } from '../store/intents.js';

/** The `content` of an intent's row: the command and the log of its events. */

/** Identity of the client that recorded the intent. Facts, not part of its key. */
export interface Identity {
  /** Scheme, host, port and prefix before `/api/v1`. */
  readonly origin: string;
  readonly clientId: string;
}

/** The request to send. Written once. */
export interface Target {
  /** Operation id, such as `bids.submit` or `A36`. */
  readonly operation: string;
  /** The effective method. */
  readonly method: Route['method'];
  /** Signed path, from `/api/v1` on. */
  readonly path: string;
  readonly query: string;
  /** Lowercase hex SHA-256 and length of the body. */
  readonly sha256: string;
  readonly length: number;
  /** True if the body has an `expected_version`. */
  readonly versioned: boolean;
}

/** The bid of a target, with the names that `place` uses. */
export interface IntendedBid {
  /** Public lot id. */
  readonly lot: string;
  /** INR decimal string. */
  readonly amount: string;
  readonly bidderReference?: string | undefined;
  readonly dealerId: string;
  /**
   * True if it was placed with `bids.place`, which returns an outcome; false for `bids.submit`, which returns a
   * receipt.
   */
  readonly placed?: boolean | undefined;
  /** The row that it came from, for messages. */
  readonly row?: { readonly batchId: string; readonly rowId: string } | undefined;
}

interface At {
  /** Unix ms in server time. */
  readonly at: number;
}

export interface PlacedEvent extends At {
  readonly type: 'placed';
  /** Latest time to send a bid, Unix ms in server time. */
  readonly placeBy?: number | undefined;
}

export interface AttemptEvent extends At {
  readonly type: 'attempt';
  /** Number within the intent, from 1. */
  readonly n: number;
  /** `X-Timestamp`, Unix seconds. */
  readonly timestamp: number;
  readonly nonce: string;
  readonly keyId: string;
  /** W3C `traceparent` of the span that sent it, if the client was instrumented. */
  readonly traceparent?: string | undefined;
}

/** The result of an attempt, as `classify` made it. */
export interface ResultEvent extends At, AttemptResult {
  readonly type: 'result';
  readonly n: number;
}

/** The part of a result that a lookup can show, too. */
type Evidence = Pick<AttemptResult, 'status' | 'codes' | 'requestId' | 'bidId' | 'replayed' | 'record'>;

/** A lookup (A06). `refusalsSeen`: number of refusals on record when it began. */
export interface LookupEvent extends At, Evidence {
  readonly type: 'lookup';
  readonly refusalsSeen: number;
  readonly found: 'accepted' | 'rejected' | 'processing' | 'absent' | 'failed';
  /** Server time of the lookup, Unix ms. */
  readonly observedAt?: number | undefined;
  readonly why?: string | undefined;
}

/**
 * The record of a versioned command, read because a refusal had no code, or because no copy of the command can arrive any
 * longer. `at` is when the read began.
 */
export interface TargetReadEvent extends At {
  readonly type: 'target_read';
  /** Name of the record, such as `sale`. */
  readonly noun: string;
  readonly expected: number;
  /** Never below the expected one; absent if the service says that there is no such record. */
  readonly version?: number | undefined;
  /** True if the record moved and shows the effect of this command. */
  readonly showsEffect?: boolean | undefined;
  /** Key of another command that took effect on the expected version. */
  readonly outrunBy?: string | undefined;
}

export type IntentEvent =
  /** Recorded, or placed again after it was refused or not sent. */
  | PlacedEvent
  | AttemptEvent
  /** Server time was corrected by `by`, and the default `placeBy` with it. */
  | (At & { readonly type: 'clock_corrected'; readonly by: number; readonly placeBy: number })
  | ResultEvent
  | LookupEvent
  /** From now on only the service's own record of the key counts. */
  | (At & { readonly type: 'confirm' })
  /** Another key got a verdict with the same ids: a verdict that rests on them is in doubt. */
  | (At & { readonly type: 'voided'; readonly ids: readonly string[]; readonly otherKey: string })
  /** A05, read because the service answered for something that this store never sent. */
  | (At & {
      readonly type: 'bid_read';
      readonly found: 'accepted' | 'rejected' | 'differs' | 'failed';
      readonly why?: string;
    })
  | TargetReadEvent
  /** A10 before the same bytes are sent again. */
  | (At & { readonly type: 'lot_read'; readonly closed: boolean; readonly closesAt?: number | undefined })
  /** Cancellation of this bid was about to be requested (A07). */
  | (At & { readonly type: 'cancellation' })
  /** It was `ready`, and will not be sent. */
  | (At & { readonly type: 'unsent'; readonly reason: string; readonly why: string })
  | (At & { readonly type: 'stuck'; readonly why: string })
  /** `damaged`: the unreadable content of its row. */
  | (At & { readonly type: 'abandoned'; readonly why: string; readonly damaged?: string | undefined })
  /** The service may have forgotten the key: a provisional outcome stays as it was reported. */
  | (At & { readonly type: 'expired' })
  /** The store came back from a backup: a later attempt may be missing here. */
  | (At & { readonly type: 'restored' });

/** The `runOnce` that reserved a key. */
export interface OnceFacts {
  readonly parts: readonly string[];
  /** Number from 1; the next generation begins after a refusal. */
  readonly generation: number;
}

/** Facts that the audit records about a command in addition to its request and result. */
export interface AuditFacts {
  /** Subject, such as a sale id. */
  readonly about: string;
  /** Facts seen, the answer of the policy and its reasons: plain JSON. */
  readonly facts: Readonly<Record<string, unknown>>;
}

/** The part of a row that the store doesn't interpret. */
export interface IntentContent {
  readonly identity: Identity;
  /** Absent while `runOnce` has reserved the key and no call was made under it. */
  readonly target?: Target | undefined;
  readonly bid?: IntendedBid | undefined;
  readonly once?: OnceFacts | undefined;
  /** Present if the audit gets an entry before it is sent and one after. */
  readonly audit?: AuditFacts | undefined;
  readonly log: readonly IntentEvent[];
}

/** The body of an intent: its text, or the file in it. */
export interface IntentBody {
  readonly text?: string | undefined;
  readonly file?: { readonly path: string; readonly before: string; readonly after: string } | undefined;
}

/** The content of a row. @throws StoreError with reason `corrupt` if it is not what this package writes */
export function contentOf({ content, key }: Pick<StoredIntent, 'content' | 'key'>): IntentContent {
  const parsed: unknown = parsedColumn(content, key);
  if (!isContent(parsed)) throw unreadable(key);
  return parsed;
}

export function isReadable({ content }: Pick<StoredIntent, 'content'>): boolean {
  try {
    return isContent(JSON.parse(content));
  } catch {
    return false;
  }
}

function isContent(value: unknown): value is IntentContent {
  const { identity, log }: Partial<Record<keyof IntentContent, unknown>> = Object(value);
  return typeof identity === 'object' && identity !== null && Array.isArray(log);
}

/** @throws StoreError with reason `corrupt` */
export function bodyOf({ body, key }: Pick<StoredIntent, 'body' | 'key'>): IntentBody | undefined {
  return body === undefined ? undefined : parsedColumn(body, key);
}

function parsedColumn<T>(text: string, key: string): T {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(key);
  }
}

function unreadable(key: string): StoreError {
  return new StoreError({
    reason: 'corrupt',
    idempotencyKey: key,
    what: `The intent ${key} can't be read: its row in the store is damaged.`,
    nextStep:
      'Look the key up at the service (bids.lookup) before you send anything for the same lot. Then restore a backup, or abandon the intent (intents.abandon).',
  });
}

/** The content that a `runOnce` row keeps after retention shrinks it: its call, and the event that settled it. */
export function shrunkContent(content: string): string {
  const whole: IntentContent = JSON.parse(content);
  const log = whole.log.filter(
    (event) => event.type !== 'lot_read' && !(event.type === 'lookup' && event.found === 'failed'),
  );
  return JSON.stringify({ ...whole, log });
}

// The bytes of a call as they are recorded, and the call made of them again.

/** The target of a call: everything that it sends, except its bytes. */
export function targetOf({ route, signedPath, canonicalQuery }: PreparedCall, body: RequestBody): Target {
  const recorded = bodyRecord(body);
  return {
    operation: route.id,
    method: route.method,
    path: signedPath,
    query: canonicalQuery,
    sha256: body.sha256,
    length: body.length,
    versioned: route.versionFrom !== undefined || 'expected_version' in bodyFields(recorded),
  };
}

/** Whether both are the same request, byte by byte. */
export function isSameRequest(target: Target, given: Target): boolean {
  return target.path === given.path && target.query === given.query && target.sha256 === given.sha256;
}

/** The fields of a body; a file in it counts as empty. */
export function bodyFields({ text = '{}', file }: IntentBody): Readonly<Record<string, unknown>> {
  return JSON.parse(file === undefined ? text : file.before + file.after);
}

/** The bytes as their text, or as the file in them and the JSON around it. */
export function bodyRecord({ file, open }: RequestBody): IntentBody {
  if (file !== undefined) {
    const { path, before, after } = file;
    return { file: { path, before: textFrom(before), after: textFrom(after) } };
  }
  const bytes = open();
  // Only a body with a file in it is read piece by piece.
  return bytes instanceof Uint8Array ? { text: textFrom(bytes) } : {};
}

/** The same bytes again; undefined if they can no longer be read, such as a file that changed. */
export async function recordedBody(
  body: IntentBody | undefined,
  { sha256 }: Target,
  signal: AbortSignal,
): Promise<RequestBody | undefined> {
  const again = await readAgain(body, signal).catch(() => undefined);
  return again?.sha256 === sha256 ? again : undefined;
}

async function readAgain(body: IntentBody | undefined, signal: AbortSignal): Promise<RequestBody> {
  const encoder = new TextEncoder();
  if (body?.file === undefined) {
    const bytes = encoder.encode(body?.text);
    return { length: bytes.length, sha256: sha256Hex(bytes), open: () => bytes.slice() };
  }
  const { path, before, after } = body.file;
  const frame = { before: encoder.encode(before), after: encoder.encode(after) };
  return fileBody(fileContent(path), frame, signal);
}

/** The call of an intent, to be made again with the same bytes. */
export function recordedCall(
  key: string,
  target: Target,
  body: RequestBody,
  { origin, prefix }: Pick<CallDefaults, 'origin' | 'prefix'>,
): PreparedCall {
  const { path, query } = target;
  return {
    route: routeOf(target),
    signedPath: path,
    canonicalQuery: query,
    wireMethod: 'POST',
    origin,
    wirePath: prefix + path + (query === '' ? '' : `?${query}`),
    body,
    idempotencyKey: key,
  };
}

/** The operation of an intent; one that has no method is a raw call again. */
export function routeOf({ operation, method, path }: Pick<Target, 'operation' | 'method' | 'path'>): Route {
  const known = routes.find(({ id }) => id === operation);
  if (known !== undefined) return known;
  return rawCall({ method, path: decodeURIComponent(path.slice(API_PREFIX.length)) }, 'raw').route;
}

/** The names of an intent: its operation, its method and its path. */
export function callNames({ target }: IntentContent) {
  if (target === undefined) return { operation: 'runOnce', call: 'runOnce', path: '' };
  return { operation: target.operation, call: routeOf(target).name, path: target.path };
}

function textFrom(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

// The client that recorded an intent.

/** The client that records and settles intents. */
export interface Client {
  /** Complete once there are credentials, which a function may give as late as at the first call. */
  readonly identity: () => Identity;
  /** Earlier origins of the same service. */
  readonly formerOrigins: readonly string[];
}

/** Whether another client recorded it: its key means nothing under these credentials. */
export function isForeign(
  { identity: recorded }: IntentContent,
  { identity, formerOrigins }: Client,
): boolean {
  const own = identity();
  const isHere = recorded.origin === own.origin || formerOrigins.includes(recorded.origin);
  // The client id is unknown until the credentials are fetched.
  return !isHere || (own.clientId !== '' && recorded.clientId !== own.clientId);
}

/** Whether this client recorded it, whatever its label; false while the client id is not known. */
export function isOwn(content: IntentContent, client: Client): boolean {
  return client.identity().clientId !== '' && !isForeign(content, client);
}

/** A text field of an object of the service. */
export function textIn(record: unknown, field: string): string | undefined {
  const value: unknown = Reflect.get(Object(record), field);
  return typeof value === 'string' ? value : undefined;
}
