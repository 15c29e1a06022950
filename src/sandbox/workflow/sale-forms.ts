import type { World } from '../world.js';
import { activeOffer } from './active-offer.js';
import type { Sale } from './entities.js';
import { type Data, offerView, saleView } from './views.js';

/*
 * How a sale is shown, where the API leaves the form open (unknowns: `sale-absent-fields`, `active-offer-shape`).
 */

/** A sale as commands show it. */
export function shownSale(world: World, sale: Sale): Data {
  return inForm(world, saleView(sale), {});
}

/** A sale as a list shows it. */
export function listedSale(world: World, sale: Sale): Data {
  return world.settings.variants['active-offer-shape'] === 'in-lists'
    ? detailedSale(world, sale)
    : shownSale(world, sale);
}

/** A sale read by itself: with the offer that counts. */
export function detailedSale(world: World, sale: Sale): Data {
  const offer = activeOffer(sale);
  if (offer !== undefined) {
    return inForm(world, saleView(sale), { active_offer: { ...offerView(offer), sale_id: sale.id } });
  }
  const isAbsent = world.settings.variants['active-offer-shape'] === 'absent';
  return inForm(world, saleView(sale), isAbsent ? {} : { active_offer: null });
}

function inForm({ settings }: World, view: Data, more: Data): Data {
  const { data, ...record } = view;
  const all = Object.entries({ ...Object(data), ...more });
  const mayBeNull = settings.variants['sale-absent-fields'] === 'null';
  const shown = all.filter(([name, value]) => mayBeNull || value !== null || name === 'active_offer');
  const { created_at, updated_at, ...head } = record;
  return { ...head, data: Object.fromEntries(shown), created_at, updated_at };
}
