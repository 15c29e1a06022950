import type { WireCase } from '../case.js';
import { bids } from './bids.js';
import { catalogue } from './catalogue.js';
import { documents } from './documents.js';
import { integration } from './integration.js';
import { inventory } from './inventory.js';
import { payments } from './payments.js';
import { releases } from './release.js';
import { sales } from './sale.js';

/** Every method, in the order of the text. */
export const cases: readonly WireCase[] = [
  ...catalogue,
  ...bids,
  ...integration,
  ...sales,
  ...payments,
  ...releases,
  ...inventory,
  ...documents,
];
