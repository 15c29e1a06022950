import { INCREMENT, OPENING, type Plan } from '../app/plan.js';
import { record } from '../service/bids.js';
import type { Service } from '../service/service.js';

/** Puts into the service what a plan is about, and what others have done there before. */
export function stockUp(service: Service, plan: Plan, client: string): void {
  for (const { id, type, closesInMs } of plan.lots) {
    service.lots.set(id, {
      id,
      type,
      opening: BigInt(OPENING) * 100n,
      increment: BigInt(INCREMENT) * 100n,
      closeAt: service.now + closesInMs,
      version: 1,
      highest: undefined,
      own: new Map(),
    });
  }
  for (const { what, tag } of plan.commands) {
    if (what === 'acknowledge') service.sales.set(tag, 1);
  }
  for (const { key, lot, buyer, amount, usedBefore } of plan.bids) {
    if (key === undefined || usedBefore === undefined) continue;
    const path = `/lots/${lot}/bids`;
    const at = service.now - 60_000;
    const bid = {
      id: `bid_${service.ledger.bids.length + 1}`,
      client,
      key,
      lot,
      buyer,
      // Another bid is one of another amount.
      amount: usedBefore === 'same' ? amount : String(OPENING + 40 * INCREMENT),
      verdict: 'accepted',
      codes: [],
      at,
      lotVersion: 1,
      request: undefined,
      tag: 'somebody else',
    } as const;
    record(service, bid, { path, body: usedBefore === 'same' ? undefined : '{}', shownAt: at });
  }
}
