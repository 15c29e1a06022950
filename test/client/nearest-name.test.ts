import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PartnerClient } from '../../src/client/partner-client.js';
import { bank, dealer, event } from '../support/clients.js';

describe('a misspelt name', () => {
  const { client } = dealer([event]);

  it.each<[wrong: (client: object) => unknown, message: string]>([
    [(one) => Reflect.get(Reflect.get(one, 'bids'), 'lookUp'), 'no bids.lookUp. Did you mean bids.lookup?'],
    [(one) => Reflect.get(Reflect.get(one, 'bids'), 'plase'), 'Did you mean bids.place?'],
    [(one) => Reflect.get(Reflect.get(one, 'lots'), 'status_batch'), 'Did you mean lots.statusBatch?'],
    [(one) => Reflect.get(Reflect.get(one, 'media'), 'downlaod'), 'Did you mean media.download?'],
    [(one) => Reflect.get(Reflect.get(one, 'intents'), 'reconcille'), 'Did you mean intents.reconcile?'],
    [(one) => Reflect.get(one, 'notification'), 'no notification. Did you mean notifications?'],
    [(one) => Reflect.get(Reflect.get(one, 'bids'), 'plcae'), 'Did you mean bids.place?'],
    [(one) => Reflect.get(Reflect.get(one, 'bids'), 'submitBid'), 'Did you mean bids.submit?'],
    [(one) => Reflect.get(Reflect.get(one, 'events'), 'listEvents'), 'Did you mean events.list?'],
    [(one) => Reflect.get(one, 'recovr'), 'Did you mean recover?'],
    [(one) => Reflect.get(one, 'salecases'), 'Did you mean saleCases?'],
  ])('throws an error that names the nearest one: %#', (wrong, message) => {
    expect(() => wrong(client)).toThrow(TypeError);
    expect(() => wrong(client)).toThrow(message);
    expect(() => wrong(client.withOptions({ timeout: 1_000 }))).toThrow(message);
  });

  it('of a bank client is named by its own members', () => {
    const { client } = bank([]);
    expect(() => Reflect.get(client.approvals, 'decides')).toThrow('Did you mean approvals.decide?');
  });

  it('that resembles nothing is undefined, as are the names that runtimes and tools ask for', async () => {
    const tools = [
      'then',
      'toJSON',
      'inspect',
      'asymmetricMatch',
      'nodeType',
      '$$typeof',
      'length',
      'size',
      'x',
    ];
    for (const name of [...tools, 'frobnicate']) {
      expect(Reflect.get(client.bids, name)).toBeUndefined();
      if (!['inspect', 'toJSON'].includes(name)) expect(Reflect.get(client, name)).toBeUndefined();
    }
    expect([await client.bids, `${client.bids}`]).toEqual([client.bids, '[object Object]']);
  });

  it('changes nothing else', () => {
    expect(client).toBeInstanceOf(PartnerClient);
    expect([client, client.bids, client.media]).toSatisfy((all: readonly unknown[]) =>
      all.every((one) => one instanceof Object),
    );
    expect(Object.keys(client.bids)).toEqual([]);
    expect(inspect(client)).toContain('PartnerClient');
    expect('lookUp' in client.bids).toBe(false);
  });
});
