import type { Effect, Route } from '../../api/operation.js';
import type { UnexpectedReason } from '../../errors/connection.js';
import { type BinaryReply, fileStream } from '../caller.js';
import type { Deadline } from '../deadline.js';
import type { Redact } from '../redact.js';
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

interface ReadTools {
  /** Refuses larger JSON bodies, in bytes. */
  readonly maxBytes: number;
  readonly redact: Redact;
  /** The error that the reader of a download sees when it breaks off. */
  explain(error: unknown): Error;
}

/** Reads a reply to its end; a download is handed on as a stream. */
export async function readReply(
  route: Route,
  reply: TransportReply,
  deadline: Deadline,
  tools: ReadTools,
): Promise<Replied> {
  const { status, headers } = reply;
  const encoding = headerOf(headers, 'content-encoding')?.trim().toLowerCase();
  if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
    return unread({ reason: 'encoded', why: 'its body is encoded, although no encoding was asked for' });
  }
  if (deadline.signal.aborted) throw deadline.signal.reason;
  if (route.envelope === 'binary' && route.success.includes(status)) {
    deadline.limit();
    const binary = downloadOf(reply, deadline, tools);
    return { kind: 'reply', reply: { status, headers, json: undefined }, binary };
  }
  const text = await deadline.race(readText(reply.body, tools.maxBytes));
  if (text === undefined) {
    return unread({ reason: 'too_large', why: `its body is larger than ${tools.maxBytes} bytes` });
  }
  return { kind: 'reply', reply: { status, headers, json: parse(text), empty: text === '' } };

  function unread(why: Unexpected): Replied {
    discardQuietly(reply);
    return { kind: 'reply', reply: { status, headers, json: undefined }, unread: why };
  }
}

const decoder = new TextDecoder();

/** A whole body as UTF-8; undefined where it is larger than `maxBytes`, and then the rest is not read. */
async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  const [only = new Uint8Array()] = chunks;
  return decoder.decode(chunks.length <= 1 ? only : Buffer.concat(chunks, size));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Hands a body on as a stream; the deadline ends with it. */
function downloadOf(reply: TransportReply, deadline: Deadline, { redact, explain }: ReadTools): BinaryReply {
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

/** An error reply of the service, in whichever of its three shapes it came (Errors, Shapes). */
export interface ErrorReply {
  /** `foreign`: none of the three, so perhaps not the service at all. */
  readonly shape: 'application' | 'framework' | 'message' | 'foreign';
  readonly message: string | undefined;
  /** Every code, the first reason first. */
  readonly codes: readonly string[];
  readonly fieldErrors: Readonly<Record<string, readonly string[]>>;
  readonly requestId: string | undefined;
  /** The bid record of a recorded rejection; null or undefined otherwise. */
  readonly data: unknown;
  /** True where an error status comes with words of success: it contradicts itself. */
  readonly saysAccepted: boolean;
}

/** Reads an error out of a reply's JSON. */
export function errorReply(json: unknown): ErrorReply {
  const none = {
    message: undefined,
    codes: [],
    fieldErrors: {},
    requestId: undefined,
    data: undefined,
    saysAccepted: false,
  };
  if (!isObject(json)) return { ...none, shape: 'foreign' };
  const message = textOf(json['message']);
  const data = json['data'];
  const status = isObject(data) ? data['status'] : undefined;
  const saysAccepted = json['success'] === true || json['code'] === 'BID_ACCEPTED' || status === 'accepted';
  if (typeof json['code'] === 'string' || json['success'] === false || status === 'rejected') {
    const code = textOf(json['code']);
    const listed = (Array.isArray(json['errors']) ? json['errors'] : [])
      .slice(0, LIST_CAP)
      .map(textOf)
      .filter((one) => one !== undefined);
    const codes = [...new Set(code === undefined || listed.includes(code) ? listed : [code, ...listed])];
    return {
      ...none,
      shape: 'application',
      message,
      codes,
      requestId: textOf(json['request_id']),
      data,
      saysAccepted,
    };
  }
  if (message === undefined) return { ...none, shape: 'foreign', saysAccepted };
  if (isObject(json['errors']))
    return {
      ...none,
      shape: 'framework',
      message,
      fieldErrors: messagesByField(json['errors']),
      saysAccepted,
    };
  return { ...none, shape: 'message', message, saysAccepted };
}

/**
 * True where the key is stored for other content. The text lets that arrive as a message, whose words it does not
 * show (unknowns: `idempotency-conflict-message`): one that names idempotency is taken for it.
 */
export function isIdempotencyConflict(effect: Effect, status: number, error: ErrorReply): boolean {
  if (error.codes.includes('IDEMPOTENCY_CONFLICT')) return true;
  if (status !== 409 || error.codes.length > 0 || error.shape === 'foreign') return false;
  return effect !== 'read' && /idempoten/i.test(error.message ?? '');
}

/** A version conflict has no documented code (Errors, Codes): it is read from what the reply names. */
export function isVersionConflict(status: number, error: ErrorReply): boolean {
  if (status !== 409 && status !== 412 && status !== 422) return false;
  if (error.codes.some((code) => code.includes('VERSION'))) return true;
  if (status === 422) return Object.hasOwn(error.fieldErrors, 'expected_version');
  return /\bversion\b/i.test(error.message ?? '');
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One value of a header; the first where it was repeated. */
export function headerOf(headers: Reply['headers'], name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function messagesByField(errors: Readonly<Record<string, unknown>>): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(errors)
      .slice(0, LIST_CAP)
      .map(([field, messages]) => [
        textOf(field) ?? '',
        (Array.isArray(messages) ? messages.slice(0, LIST_CAP) : [messages])
          .map(textOf)
          .filter((message) => message !== undefined),
      ]),
  );
}

const TEXT_CAP = 500;

/** More codes, fields or messages than any reply of the service has; the rest of a hostile one is not read. */
const LIST_CAP = 100;

/** Text of the service, bounded and on one line. */
function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value.slice(0, TEXT_CAP).replace(/\p{Cc}+/gu, ' ');
  return value.length > TEXT_CAP ? `${line}…` : line;
}
