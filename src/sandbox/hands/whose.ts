import type { Party } from '../parties.js';
import type { Entity, Sale } from '../workflow/entities.js';
import type { World } from '../world.js';

/** The sale under an id, or the latest one of a lot. Throws a RangeError when there is none. */
export function namedSale({ cases, store }: World, saleOrLotId: string): Sale {
  const named = cases.sales.get(saleOrLotId);
  const found = named ?? [...cases.sales.values()].findLast(({ lot }) => lot.id === saleOrLotId);
  if (found !== undefined) return found;
  throw new RangeError(
    store.lots.has(saleOrLotId)
      ? `lot ${saleOrLotId} has no sale; one is opened for its leading bid when its auction closes`
      : `the sandbox has no sale or lot ${JSON.stringify(saleOrLotId)}`,
  );
}

/** The record under an id, of a map of them. Throws a RangeError when there is none. */
export function named<T extends Entity>(all: ReadonlyMap<string, T>, id: string, kind: string): T {
  const found = all.get(id);
  if (found === undefined) throw new RangeError(`the sandbox has no ${kind} ${JSON.stringify(id)}`);
  return found;
}

/** The bank whose record it is; the other one of its credentials where `but` is the one that it is not to be. */
export function bankOf({ parties }: World, { owner }: Entity, but?: Party): Party {
  const found = parties
    .all()
    .find((party) => party.actor === 'bank' && party.bankId === owner.bankId && party !== but);
  if (found === undefined) throw new RangeError(`the sandbox has no other credentials of ${owner.bankId}`);
  return found;
}

/** The client whose bid a sale rests on. */
export function buyerClient({ parties }: World, { bid }: Sale): Party {
  const found = parties.find(bid.clientId);
  if (found === undefined) throw new RangeError(`the sandbox has no client ${bid.clientId}`);
  return found;
}
