import { amountOf, type Flow, type Rec, type RefundParts, type Sale, sum } from '../records.js';

/*
 * Where the money of a payment is, always in full: credited by its allocations, on its way back, or free. A request for a
 * refund plans what it takes; the approval takes it, and from then on those credits are gone, unless the refund fails.
 */

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
export function duesOf(flow: Flow, sale: Sale): Dues {
  const isCancelled = sale.state === 'cancelled';
  const due = isCancelled ? 0n : amountOf(sale);
  const credits = creditsOf(flow, sale, 'decided');
  const [remaining, excess] = credits < due ? [due - credits, 0n] : [0n, credits - due];
  const paid = remaining === 0n ? 'paid' : credits > 0n ? 'partially_paid' : 'unpaid';
  return { due, credits, remaining, excess, state: isCancelled ? 'cancelled' : paid };
}

/** Whether the sale would not be paid any more if all the refunds that are asked for were approved. */
export function isAskedBack(flow: Flow, sale: Sale): boolean {
  return creditsOf(flow, sale, 'asked') < amountOf(sale);
}

/** What of a payment can be allocated: neither allocated, nor on its way back. */
export function unallocated(flow: Flow, payment: Rec): bigint {
  return left(flow, payment, 'decided');
}

/**
 * Where the money of a refund is taken from: first `preferred`, then what is free, then what was credited to cancelled
 * sales, then to others, the latest first. A vehicle that is delivered must stay paid for, so of its credits only the
 * excess can go back. Less than was asked for where there isn't enough. Money that pending requests plan to take counts as
 * gone when one more is planned, and not when one is decided.
 */
export function refundParts(
  flow: Flow,
  payment: Rec,
  asked: bigint,
  by: Counted,
  preferred: readonly Rec[] = [],
): RefundParts {
  const latestFirst = allocationsOf(flow, payment).reverse();
  const ofCancelled = latestFirst.filter(({ sale }) => sale?.state === 'cancelled');
  const parts = new Map<Rec, bigint>();
  for (const source of new Set([...preferred, payment, ...ofCancelled, ...latestFirst])) {
    const limits = [left(flow, source, by)];
    const sale = creditedSale(source);
    if (sale !== undefined && sale.state !== 'cancelled' && isDelivered(flow, sale)) {
      const planned = [...parts].filter(([each]) => creditedSale(each) === sale).map(([, amount]) => amount);
      limits.push(creditsOf(flow, sale, by) - sum(planned) - amountOf(sale));
    }
    const there = least(asked - sum(parts.values()), ...limits);
    if (there > 0n) parts.set(source, there);
  }
  return parts;
}

/** All that the allocations of a payment still credit to one sale and nobody asks back. */
export function creditsTo(flow: Flow, payment: Rec, sale: Sale): RefundParts {
  const own = allocationsOf(flow, payment).filter((each) => each.sale === sale);
  const parts = own.map((each) => [each, left(flow, each, 'asked')] as const);
  return new Map(parts.filter(([, amount]) => amount > 0n));
}

/** The sales that lose credits by a refund, each once. */
export function salesLosing({ parts = new Map<Rec, bigint>() }: Rec): Set<Sale> {
  return new Set([...parts.keys()].flatMap((source) => creditedSale(source) ?? []));
}

/** Whether the vehicle of a sale is with its buyer. */
export function isDelivered(flow: Flow, sale: Sale): boolean {
  return flow.of('release', sale).some(({ state }) => state === 'used');
}

/** The requests that count as taking money: those that were decided, or also those that are only asked. */
type Counted = 'decided' | 'asked';

/** What the allocations of a sale credit to it. */
function creditsOf(flow: Flow, sale: Sale, by: Counted): bigint {
  return sum(flow.of('allocation', sale).map((each) => left(flow, each, by)));
}

/** What a source of refunds has left: an allocation what it still credits, a payment its free money. */
function left(flow: Flow, source: Rec, by: Counted): bigint {
  const payment = source.kind === 'allocation' ? source.from : source;
  if (payment === undefined) return 0n;
  const allocated = source === payment ? sum(allocationsOf(flow, payment).map(amountOf)) : 0n;
  const taken = requestsOn(flow, payment, by).map(({ parts }) => parts?.get(source) ?? 0n);
  return amountOf(source) - allocated - sum(taken);
}

function allocationsOf(flow: Flow, payment: Rec): Rec[] {
  return flow.of('allocation').filter(({ from }) => from === payment);
}

function creditedSale(source: Rec): Sale | undefined {
  return source.kind === 'allocation' ? source.sale : undefined;
}

/** The requests that count, but for those whose refund failed. */
function requestsOn(flow: Flow, payment: Rec, by: Counted): Rec[] {
  const states = by === 'asked' ? ['approved', 'pending'] : ['approved'];
  return flow
    .of('refund_request')
    .filter(({ from, state }) => from === payment && states.includes(state))
    .filter(({ data }) => flow.get('refund', data['refund_id'])?.state !== 'failed');
}

/** The smallest of some amounts: `Math.min` takes no bigint. */
export function least(first: bigint, ...others: readonly bigint[]): bigint {
  let smallest = first;
  for (const amount of others) if (amount < smallest) smallest = amount;
  return smallest;
}
