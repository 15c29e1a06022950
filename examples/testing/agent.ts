import {
  BidRejectedError,
  bidSituation,
  type EventLot,
  nextBids,
  type PartnerClient,
  toPaise,
} from 'vehicle-auction-sdk';

/** What became of an order. */
export interface Result {
  /** `leading`, or why we don't. */
  readonly status: 'leading' | 'limit_reached' | 'closed';
  /** Our latest accepted amount, INR decimal string; null where none was accepted. */
  readonly amount: string | null;
}

export interface Order {
  readonly eventId: string;
  readonly lotId: string;
  /** Highest amount to bid, INR decimal string. */
  readonly limit: string;
}

/**
 * The code under test: a dealer's agent. It bids the next amount on a lot until it leads, the limit is reached or the
 * auction is over, and tells the dealer's own books of every bid that was accepted.
 */
export class Agent {
  readonly #auction: PartnerClient<'direct_dealer'>;
  readonly #booksUrl: string;

  constructor(auction: PartnerClient<'direct_dealer'>, booksUrl: string) {
    this.#auction = auction;
    this.#booksUrl = booksUrl;
  }

  async carryOut({ eventId, lotId, limit }: Order): Promise<Result> {
    for (;;) {
      const event = await this.#auction.events.get(eventId);
      const lot = await this.#auction.events.lot(eventId, lotId);
      if (lot.bidder_status === 'leading') return { status: 'leading', amount: lot.own_amount ?? null };
      if (event.status !== 'live') return { status: 'closed', amount: lot.own_amount ?? null };
      const [amount] = nextBids(bidSituation(event, lot), 1);
      if (amount === undefined || toPaise(amount) > toPaise(limit)) {
        return { status: 'limit_reached', amount: lot.own_amount ?? null };
      }
      await this.#bid(lot, amount);
    }
  }

  /** A rejection is no failure: somebody was quicker, or the auction has closed. The next look tells which. */
  async #bid(lot: EventLot, amount: string): Promise<void> {
    try {
      const receipt = await this.#auction.bids.submit(lot.id, { amount });
      await this.#enter({ bid_id: receipt.bid_id, lot_id: lot.id, amount });
    } catch (error) {
      const overtaken = ['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'];
      if (error instanceof BidRejectedError && error.codes.every((code) => overtaken.includes(code))) return;
      throw error;
    }
  }

  async #enter(entry: Readonly<Record<string, unknown>>): Promise<void> {
    const reply = await fetch(`${this.#booksUrl}/entries`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(entry),
    });
    if (!reply.ok) throw new Error(`the books answered ${reply.status}`);
  }
}
