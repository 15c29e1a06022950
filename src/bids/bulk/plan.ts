import { refuseWithoutStore } from '../../intents/caller.js';
import { loadDeriveKey } from '../../intents/derived-key.js';
import type { BidPorts } from '../ports.js';
import { forecastRows } from './forecast.js';
import { errorReason } from './results.js';
import { batchSettings, type Candidate, RowChecker, RowReader } from './rows.js';
import type {
  BatchPlan,
  BidRow,
  HeldBackRow,
  LateRow,
  PlaceAllOptions,
  PlannedRow,
  RecordedRow,
  RowSource,
} from './types.js';

const context = { call: 'bids.plan', operation: 'bids.plan' } as const;

/** Plans a batch from its rows and the current store and quota. Sends and records nothing. */
export async function planBatch<R extends BidRow>(
  parts: BidPorts,
  source: RowSource<R>,
  options: PlaceAllOptions<R>,
): Promise<BatchPlan> {
  const settings = batchSettings(parts.limits, source, options);
  refuseWithoutStore(parts.recording, context);
  const now = parts.recording.ledger.now();
  const reader = new RowReader(source);
  const checker = new RowChecker<R>(parts, settings);
  const deriveKey = await loadDeriveKey();
  const candidates: Candidate<R>[] = [];
  for (let next = await reader.next(); next.done !== true; next = await reader.next()) {
    const taken = checker.take(next.value, deriveKey);
    if (!('issues' in taken)) candidates.push(taken);
  }
  const late: LateRow[] = [];
  const recorded: RecordedRow[] = [];
  const heldBack: HeldBackRow[] = [];
  let requests = 0;
  let lastAt: number | undefined;
  for (const { row, forecast } of await forecastRows(parts, candidates)) {
    const place = plannedRow(row);
    switch (forecast.kind) {
      case 'recorded':
        recorded.push({ ...place, state: forecast.intent.status.state });
        break;
      case 'held_back':
        heldBack.push({ ...place, reason: forecast.reason, why: forecast.why });
        break;
      case 'error': {
        const { error } = forecast;
        heldBack.push({ ...place, reason: errorReason(error), why: error.message });
        break;
      }
      default: {
        const { leavesAt } = forecast;
        const { dueAt } = row;
        requests += 1;
        lastAt = leavesAt;
        if (leavesAt >= dueAt) late.push({ ...place, leavesAt, dueAt, lateBy: leavesAt - dueAt });
      }
    }
  }
  return {
    batchId: settings.batchId,
    rows: checker.rows,
    invalid: checker.rows - candidates.length,
    settled: recorded.length,
    requests,
    now,
    lastAt,
    late,
    recorded,
    heldBack,
  };
}

function plannedRow<R>({ facts: { rowId, position, line }, bid }: Candidate<R>): PlannedRow {
  return { rowId, position, ...(line !== undefined && { line }), idempotencyKey: bid.key };
}
