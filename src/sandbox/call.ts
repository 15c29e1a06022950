import type { Code } from '../api/codes.js';
import type { Operation } from '../api/operation.js';
import type { Party } from './parties.js';
import type { Answering, Reply } from './replies.js';
import type { JsonBody } from './validation.js';
import type { World } from './world.js';

/** A request that has a route. */
export interface RoutedRequest extends Answering {
  readonly world: World;
  readonly operation: Operation;
  /** The effective method. */
  readonly method: string;
  /** The `/api/v1/…` path, as sent. */
  readonly path: string;
  readonly params: ReadonlyMap<string, string>;
  /** The query as sent, without `?`: what was signed. */
  readonly wireQuery: string;
  /** The query as sent, without the parameters that picked the operation (its `fixedQuery`): what handlers check. */
  readonly query: string;
  readonly body: Uint8Array;
  /** Lower-case hex. */
  readonly bodySha256: string;
  readonly json: JsonBody;
  /** The `Idempotency-Key` header, when it was sent once. */
  readonly idempotencyKey: string | undefined;
  /** Server time of arrival, Unix milliseconds. */
  readonly receivedAt: number;
}

/** A request that has been let in. */
export interface Call extends RoutedRequest {
  readonly party: Party;
  /** Codes that an injected fault rejects a bid with. */
  readonly imposed?: readonly Code[] | undefined;
}

/** Carries out one operation. It runs to its end at once: nothing comes between its look and its commit. */
export type Handler = (call: Call) => Reply;

/** A path parameter of the operation. */
export function param(call: Call, name: string): string {
  const value = call.params.get(name);
  if (value === undefined) throw new Error(`${call.operation.id} has no path parameter ${name}`);
  return value;
}
