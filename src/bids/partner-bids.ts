import type { PartnerType } from '../api/operation.js';
import { contextOf } from '../core/caller.js';
import { InvalidRequestError } from '../errors/local.js';
import type { Standing } from '../following/standing.js';
import type { BidsRequestCancellationBody, CancellationRecord } from '../generated/bids.js';
import { PartnerBids as BidCalls, bids as operations } from '../generated/bids.js';
import { refuseOtherKey } from '../intents/runs.js';
import type { BaseOptions, Caller, MutationOptions } from '../ports/caller.js';
import { placeAll } from './bulk/place-all.js';
import { planBatch } from './bulk/plan.js';
import type {
  BatchPlan,
  BatchRun,
  BidRow,
  FileRow,
  PlaceAllOptions,
  RowSource,
  RowsOf,
} from './bulk/types.js';
import { placeBid } from './place.js';
import type { BidPorts } from './ports.js';
import { prepareBid } from './prepare.js';
import { type Quote, type QuoteRequest, quote } from './quote.js';
import { type LotToStand, type StandingsOptions, standings } from './standings.js';
import type { BidToPlace, PlacedBid, PlaceOptions } from './types.js';

/** Bids: place them safely, one or many; submit, list, read, look up, ask for cancellation. */
export class PartnerBids<P extends PartnerType = PartnerType> extends BidCalls<P> {
  readonly #parts: BidPorts;
  readonly #dealerId: string;
  readonly #isDirect: boolean;

  /** @internal */
  constructor(call: Caller, parts: BidPorts, bidder: { readonly dealerId: string; readonly type: P }) {
    super(call);
    this.#parts = parts;
    this.#dealerId = bidder.dealerId;
    this.#isDirect = bidder.type === 'direct_dealer';
  }

  /**
   * Places one bid, and settles its outcome.
   *
   * It is recorded in the store before it is sent, sent with the same bytes under one idempotency key, and looked up
   * (A06) if its outcome is unknown. A crash at any point leaves a record that `recover()` settles.
   *
   * API: `POST /lots/{lot}/bids`, A06, A10; scopes `bids:write`, `bids:read`, `lot-status:read`.
   * @param bid Lot, amount (INR decimal string), buyer, and the latest time to send it.
   * @param options Key, limits of this call, `confirm`, `allowUnresolved`.
   * @returns its outcome: accepted, rejected, refused, not sent, or unknown. Never rejects because of a reply of the service.
   * @throws InvalidRequestError for an invalid bid. Nothing was sent.
   * @throws InDoubtError if an earlier bid of this buyer on this lot is unresolved.
   * @throws IdempotencyConflictError if the key is recorded for another bid.
   * @throws StoreError if the store fails; `outcome` says whether the bid may have been sent.
   */
  place(bid: BidToPlace<P>, options: PlaceOptions = {}): Promise<PlacedBid> {
    return this.#parts.during('bids.place', async () => {
      const prepared = prepareBid(this.#parts, bid, options);
      const outcome = await placeBid(this.#parts, prepared, undefined);
      const { lot = prepared.intended.lot, amount = prepared.intended.amount } = outcome;
      return { ...outcome, lot, amount };
    });
  }

  /**
   * Places many bids, each row once, through one quota.
   *
   * The same rows under the same `batchId` are the same bids: run the batch again after a crash, and nothing is doubled.
   * Rows that wait leave by the close of their lot, and buyers take turns.
   *
   * @param rows Rows with a `rowId`: an array, a generator, or `readBids` of `vehicle-auction-sdk/csv`.
   * @returns a run to iterate for results; it continues even if you don't iterate it.
   * @throws InvalidRequestError for options that can't work; nothing is read then.
   */
  placeAll<R extends BidRow<P> | FileRow>(rows: RowsOf<P, R>, options: PlaceAllOptions<R>): BatchRun<R>;
  placeAll<R extends BidRow>(rows: RowSource<R>, options: PlaceAllOptions<R>): BatchRun<R> {
    return placeAll(this.#parts, rows, options);
  }

  /**
   * Calculates when the bids of a batch would leave, before the first one is placed. It sends and records nothing.
   *
   * It reads the rows, their records in the store, and the state of the quota. The times are the latest for this batch
   * alone: a window that is partly free makes them earlier, and other requests of this client or of other processes
   * make them later.
   *
   * @param rows The same rows as for `placeAll`; the source must be finite.
   * @param options The same options as for `placeAll`.
   * @returns how many requests the batch needs, when the last has left, which rows are late for their close or `placeBy`, which
   *   are answered from the store, and which are held back by a risk limit, a halt or an unresolved bid.
   * @throws InvalidRequestError for options that can't work. StoreError if the store can't be read.
   */
  plan<R extends BidRow<P> | FileRow>(rows: RowsOf<P, R>, options: PlaceAllOptions<R>): Promise<BatchPlan>;
  plan<R extends BidRow>(rows: RowSource<R>, options: PlaceAllOptions<R>): Promise<BatchPlan> {
    return this.#parts.during('bids.plan', () => planBatch(this.#parts, rows, options));
  }

  /**
   * Calculates the next valid amounts of a lot from its standing, its grid and the bid rules.
   *
   * @param request The lot, its event, the buyer.
   * @throws InvalidRequestError if the lot can't be quoted.
   */
  quote(request: QuoteRequest, options: BaseOptions = {}): Promise<Quote> {
    return this.#parts.during('bids.quote', () => quote(this.#parts, this.#dealerId, request, options));
  }

  /**
   * Returns the standing of every buyer on these lots.
   *
   * In open auctions it is derived from `highest_amount` and the accepted bids in the client's store: one request for
   * 100 lots, however many buyers, and none for lots whose status you give. `derived` marks these, and `doubts` names
   * what is uncertain. If the highest amount is hidden, it reads once for each buyer with a bid in the store and 100
   * lots. A direct dealer's own standing is in every status. It reads in the `poll` lane.
   *
   * API: A11, scope `lot-status:read`.
   * @param lots Lots, their public ids, or statuses such as `change.after` of a watch.
   * @param options `buyers` to report on; `confirm` to read what is uncertain; limits of these calls.
   * @throws StoreError if the store can't be read. Errors of A11.
   */
  standings(lots: Iterable<LotToStand>, options: StandingsOptions = {}): Promise<readonly Standing[]> {
    const ownDealer = this.#isDirect ? this.#dealerId : undefined;
    return this.#parts.during('bids.standings', () => standings(this.#parts, ownDealer, lots, options));
  }

  /**
   * Asks the bank to cancel a bid; the bid stays valid until the bank decides.
   *
   * Supporting evidence is described, but its field is not named: `extraBody` can carry it once it is known. From then on,
   * derived standings on the lot are marked as uncertain.
   *
   * API: A07, `POST /bids/{bid}/cancellation-requests`, scope `bids:cancel-request`.
   * @param bid Bid id.
   * @param body What to send: `reason_code`, `explanation`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  override async requestCancellation(
    bid: string,
    body: BidsRequestCancellationBody,
    options?: MutationOptions,
  ): Promise<CancellationRecord> {
    const { during, pipeline, recording } = this.#parts;
    const { ledger } = recording;
    await during('bids.requestCancellation', async () => {
      // Check before recording: a call that can't be sent must not mark the standings on the lot as uncertain.
      const route = operations.requestCancellation;
      const { idempotencyKey = '' } = pipeline.prepare(route, { path: { bid }, body }, options);
      refuseOtherKey(recording.reservations, { ...contextOf(route), idempotencyKey });
      const key = await ledger.within((tx) => tx.evidence.holder('bid_id', bid));
      if (key !== undefined) await ledger.add(key, { type: 'cancellation', at: ledger.now() });
    });
    return super.requestCancellation(bid, body, options);
  }

  /**
   * Stops all bidding of this account, in every process on the store, until `resume()`. Lookups and commands continue.
   *
   * @param reason Why; it appears in the outcome of every bid that is held back.
   * @throws StoreError if the halt can't be recorded.
   */
  halt(reason: string): Promise<void> {
    const text = typeof reason === 'string' ? reason.trim() : '';
    return this.#parts.during('bids.halt', async () => {
      if (text === '') {
        const message = 'must say why; it appears in the outcome of every bid that is held back';
        throw new InvalidRequestError([{ path: 'reason', message }], {
          call: 'bids.halt',
          operation: 'bids.halt',
        });
      }
      await this.#parts.recording.ledger.within((tx) => tx.account.setHalt(text));
    });
  }

  /**
   * Allows bids again after `halt()`. Bids that were held back are not sent automatically: place them again.
   *
   * @throws StoreError if the change can't be recorded.
   */
  resume(): Promise<void> {
    return this.#parts.during('bids.resume', () =>
      this.#parts.recording.ledger.within((tx) => tx.account.setHalt(undefined)),
    );
  }
}
