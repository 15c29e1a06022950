import { createHash, createHmac } from 'node:crypto';
import { digests } from '../src/signing/digests.js';
import { createSigner } from '../src/signing/signer.js';
import type { Work } from './measure.js';

const secret = 'bench-only-secret-0123456789abcdef';
const body = Buffer.from(JSON.stringify({ amount: '465000.00', filler: 'x'.repeat(260) }));
const path = '/api/v1/lots/lot_4f1c9a/bids';
const nonce = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
const timestamp = 1_772_431_200;

/** What the client does for one attempt of a bid: digest of a 300-byte body, canonical request, signature. */
export function signedByUs(): Work {
  const signer = createSigner({ clientId: 'cl_bench', keyId: 'key_bench', signingSecret: secret });
  return (count) => {
    for (let done = 0; done < count; done += 1) {
      const bodySha256 = digests.sha256Hex(body);
      signer.sign({ method: 'POST', path, canonicalQuery: '', bodySha256, timestamp, nonce });
    }
  };
}

/** The same with node:crypto as one would write it by hand. */
export const signedByHand: Work = (count) => {
  for (let done = 0; done < count; done += 1) {
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    const lines = `POST\n${path}\n\n${timestamp}\n${nonce}\n${bodySha256}`;
    createHmac('sha256', secret).update(lines).digest('hex');
  }
};
