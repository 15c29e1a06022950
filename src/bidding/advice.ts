import type { EndEntry, Entry, LookEntry } from '../intents/entry.js';
import type { IntendedBid } from '../intents/intent.js';
import type { Standing } from '../intents/standing.js';
import { mendsContent, remedyOf } from './code-words.js';
import type { BidEvidence } from './outcome.js';

/** A bid, and whether it may still be sent. */
export interface Prospect {
  readonly bid: IntendedBid | undefined;
  /** The moment until which it may be sent has passed: another one is wanted. */
  readonly isLate: boolean;
  /** Nothing sends it again under its key, whoever asks: it is only looked up. */
  readonly isOver: boolean;
}

/** @param now server time, Unix ms; undefined where nobody has it at hand */
export function prospectOf(
  bid: IntendedBid | undefined,
  { placeBy = bid?.placeBy, unconfirmed }: Pick<Standing, 'placeBy' | 'unconfirmed'>,
  entries: readonly Entry[],
  now: number | undefined,
): Prospect {
  const isLate = now !== undefined && placeBy !== undefined && placeBy <= now;
  const isClosed = entries.some((entry) => entry.type === 'look' && entry.found === 'closed');
  return { bid, isLate, isOver: isLate || isClosed || unconfirmed };
}

/** How the same bid is placed once more, as a clause. */
export function placeAgain(bid: IntendedBid | undefined): string {
  return bid?.row === undefined
    ? 'place the same bid again under its key (as intentId)'
    : `run the batch ${bid.row.batchId} again`;
}

/** What is left to do for a bid that may be placed again. */
export function ifStillWanted(prospect: Prospect): string {
  return `If it is still wanted, ${inTime(prospect)}.`;
}

/** What mends a refusal; and whether that is the same bid still. */
export function afterRefusal(
  word: EndEntry | LookEntry | undefined,
  codes: readonly string[],
  prospect: Prospect,
): string {
  const status = word?.type === 'end' ? word.status : undefined;
  const remedy =
    remedyOf(codes) ??
    (status === 404
      ? 'Check the lot id, and that the lot is open to these credentials.'
      : 'Mend what it names.');
  if (!mendsContent(codes, status)) return `${remedy} Then ${inTime(prospect)}.`;
  return `${remedy} A corrected bid is a new one, with ${ownKey(prospect.bid)}; ${inTime(prospect)}, only if nothing in it changes.`;
}

/** What may follow a rejection. */
export function afterRejection(codes: readonly string[], bid: IntendedBid | undefined): string {
  const isFinal = `It is final: a further bid is a new one, with ${ownKey(bid)}.`;
  const remedy = remedyOf(codes);
  return remedy === undefined ? isFinal : `${isFinal} ${remedy}`;
}

/** What to do about a bid that is unknown. */
export function stepFor(evidence: BidEvidence | undefined, { bid, isOver }: Prospect): string {
  if (evidence?.kind === 'absent' && evidence.conclusive) {
    return 'It is as good as certain that it was not recorded, yet no proof: abandon it if you mean to bid anew.';
  }
  if (evidence?.kind === 'absent') {
    const after = `Reconcile it by its key after ${new Date(evidence.fenceAt).toISOString()} server time`;
    return isOver
      ? `${after}; it is no longer sent, only looked up. Don't bid anew before that.`
      : `${after}, or ${placeAgain(bid)}, which can't double it; don't bid anew before that.`;
  }
  if (evidence?.kind === 'similar_bids') {
    return 'A person has to say which of them it is, if any; then abandon it.';
  }
  return "Reconcile it by its key (bidding.reconcile, or recover()); don't bid anew before that.";
}

function inTime({ bid, isLate }: Prospect): string {
  return isLate ? `${placeAgain(bid)}, with a later placeBy or none` : placeAgain(bid);
}

/** What tells one bid from another. */
function ownKey(bid: IntendedBid | undefined): string {
  return bid?.row === undefined ? 'a key of its own' : 'a row id of its own';
}
