import { rupees } from '../money.js';
import type { World } from '../world.js';
import type { Sale } from './entities.js';
import { duesOf } from './funds.js';
import { announce } from './notices.js';

/**
 * Sees to it that bank and buyer are reminded of what is due, once, a day before (unknowns: `due-reminders`). Where the
 * approval leaves less than a day, it is reminder enough.
 */
export function remindOfDue(world: World, sale: Sale): void {
  if (world.settings.variants['due-reminders'] === 'none' || sale.terms === undefined) return;
  const { dueAt } = sale.terms;
  const wait = Date.parse(dueAt) - aDayMs - world.clock.now();
  if (wait <= 0) return;
  world.clock.schedule(wait, () => {
    const { remaining } = duesOf(world.cases, sale);
    if (remaining === 0n) return;
    const subject = `INR ${rupees(remaining)} of sale ${sale.id} are due by ${dueAt}`;
    announce(world, 'sale.payment_due', sale, subject);
  });
}

const aDayMs = 24 * 3_600_000;
