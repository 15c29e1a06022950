import * as z from 'zod';
import { BankActor, BuyerActor } from '../actors/bank-and-buyer.js';
import { ActorRefusedError } from '../actors/perform.js';
import { Rival, RivalBidError } from '../actors/rival.js';
import { emittedTypes, runStory } from '../actors/stories.js';
import { leader } from '../auctions/catalogue.js';
import { AuctionControls, infoOf } from '../auctions/controls.js';
import type { FaultPlan } from '../faults/faults.js';
import { unescaped } from '../http/canonical.js';
import { allOperations } from '../http/router.js';
import type { Service } from '../http/service.js';
import type { WireRequest } from '../http/wire.js';
import { rupees } from '../money.js';
import { someFacts } from '../parties.js';
import { type Auction, findAuction, type Lot, type Sale, view } from '../records.js';
import { moment, problems, tenYearsMs } from '../schema.js';
import type { SeededParties } from '../seed/parties.js';
import { subscribable } from '../webhooks/webhooks.js';
import { duesOf } from '../workflow/funds.js';
import type { World } from '../world.js';

/** State that the inspector shows and changes. */
export interface Inspected {
  readonly world: World;
  readonly parties: SeededParties;
  readonly service: Service;
}

/** Thrown in a control call to answer it at once with `{ message }`. */
export class Declined extends Error {
  readonly status: 400 | 401 | 403 | 404 | 405 | 409;

  constructor(status: Declined['status'], message: string) {
    super(message);
    this.name = 'Declined';
    this.status = status;
  }
}

/** Handles a call of the control interface and returns its JSON value. Throws `Declined`. */
export function control(request: WireRequest, path: string, of: Inspected): unknown {
  // Run due timers first.
  of.world.clock.advance(0);
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const matching = routes.filter((each) => each.path.test(path));
  if (matching.length === 0) throw new Declined(404, 'The path is unknown to the control interface.');
  const match = matching.find((each) => each.method === method);
  if (match === undefined) {
    throw new Declined(
      405,
      `The method is not allowed. Use ${matching.map((each) => each.method).join(' or ')}.`,
    );
  }
  const id = unescaped(match.path.exec(path)?.[1] ?? '');
  if (id === undefined) throw new Declined(400, 'The path is not percent-encoded UTF-8.');
  const query = new URLSearchParams(request.target.slice(path.length));
  const given = method === 'GET' ? Object.fromEntries(query) : jsonInBody(request);
  try {
    return match.answer(of, id, given);
  } catch (error) {
    const isRefusal =
      error instanceof RangeError || error instanceof ActorRefusedError || error instanceof RivalBidError;
    throw isRefusal ? new Declined(409, error.message) : error;
  }
}

interface ControlCall<Given> {
  readonly of: Inspected;
  readonly world: World;
  /** Value of `:` in the path. */
  readonly id: string;
  /** The query of a GET, or the body of other methods. */
  readonly given: Given;
}

const route = <S extends z.ZodType>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  schema: S,
  answer: (call: ControlCall<z.output<S>>) => unknown,
) => ({
  method,
  path: new RegExp(`^/_sandbox${path.replace(':', '([^/]+)')}$`),
  answer(of: Inspected, id: string, given: unknown) {
    const { data, error } = schema.safeParse(given);
    if (error === undefined) return answer({ of, world: of.world, id, given: data });
    throw new Declined(400, problems(error, '').slice(0, 5).join('; '));
  },
});

const natural = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number, 0 or more')
  .transform(Number);
const nothing = z.object({});
const noField = z.strictObject({});
const list = z.object({
  since: natural.default(0),
  limit: natural.default(200).transform((limit) => Math.min(limit, 1_000)),
  search: z.string().default(''),
});
const step = z
  .strictObject({ ms: z.number().optional(), to: moment.optional() })
  .refine(
    ({ ms, to }) => (ms === undefined) !== (to === undefined),
    'Send either ms (a duration) or to (a time).',
  );
const rivalBid = z.strictObject({
  amount: z
    .string()
    .regex(/^\d{1,15}(?:\.\d{1,2})?$/, 'must be an INR decimal string such as "465000.00"')
    .optional(),
});
const faultPlan = z.looseObject({ times: z.unknown().optional() });
const wantedSubscription = z.strictObject({
  who: z.string(),
  url: z.string(),
  events: z.array(z.string()).default([...subscribable]),
});

const wantedEvent = z.strictObject({
  type: z.string(),
  who: z.enum(['dealer', 'platform', 'aggregator', 'rival']).default('dealer'),
});

/** Sale steps of the control interface, in order. */
const saleSteps = ['approve', 'reject', 'acknowledge', 'settle', 'release', 'collect'] as const;

const routes = [
  route('GET', '/state', nothing, stateView),
  route('GET', '/auctions', nothing, ({ world }) => ({
    auctions: [...world.store.auctions.values()].map((each) => auctionView(world, each)),
  })),
  route('GET', '/auctions/:', list, auctionDetail),
  route('GET', '/attempts', list, ({ world, given: { since, limit } }) => {
    const all = world.requests.attempts().filter(({ n }) => n > since);
    const rows = all.slice(-limit).map(({ request: _, reply: __, ...row }) => row);
    return { attempts: rows, total: world.requests.arrived };
  }),
  route('GET', '/attempts/:', nothing, ({ world, id }) => {
    const attempt = world.requests.attempts().find(({ n }) => String(n) === id);
    return found('request', attempt);
  }),
  route('GET', '/ledger', list, ({ world, given: { since, limit } }) => {
    const all = world.requests.ledger();
    const first = Math.max(since, all.length - limit);
    const entries = all.slice(first).map((entry, at) => ({ n: first + at + 1, ...entry }));
    return { entries, total: all.length };
  }),
  route('GET', '/sales', list, ({ world, given: { limit } }) => {
    const sales = world.flow.sales();
    return { sales: sales.slice(-limit).map((sale) => saleView(world, sale)), total: sales.length };
  }),
  route('GET', '/faults', nothing, ({ of }) => ({ faults: faultsView(of.service) })),
  route('GET', '/partners', nothing, (call) => ({ partners: clientsView(call) })),
  route('GET', '/partners/:', nothing, partnerView),
  route('GET', '/webhooks', list, ({ world: { webhooks }, given: { limit } }) => ({
    subscriptions: webhooks.subscriptions(),
    deliveries: webhooks.deliveries().slice(-limit),
  })),
  // Subscribes a party, by default to all event types. Local receivers are allowed.
  route(
    'POST',
    '/webhooks',
    wantedSubscription,
    ({ of, world: { webhooks }, given: { who, url, events } }) => {
      const party = Object.entries(of.parties).find(([name]) => name === who)?.[1];
      const problem = webhooks.problemWith(url, events, true);
      if (problem !== undefined) throw new Declined(400, problem.message);
      const { shown, secret } = webhooks.add(found('party', party), { url, events, name: 'control' }, true);
      return { id: shown.id, secret };
    },
  ),
  route('DELETE', '/webhooks/:', noField, ({ world: { webhooks }, id }) => {
    const subscription = webhooks.subscriptions().find((each) => each.id === id);
    webhooks.unsubscribe(found('subscription', subscription).id);
    return { subscriptions: webhooks.subscriptions() };
  }),
  route('POST', '/clock', step, ({ world: { clock }, given: { ms, to } }) => {
    const by = ms ?? (to ?? 0) - clock.now();
    if (!(by >= 0 && by <= tenYearsMs)) {
      throw new Declined(400, 'The clock can only move forward, by at most ten years.');
    }
    clock.advance(by);
    return { now: clock.now() };
  }),
  route('POST', '/auctions/:/close', noField, (call) => {
    const auction = auctionOf(call);
    new AuctionControls(call.world, call.of.parties).close(auction.id);
    return auctionView(call.world, auction);
  }),
  route('POST', '/auctions/:/move-close', step, (call) => {
    const auction = auctionOf(call);
    const close = call.given.to ?? auction.endsAt + (call.given.ms ?? 0);
    if (!(Math.abs(close - call.world.clock.now()) <= tenYearsMs)) {
      throw new Declined(400, 'The close must be within ten years.');
    }
    new AuctionControls(call.world, call.of.parties).moveClose(auction.id, close);
    return auctionView(call.world, auction);
  }),
  // Without an amount, bids the lowest valid one.
  route('POST', '/lots/:/rival-bid', rivalBid, ({ of, world, id, given: { amount } }) => {
    found('lot', world.store.lots.get(id));
    const rival = new Rival(world, of.parties.rival);
    return amount === undefined ? rival.bidNext(id) : rival.bid(id, amount);
  }),
  // Bank and buyer steps with default options.
  ...saleSteps.map((name) =>
    route('POST', `/sales/:/${name}`, noField, ({ world, id }) => {
      found('sale or lot', world.flow.sale(id) ?? world.store.lots.get(id));
      return name === 'acknowledge' ? new BuyerActor(world).acknowledge(id) : new BankActor(world)[name](id);
    }),
  ),
  route('GET', '/trigger', nothing, () => ({ types: emittedTypes() })),
  // Emits an event type through a new auction.
  route('POST', '/trigger', wantedEvent, ({ of, world, given: { type, who } }) =>
    runStory(world, of.parties, type, who),
  ),
  // Like `sandbox.inject`. `times: "always"` means infinitely many.
  route('POST', '/faults', faultPlan, ({ of: { service }, given: { times, ...plan } }) => {
    const repeats = times === 'always' ? Number.POSITIVE_INFINITY : times;
    try {
      service.inject({ ...plan, ...(times !== undefined && { times: repeats }) } as FaultPlan);
    } catch (error) {
      throw error instanceof RangeError ? new Declined(400, error.message) : error;
    }
    return faultsView(service).at(-1);
  }),
  route('DELETE', '/faults/:', nothing, ({ of, id }) => {
    const fault = of.service.faults.armed().find(({ n }) => String(n) === id);
    found('fault', fault).withdraw();
    return { faults: faultsView(of.service) };
  }),
  route('POST', '/partners/:', someFacts, (call) => {
    partnerView(call);
    call.world.parties.update(call.id, JSON.parse(JSON.stringify(call.given)));
    return partnerView(call);
  }),
  route('POST', '/scanner', z.strictObject({ running: z.boolean() }), ({ world: { scanner }, given }) => {
    if (given.running) scanner.resume();
    else scanner.pause();
    return given;
  }),
];

/** Returns an existing value or throws a 404. */
function found<T>(what: string, thing: T | undefined): T {
  if (thing === undefined) throw new Declined(404, `The ${what} does not exist.`);
  return thing;
}

function auctionOf({ world, id }: ControlCall<unknown>): Auction {
  return found('auction', findAuction(world.store, id));
}

function partnerView({ world: { parties }, id: clientId }: ControlCall<unknown>) {
  found('client', parties.find(clientId));
  return { clientId, facts: parties.facts(clientId) };
}

/** An empty body counts as an empty object. */
function jsonInBody({ body }: WireRequest): unknown {
  if (body === 'too_large') throw new Declined(400, 'The body is too large.');
  if (body.length === 0) return {};
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Declined(400, 'The body must be valid JSON.');
  }
}

/*
 * Views of the control interface. Names match the TypeScript API, times are Unix milliseconds and money is INR
 * decimal strings. Secrets are never shown; only the start of the sandbox returns them.
 */

/** Overview of the sandbox. */
function stateView(call: ControlCall<unknown>) {
  const { settings, requests, clock, scanner, baseUrl } = call.world;
  return {
    now: clock.now(),
    clock: settings.clock,
    scanning: scanner.running,
    baseUrl,
    environment: settings.environment,
    attempts: requests.arrived,
    ledger: requests.ledger().length,
    clients: clientsView(call),
    operations: allOperations.map(({ name }) => name),
  };
}

function clientsView({ of, world }: ControlCall<unknown>) {
  const names = new Map(Object.entries(of.parties).map(([who, { clientId }]) => [clientId, who]));
  return world.parties.all().map(({ clientId, keyId, actor, partnerType, facts }) => ({
    who: names.get(clientId) ?? null,
    clientId,
    keyId,
    actor,
    partnerType,
    dealerId: facts.dealerId,
  }));
}

/** An auction with hidden attributes. */
function auctionView(world: World, auction: Auction) {
  const { cancelled, status, ...info } = infoOf(auction, world.clock.now());
  const { name, awarded, lots } = auction;
  const bids = lots.reduce((sum, lot) => sum + lot.accepted.length, 0);
  return { ...info, name, awarded, status: cancelled ? 'cancelled' : status, lots: lots.length, bids };
}

/** An auction with its lots. `search` filters lots by id, title or registration number. */
function auctionDetail(call: ControlCall<z.output<typeof list>>) {
  const { world, given } = call;
  const auction = auctionOf(call);
  const wanted = given.search.trim().toLowerCase();
  const matching = auction.lots.filter(({ id, vehicle: { details } }) =>
    `${id}\n${details.title}\n${details.registration_number}`.toLowerCase().includes(wanted),
  );
  const items = matching.slice(0, given.limit).map((lot) => lotView(world, lot));
  return { ...auctionView(call.world, auction), matching: matching.length, items };
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
    // Also shown for sealed auctions. Null without a bid.
    highest: best === undefined ? null : rupees(best.amount),
    leader: best === undefined ? null : { clientId: best.clientId, bidderReference: best.bidderReference },
    bids: lot.accepted.length,
    sale: sale === undefined ? null : { id: sale.id, state: sale.state },
  };
}

/** A sale with its payment state and latest release. */
function saleView(world: World, sale: Sale) {
  const { flow } = world;
  const { lot, bid, data } = sale;
  return {
    ...view(sale),
    title: lot.vehicle.details.title,
    clientId: bid.clientId,
    payment: data['terms_version'] === null ? null : duesOf(flow, sale).state,
    release: flow.of('release', sale).at(-1)?.state ?? null,
  };
}

/** Armed faults. */
function faultsView({ faults }: Service) {
  return faults.armed().map(({ n, plan, toPass, left }) => ({ n, plan, toPass, left }));
}
