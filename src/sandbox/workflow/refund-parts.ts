import type { World } from '../world.js';
import type { Allocation, Payment, Sale } from './entities.js';
import { allocationsTo, unallocated, unclaimed } from './funds.js';
import { isDelivered } from './release-moves.js';
import type { RefundPart } from './reversal-entities.js';

/**
 * Where the money of a refund is taken from: first what is free, then what was credited to sales that are cancelled,
 * then to others, the latest first. A vehicle that is delivered must stay paid for, so of its credits only the excess
 * can go back; with `refund-of-allocated-money` switched, that holds for every sale. Less than was asked for where
 * there isn't enough.
 */
export function refundParts(world: World, payment: Payment, asked: bigint): RefundPart[] {
  const { cases } = world;
  const parts: RefundPart[] = [];
  let left = asked;
  const take = (from: Allocation | undefined, there: bigint): void => {
    const amount = least(there, left);
    if (amount <= 0n) return;
    parts.push({ from, amount });
    left -= amount;
  };
  take(undefined, unallocated(cases, payment));
  const latestFirst = payment.allocations.toReversed();
  const isCancelled = ({ sale }: Allocation) => sale.cancelled;
  for (const from of latestFirst.filter(isCancelled)) take(from, unclaimed(cases, from));
  for (const from of latestFirst.filter((each) => !isCancelled(each))) {
    const there = unclaimed(cases, from);
    const spare = mayLoseCredits(world, from.sale) ? there : spareOf(world, from.sale, parts);
    take(from, least(spare, there));
  }
  return parts;
}

/** All that the allocations of a payment still credit to one sale and nobody asks back. */
export function partsOf({ cases }: World, payment: Payment, sale: Sale): RefundPart[] {
  return payment.allocations
    .filter((from) => from.sale === sale)
    .map((from) => ({ from, amount: unclaimed(cases, from) }))
    .filter(({ amount }) => amount > 0n);
}

function mayLoseCredits({ cases, settings }: World, sale: Sale): boolean {
  return settings.variants['refund-of-allocated-money'] === 'lowers-credits' && !isDelivered(cases, sale);
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** What a sale has beyond its amount, when these parts are gone. */
function spareOf({ cases }: World, sale: Sale, parts: readonly RefundPart[]): bigint {
  const credited = allocationsTo(cases, sale).reduce((total, each) => total + unclaimed(cases, each), 0n);
  const planned = parts
    .filter(({ from }) => from?.sale === sale)
    .reduce((total, { amount }) => total + amount, 0n);
  return credited - planned - sale.amount;
}
