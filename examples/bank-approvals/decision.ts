import { randomUUID } from 'node:crypto';
import { type SaleRecord, toPaise } from 'vehicle-auction-sdk';
import type { BeforeOf } from './audit.js';
import type { Settled } from './carry-out.js';
import { offerOf } from './offer.js';
import type { Approval, NewOffer, Verdict } from './policy.js';
import type { Settings } from './settings.js';
import { daysAfter } from './time.js';

/** A decision as it is written down and sent. */
export type Decision = BeforeOf<'approve' | 'offer'>;

/** Makes the command of a verdict: on the version that was judged, under a key of its own. `now` is server time. */
export function decisionOf(
  sale: SaleRecord,
  verdict: Approval | NewOffer,
  settings: Settings,
  now: number,
): Decision {
  const { amount, why } = verdict;
  const line = { event: 'before', about: sale.id, id: sale.id, amount, why } as const;
  const versioned = { expected_version: sale.resource_version, idempotency_key: randomUUID() };
  if (verdict.action === 'offer') {
    const body = {
      amount,
      currency: 'INR',
      terms_version: settings.termsVersion,
      valid_until: daysAfter(now, settings.daysToAnswer),
      reason: 'The bid does not reach what the bank can accept', // the buyer can read it
      ...versioned,
    } as const;
    return { ...line, action: 'offer', body };
  }
  const { bidId, offer } = verdict;
  const body = {
    decision: 'approved',
    bid_id: bidId,
    ...(offer !== undefined && { offer_id: offer.id }),
    reason: offer === undefined ? 'Highest bid' : 'Offer accepted',
    terms_version: offer?.termsVersion ?? settings.termsVersion,
    due_at: daysAfter(now, settings.daysToPay),
    payee_instructions: settings.payeeInstructions,
    ...versioned,
  };
  return { ...line, action: 'approve', body };
}

/** Whether the policy would still decide what was decided on this very version. */
export function isStill(decision: Decision, verdict: Verdict): boolean {
  if (verdict.action === 'hold' || verdict.action === 'wait') return false;
  return verdict.action === decision.action && toPaise(verdict.amount) === toPaise(decision.amount);
}

/** What a sale says of a decision that may have arrived; undefined where it doesn't tell. */
export function settledBy(sale: SaleRecord, decision: Decision, settings: Settings): Settled | undefined {
  const { state, resource_version: version } = sale;
  const read = (outcome: Settled['outcome'], note: string): Settled => ({ outcome, state, version, note });
  if (decision.action === 'approve' && state === 'approved') return read('done', 'the sale is approved');
  if (decision.action === 'offer' && isOn(sale, decision)) return read('done', 'the offer is on the sale');
  return settings.isPending(sale) ? undefined : read('waiting', `the sale is ${state} by now`);
}

function isOn(sale: SaleRecord, { body }: BeforeOf<'offer'>): boolean {
  const offer = offerOf(sale);
  return (
    typeof offer === 'object' &&
    toPaise(offer.amount) === toPaise(body.amount) &&
    offer.termsVersion === body.terms_version &&
    Date.parse(offer.validUntil) === Date.parse(body.valid_until)
  );
}
