import { accessChoices } from './variants/access.js';
import { auctionChoices } from './variants/auctions.js';
import { bidChoices } from './variants/bids.js';
import { catalogueChoices } from './variants/catalogue.js';
import { paperChoices } from './variants/papers.js';
import { readChoices } from './variants/reads.js';
import { saleChoices } from './variants/sales.js';
import { vehicleChoices } from './variants/vehicles.js';
import { webhookChoices } from './variants/webhooks.js';
import { wireChoices } from './variants/wire.js';

/**
 * What the sandbox can do where the API leaves a choice, by row of the open questions. The first choice of each is the
 * default. Switch one with `startSandbox({ variants: { 'bank-unavailable-status': '403' } })`.
 */
export const choices = {
  ...accessChoices,
  ...wireChoices,
  ...catalogueChoices,
  ...bidChoices,
  ...auctionChoices,
  ...readChoices,
  ...saleChoices,
  ...vehicleChoices,
  ...paperChoices,
  ...webhookChoices,
} as const satisfies Readonly<Record<string, readonly [string, string, ...string[]]>>;

/** One choice for each row. */
export type Variants = { readonly [Row in keyof typeof choices]: (typeof choices)[Row][number] };

/** Fills in the defaults. Throws a RangeError for a row or a choice that there isn't. */
export function chosen(wanted: Partial<Variants> = {}): Variants {
  for (const [row, choice] of Object.entries(wanted)) {
    const allowed: readonly string[] | undefined = Object.hasOwn(choices, row)
      ? choices[row as keyof Variants]
      : undefined;
    if (allowed === undefined) {
      throw new RangeError(`no variant ${JSON.stringify(row)}; they are ${Object.keys(choices).join(', ')}`);
    }
    if (!allowed.includes(choice)) {
      throw new RangeError(`variant ${row} is ${allowed.map((each) => JSON.stringify(each)).join(' or ')}`);
    }
  }
  return { ...defaults, ...wanted };
}

const defaults = Object.fromEntries(
  Object.entries(choices).map(([row, [first]]) => [row, first]),
) as Variants;
