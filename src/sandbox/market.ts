import type { Auction, Bid } from './store.js';

/** Tells rivals what a bidder can notice: accepted bids, and auctions that open or whose close moves. */
export class Market {
  readonly #ofBids = new Set<(bid: Bid) => void>();
  readonly #ofSchedules = new Set<(auction: Auction) => void>();

  /** Calls a listener on every accepted bid; the returned function ends that. */
  onBid(listener: (bid: Bid) => void): () => void {
    this.#ofBids.add(listener);
    return () => this.#ofBids.delete(listener);
  }

  /** Calls a listener whenever an auction opens or its close moves; the returned function ends that. */
  onSchedule(listener: (auction: Auction) => void): () => void {
    this.#ofSchedules.add(listener);
    return () => this.#ofSchedules.delete(listener);
  }

  tellBid(bid: Bid): void {
    for (const listener of this.#ofBids) listener(bid);
  }

  tellSchedule(auction: Auction): void {
    for (const listener of this.#ofSchedules) listener(auction);
  }
}
