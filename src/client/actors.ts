import type { Actor } from '../api/operation.js';
import { ConfigurationError } from '../errors/local.js';
import { routes } from '../generated/routes.js';

/** Helpers that only one of the two clients has. */
const helpers: Readonly<Record<Actor, readonly string[]>> = {
  bank: ['approvals.decide', 'approvals.run', 'approvals.audit', 'approvals.export', 'inventory.import'],
  partner: [
    'bids.place',
    'bids.placeAll',
    'bids.plan',
    'bids.quote',
    'bids.standings',
    'bids.halt',
    'bids.resume',
    'lots.watch',
  ],
};

const classes: Readonly<Record<Actor, string>> = { bank: 'BankClient', partner: 'PartnerClient' };

/**
 * Makes the methods of the other actor throw an error that names the right client. TypeScript refuses such a call; plain
 * JavaScript would only report that the method is not a function.
 */
export function refuseOtherActor(client: object, actor: Actor): void {
  const other: Actor = actor === 'bank' ? 'partner' : 'bank';
  const described = routes
    .filter(({ actors }) => actors !== undefined && !actors.includes(actor))
    .map(({ name }) => name);
  for (const call of [...described, ...helpers[other]]) {
    const [resource = '', method = ''] = call.split('.');
    const own: unknown = Object.getOwnPropertyDescriptor(client, resource)?.value;
    const holder: unknown = own ?? hidden(client, resource, {});
    if (typeof holder !== 'object' || holder === null || method in holder) continue;
    hidden(holder, method, () => {
      throw new ConfigurationError(
        'client',
        `is a ${classes[actor]}, and ${call} is for a ${other}: call it on a ${classes[other]} with the ${other}'s credentials`,
        { call },
      );
    });
  }
}

function hidden(holder: object, name: string, value: object): object {
  Object.defineProperty(holder, name, { value, enumerable: false, configurable: true });
  return value;
}
