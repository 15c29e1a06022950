import { bidCancellations } from '../../api/bid-cancellations.js';
import { bids } from '../../api/bids.js';
import { filledText } from '../../api/common.js';
import { type Call, type Handler, param } from '../call.js';
import { workflowPage } from '../pages.js';
import type { Reply } from '../replies.js';
import { latestOf } from '../standings.js';
import type { Bid, Lot } from '../store.js';
import { checkedQuery } from '../validation.js';
import { awardAnew } from '../workflow/awards.js';
import { bidInPath, lotOf, ownerOf } from '../workflow/bid-access.js';
import { find, mayHave, own } from '../workflow/cases.js';
import { fresh, touch, touchLot } from '../workflow/changes.js';
import { mustBeReasonCode } from '../workflow/command-values.js';
import { carryOutOnce, conflict, expectVersion, unfit } from '../workflow/commands.js';
import type { Cancellation } from '../workflow/entities.js';
import { announce } from '../workflow/notices.js';
import { saysYes } from '../workflow/verdict.js';
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
  const { variants } = call.world.settings;
  const { body: plain } = bids.operations.requestCancellation;
  const schema = variants['bid-cancellation-evidence'] === 'refused' ? plain : plain.extend(evidence);
  return carryOutOnce(call, schema, (body) => {
    const { world } = call;
    const bid = bidInPath(call);
    if ('evidence_id' in body) mustBeReady(call, body.evidence_id);
    mustBeReasonCode(world, body.reason_code);
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
  const { page, bid_id, lot_id, status } = listQuery(call);
  const found = own(call.party, call.world.cases.cancellations).filter(
    ({ bid, state }) =>
      (bid_id ?? bid.id) === bid.id && (lot_id ?? bid.lotId) === bid.lotId && (status ?? state) === state,
  );
  return workflowPage(call, found, page ?? 1, cancellationView);
}

/** Filters are described, but not named (unknowns: `bid-cancellation-filters`). */
function listQuery({ world, query }: Call): Partial<Record<keyof typeof filters, string | undefined>> & {
  readonly page?: number | undefined;
} {
  const { query: plain } = operations.list;
  return world.settings.variants['bid-cancellation-filters'] === 'refused'
    ? checkedQuery(plain, query)
    : checkedQuery(plain.extend(filters), query);
}

/** An approval moves the standings at once. Whether an award still holds is seen at its own decision. */
function decide(call: Call): Reply {
  return carryOutOnce(call, operations.decide.body, (body) => {
    const { world } = call;
    const cancellation = find(call.party, world.cases.cancellations, param(call, 'request'));
    expectVersion(cancellation, body.expected_version);
    const yes = saysYes(world, body.decision, 'approved');
    if (cancellation.state !== 'pending') throw conflict('The request is decided already.');
    const { bid } = cancellation;
    const lot = lotOf(world, bid);
    if (yes) {
      mustBeCancellable(world, lot, bid);
      takeOut(lot, bid);
      lot.version += 1;
      touchLot(world, lot);
    }
    cancellation.state = yes ? 'approved' : 'rejected';
    cancellation.decided = { decision: body.decision, reason: body.reason ?? null };
    touch(world, cancellation);
    announce(
      world,
      `bid.cancellation_${cancellation.state}`,
      cancellation,
      `Request ${cancellation.id} is ${cancellation.state}: bid ${bid.id} on ${lot.vehicle.title} ${
        yes ? 'is cancelled' : 'counts on'
      }`,
    );
    if (yes) awardAnew(world, lot, bid);
    return { ...committed(cancellation), lotId: lot.id };
  });
}

/** Any scanned document of the caller's is evidence about a bid, which has no sale yet. */
function mustBeReady({ world, party }: Call, id: unknown): void {
  if (id === undefined) return;
  const document = world.cases.documents.get(String(id));
  if (document?.state === 'ready' && mayHave(party, document.owner)) return;
  throw unfit('evidence_id', 'This is no document of yours that is ready.');
}

function mustBeCancellable({ cases }: World, lot: Lot, bid: Bid): void {
  if (!lot.accepted.includes(bid)) throw conflict('The bid is cancelled, or the one that superseded it is.');
  for (const sale of cases.sales.values()) {
    if (sale.bid !== bid || sale.state === 'pending_bank_approval') continue;
    if (sale.cancelled) throw conflict('The sale of this bid is cancelled.');
    if (sale.state === 'rejected') throw conflict('The sale of this bid is rejected.');
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

/** Plausible names, for where the text names none. */
const evidence = { evidence_id: filledText.optional() };
const filters = {
  bid_id: filledText.optional(),
  lot_id: filledText.optional(),
  status: filledText.optional(),
};
