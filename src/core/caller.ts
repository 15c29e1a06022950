import type { Operation } from '../api/operation.js';

/** What every call takes as its last argument. */
export interface CallOptions {
  /** Aborts the call at once, wherever it is: queued, on the wire, or waiting between attempts. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt, the body of its reply included. */
  readonly timeout?: number | undefined;
  /** Milliseconds for the whole call: attempts, waits and body reads. */
  readonly deadline?: number | undefined;
  /** Attempts at the most, the first one included. */
  readonly maxAttempts?: number | undefined;
}

/** What a call that changes something takes as its last argument. */
export interface MutationOptions extends CallOptions {
  /**
   * UUID of this one intended effect. Give the key of an earlier call, with the same body, to resend that call;
   * a new UUID is made when left out. It stands on the result (`responseOf`) and on every error.
   */
  readonly idempotencyKey?: string | undefined;
}

/** The arguments of one call, by where they travel. */
export interface CallInput {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: object;
  readonly body?: object;
}

/**
 * Makes one call and resolves with its payload. Resources call through this port; what they ask for as `T` is
 * generated from the schema that checks the reply.
 */
export type Caller = <T>(operation: Operation, input: CallInput, options?: MutationOptions) => Promise<T>;

/** Bytes of a photo or document, as they arrive. Read the stream to its end, or cancel it. */
export interface BinaryReply {
  readonly stream: ReadableStream<Uint8Array>;
  /** Stored MIME type, such as `image/jpeg`. */
  readonly contentType: string | undefined;
  /** Length in bytes, where the service says it. */
  readonly contentLength: number | undefined;
  /** `inline` for photos, `attachment` for documents, perhaps with a file name. */
  readonly contentDisposition: string | undefined;
}
