import { expect, it } from 'vitest';
import { ConfigurationError } from '../../src/errors/local.js';
import { routes } from '../../src/generated/routes.js';
import { bank as bankOf, platform } from '../support/clients.js';

const partner = platform([]).client;
const bank = bankOf([]).client;

/** `resource.method` of everything that one of our classes gives a client. */
function methodsOf(client: object): string[] {
  return Object.entries(client).flatMap(([name, resource]) => {
    const methods = new Set<string>();
    for (let at = Object(resource); at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
      for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
        if (typeof value === 'function' && method !== 'constructor' && at !== resource) methods.add(method);
      }
    }
    return [...methods].map((method) => `${name}.${method}`);
  });
}

const [partners, banks] = [methodsOf(partner), methodsOf(bank)];
const foreign = [
  ...partners.filter((call) => !banks.includes(call)).map((call) => [call, bank, 'PartnerClient'] as const),
  ...banks.filter((call) => !partners.includes(call)).map((call) => [call, partner, 'BankClient'] as const),
];

it.each(foreign)('%s names the right client when the other actor calls it', (call, client, right) => {
  const [resource = '', method = ''] = call.split('.');
  const run = () => Reflect.get(Object(Reflect.get(client, resource)), method)();
  expect(run).toThrow(ConfigurationError);
  expect(run).toThrow(expect.objectContaining({ option: 'client', outcome: 'not_sent' }));
  expect(run).toThrow(new RegExp(`on a ${right}`));
});

it.each([
  ['partner', partners],
  ['bank', banks],
] as const)('The client of a %s has a method for every operation that it may call', (actor, methods) => {
  const described = routes.filter(({ actors }) => actors === undefined || actors.includes(actor));
  expect(described.length).toBeGreaterThan(30);
  expect(described.map(({ name }) => name).filter((name) => !methods.includes(name))).toEqual([]);
});

it('A resource of the other actor is not listed among the properties of a client', () => {
  expect(Object.keys(partner)).not.toContain('bankReceipts');
});
