import type { Code } from '../../api/codes.js';
import type { Operation } from '../../api/operation.js';
import { httpDate, isoTime } from '../times.js';
import { percentEncode } from './canonical.js';
import type { WireReply } from './wire.js';

/** An unserialised reply: JSON, file bytes, or a proxy's HTML. */
export type Reply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Application code, for the request log. */
  readonly code?: string;
} & ({ readonly json: unknown } | FileContent | { readonly html: string });

interface FileContent {
  readonly bytes: Uint8Array;
  /** The stored media type. */
  readonly contentType: string;
}

/** Result of a request: a cut connection, or a reply and how it is sent. */
export type Outcome =
  | 'drop'
  | { readonly reply: Reply; readonly pieces?: (body: Uint8Array) => AsyncGenerator<Uint8Array, void> };

/** Serialises a reply. `json` is the body text of a JSON reply. */
export function serialised(reply: Reply): FileContent & { readonly json?: string } {
  if ('bytes' in reply) return reply;
  if ('html' in reply) {
    return { bytes: Buffer.from(reply.html, 'utf8'), contentType: 'text/html; charset=utf-8' };
  }
  const json = JSON.stringify(reply.json) ?? 'null';
  return { bytes: Buffer.from(json, 'utf8'), contentType: 'application/json', json };
}

/** Builds the wire form of a reply. `now` is server time, Unix milliseconds. */
export function wireReply(
  { reply, pieces }: Exclude<Outcome, 'drop'>,
  { bytes: body, contentType }: FileContent,
  now: number,
): WireReply {
  const headers: (readonly [string, string])[] = [
    ['Content-Type', contentType],
    ['Content-Length', String(body.length)],
    ['Date', httpDate(now)],
    ...Object.entries(reply.headers ?? {}),
  ];
  return { status: reply.status, headers, body, ...(pieces && { pieces: pieces(body) }) };
}

/** Thrown while handling a request to answer it at once. */
export class Refusal extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(`refused with ${reply.status}`);
    this.name = 'Refusal';
    this.reply = reply;
  }
}

/** Reply for an error. Anything but a Refusal becomes a 500 without details. */
export function replyTo(error: unknown): Reply {
  return error instanceof Refusal ? error.reply : messageOnly(500, 'Server error.');
}

/** Identity and time of the request to answer. */
export interface RequestContext {
  readonly requestId: string;
  /** Server time, Unix milliseconds. */
  now(): number;
}

/** The operation to answer and the public base URL. */
interface OperationContext extends RequestContext {
  readonly operation: Operation;
  readonly world: { readonly baseUrl: string };
}

/** `{ message }`, the reply without a code. */
export function messageOnly(status: number, message: string, headers: Reply['headers'] = {}): Reply {
  return { status, json: { message }, headers };
}

export function notFound(): Reply {
  return messageOnly(404, 'Not found.');
}

/** The framework's 422, with messages by field. */
export function invalidFields(errors: ReadonlyMap<string, readonly string[]>): Reply {
  return {
    status: 422,
    json: { message: 'The given data was invalid.', errors: Object.fromEntries(errors) },
  };
}

export function invalidField(field: string, message: string): Reply {
  return invalidFields(new Map([[field, [message]]]));
}

/** Refuses with a 409 unless the state of a record allows the command. */
export function ensure(isAllowed: boolean, message: string): asserts isAllowed {
  if (!isAllowed) throw new Refusal(messageOnly(409, message));
}

/** Refuses a field with the framework's 422 unless its value fits. */
export function ensureFits(fits: boolean, field: string, message: string): asserts fits {
  if (!fits) throw new Refusal(invalidField(field, message));
}

/** Application envelope of a refusal. `data` is null because nothing was recorded. */
export function refusal(
  answering: RequestContext,
  status: number,
  codes: readonly Code[],
  message = `Refused: ${codes.join(', ')}.`,
): Reply {
  const content = { success: false, code: codes[0] ?? '', message, data: null, errors: codes };
  return bidEnvelope(answering, status, content);
}

/** Application envelope with a bid record or null. */
export function bidEnvelope(
  answering: RequestContext,
  status: number,
  content: {
    readonly success: boolean;
    readonly code: string;
    readonly message: string;
    readonly data: unknown;
    readonly errors: readonly string[];
  },
): Reply {
  const { success, code, message, data, errors } = content;
  const timestamp = isoTime(answering.now());
  return {
    status,
    code,
    json: { success, code, message, data, errors, request_id: answering.requestId, timestamp },
  };
}

/** Wraps data in the envelope of the operation. */
export function ok(call: OperationContext, data: unknown): Reply {
  if (call.operation.envelope === 'object') return { status: 200, json: { data } };
  return { status: 200, json: { data, server_time: isoTime(call.now()) } };
}

/** Reply to a command. A header marks a replay. */
export function commandReply(call: RequestContext, data: unknown, replayed: boolean): Reply {
  return {
    status: 200,
    json: { data, request_id: call.requestId, server_time: isoTime(call.now()) },
    ...(replayed && { headers: { 'Idempotent-Replayed': 'true' } }),
  };
}

/** File reply, inline or as an attachment named `savedAs`. Caching is disabled. */
export function file(content: FileContent, savedAs?: string): Reply {
  return {
    status: 200,
    bytes: content.bytes,
    contentType: content.contentType,
    headers: {
      'Cache-Control': 'private, no-store',
      'Content-Disposition': savedAs === undefined ? 'inline' : attachment(savedAs),
    },
  };
}

/** Builds `Content-Disposition: attachment` for any file name. */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["%\\]/gu, '_');
  const encoded = percentEncode(Buffer.from(filename, 'utf8'));
  return `attachment; filename="${plain}"${plain === filename ? '' : `; filename*=UTF-8''${encoded}`}`;
}

/** One page of a list in the envelope of the operation. */
export function paged<T>(
  call: OperationContext,
  all: readonly T[],
  {
    page = 1,
    per_page = fixedPageSize,
  }: { readonly page?: number | undefined; readonly per_page?: number | undefined },
  show: (item: T) => unknown,
): Reply {
  const { envelope } = call.operation;
  const from = (page - 1) * per_page;
  const items = all.slice(from, from + per_page).map(show);
  const last_page = Math.max(1, Math.ceil(all.length / per_page));
  const numbers = { current_page: page, last_page };
  const total = all.length;
  if (envelope === 'workflow_page') return ok(call, { items, ...numbers, total });
  if (envelope === 'results_page') return { status: 200, json: { data: items, ...numbers } };
  if (envelope === 'page') return { status: 200, json: { data: items, ...numbers, total } };
  const path = `${call.world.baseUrl}${call.operation.path}`;
  return { status: 200, json: { ...frameworkPage(path, items, { from, page, last_page, per_page }), total } };
}

/**
 * The framework's pagination envelope, used by `/bids`, without its `total`. `path` is the absolute URL of the list.
 */
export function frameworkPage(path: string, items: readonly unknown[], at: PagePlace) {
  const { from, page, last_page, per_page } = at;
  const url = (number: number) => `${path}?page=${number}`;
  const prev_page_url = page > 1 ? url(page - 1) : null;
  const next_page_url = page < last_page ? url(page + 1) : null;
  const pages = Array.from({ length: last_page }, (_, index) => index + 1);
  return {
    current_page: page,
    data: items,
    first_page_url: url(1),
    from: items.length > 0 ? from + 1 : null,
    last_page,
    last_page_url: url(last_page),
    links: [
      { url: prev_page_url, label: '&laquo; Previous', active: false },
      ...pages.map((number) => ({ url: url(number), label: String(number), active: number === page })),
      { url: next_page_url, label: 'Next &raquo;', active: false },
    ],
    next_page_url,
    path,
    per_page,
    prev_page_url,
    to: items.length > 0 ? from + items.length : null,
  };
}

type PagePlace = Readonly<Record<'from' | 'page' | 'last_page' | 'per_page', number>>;

/** Items per page where the caller cannot choose. */
export const fixedPageSize = 25;
