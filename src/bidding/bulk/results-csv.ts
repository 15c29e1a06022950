import { lotIdOf } from '../checked-bid.js';
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
  const fields: Partial<Record<keyof BulkRow, unknown>> = Object(row);
  const { cells = {} }: { readonly cells?: Readonly<Record<string, unknown>> } = Object(row);
  const shown = (column: BidColumn, value: unknown) => textOf(value) || textOf(cells[column]);
  return {
    row_id: shown('row_id', rowId),
    lot_id: shown('lot_id', 'lot' in fields ? lotIdOf(Object(row).lot) : undefined),
    amount: shown('amount', fields.amount),
    bidder_reference: shown('bidder_reference', fields.bidderReference),
    dealer_id: shown('dealer_id', fields.dealerId),
    client_bid_time: shown('client_bid_time', fields.clientBidTime),
    place_by: shown('place_by', momentText(fields.placeBy)),
    closes_at: shown('closes_at', momentText(fields.closesAt)),
  };
}

function resultCells<R>(result: BulkResult<R>): Record<ResultColumn, string> {
  const { outcome } = result;
  return {
    batch_id: result.batchId,
    status: result.status,
    idempotency_key: result.idempotencyKey ?? '',
    bid_id: outcome !== undefined && 'bidId' in outcome ? (outcome.bidId ?? '') : '',
    codes: result.codes.join(' '),
    attempts: String(outcome?.attempts ?? 0),
    what: result.what.trim(),
    next_step: result.nextStep.trim(),
    bid_check: 'bidCheck' in result ? (result.bidCheck ?? '') : '',
  };
}

/** Anything but text and numbers isn't shown: a wrong row may hold whatever. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function momentText(moment: unknown): unknown {
  const date = typeof moment === 'number' ? new Date(moment) : moment;
  return date instanceof Date && !Number.isNaN(date.getTime()) ? date.toISOString() : moment;
}
