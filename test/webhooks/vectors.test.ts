import { describe, expect, it } from 'vitest';
import { WebhookVerificationError } from '../../src/errors/webhook.js';
import { nativeDigests, nobleDigests } from '../../src/signing/signer.js';
import { verifySignature } from '../../src/webhooks/index.js';
import { judgeSignature } from '../../src/webhooks/signature.js';
import vectors from '../vectors/webhooks.json' with { type: 'json' };

function inputOf(vector: (typeof vectors)[number]) {
  return [
    Buffer.from(vector.raw_body_base64, 'base64'),
    { 'Service-Timestamp': vector.timestamp, 'Service-Signature': vector.signature_header },
    {
      secrets: vector.secret,
      toleranceMs: vector.tolerance_seconds * 1000,
      nowMs: Number(vector.now) * 1000,
    },
  ] as const;
}

describe.each([nativeDigests() ?? nobleDigests, nobleDigests])('vectors, $name digests', (using) => {
  it.each(vectors)('$id $why', (vector) => {
    const judge = () => judgeSignature(...inputOf(vector), using);
    if (vector.valid) {
      expect(judge()).toEqual({ secretIndex: 0, timestamp: Number(vector.timestamp) });
    } else {
      expect(judge).toThrow(WebhookVerificationError);
    }
  });
});

describe('the vectors', () => {
  // rule: webhook.signed
  it('hold valid and invalid deliveries, and verifySignature agrees with all of them', () => {
    const verdicts = vectors.map((vector) => {
      try {
        verifySignature(...inputOf(vector));
        return true;
      } catch {
        return false;
      }
    });
    expect(verdicts).toEqual(vectors.map(({ valid }) => valid));
    expect(new Set(verdicts).size).toBe(2);
  });

  it('call a delivery stale only where its signature is right', () => {
    const reasons = vectors
      .filter(({ valid }) => !valid)
      .map((vector) => {
        try {
          verifySignature(...inputOf(vector));
          return undefined;
        } catch (error) {
          const reason = error instanceof WebhookVerificationError ? error.reason : 'other';
          return [vector.why.startsWith('stale'), reason.startsWith('TIMESTAMP_TOO')];
        }
      });
    for (const pair of reasons) expect(pair?.[0]).toBe(pair?.[1]);
  });
});
