import { touch } from '../workflow/changes.js';
import { announce } from '../workflow/notices.js';
import type { Dispute } from '../workflow/reversal-entities.js';
import type { World } from '../world.js';

/** A dispute as tests see it. */
export interface DisputeInfo {
  readonly id: string;
  readonly state: 'open' | 'resolved';
  readonly saleId: string;
}

/** The hand that settles disputes: no operation of the API does. */
export class DisputeControls {
  readonly #world: World;

  /** @internal */
  constructor(world: World) {
    this.#world = world;
  }

  /** Every dispute, oldest first. */
  list(): DisputeInfo[] {
    return [...this.#world.cases.disputes.values()].map(info);
  }

  /**
   * Resolves an open dispute: what it froze can go on, unless another one is open. Throws a RangeError for a dispute
   * that there isn't, or that is resolved.
   */
  resolve(disputeId: string): DisputeInfo {
    const dispute = this.#world.cases.disputes.get(disputeId);
    if (dispute === undefined) {
      throw new RangeError(`the sandbox has no dispute ${JSON.stringify(disputeId)}`);
    }
    if (dispute.state !== 'open') throw new RangeError(`dispute ${disputeId} is resolved already`);
    dispute.state = 'resolved';
    touch(this.#world, dispute);
    const subject = `Dispute ${dispute.id} about sale ${dispute.sale.id} is resolved`;
    announce(this.#world, 'dispute.resolved', dispute, subject);
    return info(dispute);
  }
}

function info({ id, state, sale }: Dispute): DisputeInfo {
  return { id, state, saleId: sale.id };
}
