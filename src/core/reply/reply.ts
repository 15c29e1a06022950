import { checkReply, isObject } from '../../api/check.js';
import { codeFacts } from '../../api/codes.js';
import type { Effect, Route } from '../../api/operation.js';
import type { UnexpectedReason } from '../../errors/connection.js';
import type { BinaryReply } from '../../ports/caller.js';
import type { Deadline } from '../../runtime/timers.js';
import { fileStream } from '../caller.js';
import { type Redact, redactDeep } from '../redact.js';
import { discardQuietly, type TransportReply } from '../transport/transport.js';

/** A reply that was read to its end, before it is classified. */
export interface Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed body; undefined where it isn't JSON. */
  readonly json: unknown;
  /** True where there is no body at all. */
  readonly empty?: boolean;
}

/** Why a reply cannot be used. */
export interface Unexpected {
  readonly reason: UnexpectedReason;
  /** In a few words, as the end of a sentence. */
  readonly why: string;
}

/** How an attempt ended that brought a reply. */
export interface Replied {
  readonly kind: 'reply';
  readonly reply: Reply;
  /** The body as a stream, of a download. */
  readonly binary?: BinaryReply;
  /** Why the body was not read. */
  readonly unread?: Unexpected;
}

/** What handing on a download takes. */
export interface DownloadTools {
  readonly redact: Redact;
  /** The error that the reader of a download sees when it breaks off. */
  explain(error: unknown): Error;
}

/** Reads a reply to its end, up to `maxBytes` of JSON; a download is handed on as a stream. */
export async function readReply(
  route: Route,
  reply: TransportReply,
  deadline: Deadline,
  maxBytes: number,
  download: DownloadTools | undefined,
): Promise<Replied> {
  const { status, headers } = reply;
  const encoding = headerOf(headers, 'content-encoding')?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    const why = 'its body is encoded, although no encoding was asked for';
    return unread(reply, { reason: 'encoded', why });
  }
  if (download !== undefined && route.success.includes(status)) {
    deadline.limit();
    const binary = downloadOf(reply, deadline, download);
    return { kind: 'reply', reply: { status, headers, json: undefined }, binary };
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body) {
    size += chunk.length;
    if (size > maxBytes) {
      return unread(reply, { reason: 'too_large', why: `its body is larger than ${maxBytes} bytes` });
    }
    chunks.push(chunk);
  }
  const [only = new Uint8Array()] = chunks;
  const text = utf8.decode(chunks.length <= 1 ? only : Buffer.concat(chunks, size));
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    // What it is instead is said where it is decoded.
  }
  return { kind: 'reply', reply: { status, headers, json, empty: text === '' } };
}

const utf8 = new TextDecoder();

function unread(reply: TransportReply, why: Unexpected): Replied {
  const { status, headers } = reply;
  discardQuietly(reply);
  return { kind: 'reply', reply: { status, headers, json: undefined }, unread: why };
}

/** Passes a body on as a stream; the deadline ends with it. */
function downloadOf(
  reply: TransportReply,
  deadline: Deadline,
  { redact, explain }: DownloadTools,
): BinaryReply {
  const chunks = reply.body[Symbol.asyncIterator]();
  const { signal } = deadline;
  const release = () => {
    deadline.end();
    reply.discard();
  };
  const header = (name: string) => {
    const value = headerOf(reply.headers, name);
    return value === undefined ? undefined : redact(value);
  };
  const length = header('content-length');
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      const stop = () => {
        release();
        controller.error(explain(signal.reason));
      };
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop);
    },
    async pull(controller) {
      try {
        const next = await chunks.next();
        if (signal.aborted) return;
        if (next.done === true) {
          deadline.end();
          controller.close();
        } else {
          controller.enqueue(next.value);
        }
      } catch (error) {
        if (signal.aborted) return;
        release();
        controller.error(explain(error));
      }
    },
    cancel: release,
  });
  return {
    stream: fileStream(stream),
    contentType: header('content-type'),
    contentLength: length !== undefined && /^\d+$/.test(length) ? Number(length) : undefined,
    contentDisposition: header('content-disposition'),
  };
}

/** One value of a header; the first where it was repeated. */
export function headerOf(headers: Reply['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** What a success carries. */
export interface Payload {
  readonly reply: Reply;
  readonly value: unknown;
  readonly requestId: string | undefined;
  readonly serverTime: string | undefined;
  readonly replayed: boolean;
  /** Paths of optional fields whose values have another type than documented; they pass unchanged. */
  readonly odd: readonly string[];
}

/**
 * Checks a 2xx reply against its operation. The payload is the service's own object, not a copy by the schema: unknown
 * fields survive, and so do the bank's labels, whatever their names.
 */
export function decode(route: Route, reply: Reply, binary: BinaryReply | undefined): Payload | Unexpected {
  const { envelope, effect, success } = route;
  const { json, headers } = reply;
  if (!success.includes(reply.status)) {
    return { reason: 'status', why: `the operation answers ${success.join(' or ')}` };
  }
  if (binary !== undefined) {
    return { reply, value: binary, requestId: undefined, serverTime: undefined, replayed: false, odd: [] };
  }
  const isOpen = envelope === 'raw' || envelope === 'whole';
  if (json === undefined && !(isOpen && reply.empty === true)) {
    return { reason: 'not_json', why: 'its body is not JSON' };
  }
  // Where no shape is documented, a reply is taken as it is: any JSON, or an empty body.
  const checked = route.reply === undefined ? undefined : checkReply(route.reply, json);
  const { value: body, issues } = checked ?? { value: json, issues: NONE };
  const fatal = issues.find(({ tolerable }) => !tolerable);
  if (fatal !== undefined) {
    return { reason: 'shape', why: `${dotted(fatal.path) || 'the body'}: ${fatal.problem}` };
  }
  if (!isObject(body) && envelope !== 'raw') {
    return { reason: 'shape', why: 'its body is not a JSON object' };
  }
  const fields = isObject(body) ? body : {};
  const data = isObject(fields['data']) ? fields['data'] : {};
  const contradiction = contradictionIn(effect, fields, data);
  if (contradiction !== undefined) return { reason: 'contradiction', why: contradiction };
  // A page is handed on whole: its items and its position belong together.
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
    odd: issues.length === 0 ? NONE : issues.map(({ path }) => dotted(path)),
  };
}

const NONE: readonly never[] = [];

/** What in a success says otherwise. */
function contradictionIn(effect: Effect, fields: JsonObject, data: JsonObject): string | undefined {
  if (effect === 'bid' && data['status'] !== 'accepted') {
    return 'it is a success, but data.status is not "accepted"';
  }
  const { success, code, errors } = fields;
  if (success === false) return 'it is a success, but `success` is false';
  if (typeof code === 'string' && codeFacts(code) !== undefined) {
    return `it is a success, but its code is ${code}`;
  }
  const listed = Array.isArray(errors) ? errors : isObject(errors) ? Object.keys(errors) : NONE;
  return listed.length > 0 ? 'it is a success, but it lists errors' : undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Keys of a reply can be as long as the service likes. */
const PATH_CAP = 200;

function dotted(path: readonly PropertyKey[]): string {
  const text = path.map(String).join('.');
  return text.length > PATH_CAP ? `${text.slice(0, PATH_CAP)}…` : text;
}

/** The reply that a payload came in. */
export interface ResponseInfo {
  /** HTTP status. */
  readonly status: number;
  /** Reply headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The service's id of the request; undefined where it gave none. */
  readonly requestId: string | undefined;
  /** Server time as the reply states it, ISO 8601; undefined where it does not. */
  readonly serverTime: string | undefined;
  /** True when the service had recorded this idempotency key before and answered from its record. */
  readonly replayed: boolean;
  /** Why this is a copy from a cache, such as `age: 240`; absent for a fresh reply. */
  readonly cached?: string;
  /** Attempts that the call took. */
  readonly attempts: number;
  /** The key that the call was sent under; undefined for reads. */
  readonly idempotencyKey: string | undefined;
  /** The whole reply body as it was parsed: also what is outside the payload, such as `next_cursor`. */
  readonly body: unknown;
  /** Milliseconds on a monotonic clock: the whole call, and the part of it that waited for the request quota. */
  readonly timings: { readonly totalMs: number; readonly queuedMs: number };
}

interface Attached {
  readonly info: ResponseInfo;
  readonly redactor: (() => Redact) | undefined;
}

/** Registered, because the ESM and the CJS build are two copies of this module. */
const attachedKey = Symbol.for('vehicle-auction-sdk.response');

/**
 * Attaches what came with a payload, where neither copies nor JSON nor `Object.keys` show it: a WeakMap of all replies
 * would cost more than any other step of a call. Headers are redacted when they are read.
 */
export function attachInfo(value: object, info: ResponseInfo, redactor?: () => Redact): void {
  const attached: Attached = { info, redactor };
  Reflect.defineProperty(value, attachedKey, { value: attached, enumerable: false, configurable: true });
}

/** Attaches to one value what came with another, of which it was made. */
export function copyInfo(from: object, to: object): void {
  const attached = attachedTo(from);
  if (attached !== undefined) attachInfo(to, attached.info, attached.redactor);
}

function attachedTo(value: object): Attached | undefined {
  // An object of the caller's own can inherit from a reply, and is none itself.
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
