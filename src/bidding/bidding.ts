import type { PartnerType } from '../api/operation.js';
import type { BaseOptions } from '../core/caller.js';
import { type BulkRun, placeAll } from './bulk/bulk-run.js';
import { bulkPartsOf } from './bulk/client-parts.js';
import type { GivenRows } from './bulk/given-rows.js';
import type { PlaceAllOptions } from './bulk/options.js';
import type { CsvRow } from './bulk/read-bids-csv.js';
import type { BulkRow, RowSource } from './bulk/row.js';
import type { BidOutcome } from './outcome.js';
import type { BiddingParts } from './parts.js';
import { placeBid } from './place.js';
import { type Quote, type QuoteRequest, quote } from './quote.js';
import { abandonBid, reconcileKey } from './reconcile.js';
import type { BidToPlace, PlaceOptions } from './request.js';

/** Bids that can't double and can't get lost: each one is written down before it is sent, and followed until it is known. */
export class Bidding<P extends PartnerType = PartnerType> {
  readonly #parts: BiddingParts;

  /** @internal */
  constructor(parts: BiddingParts) {
    this.#parts = parts;
  }

  /**
   * Places one bid, and resolves with what became of it. Sent again with the same bytes where the network fails; looked
   * up by its key (A06) where it stays unknown. `unknown` is an outcome, never a failure: reconcile it by its key.
   *
   * The same `intentId` again is the same bid: what the service judged is answered from the journal; what was refused or
   * never sent is sent; what is unknown is looked up, and sent again only if that shows nothing and its deadline allows.
   *
   * @param bid `lot` (a record or an id), `amount` (INR decimal string), the buyer where you bid for one.
   * @param options Signal, timeout, deadline (of this call) and attempts; `overInDoubt`.
   * @throws InvalidRequestError for what is certainly wrong; nothing is sent then.
   * @throws InDoubtError while an earlier bid of the same buyer on this lot is unresolved.
   * @throws IdempotencyConflictError where the key is on record for other content.
   * @throws JournalError where the journal can't be written; nothing is sent then.
   * @throws ConfigurationError where the function that gives the credentials fails.
   * @throws AbortedError where the client is closed.
   */
  place(bid: BidToPlace<P>, options: PlaceOptions = {}): Promise<BidOutcome> {
    return this.#parts.during('bidding.place', () => placeBid(this.#parts, bid, options));
  }

  /**
   * Places every row of a source, each once, however often that is done: the key of a row is made of the client id,
   * `batchId` and its `rowId`. Lots that close first go first, bids on one lot by ascending amount, and behind a bid that
   * is in doubt none is sent. The batch goes on by itself; walk what is returned for results as they settle.
   *
   * @param rows An array, any iterable or async iterable, or `readBidsCsv(path)`.
   * @param options `batchId`, and whatever else a batch may be told: concurrency, signal, progress, what wrong rows do.
   * @throws InvalidRequestError for options that can't work. What goes wrong later stands in results and summary.
   */
  placeAll<R extends BulkRow<P> | CsvRow>(rows: GivenRows<P, R>, options: PlaceAllOptions<R>): BulkRun<R>;
  placeAll<R extends BulkRow>(rows: RowSource<R>, options: PlaceAllOptions<R>): BulkRun<R> {
    const parts = bulkPartsOf(this.#parts, (bid, { row, ...limits }) =>
      this.#parts.during('bidding.placeAll', () => placeBid(this.#parts, bid, limits, row)),
    );
    return placeAll(parts, rows, options);
  }

  /**
   * The next amounts that the rules allow on a lot, and whether an earlier bid of the same buyer is in doubt. Advice: the
   * service judges by what it holds when the bid arrives.
   *
   * @param request `lot` and `event`, as records or ids; the buyer where you bid for one; `legacy` for a legacy auction.
   * @throws InvalidRequestError
   */
  quote(request: QuoteRequest, options: BaseOptions = {}): Promise<Quote> {
    return this.#parts.during('bidding.quote', () => quote(this.#parts, request, options));
  }

  /**
   * Looks what became of a bid, and never sends it. What is settled is answered from the journal; a key that the journal
   * doesn't know is looked up all the same.
   *
   * @param key The idempotency key of the bid.
   * @throws InvalidRequestError for a key that is no UUID, or that of a command.
   * @throws JournalError where the journal can't be read.
   */
  reconcile(key: string, options: BaseOptions = {}): Promise<BidOutcome> {
    return this.#parts.during('bidding.reconcile', () => reconcileKey(this.#parts, key, options));
  }

  /**
   * Stops tracking a bid whose outcome is unknown, by your word: new bids on the lot are let through again, and you take
   * the risk of outbidding yourself. It stays on record, and `reconcile` still finds it.
   *
   * @param key The idempotency key of the bid.
   * @param reason Why, for the record.
   * @throws InvalidRequestError where the journal has no unresolved bid under this key, or somebody is at work on it.
   * @throws JournalError where that can't be written down.
   */
  abandon(key: string, reason: string): Promise<BidOutcome> {
    return this.#parts.during('bidding.abandon', () => abandonBid(this.#parts, key, reason));
  }
}
