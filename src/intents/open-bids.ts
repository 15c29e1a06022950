import type { CallContext } from '../errors/base.js';
import type { BidColumns, StoredIntent } from '../store/intents.js';
import type { StoreTransaction } from '../store/store.js';
import { foreignIntent, unresolvedBids } from './answers.js';
import { type Client, isForeign } from './content.js';
import type { Recording } from './recording.js';

/** A bid that another bid of the same buyer on the same lot may block. */
interface NextBid extends Pick<BidColumns, 'lot' | 'buyer'> {
  readonly key: string;
  readonly context: CallContext;
  /** Keys of bids that don't block it. */
  readonly ignored?: ReadonlySet<string> | undefined;
}

/** The error for a bid of a buyer with an unresolved bid on the same lot. */
export async function unresolvedBefore(
  recording: Pick<Recording, 'ledger' | keyof Client>,
  tx: StoreTransaction,
  next: NextBid,
): Promise<Error | undefined> {
  const { key, lot, buyer, context, ignored } = next;
  const isOther = (row: StoredIntent) => row.key !== key && ignored?.has(row.key) !== true;
  const others = (await tx.intents.openBids(lot, buyer)).flatMap((row) =>
    isOther(row) ? (recording.ledger.intentOf(row) ?? []) : [],
  );
  const foreign = others.find((other) => isForeign(other.content, recording));
  if (foreign !== undefined) return foreignIntent(foreign, true, context);
  const [first] = others;
  return first === undefined
    ? unresolvedElsewhere(recording, tx, next)
    : unresolvedBids(first, others, context);
}

/**
 * The same error for a bid under another account label or environment: the service knows this client by its id only.
 */
export async function unresolvedElsewhere(
  recording: Pick<Recording, 'ledger' | keyof Client>,
  tx: StoreTransaction,
  { lot, buyer, context }: NextBid,
): Promise<Error | undefined> {
  const own = (await tx.intents.openBidsElsewhere(lot, buyer)).flatMap((row) => {
    const other = recording.ledger.intentOf(row);
    return other === undefined || isForeign(other.content, recording) ? [] : [other];
  });
  const [first] = own;
  return first && unresolvedBids(first, own, context);
}
