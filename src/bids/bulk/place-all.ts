import type { BidParts } from '../parts.js';
import type { BatchRun, BidRow, PlaceAllOptions, RowSource } from './types.js';
export function placeAll<R extends BidRow>(
  _parts: BidParts,
  _rows: RowSource<R>,
  _options: PlaceAllOptions<R>,
): BatchRun<R> {
  throw new Error('being written');
}
