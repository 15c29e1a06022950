import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/errors/local.js';
import { signDelivery, verifySignature, verifyWebhook } from '../../src/webhooks/index.js';
import vectors from '../vectors/webhooks.json' with { type: 'json' };
import { headersFor, nowMs, saleApproved, secret, timestamp } from './delivery.js';

describe('signDelivery', () => {
  // rule: webhook.signed
  it.each(vectors.filter(({ valid }) => valid))('makes the header of vector $id', (vector) => {
    const body = Buffer.from(vector.raw_body_base64, 'base64');
    const signed = signDelivery({ body, secret: vector.secret, timestamp: Number(vector.timestamp) });
    expect(signed.headers['Service-Signature']).toBe(vector.signature_header);
    expect(signed.headers['Service-Timestamp']).toBe(vector.timestamp);
    expect(Buffer.from(signed.body)).toEqual(body);
  });

  it('serialises an event once, signs those bytes and names its id', () => {
    const { headers, body } = signDelivery({ body: saleApproved, secret, timestamp });
    expect(new TextDecoder().decode(body)).toBe(JSON.stringify(saleApproved));
    expect(headers).toEqual({
      ...headersFor(body),
      'Service-Event-ID': 'evt_1',
      'Content-Type': 'application/json',
    });
    expect(verifyWebhook(body, headers, { secrets: secret, nowMs })).toEqual(saleApproved);
  });

  it.each([
    ['text', '{"id":"evt_1"}', '{"id":"evt_1"}'],
    ['bytes', Buffer.from('hello'), 'hello'],
    ['an ArrayBuffer', new Uint8Array([0x68, 0x69]).buffer, 'hi'],
    ['null', null, 'null'],
    ['an object without a usable id', { id: 'a b\n' }, '{"id":"a b\\n"}'],
    ['an object with a numeric id', { id: 5 }, '{"id":5}'],
  ])('takes %s', (_, body, text) => {
    const signed = signDelivery({ body, secret, timestamp });
    expect(new TextDecoder().decode(signed.body)).toBe(text);
    expect(signed.headers).not.toHaveProperty('Service-Event-ID');
    expect(verifySignature(signed.body, signed.headers, { secrets: secret, nowMs }).timestamp).toBe(
      timestamp,
    );
  });

  it('signs now where no timestamp is given', () => {
    expect(signDelivery({ body: {}, secret, nowMs: nowMs + 999 }).headers['Service-Timestamp']).toBe(
      String(timestamp),
    );
    vi.useFakeTimers({ now: nowMs + 5000, toFake: ['Date'] });
    try {
      expect(signDelivery({ body: {}, secret }).headers['Service-Timestamp']).toBe(String(timestamp + 5));
    } finally {
      vi.useRealTimers();
    }
  });

  it('makes headers that fetch takes', () => {
    const { headers, body } = signDelivery({ body: saleApproved, secret, timestamp });
    const request = new Request('http://localhost/hook', {
      method: 'POST',
      headers,
      body: Buffer.from(body),
    });
    expect(request.headers.get('service-event-id')).toBe('evt_1');
  });

  const circular: Record<string, unknown> = {};
  circular['self'] = circular;

  it.each<[string, Parameters<typeof signDelivery>[0], string]>([
    ['no body', { body: undefined, secret }, 'body'],
    ['a function', { body: () => 1, secret }, 'body'],
    ['a circle', { body: circular, secret }, 'body'],
    ['a bigint', { body: { n: 1n }, secret }, 'body'],
    ['an empty secret', { body: {}, secret: '' }, 'secrets[0]'],
    ['a broken timestamp', { body: {}, secret, timestamp: 1.5 }, 'timestamp'],
    ['a negative timestamp', { body: {}, secret, timestamp: -1 }, 'timestamp'],
    ['no time', { body: {}, secret, nowMs: Number.NaN }, 'timestamp'],
  ])('refuses %s', (_, delivery, option) => {
    expect(() => signDelivery(delivery)).toThrow(ConfigurationError);
    expect(() => signDelivery(delivery)).toThrow(expect.objectContaining({ option }));
  });
});
