// Generated from src/api by `npm run generate`; edits are lost.

import type { CallOptions, Caller } from '../core/caller.js';
import type { LotSummary } from '../models/lots.js';
import { vehicles } from '../routes/vehicles.js';

/** Published vehicles, by public lot id. */
export class Vehicles {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Reads the summary of one vehicle.
   *
   * Without the bank's private inventory fields; `events.lot` reads the extended fields and the caller's
   * standing.
   *
   * Specific codes: `BANK_ACCESS_DENIED`, `AUCTION_ACCESS_DENIED`.
   *
   * API: `GET /vehicles/{vehicle}`, scope `vehicles:read`; "Catalogue and events".
   * @param vehicle Public lot id; not an inventory vehicle id.
   * @param options Signal, timeout, deadline, attempts and lane of this call.
   */
  get(vehicle: string, options?: CallOptions): Promise<LotSummary> {
    return this.#call<LotSummary>(vehicles.get, { path: { vehicle } }, options);
  }
}
