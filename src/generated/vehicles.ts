// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
import type { CallOptions, Caller } from '../ports/caller.js';
import type { LotSummary } from './lots.js';
import { lotSummarySchema } from './lots.js';

export const vehicles = {
  get: {
    name: 'vehicles.get',
    id: 'vehicles.get',
    method: 'GET',
    path: '/vehicles/{vehicle}',
    availability: 'callable',
    effect: 'read',
    params: { vehicle: 'pathId' },
    success: [200],
    envelope: 'object',
    reply: { fields: { data: lotSummarySchema } },
  },
} satisfies Readonly<Record<string, Route>>;

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
   * Excludes the bank's private inventory fields. `events.lot` reads the extended fields and the caller's
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
