import { type ErrorDetails, VehicleAuctionError } from './base.js';

/**
 * Why a journal can't do its work:
 * - `full`: no room, or no permission, to write; `sync_failed`: the disk didn't confirm what was written;
 * - `damaged`: what it holds isn't what was written; `unknown_format`: written by a version that this one doesn't know;
 * - `owned`: another process has it open; `foreign_write`: somebody else wrote into it;
 * - `unsafe_place`: a network file system, a directory, or a file that others may read or write;
 * - `lease_lost`: somebody else took the intent over; `closed`; `unavailable`: anything else.
 */
export type JournalFault =
  | 'full'
  | 'sync_failed'
  | 'damaged'
  | 'unknown_format'
  | 'owned'
  | 'foreign_write'
  | 'unsafe_place'
  | 'lease_lost'
  | 'closed'
  | 'unavailable';

export interface JournalErrorDetails extends Omit<ErrorDetails, 'outcome'> {
  readonly outcome?: ErrorDetails['outcome'];
  readonly fault: JournalFault;
}

/** The journal of intents can't be read or written. Where it can't be written, nothing is sent. */
export class JournalError extends VehicleAuctionError {
  static {
    this.prototype.name = 'JournalError';
  }

  /** Why, for programs. */
  readonly fault: JournalFault;
  readonly #details: JournalErrorDetails;

  constructor(details: JournalErrorDetails) {
    super({ outcome: 'not_sent', ...details });
    this.fault = details.fault;
    this.#details = details;
  }

  /** The same, as the error of a call. @internal */
  within(context: Partial<ErrorDetails>): JournalError {
    return journalErrorOf({ ...this.#details, ...context });
  }
}

/** Out here, because a class that makes itself is renamed by the bundler, and its errors would be printed by that name. */
function journalErrorOf(details: JournalErrorDetails): JournalError {
  return new JournalError(details);
}

/** Somebody else took an intent over. Nothing was written, and what was about to be sent was not. */
export class LeaseLostError extends JournalError {
  static {
    this.prototype.name = 'LeaseLostError';
  }

  constructor(key: string) {
    super({
      fault: 'lease_lost',
      what: 'Another process took this intent over.',
      nextStep: 'Nothing was written; read the intent again to see where it stands.',
      idempotencyKey: key,
    });
  }
}
