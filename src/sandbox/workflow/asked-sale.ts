import { type Call, param } from '../call.js';
import { find, mayHave } from './cases.js';
import { conflict, unfit } from './commands.js';
import type { Sale } from './entities.js';

/** The sale that the path names, or a 404. */
export function saleInPath(call: Call): Sale {
  return find(call.party, call.world.cases.sales, param(call, 'sale'));
}

/** The sale that a body names in `sale_id`, or a 422 on it: whether it exists elsewhere isn't told. */
export function namedSale({ world, party }: Call, id: string): Sale {
  const sale = world.cases.sales.get(id);
  if (sale === undefined || !mayHave(party, sale.owner)) throw unfit('sale_id', 'There is no such sale.');
  return sale;
}

/** The same for a command about money, which only an approved sale is owed: 409 before. */
export function approvedSale(call: Call, id: string): Sale {
  const sale = namedSale(call, id);
  if (sale.state !== 'approved') throw conflict('The sale is not approved.');
  return sale;
}
