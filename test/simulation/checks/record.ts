import type { WireRequest } from '../service/wire.js';
import type { JournalEvent } from './journal-watch.js';

/** A request at the moment its first byte left. */
export interface SentRequest {
  /** Counts requests of a run, from 1. */
  readonly number: number;
  /** Where it stands among everything that was witnessed. */
  readonly order: number;
  /** True time, Unix ms. */
  readonly at: number;
  readonly process: string;
  readonly wire: WireRequest;
  readonly kind: 'bid' | 'command' | 'read';
  /** Empty for reads. */
  readonly key: string;
  readonly client: string;
}

/** A call of the application, from its beginning. */
export interface BegunCall {
  readonly order: number;
  /** True time, Unix ms. */
  readonly at: number;
  readonly process: string;
  /** The API client that its process runs as. */
  readonly client: string;
  readonly what: 'place' | 'command' | 'reconcile' | 'recover' | 'abandon';
  /** Absent where the SDK makes the key. */
  readonly key?: string;
  readonly lot?: string;
  readonly buyer?: string;
  /** What the body calls itself. */
  readonly tag?: string;
  /** Unix ms in server time. */
  readonly placeBy?: number;
  /** It may send bids: `recover({ resend: true })`. */
  readonly resends?: boolean;
  readonly overInDoubt?: boolean;
  isOver: boolean;
}

/** What the application was told of an intent. */
export interface Told {
  readonly order: number;
  readonly process: string;
  readonly key: string;
  readonly kind: 'bid' | 'command';
  /** `nothing_sent`: the call that failed says so of itself, not of the intent. */
  readonly status: 'accepted' | 'rejected' | 'refused' | 'not_sent' | 'unknown' | 'done' | 'nothing_sent';
  readonly quarantined: boolean;
  readonly conclusivelyAbsent: boolean;
  /** After which no copy is let in, Unix ms in server time; where something was found absent. */
  readonly fenceAt: number | undefined;
  readonly by: BegunCall['what'];
  /** The API client that its process runs as. */
  readonly client: string;
  /** `order` of the call that told it. */
  readonly call: number;
}

/** Everything that was seen of a run from outside the SDK. */
export interface Observations {
  readonly sent: readonly SentRequest[];
  readonly calls: readonly BegunCall[];
  readonly told: readonly Told[];
  readonly journal: readonly JournalEvent[];
}
