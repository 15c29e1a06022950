import type { Cases } from './cases.js';
import type { Payment, Sale } from './entities.js';

/** What is due for an approved sale, and what is paid. Integer paise. */
export interface Dues {
  readonly due: bigint;
  /** Verified money that was allocated to the sale; nothing else counts. */
  readonly credits: bigint;
  readonly remaining: bigint;
  readonly excess: bigint;
  readonly state: 'unpaid' | 'partially_paid' | 'paid';
}

export function duesOf(cases: Pick<Cases, 'allocations'>, sale: Sale): Dues {
  const due = sale.amount;
  const credits = sum([...cases.allocations.values()].filter((allocation) => allocation.sale === sale));
  return {
    due,
    credits,
    remaining: credits < due ? due - credits : 0n,
    excess: credits > due ? credits - due : 0n,
    state: credits >= due ? 'paid' : credits > 0n ? 'partially_paid' : 'unpaid',
  };
}

/** What is left of a payment, integer paise. */
export function unallocated(payment: Payment): bigint {
  return payment.amount - sum(payment.allocations);
}

function sum(parts: readonly { readonly amount: bigint }[]): bigint {
  return parts.reduce((total, { amount }) => total + amount, 0n);
}
