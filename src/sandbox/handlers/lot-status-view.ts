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
import { isHeld } from '../workflow/holds.js';
import { releasesOf } from '../workflow/release-moves.js';
import { shownSale } from '../workflow/sale-forms.js';
import { type Data, releaseView } from '../workflow/views.js';
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
    sale: sale === undefined ? null : saleSummary(call.world, sale),
    payment: sale?.terms === undefined ? null : paymentSummary(call.world, sale),
    release: release === undefined ? null : releaseSummary(call.world, release),
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
  return sales.some(isSold) ? 'sold' : 'published';
}

/** Which fields it has is not shown, nor those of the others (unknowns: `lot-status-summaries`). */
function saleSummary(world: World, sale: Sale): Data {
  if (world.settings.variants['lot-status-summaries'] === 'records') return shownSale(world, sale);
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

function releaseSummary(world: World, release: Release): Data {
  if (world.settings.variants['lot-status-summaries'] === 'records') return releaseView(release);
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
  const approved = sale !== undefined && isSold(sale);
  const mayReport = approved && !isHeld(world, sale, 'payment_report');
  const names = world.settings.variants['allowed-actions'];
  const actions: readonly (readonly [action: keyof typeof operationIds, scope: Scope, open: boolean])[] = [
    ['acknowledge', 'sales:acknowledge', approved && sale.acknowledgedAt === undefined],
    ['bid', 'bids:write', live],
    ['report_payment', 'payments:report', mayReport && duesOf(world.cases, sale).remaining > 0n],
    ['respond_to_offer', 'offers:respond', sale !== undefined && activeOffer(sale)?.state === 'open'],
  ];
  return actions
    .filter(([, scope, open]) => open && party.facts.scopes.includes(scope))
    .map(([action]) => (names === 'words' ? action : operationIds[action]));
}

/** What the actions are called where `allowed-actions` is switched. */
const operationIds = {
  acknowledge: 'A23',
  bid: 'bids.submit',
  report_payment: 'A36',
  respond_to_offer: 'A25',
} as const;

/** Approved, and not cancelled since. */
function isSold({ state, cancelled }: Sale): boolean {
  return state === 'approved' && !cancelled;
}

function salesOf({ cases }: World, lot: Lot): Sale[] {
  return [...cases.sales.values()].filter((sale) => sale.lot === lot);
}

function latestRelease({ cases }: World, sale: Sale): Release | undefined {
  return releasesOf(cases, sale).at(-1);
}
