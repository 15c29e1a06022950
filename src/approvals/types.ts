import type { Amount } from '../api/formats.js';
import type { ActiveOffer } from '../following/readers.js';
import type { SaleRecord } from '../generated/sale-cases.js';

/** The offer that counts on a sale. */
export type OfferFacts = Omit<ActiveOffer, 'version'>;

/** What a policy sees. All of it was read for this decision. */
export interface SaleFacts {
  /** The sale, read individually. */
  readonly sale: SaleRecord;
  /** The offer that counts on it; `unreadable` where the service sent one without the fields it needs. */
  readonly offer: OfferFacts | 'unreadable' | undefined;
  /** Server time, Unix ms. */
  readonly now: number;
  /** Whether this client has made an offer on the sale before. */
  readonly offered: boolean;
}

/** What a policy answers. `reason` is written into the audit, and sent with what is sent. */
export type PolicyAnswer =
  /** Approve at the bid, or at the accepted offer where there is one: its id and terms are filled in. */
  | {
      readonly action: 'approve';
      readonly reason: string;
      /** When payment is due, ISO 8601 with zone. */
      readonly dueAt: string;
      readonly payeeInstructions: string | { readonly [key: string]: unknown };
      /** Required unless an offer is accepted: then the offer's. */
      readonly termsVersion?: string | number | undefined;
      /** Defaults to the sale's bid. */
      readonly bidId?: string | undefined;
    }
  /** Make the buyer an offer (A24). */
  | {
      readonly action: 'offer';
      readonly reason: string;
      readonly amount: Amount;
      readonly termsVersion: string | number;
      /** When it lapses, ISO 8601 with zone. */
      readonly validUntil: string;
    }
  /** Another decision (A22), in the service's own word: the API text shows `approved` only. */
  | { readonly action: 'decide'; readonly decision: string; readonly reason: string }
  /** A person decides. Audited. */
  | { readonly action: 'hold'; readonly reason: string }
  /** Nothing for now, such as while the buyer considers an offer. Not audited. */
  | { readonly action: 'wait'; readonly reason: string };

/** Decides by facts alone, and sends nothing. */
export type Policy = (facts: SaleFacts) => PolicyAnswer | Promise<PolicyAnswer>;

/**
 * What became of a sale:
 * - `approved`, `offered`, `decided`: carried out, now or by an earlier run;
 * - `pending_approval`: carried out, and the sale is not approved yet: a second approver has to confirm;
 * - `held`, `waiting`: the policy said so;
 * - `not_pending`: the sale is approved, or not one that `isPending` takes in;
 * - `refused`: the service refused, though the sale had not moved; `conflict`: it moved under every round;
 * - `not_sent`: a check failed, and `reason` says which; `dry_run`: it would have been sent;
 * - `left`: beyond a cap of the run;
 * - `unknown`: it may have taken effect; calling again settles it.
 */
export type ApprovalStatus =
  | 'approved'
  | 'offered'
  | 'decided'
  | 'pending_approval'
  | 'held'
  | 'waiting'
  | 'not_pending'
  | 'refused'
  | 'conflict'
  | 'not_sent'
  | 'dry_run'
  | 'left'
  | 'unknown';

/** Why nothing was sent, or why it was left, held or is unknown. */
export type ApprovalReason =
  | 'no_bid'
  | 'terms_missing'
  | 'terms_mismatch'
  | 'due_at_invalid'
  | 'payee_missing'
  | 'amount_invalid'
  | 'valid_until_invalid'
  | 'offer_unreadable'
  | 'offer_not_accepted'
  | 'offer_expired'
  | 'policy_failed'
  | 'policy_answer_invalid'
  | 'audit_failed'
  | 'in_progress'
  | 'in_doubt'
  | 'stuck'
  | 'max_count'
  | 'max_amount'
  | 'not_sent'
  | 'failed';

export interface ApprovalOutcome {
  readonly status: ApprovalStatus;
  readonly reason?: ApprovalReason;
  /** Sale id. */
  readonly sale: string;
  /** `resource_version` that the policy saw, or that the earlier decision was sent with. */
  readonly version?: number;
  /** What was decided, or would have been. */
  readonly answer?: PolicyAnswer;
  /** Amount in INR, decimal string: of the bid, or of the offer. */
  readonly amount?: string;
  readonly idempotencyKey?: string;
  /** The record that the service returned. */
  readonly record?: Readonly<Record<string, unknown>>;
  /** Every code of a refusal. */
  readonly codes: readonly string[];
  /** What happened, as a sentence. */
  readonly what: string;
  /** What to do next, as a sentence. */
  readonly nextStep: string;
  readonly error?: unknown;
}

export interface DecideOptions {
  /** Reads and asks the policy; sends and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Ends the call at once, whatever it waits for; what is recorded by then stays true. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long the policy, and the sink for each entry, may take, ms; defaults to 30,000. Infinity lets them take as long as
   * they like.
   */
  readonly callbackTimeout?: number | undefined;
  /** Whether a sale waits for the bank. By default every sale that is not `approved` does. */
  readonly isPending?: ((sale: SaleRecord) => boolean) | undefined;
  /** Takes audit entries into your own log. While it fails, nothing new is sent (`audit_failed`). */
  readonly sink?: AuditSink | undefined;
}

/** How sales are decided in one process. */
export interface RunOptions extends DecideOptions {
  /** Most decisions of this run that are sent. */
  readonly maxCount?: number | undefined;
  /** Highest total of all approvals and offers of this run. */
  readonly maxAmount?: Amount | undefined;
  /** Called after each sale. Not awaited; an error it throws or rejects with is logged. */
  readonly onProgress?: ((progress: RunProgress) => unknown) | undefined;
}

export interface RunProgress {
  /** Sales that were pending when the run began. */
  readonly total: number;
  readonly done: number;
  readonly latest: ApprovalOutcome;
}

export interface RunSummary {
  readonly sales: number;
  /** Number of sales by status. */
  readonly counts: Readonly<Partial<Record<ApprovalStatus, number>>>;
  /** INR decimal string, over what was sent. */
  readonly amount: string;
  /** Sales that need a person: held, refused, unknown, failed checks. */
  readonly attention: readonly ApprovalOutcome[];
  /** Why it ended early. */
  readonly stopped?: 'stop' | 'signal' | 'failure';
  readonly error?: unknown;
}

/** A running pass over sales. Read its outcomes with `for await`, or await `summary`. */
export interface ApprovalRun extends AsyncIterable<ApprovalOutcome> {
  /** Never rejects. */
  readonly summary: Promise<RunSummary>;
  /** Begins no further sale until `resume()`. */
  pause(): void;
  resume(): void;
  /** Begins no further sale. */
  stop(): void;
}

/** One line of the audit. */
export interface AuditEntry {
  /** Position; continue an export with it. */
  readonly sequence: number;
  /** Sale id. */
  readonly about: string;
  readonly idempotencyKey?: string;
  /** `before` sending; `after`, once for each outcome that became known; `held`. */
  readonly phase: string;
  /** ISO 8601, server time. */
  readonly at: string;
  /** Facts seen, the policy's answer, the command and its digest; or outcome and reply. */
  readonly content: Readonly<Record<string, unknown>>;
}

/** Takes audit entries into the bank's own log: in their order, each at least once. */
export type AuditSink = (entry: AuditEntry) => void | Promise<void>;
