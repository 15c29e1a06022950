import { refuseWithoutStore } from '../../intents/caller.js';
import { loadDeriveKey } from '../../intents/derived-key.js';
import { bidsPerWindow } from '../../quota/lanes.js';
import type { QuotaState } from '../../quota/quota.js';
import { mayLeave } from '../place.js';
import type { BidPorts } from '../ports.js';
import { batchSettings, type Candidate, Intake, RowQueue, RowReader } from './rows.js';
import type { BatchPlan, BidRow, LateRow, PlaceAllOptions, RecordedRow, RowSource } from './types.js';

/** Rows that are looked up in the store in one transaction. */
const READ_TOGETHER = 100;

const context = { call: 'bids.plan', operation: 'bids.plan' } as const;

/** Plans a batch from its rows, the store and the quota as they are now. It sends and records nothing. */
export async function planBatch<R extends BidRow>(
  parts: BidPorts,
  source: RowSource<R>,
  options: PlaceAllOptions<R>,
): Promise<BatchPlan> {
  const settings = batchSettings(parts.limits, source, options);
  const { recording, quota } = parts;
  refuseWithoutStore(recording, context);
  const now = recording.ledger.now();
  const reader = new RowReader(source);
  const intake = new Intake<R>(parts, settings);
  const deriveKey = await loadDeriveKey();
  const candidates: Candidate<R>[] = [];
  for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
    const taken = intake.take(next.value, deriveKey);
    if (!('issues' in taken)) candidates.push(taken);
  }
  const queue = new RowQueue<R>();
  const { unsent, recorded } = await divide(parts, candidates, now);
  for (const row of unsent) queue.add(row);
  const leaves = departures(quota.state(), now);
  const late: LateRow[] = [];
  let requests = 0;
  let lastAt: number | undefined;
  for (let row = queue.take(); row !== undefined; row = queue.take()) {
    queue.release(row);
    const leavesAt = leaves(requests);
    requests += 1;
    lastAt = leavesAt;
    if (leavesAt < row.dueAt) continue;
    late.push({ ...placeOf(row), leavesAt, dueAt: row.dueAt, lateBy: leavesAt - row.dueAt });
  }
  return {
    batchId: settings.batchId,
    rows: intake.rows,
    invalid: intake.rows - candidates.length,
    settled: recorded.length,
    requests,
    now,
    lastAt,
    late,
    recorded,
  };
}

/** Splits rows into those still to be sent and those on record, as far as the store shows. */
async function divide<R>(
  { recording: { ledger } }: BidPorts,
  rows: readonly Candidate<R>[],
  now: number,
): Promise<{ readonly unsent: readonly Candidate<R>[]; readonly recorded: readonly RecordedRow[] }> {
  const unsent: Candidate<R>[] = [];
  const recorded: RecordedRow[] = [];
  for (let from = 0; from < rows.length; from += READ_TOGETHER) {
    const some = rows.slice(from, from + READ_TOGETHER);
    const intents = await ledger.within(async (tx) => {
      const found = [];
      for (const { bid } of some) found.push(ledger.intentOf(await tx.intents.get(bid.key)));
      return found;
    });
    for (const [index, row] of some.entries()) {
      const intent = intents[index];
      if (intent === undefined || mayLeave(intent, now)) unsent.push(row);
      else recorded.push({ ...placeOf(row), idempotencyKey: row.bid.key, state: intent.status.state });
    }
  }
  return { unsent, recorded };
}

function placeOf<R>({
  facts: { rowId, position, line },
}: Candidate<R>): Omit<RecordedRow, 'idempotencyKey' | 'state'> {
  return { rowId, position, ...(line !== undefined && { line }) };
}

/** When the n-th request, from 0, has left at the latest if nothing else uses the quota: Unix ms in server time. */
function departures({ limit, window, available, waiting }: QuotaState, now: number): (n: number) => number {
  if (limit === Number.POSITIVE_INFINITY) return () => now;
  const free = Math.max(0, available.bid - waiting.bid);
  const each = bidsPerWindow(limit);
  return (n) => (n < free ? now : now + Math.ceil((n - free + 1) / each) * window);
}
