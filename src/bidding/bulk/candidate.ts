import type { BidToPlace } from '../request.js';
import type { BidContent } from './key.js';
import type { EarlierResult } from './row.js';

/** A row that was checked and may be placed. */
export interface Candidate<R> extends BidContent {
  readonly batchId: string;
  readonly position: number;
  readonly line?: number;
  readonly row: R;
  readonly rowId: string;
  /** Its idempotency key. */
  readonly key: string;
  readonly bidCheck: string;
  /** With the amount in one spelling, so that its bytes stay the same however a file writes it. */
  readonly bid: BidToPlace;
  readonly bidType: 'open' | 'closed' | undefined;
  /** Unix ms in server time, each as far as the row tells. */
  readonly closesAt: number | undefined;
  readonly placeBy: number | undefined;
  /** What a result file says of it. */
  readonly earlier?: EarlierResult | undefined;
}
