import type { Code } from '../api/codes.js';
import { attachment } from './disposition.js';
import { isoTime } from './times.js';

/** A reply before it is serialised: JSON, the bytes of a file, or the HTML of what stands before the service. */
export type Reply = ReplyHead & (JsonContent | FileContent | { readonly html: string });

export interface JsonContent {
  readonly json: unknown;
}

export interface FileContent {
  readonly bytes: Uint8Array;
  /** The stored media type. */
  readonly contentType: string;
}

export interface ReplyHead {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The application code it carries, for the attempt's record. */
  readonly code?: string;
}

/** Thrown anywhere in a request to answer it at once. */
export class Refusal extends Error {
  readonly reply: Reply;

  constructor(reply: Reply) {
    super(`refused with ${reply.status}`);
    this.name = 'Refusal';
    this.reply = reply;
  }
}

/** Which request is answered, and when. */
export interface Answering {
  readonly requestId: string;
  /** Server time, Unix milliseconds. */
  now(): number;
}

/** `{ message }`: what the service says when it has no code. */
export function messageOnly(
  status: number,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Reply {
  return { status, json: { message }, ...(headers !== undefined && { headers }) };
}

export function notFound(): Reply {
  return messageOnly(404, 'Not found.');
}

/** The framework's 422: messages by field. */
export function invalid(errors: ReadonlyMap<string, readonly string[]>): Reply {
  return {
    status: 422,
    json: { message: 'The given data was invalid.', errors: Object.fromEntries(errors) },
  };
}

export function invalidField(field: string, message: string): Reply {
  return invalid(new Map([[field, [message]]]));
}

/** The application envelope of a refusal: nothing was recorded, `data` is null. */
export function refusal(
  answering: Answering,
  status: number,
  codes: readonly [Code, ...Code[]],
  extra: { readonly message?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Reply {
  return {
    ...bidEnvelope(answering, status, {
      success: false,
      code: codes[0],
      message: extra.message ?? `Refused: ${codes.join(', ')}.`,
      data: null,
      errors: codes,
    }),
    ...(extra.headers !== undefined && { headers: extra.headers }),
  };
}

/** The application envelope around a bid record or around nothing. */
export function bidEnvelope(
  answering: Answering,
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

/** `{ data }`: catalogue details. */
export function detail(data: unknown): Reply {
  return { status: 200, json: { data } };
}

/** `{ data, server_time }`: reads of the operations beyond the catalogue. */
export function read(answering: Answering, data: unknown): Reply {
  return { status: 200, json: { data, server_time: isoTime(answering.now()) } };
}

/** `{ data, request_id, server_time }`: workflow commands; a replay is marked by a header. */
export function command(answering: Answering, data: unknown, replayed: boolean): Reply {
  return {
    status: 200,
    json: { data, request_id: answering.requestId, server_time: isoTime(answering.now()) },
    ...(replayed && { headers: { 'Idempotent-Replayed': 'true' } }),
  };
}

/** The bytes of a file, to be shown in place or, under the name given, to be saved; nobody may keep a copy. */
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
