import { bids } from '../../api/bids.js';
import type { Code } from '../../api/codes.js';
import { API_PREFIX, uuid } from '../../api/common.js';
import { eligibility } from '../../api/eligibility.js';
import { type Answered, type Call, param } from '../http/call.js';
import { bodyOf, keyed, queryOf } from '../http/checks.js';
import {
  bidEnvelope,
  invalidField,
  notFound,
  ok,
  paged,
  Refusal,
  type Reply,
  refusal,
} from '../http/replies.js';
import type { JsonBody } from '../http/wire.js';
import { paise, rupees } from '../money.js';
import { isoInIndia, isoTime, type Moment, offsetlessTime, unixMs } from '../times.js';
import { mayHave, ownerOfBid } from '../workflow/records.js';
import { accessCodes, brokenRules, decideBid, type Interest, interestIn } from './bidding.js';
import { visibleLot } from './catalogue.js';
import type { Bid } from './store.js';

const { submit, list, get, lookup } = bids.operations;
const { check } = eligibility.operations;

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
  const interest = interestIn(world, party, lot, body.bidder_reference, body.dealer_id);
  const outcome = decideBid(
    world,
    { ...interest, amount: paise(body.amount) },
    { requestId, idempotencyKey: key, receivedAt, fingerprint, imposed },
  );
  if (outcome.status === 'refused') return refusal(call, 403, outcome.codes);
  return bidReply(call, outcome.status === 'accepted' ? 201 : 422, outcome.codes, outcome.data);
}

/** Newest first. */
function listBids(call: Call): Reply {
  const { world, party } = call;
  const query = queryOf(call, list.query);
  const found = [...world.store.bids.values()]
    .filter((bid) => mayHave(party, ownerOfBid(world.store, bid)))
    .filter((bid) => query.bidder_reference === undefined || bid.bidderReference === query.bidder_reference)
    .reverse();
  return paged(call, found, query, (bid) => ({
    public_id: bid.id,
    bidder_reference: bid.bidderReference,
    amount: rupees(bid.amount),
    status: bid.status,
    created_at: offsetlessTime(bid.receivedAt),
  }));
}

function getBid(call: Call): Reply {
  const bid = bidInPath(call);
  return ok(call, {
    id: bid.id,
    lot_id: bid.lotId,
    bidder_reference: bid.bidderReference,
    amount: rupees(bid.amount),
    status: bid.status,
    request_id: bid.requestId,
    server_received_at: isoTime(bid.receivedAt),
    lot_version: bid.lotVersion,
    errors: bid.errors,
  });
}

/** The bid that the path names, if the caller may read it: a partner its own, a bank those on its lots. Else a 404. */
export function bidInPath(call: Call): Bid {
  const bid = call.world.store.bids.get(param(call, 'bid'));
  if (bid === undefined || !mayHave(call.party, ownerOfBid(call.world.store, bid))) {
    throw new Refusal(notFound());
  }
  return bid;
}

function lookUpBid(call: Call): Reply {
  const key = param(call, 'idempotency_key');
  if (!uuid.safeParse(key).success) {
    throw new Refusal(invalidField('idempotency_key', 'The idempotency key must be a UUID.'));
  }
  const { world, party } = call;
  const recorded = world.store.recorded(party.clientId, key);
  const waiting = world.store.inFlight(party.clientId, key) ? 'processing' : 'absent';
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
  const found = visibleLot(world, party, query.lot_id);
  if (found === undefined) return notFound();
  const { auction, lot } = found;
  const interest = interestIn(world, party, lot, query.bidder_reference);
  const errors = obstacles(call, interest, query.amount);
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
    bid_increment: rupees(auction.increment),
    notice: 'A diagnosis of this moment: nothing is reserved, and a bid is checked again when it arrives.',
  });
}

/** What a bid would be answered now. A caller that may not bid at all doesn't get as far as the rules. */
function obstacles(call: Call, interest: Interest, amount: string | undefined): readonly Code[] {
  if (!interest.party.facts.scopes.includes('bids:write')) return ['SCOPE_DENIED'];
  const refused = accessCodes(interest, call.now());
  if (refused.length > 0) return refused;
  const offer = amount === undefined ? interest : { ...interest, amount: paise(amount) };
  return brokenRules(offer, call.receivedAt);
}

function bidReply(
  call: Call,
  status: number,
  errors: readonly string[],
  data: Readonly<Record<string, unknown>>,
): Reply {
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
  rejected: 'Do not send it again: the rejection stands. Another amount is a new bid under a new key.',
  processing: 'Ask again shortly: a request under this key is in progress.',
  absent: `Nothing is recorded under this key so far, though a request may still be in progress. Send the identical body under the same key to POST ${API_PREFIX}${submit.path}, or ask again later.`,
} as const;
