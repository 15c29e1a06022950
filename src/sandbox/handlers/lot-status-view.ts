import type { Scope } from '../../api/scopes.js';
import type { Call } from '../call.js';
import { statusAt } from '../catalogue.js';
import { rupees } from '../money.js';
import { bidderStatus, ownAmount, visibleHighest } from '../standings.js';
import type { Auction, Lot } from '../store.js';
import { isoInIndia, isoTime } from '../times.js';
import { activeOffer } from '../workflow/active-offer.js';
import { mayHave } from '../workflow/cases.js';
import type { Release, Sale } from '../workflow/entities.js';
import { duesOf } from '../workflow/funds.js';
import type { World } from '../world.js';

/** Where a lot stands, for one caller: of a sale, only the partner's own, and of that only the buyer's who is asked for. */
export function lotStatusView(call: Call, auction: Auction, lot: Lot, buyer: string | undefined) {
  const state = statusAt(auction, call.now());
  const sale = ownSale(call, lot, buyer);
  const release = sale && latestRelease(call.world, sale);
  return {
    lot_id: lot.id,
    auction_state: state,
    inventory_state: inventoryState(call.world, lot),
    resource_version: lot.resourceVersion,
    updated_at: isoTime(lot.updatedAt),
    effective_close_at: isoInIndia(auction.endsAt),
    sale: sale === undefined ? null : saleSummary(sale),
    payment: sale?.state === 'approved' ? paymentSummary(call.world, sale) : null,
    release: release === undefined ? null : releaseSummary(release),
    allowed_actions: allowedActions(call, state === 'live', sale),
    provisional: true,
    ...(buyer !== undefined && { own_standing: bidderStatus(lot, buyer), own_amount: ownAmount(lot, buyer) }),
    ...visibleHighest(auction, lot),
  };
}

/** A direct dealer's sale is its own whatever dealer is linked to it by now; a platform's is one buyer's. */
function ownSale({ world, party }: Call, lot: Lot, buyer: string | undefined): Sale | undefined {
  return salesOf(world, lot).findLast(
    ({ owner, bid }) =>
      mayHave(party, owner) && (buyer === undefined || bid.bidderReference === null || bid.buyer === buyer),
  );
}

/** The vehicle's own state, which tells nobody who bought it. */
function inventoryState(world: World, lot: Lot): 'published' | 'sold' | 'collected' {
  const sales = salesOf(world, lot);
  if (sales.some((sale) => latestRelease(world, sale)?.state === 'used')) return 'collected';
  return sales.some(({ state }) => state === 'approved') ? 'sold' : 'published';
}

function saleSummary(sale: Sale) {
  return {
    id: sale.id,
    state: sale.state,
    resource_version: sale.version,
    amount: rupees(sale.amount),
    currency: 'INR',
    acknowledged_at: sale.acknowledgedAt === undefined ? null : isoTime(sale.acknowledgedAt),
    due_at: sale.terms?.dueAt ?? null,
  };
}

/** The dues of the sale, under its id and version. */
function paymentSummary({ cases }: World, sale: Sale) {
  const { state, due, credits, remaining } = duesOf(cases, sale);
  return {
    sale_id: sale.id,
    state,
    resource_version: sale.version,
    due_amount: rupees(due),
    verified_credits: rupees(credits),
    remaining: rupees(remaining),
    currency: 'INR',
  };
}

function releaseSummary(release: Release) {
  return {
    id: release.id,
    state: release.state,
    resource_version: release.version,
    expires_at: release.expiresAt,
    collection_date: release.collectionDate,
  };
}

/** What the caller could do next, sorted: what the state allows and its scopes do. */
function allowedActions({ world, party }: Call, live: boolean, sale: Sale | undefined): string[] {
  const approved = sale?.state === 'approved';
  const actions: readonly (readonly [action: string, scope: Scope, open: boolean])[] = [
    ['acknowledge', 'sales:acknowledge', approved && sale.acknowledgedAt === undefined],
    ['bid', 'bids:write', live],
    ['report_payment', 'payments:report', approved && duesOf(world.cases, sale).remaining > 0n],
    ['respond_to_offer', 'offers:respond', sale !== undefined && activeOffer(sale)?.state === 'open'],
  ];
  return actions
    .filter(([, scope, open]) => open && party.facts.scopes.includes(scope))
    .map(([action]) => action);
}

function salesOf({ cases }: World, lot: Lot): Sale[] {
  return [...cases.sales.values()].filter((sale) => sale.lot === lot);
}

function latestRelease({ cases }: World, sale: Sale): Release | undefined {
  return [...cases.releases.values()].findLast((release) => release.sale === sale);
}
