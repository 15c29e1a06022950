import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { limits } from '../../api/common.js';
import type { Operation } from '../../api/operation.js';
import { isListed } from '../auctions/catalogue.js';
import { touchLot } from '../auctions/store.js';
import type { Answered, Call } from '../http/call.js';
import { bodyOf, keyed } from '../http/checks.js';
import {
  bidEnvelope,
  commandReply,
  invalidField,
  messageOnly,
  Refusal,
  type Reply,
} from '../http/replies.js';
import { paise, rupees } from '../money.js';
import type { World } from '../world.js';
import { duesOf, isAskedBack, isDelivered } from './funds.js';
import { announce, watchingDues } from './news.js';
import {
  conflict,
  type Data,
  type Flow,
  isKind,
  type Kind,
  mayHave,
  momentIn,
  type Rec,
  type Sale,
  unfit,
  view,
} from './records.js';

/** A schema of a command's body. */
export type CommandBody = z.ZodObject<{ idempotency_key: z.ZodType<string> }>;

/** A command that is being carried out. */
export class Command<Body> {
  readonly call: Call;
  readonly body: Body;
  /** The record that the path names, else the sale that the body names. */
  readonly on: Rec;

  constructor(call: Call, body: Body, on: Rec) {
    this.call = call;
    this.body = body;
    this.on = on;
  }

  get world(): World {
    return this.call.world;
  }

  get flow(): Flow {
    return this.call.world.flow;
  }

  /** The sale that `on` is or belongs to, if any. */
  get about(): Sale | undefined {
    return this.on.kind === 'sale' ? this.flow.sale(this.on.id) : this.on.sale;
  }

  /** The same, of a record that belongs to one. */
  get sale(): Sale {
    if (this.about === undefined) throw new Error(`${this.on.kind} ${this.on.id} is of no sale`);
    return this.about;
  }
}

/**
 * One workflow command as a row. What it doesn't say follows from the description of its operation: actors, scope, body,
 * target, version, and the fields that body and record share. The engine takes the steps in the order of the fields.
 */
export interface Row<S extends CommandBody> {
  readonly op: Operation & { readonly body: S };

  // Target
  /** Finds the record that the command is on, where neither the path's record nor the body's sale is it. */
  readonly target?: (call: Call, body: z.output<S>) => Rec;
  /** A record that the same content made before: the key is spent on it, and nothing else happens. */
  readonly known?: (command: Command<z.output<S>>) => Rec | undefined;

  // Guards
  /** The decision that carries it out; `rejected` only moves the record. */
  readonly yes?: 'approved' | 'verified';
  /** The state that the record must be in. */
  readonly from?: string;
  /** The sale must be approved: `once` also lets a sale pass that was cancelled since. */
  readonly approved?: 'now' | 'once';
  /** What a dispute or a pending cancellation of the sale may freeze. */
  readonly held?: Held;
  /** Fields without which a yes is refused. */
  readonly needs?: readonly string[];
  /** A date-time of the body that must be in the future, or must not. */
  readonly future?: string;
  readonly past?: string;
  /** Refuses for reasons of its own, before anything has changed. */
  readonly check?: (command: Command<z.output<S>>) => void;
  /** Whether a policy of the bank may want a second approver. */
  readonly two?: true;

  // Commit
  /** The kind of record that it makes; else it moves the record that it is on. */
  readonly makes?: Kind;
  /** The state of what is made or moved; by default the decision, or the `status` of the body. */
  readonly to?: string;
  /** Data beside the fields that body and record share. */
  readonly data?: (command: Command<z.output<S>>) => Data;
  /** What a made record is linked to, beside the sale and the record that it is made from. */
  readonly links?: (
    command: Command<z.output<S>>,
  ) => Partial<Pick<Rec, 'sale' | 'bid' | 'lot' | 'content' | 'parts'>>;
  /** Whether what is made moves the version of the record it is on, or what is moved that of its sale or lot. */
  readonly counts?: 'on' | 'sale' | 'lot';

  // Effects
  readonly effect?: (command: Command<z.output<S>>, record: Rec) => void;
  /** What a no does beside moving the record. */
  readonly otherwise?: (command: Command<z.output<S>>) => void;
  /** The sales whose credits may move. */
  readonly dues?: (command: Command<z.output<S>>) => Iterable<Sale>;

  // News
  /** Type of the messages and of the webhook event; `*` is the new state. */
  readonly news?: string;
  /** How the message goes on after the name of the record. */
  readonly words?: (command: Command<z.output<S>>, record: Rec) => string;
}

/** An operation that carries the row out, once per idempotency key. */
export function command<S extends CommandBody>(row: Row<S>): Answered {
  return [row.op, (call) => once(call, row.op.body, (body) => carriedOut(row, call, body))];
}

/** What a command answers with, and its entry in the ledger if it is news. */
export interface Committed {
  readonly data: unknown;
  readonly entry?: Parameters<World['requests']['commit']>[0];
}

/**
 * Carries a command out once: the same bytes under the key get the same record, other bytes a conflict. `work` refuses
 * before it changes anything, so that a refusal leaves nothing behind.
 */
export function once<S extends CommandBody>(
  call: Call,
  schema: S,
  work: (body: z.output<S>) => Committed,
): Reply {
  const { store, requests } = call.world;
  const body = bodyOf(call, schema);
  const { key, fingerprint, earlier } = keyed(call, String(body.idempotency_key));
  if (earlier !== undefined) return commandReply(call, earlier.data, true);
  const { data, entry } = work(body);
  store.record(call.party.clientId, key, { fingerprint, data: { ...Object(data) } });
  if (entry !== undefined) requests.commit(entry);
  return commandReply(call, data, false);
}

function carriedOut<S extends CommandBody>(row: Row<S>, call: Call, body: z.output<S>): Committed {
  const given = new Command(call, body, row.target?.(call, body) ?? targetOf(call, row.op, body));
  const known = row.known?.(given);
  if (known !== undefined) return { data: view(known) };
  const record = watchingDues(call.world, row.dues?.(given) ?? [], () => commit(row, given));
  return { data: view(record), entry: entryOf(call, record, given.about) };
}

/** The record that the path names, or a 404; the sale that the body names, or a 422. */
function targetOf({ world, party, params }: Call, op: Operation, body: Data): Rec {
  const [id] = params.values();
  if (id === undefined) return saleNamed({ world, party }, body['sale_id']);
  const kind = op.versionFrom?.kind ?? 'sale';
  if (!isKind(kind)) throw new Error(`${op.id} is on no kind of record`);
  return world.flow.find(party, kind, id);
}

function commit<S extends CommandBody>(row: Row<S>, given: Command<z.output<S>>): Rec {
  const { world, flow, call, on, about: sale } = given;
  const body: Data = given.body;
  mustBeVersion(call, body, on);
  const isYes = row.yes === undefined || saysYes(world, body['decision'], row.yes);
  if (row.from !== undefined && on.state !== row.from) throw conflict(wrongState(on, row.from));
  if (!isYes) return rejected(row, given);
  if (sale !== undefined) {
    if (row.approved !== undefined) mustBeApproved(sale, row.approved === 'once');
    if (row.held !== undefined) mustNotBeHeld(flow, sale, row.held);
  }
  const lacking = row.needs?.find((name) => body[name] === undefined);
  if (lacking !== undefined) throw unfit(lacking, `A decision that is ${row.yes} needs this field.`);
  const now = call.now();
  if (row.future !== undefined && momentIn(body, row.future) <= now) {
    throw unfit(row.future, 'This moment has passed.');
  }
  if (row.past !== undefined && momentIn(body, row.past) > now + limits.clockDifferenceSeconds * 1_000) {
    throw unfit(row.past, 'This moment is yet to come.');
  }
  row.check?.(given);
  if (sale !== undefined && body['evidence_id'] !== undefined)
    mustBeEvidence(flow, sale, body['evidence_id']);
  if (row.two && !mayCommit(call, on, body)) {
    flow.touch(on);
    return on;
  }
  const record = row.makes === undefined ? moved(row, given) : made(row, given, row.makes);
  row.effect?.(given, record);
  if (row.news !== undefined) {
    const words = row.words?.(given, record) ?? `is ${record.state.replaceAll('_', ' ')}`;
    announce(world, row.news.replace('*', record.state), record, words);
  }
  return record;
}

function moved<S extends CommandBody>(row: Row<S>, given: Command<z.output<S>>): Rec {
  const { world, flow, on, about: sale } = given;
  const body: Data = given.body;
  on.state = row.to ?? String(body['decision'] ?? on.state);
  Object.assign(on.data, shared(row.op, body), row.data?.(given));
  flow.touch(on);
  flow.firstDecisions.delete(on.id);
  if (row.counts === 'sale' && sale !== undefined) flow.touch(sale);
  if (row.counts === 'lot' && sale !== undefined) touchLot(world.clock, sale.lot);
  return on;
}

function made<S extends CommandBody>(row: Row<S>, given: Command<z.output<S>>, kind: Kind): Rec {
  const { world, flow, on, about: sale } = given;
  const body: Data = given.body;
  const aboutSale = sale !== undefined && dataFields(row.op).has('sale_id') ? { sale_id: sale.id } : {};
  const data = { ...aboutSale, ...shared(row.op, body), ...row.data?.(given) };
  const links = { ...(sale !== undefined && { sale }), from: on, ...row.links?.(given) };
  const record = flow.make(kind, row.to ?? String(body['status']), { owner: on.owner, data, ...links });
  if (row.counts === 'on') touchSource(world, on);
  return record;
}

/** A record was made out of this one: that moves its version, or only its lot's. */
export function touchSource({ flow, clock, settings }: World, source: Rec): void {
  if (settings.variants['new-record-version'] === 'moves') flow.touch(source);
  else if (source.kind === 'sale' && source.lot !== undefined) touchLot(clock, source.lot);
}

/** A no moves the record and says why; what was decided before by one of two no longer counts. */
function rejected<S extends CommandBody>(row: Row<S>, given: Command<z.output<S>>): Rec {
  const { world, flow, on, about: sale } = given;
  const body: Data = given.body;
  flow.firstDecisions.delete(on.id);
  row.otherwise?.(given);
  on.state = 'rejected';
  if (dataFields(row.op).has('decision')) {
    Object.assign(on.data, { decision: body['decision'], reason: body['reason'] ?? null });
  }
  flow.touch(on);
  if (row.counts === 'sale' && sale !== undefined) flow.touch(sale);
  if (row.news !== undefined)
    announce(world, row.news.replace('*', 'rejected'), on, 'is rejected by the bank');
  return on;
}

/** The fields that body and record have in common; null where one was left out. */
function shared(op: Operation, body: Data): Data {
  const names = dataFields(op);
  const data: Data = {};
  for (const name of Object.keys(op.body?.shape ?? {})) {
    if (!names.has(name)) continue;
    const value = body[name] ?? null;
    data[name] = isAmount(name, value) ? rupees(paise(value)) : value;
  }
  return data;
}

function isAmount(name: string, value: unknown): value is string {
  return name.endsWith('amount') && typeof value === 'string';
}

/** Fields of `data` of the record that an operation answers with, as the description has them. */
function dataFields({ reply }: Operation): ReadonlySet<string> {
  if (reply === undefined) return new Set();
  const known = fieldsByReply.get(reply);
  if (known !== undefined) return known;
  const data = unwrapped(fieldOf(reply, 'data'));
  const names = new Set(data instanceof z.ZodObject ? Object.keys(data.shape) : []);
  fieldsByReply.set(reply, names);
  return names;
}

/** The kind of the record that an operation answers with; undefined for one that answers with none. */
export function recordKind({ reply }: Operation): Kind | undefined {
  const kind = unwrapped(fieldOf(reply, 'kind'));
  const [name] = kind instanceof z.ZodString ? [kind.meta()?.['x-known-values']].flat() : [];
  return typeof name === 'string' && isKind(name) ? name : undefined;
}

function fieldOf(reply: z.ZodType | undefined, name: string): unknown {
  const record = unwrapped(reply);
  return record instanceof z.ZodObject ? record.shape[name] : undefined;
}

const fieldsByReply = new WeakMap<z.ZodType, ReadonlySet<string>>();

function unwrapped(schema: unknown): unknown {
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapper ? unwrapped(schema.unwrap()) : schema;
}

function entryOf(call: Call, record: Rec, on: Sale | undefined): NonNullable<Committed['entry']> {
  const sale = record.kind === 'sale' ? call.world.flow.sale(record.id) : (record.sale ?? on);
  const { bid, lot, data } = record;
  const { amount, received_amount = amount } = data;
  return {
    kind: record.kind,
    operation: call.operation.id,
    recordId: record.id,
    idempotencyKey: call.idempotencyKey ?? '',
    clientId: call.party.clientId,
    ...(sale !== undefined && { saleId: sale.id, lotId: sale.lot.id, bidId: sale.bid.id }),
    ...(bid !== undefined && { bidId: bid.id }),
    ...(lot !== undefined && { lotId: lot.id }),
    ...(typeof received_amount === 'string' && { amount: received_amount }),
    at: call.world.clock.now(),
  };
}

/** Refuses a command that was decided on another version than the current one. */
function mustBeVersion(call: Call, body: Data, { kind, version }: Rec): void {
  const expected = body['expected_version'];
  if (expected === undefined || expected === version) return;
  const name = kind === 'inventory_vehicle' ? 'the inventory_version' : 'the version';
  const why = `expected_version ${String(expected)} is not ${name} of this ${kind}, which is ${version}.`;
  switch (call.world.settings.variants['expected-version-conflict']) {
    case '409':
      throw conflict(why);
    case '412':
      throw new Refusal(messageOnly(412, why));
    case '422':
      throw new Refusal(invalidField('expected_version', why));
    case 'code': {
      const code = 'VERSION_CONFLICT';
      throw new Refusal(
        bidEnvelope(call, 409, { success: false, code, message: why, data: null, errors: [code] }),
      );
    }
  }
}

function wrongState({ kind, state }: Rec, wanted: string): string {
  if (wanted.startsWith('pending')) return `The ${kind === 'sale' ? 'sale' : 'request'} is decided already.`;
  const name = kind.replaceAll('_', ' ');
  return `The ${name} is not ${wanted.replaceAll('_', ' ')}: it is ${state.replaceAll('_', ' ')}.`;
}

/**
 * Whether a decision may commit: always, unless the bank's policy wants a second approver. Then the first decision is only
 * noted, and the second, by another credential of the bank, commits if it is the same in all but key, version and reason.
 */
function mayCommit({ world, party }: Call, on: Rec, body: Data): boolean {
  if (world.settings.variants['second-approver-reply'] === 'one-approver') return true;
  const { idempotency_key: _, expected_version: __, reason: ___, ...content } = body;
  const first = world.flow.firstDecisions.get(on.id);
  const isSame = first !== undefined && isDeepStrictEqual(first.content, content);
  if (first === undefined || first.clientId === party.clientId) {
    if (isSame) {
      throw conflict('The decision is noted already; another credential of the bank has to confirm it.');
    }
    world.flow.firstDecisions.set(on.id, { clientId: party.clientId, content });
    return false;
  }
  if (!isSame) throw conflict('The first approver decided otherwise: both have to say the same.');
  return true;
}

/** What a dispute or a pending cancellation may freeze. */
export type Held =
  | 'release'
  | 'collection'
  | 'allocation'
  | 'payment_report'
  | 'refund'
  | 'cancellation'
  | 'transfer';

const frozenByDispute: readonly Held[] = ['release', 'collection', 'refund'];
const frozenByCancellation: readonly Held[] = [
  'release',
  'collection',
  'allocation',
  'payment_report',
  'transfer',
];

/** Why an action on a sale is frozen, in words; undefined where it isn't. A delivered sale can't be cancelled any more. */
export function holdOf(flow: Flow, sale: Sale, action: Held): string | undefined {
  const dispute = flow.of('dispute', sale).find(({ state }) => state === 'open');
  if (dispute && frozenByDispute.includes(action)) return `dispute ${dispute.id} is open`;
  if (!frozenByCancellation.includes(action)) return undefined;
  const request = pendingCancellation(flow, sale);
  return request && !isDelivered(flow, sale)
    ? `cancellation request ${request.id} waits for its decision`
    : undefined;
}

export function mustNotBeHeld(flow: Flow, sale: Sale, action: Held): void {
  const why = holdOf(flow, sale, action);
  if (why !== undefined) throw conflict(`The ${action.replace('_', ' ')} is frozen: ${why}.`);
}

/** The request to cancel a sale that waits for the bank. */
export function pendingCancellation(flow: Flow, sale: Sale): Rec | undefined {
  return flow.of('sale_cancellation', sale).find(({ state }) => state === 'pending');
}

/** The offer that waits for its answer, or was accepted and not superseded since, its validity over or not. */
export function activeOffer(flow: Flow, sale: Sale): Rec | undefined {
  return flow.of('offer', sale).find(({ state }) => state === 'open' || state === 'accepted');
}

/** The sale that a body names in `sale_id`, or a 422 on it: whether it exists elsewhere isn't told. */
export function saleNamed({ world, party }: Pick<Call, 'world' | 'party'>, id: unknown): Sale {
  const sale = world.flow.sale(id);
  if (sale === undefined || !mayHave(party, sale.owner)) throw unfit('sale_id', 'There is no such sale.');
  return sale;
}

/** Only what the bank has approved goes on; `even if cancelled`, also what was cancelled since. */
export function mustBeApproved({ state }: Sale, evenIfCancelled = false): void {
  if (state === 'approved' || (evenIfCancelled && state === 'cancelled')) return;
  throw conflict(state === 'cancelled' ? 'The sale is cancelled.' : 'The sale is not approved.');
}

/** An award rests on a bid that still counts and on a vehicle that is still available. */
export function mustStand({ lot, auction, bid }: Sale): void {
  if (!lot.accepted.includes(bid)) throw conflict('The bid of this sale is cancelled.');
  if (!isListed(lot) || auction.cancelled)
    throw conflict('The vehicle of this sale is not available any more.');
}

/** A vehicle leaves for a sale that stands, is paid in full, and of which nothing is asked back. */
export function mustBePaid(flow: Flow, sale: Sale): void {
  mustStand(sale);
  const { remaining } = duesOf(flow, sale);
  if (remaining > 0n) throw conflict(`INR ${rupees(remaining)} of the sale are not paid and allocated yet.`);
  if (isAskedBack(flow, sale)) {
    throw conflict('Money of the sale is asked back, and the bank has not decided that yet.');
  }
}

/** Evidence is a document of the same sale, and scanned: the scan is skipped for nobody. */
export function mustBeEvidence(flow: Flow, sale: Sale, id: unknown): void {
  const document = flow.get('document', id);
  if (document?.sale !== sale) throw unfit('evidence_id', 'This is not a document of the sale.');
  if (document.state === 'ready') return;
  throw unfit(
    'evidence_id',
    document.state === 'awaiting_scan'
      ? 'The document awaits its scan; it is evidence as soon as it is ready.'
      : 'The scan found the document unclean; it is no evidence.',
  );
}

/** Whether a decision says yes, with the word that the text shows for it, or no. */
export function saysYes({ settings }: World, decision: unknown, yes: string): boolean {
  if (decision === yes) return true;
  const both = settings.variants['decision-values'] === 'rejected-too';
  if (both && decision === 'rejected') return false;
  throw unfit(
    'decision',
    `This sandbox knows the decision${both ? `s ${yes} and rejected` : ` ${yes}`} only.`,
  );
}
