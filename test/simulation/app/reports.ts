import type { RecoveredOutcome } from '../../../src/client/recovery.js';
import type { Told } from '../checks/record.js';

/** What the application makes of what it is told. */
export type Report = Omit<Told, 'order' | 'process' | 'client' | 'by' | 'call'>;

export const plainly = { quarantined: false, conclusivelyAbsent: false, fenceAt: undefined } as const;

/** What an outcome says. */
export function toldOf(outcome: RecoveredOutcome): Report {
  const { idempotencyKey: key, status } = outcome;
  const isCommand = 'operation' in outcome;
  return {
    key,
    kind: isCommand ? 'command' : 'bid',
    status,
    quarantined: outcome.status === 'unknown' && outcome.quarantined !== undefined,
    fenceAt:
      !isCommand && outcome.status === 'unknown' && outcome.evidence?.kind === 'absent'
        ? outcome.evidence.fenceAt
        : undefined,
    conclusivelyAbsent:
      !isCommand &&
      outcome.status === 'unknown' &&
      outcome.evidence?.kind === 'absent' &&
      outcome.evidence.conclusive,
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
