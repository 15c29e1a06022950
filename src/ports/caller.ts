import type { Lane, Route } from '../api/operation.js';
import type { CursorPager, Pager } from './list.js';

/** Options of every call. */
export interface BaseOptions {
  /** Aborts the call at once, whether queued, in flight or waiting between attempts. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt, including the body of its reply. */
  readonly timeout?: number | undefined;
  /** Milliseconds for the whole call, including quota waits, attempts, retry waits and body reads. */
  readonly deadline?: number | undefined;
  /** Maximum number of attempts, including the first one. */
  readonly maxAttempts?: number | undefined;
  /** Priority in the request quota. Defaults to the lane of the operation. */
  readonly lane?: Lane | undefined;
}

/** Options of a read. */
export interface CallOptions extends BaseOptions {
  /**
   * Additional query parameters, because the API describes some without naming them. They are signed and sent. A
   * known name is not allowed.
   */
  readonly extraQuery?: Readonly<Record<string, string | number | boolean>> | undefined;
  /**
   * Of a list: throws an `UnexpectedResponseError` for a record that can't be read. By default the list leaves it out and keeps
   * it in `skipped`.
   */
  readonly strict?: boolean | undefined;
}

/** Options of a bid. */
export interface BidOptions extends BaseOptions {
  /**
   * UUID of this one intended effect. Defaults to a new UUID. To resend an earlier call, pass its key with the
   * same body. The key is on the result (`responseOf`) and on every error.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a command. */
export interface MutationOptions extends CallOptions, BidOptions {
  /**
   * Additional JSON body fields, because the API describes some without naming them. They are signed and sent. A
   * known name is not allowed.
   */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** Arguments of one call: path parameters, query and body. */
export interface CallInput {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: object;
  readonly body?: object;
}

/** Makes one call and resolves with its payload. `T` is generated from the schema that checks the reply. */
export type Call = <T>(route: Route, input: CallInput, options?: MutationOptions) => Promise<T>;

/** The function that resources call, with a method for each kind of list. */
export interface Caller {
  <T>(...call: Parameters<Call>): Promise<T>;
  /** Creates a list by page numbers. */
  pager<T>(route: Route, input: CallInput, options?: CallOptions): Pager<T>;
  /** Creates a list by cursor. */
  cursorPager<T>(route: Route, input: CallInput, options?: CallOptions): CursorPager<T>;
}

/** A workflow record to pass instead of its id. The command then sends the version of this record. */
export interface VersionedRecord {
  readonly id: string;
  readonly resource_version: number;
  readonly kind?: string;
}

/**
 * The result of an inventory command to pass instead of the vehicle's id. The command then sends its
 * `inventory_version`.
 */
export interface VersionedVehicle {
  readonly data?: { readonly vehicle_id?: string; readonly inventory_version?: number };
}

/** Body of a versioned command. `expected_version` is optional if you pass the record instead of its id. */
export type BodyFor<Given, Body> = Given extends string ? Body : Unversioned<Body>;

/** Arguments of a command that needs only the version. The body is optional if you pass the record. */
export type InputFor<Given, Body> = Given extends string
  ? [body: Body, options?: MutationOptions]
  : [body?: Unversioned<Body>, options?: MutationOptions];

/** A body with an optional `expected_version`, which defaults to that of the record. */
export type Unversioned<Body> = Omit<Body, 'expected_version'> & {
  readonly expected_version?: number | undefined;
};

/** A web stream that `Response` and Node's `Readable.fromWeb` accept, with and without `lib.dom`. */
export type FileStream = PipedStream & ReadableStream<Uint8Array>;

/** Methods of web streams whose types in Node and `lib.dom` are incompatible. */
export interface PipedStream {
  getReader(options: { readonly mode: 'byob' }): ByteReader;
  getReader(): ChunkReader;
  getReader(options?: { readonly mode?: 'byob' }): ChunkReader | ByteReader;
  pipeThrough<R>(transform: { readonly readable: R; readonly writable: object }, options?: object): R;
  pipeTo(destination: object, options?: object): Promise<void>;
  tee(): [FileStream, FileStream];
  values(options?: { preventCancel?: boolean }): ChunkIterator;
  [Symbol.asyncIterator](): ChunkIterator;
}

interface StreamReader {
  readonly closed: Promise<undefined>;
  cancel(reason?: unknown): Promise<void>;
  releaseLock(): void;
}

/** Reads a stream chunk by chunk. */
export interface ChunkReader extends StreamReader {
  read(): Promise<
    { readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value: undefined }
  >;
}

/** Reads a stream into buffers that you provide. */
export interface ByteReader extends StreamReader {
  read<T extends ArrayBufferView>(
    view: T,
  ): Promise<
    { readonly done: false; readonly value: T } | { readonly done: true; readonly value: T | undefined }
  >;
}

/** The chunks of a stream. */
export interface ChunkIterator extends AsyncIterableIterator<Uint8Array>, AsyncDisposable {
  [Symbol.asyncIterator](): ChunkIterator;
}

/** A streamed photo or document. Read the stream to its end, or cancel it. */
export interface BinaryReply {
  readonly stream: FileStream;
  /** Stored MIME type, such as `image/jpeg`. */
  readonly contentType: string | undefined;
  /** Length in bytes, if the service sends it. */
  readonly contentLength: number | undefined;
  /** `inline` for photos, `attachment` for documents, optionally with a file name. */
  readonly contentDisposition: string | undefined;
}
