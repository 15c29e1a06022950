import type { Code } from '../../api/codes.js';
import { API_PREFIX, uuid } from '../../api/common.js';
import { service } from '../../api/service.js';
import { type Call, type OperationHandler, param } from '../http/call.js';
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

/** A party, buyer and lot of a bid or an eligibility check. */
export interface Interest {
  readonly party: Party;
  readonly lot: Lot;
  /** The dealer in the bid; null without one. */
  readonly dealerId: string | null;
  readonly bidderReference: string | undefined;
  readonly buyer: string | undefined;
  /** Integer paise. */
  readonly amount?: bigint | undefined;
}

/** A bid to decide. */
export type ProposedBid = Interest & { readonly amount: bigint };

export function interestIn(
  party: Party,
  lot: Lot,
  bidderReference?: string,
  dealerId = party.facts.dealerId,
): Interest {
  return { party, lot, dealerId, bidderReference, buyer: buyerOf(party, bidderReference) };
}

/** Access codes that prevent bidding: a 403, not recorded. `now` is Unix milliseconds. */
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
 * Rules that a bid breaks: a 422, recorded as a rejection. Without an amount, rules that any amount would break.
 * `receivedAt` is Unix milliseconds.
 */
export function brokenRules(offer: Interest, receivedAt: number): Code[] {
  const { party, lot, amount } = offer;
  const { auction } = lot;
  const { facts } = party;
  const isDirect = party.partnerType === 'direct_dealer';
  // With a slow clock, an ended auction may look live. An awarded auction takes no bids at any time.
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

/** Whether an amount is on the increment grid. An increment of zero disables the grid. */
function isOnGrid({ auction: { increment }, startingPrice }: Lot, amount: bigint): boolean {
  return increment === 0n || (amount >= startingPrice && (amount - startingPrice) % increment === 0n);
}

/** Minimum amount after earlier bids, integer paise, regardless of the grid. */
export function minimum({ lot, buyer }: Interest): bigint {
  const { auction } = lot;
  const highest = leader(lot)?.amount;
  if (auction.legacy) return (highest ?? lot.startingPrice) + auction.increment;
  const previous = auction.bidType === 'open' ? highest : latestOf(lot, buyer)?.amount;
  if (previous !== undefined) return previous + auction.increment;
  // With a grid, a first bid below the starting price only breaks the grid rule.
  return auction.increment === 0n ? lot.startingPrice : 0n;
}

/** Codes of the failed checks, in order. */
function failing(checks: Partial<Record<Code, boolean>>): Code[] {
  const found: Code[] = [];
  for (const code in checks) if (checks[code as Code]) found.push(code as Code);
  return found;
}

/** Request data of a bid. `fingerprint` is the route and body digest, which identify a retry. */
type BidRequest = Pick<Call, 'requestId' | 'receivedAt' | 'imposed'> & {
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

/** Places a bid without a request, under the same rules. */
export function placeDirectly(world: World, offer: ProposedBid, receivedAt = world.clock.now()): BidOutcome {
  const { ids } = world;
  const arrival = { requestId: ids.next('req'), idempotencyKey: ids.uuid(), receivedAt, fingerprint: '' };
  return decideBid(world, offer, arrival);
}

/** Decides a bid and records the result atomically. Access refusals are not recorded. */
function decideBid(world: World, offer: ProposedBid, arrival: BidRequest): BidOutcome {
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
  // Rivals cannot see bids of a closed auction.
  if (status === 'accepted' && auction.bidType === 'open') store.notifyWatchers([offer.lot]);
  return { status, codes, bid, data };
}

function keep(world: World, offer: ProposedBid, arrival: BidRequest, errors: readonly Code[]): Bid {
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

/** Reply data of a bid. Without a buyer reference, the standing is `no_bid`. */
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

/** Bid operations and the eligibility check. */
export const bidOperations: readonly OperationHandler[] = [
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

/** A partner can read its own bids, a bank those on its lots. */
function getBid(call: Call): Reply {
  const { id, data } = call.world.flow.find(call.party, 'bid', param(call, 'bid'));
  return ok(call, { id, ...data });
}

function lookUpBid(call: Call): Reply {
  const key = param(call, 'idempotency_key');
  ensureFits(uuid.safeParse(key).success, 'idempotency_key', 'The idempotency key is invalid. Send a UUID.');
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
    notice:
      'Diagnostic for this moment only. Nothing is reserved, and every bid is checked again on arrival.',
  });
}

/** Codes that a bid would get now. Access codes come before bidding rules. */
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
    ? 'The bid is provisionally accepted.'
    : `The bid is rejected: ${errors.join(', ')}.`;
  return bidEnvelope(call, status, { success, code, message, data, errors });
}

/**
 * Converts a numeric amount to text with its original digits, because a double may round them. One with an exponent,
 * such as `1e6`, is written out.
 */
function withAmountAsText({ json, body }: Call): JsonBody {
  if ('problem' in json || typeof json.object['amount'] !== 'number') return json;
  const written = String(json.object['amount']);
  const digits = /"amount"\s*:\s*(-?[\d.eE+-]+)/.exec(Buffer.from(body).toString())?.[1] ?? written;
  return { object: { ...json.object, amount: /e/i.test(digits) ? written : digits } };
}

const retryAdvice = {
  accepted: 'The bid is accepted. Do not send it again.',
  rejected:
    'The bid is rejected and the rejection is final. Do not send it again; place a different bid under a new key.',
  processing: 'A request under this key is in progress. Look it up again shortly.',
  absent: `Nothing is recorded under this key, but a request may still be in progress. Send the identical body under the same key to POST ${API_PREFIX}${submit.path}, or look it up again later.`,
} as const;
