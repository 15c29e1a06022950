import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Credentials } from '../../src/client/options.js';
import { refusal } from '../support/bid-replies.js';
import { credentials, dealer, event, rejection, SECRET } from '../support/clients.js';
import { never } from '../support/failing-callbacks.js';

/** A function that gives what it is told to. */
const giving = (...given: readonly unknown[]) => {
  const rest = [...given];
  return () => rest.shift() as Credentials;
};

describe('credentials from a function', () => {
  it('are asked for at the first call, once, however many calls begin together', async () => {
    let asked = 0;
    const { client, transport } = dealer([event, event, event], {
      credentials: async () => {
        asked += 1;
        return credentials;
      },
    });
    expect(asked).toBe(0);
    await Promise.all(['a', 'b', 'c'].map((id) => client.events.get(id)));
    expect(asked).toBe(1);
    expect(transport.sent).toHaveLength(3);
  });

  it('are shown as far as they are known, and never the secret', async () => {
    const { client } = dealer([event], { credentials: () => credentials });
    expect(inspect(client)).toContain('"clientId":"(not fetched yet)"');
    await client.events.get('a');
    expect(inspect(client)).toContain('"clientId":"cl_7f3a","keyId":"key_19c2"');
    expect(inspect(client, { depth: 9, showHidden: true }) + JSON.stringify(client)).not.toContain(SECRET);
  });

  const sealed = () => {
    throw new Error('vault sealed');
  };
  it.each<[string, () => Credentials | Promise<Credentials>]>([
    ['nothing', giving(undefined)],
    ['a rejection', async () => sealed()],
    ['a throw', sealed],
  ])('that give %s fail before anything is sent', async (_, source) => {
    const { client, transport } = dealer([event], { credentials: source });
    expect(await rejection(client.events.get('a'))).toMatchObject({
      name: 'ConfigurationError',
      option: 'credentials',
      reason: 'failed',
      outcome: 'not_sent',
      attempts: 0,
    });
    expect(transport.sent).toEqual([]);
  });

  // rule: header.client-id
  it('must stay with one client id: another one is refused, because keys of bids belong to it', async () => {
    const { client, transport } = dealer([refusal(401, 'KEY_REVOKED'), event], {
      credentials: giving(credentials, { ...credentials, clientId: 'cl_other' }),
    });
    expect(await rejection(client.events.get('a'))).toMatchObject({ code: 'KEY_REVOKED' });
    expect(transport.sent).toHaveLength(1);
  });

  it('are asked for again after a failure, and by the next call where they did not come', async () => {
    const given = [
      () => Promise.reject(new Error('vault sealed')),
      () => new Promise<never>(() => undefined),
    ];
    let asked = 0;
    const { client, clock } = dealer([event], { credentials: () => given[asked++]?.() ?? credentials });
    await rejection(client.events.get('a'));
    const late = rejection(client.events.get('a', { deadline: 100 }));
    await clock.advance(100);
    expect(await late).toMatchObject({ name: 'TimeoutError' });
    await client.events.get('a');
    expect(asked).toBe(3);
  });

  it('that hang fail the call after 30 seconds, naming the function and the limit', async () => {
    const { client, clock, transport } = dealer([event], { credentials: () => never });
    const failed = rejection(client.events.get('a'));
    await clock.advance(30_000);
    expect(await failed).toMatchObject({
      ...{ name: 'ConfigurationError', option: 'credentials', reason: 'failed', outcome: 'not_sent' },
      message: expect.stringContaining('credentials provider failed: it did not answer within 30000 ms'),
      cause: { name: 'CallbackTimeoutError' },
    });
    expect(transport.sent).toEqual([]);
  });
});
