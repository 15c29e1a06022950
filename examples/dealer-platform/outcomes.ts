import {
  AbortedError,
  type BidOutcome,
  ConflictError,
  IdempotencyConflictError,
  InDoubtError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  StoreError,
  type UnknownBid,
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

/** It may have arrived: this stays open until the bank has told. */
export const inDoubt: Told = {
  status: 'unknown',
  message: 'It was sent, and no answer came. Do not repeat it as a new one: we find out and tell you.',
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

/** One request id is one thing, once and for all. */
export function requestIdUsed(): Problem {
  return new Problem(409, 'request_id_used', 'This request_id stands for another request. Take a new one.');
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
  const isOurs = error instanceof StoreError && error.outcome === 'not_sent';
  if (!(error instanceof VehicleAuctionError) || isOurs) {
    return new Problem(500, 'failure', 'Something went wrong here. It has been noted; try again later.');
  }
  if (error instanceof IdempotencyConflictError) return requestIdUsed();
  if (error instanceof InDoubtError) {
    const message =
      'An earlier bid of yours on this lot is in doubt. We find out and tell you; bid after that.';
    return new Problem(409, 'in_doubt', message, { amount: error.unresolved[0]?.amount });
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
 * What became of a bid, said for its buyer. The sentences of the SDK name keys and codes, so they stay here, but for the
 * codes of a rejection: those are about the bid.
 */
export function toldOfBid(outcome: BidOutcome): Told {
  switch (outcome.status) {
    case 'accepted':
      return {
        status: 'accepted',
        message: 'Accepted, provisionally. Whether you have bought it is for the bank to decide.',
        bid_id: outcome.bidId,
        standing: outcome.receipt?.bidder_status,
        highest_amount: outcome.receipt?.highest_amount,
        closes_at: outcome.receipt?.effective_close_at,
        /** True where the bank had it already: an answer was lost on the way, and no second bid was made. */
        replayed: outcome.replayed,
      };
    case 'rejected':
      return {
        status: 'rejected',
        message: 'The bank rejected this bid. If you bid again, that is a new bid under a new request_id.',
        codes: outcome.codes,
      };
    case 'refused':
      if (outcome.reason === 'not_recorded') return notRecorded;
      return { ...refused, reason: reasons[outcome.httpStatus ?? 0] ?? 'The bank turns this platform away.' };
    case 'not_sent':
      return notSent;
    case 'unknown':
      return toldOfUnknown(outcome);
  }
}

/** What is known of a command after a failed call, whose outcome takes every earlier call under its key into account. */
export function toldOf(error: VehicleAuctionError): Told {
  if (error instanceof InDoubtError) return unclear;
  if (error.outcome === 'refused' || error instanceof InvalidRequestError) {
    return { ...refused, reason: problemOf(error).message };
  }
  return error.outcome === 'not_sent' ? notSent : inDoubt;
}

/** Whether the browser has gone away, so that nobody is left to be told. */
export function isGone(error: unknown): boolean {
  return error instanceof AbortedError;
}

function toldOfUnknown({ evidence, reason }: UnknownBid): Told {
  if (reason !== 'in_doubt') return unclear;
  if (evidence?.kind !== 'absent') return inDoubt;
  return { ...inDoubt, look_again_after: new Date(evidence.copiesExpireAt).toISOString() };
}

/** Why a bid was turned away, as far as that is about the bid. */
const reasons: Readonly<Record<number, string>> = {
  404: 'There is no such lot for you.',
  422: 'The bank does not accept these values.',
};

const unclear: Told = {
  status: 'unclear',
  message: 'It may be in or not, and a person here has to find out. Do not repeat it as a new one.',
};
const notRecorded: Told = {
  status: 'not_recorded',
  message:
    'The bank has no record of this bid, and no copy of it can arrive. It may come again under the same request_id.',
};
const refused: Told = {
  status: 'refused',
  message: 'It was turned away, and nothing was recorded. It may come again under the same request_id.',
};
const notSent: Told = {
  status: 'not_sent',
  message: 'It did not leave here. Repeat it under the same request_id.',
};
