import type { Code } from '../../api/codes.js';
import type { Operation } from '../../api/operation.js';
import type { Party } from '../parties.js';
import type { World } from '../world.js';
import type { LoggedRequest } from './attempts.js';
import type { Reply, RequestContext } from './replies.js';
import type { JsonBody, WireRequest } from './wire.js';

/** A parsed request before authentication. */
export interface Arrived extends RequestContext {
  readonly world: World;
  /** The effective method. */
  readonly method: string;
  /** The `/api/v1/…` path, as sent. */
  readonly path: string;
  /** The query as sent and signed, without `?`. */
  readonly wireQuery: string;
  readonly body: Uint8Array;
  /** Lower-case hex. */
  readonly bodySha256: string;
  readonly json: JsonBody;
  /** The `Idempotency-Key` header; undefined if missing or repeated. */
  readonly idempotencyKey: string | undefined;
  /** Server time of arrival, Unix milliseconds. */
  readonly receivedAt: number;
}

/** An unauthenticated request with its wire form and log record. */
export interface Incoming {
  readonly request: Arrived;
  readonly wire: WireRequest;
  readonly logged: LoggedRequest;
}

/** An authenticated and authorised call of an operation. */
export interface Call extends Arrived {
  readonly operation: Operation;
  readonly params: ReadonlyMap<string, string>;
  /** The query without the operation's `fixedQuery` parameters. */
  readonly query: string;
  readonly party: Party;
  /** Rejection codes from an injected fault. */
  readonly imposed?: readonly Code[] | undefined;
  /** Ignored fields and parameters. The reply lists them in `X-Sandbox-Hint`. */
  readonly ignored: string[];
}

/** Handles one operation. Runs synchronously, so that checks and commit are atomic. */
export type Handler = (call: Call) => Reply;

/** An operation and its handler. */
export type OperationHandler = readonly [operation: Operation, handler: Handler];

/** Returns a path parameter. */
export function param(call: Call, name: string): string {
  const value = call.params.get(name);
  if (value === undefined) throw new Error(`${call.operation.id} has no path parameter ${name}`);
  return value;
}
