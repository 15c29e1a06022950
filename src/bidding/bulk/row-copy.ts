import type { InputIssue } from '../../errors/local.js';
import type { BidToPlace, LotOrId } from '../request.js';
import type { BulkRow, EarlierResult, UnreadableRow } from './row.js';
import { messageOf } from './stops.js';

/** What a row said when it was read: its objects may be filled anew for the next row, or change while it waits. */
export interface RowCopy {
  readonly rowId: string;
  readonly closesAt: BulkRow['closesAt'];
  readonly bid: BidToPlace;
  readonly bidType: 'open' | 'closed' | undefined;
  readonly earlierResult: EarlierResult | undefined;
}

/** A row that was copied, or what is wrong with it; `names` is what it is known by, as far as it says. */
export type CopiedRow<R> = { readonly names: { readonly line?: number; readonly rowId?: string } } & (
  | { readonly row: R; readonly copy: RowCopy }
  | { readonly issues: readonly InputIssue[]; readonly copy?: undefined }
);

/** Reads each field of a row once. Never throws: a row that throws when it is read is wrong. */
export function copyRow<R extends BulkRow>(row: R | UnreadableRow): CopiedRow<R> {
  const names: { line?: number; rowId?: string } = {};
  let field = 'row';
  const read = (name: keyof BulkRow | keyof UnreadableRow) => {
    field = name;
    return Object(row)[name];
  };
  try {
    const line = read('line');
    if (typeof line === 'number') names.line = line;
    const rowId = read('rowId');
    if (typeof rowId === 'string') names.rowId = rowId;
    if (isUnreadable(row)) return { names, issues: issuesIn(read('issues')) };
    if (typeof row !== 'object' || row === null) {
      return { names, issues: [{ path: 'row', message: 'must be an object' }] };
    }
    const closesAt = momentIn(read('closesAt'));
    const earlierResult = earlierIn(read('earlierResult'));
    const event = eventIn(read('event'));
    const bid = {
      lot: lotIn(read('lot')),
      event,
      amount: read('amount'),
      dealerId: read('dealerId'),
      clientBidTime: read('clientBidTime'),
      placeBy: momentIn(read('placeBy')),
      bidderReference: read('bidderReference'),
    };
    const bidType = (['open', 'closed'] as const).find((type) => type === event?.bid_type);
    return { names, row, copy: { rowId, closesAt, bid, bidType, earlierResult } };
  } catch (error) {
    return { names, issues: [{ path: field, message: `could not be read: ${messageOf(error)}` }] };
  }
}

function isUnreadable(row: BulkRow | UnreadableRow): row is UnreadableRow {
  return typeof row === 'object' && row !== null && 'issues' in row && !('amount' in row);
}

function issuesIn(issues: UnreadableRow['issues']): InputIssue[] {
  return issues.map(({ path, message }) => ({ path: `${path}`, message: `${message}` }));
}

/** By name, because a record may be an object of a class. */
function lotIn(lot: LotOrId): LotOrId {
  if (typeof lot !== 'object' || lot === null) return lot;
  const record = Object(lot);
  const { starting_price, effective_close_at, ends_at } = record;
  return { id: 'lot_id' in lot ? record.lot_id : record.id, starting_price, effective_close_at, ends_at };
}

function eventIn(event: unknown) {
  if (typeof event !== 'object' || event === null) return undefined;
  const { bid_increment, ends_at, bid_type } = Object(event);
  return { bid_increment, ends_at, bid_type };
}

/** A date may be set anew. */
function momentIn<T>(moment: T): T | Date {
  return moment instanceof Date ? new Date(moment.getTime()) : moment;
}

/** What isn't as it should be is as if it were missing. */
function earlierIn(earlier: unknown): EarlierResult | undefined {
  if (typeof earlier !== 'object' || earlier === null) return undefined;
  const told = Object(earlier);
  const { codes, attempts } = told;
  return {
    batchId: textIn(told.batchId),
    status: textIn(told.status),
    idempotencyKey: textIn(told.idempotencyKey),
    bidId: textIn(told.bidId),
    codes: Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : [],
    attempts: typeof attempts === 'number' ? attempts : 0,
    what: textIn(told.what),
    nextStep: textIn(told.nextStep),
    bidCheck: textIn(told.bidCheck),
  };
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
