import { bidCancellations } from '../../api/bid-cancellations.js';
import { bids } from '../../api/bids.js';
import { type Call, type Handler, param } from '../call.js';
import { workflowPage } from '../pages.js';
import type { Reply } from '../replies.js';
import { latestOf } from '../standings.js';
import type { Bid, Lot } from '../store.js';
import { checkedQuery } from '../validation.js';
import { bidInPath, lotOf, ownerOf } from '../workflow/bid-access.js';
import { find, own } from '../workflow/cases.js';
import { fresh, touch, touchLot } from '../workflow/changes.js';
import { carryOutOnce, conflict, expectVersion, unfit } from '../workflow/commands.js';
import type { Cancellation } from '../workflow/entities.js';
import { announce } from '../workflow/notices.js';
import { cancellationView } from '../workflow/views.js';
import type { World } from '../world.js';

const { operations } = bidCancellations;

/** A07 to A09: asking for the cancellation of a bid, and the bank's decision. */
export const bidCancellationHandlers: Readonly<Record<string, Handler>> = {
  [bids.operations.requestCancellation.id]: request,
  [operations.list.id]: list,
  [operations.decide.id]: decide,
};

/** The bid counts on until the bank decides. */
function request(call: Call): Reply {
  return carryOutOnce(call, bids.operations.requestCancellation.body, (body) => {
    const { world } = call;
    const bid = bidInPath(call);
    if (bid.status !== 'accepted') throw conflict('The bid was rejected: there is nothing to cancel.');
    const lot = lotOf(world, bid);
    const requests = [...world.cases.cancellations.values()].filter((each) => each.bid === bid);
    if (requests.some(({ state }) => state === 'pending')) {
      throw conflict('A request to cancel this bid waits for its decision.');
    }
    mustBeCancellable(world, lot, bid);
    const cancellation: Cancellation = {
      ...fresh(world, 'cxl', 'cancellation', 'pending', ownerOf(world, bid)),
      bid,
      reasonCode: body.reason_code,
      explanation: body.explanation,
      decided: undefined,
    };
    world.cases.cancellations.set(cancellation.id, cancellation);
    announce(
      world,
      'bid.cancellation_requested',
      cancellation,
      `Request ${cancellation.id} asks to cancel bid ${bid.id} on ${lot.vehicle.title}`,
    );
    return { ...committed(cancellation), lotId: lot.id };
  });
}

function list(call: Call): Reply {
  const query = checkedQuery(operations.list.query, call.query);
  return workflowPage(
    call,
    own(call.party, call.world.cases.cancellations),
    query.page ?? 1,
    cancellationView,
  );
}

/** An approval moves the standings at once. Awards stay as they are: whether one still holds is seen at its own decision. */
function decide(call: Call): Reply {
  return carryOutOnce(call, operations.decide.body, (body) => {
    const { world } = call;
    const cancellation = find(call.party, world.cases.cancellations, param(call, 'request'));
    expectVersion(cancellation, body.expected_version);
    if (body.decision !== 'approved')
      throw unfit('decision', 'This sandbox knows the decision approved only.');
    if (cancellation.state !== 'pending') throw conflict('The request is decided already.');
    const { bid } = cancellation;
    const lot = lotOf(world, bid);
    mustBeCancellable(world, lot, bid);
    takeOut(lot, bid);
    lot.version += 1;
    touchLot(world, lot);
    cancellation.state = 'approved';
    cancellation.decided = { decision: body.decision, reason: body.reason ?? null };
    touch(world, cancellation);
    announce(
      world,
      'bid.cancellation_approved',
      cancellation,
      `Request ${cancellation.id} is approved: bid ${bid.id} on ${lot.vehicle.title} is cancelled`,
    );
    return { ...committed(cancellation), lotId: lot.id };
  });
}

function mustBeCancellable({ cases }: World, lot: Lot, bid: Bid): void {
  if (!lot.accepted.includes(bid)) throw conflict('The bid is cancelled, or the one that superseded it is.');
  const sales = [...cases.sales.values()].filter((sale) => sale.bid === bid);
  if (sales.some(({ state }) => state === 'approved')) {
    throw conflict('The sale of this bid is approved: what can be cancelled now is the sale.');
  }
}

/** Takes a bid out of the standings. The bids that it superseded, its buyer's earlier ones, don't revive: they go too. */
function takeOut(lot: Lot, bid: Bid): void {
  const isLatest = latestOf(lot, bid.buyer) === bid;
  const left = lot.accepted.filter((each) => each !== bid && !(isLatest && each.buyer === bid.buyer));
  lot.accepted.splice(0, lot.accepted.length, ...left);
}

function committed(cancellation: Cancellation) {
  return { record: cancellation, view: cancellationView(cancellation), bidId: cancellation.bid.id };
}
