import { touch, touchSale } from '../workflow/changes.js';
import { announce } from '../workflow/notices.js';
import { milestonesOf } from '../workflow/transfers.js';
import type { World } from '../world.js';

/** The hand of the government registry on ownership transfers. */
export class TransferControls {
  readonly #world: World;

  /** @internal */
  constructor(world: World) {
    this.#world = world;
  }

  /**
   * Confirms the latest milestone of a sale's transfer, which is `government_verified` from then on; a later milestone
   * is not, until it is confirmed too. Throws a RangeError where nothing is recorded, or it is confirmed already.
   */
  verify(saleId: string): void {
    const { cases, settings } = this.#world;
    const sale = cases.sales.get(saleId);
    if (sale === undefined) throw new RangeError(`the sandbox has no sale ${JSON.stringify(saleId)}`);
    const latest = milestonesOf(this.#world, sale).at(-1);
    if (latest === undefined) throw new RangeError(`no transfer of sale ${saleId} is recorded`);
    if (latest.verified) throw new RangeError(`transfer ${latest.id} is confirmed already`);
    latest.verified = true;
    touch(this.#world, latest);
    if (settings.variants['release-and-transfer-version'] === 'sale') touchSale(this.#world, sale);
    const subject = `Transfer ${latest.id}: the registry confirms ${latest.state} for sale ${saleId}`;
    announce(this.#world, 'transfer.verified', latest, subject);
  }
}
