import type { Code } from '../../api/codes.js';
import type { Operation } from '../../api/operation.js';
import type { Party } from '../parties.js';
import type { World } from '../world.js';
import type { LoggedRequest } from './attempts.js';
import type { Answering, Reply } from './replies.js';
import type { JsonBody, WireRequest } from './wire.js';

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

/** A request that has yet to be let in: what it came as, and what is logged of it. */
export interface Incoming {
  readonly request: Arrived;
  readonly wire: WireRequest;
  readonly logged: LoggedRequest;
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
