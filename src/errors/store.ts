import { type ErrorDetails, identify, VehicleAuctionError } from './base.js';

/**
 * Why a store failed:
 * - `full`: no space left; `read_only`: no permission to write; `locked`: another program holds the lock;
 * - `corrupt`: the stored data is damaged; `moved`: the file was renamed, replaced or removed;
 * - `unsupported`: a place or driver that can't keep the promise, such as a network file system;
 * - `schema`: tables of another version, or none;
 * - `stopped`: an earlier commit failed, so nothing more is written until the store is closed and opened again;
 * - `unavailable`: any other failure, such as a database that does not answer.
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
  /** `unknown` if the transaction may have been committed; defaults to `failed`. */
  readonly commit?: 'failed' | 'unknown' | undefined;
}

/** The store can't be read or written. A call that can't be recorded is not sent. */
export class StoreError extends VehicleAuctionError {
  static {
    identify(this, 'StoreError');
  }

  declare readonly reason: StoreFault;
  /** `unknown` if the transaction may have been committed although it failed. */
  readonly commit: 'failed' | 'unknown';
  readonly #details: StoreErrorDetails;

  constructor(details: StoreErrorDetails) {
    super({ outcome: 'not_sent', ...details });
    this.commit = details.commit ?? 'failed';
    this.#details = details;
  }

  /** Returns a copy with the context of a call. @internal */
  within(context: Partial<Omit<ErrorDetails, 'reason'>>): StoreError {
    return storeErrorOf({ ...this.#details, ...context });
  }
}

/** Outside the class: the bundler renames a class that constructs itself, and its errors would print that name. */
function storeErrorOf(details: StoreErrorDetails): StoreError {
  return new StoreError(details);
}
