import type { Lane } from '../api/operation.js';
import type { Quota } from '../ports/quota.js';
import type { WarnAbout } from '../runtime/user-code.js';
import type { DepartureLog } from '../store/store.js';
import type { QuotaSettings } from './lanes.js';

/** The current state of the request quota, for dashboards and logs. */
export interface QuotaState {
  /** Requests per window: the lowest limit of all clients and processes that share the quota. */
  readonly limit: number;
  /** Requests of each window that only bids may use. */
  readonly reserve: number;
  /** Time for which a request counts, ms: the window and its margin. */
  readonly window: number;
  /** Requests that count now, of all known processes. */
  readonly used: number;
  /** Requests that could be sent now in each lane, if the other lanes sent none. */
  readonly available: Readonly<Record<Lane, number>>;
  /** Queued requests of this process by lane. */
  readonly waiting: Readonly<Record<Lane, number>>;
  /** End of the pause after a 429, Unix ms by this machine's clock; undefined if there is none. */
  readonly pausedUntil: number | undefined;
  /** `process`: shared in this process; `store`: with all processes on the store; `alone`: the store fails. */
  readonly shared: 'process' | 'store' | 'alone';
}

/** A client that joins a quota. */
export interface QuotaMember {
  readonly settings: QuotaSettings;
  /** The log through which other processes share the quota. */
  readonly departures?: DepartureLog | undefined;
  readonly warn?: WarnAbout | undefined;
}

/** One client's share in a quota. */
export interface QuotaShare extends Quota {
  state(): QuotaState;
  /** Returns the same share with another target for its warnings. */
  warning(warn: WarnAbout): QuotaShare;
  /**
   * Releases the share. The quota outlives its last share until its window and pauses are over, so a program that makes a
   * client for each job does not start a new window each time.
   */
  release(): void;
}
