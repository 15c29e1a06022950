import { type CheckedReply, checkReply, isObject } from '../../api/check.js';
import { codeFacts } from '../../api/codes.js';
import type { Effect, Route } from '../../api/operation.js';
import { tolerated as readAs, type ToleranceName } from '../../api/tolerance.js';
import { cacheMark, statedTimeOf } from '../../clock/reply-time.js';
import type { UnexpectedReason } from '../../errors/connection.js';
import { plainLine } from '../../errors/text.js';
import type { RejectedBid } from '../../generated/bids.js';
import type { BinaryReply } from '../../ports/caller.js';
import type { StatedTime } from '../../ports/clock.js';
import type { SkippedRecord } from '../../ports/list.js';
import { concatBytes } from '../../runtime/bytes.js';
import { type Redact, redactDeep } from '../redact.js';
import { discardQuietly, type TransportReply } from '../transport/transport.js';
import { decompressed, decompressedFile, mayBeCompressed } from './encoding.js';
import { parsedJson } from './json.js';
import { listPage, withoutPageNumber } from './list-page.js';
import { quoteOf, quoteOfJson } from './page.js';
import { withoutUnreadable } from './skipped.js';

/** A reply that was read to its end, before it is classified. */
export interface Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body; undefined if it isn't JSON. */
  readonly json: unknown;
  /** True if there is no body at all. */
  readonly empty?: boolean;
  /** Title and words of a body that isn't JSON, not redacted. */
  readonly quote?: string;
  /** Warnings of PHP preceded the JSON. */
  readonly warned?: boolean;
}

/** Why a reply cannot be used. */
export interface Unexpected {
  readonly reason: UnexpectedReason;
  /** In a few words, as the end of a sentence. */
  readonly why: string;
}

/** A reply as it was read. */
interface ReadReply {
  readonly reply: Reply;
  /** The body of a download, as a stream. */
  readonly binary?: BinaryReply;
  /** Why the body was not read. */
  readonly unread?: Unexpected;
}

/** A reply, taken apart: a payload, an error of the service, or something unexpected. */
export interface Replied {
  readonly kind: 'reply';
  readonly reply: Reply;
  /** Present with a success. */
  readonly payload?: Payload;
  /** Present with a status from 400. */
  readonly error?: ErrorReply;
  /** Why a 2xx or 3xx can't be used. */
  readonly unexpected?: Unexpected;
  /** Server time as the reply states it. */
  readonly stated?: StatedTime;
  /** Why the reply counts as a copy from a cache, such as `age: 240`; absent for a fresh reply. */
  readonly cached?: string;
}

/** Reads a reply to its end, up to `maxBytes` of JSON; a download is returned as a stream. */
export async function readReply(
  route: Route,
  reply: TransportReply,
  maxBytes: number,
  download: ((file: AsyncIterable<Uint8Array>) => BinaryReply) | undefined,
): Promise<ReadReply> {
  const { status, headers } = reply;
  const encoding = [headers['content-encoding'] ?? ''].flat().join(', ');
  if (download !== undefined && route.success.includes(status)) {
    const file = isEncoded(encoding) ? decompressedFile(reply.body, encoding, maxBytes) : reply.body;
    return { reply: { status, headers, json: undefined }, binary: download(file) };
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body) {
    size += chunk.length;
    if (size > maxBytes) {
      return unread(reply, tooLarge(maxBytes));
    }
    chunks.push(chunk);
  }
  const [only = new Uint8Array()] = chunks;
  let bytes = chunks.length <= 1 ? only : concatBytes(chunks);
  if (mayBeCompressed(bytes, encoding)) {
    const decoded = decompressed(bytes, encoding, maxBytes);
    if ('failed' in decoded)
      return unread(reply, decoded.failed === 'encoded' ? ENCODED : tooLarge(maxBytes));
    bytes = decoded.bytes;
  }
  const text = utf8.decode(bytes);
  const parsed = parsedJson(text);
  // decode() reports what the text is instead of JSON.
  const said = parsed === undefined ? quoteOf(text) : undefined;
  return {
    reply: {
      status,
      headers,
      json: parsed?.json,
      empty: text === '',
      ...(said !== undefined && { quote: said }),
      ...(parsed?.warned === true && { warned: true }),
    },
  };
}

const utf8 = new TextDecoder();

function isEncoded(encoding: string): boolean {
  return encoding !== '' && encoding.trim().toLowerCase() !== 'identity';
}

const ENCODED: Unexpected = {
  reason: 'encoded',
  why: "its body has an encoding that was not asked for and that can't be read",
};

function tooLarge(maxBytes: number): Unexpected {
  return { reason: 'too_large', why: `its body is larger than ${maxBytes} bytes` };
}

function unread(reply: TransportReply, why: Unexpected): ReadReply {
  const { status, headers } = reply;
  discardQuietly(reply);
  return { reply: { status, headers, json: undefined }, unread: why };
}

/**
 * Takes a reply apart.
 *
 * @param nowMs local wall-clock time
 * @param isStrict whether one record that can't be read makes a list unreadable
 */
export function understand(
  route: Route,
  { reply, binary, unread }: ReadReply,
  nowMs: number,
  isStrict: boolean,
): Replied {
  const { status, json, headers } = reply;
  const timestamp = isObject(json) ? (json['server_time'] ?? json['timestamp']) : undefined;
  const stated = statedTimeOf({ timestamp, headers }, nowMs);
  const cached = cacheMark(headers);
  const base: Replied = {
    kind: 'reply',
    reply,
    ...(stated !== undefined && { stated }),
    ...(cached !== undefined && { cached }),
  };
  if (status >= 400) return { ...base, error: errorReply(route, reply) };
  if (status < 200 || status >= 300) return { ...base, unexpected: redirectOf(headers) };
  const wrong = unread ?? (cached === undefined ? undefined : cachedWrite(route, cached));
  const found = wrong ?? decode(route, reply, binary, isStrict);
  return 'why' in found ? { ...base, unexpected: found } : { ...base, payload: found };
}

/** Caches must not answer writes. A copy may answer another request, so it proves nothing. */
function cachedWrite({ effect }: Route, cached: string): Unexpected | undefined {
  if (effect === 'read') return undefined;
  return {
    reason: 'other_request',
    why: `a cache answered (${cached}), possibly with the reply to another request`,
  };
}

function redirectOf(headers: Reply['headers']): Unexpected {
  return headers['location'] === undefined
    ? { reason: 'status', why: 'the status is not final' }
    : { reason: 'redirect', why: 'redirects are never followed, because a signature would go with them' };
}

/** One value of a header; the first where it was repeated. */
export function headerOf(headers: Reply['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The payload of a success, and what came with it. */
export interface Payload {
  readonly reply: Reply;
  readonly value: unknown;
  readonly requestId: string | undefined;
  readonly serverTime: string | undefined;
  readonly replayed: boolean;
  /** Paths of optional fields whose values have another type than documented; they pass unchanged. */
  readonly undocumented: readonly string[];
  /** Tolerated forms in the payload, each with its first path. */
  readonly tolerated: ReadonlyMap<ToleranceName, string>;
  /** Records of a list that could not be read and were left out. */
  readonly skipped?: readonly SkippedRecord[];
}

/**
 * Checks a 2xx reply against its operation. The payload is the service's own object, not a copy by the schema: unknown
 * fields survive, and so do the bank's labels, whatever their names.
 */
function decode(
  route: Route,
  reply: Reply,
  binary: BinaryReply | undefined,
  isStrict: boolean,
): Payload | Unexpected {
  const { envelope, effect, success } = route;
  const { json, headers } = reply;
  if (!success.includes(reply.status) && !isReadAsSuccess(route, reply.status)) {
    return { reason: 'status', why: `the operation answers ${success.join(' or ')}` };
  }
  if (binary !== undefined) {
    return {
      reply,
      value: binary,
      requestId: undefined,
      serverTime: undefined,
      replayed: false,
      undocumented: NONE,
      tolerated: NOTHING,
    };
  }
  const isOpen = envelope === 'raw' || envelope === 'whole';
  if (json === undefined && !(isOpen && reply.empty === true)) {
    return { reason: 'not_json', why: 'its body is not JSON' };
  }
  const page = listPage(envelope, json);
  const whole = page.body;
  // A reply without a documented shape is returned as it is: any JSON, or an empty body.
  const checked = route.reply === undefined ? undefined : checkReply(route.reply, whole);
  const {
    value: body,
    issues: found,
    tolerated,
  } = checked ?? { value: whole, issues: NONE, tolerated: NONE };
  const issues = isStrict ? found : withoutPageNumber(envelope, found);
  const fatal = issues.find(({ tolerable }) => !tolerable);
  const skipped = fatal === undefined || isStrict ? undefined : withoutUnreadable(route, body, issues);
  if (fatal !== undefined && skipped === undefined) {
    return { reason: 'shape', why: `${dotted(fatal.path) || 'the body'}: ${fatal.problem}` };
  }
  if (!isObject(body) && envelope !== 'raw') {
    return { reason: 'shape', why: 'its body is not a JSON object' };
  }
  const fields = isObject(body) ? body : {};
  const data = isObject(fields['data']) ? fields['data'] : {};
  const contradiction = contradictionIn(effect, fields, data);
  if (contradiction !== undefined) return { reason: 'contradiction', why: contradiction };
  const forms = [...tolerated, ...page.tolerated, ...(reply.warned === true ? [WARNED] : NONE)];
  // A page is returned whole: its items and its position belong together.
  const isWhole =
    envelope === 'raw' ? !Object.hasOwn(fields, 'data') : envelope === 'whole' || envelope.endsWith('page');
  return {
    reply,
    value: isWhole ? body : fields['data'],
    // In other records, request_id belongs to the request that made the record (A05).
    requestId: textIn(fields['request_id']) ?? (effect === 'bid' ? textIn(data['request_id']) : undefined),
    serverTime: textIn(fields['server_time']) ?? textIn(fields['timestamp']),
    replayed:
      headers['idempotent-replayed'] === 'true' || (checked !== undefined && data['replayed'] === true),
    undocumented: issues.flatMap(({ path, tolerable }) => (tolerable ? dotted(path) : [])),
    ...(skipped !== undefined && { skipped }),
    tolerated: forms.length === 0 ? NOTHING : firstOfEach(forms),
  };
}

/** Frameworks and proxies answer with one of these in place of 200. The record in the reply shows what was done or read. */
function isReadAsSuccess({ envelope, effect, reply }: Route, status: number): boolean {
  if (envelope === 'command') return status === 201 || status === 202;
  return effect === 'read' && reply !== undefined && status >= 201 && status <= 203;
}

const NONE: readonly never[] = [];
const WARNED = { name: 'php_warnings', path: [] } as const;
const NOTHING: ReadonlyMap<ToleranceName, string> = new Map();

function firstOfEach(found: CheckedReply['tolerated']): ReadonlyMap<ToleranceName, string> {
  return new Map(found.toReversed().map(({ name, path }) => [name, dotted(path)]));
}

/** Why a 2xx reply contradicts itself; undefined if it does not. */
function contradictionIn(effect: Effect, fields: JsonObject, data: JsonObject): string | undefined {
  if (effect === 'bid' && data['status'] !== 'accepted') {
    return 'it is a success, but data.status is not "accepted"';
  }
  const { success, code, errors } = fields;
  if (flagIn(success) === false) return 'it is a success, but `success` is false';
  if (typeof code === 'string' && codeFacts(code.trim().toUpperCase()) !== undefined) {
    return `it is a success, but its code is ${code}`;
  }
  if (typeof errors === 'string' && errors.trim() !== '') return 'it is a success, but it names an error';
  const listed = Array.isArray(errors) ? errors : isObject(errors) ? Object.keys(errors) : NONE;
  return listed.length > 0 ? 'it is a success, but it lists errors' : undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Reads a flag in its documented form or one that is tolerated; undefined for anything else. */
function flagIn(value: unknown): boolean | undefined {
  const flag = value === undefined || typeof value === 'boolean' ? value : readAs('boolean', value)?.value;
  return typeof flag === 'boolean' ? flag : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Limits the length of paths, because keys of a reply can have any length. */
const PATH_CAP = 200;

function dotted(path: readonly PropertyKey[]): string {
  const text = path.map(String).join('.');
  return text.length > PATH_CAP ? `${text.slice(0, PATH_CAP)}…` : text;
}

/** An error reply of the service, in whichever of its three shapes it came (Errors, Shapes). */
export interface ErrorReply {
  /** `foreign`: none of the three, so perhaps not the service at all. */
  readonly shape: 'application' | 'framework' | 'message' | 'foreign';
  readonly message: string | undefined;
  /** Title and words of what is not in the service's own JSON, not redacted. */
  readonly quote?: string;
  /** Every code, the first reason first. */
  readonly codes: readonly string[];
  readonly fieldErrors: Readonly<Record<string, readonly string[]>>;
  readonly requestId: string | undefined;
  /** The bid record of a recorded rejection; null or undefined otherwise. */
  readonly data: unknown;
  /** True if an error status comes with a success code or state: the reply contradicts itself. */
  readonly saysAccepted: boolean;
  /** True for a rejected bid with its record. */
  readonly saysRejected: boolean;
  /** That record, if it parses. */
  readonly rejection: RejectedBid | undefined;
}

/** Reads an error out of a reply's JSON. */
function errorReply(route: Route, { json, quote }: Reply): ErrorReply {
  const { success, code, message, errors, data, request_id } = isObject(json) ? json : {};
  const status = isObject(data) ? data['status'] : undefined;
  const text = textOnOneLine(message);
  const isApplication = typeof code === 'string' || flagIn(success) === false || status === 'rejected';
  // Only bids are judged: elsewhere `rejected` is a state like any other (a transfer's, for example).
  const saysRejected = route.effect === 'bid' && status === 'rejected';
  const fields = !isApplication && text !== undefined && isObject(errors) ? errors : undefined;
  const shape = fields === undefined ? (text === undefined ? 'foreign' : 'message') : 'framework';
  const said = shape === 'foreign' && !isApplication ? (quote ?? quoteOfJson(json)) : undefined;
  return {
    shape: isApplication ? 'application' : shape,
    message: text,
    ...(said !== undefined && { quote: said }),
    codes: isApplication ? codesIn(code, errors) : [],
    fieldErrors: fields === undefined ? {} : messagesByField(fields),
    requestId: isApplication ? textOnOneLine(request_id) : undefined,
    data: isApplication ? data : undefined,
    saysAccepted: flagIn(success) === true || code === 'BID_ACCEPTED' || status === 'accepted',
    saysRejected,
    rejection: saysRejected ? rejectionOf(route, data) : undefined,
  };
}

/** The record of a rejected bid, checked like a success; undefined if it does not parse. */
function rejectionOf({ rejection }: Route, data: unknown): RejectedBid | undefined {
  if (rejection === undefined) return undefined;
  try {
    const { value, issues } = checkReply(rejection, data);
    const isRecord = isObject(value) && issues.every(({ tolerable }) => tolerable);
    const record: object | undefined = isRecord ? value : undefined;
    // The type is generated from the schema that checks it.
    return record as RejectedBid | undefined;
  } catch {
    // Nested deeper than the stack allows.
    return undefined;
  }
}

function codesIn(code: unknown, errors: unknown): readonly string[] {
  const first = textOnOneLine(code);
  const listed = textsIn(errors);
  return [...new Set(first === undefined || listed.includes(first) ? listed : [first, ...listed])];
}

/** The texts of a list, or none. */
function textsIn(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return list
    .slice(0, LIST_CAP)
    .map(textOnOneLine)
    .filter((text) => text !== undefined);
}

function messagesByField(errors: Readonly<Record<string, unknown>>): Record<string, readonly string[]> {
  const fields = Object.entries(errors).slice(0, LIST_CAP);
  return Object.fromEntries(
    fields.map(([field, said]) => [textOnOneLine(field) ?? '', textsIn(Array.isArray(said) ? said : [said])]),
  );
}

const TEXT_CAP = 500;

/** More codes, fields or messages than any reply of the service has; the rest of a hostile one is not read. */
const LIST_CAP = 100;

/** A text of the service on one line, cut off where it is too long. */
function textOnOneLine(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = plainLine(value.slice(0, TEXT_CAP));
  return value.length > TEXT_CAP ? `${line}…` : line;
}

/** The reply that a payload came in. */
export interface ResponseInfo {
  /** HTTP status. */
  readonly status: number;
  /** Reply headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The service's id of the request; undefined if it gave none. */
  readonly requestId: string | undefined;
  /** Server time as the reply states it, ISO 8601; undefined if it does not. */
  readonly serverTime: string | undefined;
  /** True when the service had recorded this idempotency key before and answered from its record. */
  readonly replayed: boolean;
  /** Why this is a copy from a cache, such as `age: 240`; absent for a fresh reply. */
  readonly cached?: string;
  /** Attempts that the call took. */
  readonly attempts: number;
  /** The key that the call was sent under; undefined for reads. */
  readonly idempotencyKey: string | undefined;
  /** Records of a list that could not be read and were left out; absent if there are none. */
  readonly skipped?: readonly SkippedRecord[];
  /** The whole reply body as it was parsed: also what is outside the payload, such as `next_cursor`. */
  readonly body: unknown;
  /** Milliseconds on a monotonic clock: the whole call, and the part of it that waited for the request quota. */
  readonly timings: { readonly total: number; readonly queued: number };
}

interface Attached {
  readonly info: ResponseInfo;
  readonly redactor: (() => Redact) | undefined;
}

/** Registered, because the ESM and the CJS build are two copies of this module. */
const attachedKey = Symbol.for('vehicle-auction-sdk.response');

/**
 * Attaches the facts of a reply to its payload, hidden from copies, JSON and `Object.keys`. A WeakMap of all replies
 * would cost more than any other step of a call. Headers are redacted when they are read.
 */
export function attachInfo(value: object, info: ResponseInfo, redactor?: () => Redact): void {
  const attached: Attached = { info, redactor };
  Reflect.defineProperty(value, attachedKey, { value: attached, enumerable: false, configurable: true });
}

/** Copies the attached facts of one value to another that was made from it. */
export function copyInfo(from: object, to: object): void {
  const attached = attachedTo(from);
  if (attached !== undefined) attachInfo(to, attached.info, attached.redactor);
}

/** The records that were left out of a list. */
export function skippedIn(envelope: object): readonly SkippedRecord[] | undefined {
  return attachedTo(envelope)?.info.skipped;
}

function attachedTo(value: object): Attached | undefined {
  // A caller's object can inherit from a reply without being one.
  return Object.hasOwn(value, attachedKey) ? Reflect.get(value, attachedKey) : undefined;
}

/**
 * Returns the reply that a value came in: status, headers, request id, server time, attempts, idempotency key.
 *
 * @throws TypeError for a value that no call returned, such as a copy.
 */
export function responseOf(value: unknown): ResponseInfo {
  const attached = typeof value === 'object' && value !== null ? attachedTo(value) : undefined;
  if (attached === undefined) {
    throw new TypeError('responseOf() takes the object that a call returned, not a copy or a part of it');
  }
  const { info, redactor } = attached;
  return redactor === undefined ? info : { ...info, headers: redactDeep(info.headers, redactor()) };
}
