import { isListed } from '../auctions/catalogue.js';
import type { Call } from '../http/call.js';
import { rupees } from '../money.js';
import type { World } from '../world.js';
import { duesOf, isAskedBack, isDelivered } from './funds.js';
import { conflict, type Flow, mayHave, type Rec, type Sale, unfit } from './records.js';

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
