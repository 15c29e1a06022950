import type { CursorStore } from '../../src/following/follow.js';
import { type Store, transact } from '../../src/store/store.js';
import { messageOnly, NOW } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { approval } from '../webhooks/delivery.js';

export { KEY };

/** A webhook event. */
export const EVENT = approval('evt_1');

/** Where a follower keeps its position. */
export function cursorsOf(store: Store): CursorStore {
  return {
    within: (work) => transact(store, 'production', (tx) => work(tx.cursors)),
    process: store.process,
    isVolatile: false,
  };
}

/** A client whose bid waits for the quota for 50 s. */
export async function waitingBid(store: Store) {
  const timestamp = new Date(NOW).toISOString();
  const pause = { ...messageOnly(429, { 'retry-after': '50' }), json: { message: 'Too many.', timestamp } };
  const { client } = new Scene().dealer([pause], { store });
  // The question before a first write would wait for the quota, too.
  await client.integration.profile();
  await rejection(client.events.get('auc_1', { maxAttempts: 1 }));
  client.bids.place({ lot: 'lot_1', amount: '1' }, { idempotencyKey: KEY }).catch(() => undefined);
  return client;
}
