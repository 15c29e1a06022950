import type { World } from '../world.js';
import type { Sale } from './entities.js';
import { duesOf } from './funds.js';
import { announce } from './notices.js';

/** Looks at the dues of some sales; the returned function tells of those whose state has moved since. */
export function watchPaymentStatus(world: World, sales: Iterable<Sale>): () => void {
  const before = new Map([...sales].map((sale) => [sale, duesOf(world.cases, sale).state]));
  return () => {
    for (const [sale, state] of before) {
      const now = duesOf(world.cases, sale).state;
      if (now === state) continue;
      announce(world, 'sale.payment_status_changed', sale, `Sale ${sale.id} is ${words[now]}`);
    }
  };
}

const words = {
  unpaid: 'not paid',
  partially_paid: 'paid in part',
  paid: 'paid in full',
  cancelled: 'cancelled',
} as const;
