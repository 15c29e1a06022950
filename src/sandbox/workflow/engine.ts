import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { limits } from '../../api/common.js';
import type { Operation } from '../../api/operation.js';
import type { Answered, Call } from '../http/call.js';
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

/** A schema of a command's body. */
export type CommandBody = z.ZodObject<{ idempotency_key: z.ZodType<string> }>;

/** A command that is being carried out. */
export interface Command<Body> {
  readonly call: Call;
  readonly world: World;
  readonly flow: Flow;
  readonly body: Body;
  /** The record that the path names, else the sale that the body names. */
  readonly on: Rec;
  /** The sale that `on` is or belongs to; only for commands on such records. */
  readonly sale: Sale;
}

/**
 * One workflow command as a row. What it doesn't say follows from the description of its operation: actors, scope, body,
 * target, version, the kind of record that it makes, if any, and the fields that body and record share. The engine takes
 * the steps in the order of the fields.
 */
export interface Row<S extends CommandBody, Given = Command<z.output<S>>> {
  readonly op: Operation & { readonly body: S };

  // Target
  /** Finds the record that the command is on, where neither the path's record nor the body's sale is it. */
  readonly target?: (call: Call, body: z.output<S>) => Rec;
  /** A record that the same content made before: the key is spent on it, and nothing else happens. */
  readonly known?: (command: Given) => Rec | undefined;

  // Guards
  /** The decision that carries it out; `rejected` only moves the record. */
  readonly yes?: 'approved' | 'verified';
  /** The state that the record must be in. */
  readonly from?: string;
  /** The sale must be approved: `once` also lets a sale pass that was cancelled since. */
  readonly approved?: 'now' | 'once';
  /** What a dispute or a pending cancellation of the sale may freeze. */
  readonly held?: Held;
  /** Whether the body names the terms of the record. */
  readonly terms?: true;
  /** Fields without which a yes is refused. */
  readonly needs?: readonly string[];
  /** A date-time of the body that must be in the future, or must not. */
  readonly future?: string;
  readonly past?: string;
  /** Refuses for reasons of this row, before anything has changed. */
  readonly check?: (command: Given) => void;
  /** Whether a policy of the bank may want a second approver. */
  readonly two?: true;

  // Commit
  /** The state of what is made or moved; by default the decision, or the `status` of the body. */
  readonly to?: string;
  /** Data besides the fields that body and record share. */
  readonly data?: (command: Given) => Data;
  /** What a new record is linked to, besides its sale and its source record. */
  readonly links?: (command: Given) => Partial<Pick<Rec, 'sale' | 'content' | 'parts'>>;
  /** Whether what is made moves the version of the record it is on, or what is moved that of its sale or lot. */
  readonly counts?: 'on' | 'sale' | 'lot';

  // Effects
  readonly effect?: (command: Given, record: Rec) => void;
  /** What a rejection does besides moving the record. */
  readonly otherwise?: (command: Given) => void;
  /** The sales whose credits may move. */
  readonly dues?: (command: Given) => Iterable<Sale>;

  // News
  /** Type of the messages and of the webhook event; `*` is the new state. */
  readonly news?: string;
}

/** An operation that carries the row out, once per idempotency key. */
export function command<S extends CommandBody>(row: Row<S>): Answered {
  return [row.op, (call) => once(call, row.op.body, (body) => carriedOut(row, call, body))];
}

/** What a command answers with, and the part of its entry in the ledger that is its own, if it is news. */
interface Committed {
  readonly data: unknown;
  /** What is answered now and not kept under the key, in place of `data`. */
  readonly once?: unknown;
  readonly entry?: (Pick<LedgerEntry, 'kind' | 'recordId'> & Partial<LedgerEntry>) | undefined;
}
type LedgerEntry = Parameters<World['requests']['commit']>[0];

/**
 * Carries a command out once: the same bytes under the key get the same record, other bytes a conflict. `work` refuses
 * before it changes anything, so that a refusal changes nothing.
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
  const on = row.target?.(call, body) ?? targetOf(call, row.op, body);
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
  return { data: view(record), entry: entryOf(record) };
}

/** The record that the path names, or a 404; the sale that the body names, or a 422. */
function targetOf({ world, party, params }: Call, op: Operation, body: Data): Rec {
  const [named] = params;
  if (named === undefined) return saleNamed({ world, party }, body['sale_id']);
  const [param, id] = named;
  const kind = op.versionFrom?.kind ?? param;
  if (!isKind(kind)) throw new Error(`${op.id} is on no kind of record`);
  return world.flow.find(party, kind, id);
}

/** The steps of every command. Up to the first change each may refuse, so that a refusal changes nothing. */
function commit<S extends CommandBody>(row: Row<S>, given: Command<z.output<S>>): Rec {
  const { call, flow, on } = given;
  const body: Data = given.body;
  mustBeVersion(call, body, on);
  const isYes = row.yes === undefined || saysYes(given.world, body['decision'], row.yes);
  if (row.from !== undefined) {
    ensure(on.state === row.from, spaced(`The ${on.kind} is not ${row.from}: it is ${on.state}.`));
  }
  if (isYes) {
    guard(row, given);
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

/** Everything that can stand against a yes. */
function guard<S extends CommandBody>(row: Row<S>, given: Command<z.output<S>>): void {
  const { call, flow } = given;
  const body: Data = given.body;
  const now = call.now();
  if (row.approved !== undefined) mustBeApproved(given.sale, row.approved === 'once');
  if (row.held !== undefined) mustNotBeHeld(flow, given.sale, row.held);
  const { kind, data } = given.on;
  if (row.terms) {
    const isSame = body['terms_version'] === data['terms_version'];
    ensureFits(isSame, 'terms_version', `These are not the terms of the ${kind}.`);
  }
  for (const field of row.needs ?? []) {
    ensureFits(body[field] !== undefined, field, `A decision that is ${row.yes} needs this field.`);
  }
  if (row.future !== undefined) {
    ensureFits(momentIn(body, row.future) > now, row.future, 'This moment has passed.');
  }
  if (row.past !== undefined) {
    const latest = now + limits.clockDifferenceSeconds * 1_000;
    ensureFits(momentIn(body, row.past) <= latest, row.past, 'This moment is yet to come.');
  }
  row.check?.(given);
  if (body['evidence_id'] !== undefined) mustBeEvidence(flow, given.sale, body['evidence_id']);
}

/** The record that the command makes, where its operation answers with another kind than it is on; else `on`, moved. */
function changed<S extends CommandBody>(row: Row<S>, given: Command<z.output<S>>, isYes: boolean): Rec {
  const { world, flow, on } = given;
  const body: Data = given.body;
  const { kind, fields } = recordOf(row.op);
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

/** A record was made out of this one: that moves its version, or only its lot's. */
export function touchSource({ flow, clock, settings }: World, source: Rec): void {
  if (settings.variants['new-record-version'] === 'moves') flow.touch(source);
  else if (source.sale === source) touchLot(clock, source.sale.lot);
}

/** What a record says of a no. */
function decided(fields: ReadonlySet<string>, { decision, reason = null }: Data): Data {
  return fields.has('decision') ? { decision, reason } : {};
}

/** The sale, and the fields that body and record have in common; null where one was left out. */
function shared(op: Operation, body: Data, sale: Sale | undefined): Data {
  const { fields } = recordOf(op);
  const data: Data = sale !== undefined && fields.has('sale_id') ? { sale_id: sale.id } : {};
  for (const name of Object.keys(op.body?.shape ?? {}).filter((each) => fields.has(each))) {
    const value = body[name] ?? null;
    data[name] = name.endsWith('amount') && typeof value === 'string' ? rupees(paise(value)) : value;
  }
  return data;
}

/** The record that an operation answers with, as the description has it: its kind, and the fields of its `data`. */
export function recordOf({ reply }: Operation): { kind: Kind | undefined; fields: ReadonlySet<string> } {
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

function entryOf(record: Rec): Committed['entry'] {
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

/** Refuses a command that was decided on another version than the current one. */
function mustBeVersion(call: Call, body: Data, { kind, version }: Rec): void {
  const expected = body['expected_version'];
  if (expected === undefined || expected === version) return;
  const message = `expected_version ${String(expected)} is not the version of this ${kind}: it is ${version}.`;
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
 * Whether a decision may commit: always, unless the bank's policy wants a second approver. Then the first decision is only
 * noted, and the second, by another credential of the bank, commits if it is the same in all but key, version and reason.
 */
function mayCommit({ world, party }: Call, on: Rec, body: Data): boolean {
  if (world.settings.variants['second-approver-reply'] === 'one-approver') return true;
  const { idempotency_key: _, expected_version: __, reason: ___, ...content } = body;
  const { firstDecisions } = world.flow;
  const first = firstDecisions.get(on.id);
  const isSame = first !== undefined && isDeepStrictEqual(first.content, content);
  if (first === undefined || first.clientId === party.clientId) {
    ensure(!isSame, 'The decision is already recorded; another credential of the bank has to confirm it.');
    firstDecisions.set(on.id, { clientId: party.clientId, content });
    return false;
  }
  ensure(isSame, 'The first approver decided differently: both must make the same decision.');
  return true;
}

/** What a dispute or a pending cancellation may freeze. */
type Held = 'release' | 'collection' | 'allocation' | 'payment_report' | 'refund' | 'transfer';

const frozenByDispute: readonly Held[] = ['release', 'collection', 'refund'];

/**
 * Why an action on a sale is frozen, in words; undefined where it isn't. A pending cancellation freezes all but refunds,
 * unless the vehicle is delivered: then the sale can't be cancelled any more.
 */
export function holdOf(flow: Flow, sale: Sale, action: Held): string | undefined {
  const dispute = flow.of('dispute', sale).find(({ state }) => state === 'open');
  if (dispute && frozenByDispute.includes(action)) return `dispute ${dispute.id} is open`;
  const request = pendingCancellation(flow, sale);
  return request && action !== 'refund' && !isDelivered(flow, sale)
    ? `cancellation request ${request.id} waits for its decision`
    : undefined;
}

export function mustNotBeHeld(flow: Flow, sale: Sale, action: Held): void {
  const why = holdOf(flow, sale, action);
  ensure(why === undefined, `The ${action.replace('_', ' ')} is frozen: ${why}.`);
}

/** The request to cancel a sale that waits for the bank. */
export function pendingCancellation(flow: Flow, sale: Sale): Rec | undefined {
  return flow.of('sale_cancellation', sale).find(({ state }) => state === 'pending');
}

/** The offer, other than `but`, that is open, or was accepted and not superseded since, its validity over or not. */
export function activeOffer(flow: Flow, sale: Sale, but?: Rec): Rec | undefined {
  return flow.of('offer', sale).find((each) => each !== but && ['open', 'accepted'].includes(each.state));
}

/** The sale that a body names in `sale_id`, or a 422 on it: whether it exists elsewhere isn't told. */
export function saleNamed({ world, party }: Pick<Call, 'world' | 'party'>, id: unknown): Sale {
  const sale = world.flow.sale(id);
  ensureFits(sale !== undefined && mayHave(party, sale.owner), 'sale_id', 'There is no such sale.');
  return sale;
}

/** Only what the bank has approved goes on; `evenIfCancelled`, also what was cancelled since. */
export function mustBeApproved({ state }: Sale, evenIfCancelled = false): void {
  if (evenIfCancelled && state === 'cancelled') return;
  ensure(state !== 'cancelled', 'The sale is cancelled.');
  ensure(state === 'approved', 'The sale is not approved.');
}

/** Evidence is a document of the same sale, and scanned: the scan is skipped for nobody. */
function mustBeEvidence(flow: Flow, sale: Sale, id: unknown): void {
  const document = flow.get('document', id);
  ensureFits(document?.sale === sale, 'evidence_id', 'This is not a document of the sale.');
  const why = `The document is ${spaced(document.state)}; it is evidence once it is ready.`;
  ensureFits(document.state === 'ready', 'evidence_id', why);
}

/** Whether a decision says yes, with the word that the text shows for it, or no. */
function saysYes({ settings }: World, decision: unknown, yes: string): boolean {
  const words = settings.variants['decision-values'] === 'rejected-too' ? [yes, 'rejected'] : [yes];
  const known = `${words.length > 1 ? 'decisions' : 'decision'} ${words.join(' and ')}`;
  ensureFits(
    words.some((word) => word === decision),
    'decision',
    `This sandbox knows the ${known} only.`,
  );
  return decision === yes;
}
