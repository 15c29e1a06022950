import { describe, expect, it } from 'vitest';
import { dealer, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

const event: Step = {
  status: 200,
  json: { data: { id: 'auc_1', status: 'live', bid_increment: '5000.00', revision: 1 } },
};

describe('withOptions()', () => {
  it('changes limits for the new client only', async () => {
    const { client, transport, clock } = dealer([{ fail: 'no' }, { fail: 'no' }, { hang: true }]);
    const hasty = client.withOptions({ maxAttempts: 1, timeout: 50 });
    await rejection(hasty.events.get('auc_1'));
    expect(transport.sent).toHaveLength(1);
    const patient = rejection(client.withOptions({ maxAttempts: 2 }).events.get('auc_1'));
    await clock.advance(14_999);
    expect(transport.sent).toHaveLength(3);
    await clock.advance(1);
    expect(String(await patient)).toContain('15000 ms');
  });

  it('builds on what the client had, and leaves alone what is undefined', async () => {
    const { client, clock } = dealer([{ hang: true }], { timeout: 700 });
    const failed = rejection(client.withOptions({ maxAttempts: 1, timeout: undefined }).events.get('auc_1'));
    await clock.advance(700);
    expect(String(await failed)).toContain('700 ms');
  });

  it('keeps what the client is: dealer, rules, credentials', async () => {
    const { client, transport } = dealer([event]);
    const other = client.withOptions({ timeout: 1 });
    expect(JSON.stringify(other)).toBe(JSON.stringify(client));
    const withBuyer = JSON.parse('{"amount":"1","bidder_reference":"b"}');
    expect(String(await rejection(other.bids.submit('lot_1', withBuyer)))).toMatch(
      /direct dealer bids for itself/,
    );
    await other.events.get('auc_1');
    expect(transport.sent[0]?.headers['X-Client-ID']).toBe('cl_7f3a');
  });

  it('shares the end: closing either closes both', async () => {
    const { client } = dealer([]);
    const other = client.withOptions({ timeout: 1 });
    await other.close();
    expect(await rejection(client.events.get('auc_1'))).toMatchObject({
      name: 'AbortedError',
      outcome: 'not_sent',
    });
    expect(client.withOptions({}).close()).toBe(client.close());
  });

  it('sends log lines to another logger', async () => {
    const lines: string[] = [];
    const note = (message: string) => void lines.push(message);
    const { client } = dealer([event]);
    const logger = { error: note, warn: note, info: note, debug: note };
    await client.withOptions({ logger, logLevel: 'debug' }).events.get('auc_1');
    expect(lines).toEqual(['Attempt']);
  });

  it.each([
    [{ baseUrl: 'https://x.example/api/v1' }, /baseUrl can't be changed by withOptions\(\)/],
    [{ credentials: {} }, /credentials can't be changed/],
    [{ timeout: 0 }, /timeout must be a positive number/],
    [{ logger: {} }, /logger must have the methods/],
    [null, /options must be an object/],
  ])('refuses %j', (options, says) => {
    const { client } = dealer([]);
    expect(() => client.withOptions(options as object)).toThrow(says);
  });
});
