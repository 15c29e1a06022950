import type { SaleRecord } from 'vehicle-auction-sdk';
import { type Bench, decideSale } from './decide.js';
import type { Report } from './report.js';

/**
 * Decides every sale that waits for the bank. All pages are collected before anything is decided: a list that changes
 * while it is walked can show a sale twice, and skip another.
 *
 * @throws AuditError where a decision can't be written down, and VehicleAuctionError where a sale can't be read: the
 * run ends there, and the next one goes on.
 */
export async function runApprovals(bench: Bench, report: Report): Promise<void> {
  const { bank, audit, settings } = bench;
  const sales = new Map<string, SaleRecord>();
  for await (const sale of bank.saleCases.list()) sales.set(sale.id, sale);
  const all = [...sales.values()];
  const pending = all.filter((sale) => settings.isPending(sale)).map(({ id }) => id);
  const inDoubt = audit.inDoubt('approve', 'offer').map(({ about }) => about);
  report.say(
    `${all.length} sales, of which ${pending.length} wait for the bank${others(all, settings.isPending)}`,
  );
  for (const id of new Set([...inDoubt, ...pending])) report.tell(await decideSale(bench, id));
  report.sum();
}

/** The states that count as decided, so that a wrong `isPending` shows. */
function others(all: readonly SaleRecord[], isPending: (sale: SaleRecord) => boolean): string {
  const states = new Map<string, number>();
  for (const sale of all) {
    if (!isPending(sale)) states.set(sale.state, (states.get(sale.state) ?? 0) + 1);
  }
  const told = [...states].map(([state, count]) => `${count} ${state}`).join(', ');
  return told === '' ? '.' : `; the others: ${told}.`;
}
