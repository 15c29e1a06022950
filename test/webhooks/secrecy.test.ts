import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { signDelivery, verifySignature, verifyWebhook } from '../../src/webhooks/index.js';
import { headersFor, nowMs } from './delivery.js';

const secret = 'whsec_never_to_be_seen_3f9d';
const good = headersFor('hello', secret);
const digest = good['Service-Signature'].slice(3);
const odd = { ...good, 'Service-Signature': `v1=${'0'.repeat(64)}` };

/** Everything that a log could print of an error. */
function everythingOf(error: unknown): string {
  const seen: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    seen.push(inspect(at, { showHidden: true, depth: null, getters: true }), JSON.stringify(at), String(at));
    seen.push(JSON.stringify(at, Object.getOwnPropertyNames(at)), at.stack ?? '');
  }
  return seen.join('\n');
}

function caught(attempt: () => unknown): unknown {
  try {
    attempt();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}

describe('a secret, and the signature that would be right', () => {
  it.each<[string, () => unknown]>([
    ['a mismatch', () => verifySignature('hello', odd, { secrets: secret, nowMs })],
    [
      'a mismatch, one of several',
      () => verifySignature('hello', odd, { secrets: ['x', `${secret}\n`], nowMs }),
    ],
    ['too old', () => verifySignature('hello', good, { secrets: secret, nowMs: nowMs * 2 })],
    ['no JSON', () => verifyWebhook('hello', good, { secrets: secret, nowMs })],
    ['a blank one beside it', () => verifySignature('hello', good, { secrets: [secret, ''], nowMs })],
    ['a lone surrogate', () => verifySignature('hello', good, { secrets: `${secret}\ud800`, nowMs })],
    ['a wrong tolerance', () => verifySignature('hello', good, { secrets: secret, toleranceMs: 0, nowMs })],
    ['an unusable body', () => signDelivery({ body: undefined, secret })],
  ])('show nowhere in the error of %s', (_, attempt) => {
    const text = everythingOf(caught(attempt));
    expect(text).not.toContain(secret);
    expect(text).not.toContain(digest);
    for (const encoding of ['base64', 'base64url', 'hex'] as const) {
      expect(text).not.toContain(Buffer.from(secret).toString(encoding).replace(/=+$/, ''));
    }
  });

  it('are hinted at where white space surrounds the secret: which, not what', () => {
    const text = String(
      caught(() => verifySignature('hello', good, { secrets: ['x', `${secret}\n`], nowMs })),
    );
    expect(text).toContain('Secret 1 begins or ends with white space');
    expect(text).not.toContain('Secret 0');
    expect(
      verifySignature('hello', headersFor('hello', `${secret}\n`), { secrets: `${secret}\n`, nowMs })
        .secretIndex,
    ).toBe(0);
  });
});
