import { bids } from '../../api/bids.js';
import type { Code } from '../../api/codes.js';
import { API_PREFIX, uuid } from '../../api/common.js';
import { decideBid } from '../bidding.js';
import { type Call, type Handler, param } from '../call.js';
import { keyed } from '../idempotency.js';
import { paise, rupees } from '../money.js';
import { frameworkPage } from '../pages.js';
import { bidEnvelope, invalidField, notFound, Refusal, type Reply, read, refusal } from '../replies.js';
import { buyerOf } from '../standings.js';
import { isoTime, offsetlessTime } from '../times.js';
import { checkedBody, checkedQuery, type JsonBody } from '../validation.js';
import { bidInPath, ownerOf } from '../workflow/bid-access.js';
import { mayHave } from '../workflow/cases.js';

const { operations } = bids;

/** Bids: submit, list, read, look up. */
export const bidHandlers: Readonly<Record<string, Handler>> = {
  [operations.submit.id]: submit,
  [operations.list.id]: list,
  [operations.get.id]: get,
  [operations.lookup.id]: lookup,
};

function submit(call: Call): Reply {
  const { world, party } = call;
  const body = checkedBody(operations.submit.body, withAmountAsText(call));
  const { key, fingerprint, earlier } = keyed(call, body.idempotency_key);
  if (earlier !== undefined) {
    const accepted = earlier.bidStatus === 'accepted';
    return bidReply(call, accepted ? 200 : 422, earlier.errors ?? [], { ...earlier.data, replayed: true });
  }
  const lot = world.store.lots.get(param(call, 'lot'));
  if (lot === undefined) return notFound();
  const outcome = decideBid(
    world,
    {
      party,
      auction: world.store.auctionOf(lot),
      lot,
      dealerId: body.dealer_id,
      bidderReference: body.bidder_reference,
      buyer: buyerOf(party, body.bidder_reference),
      amount: paise(body.amount),
    },
    { requestId: call.requestId, idempotencyKey: key, receivedAt: call.receivedAt, fingerprint },
  );
  if (outcome.status === 'refused') return refusal(call, 403, atLeastOne(outcome.codes));
  return bidReply(call, outcome.status === 'accepted' ? 201 : 422, outcome.codes, outcome.data);
}

function list(call: Call): Reply {
  const { world } = call;
  const query = checkedQuery(operations.list.query, call.query);
  const found = [...world.store.bids.values()]
    .filter((bid) => mayHave(call.party, ownerOf(call.world, bid)))
    .filter((bid) => query.bidder_reference === undefined || bid.bidderReference === query.bidder_reference)
    .reverse();
  return frameworkPage(found, query.page ?? 1, `${world.baseUrl}${operations.list.path}`, (bid) => ({
    public_id: bid.id,
    bidder_reference: bid.bidderReference,
    amount: rupees(bid.amount),
    status: bid.status,
    created_at: offsetlessTime(bid.receivedAt),
  }));
}

function get(call: Call): Reply {
  const bid = bidInPath(call);
  return read(call, {
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

function lookup(call: Call): Reply {
  const key = param(call, 'idempotency_key');
  if (!uuid.safeParse(key).success) {
    throw new Refusal(invalidField('idempotency_key', 'The idempotency key must be a UUID.'));
  }
  const { clientId } = call.party;
  const recorded = call.world.store.recorded(clientId, key);
  const waiting = call.world.store.inFlight(clientId, key) ? 'processing' : 'absent';
  const state = recorded?.bidStatus ?? waiting;
  return read(call, {
    idempotency_key: key,
    state,
    observed_at: isoTime(call.now()),
    receipt: recorded?.bidStatus === undefined ? null : recorded.data,
    retry: retryAdvice[state],
  });
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

function atLeastOne(codes: readonly Code[]): readonly [Code, ...Code[]] {
  const [first, ...rest] = codes;
  if (first === undefined) throw new Error('a refusal without a code');
  return [first, ...rest];
}

const retryAdvice = {
  accepted: 'Do not send it again: the bid is accepted.',
  rejected: 'Do not send it again: the rejection stands. Another amount is a new bid under a new key.',
  processing: 'Ask again shortly: a request under this key is being worked on.',
  absent: `Nothing is recorded under this key so far, though a request may still be under way. Send the identical body under the same key to POST ${API_PREFIX}${operations.submit.path}, or ask again later.`,
} as const;
