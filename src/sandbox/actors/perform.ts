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

/** The service refused what an actor wanted to do; nothing was changed. */
export class ActorRefusedError extends Error {
  /** HTTP status that a request would have been answered with. */
  readonly status: number;
  /** Messages by field, where fields were at fault. */
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

/** What a refusal says: codes, or messages by field. */
interface Said {
  readonly message?: string;
  readonly errors?: readonly string[] | Fields;
}

/**
 * Carries an operation out in the name of a party, as a request of it would be once it is let in: with every rule, entry of
 * the ledger and announcement. It arrives nowhere, so it counts in no rate and is struck by no fault. `on` is the record
 * that its path names, and whose version it expects; `body` that of a command without its key.
 */
export function perform<Data = WireRecord>(
  world: World,
  party: Party,
  operation: Operation,
  on: Rec,
  body?: Readonly<Record<string, unknown>>,
): Data {
  // What is due by now has happened before.
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
 * The same in the name of the bank that a record belongs to. Where the first decision is only noted, another credential of
 * the bank takes it too.
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

/** A credential of the bank whose record it is, other than `but`. */
function bankOf({ parties }: World, { owner }: Rec, but?: Party): Party {
  const found = parties
    .all()
    .find((party) => party.actor === 'bank' && party.bankId === owner.bankId && party !== but);
  if (found === undefined) throw new RangeError(`the sandbox has no other credentials of ${owner.bankId}`);
  return found;
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

/** What the bank decides with a word and a reason, by the kind of record. */
const decisions: Partial<Record<Kind, Operation>> = {
  cancellation: bidCancellations.operations.decide,
  sale_cancellation: saleCancellations.operations.decide,
  refund_request: refundRequests.operations.decide,
};

/** Where records go that no operation of the API moves: from each state, by kind. */
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

/** Moves a record: by the command of the bank, where there is one. Throws a RangeError for a record or a move that there isn't. */
export function setState(world: World, id: string, state: string): WireRecord {
  const record = world.flow.any(id);
  if (record === undefined) throw new RangeError(`the sandbox has no record ${JSON.stringify(id)}`);
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
    throw new RangeError(`${name} ${id} is ${record.state}; it can become ${allowed}`);
  }
  if (record.kind === 'inventory_vehicle') moveInventory(world, record, state);
  else if (record.kind === 'dispute') resolveDispute(world, record);
  else if (state === 'processing' || state === 'succeeded' || state === 'failed') {
    moveRefund(world, record, state);
  }
  return view(record);
}

/** A vehicle that goes back to the inventory takes its lot out of the auction. */
function moveInventory(world: World, vehicle: Rec, state: string): void {
  moveVehicle(world, vehicle, state);
  const { lot } = vehicle;
  if (lot === undefined) return;
  lot.unpublished = state !== 'published';
  lot.auction.revision += 1;
  touchLot(world.clock, lot);
}

/** What the dispute froze can go on, unless another one is open. */
function resolveDispute(world: World, dispute: Rec): void {
  dispute.state = 'resolved';
  world.flow.touch(dispute);
  announce(world, 'dispute.resolved', dispute, 'is resolved');
}

/** The government registry confirms a milestone; a later one is not, until it is confirmed too. */
function confirmTransfer(world: World, transfer: Rec): void {
  const { data, sale } = transfer;
  if (data['government_verified'] === true)
    throw new RangeError(`transfer ${transfer.id} is confirmed already`);
  Object.assign(data, { verification: 'registry_verified', government_verified: true });
  world.flow.touch(transfer);
  if (sale !== undefined) world.flow.touch(sale);
  announce(world, 'transfer.verified', transfer, `is confirmed by the registry: ${transfer.state}`);
}
