// Generated from src/api by `npm run generate`; edits are lost.

import type { Caller } from '../core/caller.js';
import { Bids } from './bids.js';
import { Events } from './events.js';
import { Integration } from './integration.js';
import { Lots } from './lots.js';

/** What bank-service credentials may call. */
export abstract class BankResources {
  /** Who the credentials are and what the deployment can do. */
  readonly integration: Integration;
  /** Auction events and the lots in them. */
  readonly events: Events;
  /** Lots across all permitted auctions, and where they stand. */
  readonly lots: Lots;
  /** Bids: submit, list, read, look up by idempotency key, ask for cancellation. */
  readonly bids: Bids;

  /** @internal */
  constructor(call: Caller) {
    this.integration = new Integration(call);
    this.events = new Events(call);
    this.lots = new Lots(call);
    this.bids = new Bids(call);
  }
}
