import { formatInr, type SaleRecord, toPaise } from 'vehicle-auction-sdk';
import { type Offer, offerOf } from './offer.js';
import type { Settings } from './settings.js';

/** What to do with a sale, and why. */
export type Verdict =
  | Approval
  | NewOffer
  /** Nothing before the buyer has answered. */
  | { readonly action: 'wait'; readonly why: string }
  /** Nothing: a person decides. */
  | { readonly action: 'hold'; readonly why: string };

export interface Approval {
  readonly action: 'approve';
  readonly bidId: string;
  /** INR decimal string: the bid's, or that of the accepted offer. */
  readonly amount: string;
  /** The accepted offer that the approval rests on. */
  readonly offer?: Offer;
  readonly why: string;
}

export interface NewOffer {
  readonly action: 'offer';
  /** INR decimal string. */
  readonly amount: string;
  readonly why: string;
}

/** All that a verdict rests on. */
export interface Facts {
  /** The sale as it was read by itself. */
  readonly sale: SaleRecord;
  /** INR decimal string; undefined where none is known. */
  readonly reserve: string | undefined;
  /** Whether this program has made an offer on it before. */
  readonly offered: boolean;
  /** Server time, Unix milliseconds. */
  readonly now: number;
}

/** The bank's policy. It sees facts and sends nothing, so it can be replaced, and tested, by itself. */
export function judge({ sale, reserve, offered, now }: Facts, { margin }: Settings): Verdict {
  const { bid_id: bidId, amount } = sale.data ?? {};
  if (bidId === undefined || amount === undefined) return hold('it names no bid, or no amount');
  if (reserve === undefined) return hold('no reserve is known for its lot');
  const offer = offerOf(sale);
  if (offer === 'unreadable') return hold('there is an offer on it that can not be read');
  if (offer !== undefined) return judgeOffer(offer, { bidId, reserve, now });

  const missing = toPaise(reserve) - toPaise(amount);
  const place = `${formatInr(amount)}, the reserve being ${formatInr(reserve)}`;
  if (missing <= 0n) return { action: 'approve', bidId, amount, why: `the bid is ${place}` };
  if (missing > toPaise(margin)) return hold(`the bid is ${place}: too far below`);
  if (offered) return hold(`the bid is ${place}, and the buyer has not taken the offer made`);
  return { action: 'offer', amount: reserve, why: `the bid is ${place}: within the margin` };
}

function judgeOffer(
  offer: Offer,
  { bidId, reserve, now }: { readonly bidId: string; readonly reserve: string; readonly now: number },
): Verdict {
  const { id, state, amount, validUntil } = offer;
  const what = `offer ${id} of ${formatInr(amount)}`;
  if (!(Date.parse(validUntil) > now)) return hold(`${what} has lapsed: it was valid until ${validUntil}`);
  if (state === 'open') return { action: 'wait', why: `${what} waits for the buyer until ${validUntil}` };
  if (state !== 'accepted') return hold(`${what} is ${state}`);
  if (toPaise(amount) < toPaise(reserve)) return hold(`${what} is accepted, and below the reserve`);
  return { action: 'approve', bidId, amount, offer, why: `${what} is accepted` };
}

function hold(why: string): Verdict {
  return { action: 'hold', why };
}
