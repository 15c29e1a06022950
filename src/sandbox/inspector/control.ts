import * as z from 'zod';
import type { BankActor } from '../actors/bank.js';
import type { BuyerActor } from '../actors/buyer.js';
import { ActorRefusedError } from '../actors/perform.js';
import { type Rival, RivalBidError } from '../actors/rival.js';
import type { AuctionControls } from '../auctions/controls.js';
import { findAuction } from '../auctions/controls.js';
import type { Auction } from '../auctions/store.js';
import type { FaultPlan } from '../faults/fault.js';
import type { Service } from '../http/service.js';
import type { WireRequest } from '../http/wire.js';
import { someFacts } from '../parties.js';
import { problems, tenYearsMs } from '../schema.js';
import type { SeededParties } from '../seed/parties.js';
import { type Moment, unixMs } from '../times.js';
import { subscribable } from '../webhooks/webhooks.js';
import type { World } from '../world.js';
import {
  attemptRow,
  auctionDetail,
  auctionView,
  clientsView,
  faultsView,
  glanceView,
  type SaleStep,
  saleSteps,
  saleView,
  stateView,
} from './views.js';

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
  const query = new URLSearchParams(request.target.slice(path.length));
  const matching = routes.flatMap((each) => {
    const found = each.path.exec(path);
    return found === null ? [] : [{ ...each, parameter: found[1] ?? '' }];
  });
  if (matching.length === 0) throw new Declined(404, `The control interface has no ${shown(path)}.`);
  const match = matching.find((each) => each.method === method);
  if (match === undefined) {
    throw new Declined(405, `${shown(path)} takes ${matching.map((each) => each.method).join(', ')}.`);
  }
  return match.answer({ of, world: of.world, request, query }, decoded(match.parameter));
}

interface ControlCall {
  readonly of: Inspected;
  readonly world: World;
  readonly request: WireRequest;
  readonly query: URLSearchParams;
}

interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: RegExp;
  readonly answer: (call: ControlCall, parameter: string) => unknown;
}

const routes: readonly Route[] = [
  route('GET', '/state', ({ of, world }) => stateView(world, of.parties)),
  route('GET', '/glance', ({ of, world }) => glanceView(world, of.service)),
  route('GET', '/auctions', ({ world }) => ({
    auctions: [...world.store.auctions.values()].map((each) => auctionView(world, each)),
  })),
  route('GET', '/auctions/:', ({ world, query }, id) =>
    auctionDetail(world, auctionNamed(world, id), query.get('search') ?? '', limitOf(query)),
  ),
  route('GET', '/attempts', ({ world, query }) => {
    const since = numberOf(query, 'since', 0);
    const all = world.requests.attempts().filter(({ n }) => n > since);
    return { attempts: all.slice(-limitOf(query)).map(attemptRow), total: world.requests.arrived };
  }),
  route('GET', '/attempts/:', ({ world }, n) => {
    const found = world.requests.attempts().find((each) => String(each.n) === n);
    if (found === undefined) throw new Declined(404, 'No such request is remembered.');
    return found;
  }),
  route('GET', '/ledger', ({ world, query }) => {
    const entries = world.requests.ledger().map((entry, index) => ({ n: index + 1, ...entry }));
    const since = numberOf(query, 'since', 0);
    return { entries: entries.slice(since).slice(-limitOf(query)), total: entries.length };
  }),
  route('GET', '/sales', ({ world, query }) => ({
    sales: world.flow
      .sales()
      .slice(-limitOf(query))
      .map((sale) => saleView(world, sale)),
    total: world.flow.sales().length,
  })),
  route('GET', '/faults', ({ of }) => ({ faults: faultsView(of.service) })),
  route('GET', '/partners', ({ of, world }) => ({ partners: clientsView(world, of.parties) })),
  route('GET', '/partners/:', ({ world }, clientId) => partnerView(world, clientId)),
  route('GET', '/webhooks', ({ world, query }) => ({
    subscriptions: world.webhooks.subscriptions(),
    deliveries: world.webhooks.deliveries().slice(-limitOf(query)),
  })),
  route('POST', '/webhooks', subscribe),
  route('DELETE', '/webhooks/:', ({ world: { webhooks } }, id) => {
    declining(404, () => webhooks.unsubscribe(id));
    return { subscriptions: webhooks.subscriptions() };
  }),
  route('POST', '/clock', moveClock),
  route('POST', '/auctions/:/close', ({ of, world, request }, id) => {
    bodyOf(request, nothing);
    const auction = auctionNamed(world, id);
    declining(409, () => of.auctions.close(auction.id));
    return auctionView(world, auction);
  }),
  route('POST', '/auctions/:/move-close', moveClose),
  route('POST', '/lots/:/rival-bid', rivalBid),
  ...saleSteps.map((step) => route('POST', `/sales/:/${step}`, (call, id) => takeStep(call, step, id))),
  route('POST', '/faults', inject),
  route('DELETE', '/faults/:', ({ of }, n) => {
    const found = of.service.armed().find((each) => String(each.n) === n);
    if (found === undefined) throw new Declined(404, 'No such fault waits.');
    found.withdraw();
    return { faults: faultsView(of.service) };
  }),
  route('POST', '/partners/:', ({ world, request }, clientId) => {
    partnerView(world, clientId);
    const change = bodyOf(request, someFacts);
    world.parties.update(clientId, JSON.parse(JSON.stringify(change)));
    return partnerView(world, clientId);
  }),
  route('POST', '/scanner', ({ world: { scanner }, request }) => {
    const { running } = bodyOf(request, z.strictObject({ running: z.boolean() }));
    if (running) scanner.resume();
    else scanner.pause();
    return { running };
  }),
];

function route(method: Route['method'], path: string, answer: Route['answer']): Route {
  return { method, path: new RegExp(`^/_sandbox${path.replace(':', '([^/]+)')}$`), answer };
}

/** Subscribes one of the parties, to every event type unless told otherwise, at a receiver on this machine too. */
function subscribe({ of, world: { webhooks }, request }: ControlCall) {
  const { who, url, events } = bodyOf(request, wantedSubscription);
  const party = Object.entries(of.parties).find(([name]) => name === who)?.[1];
  if (party === undefined) throw new Declined(404, `The sandbox has no ${shown(who)}.`);
  const wanted = { clientId: party.clientId, url, events: events ?? [...subscribable], name: 'control' };
  return declining(400, () => webhooks.subscribeLocally(wanted));
}

/** Moves the clock forward, by `ms` or `to` a moment. */
function moveClock({ world: { clock }, request }: ControlCall) {
  const by = stepOf(request, clock.now()) - clock.now();
  if (!(by >= 0 && by <= tenYearsMs)) {
    throw new Declined(400, 'The clock moves forward only, and by ten years at the most.');
  }
  clock.advance(by);
  return { now: clock.now() };
}

/** Moves the close: by `ms`, to earlier where that is negative, or `to` a moment. */
function moveClose({ of, world, request }: ControlCall, idOrLabel: string) {
  const auction = auctionNamed(world, idOrLabel);
  const close = stepOf(request, auction.endsAt);
  if (!(Math.abs(close - world.clock.now()) <= tenYearsMs)) {
    throw new Declined(400, 'A close is ten years away at the most.');
  }
  declining(409, () => of.auctions.moveClose(auction.id, close));
  return auctionView(world, auction);
}

/** The rival bids `amount`, or the least that it may. */
function rivalBid({ of, world, request }: ControlCall, lotId: string) {
  if (!world.store.lots.has(lotId)) throw new Declined(404, 'The sandbox has no such lot.');
  const { amount } = bodyOf(request, z.strictObject({ amount: decimal.optional() }));
  return declining(409, () => (amount === undefined ? of.rival.bidNext(lotId) : of.rival.bid(lotId, amount)));
}

/** Takes a step of a sale, named by its id or its lot's, for the bank or the buyer; everything is filled in. */
function takeStep({ of, world, request }: ControlCall, step: SaleStep, saleOrLotId: string) {
  bodyOf(request, nothing);
  if (world.flow.sale(saleOrLotId) === undefined && !world.store.lots.has(saleOrLotId)) {
    throw new Declined(404, 'The sandbox has no such sale, and no such lot.');
  }
  return declining(409, () =>
    step === 'acknowledge' ? of.buyer.acknowledge(saleOrLotId) : of.bank[step](saleOrLotId),
  );
}

/** Plans a fault as `sandbox.inject` does; `times: "always"` stands for infinitely many. */
function inject({ of, request }: ControlCall) {
  const { times, ...rest } = bodyOf(request, z.looseObject({ times: z.unknown().optional() }));
  const plan = { ...rest, ...(times !== undefined && { times: times === 'always' ? Infinity : times }) };
  const before = new Set(of.service.armed().map(({ n }) => n));
  // Checked by the one schema of faults.
  declining(400, () => of.service.inject(plan as FaultPlan));
  return faultsView(of.service).find(({ n }) => !before.has(n));
}

function partnerView({ parties }: World, clientId: string) {
  if (parties.find(clientId) === undefined) throw new Declined(404, 'The sandbox has no such client.');
  return { clientId, facts: parties.facts(clientId) };
}

function auctionNamed({ store }: World, idOrLabel: string): Auction {
  const found = findAuction(store, idOrLabel);
  if (found === undefined) throw new Declined(404, 'The sandbox has no such auction.');
  return found;
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

function shown(path: string): string {
  return path.length > 80 ? `${path.slice(0, 80)}…` : path;
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
