import { API_PREFIX } from '../../api/common.js';
import type { Operation } from '../../api/operation.js';
import type { Call } from '../call.js';
import { sha256Hex } from '../canonical.js';
import { handlerOf } from '../handlers/all.js';
import type { Party } from '../parties.js';
import { Refusal, type Reply } from '../replies.js';
import { readJson } from '../validation.js';
import type { World } from '../world.js';

/** A workflow record as the wire has it. */
export interface WireRecord {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly resource_version: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** ISO 8601. */
  readonly created_at: string;
  /** ISO 8601. */
  readonly updated_at: string;
}

/** The service refused what a hand wanted to do; nothing was changed. */
export class HandRefusedError extends Error {
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
    this.name = 'HandRefusedError';
    this.status = reply.status;
    this.fields = fields;
  }
}

/** Where an operation is aimed, and what it says. */
export interface Deed {
  readonly operation: Operation;
  /** The path parameters. */
  readonly at?: Readonly<Record<string, string>>;
  /** The body of a command, without its key. */
  readonly says?: Readonly<Record<string, unknown>>;
}

/**
 * Carries an operation out in the name of a party, as a request of it would be once it is let in: with every rule,
 * entry of the ledger and announcement. It arrives nowhere, so it counts in no rate and is struck by no fault.
 */
export function carryOut(world: World, party: Party, deed: Deed): WireRecord {
  return dataOf(world, party, deed) as WireRecord;
}

/** The same for a read of something that is no record. */
export function readOut(world: World, party: Party, deed: Deed): Readonly<Record<string, unknown>> {
  return dataOf(world, party, deed) as Readonly<Record<string, unknown>>;
}

function dataOf(world: World, party: Party, deed: Deed): unknown {
  // What is due by now has happened before.
  world.clock.catchUp();
  const reply = answer(callFor(world, party, deed));
  if (reply.status !== 200 || !('json' in reply)) throw new HandRefusedError(deed.operation.id, reply);
  return (reply.json as { readonly data: unknown }).data;
}

function answer(call: Call): Reply {
  try {
    return handlerOf(call.operation)(call);
  } catch (error) {
    if (error instanceof Refusal) return error.reply;
    throw error;
  }
}

function callFor(world: World, party: Party, { operation, at = {}, says }: Deed): Call {
  const key = says === undefined ? undefined : world.ids.uuid();
  const body = says === undefined ? '' : JSON.stringify({ ...says, idempotency_key: key });
  const bytes = Buffer.from(body, 'utf8');
  return {
    world,
    party,
    operation,
    method: operation.method,
    path:
      API_PREFIX +
      operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(at[name] ?? '')),
    params: new Map(Object.entries(at)),
    wireQuery: '',
    query: '',
    body: bytes,
    bodySha256: sha256Hex(bytes),
    json: readJson(bytes, 'application/json'),
    idempotencyKey: key,
    receivedAt: world.clock.now(),
    requestId: world.ids.next('req'),
    now: () => world.clock.now(),
  };
}

interface Said {
  readonly message?: string;
  readonly errors?: unknown;
}

function fieldsOf({ errors }: Said): Readonly<Record<string, readonly string[]>> {
  const byField = typeof errors === 'object' && errors !== null && !Array.isArray(errors);
  return byField ? { ...(errors as Readonly<Record<string, readonly string[]>>) } : {};
}
