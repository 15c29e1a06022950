import type { Recorded } from '../auctions/store.js';
import type { Arrived, Call } from './call.js';
import { messageOnly, Refusal, type Reply, refusal } from './replies.js';

/** What is known of a request that carries an idempotency key. */
export interface Keyed {
  readonly key: string;
  /** Route, and digest of the exact body bytes: what must be the same in a retry. */
  readonly fingerprint: string;
  /** What the same request recorded earlier. */
  readonly earlier: Recorded | undefined;
}

/** Checks the key of a bid or command; refuses a missing or differing header, and changed content under a key. */
export function keyed(call: Call, bodyKey: string): Keyed {
  if (call.idempotencyKey !== bodyKey) throw new Refusal(refusal(call, 422, ['IDEMPOTENCY_KEY_REQUIRED']));
  const fingerprint = `${call.method} ${call.path}\n${call.bodySha256}`;
  const earlier = call.world.store.recorded(call.party.clientId, bodyKey);
  if (earlier !== undefined && earlier.fingerprint !== fingerprint) throw new Refusal(conflictReply(call));
  return { key: bodyKey, fingerprint, earlier };
}

/** The reply to a key that was used for something else. */
export function conflictReply(request: Arrived): Reply {
  return request.world.settings.variants['idempotency-conflict-message'] === 'code'
    ? refusal(request, 409, ['IDEMPOTENCY_CONFLICT'])
    : messageOnly(409, 'This idempotency key is already stored for different content.');
}
