import { lotIdOf } from '../checked-bid.js';
import type { BidOutcome } from '../outcome.js';
import { csvLine } from './csv-cells.js';
import { type BidColumn, bidColumns, type ResultColumn, resultColumns } from './csv-columns.js';
import type { BulkResult } from './result.js';
import type { BulkRow } from './row.js';

/** The header of a result file. */
export function resultsHeader(): string {
  return csvLine([...bidColumns, ...resultColumns]);
}

/** A result as a line of a result file. */
export function resultsLine<R extends BulkRow>(result: BulkResult<R>): string {
  const cells: Readonly<Record<BidColumn | ResultColumn, string>> = {
    ...bidCells(result),
    ...resultCells(result),
  };
  return csvLine([...bidColumns, ...resultColumns].map((name) => cells[name]));
}

/**
 * Results as the text of a result file, line by line, for whatever stream it is to go to. Its rows are the rows that were
 * read with what became of them; `readBidsCsv` reads it again.
 */
export async function* resultsCsv<R extends BulkRow>(
  results: AsyncIterable<BulkResult<R>> | Iterable<BulkResult<R>>,
): AsyncGenerator<string, void, undefined> {
  yield resultsHeader();
  for await (const result of results) yield resultsLine(result);
}

function bidCells<R extends BulkRow>({ row, rowId = '' }: BulkResult<R>): Record<BidColumn, string> {
  const shown = (column: BidColumn, value: () => unknown) =>
    textOf(readBy(value)) || textOf(readBy(() => Object(row).cells?.[column]));
  const field = (name: keyof BulkRow) => () => Object(row)[name];
  const moment = (name: keyof BulkRow) => () => momentText(Object(row)[name]);
  return {
    row_id: shown('row_id', () => rowId),
    lot_id: shown('lot_id', () => lotIdOf(Object(row).lot)),
    amount: shown('amount', field('amount')),
    bidder_reference: shown('bidder_reference', field('bidderReference')),
    dealer_id: shown('dealer_id', field('dealerId')),
    client_bid_time: shown('client_bid_time', field('clientBidTime')),
    place_by: shown('place_by', moment('placeBy')),
    closes_at: shown('closes_at', moment('closesAt')),
  };
}

/** A wrong row may throw when it is read: that shows nothing, and is told in its result. */
function readBy(value: () => unknown): unknown {
  try {
    return value();
  } catch {
    return undefined;
  }
}

function resultCells<R>(result: BulkResult<R>): Record<ResultColumn, string> {
  const { outcome } = result;
  return {
    batch_id: result.batchId,
    status: result.status,
    idempotency_key: result.idempotencyKey ?? '',
    bid_id: bidIdOf(outcome) ?? '',
    codes: result.codes.join(' '),
    attempts: String(outcome?.attempts ?? 0),
    what: result.what.trim(),
    next_step: result.nextStep.trim(),
    bid_check: 'bidCheck' in result ? (result.bidCheck ?? '') : '',
  };
}

/** Also of a bid that only a person can settle, where the service has said which it is. */
function bidIdOf(outcome: BidOutcome | undefined): string | undefined {
  if (outcome?.status === 'unknown') return outcome.quarantined?.said?.bidId;
  return outcome !== undefined && 'bidId' in outcome ? outcome.bidId : undefined;
}

/** Anything but text and numbers isn't shown: a wrong row may hold whatever. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function momentText(moment: unknown): unknown {
  const date = typeof moment === 'number' ? new Date(moment) : moment;
  return date instanceof Date && !Number.isNaN(date.getTime()) ? date.toISOString() : moment;
}
