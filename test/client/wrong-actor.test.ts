import { describe, expect, it } from 'vitest';
import { bank, dealer } from '../support/clients.js';

/** Calls a method by its name, as plain JavaScript can. */
function call(client: object, resource: string, method: string): unknown {
  const holder: object = Reflect.get(client, resource);
  return Reflect.apply(Reflect.get(holder, method), holder, ['id_1', {}]);
}

describe('a method of the other actor', () => {
  it.each([
    ['bids', 'place'],
    ['bids', 'submit'],
    ['lots', 'status'],
    ['saleCases', 'acknowledge'],
  ])('throws an error that names PartnerClient: %s.%s of a bank', (resource, method) => {
    const { client, transport } = bank([]);
    expect(() => call(client, resource, method)).toThrow(
      expect.objectContaining({
        name: 'ConfigurationError',
        option: 'client',
        message: expect.stringContaining("on a PartnerClient with the partner's credentials"),
      }),
    );
    expect(transport.sent).toEqual([]);
  });

  it.each([
    ['saleCases', 'decide'],
    ['bankReceipts', 'import'],
    ['bidCancellations', 'decide'],
  ])('throws an error that names BankClient: %s.%s of a partner', (resource, method) => {
    expect(() => call(dealer([]).client, resource, method)).toThrow(
      /on a BankClient with the bank's credentials/,
    );
  });

  it('is not listed among the properties of a client', () => {
    expect(Object.keys(dealer([]).client)).not.toContain('bankReceipts');
  });
});

it('An array method on a list says how a list is read', () => {
  const list = dealer([]).client.events.list();
  expect(() => Reflect.apply(Reflect.get(list, 'map'), list, [String])).toThrow(/for await .*toArray/);
});
