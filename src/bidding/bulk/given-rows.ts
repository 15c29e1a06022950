import type { PartnerType } from '../../api/operation.js';
import type { BidsCsv } from './read-bids-csv.js';
import type { BulkRow, UnreadableRow } from './row.js';

/**
 * What `placeAll` may be given: rows from anywhere, or a bids file, of which only reading it tells whether it names the
 * buyers. One type for both, and not two overloads: so the compiler says what is wrong, and nothing besides.
 */
export type GivenRows<P extends PartnerType, R> =
  // Rows of another shape are held against BulkRow itself. As arrays, because R alone would narrow within its own branch.
  (R[] extends BulkRow<P>[] ? Rows<R> : Rows<BulkRow<P>>) | (BidsCsv & AsyncIterable<R | UnreadableRow>);

type Rows<R> = IterableOf<R | UnreadableRow>;

/** Common ones by their names, too: an error is short where like is compared with like. */
type IterableOf<T> =
  | readonly T[]
  | Set<T>
  | Iterable<T>
  | Generator<T>
  | AsyncGenerator<T>
  | AsyncIterable<T>;
