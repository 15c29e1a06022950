import { rupees } from './bids.js';
import type { RecordedBid } from './ledger.js';
import type { Admitted, Service } from './service.js';
import { envelope, iso, json, message, type WireReply } from './wire.js';

const PAGE = 25;

/** Answers a read: A01, A05, A06, A10, and the list of bids. */
export function look(service: Service, admitted: Admitted): WireReply {
  const [, resource, id = '', what] = admitted.path.split('/');
  if (resource === 'integration') return profile(service, admitted);
  if (resource === 'bid-requests') return lookUp(service, admitted, id);
  if (resource === 'lots' && what === 'status') return lotStatus(service, id);
  if (resource === 'bids' && id !== '') return oneBid(service, admitted, id);
  if (resource === 'bids') return manyBids(service, admitted);
  return message(404, 'Not found.');
}

/** A01: who asks, and what time it is. */
function profile(service: Service, { client }: Admitted): WireReply {
  return read(service, { environment: 'sandbox', client_id: client, actor_type: 'partner' });
}

/** A06, perhaps from a copy of the books that is behind; `observed_at` says how far. */
function lookUp(service: Service, { client }: Admitted, key: string): WireReply {
  const { ledger, parts } = service;
  const outage = outageOf(service);
  if (outage !== undefined) return outage;
  const behindMs = parts.strikes('look-up is behind') ? 1_000 * (1 + parts.choices.choose('behind', 40)) : 0;
  const observed = service.stated(service.now - behindMs);
  const bid = ledger.recall(client, key, observed)?.bid;
  const state = bid?.verdict ?? (ledger.isProcessing(client, key, observed) ? 'processing' : 'absent');
  const named = parts.manners.receiptNamesBid && bid !== undefined;
  return read(service, {
    idempotency_key: key,
    state,
    observed_at: iso(observed),
    receipt: named ? { bid_id: bid.id, status: bid.verdict } : null,
    retry: 'Resend the same request under the same key.',
  });
}

/** Where the look-up doesn't answer, it doesn't for a while. */
function outageOf(service: Service): WireReply | undefined {
  const { parts, now, outage } = service;
  if (outage !== undefined && now < outage.until) return outage.reply();
  const begun = (reply: () => WireReply) => {
    service.outage = { reply, until: now + 8_000 * parts.choices.choose('outage', 4) };
    return reply();
  };
  if (parts.strikes('look-up fails')) return begun(() => message(503, 'Service Unavailable'));
  if (parts.strikes('look-up answers 404')) return begun(() => message(404, 'Not found.'));
  if (parts.strikes('look-up answers 401')) {
    return begun(() => envelope(401, service.now, { code: 'API_CLIENT_NOT_ACTIVE' }));
  }
  return undefined;
}

function lotStatus(service: Service, id: string): WireReply {
  const lot = service.lots.get(id);
  if (lot === undefined) return message(404, 'Not found.');
  return read(service, {
    lot_id: id,
    auction_state: service.now < lot.closeAt ? 'live' : 'over',
    inventory_state: 'published',
    resource_version: lot.version,
    updated_at: iso(service.now),
    effective_close_at: iso(lot.closeAt),
    sale: null,
    payment: null,
    release: null,
    allowed_actions: [],
    provisional: true,
    ...(lot.type === 'open' && { highest_amount: lot.highest === undefined ? null : rupees(lot.highest) }),
  });
}

function oneBid(service: Service, { client }: Admitted, id: string): WireReply {
  const bid = service.ledger.bids.find((one) => one.id === id && one.client === client);
  if (bid === undefined) return message(404, 'Not found.');
  return read(service, {
    id,
    lot_id: bid.lot,
    bidder_reference: bid.buyer,
    amount: bid.amount,
    status: bid.verdict,
    request_id: `req_${id}`,
    server_received_at: iso(service.stated(bid.at)),
    lot_version: bid.lotVersion,
    errors: bid.codes,
  });
}

function manyBids(service: Service, { client, query }: Admitted): WireReply {
  const buyer = query.get('bidder_reference');
  const mine = service.ledger.bids
    .filter((bid) => bid.client === client && (buyer === null || bid.buyer === buyer))
    .reverse();
  const page = Number(query.get('page') ?? 1);
  const items = mine.slice((page - 1) * PAGE, page * PAGE);
  return json(200, {
    current_page: page,
    data: items.map(listed),
    last_page: Math.max(1, Math.ceil(mine.length / PAGE)),
    per_page: PAGE,
    total: mine.length,
  });
}

function listed({ id, buyer, amount, verdict, at }: RecordedBid): object {
  const created = new Date(at).toISOString().slice(0, 19).replace('T', ' ');
  return { public_id: id, bidder_reference: buyer, amount, status: verdict, created_at: created };
}

function read(service: Service, data: object): WireReply {
  return json(200, { data, server_time: iso(service.stated(service.now)) });
}
