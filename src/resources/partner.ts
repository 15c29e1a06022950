// Generated from src/api by `npm run generate`; edits are lost.

import type { PartnerType } from '../api/operation.js';
import type { Caller } from '../core/caller.js';
import { Events } from './events.js';
import { Integration } from './integration.js';
import { PartnerBids } from './bids.js';
import { PartnerLots } from './lots.js';

/** What partner credentials may call. */
export abstract class PartnerResources<P extends PartnerType = PartnerType> {
  /** Who the credentials are and what the deployment can do. */
  readonly integration: Integration;
  /** Auction events and the lots in them. */
  readonly events: Events;
  /** Lots across all permitted auctions, and where they stand. */
  readonly lots: PartnerLots;
  /** Bids: submit, list, read, look up by idempotency key, ask for cancellation. */
  readonly bids: PartnerBids<P>;

  /** @internal */
  constructor(call: Caller) {
    this.integration = new Integration(call);
    this.events = new Events(call);
    this.lots = new PartnerLots(call);
    this.bids = new PartnerBids(call);
  }
}
