import type { BidDetail, BidReceipt } from '../models/bids.js';

/** What became of one intended bid, as far as is known. `unknown` never means that it failed. */
export type BidOutcome = AcceptedBid | RejectedBidOutcome | RefusedBid | UnsentBid | UnknownBid;

interface OutcomeFacts {
  /** The same in every outcome of a bid: `recover()` gives those of commands, too, each by its own call. */
  readonly call: 'bidding.place';
  /** Public lot id; with `amount` absent where the journal doesn't know the key. */
  readonly lot?: string;
  /** INR decimal string. */
  readonly amount?: string;
  /** The platform's buyer. */
  readonly bidderReference?: string;
  /** The key of this bid: reconcile under it, or place the same bid under it again. */
  readonly idempotencyKey: string;
  /** Every code of a rejection or refusal, the first reason first; empty otherwise. */
  readonly codes: readonly string[];
  /** True where the service answered from its record of the key. */
  readonly replayed: boolean;
  /** Attempts that were begun, in this call and in earlier ones. */
  readonly attempts: number;
  /** What happened, as a sentence. */
  readonly what: string;
  /** What to do next, as a sentence. */
  readonly nextStep: string;
}

/** The service accepted it: a provisional standing, no sale approval. Final. */
export interface AcceptedBid extends OutcomeFacts {
  readonly status: 'accepted';
  /** Absent where only the look-up by key said so, in a form that is not shown. */
  readonly bidId?: string;
  /** As the service sent it; through a look-up (A06) its fields are not shown, so all may be missing. */
  readonly receipt?: Partial<BidReceipt>;
}

/** The service judged it and turned it down. Final: never retried, and never bid again by itself. */
export interface RejectedBidOutcome extends OutcomeFacts {
  readonly status: 'rejected';
  /** A rejected bid can have an id, too. */
  readonly bidId?: string;
  readonly receipt?: Partial<BidReceipt>;
}

/** The service turned it away (access, form) and recorded nothing. It may be placed again under its key. */
export interface RefusedBid extends OutcomeFacts {
  readonly status: 'refused';
  /** HTTP status. */
  readonly httpStatus?: number;
}

/** Nothing of it left this process. It may be placed again under its key. */
export interface UnsentBid extends OutcomeFacts {
  readonly status: 'not_sent';
}

/** It may or may not have been recorded: reconcile it, and don't bid for the same buyer on this lot before that. */
export interface UnknownBid extends OutcomeFacts {
  readonly status: 'unknown';
  /** What looking has shown so far; absent where nobody could look yet. */
  readonly evidence?: BidEvidence;
  /**
   * Present where what is known contradicts itself, so that only a person can settle it; `said`: what the service has
   * answered under the key all the same.
   */
  readonly quarantined?: { readonly reason: string; readonly said?: SaidOfBid };
  /** Present where its owner gave it up: nothing tracks it any more. */
  readonly abandoned?: { readonly reason: string };
}

/** What the service has said of a bid that can't be settled by itself. */
export interface SaidOfBid {
  readonly status: 'accepted' | 'rejected';
  readonly bidId?: string;
  /** Every code of a rejection; empty otherwise. */
  readonly codes: readonly string[];
}

/** What looking for an unknown bid has shown. Times are Unix ms in server time. */
export type BidEvidence =
  /**
   * Nothing is recorded under the key. `conclusive` once no copy can be let in any more and it was seen twice since then:
   * as good as evidence gets, and still no proof. `fenceAt` is the moment after which no copy is let in.
   */
  | {
      readonly kind: 'absent';
      readonly conclusive: boolean;
      readonly observedAt: number | undefined;
      readonly fenceAt: number;
    }
  /** The service is still working on it. */
  | { readonly kind: 'processing'; readonly observedAt: number | undefined }
  /** The look-up by key (A06) gave no answer; `reason` in a few words. */
  | { readonly kind: 'lookup_failed'; readonly reason: string }
  /**
   * Too late for the look-up by key: the service may have forgotten it. These accepted bids of the same lot, buyer and
   * amount are recorded; which one is this, if any, is for a person to say. `complete` is false where the list was too
   * long to be read to its end.
   */
  | { readonly kind: 'similar_bids'; readonly bids: readonly BidDetail[]; readonly complete: boolean };
