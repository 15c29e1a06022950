import { zonedTimeMs } from '../clock/reply-time.js';
import { redactDeep } from '../core/redact.js';
import { responseOf } from '../core/reply/reply.js';
import { VehicleAuctionError } from '../errors/base.js';
import { UnexpectedResponseError } from '../errors/connection.js';
import type { BidDetail } from '../generated/bids.js';
import { type IntendedBid, type IntentEvent, type LookupEvent, textIn } from '../intents/content.js';
import { toPaise } from '../money/paise.js';
import type { BaseOptions } from '../ports/caller.js';
import { closeInStatus } from './lot-reader.js';
import type { BidPorts } from './ports.js';

/** The reads that show the outcome of a bid. None throws: a failure is recorded like a reply. */

/** Looks up a key (A06) and completes the codes of a rejection from the bid (A05). */
export async function lookUp(
  parts: BidPorts,
  key: string,
  refusalsSeen: number,
  options: BaseOptions,
): Promise<LookupEvent> {
  const asked = { lane: 'bid', ...options } as const;
  const at = () => parts.recording.ledger.now();
  const failed = (why: string): LookupEvent => ({
    type: 'lookup',
    at: at(),
    refusalsSeen,
    found: 'failed',
    why,
  });
  try {
    const answer = await parts.bids.lookup(key, asked);
    const { state, observed_at, receipt, idempotency_key } = answer;
    const { cached } = responseOf(answer);
    if (idempotency_key.toLowerCase() !== key.toLowerCase()) return failed('it answered for another key');
    const observedAt = zonedTimeMs(observed_at);
    const facts = {
      type: 'lookup',
      at: at(),
      refusalsSeen,
      ...(observedAt !== undefined && { observedAt }),
    } as const;
    const found = lookupStates.find((known) => known === state);
    if (found === undefined) return failed(`it answered with state ${String(state)}`);
    if (found === 'processing' || found === 'absent') {
      // A cached copy may be older than the bid, but a verdict in it is valid.
      return cached === undefined ? { ...facts, found } : failed(`a cache answered "${found}" (${cached})`);
    }
    const status = textIn(receipt, 'status');
    if (status !== undefined && status !== state)
      return failed(`it says ${state}, but its receipt says ${status}`);
    const bidId = textIn(receipt, 'bid_id');
    const requestId = textIn(receipt, 'request_id');
    const codes = state === 'rejected' ? await codesOf(parts, receipt, bidId, asked) : [];
    return {
      ...facts,
      found,
      ...(bidId !== undefined && { bidId }),
      ...(requestId !== undefined && { requestId }),
      ...(codes.length > 0 && { codes }),
      ...(cached !== undefined && { why: `a copy from a cache, ${cached}` }),
      ...(receipt !== null &&
        receipt !== undefined && { record: redactDeep({ ...receipt }, parts.recording.redact) }),
    };
  } catch (error) {
    return failed(whyOf(error));
  }
}

const lookupStates = ['processing', 'absent', 'accepted', 'rejected'] as const;

/** Reads whether the lot has closed, by the service's own time (A10). */
export async function readLot(parts: BidPorts, lot: string, options: BaseOptions): Promise<IntentEvent> {
  const { ledger } = parts.recording;
  const read = { type: 'lot_read', at: ledger.now() } as const;
  try {
    const status = await parts.lots.status(lot, { lane: 'bid', ...options });
    const { closed = false, closesAt } = closeInStatus(status, responseOf(status), ledger.now());
    return { ...read, closed, ...(closesAt !== undefined && { closesAt }) };
  } catch {
    // If the lot does not say, the bid's own deadline decides.
    return { ...read, closed: false };
  }
}

/** Reads whether a bid of the service is the intended one (A05). */
export async function readBid(
  parts: BidPorts,
  { lot, amount, bidderReference }: IntendedBid,
  bidId: string,
  options: BaseOptions,
): Promise<IntentEvent> {
  const read = { type: 'bid_read', at: parts.recording.ledger.now() } as const;
  try {
    const detail = await parts.bids.get(bidId, { lane: 'bid', ...options });
    const differing = [
      ...(detail.lot_id === lot ? [] : ['lot']),
      ...(isSameAmount(detail.amount, amount) ? [] : ['amount']),
      ...((detail.bidder_reference ?? undefined) === bidderReference ? [] : ['bidder_reference']),
    ];
    if (differing.length > 0) {
      const why = `the service holds a bid under this key with another ${differing.join(', ')} (bid ${bidId})`;
      return { ...read, found: 'differs', why };
    }
    const found = (['accepted', 'rejected'] as const).find((known) => known === detail.status);
    if (found !== undefined) return { ...read, found };
    return { ...read, found: 'failed', why: `bid ${bidId} has status ${String(detail.status)}` };
  } catch (error) {
    return { ...read, found: 'failed', why: whyOf(error) };
  }
}

/** Accepted bids of the service with the same lot, buyer and amount; `complete` is false if the list was too long. */
export interface SimilarBids {
  readonly bids: readonly BidDetail[];
  readonly complete: boolean;
}

/** Maximum number of pages of 25 bids, and of full bids, to read. */
const MAX_PAGES = 10;
const MAX_DETAILS = 20;

/**
 * Lists the accepted bids of the service with the same lot, buyer and amount, after it may have forgotten the key. They
 * are evidence for a person, because no field ties a bid to a key.
 */
export async function similarBids(
  { bids }: BidPorts,
  { lot, amount, bidderReference }: IntendedBid,
  options: BaseOptions,
): Promise<SimilarBids | undefined> {
  const asked = { lane: 'read', ...options } as const;
  const query = bidderReference === undefined ? {} : { bidder_reference: bidderReference };
  try {
    const candidates: string[] = [];
    let pages = 0;
    let isWhole = true;
    for await (const page of bids.list(query, asked).pages()) {
      for (const item of page.items) {
        if (item.status === 'accepted' && isSameAmount(item.amount, amount)) candidates.push(item.public_id);
      }
      pages += 1;
      if (pages < MAX_PAGES) continue;
      isWhole = page.page !== undefined && page.page === page.lastPage;
      break;
    }
    const found: BidDetail[] = [];
    for (const id of candidates.slice(0, MAX_DETAILS)) {
      const detail = await bids.get(id, asked);
      if (detail.lot_id === lot) found.push(detail);
    }
    return { bids: found, complete: isWhole && candidates.length <= MAX_DETAILS };
  } catch {
    return undefined;
  }
}

/** Every code of a rejection: those of its receipt, or those of the bid itself. */
async function codesOf(
  { bids }: BidPorts,
  receipt: unknown,
  bidId: string | undefined,
  options: BaseOptions,
): Promise<readonly string[]> {
  const listed: unknown = Reflect.get(Object(receipt), 'errors');
  if (Array.isArray(listed) && listed.length > 0 && listed.every((code) => typeof code === 'string')) {
    return listed;
  }
  if (bidId === undefined) return [];
  // A rejection is valid without its reasons, too.
  const detail = await bids.get(bidId, options).catch(() => undefined);
  return detail?.errors ?? [];
}

function isSameAmount(one: string, other: string): boolean {
  try {
    return toPaise(one) === toPaise(other);
  } catch {
    return false;
  }
}

/** Describes a failed read in a few words. */
function whyOf(error: unknown): string {
  if (!(error instanceof VehicleAuctionError)) return 'no reason given';
  const status: unknown = Reflect.get(error, 'status');
  const codes: unknown = Reflect.get(error, 'codes');
  if (error instanceof UnexpectedResponseError) return `an unexpected reply, HTTP ${String(status)}`;
  const said = [typeof status === 'number' ? `HTTP ${status}` : '', ...(Array.isArray(codes) ? codes : [])];
  return said.filter((part) => part !== '').join(' ') || error.name;
}
