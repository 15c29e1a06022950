import type { Cases } from './cases.js';
import type { Allocation, Payment, Sale } from './entities.js';
import type { RefundPart, RefundRequest } from './reversal-entities.js';

/*
 * Where the money of a payment is, always in full: credited by its allocations, asked back or on its way back, or
 * free. A request for a refund settles at once what it takes; while it is pending, that money is only held, and with
 * its approval the credits are gone, until the refund should fail.
 */

type Money = Pick<Cases, 'allocations' | 'refundRequests'>;

/** What is due for an approved sale, and what is paid. Integer paise. */
export interface Dues {
  readonly due: bigint;
  /** Verified money that was allocated to the sale and is not on its way back; nothing else counts. */
  readonly credits: bigint;
  readonly remaining: bigint;
  readonly excess: bigint;
  readonly state: 'unpaid' | 'partially_paid' | 'paid' | 'cancelled';
}

/** For a cancelled sale nothing is due any more, and what is credited is to go back. */
export function duesOf(cases: Money, sale: Sale): Dues {
  const due = sale.cancelled ? 0n : sale.amount;
  const credits = sum(allocationsTo(cases, sale).map((allocation) => credit(cases, allocation)));
  const state = credits >= due ? 'paid' : credits > 0n ? 'partially_paid' : 'unpaid';
  return {
    due,
    credits,
    remaining: credits < due ? due - credits : 0n,
    excess: credits > due ? credits - due : 0n,
    state: sale.cancelled ? 'cancelled' : state,
  };
}

export function allocationsTo({ allocations }: Pick<Cases, 'allocations'>, sale: Sale): Allocation[] {
  return [...allocations.values()].filter((allocation) => allocation.sale === sale);
}

/** Whether a sale would not be paid any more, were all the refunds approved that are asked for. */
export function isAskedBack(cases: Money, sale: Sale): boolean {
  return sum(allocationsTo(cases, sale).map((allocation) => unclaimed(cases, allocation))) < sale.amount;
}

/** What an allocation still credits, integer paise: less from the approval of a refund on. */
export function credit(cases: Money, allocation: Allocation): bigint {
  return allocation.amount - taken(cases, allocation.payment, allocation, ['approved']);
}

/** The same without what is asked back and not decided. */
export function unclaimed(cases: Money, allocation: Allocation): bigint {
  return allocation.amount - taken(cases, allocation.payment, allocation, ['approved', 'pending']);
}

/** What of a payment is free: neither allocated, nor asked back, nor on its way back. Integer paise. */
export function unallocated(cases: Money, payment: Payment): bigint {
  const free = payment.amount - sum(payment.allocations.map(({ amount }) => amount));
  return free - taken(cases, payment, undefined, ['approved', 'pending']);
}

/** What can still be asked back, integer paise: all but earlier refunds that hold, and requests that are pending. */
export function refundable(cases: Money, payment: Payment): bigint {
  return payment.amount - sum(liveRequests(cases, payment).map(({ amount }) => amount));
}

/** Requests that money is held for: pending, or approved with a refund that did not fail. */
function liveRequests({ refundRequests }: Pick<Money, 'refundRequests'>, payment: Payment) {
  return [...refundRequests.values()].filter((request) => request.payment === payment && isLive(request));
}

/** What live requests in these states take from an allocation, or from free money. */
function taken(
  cases: Money,
  payment: Payment,
  from: Allocation | undefined,
  states: readonly RefundRequest['state'][],
): bigint {
  const parts = liveRequests(cases, payment)
    .filter(({ state }) => states.includes(state))
    .flatMap((request) => request.parts)
    .filter((part: RefundPart) => part.from === from);
  return sum(parts.map(({ amount }) => amount));
}

function isLive({ state, refund }: RefundRequest): boolean {
  return state === 'pending' || (state === 'approved' && refund?.state !== 'failed');
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}
