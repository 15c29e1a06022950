import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { limits } from '../../api/common.js';
import type { Operation } from '../../api/operation.js';
import type { Call, OperationHandler } from '../http/call.js';
import { bodyOf, keyed } from '../http/checks.js';
import {
  bidEnvelope,
  commandReply,
  ensure,
  ensureFits,
  invalidField,
  messageOnly,
  Refusal,
  type Reply,
} from '../http/replies.js';
import { paise, rupees } from '../money.js';
import {
  type Data,
  type Flow,
  isKind,
  type Kind,
  mayHave,
  momentIn,
  type Rec,
  type Sale,
  touchLot,
  view,
} from '../records.js';
import type { World } from '../world.js';
import { isDelivered } from './funds.js';
import { announce, spaced, watchingDues } from './news.js';

/** Body schema of a command. */
export type CommandBody = z.ZodObject<{ idempotency_key: z.ZodType<string> }>;

/** A command in progress. */
export interface Command<Body> {
  readonly call: Call;
  readonly world: World;
  readonly flow: Flow;
  readonly body: Body;
  /** The record in the path, or the sale in the body. */
  readonly on: Rec;
  /** The sale of `on`. Throws if `on` has none. */
  readonly sale: Sale;
}

/**
 * One workflow command as a row. The operation's description gives the rest: actors, scope, body, target, version,
 * the kind of record it creates, and the fields that body and record share. The engine runs the steps in the order
 * of these fields.
 */
export interface Row<S extends CommandBody, Given = Command<z.output<S>>> {
  readonly op: Operation & { readonly body: S };

  // Target
  /** Finds the target, if it is neither the record in the path nor the sale in the body. */
  readonly target?: (call: Call, body: z.output<S>) => Rec;
  /** Finds an existing record with the same content. The command then returns it without further effect. */
  readonly known?: (command: Given) => Rec | undefined;

  // Guards
  /** The decision that carries the command out. `rejected` only moves the record. */
  readonly yes?: 'approved' | 'verified';
  /** Required state of the record. */
  readonly from?: string;
  /** Requires an approved sale. `once` also accepts one that was cancelled later. */
  readonly approved?: 'now' | 'once';
  /** Action name, if a dispute or pending cancellation of the sale can freeze the command. */
  readonly freezable?: FreezableAction;
  /** Requires the record's `terms_version` in the body. */
  readonly terms?: true;
  /** Fields required for a positive decision. */
  readonly needs?: readonly string[];
  /** Body field that must be a future time, unless unstated checks are passed. `past` is the opposite. */
  readonly future?: string;
  readonly past?: string;
  /** Refuses for reasons specific to this row, before any change. */
  readonly check?: (command: Given) => void;
  /** Whether the bank's policy can require a second approver. */
  readonly two?: true;

  // Commit
  /** New state of the record. Defaults to the `decision` or `status` of the body. */
  readonly to?: string;
  /** Data in addition to the fields that body and record share. */
  readonly data?: (command: Given) => Data;
  /** Links of a new record, in addition to its sale and source. */
  readonly links?: (command: Given) => Partial<Pick<Rec, 'sale' | 'content' | 'parts'>>;
  /** Whose version also increments: `on` for a created record, or `sale` or `lot` for a moved one. */
  readonly counts?: 'on' | 'sale' | 'lot';

  // Effects
  readonly effect?: (command: Given, record: Rec) => void;
  /** Effect of a rejection, in addition to moving the record. */
  readonly otherwise?: (command: Given) => void;
  /** Sales whose credits may change. */
  readonly dues?: (command: Given) => Iterable<Sale>;

  // News
  /** Type of the notifications and the webhook event. `*` is the new state. */
  readonly news?: string;
}

/** Builds the handler of a row, which runs once per idempotency key. */
export function command<S extends CommandBody>(row: Row<S>): OperationHandler {
  return [row.op, (call) => once(call, row.op.body, (body) => carriedOut(row, call, body))];
}

/** Result of a command: the reply data and its specific ledger fields. No ledger entry without `entry`. */
interface Committed {
  readonly data: unknown;
  /** Reply data that is sent once and not recorded, instead of `data`. */
  readonly once?: unknown;
  readonly entry?: (Pick<LedgerEntry, 'kind' | 'recordId'> & Partial<LedgerEntry>) | undefined;
}
type LedgerEntry = Parameters<World['requests']['commit']>[0];

/**
 * Runs a command once per idempotency key. The same bytes get the same record; other bytes get a conflict. `work`
 * must refuse before any change.
 */
export function once<S extends CommandBody>(
  call: Call,
  schema: S,
  work: (body: z.output<S>) => Committed,
): Reply {
  const { store, requests, clock } = call.world;
  const body = bodyOf(call, schema);
  const { key, fingerprint, earlier } = keyed(call, String(body.idempotency_key));
  if (earlier !== undefined) return commandReply(call, earlier.data, true);
  const { data, once: shown = data, entry } = work(body);
  const { clientId } = call.party;
  store.record(clientId, key, { fingerprint, data: { ...Object(data) } });
  const { id: operation, name } = call.operation;
  const common = { operation, call: name, idempotencyKey: key, clientId, at: clock.now() };
  if (entry !== undefined) requests.commit({ ...common, ...entry });
  return commandReply(call, shown, false);
}

function carriedOut<S extends CommandBody>(row: Row<S>, call: Call, body: z.output<S>): Committed {
  const { world } = call;
  const on = row.target?.(call, body) ?? commandTarget(call, row.op, body);
  const given: Command<z.output<S>> = {
    call,
    world,
    flow: world.flow,
    body,
    on,
    get sale() {
      if (on.sale === undefined) throw new Error(`${on.kind} ${on.id} is of no sale`);
      return on.sale;
    },
  };
  const known = row.known?.(given);
  if (known !== undefined) return { data: view(known) };
  const record = watchingDues(world, row.dues?.(given) ?? [], () => commit(row, given));
  return { data: view(record), entry: ledgerEntry(record) };
}

/** Finds the record in the path (else a 404) or the sale in the body (else a 422). */
function commandTarget({ world, party, params }: Call, op: Operation, body: Data): Rec {
  const [named] = params;
  if (named === undefined) return saleNamed({ world, party }, body['sale_id']);
  const [param, id] = named;
  const kind = op.versionFrom?.kind ?? param;
  if (!isKind(kind)) throw new Error(`${op.id} is on no kind of record`);
  return world.flow.find(party, kind, id);
}

/** Runs the steps of a command. All refusals come before the first change. */
function commit<S extends CommandBody>(row: Row<S>, given: Command<z.output<S>>): Rec {
  const { call, flow, on } = given;
  const body: Data = given.body;
  mustBeVersion(call, body, on);
  const isYes = row.yes === undefined || saysYes(given.world, body['decision'], row.yes);
  if (row.from !== undefined) {
    ensure(
      on.state === row.from,
      spaced(`The ${on.kind} must be ${row.from} for this command: it is ${on.state}.`),
    );
  }
  if (isYes) {
    guardDecision(row, given);
    if (row.two && !mayCommit(call, on, body)) {
      flow.touch(on);
      return on;
    }
  }
  const record = changed(row, given, isYes);
  if (isYes) row.effect?.(given, record);
  else row.otherwise?.(given);
  if (row.news !== undefined) announce(given.world, row.news.replace('*', record.state), record);
  return record;
}

/** Checks everything that can prevent a positive decision. */
function guardDecision<S extends CommandBody>(row: Row<S>, given: Command<z.output<S>>): void {
  const { call, flow } = given;
  const body: Data = given.body;
  const now = call.now();
  if (row.approved !== undefined) mustBeApproved(given.sale, row.approved === 'once');
  if (row.freezable !== undefined) mustNotBeFrozen(flow, given.sale, row.freezable);
  const { kind, data } = given.on;
  if (row.terms) {
    const isSame = body['terms_version'] === data['terms_version'];
    ensureFits(
      isSame,
      'terms_version',
      `The terms version is not that of the ${kind}. Read the ${kind} again.`,
    );
  }
  for (const field of row.needs ?? []) {
    ensureFits(body[field] !== undefined, field, `The field is required for the decision ${row.yes}.`);
  }
  if (row.future !== undefined && checksUnstated(given.world)) {
    ensureFits(momentIn(body, row.future) > now, row.future, 'The time is in the past. Send a future one.');
  }
  if (row.past !== undefined && checksUnstated(given.world)) {
    const latest = now + limits.clockDifferenceSeconds * 1_000;
    ensureFits(momentIn(body, row.past) <= latest, row.past, 'The time is in the future. Send a past one.');
  }
  row.check?.(given);
  if (body['evidence_id'] !== undefined) mustBeEvidence(flow, given.sale, body['evidence_id']);
}

/** Creates a record if the operation returns a different kind than its target; otherwise moves the target. */
function changed<S extends CommandBody>(row: Row<S>, given: Command<z.output<S>>, isYes: boolean): Rec {
  const { world, flow, on } = given;
  const body: Data = given.body;
  const { kind, fields } = recordShape(row.op);
  const data = isYes ? { ...shared(row.op, body, on.sale), ...row.data?.(given) } : decided(fields, body);
  const state = isYes ? (row.to ?? String(body['decision'] ?? body['status'] ?? on.state)) : 'rejected';
  if (isYes && kind !== undefined && kind !== on.kind) {
    const { owner, sale, lot, bid } = on;
    const made = flow.make(kind, state, { owner, data, sale, lot, bid, from: on, ...row.links?.(given) });
    if (row.counts === 'on') touchSource(world, on);
    return made;
  }
  on.state = state;
  Object.assign(on.data, data);
  flow.touch(on);
  flow.firstDecisions.delete(on.id);
  if (row.counts === 'sale') flow.touch(given.sale);
  if (row.counts === 'lot') touchLot(world.clock, given.sale.lot);
  return on;
}

/** Counts the creation of a record from `source`: increments its version, or only that of its lot. */
export function touchSource({ flow, clock, settings }: World, source: Rec): void {
  if (settings.variants['new-record-version'] === 'moves') flow.touch(source);
  else if (source.sale === source) touchLot(clock, source.sale.lot);
}

/** Record data of a rejection. */
function decided(fields: ReadonlySet<string>, { decision, reason = null }: Data): Data {
  return fields.has('decision') ? { decision, reason } : {};
}

/** The sale id and the fields that body and record share; null for omitted ones. */
function shared(op: Operation, body: Data, sale: Sale | undefined): Data {
  const { fields } = recordShape(op);
  const data: Data = sale !== undefined && fields.has('sale_id') ? { sale_id: sale.id } : {};
  for (const name of Object.keys(op.body?.shape ?? {}).filter((each) => fields.has(each))) {
    const value = body[name] ?? null;
    data[name] = name.endsWith('amount') && typeof value === 'string' ? rupees(paise(value)) : value;
  }
  return data;
}

/** Kind and `data` fields of the record that an operation returns, from its description. */
export function recordShape({ reply }: Operation): { kind: Kind | undefined; fields: ReadonlySet<string> } {
  const record = unwrapped(reply);
  const shape = record instanceof z.ZodObject ? record.shape : {};
  const [kind, data] = [unwrapped(shape['kind']), unwrapped(shape['data'])];
  const [name] = kind instanceof z.ZodString ? [kind.meta()?.['x-known-values']].flat() : [];
  return {
    kind: typeof name === 'string' && isKind(name) ? name : undefined,
    fields: new Set(data instanceof z.ZodObject ? Object.keys(data.shape) : []),
  };
}

function unwrapped(schema: unknown): unknown {
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapper ? unwrapped(schema.unwrap()) : schema;
}

function ledgerEntry(record: Rec): Committed['entry'] {
  const { id, kind, data, sale } = record;
  const { lot, bid } = sale ?? record;
  const { amount, received_amount = amount } = data;
  return {
    kind,
    recordId: id,
    ...(sale !== undefined && { saleId: sale.id }),
    ...(lot !== undefined && { lotId: lot.id }),
    ...(bid !== undefined && { bidId: bid.id }),
    ...(typeof received_amount === 'string' && { amount: received_amount }),
  };
}

/** Refuses a command with an outdated version. */
function mustBeVersion(call: Call, body: Data, { kind, version }: Rec): void {
  const expected = body['expected_version'];
  if (expected === undefined || expected === version) return;
  const message = `expected_version ${String(expected)} is outdated: the ${kind} has version ${version}. Read it again, then decide.`;
  const code = 'VERSION_CONFLICT';
  const replies = {
    '409': messageOnly(409, message),
    '412': messageOnly(412, message),
    '422': invalidField('expected_version', message),
    code: bidEnvelope(call, 409, { success: false, code, message, data: null, errors: [code] }),
  };
  throw new Refusal(replies[call.world.settings.variants['expected-version-conflict']]);
}

/**
 * Whether a decision can commit. If the bank's policy requires a second approver, the first decision is only
 * recorded. A second decision by another credential commits if it matches in all but key, version and reason.
 */
function mayCommit({ world, party }: Call, on: Rec, body: Data): boolean {
  if (world.settings.variants['second-approver-reply'] === 'one-approver') return true;
  const { idempotency_key: _, expected_version: __, reason: ___, ...content } = body;
  const { firstDecisions } = world.flow;
  const first = firstDecisions.get(on.id);
  const isSame = first !== undefined && isDeepStrictEqual(first.content, content);
  if (first === undefined || first.clientId === party.clientId) {
    ensure(!isSame, 'The decision is already recorded. Confirm it with another credential of the bank.');
    firstDecisions.set(on.id, { clientId: party.clientId, content });
    return false;
  }
  ensure(isSame, 'The decision differs from that of the first approver. Both must make the same decision.');
  return true;
}

/** Actions that a dispute or a pending cancellation can freeze. */
type FreezableAction = 'release' | 'collection' | 'allocation' | 'payment_report' | 'refund' | 'transfer';

const frozenByDispute: readonly FreezableAction[] = ['release', 'collection', 'refund'];

/**
 * Explains why an action on a sale is frozen; undefined if it is not. A pending cancellation freezes all actions
 * except refunds, unless the vehicle is delivered: such a sale cannot be cancelled.
 */
export function freezeReason(flow: Flow, sale: Sale, action: FreezableAction): string | undefined {
  const dispute = flow.of('dispute', sale).find(({ state }) => state === 'open');
  if (dispute && frozenByDispute.includes(action)) return `dispute ${dispute.id} is open`;
  const request = pendingCancellation(flow, sale);
  return request && action !== 'refund' && !isDelivered(flow, sale)
    ? `cancellation request ${request.id} is undecided`
    : undefined;
}

export function mustNotBeFrozen(flow: Flow, sale: Sale, action: FreezableAction): void {
  const why = freezeReason(flow, sale, action);
  ensure(why === undefined, `The ${action.replace('_', ' ')} is frozen: ${why}.`);
}

/** Whether commands are refused for reasons that the API text does not state. */
export function checksUnstated({ settings }: World): boolean {
  return settings.variants['unstated-checks'] === 'refused';
}

/** The undecided cancellation request of a sale. */
export function pendingCancellation(flow: Flow, sale: Sale): Rec | undefined {
  return flow.of('sale_cancellation', sale).find(({ state }) => state === 'pending');
}

/** The open or accepted offer of a sale, other than `but`. Its validity may have ended. */
export function activeOffer(flow: Flow, sale: Sale, but?: Rec): Rec | undefined {
  return flow.of('offer', sale).find((each) => each !== but && ['open', 'accepted'].includes(each.state));
}

/** Finds the sale in `sale_id`, or refuses with a 422. Does not reveal sales of others. */
export function saleNamed({ world, party }: Pick<Call, 'world' | 'party'>, id: unknown): Sale {
  const sale = world.flow.sale(id);
  ensureFits(
    sale !== undefined && mayHave(party, sale.owner),
    'sale_id',
    'The sale is unknown. Use the id of a sale that you can read.',
  );
  return sale;
}

/** Requires an approved sale. `evenIfCancelled` also accepts a cancelled one. */
export function mustBeApproved({ state }: Sale, evenIfCancelled = false): void {
  if (evenIfCancelled && state === 'cancelled') return;
  ensure(state !== 'cancelled', 'The sale is cancelled.');
  ensure(state === 'approved', 'The sale is not approved.');
}

/** Evidence must be a scanned document of the same sale. */
function mustBeEvidence(flow: Flow, sale: Sale, id: unknown): void {
  const document = flow.get('document', id);
  ensureFits(
    document?.sale === sale,
    'evidence_id',
    'This is not a document of the sale. Upload the evidence to this sale.',
  );
  const why = `The document cannot be evidence: it is ${spaced(document.state)}. Wait until it is ready.`;
  ensureFits(document.state === 'ready', 'evidence_id', why);
}

/** Whether a decision is positive. Refuses values other than the allowed ones. */
function saysYes({ settings }: World, decision: unknown, yes: string): boolean {
  const words = settings.variants['decision-values'] === 'rejected-too' ? [yes, 'rejected'] : [yes];
  const known = words.join(' or ');
  ensureFits(
    words.some((word) => word === decision),
    'decision',
    `The decision is unknown. Use ${known}.`,
  );
  return decision === yes;
}
