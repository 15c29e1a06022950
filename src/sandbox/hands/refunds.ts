import { rupees } from '../money.js';
import { moveRefund } from '../workflow/refund-moves.js';
import type { Refund } from '../workflow/reversal-entities.js';
import type { World } from '../world.js';

/** A refund as tests see it. */
export interface RefundInfo {
  readonly id: string;
  readonly state: 'approved_pending_execution' | 'processing' | 'succeeded' | 'failed';
  readonly paymentId: string;
  /** The refund request that it came from. */
  readonly refundRequestId: string;
  /** INR decimal string. */
  readonly amount: string;
}

/** The hand of whoever transfers the money: no operation of the API carries a refund out. */
export class RefundControls {
  readonly #world: World;

  /** @internal */
  constructor(world: World) {
    this.#world = world;
  }

  /** Every refund, oldest first. */
  list(): RefundInfo[] {
    return [...this.#world.cases.refunds.values()].map(info);
  }

  /**
   * Moves a refund on: from `approved_pending_execution` to any of these, from `processing` to an end. A failed one
   * gives its money back to where it was taken from. Throws a RangeError for a refund that there isn't, and for a move
   * that can't be.
   */
  advance(refundId: string, to: 'processing' | 'succeeded' | 'failed'): RefundInfo {
    const refund = this.#world.cases.refunds.get(refundId);
    if (refund === undefined) throw new RangeError(`the sandbox has no refund ${JSON.stringify(refundId)}`);
    if (!next[refund.state].includes(to)) {
      throw new RangeError(`refund ${refundId} is ${refund.state}; it can't become ${JSON.stringify(to)}`);
    }
    moveRefund(this.#world, refund, to);
    return info(refund);
  }
}

const next: Readonly<Record<Refund['state'], readonly string[]>> = {
  approved_pending_execution: ['processing', 'succeeded', 'failed'],
  processing: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
};

function info({ id, state, request }: Refund): RefundInfo {
  return {
    id,
    state,
    paymentId: request.payment.id,
    refundRequestId: request.id,
    amount: rupees(request.amount),
  };
}
