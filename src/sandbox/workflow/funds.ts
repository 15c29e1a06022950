import { amountOf, type Flow, type Rec, type RefundParts, type Sale, sum } from '../records.js';

/*
 * The money of a payment is credited by allocations, being refunded, or free. A refund request plans its sources.
 * Its approval takes the money from them; a failed refund returns it.
 */

/** Dues and credits of an approved sale. Integer paise. */
export interface Dues {
  readonly due: bigint;
  /** Verified money allocated to the sale, without approved refunds. */
  readonly credits: bigint;
  readonly remaining: bigint;
  readonly excess: bigint;
  readonly state: 'unpaid' | 'partially_paid' | 'paid' | 'cancelled';
}

/** Computes the dues. A cancelled sale has none; all its credits are excess. */
export function duesOf(flow: Flow, sale: Sale): Dues {
  const isCancelled = sale.state === 'cancelled';
  const due = isCancelled ? 0n : amountOf(sale);
  const credits = creditsOf(flow, sale, 'decided');
  const [remaining, excess] = credits < due ? [due - credits, 0n] : [0n, credits - due];
  const paid = remaining === 0n ? 'paid' : credits > 0n ? 'partially_paid' : 'unpaid';
  return { due, credits, remaining, excess, state: isCancelled ? 'cancelled' : paid };
}

/** Whether the sale would be underpaid if all requested refunds were approved. */
export function isAskedBack(flow: Flow, sale: Sale): boolean {
  return creditsOf(flow, sale, 'asked') < amountOf(sale);
}

/** The free part of a payment, neither allocated nor being refunded. */
export function unallocated(flow: Flow, payment: Rec): bigint {
  return moneyLeft(flow, payment, 'decided');
}

/**
 * Chooses the sources of a refund: first `preferred`, then free money, then credits of cancelled sales, then other
 * credits, latest first. For a delivered vehicle, only excess credits can be refunded. The result may be less than
 * `asked`. Pending requests reduce the available money when planning (`by: 'asked'`), not when deciding.
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
    const limits = [moneyLeft(flow, source, by)];
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

/** Credits of a payment to one sale, without requested refunds. */
export function creditsTo(flow: Flow, payment: Rec, sale: Sale): RefundParts {
  const own = allocationsOf(flow, payment).filter((each) => each.sale === sale);
  const parts = own.map((each) => [each, moneyLeft(flow, each, 'asked')] as const);
  return new Map(parts.filter(([, amount]) => amount > 0n));
}

/** The sales that lose credits through a refund. */
export function salesLosing({ parts = new Map<Rec, bigint>() }: Rec): Set<Sale> {
  return new Set([...parts.keys()].flatMap((source) => creditedSale(source) ?? []));
}

/** Whether the vehicle of a sale was collected. */
export function isDelivered(flow: Flow, sale: Sale): boolean {
  return flow.of('release', sale).some(({ state }) => state === 'used');
}

/** Requests that reduce the available money: only decided ones, or also pending ones. */
type Counted = 'decided' | 'asked';

/** Total credits of a sale. */
function creditsOf(flow: Flow, sale: Sale, by: Counted): bigint {
  return sum(flow.of('allocation', sale).map((each) => moneyLeft(flow, each, by)));
}

/** Money left in a refund source: the credit of an allocation, or the free part of a payment. */
function moneyLeft(flow: Flow, source: Rec, by: Counted): bigint {
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

/** Refund requests on a payment, without those whose refund failed. */
function requestsOn(flow: Flow, payment: Rec, by: Counted): Rec[] {
  const states = by === 'asked' ? ['approved', 'pending'] : ['approved'];
  return flow
    .of('refund_request')
    .filter(({ from, state }) => from === payment && states.includes(state))
    .filter(({ data }) => flow.get('refund', data['refund_id'])?.state !== 'failed');
}

/** The smallest amount. `Math.min` does not accept bigint. */
export function least(first: bigint, ...others: readonly bigint[]): bigint {
  let smallest = first;
  for (const amount of others) if (amount < smallest) smallest = amount;
  return smallest;
}
