import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { signedDelivery } from '../../../src/sandbox/webhooks/post.js';
import vectors from '../../vectors/webhooks.json' with { type: 'json' };

const fresh = vectors.filter(({ valid }) => valid);
const event = { id: 'evt_1', body: Buffer.from('{"id":"evt_1"}') };
const now = 1_767_230_600_999;
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

describe('signatures of deliveries', () => {
  // rule: webhook.signed
  it.each(fresh)('are as in vector $id: $why', (vector) => {
    const body = Buffer.from(vector.raw_body_base64, 'base64');
    const signed = signedDelivery(vector.secret, { id: 'evt_1', body }, Number(vector.timestamp) * 1_000);
    expect(signed.headers).toMatchObject({
      'Service-Timestamp': vector.timestamp,
      'Service-Signature': vector.signature_header,
    });
    expect(Buffer.from(signed.body).equals(body)).toBe(true);
  });

  // rule: webhook.signed
  it('stand with the time in Unix seconds and the event id', () => {
    expect(fresh.length).toBeGreaterThan(5);
    expect(signedDelivery('whsec_1', event, now)).toEqual({
      headers: {
        'Content-Type': 'application/json',
        'Service-Timestamp': '1767230600',
        'Service-Signature': `v1=${hmac('whsec_1', '1767230600.{"id":"evt_1"}')}`,
        'Service-Event-ID': 'evt_1',
      },
      body: event.body,
    });
  });

  it.each([
    ['signature', 'not whsec_1', '1767230600', '{"id":"evt_1"}', '{"id":"evt_1"}', 'evt_1'],
    ['body', 'whsec_1', '1767230600', '{"id":"evt_1"}', '{"id":"evt_1"} ', 'evt_1'],
    ['timestamp', 'whsec_1', '1767227000', '{"id":"evt_1"}', '{"id":"evt_1"}', 'evt_1'],
    ['event-id', 'whsec_1', '1767230600', '{"id":"evt_1"}', '{"id":"evt_1"}', 'evt_1x'],
  ] as const)('can be wrong in the %s, and in nothing else', (tamper, secret, at, hashed, sent, id) => {
    const { headers, body } = signedDelivery('whsec_1', event, now, tamper);
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'Service-Timestamp': at,
      'Service-Signature': `v1=${hmac(secret, `${at}.${hashed}`)}`,
      'Service-Event-ID': id,
    });
    expect(Buffer.from(body).toString()).toBe(sent);
  });
});
