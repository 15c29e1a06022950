import { amountOf, type Flow, type Rec, type RefundParts, type Sale, sum } from './records.js';

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
  const credits = sum(flow.of('allocation', sale).map((each) => credit(flow, each)));
  const [remaining, excess] = credits < due ? [due - credits, 0n] : [0n, credits - due];
  const paid = remaining === 0n ? 'paid' : credits > 0n ? 'partially_paid' : 'unpaid';
  return { due, credits, remaining, excess, state: isCancelled ? 'cancelled' : paid };
}

/** Whether the sale would not be paid any more if all the refunds that are asked for were approved. */
export function isAskedBack(flow: Flow, sale: Sale): boolean {
  return sum(flow.of('allocation', sale).map((each) => unclaimed(flow, each))) < amountOf(sale);
}

/** What of a payment can be allocated: neither allocated, nor on its way back. */
export function unallocated(flow: Flow, payment: Rec): bigint {
  return availableIn(flow, payment, undefined, ['approved']);
}

/** What of a payment can be asked back: all but earlier refunds that hold, and requests that are pending. */
export function refundable(flow: Flow, payment: Rec): bigint {
  return amountOf(payment) - sum(liveRequests(flow, payment, ['approved', 'pending']).map(amountOf));
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
  spoken: 'by requests' | 'by refunds',
  preferred: readonly (Rec | undefined)[] = [],
): RefundParts {
  const latestFirst = allocationsOf(flow, payment).reverse();
  const isCancelled = ({ sale }: Rec) => sale?.state === 'cancelled';
  const sources = new Set<Rec | undefined>([
    ...preferred,
    undefined,
    ...latestFirst.filter(isCancelled),
    ...latestFirst,
  ]);
  const states = spoken === 'by requests' ? ['approved', 'pending'] : ['approved'];
  const parts = new Map<Rec | undefined, bigint>();
  for (const from of sources) {
    const left = asked - sum(parts.values());
    const there = least(left, availableIn(flow, payment, from, states), spareIn(flow, from, parts, states));
    if (there > 0n) parts.set(from, there);
  }
  return parts;
}

/** What an allocation, or free money, has left after the requests in these states. */
function availableIn(flow: Flow, payment: Rec, from: Rec | undefined, states: readonly string[]): bigint {
  const whole =
    from === undefined ? amountOf(payment) - sum(allocationsOf(flow, payment).map(amountOf)) : amountOf(from);
  return whole - taken(flow, payment, from, states);
}

/** What may leave an allocation: of a delivered vehicle the excess, when these parts are gone; else anything. */
function spareIn(flow: Flow, from: Rec | undefined, parts: RefundParts, states: readonly string[]): bigint {
  const sale = from?.sale;
  if (from === undefined || sale === undefined || sale.state === 'cancelled' || !isDelivered(flow, sale)) {
    return from === undefined ? unbounded : amountOf(from);
  }
  const credited = sum(flow.of('allocation', sale).map((each) => credit(flow, each, states)));
  const planned = sum([...parts].flatMap(([each, amount]) => (each?.sale === sale ? [amount] : [])));
  return credited - planned - amountOf(sale);
}

/** All that the allocations of a payment still credit to one sale and nobody asks back. */
export function creditsTo(flow: Flow, payment: Rec, sale: Sale): RefundParts {
  const parts = allocationsOf(flow, payment)
    .filter((from) => from.sale === sale)
    .map((from) => [from, unclaimed(flow, from)] as const);
  return new Map(parts.filter(([, amount]) => amount > 0n));
}

/** The sales that lose credits by a refund, each once. */
export function salesLosing({ parts }: Rec): Set<Sale> {
  return new Set([...(parts?.keys() ?? [])].flatMap((from) => (from?.sale ? [from.sale] : [])));
}

/** Whether the vehicle of a sale is with its buyer. */
export function isDelivered(flow: Flow, sale: Sale): boolean {
  return flow.of('release', sale).some(({ state }) => state === 'used');
}

function allocationsOf(flow: Flow, payment: Rec): Rec[] {
  return flow.of('allocation').filter(({ from }) => from === payment);
}

/** What an allocation still credits, after the requests in these states: by default those that are approved. */
function credit(flow: Flow, allocation: Rec, states: readonly string[] = ['approved']): bigint {
  const { from: payment } = allocation;
  const back = payment === undefined ? 0n : taken(flow, payment, allocation, states);
  return amountOf(allocation) - back;
}

/** The same without what is asked back and not decided. */
function unclaimed(flow: Flow, allocation: Rec): bigint {
  return credit(flow, allocation, ['approved', 'pending']);
}

/** What live requests in these states take from an allocation, or from free money. */
function taken(flow: Flow, payment: Rec, from: Rec | undefined, states: readonly string[]): bigint {
  return sum(liveRequests(flow, payment, states).map(({ parts }) => parts?.get(from) ?? 0n));
}

/** Requests in these states, but for those whose refund failed. */
function liveRequests(flow: Flow, payment: Rec, states: readonly string[]): Rec[] {
  return flow
    .of('refund_request')
    .filter(
      (request) =>
        request.from === payment &&
        states.includes(request.state) &&
        flow.get('refund', request.data['refund_id'])?.state !== 'failed',
    );
}

/** The smallest of some amounts: `Math.min` takes no bigint. */
export function least(first: bigint, ...others: readonly bigint[]): bigint {
  let smallest = first;
  for (const amount of others) if (amount < smallest) smallest = amount;
  return smallest;
}

/** More than any amount of the API, integer paise. */
const unbounded = 1_000_000_000_000_000_000n;
