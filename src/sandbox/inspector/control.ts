import * as z from 'zod';
import type { BankActor, BuyerActor } from '../actors/bank-and-buyer.js';
import { ActorRefusedError } from '../actors/perform.js';
import { type Rival, RivalBidError } from '../actors/rival.js';
import { statusAt } from '../auctions/catalogue.js';
import type { AuctionControls } from '../auctions/controls.js';
import { leader } from '../auctions/standings.js';
import { type Auction, findAuction, type Lot } from '../auctions/store.js';
import type { FaultPlan } from '../faults/faults.js';
import { operationNames } from '../http/router.js';
import type { Service } from '../http/service.js';
import type { WireRequest } from '../http/wire.js';
import { rupees } from '../money.js';
import { someFacts } from '../parties.js';
import { problems, tenYearsMs } from '../schema.js';
import type { SeededParties } from '../seed/parties.js';
import { type Moment, unixMs } from '../times.js';
import { subscribable } from '../webhooks/webhooks.js';
import { duesOf } from '../workflow/funds.js';
import type { Sale } from '../workflow/records.js';
import type { World } from '../world.js';

/** What the inspector shows and moves. */
export interface Inspected {
  readonly world: World;
  readonly parties: SeededParties;
  readonly service: Service;
  readonly auctions: AuctionControls;
  readonly rival: Rival;
  readonly bank: BankActor;
  readonly buyer: BuyerActor;
}

/** Thrown anywhere in a control call to answer it at once with `{ message }`. */
export class Declined extends Error {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409;

  constructor(status: Declined['status'], message: string) {
    super(message);
    this.name = 'Declined';
    this.status = status;
  }
}

/** Answers one call of the control interface with what becomes its JSON; throws `Declined`. */
export function control(request: WireRequest, path: string, of: Inspected): unknown {
  // What is due by now has happened before it is looked at.
  of.world.clock.advance(0);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const shown = path.length > 80 ? `${path.slice(0, 80)}…` : path;
  const matching = routes.filter((each) => each.path.test(path));
  if (matching.length === 0) throw new Declined(404, `The control interface has no ${shown}.`);
  const match = matching.find((each) => each.method === method);
  if (match === undefined) {
    throw new Declined(405, `${shown} takes ${matching.map((each) => each.method).join(', ')}.`);
  }
  const query = new URLSearchParams(request.target.slice(path.length));
  const parameter = decoded(match.path.exec(path)?.[1] ?? '');
  return match.answer({ of, world: of.world, request, query, parameter });
}

interface ControlCall {
  readonly of: Inspected;
  readonly world: World;
  readonly request: WireRequest;
  readonly query: URLSearchParams;
  /** What stands for `:` in the path. */
  readonly parameter: string;
}

const route = (method: 'GET' | 'POST' | 'DELETE', path: string, answer: (call: ControlCall) => unknown) => ({
  method,
  path: new RegExp(`^/_sandbox${path.replace(':', '([^/]+)')}$`),
  answer,
});

/** The steps of a sale that the control interface takes, in their order. */
const saleSteps = ['approve', 'acknowledge', 'settle', 'release', 'collect'] as const;
type SaleStep = (typeof saleSteps)[number];

const routes = [
  route('GET', '/state', ({ of, world }) => stateView(world, of.parties)),
  route('GET', '/glance', ({ of, world }) => glanceView(world, of.service)),
  route('GET', '/auctions', ({ of, world }) => ({
    auctions: [...world.store.auctions.values()].map((each) => auctionView(of, each)),
  })),
  route('GET', '/auctions/:', (call) =>
    auctionDetail(call.of, auctionOf(call), call.query.get('search') ?? '', limitOf(call.query)),
  ),
  route('GET', '/attempts', ({ world, query }) => {
    const since = numberOf(query, 'since', 0);
    const all = world.requests.attempts().filter(({ n }) => n > since);
    const rows = all.slice(-limitOf(query)).map(({ request: _, reply: __, ...row }) => row);
    return { attempts: rows, total: world.requests.arrived };
  }),
  route('GET', '/attempts/:', ({ world, parameter }) =>
    found(
      'request is remembered',
      world.requests.attempts().find(({ n }) => String(n) === parameter),
    ),
  ),
  route('GET', '/ledger', ({ world, query }) => {
    const entries = world.requests.ledger().map((entry, index) => ({ n: index + 1, ...entry }));
    const since = numberOf(query, 'since', 0);
    return { entries: entries.slice(since).slice(-limitOf(query)), total: entries.length };
  }),
  route('GET', '/sales', ({ world, query }) => {
    const sales = world.flow.sales();
    return {
      sales: sales.slice(-limitOf(query)).map((sale) => saleView(world, sale)),
      total: sales.length,
    };
  }),
  route('GET', '/faults', ({ of }) => ({ faults: faultsView(of.service) })),
  route('GET', '/partners', ({ of, world }) => ({ partners: clientsView(world, of.parties) })),
  route('GET', '/partners/:', partnerView),
  route('GET', '/webhooks', ({ world, query }) => ({
    subscriptions: world.webhooks.subscriptions(),
    deliveries: world.webhooks.deliveries().slice(-limitOf(query)),
  })),
  // One of the parties, to every event type unless told otherwise, at a receiver on this machine too.
  route('POST', '/webhooks', ({ of, world: { webhooks }, request }) => {
    const { who, url, events = [...subscribable] } = bodyOf(request, wantedSubscription);
    const party = Object.entries(of.parties).find(([name]) => name === who)?.[1];
    const { clientId } = found('party is there', party);
    return declining(400, () => webhooks.subscribeLocally({ clientId, url, events, name: 'control' }));
  }),
  route('DELETE', '/webhooks/:', ({ world: { webhooks }, parameter }) => {
    declining(404, () => webhooks.unsubscribe(parameter));
    return { subscriptions: webhooks.subscriptions() };
  }),
  route('POST', '/clock', ({ world: { clock }, request }) => {
    const by = stepOf(request, clock.now()) - clock.now();
    if (!(by >= 0 && by <= tenYearsMs)) {
      throw new Declined(400, 'The clock moves forward only, and by ten years at the most.');
    }
    clock.advance(by);
    return { now: clock.now() };
  }),
  route('POST', '/auctions/:/close', (call) => {
    bodyOf(call.request, nothing);
    const auction = auctionOf(call);
    declining(409, () => call.of.auctions.close(auction.id));
    return auctionView(call.of, auction);
  }),
  route('POST', '/auctions/:/move-close', (call) => {
    const auction = auctionOf(call);
    const close = stepOf(call.request, auction.endsAt);
    if (!(Math.abs(close - call.world.clock.now()) <= tenYearsMs)) {
      throw new Declined(400, 'A close is ten years away at the most.');
    }
    declining(409, () => call.of.auctions.moveClose(auction.id, close));
    return auctionView(call.of, auction);
  }),
  // An amount, or the least that it may.
  route('POST', '/lots/:/rival-bid', ({ of, world, request, parameter }) => {
    const { id } = found('lot is there', world.store.lots.get(parameter));
    const { amount } = bodyOf(request, z.strictObject({ amount: decimal.optional() }));
    return declining(409, () => (amount === undefined ? of.rival.bidNext(id) : of.rival.bid(id, amount)));
  }),
  // For the bank or the buyer; everything is filled in.
  ...saleSteps.map((step) =>
    route('POST', `/sales/:/${step}`, ({ of, world, request, parameter: id }) => {
      bodyOf(request, nothing);
      found('sale or lot is there', world.flow.sale(id) ?? world.store.lots.get(id));
      return declining(409, () => (step === 'acknowledge' ? of.buyer.acknowledge(id) : of.bank[step](id)));
    }),
  ),
  // As `sandbox.inject` does; `times: "always"` stands for infinitely many.
  route('POST', '/faults', ({ of, request }) => {
    const { times, ...rest } = bodyOf(request, z.looseObject({ times: z.unknown().optional() }));
    const plan = { ...rest, ...(times !== undefined && { times: times === 'always' ? Infinity : times }) };
    // Checked by the one schema of faults.
    declining(400, () => of.service.inject(plan as FaultPlan));
    return faultsView(of.service).at(-1);
  }),
  route('DELETE', '/faults/:', ({ of, parameter }) => {
    const fault = of.service.armed().find(({ n }) => String(n) === parameter);
    found('fault waits', fault).withdraw();
    return { faults: faultsView(of.service) };
  }),
  route('POST', '/partners/:', (call) => {
    partnerView(call);
    const change = bodyOf(call.request, someFacts);
    call.world.parties.update(call.parameter, JSON.parse(JSON.stringify(change)));
    return partnerView(call);
  }),
  route('POST', '/scanner', ({ world: { scanner }, request }) => {
    const { running } = bodyOf(request, z.strictObject({ running: z.boolean() }));
    if (running) scanner.resume();
    else scanner.pause();
    return { running };
  }),
];

/** A thing that is there, or a 404. */
function found<T>(what: string, thing: T | undefined): T {
  if (thing === undefined) throw new Declined(404, `No such ${what}.`);
  return thing;
}

function auctionOf({ world, parameter }: ControlCall): Auction {
  return found('auction is there', findAuction(world.store, parameter));
}

function partnerView({ world: { parties }, parameter: clientId }: ControlCall) {
  found('client is there', parties.find(clientId));
  return { clientId, facts: parties.facts(clientId) };
}

/** The body of a control call; a field that is unknown or can't be meant is a 400 that names it. */
function bodyOf<S extends z.ZodType>(request: WireRequest, schema: S): z.output<S> {
  const { data, error } = schema.safeParse(jsonOf(request));
  if (error === undefined) return data;
  throw new Declined(400, problems(error, '').slice(0, 5).join('; '));
}

/** A step by `ms`, or a target `to`: exactly one of them. */
function stepOf(request: WireRequest, from: number): number {
  const { ms, to } = bodyOf(request, stepSchema);
  if ((ms === undefined) === (to === undefined)) {
    throw new Declined(400, 'Give either ms, by how much, or to, a moment.');
  }
  return ms === undefined ? declining(400, () => unixMs(to ?? from)) : from + ms;
}

/** Does something; a refusal of the sandbox itself becomes one of this status. */
function declining<T>(status: 400 | 404 | 409, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const isRefusal =
      error instanceof RangeError || error instanceof ActorRefusedError || error instanceof RivalBidError;
    if (isRefusal) throw new Declined(status, error.message);
    throw error;
  }
}

/** No body at all is an empty object. */
function jsonOf({ body }: WireRequest): unknown {
  if (body === 'too_large' || body.length > mostBytes) throw new Declined(400, 'The body is too large.');
  if (body.length === 0) return {};
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Declined(400, 'The body must be valid JSON.');
  }
}

function limitOf(query: URLSearchParams): number {
  return Math.min(numberOf(query, 'limit', 200), 1_000);
}

function numberOf(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  if (!/^\d{1,15}$/.test(text)) throw new Declined(400, `${name} is a whole number, 0 or more.`);
  return Number(text);
}

function decoded(parameter: string): string {
  try {
    return decodeURIComponent(parameter);
  } catch {
    throw new Declined(400, 'The path is not percent-encoded UTF-8.');
  }
}

const nothing = z.strictObject({});
const moment: z.ZodType<Moment> = z.union([z.number(), z.string().max(100)]);
const stepSchema = z.strictObject({ ms: z.number().optional(), to: moment.optional() });
const decimal = z.string().regex(/^\d{1,15}(?:\.\d{1,2})?$/, 'an INR decimal string such as "465000.00"');
const wantedSubscription = z.strictObject({
  who: z.string(),
  url: z.string(),
  events: z.array(z.string()).optional(),
});
const mostBytes = 65_536;

/*
 * What the control interface shows: names as in the TypeScript of the sandbox, times in Unix milliseconds, money as INR
 * decimal strings. No secret: what signs is given out where the sandbox is started, never here.
 */

/** What auctions are shown from. */
interface Shown {
  readonly world: World;
  readonly auctions: AuctionControls;
}

/** The sandbox at a glance. */
function stateView(world: World, parties: SeededParties) {
  const { settings, requests, clock } = world;
  return {
    now: clock.now(),
    clock: settings.clock,
    scanning: world.scanner.running,
    baseUrl: world.baseUrl,
    environment: settings.environment,
    attempts: requests.arrived,
    ledger: requests.ledger().length,
    clients: clientsView(world, parties),
    operations: operationNames,
  };
}

/** Digests that differ once something has changed, so that the page asks again only for what it must. */
function glanceView({ clock, requests, flow, store, webhooks, parties }: World, service: Service) {
  const now = clock.now();
  const digests = {
    faults: service.armed().map(({ n, toPass, left }) => [n, toPass, left]),
    auctions: [...store.auctions.values()].map((auction) => {
      const moves = store.lotsOf(auction.id).map(({ version, resourceVersion }) => version + resourceVersion);
      return [auction.revision, statusAt(auction, now), moves.reduce((sum, each) => sum + each, 0)];
    }),
    sales: flow.sales().map(({ version, lot }) => version + lot.resourceVersion),
    clients: parties.all().map(({ keyId }) => keyId),
    webhooks: [
      webhooks.subscriptions().map(({ state }) => state),
      webhooks.deliveries().map(({ state, attempts }) => [state, attempts.length]),
    ],
  };
  const written = Object.entries(digests).map(([part, digest]) => [part, String(digest)]);
  return {
    now,
    attempts: requests.arrived,
    ledger: requests.ledger().length,
    ...Object.fromEntries(written),
  };
}

function clientsView(world: World, parties: SeededParties) {
  const names = new Map(Object.entries(parties).map(([who, { clientId }]) => [clientId, who]));
  return world.parties.all().map(({ clientId, keyId, actor, partnerType, facts }) => ({
    who: names.get(clientId) ?? null,
    clientId,
    keyId,
    actor,
    partnerType,
    dealerId: facts.dealerId,
  }));
}

/** An auction as the bank's back office has it, hidden facts included. */
function auctionView({ world, auctions }: Shown, { id, name, awarded }: Auction) {
  const { lots, status, cancelled, ...info } = auctions.get(id);
  const bids = world.store.lotsOf(id).reduce((sum, lot) => sum + lot.accepted.length, 0);
  return { ...info, name, awarded, status: cancelled ? 'cancelled' : status, lots: lots.length, bids };
}

/** An auction with its lots: `search` narrows them to those with it in their id, name or number. */
function auctionDetail(shown: Shown, auction: Auction, search: string, limit: number) {
  const wanted = search.trim().toLowerCase();
  const found = shown.world.store
    .lotsOf(auction.id)
    .filter(({ id, vehicle: { details } }) =>
      `${id}\n${details.title}\n${details.registration_number}`.toLowerCase().includes(wanted),
    );
  const items = found.slice(0, limit).map((lot) => lotView(shown.world, lot));
  return { ...auctionView(shown, auction), matching: found.length, items };
}

function lotView({ flow }: World, lot: Lot) {
  const best = leader(lot);
  const sale = flow.salesOf(lot).at(-1);
  return {
    id: lot.id,
    title: lot.vehicle.details.title,
    registration: lot.vehicle.details.registration_number,
    withdrawn: lot.withdrawn || lot.unpublished,
    startingPrice: rupees(lot.startingPrice),
    // Of sealed auctions too; null without a bid.
    highest: best === undefined ? null : rupees(best.amount),
    leader: best === undefined ? null : { clientId: best.clientId, bidderReference: best.bidderReference },
    bids: lot.accepted.length,
    sale: sale === undefined ? null : { id: sale.id, state: sale.state },
  };
}

/** A sale, and the step of it that the control interface can take next. */
function saleView({ flow }: World, sale: Sale) {
  const { id, state, version, lot, bid, data } = sale;
  const release = flow.of('release', sale).at(-1);
  return {
    id,
    state,
    version,
    lotId: lot.id,
    title: lot.vehicle.details.title,
    clientId: bid.clientId,
    bidderReference: bid.bidderReference,
    amount: data['amount'],
    acknowledged: data['acknowledged_at'] !== null,
    payment: data['terms_version'] === null ? null : duesOf(flow, sale).state,
    release: release?.state ?? null,
    next: nextStep({ flow }, sale),
  };
}

function nextStep({ flow }: Pick<World, 'flow'>, sale: Sale): SaleStep | null {
  if (sale.state === 'pending_bank_approval') return 'approve';
  if (sale.state !== 'approved') return null;
  if (sale.data['acknowledged_at'] === null) return 'acknowledge';
  if (duesOf(flow, sale).remaining > 0n) return 'settle';
  const states = flow.of('release', sale).map(({ state }) => state);
  if (states.includes('used')) return null;
  return states.includes('valid') ? 'collect' : 'release';
}

/** The faults that still wait. JSON has neither predicates nor infinity. */
function faultsView(service: Service) {
  return service.armed().map(({ n, plan, toPass, left }) => ({
    n,
    plan: {
      ...plan,
      ...(plan.where !== undefined && { where: 'a function' }),
      ...(plan.times === Number.POSITIVE_INFINITY && { times: 'always' }),
    },
    toPass,
    left: Number.isFinite(left) ? left : 'always',
  }));
}
