import { API_PREFIX } from '../../api/common.js';
import type { Operation } from '../../api/operation.js';
import type { Call } from '../http/call.js';
import { sha256Hex } from '../http/canonical.js';
import { readJson } from '../http/checks.js';
import { type Reply, replyTo } from '../http/replies.js';
import { handlerOf } from '../operations.js';
import type { Party } from '../parties.js';
import type { Kind, Rec, Sale, WireRecord } from '../workflow/records.js';
import type { World } from '../world.js';

/** The service refused what an actor wanted to do; nothing was changed. */
export class ActorRefusedError extends Error {
  /** HTTP status that a request would have been answered with. */
  readonly status: number;
  /** Messages by field, where fields were at fault. */
  readonly fields: Readonly<Record<string, readonly string[]>>;

  constructor(operation: string, reply: Reply) {
    const said = 'json' in reply ? (reply.json as Said) : {};
    const fields = fieldsOf(said);
    const details = Object.entries(fields).map(([field, messages]) => ` ${field}: ${messages.join(' ')}`);
    super(
      `${operation} was refused with ${reply.status}: ${said.message ?? 'no message.'}${details.join('')}`,
    );
    this.name = 'ActorRefusedError';
    this.status = reply.status;
    this.fields = fields;
  }
}

/** An operation, its path parameters, and the body of a command without its key. */
export interface Deed {
  readonly operation: Operation;
  readonly at?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/**
 * Carries an operation out in the name of a party, as a request of it would be once it is let in: with every rule, entry of
 * the ledger and announcement. It arrives nowhere, so it counts in no rate and is struck by no fault.
 */
export function perform(world: World, party: Party, deed: Deed): WireRecord {
  return dataOf(world, party, deed) as WireRecord;
}

/** The same for a read of something that is no record. */
export function readAs(world: World, party: Party, deed: Deed): Readonly<Record<string, unknown>> {
  return dataOf(world, party, deed) as Readonly<Record<string, unknown>>;
}

function dataOf(world: World, party: Party, deed: Deed): unknown {
  // What is due by now has happened before.
  world.clock.catchUp();
  const reply = answer(callFor(world, party, deed));
  if (reply.status !== 200 || !('json' in reply)) throw new ActorRefusedError(deed.operation.id, reply);
  return (reply.json as { readonly data: unknown }).data;
}

function answer(call: Call): Reply {
  try {
    return handlerOf(call.operation)(call);
  } catch (error) {
    return replyTo(error);
  }
}

function callFor(world: World, party: Party, { operation, at = {}, body }: Deed): Call {
  const key = body === undefined ? undefined : world.ids.uuid();
  const text = body === undefined ? '' : JSON.stringify({ ...body, idempotency_key: key });
  const bytes = Buffer.from(text, 'utf8');
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(at[name] ?? ''));
  return {
    world,
    party,
    operation,
    method: operation.method,
    path: API_PREFIX + path,
    params: new Map(Object.entries(at)),
    wireQuery: '',
    query: '',
    body: bytes,
    bodySha256: sha256Hex(bytes),
    json: readJson(bytes, 'application/json'),
    idempotencyKey: key,
    receivedAt: world.clock.now(),
    requestId: world.ids.next('req'),
    ignored: [],
    now: () => world.clock.now(),
  };
}

/** The sale under an id, or the latest one of a lot. Throws a RangeError when there is none. */
export function namedSale({ flow, store }: World, saleOrLotId: string): Sale {
  const lot = store.lots.get(saleOrLotId);
  const found = flow.sale(saleOrLotId) ?? (lot && flow.salesOf(lot).at(-1));
  if (found !== undefined) return found;
  throw new RangeError(
    lot === undefined
      ? `the sandbox has no sale or lot ${JSON.stringify(saleOrLotId)}`
      : `lot ${saleOrLotId} has no sale; one is opened for its leading bid when its auction closes`,
  );
}

/** The record of a kind under an id. Throws a RangeError when there is none. */
export function namedRecord({ flow }: World, kind: Kind, id: string): Rec {
  const found = flow.get(kind, id);
  if (found !== undefined) return found;
  throw new RangeError(`the sandbox has no ${kind.replaceAll('_', ' ')} ${JSON.stringify(id)}`);
}

interface Said {
  readonly message?: string;
  readonly errors?: unknown;
}

function fieldsOf({ errors }: Said): Readonly<Record<string, readonly string[]>> {
  const byField = typeof errors === 'object' && errors !== null && !Array.isArray(errors);
  return byField ? { ...(errors as Readonly<Record<string, readonly string[]>>) } : {};
}
