import { describe, expect, it } from 'vitest';
import { nativeDigests, nobleDigests } from '../../src/signing/signer.js';
import { judgeSignature } from '../../src/webhooks/signature.js';
import vectors from '../vectors/webhooks.json' with { type: 'json' };
import { refusal } from './delivery.js';

describe.each([nativeDigests() ?? nobleDigests, nobleDigests])('vectors, $name digests', (using) => {
  // rule: webhook.signed
  it.each(vectors)('$id $why', (vector) => {
    const judge = () =>
      judgeSignature(
        Buffer.from(vector.raw_body_base64, 'base64'),
        { 'Service-Timestamp': vector.timestamp, 'Service-Signature': vector.signature_header },
        {
          secrets: vector.secret,
          toleranceMs: vector.tolerance_seconds * 1000,
          nowMs: Number(vector.now) * 1000,
        },
        using,
      );
    if (vector.valid) {
      expect(judge()).toEqual({ secretIndex: 0, timestamp: Number(vector.timestamp) });
    } else {
      // Stale only where the signature is right.
      expect(refusal(judge).reason.startsWith('TIMESTAMP_TOO')).toBe(vector.why.startsWith('stale'));
    }
  });
});
