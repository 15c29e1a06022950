import { describe, expect, it } from 'vitest';
import type { Scope } from '../../src/api/scopes.js';
import { refusal } from '../support/bid-replies.js';
import { bank, dealer, rejection } from '../support/clients.js';
import { ScriptedTransport } from '../support/scripted-transport.js';

const profile = {
  environment: 'Sandbox',
  client_id: 'cl_7f3a',
  actor_type: 'partner',
  partner_type: 'direct_dealer',
  dealer_id: 'D-204',
  scopes: ['catalogue:read', 'bids:write', 'bids:read'],
};
const reply = (over: object = {}, server_time = '2026-03-02T06:00:00Z') => [
  { status: 200, json: { data: { ...profile, ...over }, server_time } },
];

const verified = (over: object = {}, server_time?: string) =>
  dealer(reply(over, server_time), { environment: 'sandbox' }).client.verify();
const levels = async (...given: Parameters<typeof verified>) =>
  Object.fromEntries((await verified(...given)).map(({ what, level }) => [what, level]));

const fields = ['actor_type', 'environment', 'partner_type', 'dealer_id', 'scopes', 'clock'];
const good = Object.fromEntries(fields.map((field) => [field, 'ok']));

describe('verify', () => {
  // rule: general.6, convention.5, version.5
  it.each([
    [{ actor_type: 'bank' }, { actor_type: 'problem' }],
    [{ environment: 'uat' }, { environment: 'note' }],
    [{ partner_type: 'dealer' }, { partner_type: 'note' }],
    [{ dealer_id: 'D-999' }, { dealer_id: 'problem' }],
    [{ dealer_id: null }, { dealer_id: 'problem' }],
    [{ scopes: ['catalogue:read', 'bids:read'] }, { scopes: 'problem' }],
    [{ scopes: 'bids:write' }, { scopes: 'problem' }],
    [{ partner_type: {} }, { partner_type: 'note' }],
    [{ actor_type: 5 }, { actor_type: 'problem' }],
  ])('%o', async (over, found) => {
    expect(await levels(over)).toEqual({ ...good, ...found });
  });

  it('shows no bidi, zero-width or control characters of the service', async () => {
    const odd = 'D\u202e-1\u200b\u0007\u001b[31m';
    const found = await verified({ dealer_id: odd, environment: odd, partner_type: odd, scopes: [odd] });
    const { client } = dealer(reply({ client_id: odd }));
    const { message } = Object(await rejection(client.verify()));
    const wrong = dealer([...reply({ dealer_id: odd }), { status: 500 }]);
    const write = await rejection(wrong.client.bids.submit('lot_1', { amount: '1' }));
    for (const text of [JSON.stringify(found), message, String(write)])
      expect(text).not.toMatch(/\p{Cf}|(?!\s)\p{Cc}|\\u00/u);
    expect(String(write)).toContain('D-1');
  });

  it('says which dealer id the service knows where none is set, and keeps silent where it knows none', async () => {
    const found = async (dealer_id: string | null) => {
      const { client } = dealer(reply({ dealer_id }), { dealerId: undefined });
      return (await client.verify()).filter(({ what }) => what === 'dealer_id');
    };
    const note = { level: 'note', what: 'dealer_id', expected: '(not set)', found: 'D-204' };
    const nextStep = expect.stringContaining('D-204');
    expect(await found('D-204')).toEqual([{ ...note, nextStep }]);
    expect(await found(null)).toEqual([]);
  });

  it('judges by the scopes that a program needs, and knows a misspelt one', async () => {
    const { client, transport } = dealer([...reply(), ...reply(), ...reply()]);
    const found = async (scopes: readonly Scope[] | undefined) =>
      (await client.verify({ scopes, timeout: 1_000 })).find(({ what }) => what === 'scopes');
    expect(await found(['bids:write'])).toMatchObject({ level: 'ok', expected: 'bids:write' });
    const nextStep = expect.stringContaining('lot-status:read');
    expect(await found(['bids:write', 'lot-status:read'])).toMatchObject({ level: 'problem', nextStep });
    expect(await found(undefined)).toMatchObject({ expected: 'catalogue:read, bids:write, bids:read' });
    const misspelt: Scope[] = JSON.parse('["bid:write"]');
    expect(await rejection(found(misspelt))).toMatchObject({
      name: 'InvalidRequestError',
      outcome: 'not_sent',
      issues: [{ path: 'options.scopes', message: expect.stringContaining('bid:write is none') }],
    });
    expect(transport.sent).toHaveLength(3);
  });

  // rule: general.8, canonical.clock, limit.clock
  it('measures the clock, both ways', async () => {
    expect(await levels({}, '2026-03-02T06:02:30Z')).toEqual(good);
    expect(await levels({}, '2026-03-02T06:02:31Z')).toEqual({ ...good, clock: 'problem' });
    expect(await levels({}, '2026-03-02T05:57:29Z')).toEqual({ ...good, clock: 'problem' });
  });

  // rule: version.5
  it('says what to do about each finding that is not as expected', async () => {
    const findings = await dealer(reply({ dealer_id: 'D-999', scopes: [] })).client.verify();
    expect(findings.map(({ what }) => what)).toContain('environment');
    for (const { level, nextStep } of findings) expect(nextStep === '').toBe(level === 'ok');
    const dealerId = findings.find(({ what }) => what === 'dealer_id');
    expect(dealerId).toMatchObject({ expected: 'D-204', found: 'D-999' });
  });

  it('throws where there is no doubt', async () => {
    const error = await rejection(verified({ client_id: 'cl_other' }));
    expect(error).toMatchObject({ name: 'ConfigurationError', option: 'credentials.clientId' });
    const { client } = dealer([], { transport: new ScriptedTransport(refusal(401, 'KEY_REVOKED')) });
    const refused = { name: 'AuthenticationError', code: 'KEY_REVOKED' };
    expect(await rejection(client.verify())).toMatchObject(refused);
  });

  it('knows a bank', async () => {
    const { client } = bank(reply({ actor_type: 'bank', scopes: ['integration:read'] }));
    expect((await client.verify()).map(({ level }) => level)).toEqual(['ok', 'ok', 'ok', 'ok']);
  });
});
