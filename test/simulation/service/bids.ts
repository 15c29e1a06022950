import type { RecordedBid } from './ledger.js';
import type { Admitted, Service } from './service.js';
import { envelope, iso, message, parsed, type WireReply } from './wire.js';

/** Judges a bid, or answers as before where its UUID is known (Bids, Responses; Bid rules). */
export function submitBid(
  service: Service,
  { request, path, client, number, at, shownAt }: Admitted,
): WireReply {
  const { ledger, now, parts } = service;
  const body = parsed(request.body);
  const key = request.headers['idempotency-key'];
  const lot = service.lots.get(path.split('/')[2] ?? '');
  const refused = (status: number, code: string) => envelope(status, now, { code });
  if (body === undefined || key === undefined || body['idempotency_key'] !== key) {
    return refused(422, 'IDEMPOTENCY_KEY_REQUIRED');
  }
  if (lot === undefined) return message(404, 'Not found.');
  const known = ledger.recall(client, key, now);
  if (known !== undefined) {
    const isSame = known.path === path && (known.body ?? request.body) === request.body;
    if (!isSame || known.bid === undefined) return conflict(service);
    const isOurs = known.bid.request !== undefined && known.bid.verdict === 'accepted';
    if (isOurs && parts.strikes('two verdicts')) {
      service.contradicted.add(key);
      return replyTo(service, { ...known.bid, verdict: 'rejected', codes: ['BID_BELOW_MINIMUM'] }, false);
    }
    return replyTo(service, known.bid, true);
  }
  const paise = paiseOf(body['amount']);
  const buyer = body['bidder_reference'];
  if (typeof buyer !== 'string') return refused(422, 'BIDDER_REFERENCE_REQUIRED');
  if (paise === undefined) return message(422, 'The amount is no amount.');
  if (parts.strikes('close comes early')) lot.closeAt = Math.min(lot.closeAt, now);
  if (parts.strikes('rival bids'))
    take(lot, 'rival', paise > (lot.highest ?? 0n) ? paise : (lot.highest ?? paise));
  const codes = faultsOf(lot, buyer, paise, at);
  if (codes.length === 0) take(lot, buyer, paise);
  const bid: RecordedBid = {
    id: `bid_${ledger.bids.length + 1}`,
    client,
    key,
    lot: lot.id,
    buyer,
    amount: String(body['amount']),
    verdict: codes.length === 0 ? 'accepted' : 'rejected',
    codes,
    at: now,
    lotVersion: lot.version,
    request: number,
    tag: String(body['client_bid_time']),
  };
  record(service, bid, { path, body: request.body, shownAt });
  return replyTo(service, bid, false);
}

/** Enters a bid into the books, and its UUID into the memory. */
export function record(
  { ledger, parts }: Service,
  bid: RecordedBid,
  sent: { readonly path: string; readonly body: string | undefined; readonly shownAt: number },
): void {
  ledger.bids.push(bid);
  ledger.remember(bid.client, bid.key, { ...sent, at: bid.at, bid });
  parts.note(`service: ${bid.verdict} ${bid.id} under ${bid.key} ${bid.codes.join(' ')}`);
}

export function conflict({ parts, now }: Service): WireReply {
  return parts.manners.conflictAsMessage
    ? message(409, 'This idempotency key was used for another request.')
    : envelope(409, now, { code: 'IDEMPOTENCY_CONFLICT' });
}

function replyTo(service: Service, bid: RecordedBid, replayed: boolean): WireReply {
  const { now } = service;
  const accepted = bid.verdict === 'accepted';
  const lot = service.lots.get(bid.lot);
  const data = {
    request_id: `req_${bid.id}`,
    bid_id: bid.id,
    status: bid.verdict,
    server_received_at: iso(service.stated(bid.at)),
    lot_version: bid.lotVersion,
    effective_close_at: iso(lot?.closeAt ?? 0),
    replayed,
    bidder_status: accepted ? 'leading' : 'no_bid',
    channel_status: accepted ? 'leading' : 'no_bid',
    highest_amount: lot?.highest === undefined ? null : rupees(lot.highest),
  };
  return envelope(accepted ? (replayed ? 200 : 201) : 422, service.stated(now), {
    code: accepted ? 'BID_ACCEPTED' : (bid.codes[0] ?? 'LOT_NOT_LIVE'),
    data,
    errors: bid.codes,
  });
}

/** A lot and the rules of bidding on it, in paise. */
export interface Lot {
  readonly id: string;
  readonly opening: bigint;
  readonly increment: bigint;
  readonly type: 'open' | 'closed';
  /** Unix ms, exclusive. */
  closeAt: number;
  version: number;
  /** The highest accepted amount. */
  highest: bigint | undefined;
  /** Accepted amounts by buyer, the latest. */
  readonly own: Map<string, bigint>;
}

/** Why a bid that arrives now is turned down; empty where it is valid (Bid rules). */
function faultsOf(lot: Lot, buyer: string, paise: bigint, arrivedAt: number): string[] {
  const codes: string[] = [];
  if (arrivedAt >= lot.closeAt) codes.push('LOT_NOT_LIVE');
  if (paise < lot.opening || (paise - lot.opening) % lot.increment !== 0n) codes.push('BID_OFF_OPENING_GRID');
  const before = lot.type === 'open' ? lot.highest : lot.own.get(buyer);
  if (before !== undefined && paise < before + lot.increment) codes.push('BID_BELOW_MINIMUM');
  return codes;
}

/** Takes an accepted bid into the standings. */
function take(lot: Lot, buyer: string, paise: bigint): void {
  lot.version += 1;
  lot.own.set(buyer, paise);
  if (lot.highest === undefined || paise > lot.highest) lot.highest = paise;
}

/** Paise of an INR decimal string; undefined for anything else. */
export function paiseOf(amount: unknown): bigint | undefined {
  const [, rupees, fraction = ''] =
    typeof amount === 'string' ? (/^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(amount) ?? []) : [];
  return rupees === undefined ? undefined : BigInt(rupees) * 100n + BigInt(fraction.padEnd(2, '0'));
}

export function rupees(paise: bigint): string {
  return `${paise / 100n}.${String(paise % 100n).padStart(2, '0')}`;
}
