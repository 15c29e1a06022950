// Generated from src/api by `npm run generate`; edits are lost.

import type { CallOptions, Caller } from '../core/caller.js';
import type { Capabilities, Profile } from '../models/integration.js';
import { integration } from '../routes/integration.js';

/** Who the credentials are and what the deployment can do. */
export class Integration {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Reads who these credentials are: environment, bank, partner, dealer, scopes, permitted operations.
   *
   * The cheapest call that proves that signing works.
   *
   * API: A01, `GET /integration/profile`, scope `integration:read`; "Integration, eligibility, bids, lot
   * status".
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  profile(options?: CallOptions): Promise<Profile> {
    return this.#call<Profile>(integration.profile, {}, options);
  }

  /**
   * Reads what this deployment supports: versions, policies, whether webhooks and realtime are on.
   *
   * API: A02, `GET /integration/capabilities`, scope `integration:read`; "Integration, eligibility, bids, lot
   * status".
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  capabilities(options?: CallOptions): Promise<Capabilities> {
    return this.#call<Capabilities>(integration.capabilities, {}, options);
  }
}
