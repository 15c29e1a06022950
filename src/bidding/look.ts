import type { BaseOptions } from '../core/caller.js';
import { responseOf } from '../core/response-info.js';
import { VehicleAuctionError } from '../errors/base.js';
import { UnexpectedResponseError } from '../errors/connection.js';
import type { LookEntry } from '../intents/entry.js';
import type { BiddingParts } from './parts.js';

/** Looks a bid up by its key (A06); a rejection's codes are completed from the bid itself (A05). Never throws. */
export async function lookUp(
  { bids, keeper }: BiddingParts,
  key: string,
  options: BaseOptions,
): Promise<LookEntry> {
  const asked = { lane: 'bid', ...options } as const;
  try {
    const { state, observed_at, receipt, idempotency_key } = await bids.lookup(key, asked);
    const look = {
      type: 'look',
      by: 'A06',
      at: keeper.parts.clock.now(),
      found: state,
      ...momentOf('observedAt', observed_at),
      ...(receipt !== null &&
        receipt !== undefined &&
        !keeper.parts.keys.leaks(JSON.stringify(receipt)) && { record: { ...receipt } }),
    } as const;
    if (idempotency_key.toLowerCase() !== key.toLowerCase()) {
      return failed(look, 'it answered for another key');
    }
    const status = receipt?.['status'];
    const isSettled = state === 'accepted' || state === 'rejected';
    if (isSettled && typeof status === 'string' && status !== state) {
      return failed(look, `it says ${state}, yet its receipt says ${status}`);
    }
    return state === 'rejected' ? { ...look, codes: await codesOf(bids, receipt, asked) } : look;
  } catch (error) {
    const at = keeper.parts.clock.now();
    return { type: 'look', by: 'A06', at, found: 'failed', reason: reasonOf(error) };
  }
}

/** Looks whether the lot has closed (A10). Never throws; by the service's own time. */
export async function lookAtLot(
  { lots, keeper }: BiddingParts,
  lot: string,
  options: BaseOptions,
): Promise<LookEntry> {
  const look = { type: 'look', by: 'A10', at: keeper.parts.clock.now() } as const;
  try {
    const status = await lots.status(lot, { lane: 'bid', ...options });
    const { serverTime } = responseOf(status);
    const now = serverTime === undefined ? Number.NaN : Date.parse(serverTime);
    const observedAt = Number.isNaN(now) ? keeper.parts.serverClock.now() : now;
    const closesAt = Date.parse(status.effective_close_at ?? '');
    if (Number.isNaN(closesAt)) return { ...look, found: 'failed', reason: 'it states no close' };
    return { ...look, found: observedAt >= closesAt ? 'closed' : 'open', observedAt };
  } catch (error) {
    return { ...look, found: 'failed', reason: reasonOf(error) };
  }
}

/** Every code of a rejection: those of its receipt, or those of the bid itself. */
async function codesOf(
  bids: BiddingParts['bids'],
  receipt: Readonly<Record<string, unknown>> | null | undefined,
  options: BaseOptions,
): Promise<readonly string[]> {
  const listed = receipt?.['errors'];
  if (Array.isArray(listed) && listed.length > 0 && listed.every((code) => typeof code === 'string')) {
    return listed;
  }
  const bidId = receipt?.['bid_id'];
  if (typeof bidId !== 'string') return [];
  // A rejection stands without its reasons, too.
  const detail = await bids.get(bidId, options).catch(() => undefined);
  return detail?.errors ?? [];
}

function failed(look: LookEntry, reason: string): LookEntry {
  const { record: _, ...rest } = look;
  return { ...rest, found: 'failed', reason };
}

/** A field with a moment, Unix ms; none for what is no moment. */
function momentOf(name: 'observedAt', text: string | undefined): { observedAt?: number } {
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? {} : { [name]: ms };
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof VehicleAuctionError)) return 'no reason given';
  const status: unknown = Reflect.get(error, 'status');
  const codes: unknown = Reflect.get(error, 'codes');
  if (error instanceof UnexpectedResponseError) return `an unexpected reply, HTTP ${String(status)}`;
  const said = [typeof status === 'number' ? `HTTP ${status}` : '', ...(Array.isArray(codes) ? codes : [])];
  return said.filter((part) => part !== '').join(' ') || error.name;
}
