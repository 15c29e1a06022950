import type { IntentOutcome } from '../../../src/client/recovery.js';
import type { IntentSummary } from '../../../src/intents/intents.js';
import type { Told } from '../checks/witness.js';

/** What the application makes of what it is told. */
export type Report = Omit<Told, 'order' | 'process' | 'client' | 'account' | 'by' | 'call'>;

export const plainly = {
  provisional: false,
  isForAPerson: false,
  attempts: undefined,
  fenceAt: undefined,
} as const;

/** What an outcome says. */
export function toldOf(outcome: IntentOutcome): Report {
  const { idempotencyKey: key, status } = outcome;
  const isCommand = 'path' in outcome;
  const absent =
    !isCommand && outcome.status === 'unknown' && outcome.evidence?.kind === 'absent'
      ? outcome.evidence
      : undefined;
  return {
    key,
    kind: isCommand ? 'command' : 'bid',
    status,
    provisional: !isCommand && outcome.status === 'refused' && outcome.provisional,
    isForAPerson: outcome.status === 'unknown' && outcome.reason !== 'in_doubt',
    attempts: outcome.attempts,
    fenceAt: absent?.copiesExpireAt,
  };
}

/** What the feed of settlements says of an intent; undefined where it is open again by now. */
export function settledOf({ idempotencyKey: key, state, ...rest }: IntentSummary): Report | undefined {
  if (state === 'ready' || state === 'sent' || state === 'stuck') return undefined;
  return {
    key,
    kind: rest.lot === undefined ? 'command' : 'bid',
    status: state === 'abandoned' ? 'unknown' : state,
    provisional: rest.provisional,
    isForAPerson: state === 'abandoned',
    attempts: rest.attempts,
    fenceAt: undefined,
  };
}

/** A report of a payment. */
export function reportOf(reference: string) {
  return {
    sale_id: 'sale_0',
    amount: '465000',
    currency: 'INR',
    method: 'bank_transfer',
    utr: 'UTR1',
    paid_at: '2026-03-02T05:00:00Z',
    external_reference: reference,
  } as const;
}
