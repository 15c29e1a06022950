/** A request as it came off the wire, before anything is believed about it. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, byte for byte as sent. */
  readonly target: string;
  /** Names and values in the order sent; a name may repeat. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body's bytes; `too_large` when the door stopped reading. */
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
  /** When set, only so many bytes of the body are sent before the connection breaks. */
  readonly cutAt?: number;
}

/** What answers requests; `drop` cuts the connection. It never rejects. */
export type Handle = (request: WireRequest) => Promise<WireReply | 'drop'>;

/** The value of a header that was sent exactly once; undefined when it is missing or repeated. */
export function singleHeader(request: WireRequest, name: string): string | undefined {
  const found = request.headers.filter(([key]) => key.toLowerCase() === name);
  return found.length === 1 ? found[0]?.[1] : undefined;
}
