import { service } from '../../api/service.js';
import { isListed, latestOf } from '../auctions/catalogue.js';
import type { Call, OperationHandler } from '../http/call.js';
import { ensure, ensureFits } from '../http/replies.js';
import { paise, rupees } from '../money.js';
import {
  amountOf,
  type Bid,
  type Flow,
  momentIn,
  policyVersion,
  type Rec,
  type Sale,
  touchLot,
  type Vehicle,
} from '../records.js';
import { isoTime } from '../times.js';
import type { World } from '../world.js';
import { activeOffer, checksUnstated, command, mustBeApproved, pendingCancellation } from './engine.js';
import { creditsTo, duesOf, isAskedBack, isDelivered } from './funds.js';
import { addWinner, announce, moveVehicle, remindOfDue } from './news.js';
import { askBack } from './payments.js';

const { bidCancellations, bids, disputes, offers, releases, saleCancellations, saleCases } = service;

const sales = saleCases.operations;

/** Commands on a sale, from the cancellation of its bid to the transfer of the vehicle. */
export const saleCommands: readonly OperationHandler[] = [
  command({
    op: bids.operations.requestCancellation,
    check: ({ world, flow, on }) => {
      const bid = bidOf(on);
      ensure(bid.state === 'accepted', 'The bid cannot be cancelled: it was rejected.');
      const isAsked =
        checksUnstated(world) &&
        flow.of('cancellation').some((each) => each.bid === bid && each.state === 'pending');
      ensure(!isAsked, 'A request to cancel this bid is already pending. Wait for its decision.');
      ensure(
        bid.lot.accepted.includes(bid),
        'The bid is already cancelled, by itself or with a later bid that superseded it.',
      );
      mustBeCancellable(world, bid);
    },
    to: 'pending',
    data: ({ on }) => ({ bid_id: on.id, policy_version: policyVersion }),
    news: 'bid.cancellation_requested',
  }),
  command({
    op: bidCancellations.operations.decide,
    yes: 'approved',
    from: 'pending',
    check: ({ world, on }) => mustBeCancellable(world, bidOf(on)),
    effect: ({ world, flow, on }) => {
      const sale = saleOf(flow, bidOf(on));
      takeOut(world, bidOf(on));
      if (sale?.state !== 'approved') return;
      reverse(world, sale);
      flow.touch(sale);
    },
    news: 'bid.cancellation_*',
  }),
  command({
    op: sales.decide,
    yes: 'approved',
    from: 'pending_bank_approval',
    needs: ['bid_id', 'terms_version', 'due_at', 'payee_instructions'],
    future: 'due_at',
    check: ({ call, sale, body }) => {
      mustStand(sale);
      ensureFits(
        body.bid_id === sale.bid.id,
        'bid_id',
        'This is not the bid of the sale. Read the sale again.',
      );
      const amount = amountOf(agreedOffer(call, sale, body) ?? sale);
      const { approvalLimit: limit } = call.party.facts;
      const why = `INR ${rupees(amount)} exceeds the approval limit of this credential, INR ${limit}. Use another credential.`;
      ensure(limit === null || amount <= paise(limit), why);
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
  }),
  command({
    op: sales.acknowledge,
    approved: 'now',
    terms: true,
    check: ({ world, on }) => {
      const at = on.data['acknowledged_at'];
      ensure(at === null || !checksUnstated(world), `The sale is already acknowledged, at ${String(at)}.`);
    },
    data: ({ call }) => ({ acknowledged_at: isoTime(call.now()) }),
    news: 'sale.acknowledged',
  }),
  command({
    op: sales.offer,
    from: 'pending_bank_approval',
    future: 'valid_until',
    check: ({ sale }) => mustStand(sale),
    to: 'open',
    counts: 'on',
    effect: ({ world, flow, sale }, offer) => {
      flow.firstDecisions.delete(sale.id);
      supersede(world, sale, offer);
      endAt(world, offer, 'valid_until');
    },
    news: 'offer.made',
  }),
  command({
    op: offers.operations.respond,
    from: 'open',
    terms: true,
    check: ({ sale, body }) => {
      if (body.decision === 'accepted') mustStand(sale);
    },
    // Keep the bank's reason in the record.
    data: ({ on }) => ({ reason: on.data['reason'] }),
    counts: 'sale',
    news: 'offer.*',
  }),
  command({
    op: sales.requestCancellation,
    approved: 'now',
    check: ({ world, flow, sale }) => {
      const isAsked = checksUnstated(world) && pendingCancellation(flow, sale) !== undefined;
      ensure(!isAsked, 'A request to cancel this sale is already pending. Wait for its decision.');
    },
    to: 'pending',
    counts: 'on',
    news: 'sale.cancellation_requested',
  }),
  command({
    op: saleCancellations.operations.decide,
    yes: 'approved',
    from: 'pending',
    check: ({ flow, sale }) => {
      const why =
        'The sale cannot be cancelled: the vehicle is delivered. Use the exception or dispute workflow.';
      ensure(!isDelivered(flow, sale), why);
      mustBeApproved(sale);
    },
    counts: 'sale',
    effect: ({ world, sale }) => reverse(world, sale),
    news: 'sale.cancellation_*',
  }),
  command({ op: disputes.operations.create, to: 'open', news: 'dispute.opened' }),
  command({
    op: sales.authorizeRelease,
    approved: 'now',
    freezable: 'release',
    future: 'expires_at',
    check: ({ flow, sale }) => {
      ensure(
        sale.data['acknowledged_at'] !== null,
        'The vehicle cannot be released: the buyer has not acknowledged the sale.',
      );
      mustBePaid(flow, sale);
      const states = flow.of('release', sale).map(({ state }) => state);
      ensure(!states.includes('used'), 'The vehicle is already collected.');
      ensure(!states.includes('valid'), 'The vehicle is already released. Revoke that release first.');
    },
    to: 'valid',
    counts: 'on',
    effect: ({ world }, release) => endAt(world, release, 'expires_at'),
    news: 'release.authorized',
  }),
  command({
    op: releases.operations.revoke,
    from: 'valid',
    to: 'revoked',
    counts: 'lot',
    effect: ({ world, sale }) => moveVehicle(world, sale, 'sold'),
    news: 'release.revoked',
  }),
  command({
    op: releases.operations.collect,
    from: 'valid',
    freezable: 'collection',
    check: ({ flow, sale, body }) => {
      mustBePaid(flow, sale);
      const why = 'The identity is neither the registration number nor the chassis number of the vehicle.';
      ensureFits(identifies(body.vehicle_identity, sale.lot.vehicle), 'vehicle_identity', why);
    },
    to: 'used',
    counts: 'lot',
    effect: ({ world, sale }) => moveVehicle(world, sale, 'collected'),
    news: 'vehicle.collected',
  }),
  command({
    op: sales.updateTransfer,
    approved: 'now',
    freezable: 'transfer',
    past: 'occurred_at',
    check: ({ flow, sale, body: { status } }) => {
      const state = flow.of('transfer', sale).at(-1)?.state;
      ensure(state !== 'completed' && state !== 'rejected', `The transfer is already ${state}.`);
      const states = ['submitted', 'pending_documents', 'completed', 'rejected'];
      ensureFits(states.includes(status), 'status', `The status is unknown. Use ${states.join(', ')}.`);
    },
    counts: 'on',
    data: () => ({ verification: 'operator_reported', government_verified: false }),
    news: 'transfer.updated',
  }),
];

/** The bid of a bid record or of a cancellation. */
function bidOf({ bid, id }: Rec): Bid {
  if (bid === undefined) throw new Error(`${id} has no bid`);
  return bid;
}

function saleOf(flow: Flow, bid: Bid): Sale | undefined {
  return flow.salesOf(bid.lot).find((each) => each.bid === bid);
}

/**
 * After the bank's decision on a sale, the sale is cancelled instead of its bid. If unstated checks are passed, the
 * bid of an undelivered sale takes the sale with it.
 */
function mustBeCancellable(world: World, bid: Bid): void {
  const sale = saleOf(world.flow, bid);
  if (sale === undefined || sale.state === 'pending_bank_approval') return;
  const why = `The bid cannot be cancelled: its sale is ${sale.state}. Cancel the sale instead.`;
  ensure(!checksUnstated(world), why);
  ensure(!isDelivered(world.flow, sale), 'The bid cannot be cancelled: the vehicle is delivered.');
}

/**
 * Removes a cancelled bid and the buyer's earlier bids that it superseded. Does nothing if the bid was already
 * removed with another one.
 */
function takeOut({ clock }: World, bid: Bid): void {
  const { lot } = bid;
  if (!lot.accepted.includes(bid)) return;
  const isLatest = latestOf(lot, bid.buyer) === bid;
  const left = lot.accepted.filter((each) => each !== bid && !(isLatest && each.buyer === bid.buyer));
  lot.accepted.splice(0, lot.accepted.length, ...left);
  lot.version += 1;
  touchLot(clock, lot);
}

/** Requires that the bid of a sale still counts and that its vehicle is still available. */
function mustStand({ lot, bid }: Sale): void {
  ensure(lot.accepted.includes(bid), 'The bid of this sale is cancelled.');
  ensure(isListed(lot) && !lot.auction.cancelled, 'The vehicle of this sale is no longer available.');
}

/** Requires a valid, fully paid sale without a pending refund request. */
function mustBePaid(flow: Flow, sale: Sale): void {
  mustStand(sale);
  const { remaining } = duesOf(flow, sale);
  ensure(
    remaining === 0n,
    `INR ${rupees(remaining)} of the sale is not paid. Allocate verified money first.`,
  );
  const why = 'A refund for this sale is pending. Decide it first.';
  ensure(!isAskedBack(flow, sale), why);
}

/** Ends the active offer of a sale when another offer or a decision replaces it. */
function supersede(world: World, sale: Sale, by?: Rec): void {
  const earlier = activeOffer(world.flow, sale, by);
  if (earlier !== undefined) end(world, earlier, 'superseded');
}

/** Schedules the expiry of an offer or release. Does nothing if its state changed before. */
function endAt(world: World, record: Rec, field: 'valid_until' | 'expires_at'): void {
  const { state, kind, sale } = record;
  world.clock.schedule(momentIn(record.data, field) - world.clock.now(), () => {
    if (record.state !== state) return;
    end(world, record, 'expired');
    if (kind === 'offer' && sale !== undefined) world.flow.touch(sale);
  });
}

/** Ends an offer or an unused release. */
function end(world: World, record: Rec, state: 'superseded' | 'expired' | 'revoked'): void {
  const { kind, sale } = record;
  record.state = state;
  world.flow.touch(record);
  if (kind === 'release' && sale !== undefined) {
    touchLot(world.clock, sale.lot);
    moveVehicle(world, sale, 'sold');
  }
  announce(world, `${kind}.${state}`, record);
}

/** The accepted offer that an approval confirms; undefined without an offer. */
function agreedOffer(
  { world, now }: Call,
  sale: Sale,
  { offer_id, terms_version }: { readonly offer_id?: unknown; readonly terms_version?: unknown },
): Rec | undefined {
  const offer = activeOffer(world.flow, sale);
  if (offer === undefined) {
    ensureFits(offer_id === undefined, 'offer_id', 'The sale has no active offer. Omit offer_id.');
    return undefined;
  }
  ensure(
    offer.state === 'accepted',
    'The sale cannot be approved: its offer is unanswered. Wait for the response.',
  );
  ensureFits(offer_id === offer.id, 'offer_id', 'This is not the accepted offer of the sale. Send its id.');
  ensure(momentIn(offer.data, 'valid_until') > now(), 'The accepted offer has expired. Make another one.');
  const isSame = terms_version === offer.data['terms_version'];
  ensureFits(isSame, 'terms_version', 'The terms version is not that of the accepted offer.');
  return offer;
}

/**
 * Reverses a cancelled sale: revokes releases, republishes the vehicle and requests refunds. Records of approval
 * and payment stay.
 */
function reverse(world: World, sale: Sale): void {
  const { flow } = world;
  sale.state = 'cancelled';
  for (const release of flow.of('release', sale)) {
    if (release.state !== 'valid') continue;
    release.data['reason'] = 'The sale is cancelled.';
    end(world, release, 'revoked');
  }
  moveVehicle(world, sale, 'published');
  for (const payment of flow.of('payment')) {
    const parts = creditsTo(flow, payment, sale);
    if (parts.size > 0) askBack(world, payment, parts, 'The sale is cancelled.');
  }
}

/**
 * Whether a text, or a value of an object, is the vehicle's registration or chassis number. Ignores spaces and
 * case.
 */
function identifies(identity: string | Readonly<Record<string, unknown>>, vehicle: Vehicle): boolean {
  const numbers = [vehicle.details.registration_number, vehicle.bankFields['Chassis Number']].map(plain);
  const given = typeof identity === 'string' ? [identity] : Object.values(identity);
  return given.map(plain).some((text) => text !== '' && numbers.includes(text));
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value.replace(/\s/g, '').toLowerCase() : '';
}
