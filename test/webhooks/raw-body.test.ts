import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { verifySignature } from '../../src/webhooks/index.js';
import { headersFor, nowMs, refusal, secret } from './delivery.js';

const options = { secrets: secret, nowMs };
const text = '{"name":"टाटा"}';
const bytes = new TextEncoder().encode(text);
const headers = headersFor(text);

describe('the raw body', () => {
  it.each([
    ['a Uint8Array', bytes],
    ['a Buffer', Buffer.from(text)],
    ['a view into a larger buffer', new Uint8Array([0, ...bytes, 0]).subarray(1, -1)],
    ['an ArrayBuffer', Uint8Array.from(bytes).buffer],
    ['its text', text],
    ['bytes of another realm', runInNewContext('Uint8Array.from(bytes)', { bytes })],
    ['an ArrayBuffer of another realm', runInNewContext('Uint8Array.from(bytes).buffer', { bytes })],
  ])('may be %s', (_, body) => {
    expect(verifySignature(body, headers, options).secretIndex).toBe(0);
  });

  it('may be empty, as bytes and as text', () => {
    expect(verifySignature(new Uint8Array(), headersFor(''), options).secretIndex).toBe(0);
    expect(verifySignature('', headersFor(''), options).secretIndex).toBe(0);
  });

  // rule: webhook.raw
  it('may hold a byte order mark, or bytes that are not UTF-8', () => {
    for (const odd of [Buffer.from('\ufeff{}'), Buffer.from([0xff, 0xfe, 0x00, 0x80])]) {
      expect(verifySignature(odd, headersFor(odd), options).secretIndex).toBe(0);
    }
  });

  it.each([
    ['a parsed object', JSON.parse(text)],
    ['a parsed list', []],
    ['undefined', undefined],
    ['null', null],
    ['a number', 5],
    ['a Blob', new Blob([text])],
  ])('is refused: %s', (_, body) => {
    const error = refusal(() => verifySignature(body, headers, options));
    expect(error.reason).toBe('BODY_NOT_BYTES');
    expect(error.nextStep).toMatch(/before JSON\.parse.*express\.raw/);
  });

  it('given as text that lost bytes is a mismatch, and says why', () => {
    const invalid = Buffer.from([0x7b, 0xff, 0x7d]);
    const error = refusal(() => verifySignature(invalid.toString('utf8'), headersFor(invalid), options));
    expect(error.reason).toBe('SIGNATURE_MISMATCH');
    expect(error.nextStep).toContain('pass the bytes themselves');
    expect(refusal(() => verifySignature(bytes, headersFor('x'), options)).nextStep).not.toContain('as text');
  });
});
