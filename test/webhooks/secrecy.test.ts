import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { signDelivery, verifySignature, verifyWebhook } from '../../src/webhooks/index.js';
import { thrownBy } from '../support/clients.js';
import { headersFor, nowMs } from './delivery.js';

const secret = 'whsec_never_to_be_seen_3f9d';
const good = headersFor('hello', secret);
const digest = good['Service-Signature'].slice(3);
const odd = { ...good, 'Service-Signature': `v1=${'0'.repeat(64)}` };
const judge = (headers: object, secrets: string | string[], more: object = {}) =>
  verifySignature('hello', { ...headers }, { secrets, now: nowMs, ...more });

/** Everything that a log could print of an error. */
function everythingOf(error: unknown): string {
  const seen: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    seen.push(inspect(at, { showHidden: true, depth: null, getters: true }), JSON.stringify(at), String(at));
    seen.push(JSON.stringify(at, Object.getOwnPropertyNames(at)), at.stack ?? '');
  }
  return seen.join('\n');
}

describe('a secret, and the signature that would be right', () => {
  it.each<[string, () => unknown]>([
    ['a mismatch', () => judge(odd, secret)],
    ['a mismatch, one of several', () => judge(odd, ['x', `${secret}\n`])],
    ['too old', () => judge(good, secret, { now: nowMs * 2 })],
    ['no JSON', () => verifyWebhook('hello', good, { secrets: secret, now: nowMs })],
    ['a blank one after it', () => judge(good, [secret, ''])],
    ['a lone surrogate', () => judge(good, `${secret}\ud800`)],
    ['a wrong tolerance', () => judge(good, secret, { tolerance: 0 })],
    ['an unusable body', () => signDelivery({ body: undefined, secret })],
  ])('show nowhere in the error of %s', (_, attempt) => {
    const text = everythingOf(thrownBy(attempt));
    const bytes = Buffer.from(secret);
    for (const shown of [secret, digest, bytes.toString('base64url'), bytes.toString('hex')]) {
      expect(text).not.toContain(shown);
    }
  });

  it('are taken as they are, white space around the secret included', () => {
    expect(judge(headersFor('hello', `${secret}\n`), `${secret}\n`).secretIndex).toBe(0);
  });
});
