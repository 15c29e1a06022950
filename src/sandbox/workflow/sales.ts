import { bidCancellations } from '../../api/bid-cancellations.js';
import { bids } from '../../api/bids.js';
import { disputes } from '../../api/disputes.js';
import { offers } from '../../api/offers.js';
import { saleCancellations } from '../../api/sale-cancellations.js';
import { saleCases } from '../../api/sale-cases.js';
import { bidInPath } from '../auctions/bid-operations.js';
import { policyVersion } from '../auctions/integration.js';
import { latestOf } from '../auctions/standings.js';
import { type Bid, touchLot } from '../auctions/store.js';
import type { Answered, Call } from '../http/call.js';
import { paise, rupees } from '../money.js';
import { isoTime } from '../times.js';
import type { World } from '../world.js';
import { command } from './engine.js';
import { creditsTo, isDelivered } from './funds.js';
import { activeOffer, mustStand, pendingCancellation } from './guards.js';
import { addWinner, announce, moveVehicle, remindOfDue } from './news.js';
import { askBack } from './payments.js';
import { amountOf, conflict, lotOfBid, momentIn, ownerOfBid, type Rec, type Sale, unfit } from './records.js';
import { moveRelease } from './releases.js';

const sales = saleCases.operations;

/** Bids that are cancelled, the bank's decision on a sale, offers, cancellations of sales, disputes. */
export const saleCommands: readonly Answered[] = [
  command({
    op: bids.operations.requestCancellation,
    target: bidAsTarget,
    check: ({ world, flow, on }) => {
      const bid = bidOf(on);
      if (bid.status !== 'accepted') throw conflict('The bid was rejected: there is nothing to cancel.');
      if (flow.of('cancellation').some((each) => each.bid === bid && each.state === 'pending')) {
        throw conflict('A request to cancel this bid waits for its decision.');
      }
      mustBeCancellable(world, bid);
    },
    makes: 'cancellation',
    to: 'pending',
    data: ({ on }) => ({ bid_id: bidOf(on).id, policy_version: policyVersion }),
    links: ({ on, world }) => ({ bid: bidOf(on), lot: lotOfBid(world.store, bidOf(on)) }),
    news: 'bid.cancellation_requested',
    words: ({ on }) => `asks to cancel bid ${bidOf(on).id}`,
  }),
  command({
    op: bidCancellations.operations.decide,
    yes: 'approved',
    from: 'pending',
    effect: ({ world, on }) => takeOut(world, bidOf(on)),
    news: 'bid.cancellation_*',
    words: ({ on }) => `is approved: bid ${bidOf(on).id} is cancelled`,
  }),
  command({
    op: sales.decide,
    yes: 'approved',
    from: 'pending_bank_approval',
    needs: ['bid_id', 'terms_version', 'due_at', 'payee_instructions'],
    future: 'due_at',
    check: ({ call, on, sale, body }) => {
      mustStand(sale);
      if (body.bid_id !== sale.bid.id) throw unfit('bid_id', 'This is not the bid that the sale is about.');
      mustBeWithinLimit(call, amountOf(agreedOffer(call, sale, body) ?? on));
    },
    two: true,
    data: ({ call, on, sale, body }) => {
      const offer = agreedOffer(call, sale, body);
      return { amount: rupees(amountOf(offer ?? on)), payee_version: 1 };
    },
    effect: ({ world, sale }) => {
      addWinner(world, sale);
      moveVehicle(world, sale, 'sold');
      remindOfDue(world, sale);
    },
    otherwise: ({ world, sale }) => supersede(world, sale),
    news: 'sale.*',
    words: (_, { data }) => `is approved at INR ${String(data['amount'])}`,
  }),
  command({
    op: sales.acknowledge,
    approved: 'now',
    check: ({ on: { data }, body }) => {
      if (data['acknowledged_at'] !== null) {
        throw conflict(`The sale was acknowledged at ${String(data['acknowledged_at'])}.`);
      }
      if (body.terms_version !== data['terms_version']) {
        throw unfit('terms_version', 'These are not the terms of the sale.');
      }
    },
    data: ({ call }) => ({ acknowledged_at: isoTime(call.now()) }),
    news: 'sale.acknowledged',
    words: () => 'is acknowledged by its buyer',
  }),
  command({
    op: sales.offer,
    from: 'pending_bank_approval',
    future: 'valid_until',
    check: ({ sale }) => mustStand(sale),
    makes: 'offer',
    to: 'open',
    counts: 'on',
    effect: ({ world, flow, call, sale }, offer) => {
      flow.firstDecisions.delete(sale.id);
      supersede(world, sale, offer);
      world.clock.schedule(momentIn(offer.data, 'valid_until') - call.now(), () => {
        if (offer.state !== 'open') return;
        endOffer(world, offer, 'expired');
        flow.touch(sale);
      });
    },
    news: 'offer.made',
    words: (_, { data }) => `is made at INR ${String(data['amount'])}, until ${String(data['valid_until'])}`,
  }),
  command({
    op: offers.operations.respond,
    from: 'open',
    check: ({ on, sale, body, call }) => {
      // On a real clock the timer that ends it may come a moment late.
      if (momentIn(on.data, 'valid_until') <= call.now()) throw conflict('The offer has lapsed.');
      if (body.terms_version !== on.data['terms_version']) {
        throw unfit('terms_version', 'These are not the terms of the offer.');
      }
      if (body.decision === 'accepted') mustStand(sale);
    },
    // The reason of the record stays the bank's.
    data: ({ on }) => ({ reason: on.data['reason'] }),
    counts: 'sale',
    news: 'offer.*',
    words: (_, { state }) => `is ${state} by its buyer`,
  }),
  command({
    op: sales.requestCancellation,
    approved: 'now',
    check: ({ flow, sale }) => {
      if (pendingCancellation(flow, sale) !== undefined) {
        throw conflict('A request to cancel this sale waits for its decision.');
      }
    },
    makes: 'sale_cancellation',
    to: 'pending',
    counts: 'on',
    news: 'sale.cancellation_requested',
    words: ({ on }) => `asks to cancel sale ${on.id}`,
  }),
  command({
    op: saleCancellations.operations.decide,
    yes: 'approved',
    from: 'pending',
    held: 'cancellation',
    check: ({ flow, sale }) => {
      if (isDelivered(flow, sale)) {
        throw conflict('The vehicle is delivered: this takes an exception or dispute workflow.');
      }
    },
    counts: 'sale',
    effect: ({ world, sale }) => reverse(world, sale),
    news: 'sale.cancellation_*',
  }),
  command({ op: disputes.operations.create, makes: 'dispute', to: 'open', news: 'dispute.opened' }),
];

/** A bid is no workflow record; for a moment it takes the place of one. */
function bidAsTarget(call: Call): Rec {
  const bid = bidInPath(call);
  const { status, receivedAt } = bid;
  return {
    id: bid.id,
    kind: 'cancellation',
    owner: ownerOfBid(call.world.store, bid),
    state: status,
    version: 0,
    createdAt: receivedAt,
    updatedAt: receivedAt,
    data: {},
    bid,
  };
}

/** The bid that a cancellation is about. */
function bidOf({ bid, id }: Rec): Bid {
  if (bid === undefined) throw new Error(`${id} is about no bid`);
  return bid;
}

/** Once the bank has decided the sale of a bid, what can be asked for is the cancellation of the sale. */
function mustBeCancellable({ flow, store }: World, bid: Bid): void {
  const lot = lotOfBid(store, bid);
  if (!lot.accepted.includes(bid)) throw conflict('The bid is cancelled, or the one that superseded it is.');
  const sold = flow.salesOf(lot).find((each) => each.bid === bid && each.state !== 'pending_bank_approval');
  if (sold !== undefined)
    throw conflict(`The sale of this bid is ${sold.state}: what can be cancelled now is the sale.`);
}

/**
 * Takes a bid out of the standings. The bids that it superseded, its buyer's earlier ones, don't revive: they go too. A
 * bid that went with another one is out already.
 */
function takeOut({ store, clock }: World, bid: Bid): void {
  const lot = lotOfBid(store, bid);
  if (!lot.accepted.includes(bid)) return;
  const isLatest = latestOf(lot, bid.buyer) === bid;
  const left = lot.accepted.filter((each) => each !== bid && !(isLatest && each.buyer === bid.buyer));
  lot.accepted.splice(0, lot.accepted.length, ...left);
  lot.version += 1;
  touchLot(clock, lot);
}

/** Ends the active offer of a sale: another one, or the decision, has taken its place. */
function supersede(world: World, sale: Sale, by?: Rec): void {
  const earlier = world.flow
    .of('offer', sale)
    .find((each) => each !== by && (each.state === 'open' || each.state === 'accepted'));
  if (earlier !== undefined) endOffer(world, earlier, 'superseded');
}

function endOffer(world: World, offer: Rec, state: 'superseded' | 'expired'): void {
  offer.state = state;
  world.flow.touch(offer);
  announce(world, `offer.${state}`, offer, `is ${state}`);
}

/** The offer whose amount an approval makes final; undefined where nothing is negotiated. */
function agreedOffer(
  { world, now }: Call,
  sale: Sale,
  body: { readonly offer_id?: string | undefined; readonly terms_version?: unknown },
): Rec | undefined {
  const offer = activeOffer(world.flow, sale);
  if (offer === undefined) {
    if (body.offer_id !== undefined) throw unfit('offer_id', 'There is no active offer on this sale.');
    return undefined;
  }
  if (offer.state === 'open') throw conflict('The offer on this sale is not answered yet.');
  if (body.offer_id !== offer.id) {
    throw unfit('offer_id', 'This is not the offer that was accepted on the sale.');
  }
  if (momentIn(offer.data, 'valid_until') <= now()) throw conflict('The accepted offer has lapsed.');
  if (body.terms_version !== offer.data['terms_version']) {
    throw unfit('terms_version', "The terms are not the offer's.");
  }
  return offer;
}

/** A credential may have a limit of the bank on what it approves. */
function mustBeWithinLimit({ party }: Call, amount: bigint): void {
  const { approvalLimit } = party.facts;
  if (approvalLimit === null || amount <= paise(approvalLimit)) return;
  throw conflict(
    `INR ${rupees(amount)} are more than the INR ${approvalLimit} that this credential may approve.`,
  );
}

/** What a cancelled sale leaves to be done. What was approved and paid stays on record. */
function reverse(world: World, sale: Sale): void {
  const { flow } = world;
  sale.state = 'cancelled';
  for (const release of flow.of('release', sale)) {
    if (release.state === 'valid') moveRelease(world, release, 'revoked', 'The sale is cancelled.');
  }
  moveVehicle(world, sale, 'published');
  for (const payment of flow.of('payment')) {
    const parts = creditsTo(flow, payment, sale);
    if (parts.size > 0) askBack(world, payment, parts, 'The sale is cancelled.');
  }
}
