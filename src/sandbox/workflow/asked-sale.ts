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

/** The same for a command about money, which only an approved sale is owed: 409 before, and after its cancellation. */
export function approvedSale(call: Call, id: string): Sale {
  const sale = namedSale(call, id);
  mustBeApproved(sale);
  return sale;
}

/** The same for money that arrived: it is written down even where the sale was cancelled meanwhile. */
export function soldSale(call: Call, id: string): Sale {
  const sale = namedSale(call, id);
  if (!sale.cancelled) mustBeApproved(sale);
  return sale;
}

/** Only what the bank has approved, and not cancelled since, goes on: else a 409. */
export function mustBeApproved(sale: Sale): void {
  if (sale.cancelled) throw conflict('The sale is cancelled.');
  if (sale.state !== 'approved') throw conflict('The sale is not approved.');
}
