import { expect, it } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { ConfigurationError } from '../../src/errors/local.js';
import { credentials } from '../support/clients.js';

const options = { environment: 'sandbox', baseUrl: 'https://bank.example/api/v1', credentials } as const;
const partner = new PartnerClient({ ...options, partnerType: 'platform', dealerId: 'D-204' });
const bank = new BankClient(options);

/** `resource.method` of everything that one of our classes gives a client. */
function methodsOf(client: object): string[] {
  return Object.entries(client).flatMap(([name, resource]) => {
    const methods: string[] = [];
    for (let at = Object(resource); at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
      for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
        if (typeof value === 'function' && method !== 'constructor' && at !== resource) methods.push(method);
      }
    }
    return [...new Set(methods)].map((method) => `${name}.${method}`);
  });
}

const [partners, banks] = [methodsOf(partner), methodsOf(bank)];
const foreign = [
  ...partners.filter((call) => !banks.includes(call)).map((call) => [call, bank] as const),
  ...banks.filter((call) => !partners.includes(call)).map((call) => [call, partner] as const),
];

it.each(foreign)('%s names the right client when the other actor calls it', (call, client) => {
  const [resource = '', method = ''] = call.split('.');
  const run = () => Reflect.get(Object(Reflect.get(client, resource)), method)();
  expect(run).toThrow(ConfigurationError);
  expect(run).toThrow(expect.objectContaining({ option: 'client', outcome: 'not_sent' }));
});
