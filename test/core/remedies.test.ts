import { describe, expect, it } from 'vitest';
import { ConnectionError } from '../../src/errors/connection.js';
import { credentials, dealer, event, loggerOf, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

const NOW = Date.parse('2026-03-02T06:00:00Z');

const refused = (code: string, over: object = {}): Step => ({
  status: 401,
  json: { success: false, code, message: 'No.', data: null, errors: [code], request_id: 'req_9', ...over },
});
const expired = (timestamp: string) => refused('TIMESTAMP_EXPIRED', { timestamp });

const stamps = (sent: readonly { readonly headers: Readonly<Record<string, string>> }[]) =>
  sent.map(({ headers }) => Number(headers['X-Timestamp']));

describe('TIMESTAMP_EXPIRED', () => {
  it('corrects what was learned before, for the calls that follow too, also of a derived client', async () => {
    const told = { status: 200, json: { data: [], server_time: '2026-03-02T06:00:00.000Z' } };
    const steps = [told, expired('2026-03-02T05:50:00+00:00'), event, event, event];
    const { client, transport, clock } = dealer(steps);
    await client.request({ method: 'GET', path: '/audit-events' });
    await client.events.get('auc_1');
    await clock.advance(5_000);
    await client.events.get('auc_1');
    await client.withOptions({ timeout: 1_000 }).events.get('auc_1');
    expect(stamps(transport.sent).map((stamp) => stamp - NOW / 1000)).toEqual([0, 0, -600, -595, -595]);
  });

  it('tells of the clock, and how far it is off', async () => {
    const lines: [string, unknown][] = [];
    const logger = loggerOf((message, fields) => lines.push([message, Reflect.get(fields ?? {}, 'offset')]));
    const { client } = dealer([expired('2026-03-02T06:10:00+00:00'), event], { logger, logLevel: 'warn' });
    await client.events.get('auc_1');
    expect(lines[0]).toEqual([expect.stringContaining('clock of this machine is off'), 600_500]);
  });

  it.each([
    ['that is no time', 'yesterday'],
    ['more than a day away', '2027-03-02T06:00:00+00:00'],
  ])('is final with a time %s', async (_, time) => {
    const { client, transport } = dealer([expired(time), event]);
    const error = await rejection(client.events.get('auc_1'));
    expect(error).toMatchObject({ code: 'TIMESTAMP_EXPIRED', outcome: 'refused' });
    expect(transport.sent).toHaveLength(1);
  });

  it.each([
    ['first', [expired('2026-03-02T06:04:00+00:00'), expired('2026-03-02T06:04:00+00:00')]],
    ['after the clock was corrected', [expired('2026-03-02T09:00:00Z'), expired('2026-03-02T09:00:00Z')]],
  ])('does not blame the clock for a timestamp that was current when it left, %s', async (_, steps) => {
    const { client } = dealer(steps);
    const { message } = Object(await rejection(client.events.get('auc_1')));
    expect(message).toContain('The timestamp was current when it left this machine.');
    expect(message).toContain('removes or changes X-Timestamp');
    expect(message).not.toMatch(/clock of this machine|Synchronise/);
  });

  it('keeps to maxAttempts, and the next call is right all the same', async () => {
    const { client, transport } = dealer([expired('2026-03-02T06:10:00+00:00'), event], { maxAttempts: 1 });
    expect(await rejection(client.events.get('auc_1'))).toMatchObject({ attempts: 1 });
    expect(transport.sent).toHaveLength(1);
    await client.events.get('auc_1');
    expect(stamps(transport.sent)).toEqual([NOW / 1000, NOW / 1000 + 600]);
  });

  it('settles nothing after an attempt that may have been let in', async () => {
    const { client, clock } = dealer([
      { fail: 'maybe' },
      refused('TIMESTAMP_EXPIRED'),
      refused('TIMESTAMP_EXPIRED'),
    ]);
    const failed = rejection(client.bids.submit('lot_1', { amount: '465000' }));
    await clock.advance(1);
    expect(await failed).toMatchObject({ code: 'TIMESTAMP_EXPIRED', outcome: 'unknown' });
  });
});

describe('KEY_REVOKED', () => {
  const rotated = { ...credentials, keyId: 'key_2', signingSecret: 'sk_the_second_secret_of_this_test' };
  const revoked = refused('KEY_REVOKED');

  it('asks once for many calls that learn of it together', async () => {
    let asked = 0;
    const { client, transport } = dealer([revoked, revoked, revoked, event, event, event], {
      credentials: async () => (++asked === 1 ? credentials : rotated),
    });
    await Promise.all(['a', 'b', 'c'].map((id) => client.events.get(id)));
    expect(asked).toBe(2);
    const keys = transport.sent.map(({ headers }) => headers['X-Key-ID']);
    expect(keys).toEqual(['key_19c2', 'key_19c2', 'key_19c2', 'key_2', 'key_2', 'key_2']);
  });

  const thrown = { what: 'x', nextStep: 'y' };

  it('leaves a bid in doubt as it is, whatever class of error the function throws', async () => {
    let asked = 0;
    const { client, clock } = dealer([{ fail: 'maybe' }, revoked], {
      credentials: async () => {
        if (++asked === 1) return credentials;
        throw new ConnectionError({ reason: 'connection', outcome: 'not_sent', ...thrown });
      },
    });
    const failed = rejection(client.bids.submit('lot_1', { amount: '465000' }));
    await clock.advance(1);
    expect(await failed).toMatchObject({ code: 'KEY_REVOKED', outcome: 'unknown', attempts: 2 });
  });
});
