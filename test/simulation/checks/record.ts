import type { WireRequest } from '../service/wire.js';
import type { StoreWrite } from './store-watch.js';

/** A request at the moment its first byte left. */
export interface SentRequest {
  /** Counts requests of a run, from 1. */
  readonly number: number;
  /** Its position among everything that was witnessed. */
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
  readonly what: 'place' | 'command' | 'reconcile' | 'recover' | 'abandon' | 'feed' | 'halt';
  /** Absent where the SDK makes the key. */
  readonly key?: string;
  readonly lot?: string;
  readonly buyer?: string;
  /** What the body calls itself. */
  readonly tag?: string;
  /** Unix ms in server time. */
  readonly placeBy?: number;
  /** It may send commands: `recover({ resend: true })`. */
  readonly resends?: boolean;
  readonly allowUnresolved?: boolean;
  readonly confirm?: boolean;
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
  /** Told as settled for now. */
  readonly provisional: boolean;
  /** Unknown, and nothing settles it by itself: stuck, abandoned, or of another client. */
  readonly isForAPerson: boolean;
  /** Attempts that were begun; undefined where an error told it. */
  readonly attempts: number | undefined;
  /** After which no copy is let in, Unix ms in server time; where something was found absent. */
  readonly fenceAt: number | undefined;
  readonly by: BegunCall['what'];
  /** The API client that its process runs as, and the account in the store. */
  readonly client: string;
  readonly account: string;
  /** `order` of the call that told it. */
  readonly call: number;
}

/** Everything that was seen of a run from outside the SDK. */
export interface Observations {
  readonly sent: readonly SentRequest[];
  readonly calls: readonly BegunCall[];
  readonly told: readonly Told[];
  /** What was committed to the store. */
  readonly writes: readonly StoreWrite[];
}
