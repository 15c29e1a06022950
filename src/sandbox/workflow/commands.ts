import type * as z from 'zod';
import type { Call } from '../call.js';
import { keyed } from '../idempotency.js';
import { command, invalid, invalidField, Refusal, type Reply } from '../replies.js';
import { checkedBody } from '../validation.js';
import { Conflict, StaleVersion, worded } from './command-refusals.js';
import type { Entity, Sale } from './entities.js';

/** A schema of a command's body. */
export type CommandBody = z.ZodObject<{ idempotency_key: z.ZodType<string> }>;

/** What a command committed: the record that it answers with, and what the ledger says that it is about. */
export interface Committed {
  readonly record: Entity;
  readonly view: Readonly<Record<string, unknown>>;
  readonly sale?: Sale;
  readonly lotId?: string;
  readonly bidId?: string;
  /** INR decimal string. */
  readonly amount?: string;
  /** Where the record was there already: the key is spent on it, and the ledger gets no second entry. */
  readonly known?: true;
}

/**
 * Carries a command out once per idempotency key: the same bytes again get the same record, other bytes a conflict.
 * `work` refuses before it changes anything, so that a refusal leaves nothing behind.
 */
export function carryOutOnce<Body extends CommandBody>(
  call: Call,
  schema: Body,
  work: (body: z.output<Body>) => Committed,
): Reply {
  const body = checkedBody(schema, call.json);
  if (call.world.settings.variants['command-required-fields'] === 'all') mustHaveAll(schema, body);
  const { key, fingerprint, earlier } = keyed(call, body.idempotency_key);
  if (earlier !== undefined) return command(call, earlier.data, true);
  const { record, view, known, sale, ...about } = worded(call, () => work(body));
  const { store, records, clock } = call.world;
  store.record(call.party.clientId, key, { fingerprint, data: view });
  if (known) return command(call, view, false);
  records.commit({
    kind: record.kind,
    operation: call.operation.id,
    recordId: record.id,
    idempotencyKey: key,
    clientId: call.party.clientId,
    ...(sale !== undefined && { saleId: sale.id, lotId: sale.lot.id }),
    ...about,
    at: clock.now(),
  });
  return command(call, view, false);
}

/** Refuses a command that leaves out a listed field, but for what its text calls optional (unknowns: `command-required-fields`). */
function mustHaveAll(schema: CommandBody, body: Readonly<Record<string, unknown>>): void {
  const missing = Object.keys(schema.shape).filter((name) => !optional.has(name) && body[name] === undefined);
  if (missing.length === 0) return;
  throw new Refusal(invalid(new Map(missing.map((name) => [name, ['The field is required.']]))));
}

const optional: ReadonlySet<string> = new Set(['evidence_id', 'offer_id', 'title', 'values']);

/** Refuses a command that was decided on another version of the record than the current one. */
export function expectVersion(entity: Entity, expected: number): void {
  expectCurrent(expected, entity.version, `the version of this ${entity.kind}`);
}

/** The same for a version that goes by another name, or is no record's. */
export function expectCurrent(expected: number, current: number, name: string): void {
  if (expected === current) return;
  throw new StaleVersion(`expected_version ${expected} is not ${name}, which is ${current}.`);
}

/** What a record's state doesn't allow: 409 with a message. */
export function conflict(message: string): Refusal {
  return new Conflict(message);
}

/** A value that doesn't fit what it is about: the framework's 422. */
export function unfit(field: string, message: string): Refusal {
  return new Refusal(invalidField(field, message));
}
