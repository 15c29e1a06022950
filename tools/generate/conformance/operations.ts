import { auctionTests } from './auction-tests.js';
import { moneyTests } from './money-tests.js';
import type { Places } from './rule.js';
import { saleTests } from './sale-tests.js';
import { vehicleTests } from './vehicle-tests.js';

/** Tests of a method beside those that every method has. */
export const furtherTests: Readonly<Record<string, Places>> = {
  ...auctionTests,
  ...saleTests,
  ...moneyTests,
  ...vehicleTests,
};
