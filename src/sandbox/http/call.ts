import type { Code } from '../../api/codes.js';
import type { Operation } from '../../api/operation.js';
import type { Party } from '../parties.js';
import type { World } from '../world.js';
import type { Answering, Reply } from './replies.js';

/** A request that reached the service: what is signed is known, nothing is believed yet. */
export interface Arrived extends Answering {
  readonly world: World;
  /** The effective method. */
  readonly method: string;
  /** The `/api/v1/…` path, as sent. */
  readonly path: string;
  /** The query as sent, without `?`: what was signed. */
  readonly wireQuery: string;
  readonly body: Uint8Array;
  /** Lower-case hex. */
  readonly bodySha256: string;
  readonly json: JsonBody;
  /** The `Idempotency-Key` header, when it was sent once. */
  readonly idempotencyKey: string | undefined;
  /** Server time of arrival, Unix milliseconds. */
  readonly receivedAt: number;
}

/** A request that calls an operation and has been let in. */
export interface Call extends Arrived {
  readonly operation: Operation;
  readonly params: ReadonlyMap<string, string>;
  /** The query without the parameters that picked the operation (its `fixedQuery`). */
  readonly query: string;
  readonly party: Party;
  /** Codes that an injected fault rejects a bid with. */
  readonly imposed?: readonly Code[] | undefined;
  /** What was ignored of the request; the reply names it in `X-Sandbox-Hint`. */
  readonly ignored: string[];
}

/** Answers one operation. It runs synchronously, so that nothing happens between its checks and its commit. */
export type Handler = (call: Call) => Reply;

/** An operation and what answers it. */
export type Answered = readonly [operation: Operation, handler: Handler];

/** A path parameter of the operation. */
export function param(call: Call, name: string): string {
  const value = call.params.get(name);
  if (value === undefined) throw new Error(`${call.operation.id} has no path parameter ${name}`);
  return value;
}

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
  /** When set, only so many bytes of the body are sent before the connection breaks. */
  readonly cutAt?: number;
  /** When set, the reply comes in drops. */
  readonly drip?: Drip;
}

/** How a slow reply comes. */
export interface Drip {
  /** Whether the head comes in drops too; else only the body does. */
  readonly part: 'head' | 'body';
  /** The bytes, each as soon as it may be sent; throws when no more will come. */
  pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array, void>;
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

/** A request body after parsing: a JSON object and the text that it was read from, or why it is none. */
export type JsonBody =
  | { readonly object: Readonly<Record<string, unknown>>; readonly text?: string }
  | { readonly problem: string };
