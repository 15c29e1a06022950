import { formatInr, NotFoundError, type SaleRecord, VehicleAuctionError } from 'vehicle-auction-sdk';
import type { After } from './audit.js';
import type { Caps } from './caps.js';
import { carryOut, type Desk, type Look, sendAgain } from './carry-out.js';
import { type Decision, decisionOf, isStill, settledBy } from './decision.js';
import { judge, type Verdict } from './policy.js';
import type { Line } from './report.js';
import type { Reserves } from './reserves.js';
import type { Settings } from './settings.js';
import { serverTimeOf } from './time.js';

/** All that deciding takes. */
export interface Bench extends Desk {
  readonly settings: Settings;
  readonly reserves: Reserves;
  readonly caps: Caps;
  /** Reads, and says what it would do; sends no command and writes no audit. */
  readonly dryRun: boolean;
}

/**
 * Decides one sale by what it says now. Where it changes between the reading and the decision, it is read again and
 * judged anew: a decision is never sent again with another version.
 *
 * @throws AuditError where a decision can't be written down: it isn't sent then.
 */
export async function decideSale(bench: Bench, id: string): Promise<Line> {
  const line = (what: Line['what'], why: string): Line => ({ what, about: id, why });
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const sale = await readSale(bench, id);
    if (sale === undefined) return line('failed', 'there is no such sale any more');
    const next = await nextFor(bench, sale);
    if ('what' in next) return next;
    const { decision, isNew } = next;
    const intent = `${isNew ? '' : 'again: '}${decision.action} at ${formatInr(decision.amount)}; ${decision.why}`;
    if (!bench.caps.take(decision.amount)) return line('left', `beyond the caps: ${intent}`);
    if (bench.dryRun) return line('would', intent);

    const go = isNew ? carryOut : sendAgain;
    const after = await go(bench, decision, lookAt(bench, decision));
    const { outcome, note = '' } = after;
    if (outcome === 'done') return line(decision.action === 'offer' ? 'offered' : 'approved', intent);
    if (outcome === 'waiting') return line('waiting', waits(after));
    if (outcome === 'unknown') return line('unknown', note);
    bench.caps.giveBack(decision.amount);
    if (outcome === 'not_sent' || !(await hasMoved(bench, decision))) return line('failed', note);
  }
  return line('failed', `it changed under ${MAX_ROUNDS} decisions in a row`);
}

const MAX_ROUNDS = 3;

/** The decision to send, or why none is sent. */
async function nextFor(
  bench: Bench,
  sale: SaleRecord,
): Promise<{ decision: Decision; isNew: boolean } | Line> {
  const { audit, settings, dryRun } = bench;
  const line = (what: Line['what'], why: string): Line => ({ what, about: sale.id, why });
  const now = serverTimeOf(sale);
  const doubt = audit.inDoubt('approve', 'offer').find(({ about }) => about === sale.id);
  const settled = doubt && settledBy(sale, doubt, settings);
  if (doubt !== undefined && settled !== undefined) {
    const key = doubt.body.idempotency_key;
    if (!dryRun) await audit.write({ event: 'after', about: sale.id, key, ...settled });
    return line('settled', `the ${doubt.action} of an earlier run: ${settled.note}`);
  }
  if (!settings.isPending(sale)) return line('moved on', `it is ${sale.state} by now`);

  const [approved] = audit.trails(sale.id, 'approve').filter(wasTaken);
  if (approved?.after?.outcome === 'waiting') return line('waiting', waits(approved.after));
  const verdict = approved === undefined ? verdictOn(bench, sale, now) : pendingAgain;
  if (doubt !== undefined) {
    // With an old version it can do nothing new, and its answer settles it. With this one it takes effect.
    const mayGo = doubt.body.expected_version !== sale.resource_version || isStill(doubt, verdict);
    return mayGo
      ? { decision: doubt, isNew: false }
      : line('unknown', `the ${doubt.action} of an earlier run may have arrived; by now: ${verdict.why}`);
  }
  switch (verdict.action) {
    case 'wait':
      return line('waiting', verdict.why);
    case 'hold':
      if (!dryRun) await audit.hold(sale.id, sale.resource_version, verdict.why);
      return line('held', verdict.why);
    default:
      return { decision: decisionOf(sale, verdict, settings, now), isNew: true };
  }
}

const pendingAgain: Verdict = { action: 'hold', why: 'it was approved before, and is pending again' };

function verdictOn({ audit, reserves, settings }: Bench, sale: SaleRecord, now: number): Verdict {
  const offered = audit.trails(sale.id, 'offer').some(wasTaken);
  return judge({ sale, reserve: reserves.get(sale.data?.lot_id ?? ''), offered, now }, settings);
}

function wasTaken({ after }: { readonly after: After | undefined }): boolean {
  return after?.outcome === 'done' || after?.outcome === 'waiting';
}

function waits({ state = 'not approved' }: After): string {
  return `sent, and the sale is ${state}: a second person may have to confirm`;
}

async function readSale({ bank }: Bench, id: string): Promise<SaleRecord | undefined> {
  try {
    return await bank.saleCases.get(id);
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}

/** Settles an unknown outcome by reading the sale. */
function lookAt({ bank, settings }: Bench, decision: Decision): Look {
  return async () => {
    try {
      return settledBy(await bank.saleCases.get(decision.id), decision, settings);
    } catch (error) {
      if (error instanceof VehicleAuctionError) return undefined; // then it stays unknown
      throw error;
    }
  };
}

/** Whether a refusal may be about the version, whatever it says: the API shows no code for that. */
async function hasMoved(bench: Bench, { id, body }: Decision): Promise<boolean> {
  const sale = await readSale(bench, id);
  return sale !== undefined && sale.resource_version !== body.expected_version;
}
