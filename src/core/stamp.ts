import { noncePattern } from '../api/common.js';
import type { Signer } from '../signing/signer.js';
import type { RequestBody } from './body.js';
import { type Stamp, signedHeaders } from './headers.js';
import type { CallParts } from './parts.js';
import type { PreparedCall } from './prepare.js';

/** The headers of an attempt; or what injected part failed, so that this attempt, and only this, isn't sent. */
export type Stamped =
  | { readonly headers: ReturnType<typeof signedHeaders>; readonly stamp: Stamp }
  | { readonly option: string; readonly problem: string; readonly cause?: unknown };

/** Stamps an attempt with server time and a fresh nonce, and signs it. */
export function stampAndSign(
  call: PreparedCall,
  body: RequestBody | undefined,
  signer: Signer,
  { serverClock, randomness, userAgent }: Pick<CallParts, 'serverClock' | 'randomness' | 'userAgent'>,
): Stamped {
  try {
    const stamp = { timestamp: Math.floor(serverClock.now() / 1000), nonce: randomness.nonce() };
    if (!noncePattern.test(stamp.nonce)) {
      return { option: 'randomness.nonce', problem: 'must return 16 to 128 letters, digits, "_" or "-"' };
    }
    if (!Number.isSafeInteger(stamp.timestamp)) {
      return { option: 'clock.now', problem: 'must return Unix milliseconds' };
    }
    return { headers: signedHeaders(call, body, stamp, signer, userAgent), stamp };
  } catch (cause) {
    return { option: 'clock or randomness', problem: 'failed while an attempt was being signed', cause };
  }
}
