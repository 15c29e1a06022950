import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ConfigurationError } from '../../src/errors/local.js';
import type { WebhookRefusal } from '../../src/errors/webhook.js';
import { type Digests, nobleDigests } from '../../src/signing/signer.js';
import { verifySignature } from '../../src/webhooks/index.js';
import { equalDigests, judgeSignature } from '../../src/webhooks/signature.js';
import { headersFor, nowMs, refusal, secret, timestamp } from './delivery.js';

fc.configureGlobal({ seed: 20260306, numRuns: 200 });

const body = Buffer.from('{"id":"evt_1"}');
const options = { secrets: secret, nowMs };
const good = headersFor(body);

describe('the signature', () => {
  // Odd spellings are refused in forgeries.test.ts; here is one for each reason.
  const digits = good['Service-Signature'].slice(3);
  const [first = ''] = digits;

  // rule: webhook.signed
  it.each<[string, WebhookRefusal, unknown]>([
    ['absent', 'SIGNATURE_MISSING', undefined],
    ['an empty list', 'SIGNATURE_MISSING', []],
    ['empty', 'SIGNATURE_MALFORMED', ''],
    ['of another version', 'SIGNATURE_MALFORMED', `v2=${digits}`],
    ['in capitals', 'SIGNATURE_MALFORMED', `v1=${digits.toUpperCase()}`],
    ['longer', 'SIGNATURE_MALFORMED', `v1=${digits}0`],
    ['repeated as a list', 'SIGNATURE_MALFORMED', [`v1=${digits}`, `v1=${digits}`]],
    ['no string', 'SIGNATURE_MALFORMED', 5],
    ['off in its first digit', 'SIGNATURE_MISMATCH', `v1=${first === '0' ? '1' : '0'}${digits.slice(1)}`],
  ])('%s: %s', (_, reason, value) => {
    const headers: Record<string, string | undefined> = { ...good };
    Object.assign(headers, { 'Service-Signature': value });
    expect(refusal(() => verifySignature(body, headers, options)).reason).toBe(reason);
  });

  it('is refused where two spellings of its header stand side by side', () => {
    const headers = { ...good, 'service-signature': good['Service-Signature'] };
    expect(refusal(() => verifySignature(body, headers, options)).reason).toBe('SIGNATURE_MALFORMED');
  });
});

describe('the timestamp', () => {
  it.each<[string, WebhookRefusal, string | undefined]>([
    ['absent', 'TIMESTAMP_MISSING', undefined],
    ['empty', 'TIMESTAMP_MALFORMED', ''],
    ['followed by garbage', 'TIMESTAMP_MALFORMED', `${timestamp}garbage`],
    ['in other digits', 'TIMESTAMP_MALFORMED', '१७६७२३०६००'],
    ['without an end', 'TIMESTAMP_MALFORMED', '9'.repeat(400)],
    ['zero', 'TIMESTAMP_TOO_OLD', '0'],
    ['in ms, far ahead', 'TIMESTAMP_TOO_NEW', '999999999999'],
  ])('%s: %s', (_, reason, value) => {
    const headers = { ...headersFor(body, secret, value ?? ''), 'Service-Timestamp': value };
    expect(refusal(() => verifySignature(body, headers, options)).reason).toBe(reason);
  });

  // rule: webhook.stale
  it.each([300_000, 1, 12_345.5])('may be up to %s ms away, both ways, the edges included', (toleranceMs) => {
    const at = (now: number) => () =>
      verifySignature(body, good, { secrets: secret, toleranceMs, nowMs: now });
    for (const now of [nowMs - toleranceMs, nowMs, nowMs + toleranceMs])
      expect(at(now)().timestamp).toBe(timestamp);
    expect(refusal(at(nowMs + toleranceMs + 1)).reason).toBe('TIMESTAMP_TOO_OLD');
    expect(refusal(at(nowMs - toleranceMs - 1)).reason).toBe('TIMESTAMP_TOO_NEW');
  });

  // rule: webhook.stale
  it('may be five minutes away where nothing is said', () => {
    const at = (now: number) => () => verifySignature(body, good, { secrets: secret, nowMs: now });
    expect(at(nowMs + 300_000)().timestamp).toBe(timestamp);
    expect(refusal(at(nowMs + 300_001)).reason).toBe('TIMESTAMP_TOO_OLD');
    expect(refusal(at(nowMs - 300_001)).reason).toBe('TIMESTAMP_TOO_NEW');
  });

  it('is compared with this machine’s clock where nothing is said', () => {
    vi.useFakeTimers({ now: nowMs + 300_000, toFake: ['Date'] });
    try {
      expect(verifySignature(body, good, { secrets: secret, nowMs: undefined }).timestamp).toBe(timestamp);
      vi.setSystemTime(nowMs + 300_001);
      expect(refusal(() => verifySignature(body, good, { secrets: secret })).reason).toBe(
        'TIMESTAMP_TOO_OLD',
      );
    } finally {
      vi.useRealTimers();
    }
  });

  it('is judged after the signature: a forged old delivery is a mismatch', () => {
    const forged = headersFor(body, 'another secret', timestamp - 9999);
    expect(refusal(() => verifySignature(body, forged, options)).reason).toBe('SIGNATURE_MISMATCH');
  });

  // rule: webhook.stale
  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '300', null])(
    'can’t be switched off by a tolerance of %s',
    (value) => {
      const wrong = { ...options };
      Object.assign(wrong, { toleranceMs: value });
      expect(() => verifySignature(body, good, wrong)).toThrow(
        expect.objectContaining({ name: 'ConfigurationError', option: 'toleranceMs' }),
      );
    },
  );

  it.each([Number.NaN, Number.POSITIVE_INFINITY, '1767230600000', null])(
    'can’t be compared with a now of %s',
    (value) => {
      const wrong = { ...options };
      Object.assign(wrong, { nowMs: value });
      expect(() => verifySignature(body, good, wrong)).toThrow(expect.objectContaining({ option: 'nowMs' }));
    },
  );
});

describe('several secrets', () => {
  const secrets = ['first', 'second', 'third'];

  // rule: webhook.signed
  it.each([0, 1, 2])('tell that secret %i signed', (index) => {
    const headers = headersFor(body, secrets[index]);
    expect(verifySignature(body, headers, { secrets, nowMs }).secretIndex).toBe(index);
  });

  it('tell the first where one stands twice', () => {
    const twice = ['other', secret, secret];
    expect(verifySignature(body, good, { secrets: twice, nowMs }).secretIndex).toBe(1);
  });

  // rule: webhook.constant-time
  it('are all tried, whichever matches', () => {
    const tried: string[] = [];
    const counting: Digests = {
      ...nobleDigests,
      hmacSha256: (key) => {
        tried.push(key);
        return nobleDigests.hmacSha256(key);
      },
    };
    judgeSignature(body, headersFor(body, 'first'), { secrets, nowMs }, counting);
    expect(tried).toEqual(secrets);
  });

  it.each<[string, unknown, string]>([
    ['none', undefined, 'secrets'],
    ['null', null, 'secrets'],
    ['empty', '', 'secrets'],
    ['blank', ' \n\t', 'secrets'],
    ['an empty list', [], 'secrets'],
    ['an empty one among others', ['good', ''], 'secrets[1]'],
    ['a blank one among others', ['\n', 'good'], 'secrets[0]'],
    ['bytes', Buffer.from('x'), 'secrets'],
    ['a number among others', ['good', 5], 'secrets[1]'],
    ['a hole', new Array(1), 'secrets[0]'],
    ['a lone surrogate', 'a\ud800', 'secrets'],
  ])('are refused: %s', (_, secrets, option) => {
    const wrong = { ...options };
    Object.assign(wrong, { secrets });
    expect(() => verifySignature(body, good, wrong)).toThrow(ConfigurationError);
    expect(() => verifySignature(body, good, wrong)).toThrow(expect.objectContaining({ option }));
  });
});

describe('equalDigests', () => {
  // rule: webhook.constant-time
  it('reads every character of the received digest, wherever the first difference is', () => {
    const expected = 'a'.repeat(64);
    for (const at of [0, 31, 63]) {
      const read: number[] = [];
      const received = `${'a'.repeat(at)}b${'a'.repeat(63 - at)}`;
      const watched = Object.assign(Object(received), {
        charCodeAt: (index: number) => read.push(index) && received.charCodeAt(index),
      });
      expect(equalDigests(expected, watched)).toBe(false);
      expect(read).toEqual(Array.from({ length: 64 }, (_, index) => index));
    }
  });

  it('says what === says', () => {
    const digest = fc.string({ unit: fc.constantFrom('0', 'f'), maxLength: 3 });
    fc.assert(fc.property(digest, digest, (a, b) => equalDigests(a, b) === (a === b)));
  });
});
