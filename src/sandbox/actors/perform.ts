import { API_PREFIX } from '../../api/common.js';
import type { Operation } from '../../api/operation.js';
import { service } from '../../api/service.js';
import { sha256Hex } from '../http/canonical.js';
import { readJson } from '../http/checks.js';
import type { Reply } from '../http/replies.js';
import { answered } from '../operations.js';
import type { Party } from '../parties.js';
import { type Kind, type Rec, type Sale, touchLot, view, type WireRecord } from '../records.js';
import { announce, moveVehicle } from '../workflow/news.js';
import { moveRefund } from '../workflow/payments.js';
import type { World } from '../world.js';

const { bidCancellations, refundRequests, releases, saleCancellations } = service;

/** The service refused an actor's operation. Nothing was changed. */
export class ActorRefusedError extends Error {
  /** HTTP status that the refusal would have over HTTP. */
  readonly status: number;
  /** Messages for invalid fields, by field name. */
  readonly fields: Fields;

  constructor(operation: string, reply: Reply) {
    const { message = 'no message.', errors = [] } = 'json' in reply ? (reply.json as Said) : {};
    const fields = Array.isArray(errors) ? {} : (errors as Fields);
    const details = Object.entries(fields).map(([field, messages]) => ` ${field}: ${messages.join(' ')}`);
    super(`${operation} was refused with ${reply.status}: ${message}${details.join('')}`);
    this.name = 'ActorRefusedError';
    this.status = reply.status;
    this.fields = { ...fields };
  }
}

type Fields = Readonly<Record<string, readonly string[]>>;

/** Body of a refusal: codes, or messages by field. */
interface Said {
  readonly message?: string;
  readonly errors?: readonly string[] | Fields;
}

/**
 * Runs an operation as a party, with all rules, ledger entries and notifications of an HTTP request after
 * authentication. Rate limits and faults do not apply. `on` is the record in the path; its version is sent as
 * `expected_version`. `body` excludes the idempotency key.
 */
export function perform<Data = WireRecord>(
  world: World,
  party: Party,
  operation: Operation,
  on: Rec,
  body?: Readonly<Record<string, unknown>>,
): Data {
  // Run due timers first.
  world.clock.catchUp();
  const key = body === undefined ? undefined : world.ids.uuid();
  const version = operation.body?.shape['expected_version'] && { expected_version: on.version };
  const text = body === undefined ? '' : JSON.stringify({ ...body, ...version, idempotency_key: key });
  const bytes = Buffer.from(text, 'utf8');
  const reply = answered({
    world,
    party,
    operation,
    method: operation.method,
    path: API_PREFIX + operation.path.replace(/\{\w+\}/, on.id),
    params: new Map(Object.keys(operation.params ?? {}).map((name) => [name, on.id])),
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
  });
  if (reply.status !== 200 || !('json' in reply)) throw new ActorRefusedError(operation.id, reply);
  return (reply.json as { readonly data: Data }).data;
}

/**
 * Runs an operation as the bank that owns a record. If the decision needs a second approver, another credential of
 * the bank confirms it.
 */
export function performAsBank<Data = WireRecord>(
  world: World,
  on: Rec,
  operation: Operation,
  body?: Readonly<Record<string, unknown>>,
): Data {
  const maker = bankOf(world, on);
  const first = perform<Data>(world, maker, operation, on, body);
  if (!world.flow.firstDecisions.has(on.id)) return first;
  return perform<Data>(world, bankOf(world, on, maker), operation, on, body);
}

/** Throws a RangeError unless the variant `decision-values` is `rejected-too`: the API text shows no rejection. */
export function mustTakeRejections({ settings }: World): void {
  if (settings.variants['decision-values'] === 'rejected-too') return;
  throw new RangeError(
    'This sandbox accepts only the documented decisions, without "rejected". Start it with the variant decision-values=rejected-too.',
  );
}

/** Rejects a record as its bank. Throws a RangeError if the sandbox does not take rejections. */
export function reject(world: World, on: Rec, operation: Operation): WireRecord {
  mustTakeRejections(world);
  return performAsBank(world, on, operation, { decision: 'rejected', reason: 'Not within the limits.' });
}

/** A credential of the bank that owns a record, other than `but`. */
function bankOf({ parties }: World, { owner }: Rec, but?: Party): Party {
  const found = parties
    .all()
    .find((party) => party.actor === 'bank' && party.bankId === owner.bankId && party !== but);
  if (found === undefined)
    throw new RangeError(`No credential of ${owner.bankId} is left: a second approver needs one.`);
  return found;
}

/** The sale with this id, or the latest sale of the lot with this id. Throws a RangeError if there is none. */
export function namedSale({ flow, store }: World, saleOrLotId: string): Sale {
  const lot = store.lots.get(saleOrLotId);
  const found = flow.sale(saleOrLotId) ?? (lot && flow.salesOf(lot).at(-1));
  if (found !== undefined) return found;
  throw new RangeError(
    lot === undefined
      ? `No sale or lot has the id ${JSON.stringify(saleOrLotId)}. Use an id from this sandbox.`
      : `Lot ${saleOrLotId} has no sale: a sale opens for the leading bid when the auction closes. Close the auction first.`,
  );
}

/** Operations that decide a record with a decision and a reason, by kind. */
const decisions: Partial<Record<Kind, Operation>> = {
  cancellation: bidCancellations.operations.decide,
  sale_cancellation: saleCancellations.operations.decide,
  refund_request: refundRequests.operations.decide,
};

/** Allowed transitions that no API operation makes, by kind and current state. */
const moves: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  refund: {
    approved_pending_execution: ['processing', 'succeeded', 'failed'],
    processing: ['succeeded', 'failed'],
  },
  dispute: { open: ['resolved'] },
  inventory_vehicle: {
    draft: ['ready', 'published'],
    ready: ['draft', 'published'],
    published: ['draft', 'ready'],
  },
};

/**
 * Moves a record to a state, through the bank's command if there is one. Throws a RangeError for an unknown record
 * or a disallowed transition.
 */
export function setState(world: World, id: string, state: string): WireRecord {
  const record = world.flow.any(id);
  if (record === undefined)
    throw new RangeError(`No record has the id ${JSON.stringify(id)}. List ids with sandbox.records(kind).`);
  const decide = decisions[record.kind];
  if (decide !== undefined) {
    return performAsBank(world, record, decide, { decision: state, reason: 'Looked into.' });
  }
  if (record.kind === 'release' && state === 'revoked') {
    const body = { reason: 'The collection is postponed.' };
    return performAsBank(world, record, releases.operations.revoke, body);
  }
  if (record.kind === 'transfer' && state === 'government_verified') {
    confirmTransfer(world, record);
    return view(record);
  }
  const ways = moves[record.kind]?.[record.state] ?? [];
  if (record.kind === 'inventory_vehicle' && record.state === state && ways.length > 0) return view(record);
  if (!ways.includes(state)) {
    const name = record.kind.replaceAll('_', ' ');
    const allowed = ways.length === 0 ? 'nothing' : ways.join(', ');
    throw new RangeError(
      `The ${name} ${id} cannot become ${state}: it is ${record.state}. Allowed: ${allowed}.`,
    );
  }
  if (record.kind === 'inventory_vehicle') moveInventory(world, record, state);
  else if (record.kind === 'dispute') resolveDispute(world, record);
  else if (state === 'processing' || state === 'succeeded' || state === 'failed') {
    moveRefund(world, record, state);
  }
  return view(record);
}

/** Moves a vehicle. Returning it to the inventory removes its lot from the auction. */
function moveInventory(world: World, vehicle: Rec, state: string): void {
  moveVehicle(world, vehicle, state);
  const { lot } = vehicle;
  if (lot === undefined) return;
  lot.unpublished = state !== 'published';
  lot.auction.revision += 1;
  touchLot(world.clock, lot);
}

/** Resolves a dispute. Frozen actions continue unless another dispute is open. */
function resolveDispute(world: World, dispute: Rec): void {
  dispute.state = 'resolved';
  world.flow.touch(dispute);
  announce(world, 'dispute.resolved', dispute, 'is resolved');
}

/** Confirms one transfer milestone in the government registry. Later milestones need their own confirmation. */
function confirmTransfer(world: World, transfer: Rec): void {
  const { data, sale } = transfer;
  if (data['government_verified'] === true)
    throw new RangeError(`The transfer ${transfer.id} is already confirmed by the registry.`);
  Object.assign(data, { verification: 'registry_verified', government_verified: true });
  world.flow.touch(transfer);
  if (sale !== undefined) world.flow.touch(sale);
  announce(world, 'transfer.verified', transfer, `is confirmed by the registry: ${transfer.state}`);
}
