import type { Call } from '../call.js';
import { invalidField, Refusal } from '../replies.js';
import { buyerOf } from '../standings.js';

/** Whose standing a read is about; only platforms and aggregators may name a buyer. */
export function askedBuyer(call: Call, bidderReference: string | undefined): string | undefined {
  const { partnerType } = call.party;
  if (bidderReference !== undefined && (partnerType === null || partnerType === 'direct_dealer')) {
    if (call.world.settings.variants['buyer-of-a-direct-dealer'] === 'ignored') {
      return buyerOf(call.party, undefined);
    }
    throw new Refusal(invalidField('bidder_reference', 'Only platforms and aggregators name a buyer.'));
  }
  return buyerOf(call.party, bidderReference);
}
