import * as z from 'zod';
import { HandRefusedError } from '../hands/carrying-out.js';
import { findAuction } from '../named.js';
import { RivalBidError } from '../rivals/rival.js';
import type { Auction } from '../store.js';
import type { WireRequest } from '../wire.js';
import { bodyOf, declining, stepOf } from './bodies.js';
import { Declined } from './declined.js';
import { factsChange } from './fact-changes.js';
import { faultPlan } from './fault-plans.js';
import type { Inspected } from './inspected.js';
import { auctionView } from './standing-views.js';
import { Views } from './views.js';

/** What the control interface changes, with the hands that tests have. Each answers with what came of it. */
export class Commands {
  readonly #of: Inspected;
  readonly #views: Views;

  constructor(inspected: Inspected) {
    this.#of = inspected;
    this.#views = new Views(inspected);
  }

  /** Moves the clock forward, by `ms` or `to` a moment. */
  moveClock(request: WireRequest) {
    const { clock } = this.#of.world;
    const by = stepOf(request, clock.now()) - clock.now();
    if (!(by >= 0 && by <= farthestMs)) {
      throw new Declined(400, 'The clock moves forward only, and by ten years at the most.');
    }
    clock.advance(by);
    return { now: clock.now() };
  }

  close(idOrLabel: string, request: WireRequest) {
    bodyOf(request, z.strictObject({}));
    const auction = this.#auction(idOrLabel);
    declining(409, () => this.#of.auctions.close(auction.id));
    return auctionView(this.#of.world, auction);
  }

  /** Moves the close: by `ms`, to earlier where that is negative, or `to` a moment. */
  moveClose(idOrLabel: string, request: WireRequest) {
    const auction = this.#auction(idOrLabel);
    const close = stepOf(request, auction.endsAt);
    if (!(Math.abs(close - this.#of.world.clock.now()) <= farthestMs)) {
      throw new Declined(400, 'A close is ten years away at the most.');
    }
    declining(409, () => this.#of.auctions.moveClose(auction.id, close));
    return auctionView(this.#of.world, auction);
  }

  /** The rival bids `amount`, or the least that it may. */
  rivalBid(lotId: string, request: WireRequest) {
    if (!this.#of.world.store.lots.has(lotId)) throw new Declined(404, 'The sandbox has no such lot.');
    const { rival } = this.#of;
    const { amount } = bodyOf(request, z.strictObject({ amount: decimal.optional() }));
    return declining(
      409,
      () => (amount === undefined ? rival.bidNext(lotId) : rival.bid(lotId, amount)),
      (error) => error instanceof RivalBidError,
    );
  }

  /** Does the next step of a sale, named by its id or its lot's, for the bank or the buyer; everything is filled in. */
  bringOn(step: SaleStep, saleOrLotId: string, request: WireRequest) {
    bodyOf(request, z.strictObject({}));
    const { cases, store } = this.#of.world;
    if (!cases.sales.has(saleOrLotId) && !store.lots.has(saleOrLotId)) {
      throw new Declined(404, 'The sandbox has no such sale, and no such lot.');
    }
    const { bank, buyer } = this.#of;
    return declining(
      409,
      () => (step === 'acknowledge' ? buyer[step](saleOrLotId) : bank[step](saleOrLotId)),
      isRefusal,
    );
  }

  /** Plans a fault, in the words of `sandbox.inject`. */
  inject(request: WireRequest) {
    const plan = faultPlan(request);
    const before = new Set(this.#of.faults.armed().map(({ n }) => n));
    declining(400, () => this.#of.faults.inject(plan));
    return this.#views.faults().find(({ n }) => !before.has(n));
  }

  /** Withdraws a fault that still waits. */
  withdraw(n: string) {
    const found = this.#of.faults.armed().find((each) => String(each.n) === n);
    if (found === undefined) throw new Declined(404, 'No such fault waits.');
    found.withdraw();
    return { faults: this.#views.faults() };
  }

  /** Changes some of a client's facts. */
  update(clientId: string, request: WireRequest) {
    this.#views.partner(clientId);
    const change = factsChange(request);
    declining(400, () => this.#of.partners.update(clientId, change));
    return this.#views.partner(clientId);
  }

  /** Pauses or resumes the scanner of uploaded evidence. */
  scanner(request: WireRequest) {
    const { running } = bodyOf(request, z.strictObject({ running: z.boolean() }));
    const { scanner } = this.#of.world;
    if (running) scanner.resume();
    else scanner.pause();
    return { running };
  }

  #auction(idOrLabel: string): Auction {
    const found = findAuction(this.#of.world.store, idOrLabel);
    if (found === undefined) throw new Declined(404, 'The sandbox has no such auction.');
    return found;
  }
}

/** The steps of a sale that the control interface does, in their order. */
export const saleSteps = ['approve', 'acknowledge', 'settle', 'release', 'collect'] as const;
export type SaleStep = (typeof saleSteps)[number];

/** A refusal of the service, or a lot that has no sale yet. */
function isRefusal(error: unknown): error is Error {
  return error instanceof HandRefusedError || error instanceof RangeError;
}

const decimal = z.string().regex(/^\d{1,15}(?:\.\d{1,2})?$/, 'an INR decimal string such as "465000.00"');
const farthestMs = 10 * 366 * 86_400_000;
