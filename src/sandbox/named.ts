import type { Auction, Lot, Store } from './store.js';
import type { World } from './world.js';

/** The auction under an id or a label, for whoever holds the sandbox. Throws a RangeError when there is none. */
export function namedAuction({ store }: World, idOrLabel: string): Auction {
  const found = findAuction(store, idOrLabel);
  if (found === undefined) {
    const labels = [...store.auctions.values()].map(({ label }) => label).join(', ');
    throw new RangeError(`the sandbox has no auction ${JSON.stringify(idOrLabel)}; its labels are ${labels}`);
  }
  return found;
}

/** The same, or undefined. */
export function findAuction({ auctions }: Pick<Store, 'auctions'>, idOrLabel: string): Auction | undefined {
  return auctions.get(idOrLabel) ?? [...auctions.values()].find(({ label }) => label === idOrLabel);
}

/** The lot under an id, withdrawn or not. Throws a RangeError when there is none. */
export function namedLot({ store }: World, id: string): Lot {
  const lot = store.lots.get(id);
  if (lot === undefined) throw new RangeError(`the sandbox has no lot ${JSON.stringify(id)}`);
  return lot;
}
