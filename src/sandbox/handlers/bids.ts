import { bids } from '../../api/bids.js';
import type { Code } from '../../api/codes.js';
import { API_PREFIX, filledText, uuid } from '../../api/common.js';
import { decideBid, replayOf } from '../bidding.js';
import { type Call, type Handler, param } from '../call.js';
import { keyed, keySpace } from '../idempotency.js';
import { paise, rupees } from '../money.js';
import { frameworkPage } from '../pages.js';
import { bidEnvelope, invalidField, notFound, Refusal, type Reply, read, refusal } from '../replies.js';
import { buyerOf } from '../standings.js';
import type { Bid, Recorded } from '../store.js';
import { isoTime, offsetlessTime } from '../times.js';
import { unfamiliar } from '../unfamiliar.js';
import { checkedBody, checkedQuery, type JsonBody } from '../validation.js';
import { bidInPath, lotOf, ownerOf } from '../workflow/bid-access.js';
import { mayHave } from '../workflow/cases.js';
import type { World } from '../world.js';

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
    return bidReply(call, accepted ? 200 : 422, earlier.errors ?? [], replayOf(world, earlier));
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
    {
      requestId: call.requestId,
      idempotencyKey: key,
      receivedAt: call.receivedAt,
      fingerprint,
      imposed: call.imposed,
    },
  );
  if (outcome.status === 'refused') return refusal(call, 403, atLeastOne(outcome.codes));
  return bidReply(call, outcome.status === 'accepted' ? 201 : 422, outcome.codes, outcome.data);
}

function list(call: Call): Reply {
  const { world } = call;
  const zone = world.settings.variants['bid-created-at-zone'];
  const query = checkedQuery(listQuery(world), call.query);
  const found = [...world.store.bids.values()]
    .filter((bid) => mayHave(call.party, ownerOf(call.world, bid)))
    .filter((bid) => query.bidder_reference === undefined || bid.bidderReference === query.bidder_reference)
    .reverse();
  return frameworkPage(call, found, query.page ?? 1, `${world.baseUrl}${operations.list.path}`, (bid) => ({
    public_id: bid.id,
    bidder_reference: bid.bidderReference,
    amount: rupees(bid.amount),
    status: statusOf(world, bid),
    created_at: offsetlessTime(bid.receivedAt, zone),
  }));
}

function get(call: Call): Reply {
  return read(call, detailOf(call.world, bidInPath(call)));
}

function detailOf(world: World, bid: Bid) {
  return {
    id: bid.id,
    lot_id: bid.lotId,
    bidder_reference: bid.bidderReference,
    amount: rupees(bid.amount),
    status: statusOf(world, bid),
    request_id: bid.requestId,
    server_received_at: isoTime(bid.receivedAt),
    lot_version: bid.lotVersion,
    errors: bid.errors,
  };
}

/** Which references a query may ask for isn't shown (unknowns: `bidder-reference-in-queries`). */
function listQuery({ settings }: World) {
  const { query } = operations.list;
  return settings.variants['bidder-reference-in-queries'] === 'any'
    ? query.extend({ bidder_reference: filledText.max(120).optional() })
    : query;
}

/** What is said of a bid that a cancellation took out isn't shown (unknowns: `cancelled-bid-status`). */
function statusOf(world: World, bid: Bid): string {
  const isOut = bid.status === 'accepted' && !lotOf(world, bid).accepted.includes(bid);
  return isOut ? world.settings.variants['cancelled-bid-status'] : bid.status;
}

function lookup(call: Call): Reply {
  const key = param(call, 'idempotency_key');
  if (!uuid.safeParse(key).success) {
    throw new Refusal(invalidField('idempotency_key', 'The idempotency key must be a UUID.'));
  }
  const { world, party } = call;
  const { clientId } = party;
  const recorded = world.store.recorded(keySpace(world, clientId, 'bid'), key);
  const waiting = world.store.inFlight(clientId, key) ? 'processing' : 'absent';
  const state = recorded?.bidStatus ?? waiting;
  if (state === 'absent' && world.settings.variants['lookup-unknown-key'] === 'not-found') return notFound();
  return read(call, {
    idempotency_key: key,
    state,
    observed_at: isoTime(call.now()),
    receipt: recorded?.bidStatus === undefined ? null : receiptOf(world, recorded),
    retry: retryAdvice[state],
  });
}

/** Its fields are not shown (unknowns: `lookup-receipt`). */
function receiptOf(world: World, { data }: Recorded): unknown {
  const bid = world.store.bids.get(String(data['bid_id']));
  switch (world.settings.variants['lookup-receipt']) {
    case 'receipt':
      return data;
    case 'detail':
      return bid && detailOf(world, bid);
    case 'unfamiliar':
      return { outcome: unfamiliar };
  }
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
