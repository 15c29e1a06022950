import {
  AbortedError,
  BidRejectedError,
  ConflictError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  ValidationError,
  VehicleAuctionError,
} from 'vehicle-auction-sdk';

/** What came of something that must happen once, in the words that its buyer gets, now and whenever it asks again. */
export interface Told {
  readonly status: keyof typeof httpStatuses;
  readonly message: string;
  readonly [fact: string]: unknown;
}

/** The HTTP status that goes with each. */
export const httpStatuses = {
  accepted: 200,
  uploaded: 200,
  reported: 200,
  /** It may have been done or not; this program finds out. */
  unknown: 202,
  /** The same, and it takes a person to find out. */
  unclear: 202,
  awaiting_scan: 202,
  refused: 403,
  not_recorded: 409,
  rejected: 422,
  evidence_unfit: 422,
  not_sent: 503,
} as const;

/** An attempt may have arrived: whatever a later one meets with, this stays open until the bank has told. */
export const inDoubt: Told = {
  status: 'unknown',
  message: 'It was sent, and no answer came. Do not ask for it anew: we find out and tell you.',
};

/** What a buyer is told instead of what it asked for: an HTTP status, a code for programs, a sentence for people. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  /** What is wrong with which field, or other facts. */
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(status: number, code: string, message: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.facts = facts;
  }
}

/** The same words whether it doesn't exist or is somebody else's. */
export function notFound(): Problem {
  return new Problem(404, 'not_found', 'There is nothing here for you.');
}

/**
 * What a buyer may know of a failure. Messages of the SDK are for the people who run this platform: they go to the
 * log, and a buyer gets words of our own.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (!(error instanceof VehicleAuctionError)) {
    return new Problem(500, 'failure', 'Something went wrong here. It has been noted; try again later.');
  }
  if (error.outcome === 'unknown' && error.idempotencyKey !== undefined) {
    return new Problem(202, 'unknown', 'It may have been done or not. Read it again before you repeat it.');
  }
  if (error instanceof InvalidRequestError) {
    return new Problem(400, 'invalid', 'This request can not be right. Check its ids and fields.');
  }
  if (error instanceof NotFoundError) return notFound();
  if (error.outcome === 'refused' && error instanceof ConflictError) {
    return new Problem(409, 'changed', 'It has changed meanwhile. Read it again, then decide again.');
  }
  if (error.outcome === 'refused' && error instanceof ValidationError) {
    const fields = Object.keys(error.fieldErrors);
    return new Problem(422, 'invalid', 'The bank does not accept these values.', { fields });
  }
  if (error instanceof RateLimitError) {
    return new Problem(503, 'busy', 'Too much is going on. Try again in a minute.');
  }
  return new Problem(
    503,
    'unavailable',
    'The bank does not answer this platform at the moment. Try again soon.',
  );
}

/**
 * What is known after an attempt has failed, said for its buyer. An error tells of its own call only: where an earlier
 * one is in doubt (`doubted`), nothing but a recorded rejection settles both.
 */
export function toldOf(error: VehicleAuctionError, doubted: boolean): Told {
  if (error instanceof BidRejectedError && (!doubted || error.receipt !== undefined)) {
    return {
      status: 'rejected',
      message: 'The bank rejected this bid. If you bid again, that is a new bid under a new request_id.',
      codes: error.codes,
    };
  }
  if (doubted) return inDoubt;
  if (error.outcome === 'refused' || error instanceof InvalidRequestError) {
    return {
      status: 'refused',
      message: 'It was turned away, and nothing was recorded.',
      reason: problemOf(error).message,
    };
  }
  if (error.outcome === 'not_sent') {
    return { status: 'not_sent', message: 'It did not leave here. Repeat it under the same request_id.' };
  }
  return inDoubt;
}

/** Whether the browser has gone away, so that nobody is left to be told. */
export function isGone(error: unknown): boolean {
  return error instanceof AbortedError;
}
