import { describe, expect, it } from 'vitest';
import { accepted, dealer, event, loggerOf, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';
import { settle } from '../support/virtual-clock.js';

const closed = { name: 'AbortedError', outcome: 'not_sent' };

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
    expect(String(await patient)).toContain('15000 ms.');
  });

  it('builds on what the client had, and leaves alone what is undefined', async () => {
    const { client, clock } = dealer([{ hang: true }], { timeout: 700 });
    const failed = rejection(client.withOptions({ maxAttempts: 1, timeout: undefined }).events.get('auc_1'));
    await clock.advance(700);
    expect(String(await failed)).toContain('700 ms.');
  });

  it('keeps what the client is: dealer, rules, credentials', async () => {
    const { client, transport } = dealer([event]);
    const other = client.withOptions({ timeout: 1 });
    expect(JSON.stringify(other)).toBe(JSON.stringify(client));
    const withBuyer = JSON.parse('{"amount":"1","bidder_reference":"b"}');
    const issues = [{ path: 'bidder_reference' }];
    expect(await rejection(other.bids.submit('lot_1', withBuyer))).toMatchObject({ issues });
    await other.events.get('auc_1');
    expect(transport.sent[0]?.headers['X-Client-ID']).toBe('cl_7f3a');
  });

  it('shares the end: closing either closes both', async () => {
    const { client } = dealer([]);
    const other = client.withOptions({ timeout: 1 });
    await other.close();
    expect(await rejection(client.events.get('auc_1'))).toMatchObject(closed);
    await Promise.all([client.withOptions({}).close(), client.close()]);
  });

  it('sends log lines to another logger', async () => {
    const lines: string[] = [];
    const logger = loggerOf((message) => lines.push(message));
    const { client } = dealer([event]);
    await client.withOptions({ logger, logLevel: 'debug' }).events.get('auc_1');
    expect(lines).toEqual(['Request']);
  });
});

describe('closing a client', () => {
  it('waits for what is under way, lets nothing else in, and leaves an injected transport alone', async () => {
    const randomness = { fraction: () => 1, nonce: () => 'n'.repeat(16) };
    const steps: Step[] = [{ fail: 'maybe' }, { status: 201, json: accepted() }];
    const { client, transport, clock } = dealer(steps, { randomness });
    const call = client.bids.submit('lot_1', { amount: '1' });
    await settle();
    let isOver = false;
    const closing = client.close().then(() => {
      isOver = true;
    });
    await settle();
    expect(isOver).toBe(false);
    expect(await rejection(client.events.get('auc_1'))).toMatchObject(closed);
    await clock.advance(250);
    expect(await call).toMatchObject({ status: 'accepted' });
    await closing;
    expect(transport.sent).toHaveLength(2);
    expect(transport.closed).toBe(0);
    await client.close();
  });
});
