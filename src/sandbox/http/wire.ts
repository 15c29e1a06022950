/** A request as it came off the wire, before anything is believed about it. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, byte for byte as sent. */
  readonly target: string;
  /** Names and values in the order sent; a name may repeat. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body's bytes; `too_large` when the server stopped reading. */
  readonly body: Uint8Array | 'too_large';
  readonly remoteAddress: string;
  /** Whether it came over TLS. */
  readonly secure: boolean;
}

/** A reply as it goes onto the wire. */
export interface WireReply {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
  /** When set, the body comes in these pieces; it breaks off where they throw. */
  readonly pieces?: AsyncGenerator<Uint8Array, void>;
}

/** What answers requests; `drop` cuts the connection. It never rejects. */
export type Handle = (request: WireRequest) => Promise<WireReply | 'drop'>;

/** The value of a header, by its name in lower case, that was sent exactly once; undefined when missing or repeated. */
export function singleHeader({ headers }: WireRequest, name: string): string | undefined {
  let found: string | undefined;
  for (const [key, value] of headers) {
    // Its length first: most names differ in it, and this is asked a dozen times a request.
    if (key.length !== name.length || key.toLowerCase() !== name) continue;
    if (found !== undefined) return undefined;
    found = value;
  }
  return found;
}

/** Path and query of a target, still escaped. */
export function halves(target: string): [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** A request body after parsing: a JSON object and the text that it was read from, or why it is none. */
export type JsonBody =
  | { readonly object: Readonly<Record<string, unknown>>; readonly text?: string }
  | { readonly problem: string };
