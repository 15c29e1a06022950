import type { Operation } from '../api/operation.js';
import type { Call, RoutedRequest } from './call.js';
import { messageOnly, Refusal, refusal } from './replies.js';
import type { Recorded } from './store.js';
import type { World } from './world.js';

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
  const space = keySpace(call.world, call.party.clientId, call.operation.effect);
  const earlier = call.world.store.recorded(space, bodyKey);
  if (earlier !== undefined && earlier.fingerprint !== fingerprint) throw new Refusal(conflict(call));
  return { key: bodyKey, fingerprint, earlier };
}

/** Where the keys of a client stand: all of them together, or those of its bids apart (unknowns: `key-namespace`). */
export function keySpace(
  { settings }: Pick<World, 'settings'>,
  clientId: string,
  effect: Operation['effect'],
): string {
  const apart = settings.variants['key-namespace'] === 'apart' && effect === 'bid';
  return apart ? `${clientId} bids` : clientId;
}

/** What a key is answered that stands for something else already. */
export function conflict(request: RoutedRequest) {
  return request.world.settings.variants['idempotency-conflict-message'] === 'code'
    ? refusal(request, 409, ['IDEMPOTENCY_CONFLICT'])
    : messageOnly(409, 'This idempotency key is already stored for different content.');
}
