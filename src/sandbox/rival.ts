import type { Code } from '../api/codes.js';
import { decideBid } from './bidding.js';
import { paise } from './money.js';
import type { Party } from './parties.js';
import { buyerOf } from './standings.js';
import type { World } from './world.js';

/** The rival's bid was refused or rejected; `codes` says why. */
export class RivalBidError extends Error {
  readonly codes: readonly Code[];

  constructor(codes: readonly Code[]) {
    super(`the rival's bid was not accepted: ${codes.join(', ')}`);
    this.name = 'RivalBidError';
    this.codes = codes;
  }
}

/** A second dealer who bids when told to, under the same rules as everybody. */
export class Rival {
  readonly #world: World;
  readonly #party: Party;

  /** @internal */
  constructor(world: World, party: Party) {
    this.#world = world;
    this.#party = party;
  }

  /** Places a bid (INR decimal string). Throws a RivalBidError when it isn't accepted. */
  bid(lotId: string, amount: string): { readonly bidId: string; readonly lotVersion: number } {
    const { store, ids, clock } = this.#world;
    const lot = store.lots.get(lotId);
    if (lot === undefined) throw new RangeError(`the sandbox has no lot ${JSON.stringify(lotId)}`);
    const party = this.#party;
    const outcome = decideBid(
      this.#world,
      {
        party,
        auction: store.auctionOf(lot),
        lot,
        dealerId: party.facts.dealerId ?? '',
        bidderReference: undefined,
        buyer: buyerOf(party, undefined),
        amount: paise(amount),
      },
      {
        requestId: ids.next('req'),
        idempotencyKey: ids.uuid(),
        receivedAt: clock.now(),
        fingerprint: '',
      },
    );
    if (outcome.status !== 'accepted') throw new RivalBidError(outcome.codes);
    return { bidId: outcome.bid.id, lotVersion: outcome.bid.lotVersion };
  }
}
