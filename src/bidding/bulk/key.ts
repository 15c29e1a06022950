import { v5 } from 'uuid';

/**
 * The idempotency key of a row: UUIDv5 of API client, batch and row, so it is known before anything is sent and never has
 * to be remembered. The environment isn't in it: the service keeps keys apart by it anyhow, and naming it in a client's
 * options one day would make every bid a new one.
 */
export function bulkKey(clientId: string, batchId: string, rowId: string): string {
  // As JSON, no two triples have the same text.
  return v5(JSON.stringify([clientId, batchId, rowId]), BULK_NAMESPACE);
}

/** What a row bids, in short. A row that was begun must not come back with another. */
export interface BidContent {
  readonly lotId: string;
  /** Integer paise: however the amount is written. */
  readonly paise: bigint;
  readonly bidderReference: string | undefined;
  readonly dealerId: string | undefined;
}

/** A UUID that changes with the content of a bid: it is written beside a result, to know edited rows by. */
export function bidCheck(key: string, { lotId, paise, bidderReference, dealerId }: BidContent): string {
  return v5(JSON.stringify([lotId, `${paise}`, bidderReference ?? '', dealerId ?? '']), key);
}

/** Any UUID will do as long as it stays: with another one, every row of every batch would be a new bid. */
const BULK_NAMESPACE = '2f4c1d0e-7b0a-5c55-9a53-64b8ad9f0c17';
