import type { Code } from '../../api/codes.js';
import { API_PREFIX, uuid } from '../../api/common.js';
import { service } from '../../api/service.js';
import { type Answered, type Call, param } from '../http/call.js';
import { bodyOf, keyed, queryOf } from '../http/checks.js';
import { bidEnvelope, ensureFits, notFound, ok, paged, type Reply, refusal } from '../http/replies.js';
import type { JsonBody } from '../http/wire.js';
import { paise, rupees } from '../money.js';
import type { Party } from '../parties.js';
import { type Bid, type Data, type Lot, momentIn, touchLot } from '../records.js';
import { isoInIndia, isoTime, type Moment, offsetlessTime, unixMs } from '../times.js';
import type { World } from '../world.js';
import {
  bidderStatus,
  buyerOf,
  channelStatus,
  isAssigned,
  isListed,
  latestOf,
  leader,
  statusAt,
  visibleHighest,
  visibleLot,
} from './catalogue.js';
import { extendForLateBid } from './schedule.js';

const { submit, list, get, lookup } = service.bids.operations;
const { check } = service.eligibility.operations;

/** Who would bid on what; without an amount as long as there is none. */
export interface Interest {
  readonly party: Party;
  readonly lot: Lot;
  /** The dealer that a bid names; null where there is none to name. */
  readonly dealerId: string | null;
  readonly bidderReference: string | undefined;
  readonly buyer: string | undefined;
  /** Integer paise. */
  readonly amount?: bigint | undefined;
}

/** What is offered, by whom. */
export type ProposedBid = Interest & { readonly amount: bigint };

export function interestIn(
  party: Party,
  lot: Lot,
  bidderReference?: string,
  dealerId = party.facts.dealerId,
): Interest {
  return { party, lot, dealerId, bidderReference, buyer: buyerOf(party, bidderReference) };
}

/** Codes that keep a caller from bidding here at all: 403, and nothing is recorded. `now`: Unix milliseconds. */
export function accessCodes({ party, lot, dealerId }: Interest, now: number): Code[] {
  const { facts } = party;
  if (lot.auction.bankId !== party.bankId) return ['BANK_ACCESS_DENIED'];
  return failing({
    AUCTION_ACCESS_DENIED: !isAssigned(lot.auction, party),
    BUYER_NOT_ELIGIBLE: dealerId === null || facts.dealerId !== dealerId,
    BUYER_LIMIT_EXPIRED: facts.limitUntil !== null && now >= unixMs(facts.limitUntil),
    EMD_EXPIRED: facts.emdUntil !== null && now >= unixMs(facts.emdUntil),
  });
}

/**
 * Every rule that a bid breaks: 422, and the rejection is recorded. Without an amount, those that a bid of any amount
 * would break. `receivedAt`: Unix milliseconds.
 */
export function brokenRules(offer: Interest, receivedAt: number): Code[] {
  const { party, lot, amount } = offer;
  const { auction } = lot;
  const { facts } = party;
  const isDirect = party.partnerType === 'direct_dealer';
  // A clock that is behind finds an auction live that is over: what is awarded takes no bids, whatever the time.
  const isOpen = !auction.awarded && !auction.cancelled && isListed(lot);
  const live = isOpen && statusAt(auction, receivedAt) === 'live';
  const approved = facts.kycStatus === 'approved' && facts.emdStatus === 'approved' && !facts.blocked;
  return failing({
    BIDDER_REFERENCE_REQUIRED: !isDirect && offer.bidderReference === undefined,
    DIRECT_DEALER_IDENTITY_REQUIRED: isDirect && offer.bidderReference !== undefined,
    DEALER_NOT_FOUND: !facts.dealerExists,
    RESOURCE_NOT_GRANTED: !facts.resourceGranted,
    CHANNEL_NOT_GRANTED: !facts.channelGranted,
    BUYER_NOT_ENTITLED_TO_CLIENT: !facts.buyerEntitled,
    LOT_NOT_LIVE: !live,
    DEALER_NOT_ELIGIBLE: !approved || (amount ?? 0n) > paise(facts.buyerLimit),
    BID_OFF_OPENING_GRID: amount !== undefined && !isOnGrid(lot, amount),
    BID_BELOW_MINIMUM: amount !== undefined && amount < minimum(offer),
  });
}

/** An increment of zero makes no grid. */
function isOnGrid({ auction: { increment }, startingPrice }: Lot, amount: bigint): boolean {
  return increment === 0n || (amount >= startingPrice && (amount - startingPrice) % increment === 0n);
}

/** The lowest amount that what was bid before allows, integer paise; the grid has its own say. */
export function minimum({ lot, buyer }: Interest): bigint {
  const { auction } = lot;
  const highest = leader(lot)?.amount;
  if (auction.legacy) return (highest ?? lot.startingPrice) + auction.increment;
  const previous = auction.bidType === 'open' ? highest : latestOf(lot, buyer)?.amount;
  if (previous !== undefined) return previous + auction.increment;
  // A first bid below the opening is off the grid and nothing else, where there is a grid.
  return auction.increment === 0n ? lot.startingPrice : 0n;
}

/** The codes of what fails, in the order asked. */
function failing(checks: Partial<Record<Code, boolean>>): Code[] {
  const found: Code[] = [];
  for (const code in checks) if (checks[code as Code]) found.push(code as Code);
  return found;
}

/** How a bid arrived; `fingerprint`: route and digest of the bytes, by which a retry is known. */
type Arrival = Pick<Call, 'requestId' | 'receivedAt' | 'imposed'> & {
  readonly idempotencyKey: string;
  readonly fingerprint: string;
};

export type BidOutcome =
  | { readonly status: 'refused'; readonly codes: readonly Code[] }
  | {
      readonly status: 'accepted' | 'rejected';
      readonly codes: readonly Code[];
      readonly bid: Bid;
      /** The `data` of the reply. */
      readonly data: Data;
    };

/** Places a bid that no request brings, as the service would take it from one. */
export function placeDirectly(world: World, offer: ProposedBid, receivedAt = world.clock.now()): BidOutcome {
  const { ids } = world;
  const arrival = { requestId: ids.next('req'), idempotencyKey: ids.uuid(), receivedAt, fingerprint: '' };
  return decideBid(world, offer, arrival);
}

/** Judges a bid and records what came of it, all at once. Refusals of access are recorded nowhere. */
function decideBid(world: World, offer: ProposedBid, arrival: Arrival): BidOutcome {
  const { store, clock } = world;
  const { auction } = offer.lot;
  const refused = accessCodes(offer, clock.now());
  if (refused.length > 0) return { status: 'refused', codes: refused };
  const codes = [...new Set([...(arrival.imposed ?? []), ...brokenRules(offer, arrival.receivedAt)])];
  const bid = keep(world, offer, arrival, codes);
  const status = codes.length === 0 ? 'accepted' : 'rejected';
  if (status === 'accepted') extendForLateBid(world, auction);
  const data = receipt(bid);
  const { fingerprint, idempotencyKey } = arrival;
  store.record(bid.clientId, idempotencyKey, { fingerprint, bidStatus: status, errors: codes, data });
  // The bids of a closed auction are hidden, from a rival too.
  if (status === 'accepted' && auction.bidType === 'open') store.tell([offer.lot]);
  return { status, codes, bid, data };
}

function keep(world: World, offer: ProposedBid, arrival: Arrival, errors: readonly Code[]): Bid {
  const { lot, buyer, amount, bidderReference = null } = offer;
  const { clientId, partnerId } = offer.party;
  const status = errors.length === 0 ? 'accepted' : 'rejected';
  if (status === 'accepted') {
    lot.version += 1;
    touchLot(world.clock, lot);
  }
  const owner = { bankId: lot.auction.bankId, partnerId };
  const data = {
    lot_id: lot.id,
    bidder_reference: bidderReference,
    amount: rupees(amount),
    status,
    request_id: arrival.requestId,
    server_received_at: isoTime(arrival.receivedAt),
    lot_version: lot.version,
    errors,
  };
  const standing = { lot, lotVersion: lot.version, clientId, buyer, bidderReference, amount };
  const bid: Bid = world.flow.make('bid', status, { owner, data, ...standing });
  Object.assign(bid, { bid });
  if (status === 'rejected') return bid;
  lot.accepted.push(bid);
  const { idempotencyKey } = arrival;
  const about = { recordId: bid.id, bidId: bid.id, lotId: lot.id, amount: data.amount };
  const at = world.clock.now();
  const what = { kind: 'bid', operation: submit.id, call: submit.name };
  world.requests.commit({ ...what, idempotencyKey, clientId, ...about, at });
  return bid;
}

/** The `data` of the reply. Without a reference nobody's standing is known, which is that of no bid. */
function receipt(bid: Bid): Data {
  const { lot } = bid;
  const { request_id, status, server_received_at, lot_version } = bid.data;
  const leading = leader(lot);
  const isShown = status === 'accepted' && lot.auction.bidType === 'open' && leading !== undefined;
  return {
    request_id,
    bid_id: bid.id,
    status,
    server_received_at,
    lot_version,
    effective_close_at: isoInIndia(lot.auction.endsAt),
    replayed: false,
    bidder_status: bid.buyer === undefined ? 'no_bid' : bidderStatus(lot, bid.buyer),
    channel_status: channelStatus(lot, bid.clientId),
    ...visibleHighest(lot),
    ...(isShown && { current_amount: Number(rupees(leading.amount)) }),
  };
}

/** Bids, and what a bid would meet. */
export const bidOperations: readonly Answered[] = [
  [submit, submitBid],
  [list, listBids],
  [get, getBid],
  [lookup, lookUpBid],
  [check, checkEligibility],
];

function submitBid(call: Call): Reply {
  const { world, party } = call;
  const body = bodyOf(call, submit.body, withAmountAsText(call));
  const { key, fingerprint, earlier } = keyed(call, body.idempotency_key);
  if (earlier !== undefined) {
    const status = earlier.bidStatus === 'accepted' ? 200 : 422;
    return bidReply(call, status, earlier.errors ?? [], { ...earlier.data, replayed: true });
  }
  const lot = world.store.lots.get(param(call, 'lot'));
  if (lot === undefined) return notFound();
  const { requestId, receivedAt, imposed } = call;
  const interest = interestIn(party, lot, body.bidder_reference, body.dealer_id);
  const arrival = { requestId, idempotencyKey: key, receivedAt, fingerprint, imposed };
  const outcome = decideBid(world, { ...interest, amount: paise(body.amount) }, arrival);
  if (outcome.status === 'refused') return refusal(call, 403, outcome.codes);
  return bidReply(call, outcome.status === 'accepted' ? 201 : 422, outcome.codes, outcome.data);
}

/** Newest first. */
function listBids(call: Call): Reply {
  const query = queryOf(call, list.query);
  const { bidder_reference: wanted } = query;
  const own = call.world.flow.own(call.party, 'bid');
  const found = own.filter(({ data }) => wanted === undefined || data['bidder_reference'] === wanted);
  return paged(call, found, query, ({ id, data: { bidder_reference, amount, status, ...data } }) => {
    const created_at = offsetlessTime(momentIn(data, 'server_received_at'));
    return { public_id: id, bidder_reference, amount, status, created_at };
  });
}

/** A partner reads its own, a bank those on its lots. */
function getBid(call: Call): Reply {
  const { id, data } = call.world.flow.find(call.party, 'bid', param(call, 'bid'));
  return ok(call, { id, ...data });
}

function lookUpBid(call: Call): Reply {
  const key = param(call, 'idempotency_key');
  ensureFits(uuid.safeParse(key).success, 'idempotency_key', 'The idempotency key must be a UUID.');
  const { world, party } = call;
  const recorded = world.store.recorded(party.clientId, key);
  const waiting = world.store.inProgress(party.clientId, key)?.isBid ? 'processing' : 'absent';
  const state = recorded?.bidStatus ?? waiting;
  if (state === 'absent' && world.settings.variants['lookup-unknown-key'] === 'not-found') return notFound();
  return ok(call, {
    idempotency_key: key,
    state,
    observed_at: isoTime(call.now()),
    receipt: recorded?.bidStatus === undefined ? null : recorded.data,
    retry: retryAdvice[state],
  });
}

function checkEligibility(call: Call): Reply {
  const query = queryOf(call, check.query);
  const { party, world } = call;
  const { facts } = party;
  const lot = visibleLot(world, party, query.lot_id);
  if (lot === undefined) return notFound();
  const errors = obstacles(call, interestIn(party, lot, query.bidder_reference), query.amount);
  const expiry = (moment: Moment | null) => (moment === null ? null : isoInIndia(unixMs(moment)));
  return ok(call, {
    eligible: errors.length === 0,
    diagnostic_only: true,
    errors,
    lot_id: lot.id,
    dealer_id: facts.dealerId,
    kyc_status: facts.kycStatus,
    emd_status: facts.emdStatus,
    blocked: facts.blocked,
    buyer_limit: rupees(paise(facts.buyerLimit)),
    limit_until: expiry(facts.limitUntil),
    emd_until: expiry(facts.emdUntil),
    starting_price: rupees(lot.startingPrice),
    bid_increment: rupees(lot.auction.increment),
    notice: 'A diagnosis of this moment: nothing is reserved, and a bid is checked again when it arrives.',
  });
}

/** What a bid would be answered now. A caller that may not bid at all doesn't get as far as the rules. */
function obstacles(call: Call, interest: Interest, amount: string | undefined): readonly Code[] {
  if (!interest.party.facts.scopes.includes('bids:write')) return ['SCOPE_DENIED'];
  const refused = accessCodes(interest, call.now());
  if (refused.length > 0) return refused;
  return brokenRules(
    { ...interest, amount: amount === undefined ? undefined : paise(amount) },
    call.receivedAt,
  );
}

function bidReply(call: Call, status: number, errors: readonly string[], data: Data): Reply {
  const success = errors.length === 0;
  const code = errors[0] ?? 'BID_ACCEPTED';
  const message = success
    ? 'The bid is accepted, provisionally.'
    : `The bid is rejected: ${errors.join(', ')}.`;
  return bidEnvelope(call, status, { success, code, message, data, errors });
}

/** A string is preferred, a number allowed: its digits as they were sent, for a double may have rounded them. */
function withAmountAsText({ json, body }: Call): JsonBody {
  if ('problem' in json || typeof json.object['amount'] !== 'number') return json;
  const digits = /"amount"\s*:\s*(-?[\d.eE+-]+)/.exec(Buffer.from(body).toString())?.[1];
  return { object: { ...json.object, amount: digits ?? String(json.object['amount']) } };
}

const retryAdvice = {
  accepted: 'Do not send it again: the bid is accepted.',
  rejected: 'Do not send it again: the rejection is final. Another amount is a new bid under a new key.',
  processing: 'Ask again shortly: a request under this key is in progress.',
  absent: `Nothing is recorded under this key so far, though a request may still be in progress. Send the identical body under the same key to POST ${API_PREFIX}${submit.path}, or ask again later.`,
} as const;
