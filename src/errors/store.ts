import { type ErrorDetails, identify, VehicleAuctionError } from './base.js';

/**
 * Why a store can't do its work:
 * - `full`: no space left; `read_only`: no permission to write; `locked`: another program holds the lock;
 * - `corrupt`: what it holds is not what was written; `moved`: the file was renamed, replaced or removed;
 * - `unsupported`: a place or driver that can't keep the promise, such as a network file system;
 * - `schema`: tables of another version, or none;
 * - `stopped`: an earlier commit failed, so nothing more is written until the store is closed and opened again;
 * - `unavailable`: anything else, such as a database that doesn't answer.
 */
export type StoreFault =
  | 'full'
  | 'read_only'
  | 'locked'
  | 'corrupt'
  | 'moved'
  | 'unsupported'
  | 'schema'
  | 'stopped'
  | 'unavailable';

export interface StoreErrorDetails extends Omit<ErrorDetails, 'outcome'> {
  readonly outcome?: ErrorDetails['outcome'];
  readonly reason: StoreFault;
  /** `unknown` where the transaction may have been committed; defaults to `failed`. */
  readonly commit?: 'failed' | 'unknown' | undefined;
}

/** The store can't be read or written. What can't be recorded is not sent. */
export class StoreError extends VehicleAuctionError {
  static {
    identify(this, 'StoreError');
  }

  declare readonly reason: StoreFault;
  /** Whether the failed transaction may have been committed all the same. */
  readonly commit: 'failed' | 'unknown';
  readonly #details: StoreErrorDetails;

  constructor(details: StoreErrorDetails) {
    super({ outcome: 'not_sent', ...details });
    this.commit = details.commit ?? 'failed';
    this.#details = details;
  }

  /** The same, as the error of a call. @internal */
  within(context: Partial<Omit<ErrorDetails, 'reason'>>): StoreError {
    return storeErrorOf({ ...this.#details, ...context });
  }
}

/** Out here, because a class that constructs itself is renamed by the bundler and its errors would print that name. */
function storeErrorOf(details: StoreErrorDetails): StoreError {
  return new StoreError(details);
}
