import { bidCancellations } from '../../api/bid-cancellations.js';
import { bids } from '../../api/bids.js';
import { disputes } from '../../api/disputes.js';
import { offers } from '../../api/offers.js';
import { releases } from '../../api/releases.js';
import { saleCancellations } from '../../api/sale-cancellations.js';
import { saleCases } from '../../api/sale-cases.js';
import { bidInPath } from '../auctions/bid-operations.js';
import { policyVersion } from '../auctions/integration.js';
import { latestOf } from '../auctions/standings.js';
import { type Bid, touchLot, type Vehicle } from '../auctions/store.js';
import type { Answered, Call } from '../http/call.js';
import { paise, rupees } from '../money.js';
import { isoTime } from '../times.js';
import type { World } from '../world.js';
import { activeOffer, type Command, command, mustBePaid, mustStand, pendingCancellation } from './engine.js';
import { creditsTo, isDelivered } from './funds.js';
import { addWinner, announce, moveVehicle, remindOfDue } from './news.js';
import { askBack } from './payments.js';
import { amountOf, conflict, lotOfBid, momentIn, ownerOfBid, type Rec, type Sale, unfit } from './records.js';

const sales = saleCases.operations;

/** What a sale goes through, from the cancellation of its bid to the transfer of the vehicle. */
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
  command({
    op: sales.authorizeRelease,
    approved: 'now',
    held: 'release',
    future: 'expires_at',
    check: ({ flow, sale }) => {
      if (sale.data['acknowledged_at'] === null)
        throw conflict('The buyer has not acknowledged the sale yet.');
      mustBePaid(flow, sale);
      for (const { state } of flow.of('release', sale)) {
        if (state === 'used') throw conflict('The vehicle is collected already.');
        if (state === 'valid') throw conflict('The vehicle is released already.');
      }
    },
    makes: 'release',
    to: 'valid',
    counts: 'on',
    effect: ({ world, call, body }, release) =>
      void world.clock.schedule(Date.parse(body.expires_at) - call.now(), () => {
        if (release.state === 'valid') moveRelease(world, release, 'expired');
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
      if (!identifies(body.vehicle_identity, sale.lot.vehicle)) {
        throw unfit('vehicle_identity', 'Neither the registration nor the chassis number of the vehicle.');
      }
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
    check: ({ flow, sale, body }) => {
      const state = flow.of('transfer', sale).at(-1)?.state;
      if (state === 'completed' || state === 'rejected') throw conflict(`The transfer is ${state} already.`);
      if (!transferStates.includes(body.status)) {
        throw unfit('status', `The status is one of ${transferStates.join(', ')}.`);
      }
    },
    makes: 'transfer',
    counts: 'on',
    data: () => ({ verification: 'operator_reported', government_verified: false }),
    news: 'transfer.updated',
    words: ({ on }, { state }) => `of sale ${on.id} is reported ${state}`,
  }),
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

/** Ends a release that nobody used, by time or with its sale. */
function moveRelease(world: World, release: Rec, state: 'revoked' | 'expired', reason?: string): void {
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
  if (momentIn(on.data, 'expires_at') <= call.now()) throw conflict('The release has lapsed.');
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

const transferStates = ['submitted', 'pending_documents', 'completed', 'rejected'];
