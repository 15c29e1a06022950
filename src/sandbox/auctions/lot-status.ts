import type { Scope } from '../../api/scopes.js';
import type { Call } from '../http/call.js';
import { rupees } from '../money.js';
import { isoInIndia, isoTime } from '../times.js';
import { duesOf } from '../workflow/funds.js';
import { activeOffer, holdOf } from '../workflow/guards.js';
import { mayHave, type Rec, type Sale } from '../workflow/records.js';
import type { World } from '../world.js';
import { statusAt } from './catalogue.js';
import { bidderStatus, ownAmount, visibleHighest } from './standings.js';
import type { Auction, Lot } from './store.js';

/** The status of a lot for one caller: of a sale only the partner's own, and of that only the asked buyer's. */
export function lotStatusView(call: Call, auction: Auction, lot: Lot, buyer: string | undefined) {
  const { world } = call;
  const state = statusAt(auction, call.now());
  const sale = ownSale(call, lot, buyer);
  const release = sale && world.flow.of('release', sale).at(-1);
  return {
    lot_id: lot.id,
    auction_state: state,
    inventory_state: inventoryState(world, lot),
    resource_version: lot.resourceVersion,
    updated_at: isoTime(lot.updatedAt),
    effective_close_at: isoInIndia(auction.endsAt),
    sale: sale === undefined ? null : saleSummary(sale),
    payment: sale === undefined || sale.data['terms_version'] === null ? null : paymentSummary(world, sale),
    release: release === undefined ? null : releaseSummary(release),
    allowed_actions: allowedActions(call, state === 'live', sale),
    provisional: true,
    ...(buyer !== undefined && { own_standing: bidderStatus(lot, buyer), own_amount: ownAmount(lot, buyer) }),
    ...visibleHighest(auction, lot),
  };
}

/** A direct dealer's sale is its own whatever dealer is linked to it by now; a platform's is one buyer's. */
function ownSale({ world, party }: Call, lot: Lot, buyer: string | undefined): Sale | undefined {
  return world.flow
    .salesOf(lot)
    .findLast(
      ({ owner, bid }) =>
        mayHave(party, owner) && (buyer === undefined || bid.bidderReference === null || bid.buyer === buyer),
    );
}

/** The vehicle's own state, which doesn't show who bought it. */
function inventoryState({ flow }: World, lot: Lot): 'published' | 'sold' | 'collected' {
  const sales = flow.salesOf(lot);
  if (sales.some((sale) => flow.of('release', sale).at(-1)?.state === 'used')) return 'collected';
  return sales.some(({ state }) => state === 'approved') ? 'sold' : 'published';
}

function saleSummary({ id, state, version, data }: Sale) {
  const { amount, currency, acknowledged_at, due_at } = data;
  return { id, state, resource_version: version, amount, currency, acknowledged_at, due_at };
}

/** The dues of the sale, under its id and version. */
function paymentSummary(world: World, sale: Sale) {
  const { state, due, credits, remaining } = duesOf(world.flow, sale);
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

function releaseSummary({ id, state, version, data }: Rec) {
  const { expires_at, collection_date } = data;
  return { id, state, resource_version: version, expires_at, collection_date };
}

/** What the caller could do next, sorted: what the state allows and its scopes do. */
function allowedActions({ world, party }: Call, live: boolean, sale: Sale | undefined): string[] {
  const approved = sale?.state === 'approved';
  const mayReport = approved && holdOf(world.flow, sale, 'payment_report') === undefined;
  const isOffered = sale !== undefined && activeOffer(world.flow, sale)?.state === 'open';
  const actions: readonly (readonly [action: string, scope: Scope, open: boolean])[] = [
    ['acknowledge', 'sales:acknowledge', approved && sale.data['acknowledged_at'] === null],
    ['bid', 'bids:write', live],
    ['report_payment', 'payments:report', mayReport && duesOf(world.flow, sale).remaining > 0n],
    ['respond_to_offer', 'offers:respond', isOffered],
  ];
  return actions
    .filter(([, scope, open]) => open && party.facts.scopes.includes(scope))
    .map(([action]) => action);
}
