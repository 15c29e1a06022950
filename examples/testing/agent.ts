import { type BidOutcome, bidSituation, nextBids, type PartnerClient, toPaise } from 'vehicle-auction-sdk';

/** The result of an order. */
export interface Result {
  /**
   * `leading`, or the reason why not. `in_doubt`: the outcome of a bid is unknown, so run the order again to
   * settle it.
   */
  readonly status: 'leading' | 'limit_reached' | 'closed' | 'in_doubt';
  /** The latest amount accepted or in doubt, INR decimal string; null without one. */
  readonly amount: string | null;
}

export interface Order {
  readonly eventId: string;
  readonly lotId: string;
  /** Highest amount to bid, INR decimal string. */
  readonly limit: string;
}

/**
 * The code under test: a dealer's agent. It bids the next amount on a lot until it leads, reaches the limit or the
 * auction ends, and records every accepted bid in the dealer's books.
 */
export class Agent {
  readonly #auction: PartnerClient<'direct_dealer'>;
  readonly #booksUrl: string;

  constructor(auction: PartnerClient<'direct_dealer'>, booksUrl: string) {
    this.#auction = auction;
    this.#booksUrl = booksUrl;
  }

  async carryOut({ eventId, lotId, limit }: Order): Promise<Result> {
    const doubted = await this.#settle(lotId);
    if (doubted !== undefined) return { status: 'in_doubt', amount: doubted };
    for (;;) {
      const event = await this.#auction.events.get(eventId);
      const lot = await this.#auction.events.lot(eventId, lotId);
      if (lot.bidder_status === 'leading') return { status: 'leading', amount: lot.own_amount ?? null };
      if (event.status !== 'live') return { status: 'closed', amount: lot.own_amount ?? null };
      const [amount] = nextBids(bidSituation(event, lot), 1);
      if (amount === undefined || toPaise(amount) > toPaise(limit)) {
        return { status: 'limit_reached', amount: lot.own_amount ?? null };
      }
      const outcome = await this.#auction.bids.place({ lot, event, amount });
      if (!(await this.#isKnown(outcome, lotId, amount))) return { status: 'in_doubt', amount };
    }
  }

  /** Looks up our bids in doubt on this lot: another bid could outbid them. @returns the amount of one that stays in doubt */
  async #settle(lotId: string): Promise<string | undefined> {
    for await (const { idempotencyKey, lot, amount = '' } of this.#auction.intents.list()) {
      if (lot !== lotId) continue;
      const outcome = await this.#auction.intents.reconcile(idempotencyKey);
      const isBid = !('path' in outcome); // commands have one
      if (isBid && !(await this.#isKnown(outcome, lot, amount))) return amount;
    }
    return undefined;
  }

  /** A rejection is not a failure: another bidder was faster, or the auction closed. The next read shows which. */
  async #isKnown(outcome: BidOutcome, lotId: string, amount: string): Promise<boolean> {
    const { status, codes, what } = outcome;
    if (status === 'unknown') return false;
    if (status === 'accepted') await this.#enter({ bid_id: outcome.bidId, lot_id: lotId, amount });
    else if (!codes.length || codes.some((code) => !overtaken.includes(code))) throw new Error(what);
    return true;
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

const overtaken = ['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'];
