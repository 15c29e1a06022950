/** A request as received, before any check. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, byte for byte as sent. */
  readonly target: string;
  /** Names and values in the order sent. Names may repeat. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body, or `too_large` if the server stopped reading. */
  readonly body: Uint8Array | 'too_large';
  readonly remoteAddress: string;
  /** Whether the connection used TLS. */
  readonly secure: boolean;
}

/** A reply as sent. */
export interface WireReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** If set, the body is sent in these pieces. An error cuts the connection. */
  readonly pieces?: AsyncGenerator<Uint8Array, void>;
}

/** Request handler. `drop` cuts the connection. Never rejects. */
export type Handle = (request: WireRequest) => Promise<WireReply | 'drop'>;

/** Returns the header with this lower-case name; undefined if missing or repeated. */
export function singleHeader({ headers }: WireRequest, name: string): string | undefined {
  let found: string | undefined;
  for (const [key, value] of headers) {
    // Compare lengths first: this runs a dozen times per request.
    if (key.length !== name.length || key.toLowerCase() !== name) continue;
    if (found !== undefined) return undefined;
    found = value;
  }
  return found;
}

/** Splits a target into escaped path and query. */
export function halves(target: string): [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** A parsed request body: a JSON object and its text, or the problem. */
export type JsonBody =
  | { readonly object: Readonly<Record<string, unknown>>; readonly text?: string }
  | { readonly problem: string };

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
