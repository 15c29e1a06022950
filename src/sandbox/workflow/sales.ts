import { bidCancellations } from '../../api/bid-cancellations.js';
import { bids } from '../../api/bids.js';
import { disputes } from '../../api/disputes.js';
import { offers } from '../../api/offers.js';
import { releases } from '../../api/releases.js';
import { saleCancellations } from '../../api/sale-cancellations.js';
import { saleCases } from '../../api/sale-cases.js';
import { bidInPath } from '../auctions/bidding.js';
import { isListed } from '../auctions/catalogue.js';
import { latestOf } from '../auctions/standings.js';
import { type Bid, touchLot, type Vehicle } from '../auctions/store.js';
import type { Answered, Call } from '../http/call.js';
import { paise, rupees } from '../money.js';
import { isoTime } from '../times.js';
import type { World } from '../world.js';
import { activeOffer, type Command, command, pendingCancellation } from './engine.js';
import { creditsTo, duesOf, isAskedBack, isDelivered } from './funds.js';
import { addWinner, announce, moveVehicle, remindOfDue } from './news.js';
import { askBack } from './payments.js';
import {
  amountOf,
  ensure,
  ensureFits,
  type Flow,
  lotOfBid,
  momentIn,
  ownerOfBid,
  policyVersion,
  type Rec,
  type Sale,
} from './records.js';

const sales = saleCases.operations;

/** What a sale goes through, from the cancellation of its bid to the transfer of the vehicle. */
export const saleCommands: readonly Answered[] = [
  command({
    op: bids.operations.requestCancellation,
    target: bidAsTarget,
    check: ({ world, flow, on }) => {
      const bid = bidOf(on);
      ensure(bid.status === 'accepted', 'The bid was rejected: there is nothing to cancel.');
      const isAsked = flow.of('cancellation').some((each) => each.bid === bid && each.state === 'pending');
      ensure(!isAsked, 'A request to cancel this bid waits for its decision.');
      mustBeCancellable(world, bid);
    },
    to: 'pending',
    data: ({ on }) => ({ bid_id: on.id, policy_version: policyVersion }),
    links: ({ on, world }) => ({ bid: bidOf(on), lot: lotOfBid(world.store, bidOf(on)) }),
    news: 'bid.cancellation_requested',
    words: ({ on }) => `asks to cancel bid ${on.id}`,
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
    check: ({ call, sale, body }) => {
      mustStand(sale);
      ensureFits(body.bid_id === sale.bid.id, 'bid_id', 'This is not the bid that the sale is about.');
      mustBeWithinLimit(call, amountOf(agreedOffer(call, sale, body) ?? sale));
    },
    two: true,
    data: ({ call, sale, body }) => {
      const amount = rupees(amountOf(agreedOffer(call, sale, body) ?? sale));
      return { amount, payee_version: 1 };
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
      const { acknowledged_at, terms_version } = data;
      ensure(acknowledged_at === null, `The sale was acknowledged at ${String(acknowledged_at)}.`);
      const isSame = body.terms_version === terms_version;
      ensureFits(isSame, 'terms_version', 'These are not the terms of the sale.');
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
    check: ({ on: { data }, sale, body, call }) => {
      // On a real clock the timer that ends it may come a moment late.
      ensure(momentIn(data, 'valid_until') > call.now(), 'The offer has lapsed.');
      const isSame = body.terms_version === data['terms_version'];
      ensureFits(isSame, 'terms_version', 'These are not the terms of the offer.');
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
      const isAsked = pendingCancellation(flow, sale) !== undefined;
      ensure(!isAsked, 'A request to cancel this sale waits for its decision.');
    },
    to: 'pending',
    counts: 'on',
    news: 'sale.cancellation_requested',
    words: ({ on }) => `asks to cancel sale ${on.id}`,
  }),
  command({
    op: saleCancellations.operations.decide,
    yes: 'approved',
    from: 'pending',
    check: ({ flow, sale }) => {
      const why = 'The vehicle is delivered: this takes an exception or dispute workflow.';
      ensure(!isDelivered(flow, sale), why);
    },
    counts: 'sale',
    effect: ({ world, sale }) => reverse(world, sale),
    news: 'sale.cancellation_*',
  }),
  command({ op: disputes.operations.create, to: 'open', news: 'dispute.opened' }),
  command({
    op: sales.authorizeRelease,
    approved: 'now',
    held: 'release',
    future: 'expires_at',
    check: ({ flow, sale }) => {
      ensure(sale.data['acknowledged_at'] !== null, 'The buyer has not acknowledged the sale yet.');
      mustBePaid(flow, sale);
      const states = flow.of('release', sale).map(({ state }) => state);
      ensure(!states.includes('used'), 'The vehicle is collected already.');
      ensure(!states.includes('valid'), 'The vehicle is released already.');
    },
    to: 'valid',
    counts: 'on',
    effect: ({ world, call, body }, release) =>
      void world.clock.schedule(Date.parse(body.expires_at) - call.now(), () => {
        if (release.state === 'valid') endRelease(world, release, 'expired');
      }),
    news: 'release.authorized',
    words: ({ on }, { data }) => `of sale ${on.id} may be collected until ${String(data['expires_at'])}`,
  }),
  command({
    op: releases.operations.revoke,
    from: 'valid',
    check: mustNotHaveLapsed,
    to: 'revoked',
    counts: 'lot',
    effect: ({ world, sale }) => moveVehicle(world, sale, 'sold'),
    news: 'release.revoked',
  }),
  command({
    op: releases.operations.collect,
    from: 'valid',
    held: 'collection',
    check: (given) => {
      const { flow, sale, body } = given;
      mustNotHaveLapsed(given);
      mustBePaid(flow, sale);
      const why = 'Neither the registration nor the chassis number of the vehicle.';
      ensureFits(identifies(body.vehicle_identity, sale.lot.vehicle), 'vehicle_identity', why);
    },
    to: 'used',
    counts: 'lot',
    effect: ({ world, sale }) => moveVehicle(world, sale, 'collected'),
    news: 'vehicle.collected',
    words: ({ sale }) => `is used: the vehicle of sale ${sale.id} is collected`,
  }),
  command({
    op: sales.updateTransfer,
    approved: 'now',
    held: 'transfer',
    past: 'occurred_at',
    check: ({ flow, sale, body: { status } }) => {
      const state = flow.of('transfer', sale).at(-1)?.state;
      ensure(state !== 'completed' && state !== 'rejected', `The transfer is ${state} already.`);
      const states = ['submitted', 'pending_documents', 'completed', 'rejected'];
      ensureFits(states.includes(status), 'status', `The status is one of ${states.join(', ')}.`);
    },
    counts: 'on',
    data: () => ({ verification: 'operator_reported', government_verified: false }),
    news: 'transfer.updated',
    words: ({ on }, { state }) => `of sale ${on.id} is reported ${state}`,
  }),
];

/** A bid is no workflow record; for a moment it takes the place of one. */
function bidAsTarget(call: Call): Rec {
  const bid = bidInPath(call);
  const { id, status: state, receivedAt: at } = bid;
  const owner = ownerOfBid(call.world.store, bid);
  return { id, kind: 'bid', owner, state, version: 0, createdAt: at, updatedAt: at, data: {}, bid };
}

/** The bid that a cancellation is about. */
function bidOf({ bid, id }: Rec): Bid {
  if (bid === undefined) throw new Error(`${id} is about no bid`);
  return bid;
}

/** Once the bank has decided the sale of a bid, what can be asked for is the cancellation of the sale. */
function mustBeCancellable({ flow, store }: World, bid: Bid): void {
  const lot = lotOfBid(store, bid);
  ensure(lot.accepted.includes(bid), 'The bid is cancelled, or the one that superseded it is.');
  const sold = flow.salesOf(lot).find((each) => each.bid === bid && each.state !== 'pending_bank_approval');
  const why = `The sale of this bid is ${sold?.state}: what can be cancelled now is the sale.`;
  ensure(sold === undefined, why);
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

/** An award rests on a bid that still counts and on a vehicle that is still available. */
function mustStand({ lot, auction, bid }: Sale): void {
  ensure(lot.accepted.includes(bid), 'The bid of this sale is cancelled.');
  ensure(isListed(lot) && !auction.cancelled, 'The vehicle of this sale is not available any more.');
}

/** A vehicle leaves for a sale that stands, is paid in full, and of which nothing is asked back. */
function mustBePaid(flow: Flow, sale: Sale): void {
  mustStand(sale);
  const { remaining } = duesOf(flow, sale);
  ensure(remaining === 0n, `INR ${rupees(remaining)} of the sale are not paid and allocated yet.`);
  const why = 'Money of the sale is asked back, and the bank has not decided that yet.';
  ensure(!isAskedBack(flow, sale), why);
}

/** Ends the active offer of a sale: another one, or the decision, has taken its place. */
function supersede(world: World, sale: Sale, by?: Rec): void {
  const earlier = activeOffer(world.flow, sale, by);
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
  { offer_id, terms_version }: { readonly offer_id?: unknown; readonly terms_version?: unknown },
): Rec | undefined {
  const offer = activeOffer(world.flow, sale);
  if (offer === undefined) {
    ensureFits(offer_id === undefined, 'offer_id', 'There is no active offer on this sale.');
    return undefined;
  }
  ensure(offer.state === 'accepted', 'The offer on this sale is not answered yet.');
  ensureFits(offer_id === offer.id, 'offer_id', 'This is not the offer that was accepted on the sale.');
  ensure(momentIn(offer.data, 'valid_until') > now(), 'The accepted offer has lapsed.');
  const isSame = terms_version === offer.data['terms_version'];
  ensureFits(isSame, 'terms_version', "The terms are not the offer's.");
  return offer;
}

/** A credential may have a limit of the bank on what it approves. */
function mustBeWithinLimit({ party }: Call, amount: bigint): void {
  const { approvalLimit: limit } = party.facts;
  const why = `INR ${rupees(amount)} are more than the INR ${limit} that this credential may approve.`;
  ensure(limit === null || amount <= paise(limit), why);
}

/** What a cancelled sale leaves to be done. What was approved and paid stays on record. */
function reverse(world: World, sale: Sale): void {
  const { flow } = world;
  sale.state = 'cancelled';
  for (const release of flow.of('release', sale)) {
    if (release.state === 'valid') endRelease(world, release, 'revoked', 'The sale is cancelled.');
  }
  moveVehicle(world, sale, 'published');
  for (const payment of flow.of('payment')) {
    const parts = creditsTo(flow, payment, sale);
    if (parts.size > 0) askBack(world, payment, parts, 'The sale is cancelled.');
  }
}

/** Ends a release that nobody used, by time or with its sale. */
function endRelease(world: World, release: Rec, state: 'revoked' | 'expired', reason?: string): void {
  const { sale } = release;
  release.state = state;
  if (reason !== undefined) release.data['reason'] = reason;
  world.flow.touch(release);
  if (sale !== undefined) {
    touchLot(world.clock, sale.lot);
    moveVehicle(world, sale, 'sold');
  }
  announce(world, `release.${state}`, release, `is ${state}`);
}

/** On a real clock the timer that ends it may come a moment late. */
function mustNotHaveLapsed({ on, call }: Command<unknown>): void {
  ensure(momentIn(on.data, 'expires_at') > call.now(), 'The release has lapsed.');
}

/** Whether a text, or one value of an object, is a number of the vehicle; spaces and case don't count. */
function identifies(identity: string | Readonly<Record<string, unknown>>, vehicle: Vehicle): boolean {
  const numbers = [vehicle.details.registration_number, vehicle.bankFields['Chassis Number']].map(plain);
  const given = typeof identity === 'string' ? [identity] : Object.values(identity);
  return given.map(plain).some((text) => text !== '' && numbers.includes(text));
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s/g, '').toLowerCase() : '';
}
