import { statusAt } from '../auctions/catalogue.js';
import type { AuctionControls } from '../auctions/controls.js';
import { leader } from '../auctions/standings.js';
import type { Auction, Lot } from '../auctions/store.js';
import { operationNames } from '../http/operations.js';
import type { Service } from '../http/service.js';
import { rupees } from '../money.js';
import type { SeededParties } from '../seed/parties.js';
import { duesOf } from '../workflow/funds.js';
import type { Sale } from '../workflow/records.js';
import type { World } from '../world.js';

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
export function stateView(world: World, parties: SeededParties) {
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
export function glanceView({ clock, requests, flow, store, webhooks, parties }: World, service: Service) {
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

export function clientsView(world: World, parties: SeededParties) {
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
export function auctionView({ world, auctions }: Shown, { id, name, awarded }: Auction) {
  const { lots, status, cancelled, ...info } = auctions.get(id);
  const bids = world.store.lotsOf(id).reduce((sum, lot) => sum + lot.accepted.length, 0);
  return { ...info, name, awarded, status: cancelled ? 'cancelled' : status, lots: lots.length, bids };
}

/** An auction with its lots: `search` narrows them to those with it in their id, name or number. */
export function auctionDetail(shown: Shown, auction: Auction, search: string, limit: number) {
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
export function saleView({ flow }: World, sale: Sale) {
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

/** The steps of a sale that the control interface takes, in their order. */
export const saleSteps = ['approve', 'acknowledge', 'settle', 'release', 'collect'] as const;
type SaleStep = (typeof saleSteps)[number];

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
export function faultsView(service: Service) {
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
