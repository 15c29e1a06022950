import type { Lane, Route } from '../api/operation.js';
import type { CursorPager, Pager } from './list.js';

/** What every call takes as its last argument. */
export interface BaseOptions {
  /** Aborts the call at once, wherever it is: queued, on the wire, or waiting between attempts. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one attempt, the body of its reply included. */
  readonly timeout?: number | undefined;
  /** Milliseconds for the whole call: waits for the quota, attempts, waits between them, body reads. */
  readonly deadline?: number | undefined;
  /** Attempts at the most, the first one included. */
  readonly maxAttempts?: number | undefined;
  /** Who goes first where calls wait for the request quota; by what the call does when left out. */
  readonly lane?: Lane | undefined;
}

/** What a read takes as its last argument. */
export interface CallOptions extends BaseOptions {
  /**
   * Query parameters besides the known ones: the API describes some without naming them. They are signed and sent;
   * none may have the name of a known one.
   */
  readonly extraQuery?: Readonly<Record<string, string | number | boolean>> | undefined;
}

/** What a bid takes as its last argument. */
export interface BidOptions extends BaseOptions {
  /**
   * UUID of this one intended effect. Give the key of an earlier call, with the same body, to resend that call;
   * defaults to a new UUID. It is on the result (`responseOf`) and on every error.
   */
  readonly idempotencyKey?: string | undefined;
}

/** What a command takes as its last argument. */
export interface MutationOptions extends CallOptions, BidOptions {
  /**
   * Body fields besides the known ones, as JSON: the API describes some without naming them. They are signed and
   * sent; none may have the name of a known one.
   */
  readonly extraBody?: Readonly<Record<string, unknown>> | undefined;
}

/** The arguments of one call, by where they travel. */
export interface CallInput {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: object;
  readonly body?: object;
}

/** Makes one call and resolves with its payload, whose type `T` is generated from the schema that checks the reply. */
export type Call = <T>(route: Route, input: CallInput, options?: MutationOptions) => Promise<T>;

/** What resources call through: a function for one record, with a method for each kind of list. */
export interface Caller {
  <T>(...call: Parameters<Call>): Promise<T>;
  /** A list by page numbers. */
  pager<T>(route: Route, input: CallInput, options?: CallOptions): Pager<T>;
  /** A list by cursor. */
  cursorPager<T>(route: Route, input: CallInput, options?: CallOptions): CursorPager<T>;
}

/** A workflow record that stands in for its id: the command then carries the version that this record has. */
export interface VersionedRecord {
  readonly id: string;
  readonly resource_version: number;
  readonly kind?: string;
}

/** What an inventory command returned, in place of the vehicle's id: its `inventory_version` is then sent. */
export interface VersionedVehicle {
  readonly data?: { readonly vehicle_id?: string; readonly inventory_version?: number };
}

/** The body of a versioned command: with the record in place of its id, `expected_version` may be left out. */
export type BodyFor<Given, Body> = Given extends string ? Body : Unversioned<Body>;

/** The same of a command that needs nothing but the version: with the record, the body may be left out. */
export type InputFor<Given, Body> = Given extends string
  ? [body: Body, options?: MutationOptions]
  : [body?: Unversioned<Body>, options?: MutationOptions];

/** A body whose `expected_version` may be left out, because it is taken from a record. */
export type Unversioned<Body> = Omit<Body, 'expected_version'> & {
  readonly expected_version?: number | undefined;
};

/** A web stream as the runtime has it: `Response` takes it, and `Readable.fromWeb` of Node, with `lib.dom` and without. */
export type FileStream = PipedStream & ReadableStream<Uint8Array>;

/** What every web stream of Node has, and the types of Node and of `lib.dom` describe in ways that do not fit each other. */
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

/** Reads a stream into buffers of the caller's. */
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

/** Bytes of a photo or document, as they arrive. Read the stream to its end, or cancel it. */
export interface BinaryReply {
  readonly stream: FileStream;
  /** Stored MIME type, such as `image/jpeg`. */
  readonly contentType: string | undefined;
  /** Length in bytes, where the service says it. */
  readonly contentLength: number | undefined;
  /** `inline` for photos, `attachment` for documents, perhaps with a file name. */
  readonly contentDisposition: string | undefined;
}
