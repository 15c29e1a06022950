import crypto from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { WebhookRefusal } from '../../src/errors/webhook.js';
import { signDelivery, verifySignature, verifyWebhook } from '../../src/webhooks/index.js';
import { equalDigests } from '../../src/webhooks/signature.js';
import { withoutNodeCrypto } from '../support/without-crypto.js';
import vectors from '../vectors/webhooks.json' with { type: 'json' };
import { headersFor, nowMs, refusal, saleApproved, secret, timestamp } from './delivery.js';

fc.configureGlobal({ seed: 20260306, numRuns: 200 });

const text = '{"name":"टाटा"}';
const bytes = new TextEncoder().encode(text);
const signed = (body: Uint8Array | string) => ({ ...headersFor(body), 'Service-Event-ID': 'evt_1' });
const good = signed(text);
const digits = good['Service-Signature'].slice(3);
const entries = Object.entries(good);
const named = (change: (name: string) => string) =>
  Object.fromEntries(entries.map(([name, value]) => [change(name), value]));
const lower = named((name) => name.toLowerCase());
const lists = Object.fromEntries(entries.map(([key, value]) => [key, [value]]));
const incoming: IncomingHttpHeaders = { host: 'x', 'set-cookie': ['a', 'b'], ...lower };

/** `verifySignature` as plain JavaScript calls it. */
function verify(
  body: unknown = bytes,
  headers: unknown = good,
  more: object = {},
): ReturnType<typeof verifySignature> {
  return Reflect.apply(verifySignature, undefined, [body, headers, { secrets: secret, now: nowMs, ...more }]);
}

const signature = (value: unknown) => ({ ...good, 'Service-Signature': value });
const time = (value?: string) => ({ ...headersFor(text, secret, value ?? ''), 'Service-Timestamp': value });
const twice = new Headers(good);
twice.append('Service-Timestamp', String(timestamp));
const odd = [Buffer.from('\ufeff{}'), Buffer.from([0xff, 0xfe, 0x00, 0x80])] as const;

describe('verifySignature', () => {
  // rule: webhook.signed, webhook.raw
  it.each<[string, unknown, unknown?]>([
    ['a Uint8Array', bytes],
    ['a view into a larger buffer', new Uint8Array([0, ...bytes, 0]).subarray(1, -1)],
    ['an ArrayBuffer', Uint8Array.from(bytes).buffer],
    ['text', text],
    ['bytes of another realm', runInNewContext('Uint8Array.from(bytes)', { bytes })],
    ['an ArrayBuffer of another realm', runInNewContext('Uint8Array.from(bytes).buffer', { bytes })],
    ['a byte order mark', odd[0], signed(odd[0])],
    ['bytes that are not UTF-8', odd[1], signed(odd[1])],
    ['headers in lower case', bytes, lower],
    ['IncomingHttpHeaders', bytes, incoming],
    ['each header as a list of one', bytes, lists],
    ['Headers', bytes, new Headers(good)],
    ['headers that are undefined in another case', bytes, { ...good, 'service-signature': undefined }],
  ])('accepts %s', (_, body, headers) => {
    expect(verify(body, headers)).toEqual({ secretIndex: 0, timestamp, eventId: 'evt_1' });
  });

  it.each<[string, (other: string) => unknown]>([
    ['separated by a comma', (other) => `v1=${other},v1=${digits}`],
    ['separated by a comma and a space', (other) => `v1=${digits}, v1=${other}`],
    ['separated by a space', (other) => `v1=${other} v1=${digits}`],
    ['in a list', (other) => [`v1=${other}`, `v1=${digits}`]],
  ])('accepts several signatures, %s, if one is right', (_, both) => {
    const other = String(headersFor(text, 'the other secret')['Service-Signature']).slice(3);
    expect(verify(bytes, signature(both(other))).secretIndex).toBe(0);
    const secrets = ['unused', 'the other secret'];
    expect(verify(bytes, signature(both(other)), { secrets }).secretIndex).toBe(1);
  });

  // Odd spellings are refused in forgeries.test.ts; here is one for each reason.
  // rule: webhook.signed
  it.each<[string, WebhookRefusal, unknown, unknown?]>([
    ['without a signature', 'signature_missing', signature(undefined)],
    ['with an empty signature', 'signature_malformed', signature('')],
    ['with text before its signature', 'signature_malformed', signature(`xv1=${digits}`)],
    ['with a list of something else', 'signature_malformed', signature([`v1=${digits}`, 5])],
    ['with a signature that is no string', 'signature_malformed', signature(5)],
    [
      'with several wrong signatures',
      'signature_mismatch',
      signature(`v1=${'0'.repeat(64)},v1=${'1'.repeat(64)}`),
    ],
    ['with a right signature and another text', 'signature_malformed', signature(`v1=${digits},x`)],
    ['with another signature', 'signature_mismatch', signature(`v1=${'0'.repeat(64)}`)],
    ['without a timestamp', 'timestamp_missing', time()],
    ['with a number as timestamp', 'timestamp_malformed', { ...good, 'Service-Timestamp': timestamp }],
    ['with an empty timestamp', 'timestamp_malformed', time('')],
    ['with a timestamp repeated in Headers', 'timestamp_malformed', twice],
    ['that is old and forged', 'signature_mismatch', headersFor(text, 'another', timestamp - 9999)],
    ['without headers', 'timestamp_missing', null],
    ['with headers as text', 'timestamp_missing', 'Service-Signature: v1='],
    ['with headers on the prototype', 'timestamp_missing', Object.create(good)],
    ['whose body is parsed', 'body_not_bytes', good, JSON.parse(text)],
    ['whose body is a Blob', 'body_not_bytes', good, new Blob([text])],
  ])('refuses a delivery %s: %s', (_, reason, headers, body) => {
    expect(refusal(() => verify(body, headers)).reason).toBe(reason);
  });

  // rule: webhook.stale
  it.each([300_000, 1, 12_345.5, undefined])('allows an age of up to %s ms, both ways', (tolerance) => {
    const edge = tolerance ?? 300_000;
    const at = (now: number) => () => verify(bytes, good, { tolerance, now });
    for (const now of [nowMs - edge, nowMs, nowMs + edge]) expect(at(now)().timestamp).toBe(timestamp);
    expect(refusal(at(nowMs + edge + 1)).reason).toBe('timestamp_too_old');
    expect(refusal(at(nowMs - edge - 1)).reason).toBe('timestamp_too_new');
  });

  it('compares with this machine’s clock where nothing is said', () => {
    vi.useFakeTimers({ now: nowMs + 300_000, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    expect(verify(bytes, good, { now: undefined }).timestamp).toBe(timestamp);
    vi.setSystemTime(nowMs + 300_001);
    expect(refusal(() => verify(bytes, good, { now: undefined })).reason).toBe('timestamp_too_old');
  });

  // rule: webhook.stale
  it.each<[string, unknown, string?]>([
    ['tolerance', 0],
    ['tolerance', Number.NaN],
    ['tolerance', Number.POSITIVE_INFINITY],
    ['tolerance', '300'],
    ['now', Number.NaN],
    ['now', Number.POSITIVE_INFINITY],
    ['now', '1767230600000'],
    ['secrets', undefined],
    ['secrets', null],
    ['secrets', ''],
    ['secrets', ' \n\t'],
    ['secrets', []],
    ['secrets', ['good', ''], 'secrets[1]'],
    ['secrets', ['good', 5], 'secrets[1]'],
    ['secrets', new Array(1), 'secrets[0]'],
    ['secrets', Buffer.from('x')],
    ['secrets', 'a\ud800'],
  ])('can’t be weakened by the option %s: %j', (name, value, option = name) => {
    const error = expect.objectContaining({ name: 'ConfigurationError', option });
    expect(() => verify(bytes, good, { [name]: value })).toThrow(error);
  });

  it.each([undefined, null, secret])('needs options, and %o are none', (options) => {
    const judge = () => Reflect.apply(verifySignature, undefined, [bytes, good, options]);
    expect(judge).toThrow(expect.objectContaining({ name: 'ConfigurationError', option: 'options' }));
  });
});

describe('several secrets', () => {
  const secrets = ['first', 'second', 'second'];

  // rule: webhook.signed
  it('tell which one signed, the first of equal ones', () => {
    for (const [secretIndex, key] of ['first', 'second'].entries()) {
      expect(verify(bytes, headersFor(text, key), { secrets })).toEqual({ secretIndex, timestamp });
    }
  });

  // rule: webhook.constant-time
  it('are all tried, whichever matches', () => {
    const headers = headersFor(text, 'first');
    const hmac = vi.spyOn(crypto, 'createHmac');
    onTestFinished(() => hmac.mockRestore());
    verify(bytes, headers, { secrets });
    expect(hmac.mock.calls.map(([, key]) => key)).toEqual(secrets);
  });
});

describe('equalDigests', () => {
  // rule: webhook.constant-time
  it('reads every character of the received digest, wherever the first difference is', () => {
    for (const at of [0, 31, 63]) {
      const read: number[] = [];
      const received = `${'a'.repeat(at)}b${'a'.repeat(63 - at)}`;
      const watched = Object.assign(Object(received), {
        charCodeAt: (index: number) => read.push(index) && received.charCodeAt(index),
      });
      expect(equalDigests('a'.repeat(64), watched)).toBe(false);
      expect(read).toEqual(Array.from({ length: 64 }, (_, index) => index));
    }
  });

  it('says what === says', () => {
    const digest = fc.string({ unit: fc.constantFrom('0', 'f'), maxLength: 3 });
    fc.assert(fc.property(digest, digest, (a, b) => equalDigests(a, b) === (a === b)));
  });
});

const load = () => import('../../src/webhooks/signature.js');

describe.each([
  ['node:crypto', load],
  ['@noble/hashes', () => withoutNodeCrypto(load)],
] as const)('Vectors, with the digests of %s', (_, loadSignature) => {
  // rule: webhook.signed
  it.each(vectors)('$id $why', async (vector) => {
    const { verifySignature } = await loadSignature();
    const body = Buffer.from(vector.raw_body_base64, 'base64');
    const headers = { 'Service-Timestamp': vector.timestamp, 'Service-Signature': vector.signature_header };
    const options = {
      secrets: vector.secret,
      tolerance: vector.tolerance_seconds * 1000,
      now: Number(vector.now) * 1000,
    };
    const judge = () => verifySignature(body, headers, options);
    if (vector.valid) {
      expect(judge()).toEqual({ secretIndex: 0, timestamp: Number(vector.timestamp) });
      const made = signDelivery({ body, secret: vector.secret, timestamp: Number(vector.timestamp) });
      expect(made.headers).toMatchObject(headers);
      expect(Buffer.from(made.body)).toEqual(body);
    } else {
      // Stale only where the signature is right.
      expect(refusal(judge).reason.startsWith('timestamp_too')).toBe(vector.why.startsWith('stale'));
    }
  });
});

describe('signDelivery', () => {
  it('serialises an event once, signs those bytes and names its id', () => {
    const { headers, body } = signDelivery({ body: saleApproved, secret, timestamp });
    expect(new TextDecoder().decode(body)).toBe(JSON.stringify(saleApproved));
    const named = { 'Service-Event-ID': 'evt_1', 'Content-Type': 'application/json' };
    expect(headers).toEqual({ ...headersFor(body), ...named });
    expect(verifyWebhook(body, headers, { secrets: secret, now: nowMs })).toEqual(saleApproved);
  });

  it.each([
    ['text', '{"id":"evt_1"}', '{"id":"evt_1"}'],
    ['bytes', Buffer.from('hello'), 'hello'],
    ['an ArrayBuffer', new Uint8Array([0x68, 0x69]).buffer, 'hi'],
    ['null', null, 'null'],
    ['an object whose id has a space', { id: 'a b' }, '{"id":"a b"}'],
    ['an object with a numeric id', { id: 5 }, '{"id":5}'],
  ])('takes %s', (_, body, sent) => {
    const made = signDelivery({ body, secret, timestamp });
    expect(new TextDecoder().decode(made.body)).toBe(sent);
    expect(made.headers).not.toHaveProperty('Service-Event-ID');
    expect(verify(made.body, made.headers).timestamp).toBe(timestamp);
  });

  it('signs now where no timestamp is given', () => {
    const timeOf = (now?: number) => signDelivery({ body: {}, secret, now }).headers['Service-Timestamp'];
    expect(timeOf(nowMs + 999)).toBe(String(timestamp));
    vi.useFakeTimers({ now: nowMs + 5000, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    expect(timeOf()).toBe(String(timestamp + 5));
  });

  it.each<[string, object, string]>([
    ['a function', { body: () => 1 }, 'body'],
    ['an empty secret', { secret: '' }, 'secrets[0]'],
    ['a broken timestamp', { timestamp: 1.5 }, 'timestamp'],
    ['a negative timestamp', { timestamp: -1 }, 'timestamp'],
    ['no time', { now: Number.NaN }, 'timestamp'],
  ])('refuses %s', (_, over, option) => {
    const error = expect.objectContaining({ name: 'ConfigurationError', option });
    expect(() => signDelivery({ body: {}, secret, ...over })).toThrow(error);
  });
});
