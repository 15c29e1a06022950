import type { Amount } from '../api/formats.js';
import type { ActiveOffer } from '../following/readers.js';
import type { SaleRecord } from '../generated/sale-cases.js';

/** The active offer of a sale. */
export type OfferFacts = Omit<ActiveOffer, 'version'>;

/** Facts for a policy, all read for this decision. */
export interface SaleFacts {
  /** The sale, as read by its id. */
  readonly sale: SaleRecord;
  /** The active offer; `unreadable` if it lacks required fields. */
  readonly offer: OfferFacts | 'unreadable' | undefined;
  /** Server time, Unix ms. */
  readonly now: number;
  /** True if this client has made an offer on the sale before. */
  readonly offered: boolean;
}

/** Answer of a policy. `reason` is audited, and sent with the command. */
export type PolicyAnswer =
  /** Approve at the bid, or at the accepted offer if there is one: its id and `terms_version` are filled in. */
  | {
      readonly action: 'approve';
      readonly reason: string;
      /** Due date of the payment, ISO 8601 with zone. */
      readonly dueAt: string;
      readonly payeeInstructions: string | { readonly [key: string]: unknown };
      /** Required unless an offer is accepted; then it defaults to the offer's. */
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
      /** Expiry of the offer, ISO 8601 with zone. */
      readonly validUntil: string;
    }
  /** Another decision (A22), in the service's word: the API text documents only `approved`. */
  | { readonly action: 'decide'; readonly decision: string; readonly reason: string }
  /** Leave the decision to a person. Audited. */
  | { readonly action: 'hold'; readonly reason: string }
  /** Do nothing now, for example while the buyer considers an offer. Not audited. */
  | { readonly action: 'wait'; readonly reason: string };

/** Returns a decision from the facts. Sends nothing. */
export type Policy = (facts: SaleFacts) => PolicyAnswer | Promise<PolicyAnswer>;

/**
 * Outcome of a sale:
 * - `approved`, `offered`, `decided`: carried out, now or by an earlier run;
 * - `pending_approval`: carried out, but the sale is not approved yet: a second approver has to confirm;
 * - `held`, `waiting`: the policy returned `hold` or `wait`, so nothing was decided;
 * - `not_pending`: the sale is approved, or `isPending` returned false;
 * - `refused`: the service refused although the sale had not changed; `conflict`: it changed in every round;
 * - `not_sent`: a check failed, see `reason`; `dry_run`: it would have been sent;
 * - `left`: beyond a cap of the run;
 * - `unknown`: it may have taken effect; call again to settle it.
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

/** Reason why a decision was not sent, was left or held, or is unknown. */
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
  /** The answer of the policy. */
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
  /** Reads and calls the policy, but sends and writes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Ends the call at once. Recorded decisions stay recorded. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Timeout of the policy, and of the sink for each entry, ms; defaults to 30,000. `Infinity` disables it.
   */
  readonly callbackTimeout?: number | undefined;
  /** Returns true if a sale needs a decision. Defaults to every sale that is not `approved`. */
  readonly isPending?: ((sale: SaleRecord) => boolean) | undefined;
  /** Receives audit entries for your log. While it fails, nothing new is sent (`audit_failed`). */
  readonly sink?: AuditSink | undefined;
}

/** Options of a run over all pending sales. */
export interface RunOptions extends DecideOptions {
  /** Maximum number of decisions that this run sends. */
  readonly maxCount?: number | undefined;
  /** Maximum total of all approvals and offers of this run. */
  readonly maxAmount?: Amount | undefined;
  /** Called after each sale. Not awaited; its errors are logged. */
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
  /** Error that ended the run early. */
  readonly stopped?: 'stop' | 'signal' | 'failure';
  readonly error?: unknown;
}

/** A run over sales. Read its outcomes with `for await`, or await `summary`. */
export interface ApprovalRun extends AsyncIterable<ApprovalOutcome> {
  /** Never rejects. */
  readonly summary: Promise<RunSummary>;
  /** Starts no further sale until `resume()`. */
  pause(): void;
  /** Goes on after `pause()`. */
  resume(): void;
  /** Starts no further sale. */
  stop(): void;
}

/** One line of the audit. */
export interface AuditEntry {
  /** Position; continue an export with it. */
  readonly sequence: number;
  /** Sale id. */
  readonly about: string;
  readonly idempotencyKey?: string;
  /** `before` sending; `after`, once for each known outcome; `held`. */
  readonly phase: string;
  /** ISO 8601, server time. */
  readonly at: string;
  /** Facts seen, the policy's answer, the client id that decides, the command and its digest; or outcome and reply. */
  readonly content: Readonly<Record<string, unknown>>;
}

/** Receives audit entries for the bank's log: in order, each at least once. */
export type AuditSink = (entry: AuditEntry) => void | Promise<void>;
