import { amountText } from '../api/formats.js';
import { nearestTo } from '../api/nearest.js';
import { zonedTimeMs } from '../clock/reply-time.js';
import type { SaleCasesDecideBody, SaleCasesOfferBody } from '../generated/sale-cases.js';
import { isAmount } from '../money/paise.js';
import type { ApprovalReason, PolicyAnswer, SaleFacts } from './types.js';

/** The command for an answer. */
export type Command =
  | { readonly kind: 'decide'; readonly body: SaleCasesDecideBody }
  | { readonly kind: 'offer'; readonly body: SaleCasesOfferBody };

interface Refusal {
  readonly reason: ApprovalReason;
  /** A sentence without full stop. */
  readonly what: string;
}

const ACTIONS: readonly unknown[] = ['approve', 'offer', 'decide', 'hold', 'wait'];

/** True for a valid answer, because an untyped policy may return anything. */
export function isAnswer(answer: unknown): answer is PolicyAnswer {
  if (typeof answer !== 'object' || answer === null) return false;
  const reason: unknown = Reflect.get(answer, 'reason');
  return ACTIONS.includes(Reflect.get(answer, 'action')) && typeof reason === 'string' && reason !== '';
}

/** Fields of the answers, by which a misspelt one is noticed. Others are audited with the rest. */
const FIELDS = [
  ...['action', 'reason', 'dueAt', 'payeeInstructions', 'termsVersion', 'bidId'],
  ...['amount', 'validUntil', 'decision'],
];

/** Why something is no answer, or has a misspelt field, as a sentence without full stop; undefined for an answer. */
export function answerProblem(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null)
    return `The policy returned ${answer === null ? 'null' : typeof answer}, not an answer with an action and a reason`;
  for (const name of Object.keys(answer)) {
    const nearest = FIELDS.includes(name) ? undefined : nearestTo(name, FIELDS);
    if (nearest !== undefined) return `The answer of the policy has ${name}; the field is ${nearest}`;
  }
  const action: unknown = Reflect.get(answer, 'action');
  if (!ACTIONS.includes(action))
    return `The action of the policy is ${JSON.stringify(action)}; it must be one of ${ACTIONS.join(', ')}`;
  return isAnswer(answer) ? undefined : 'The answer of the policy has no reason';
}

/** The amount of an answer, INR decimal string. */
export function amountOf(answer: PolicyAnswer, { sale, offer }: SaleFacts): string | undefined {
  if (answer.action === 'offer') return amountText(answer.amount);
  return typeof offer === 'object' ? offer.amount : sale.data?.amount;
}

/** Builds the command for an answer, with the version that the policy saw; or returns the failed check. */
export function commandOf(
  answer: Extract<PolicyAnswer, { action: 'approve' | 'offer' | 'decide' }>,
  facts: SaleFacts,
): Command | Refusal {
  const { sale, now } = facts;
  const expected_version = sale.resource_version;
  if (answer.action === 'decide') {
    const { decision, reason } = answer;
    if (typeof decision !== 'string' || decision === '' || decision === 'approved') {
      return failedCheck('policy_answer_invalid', "`decide` needs a decision other than 'approved'");
    }
    const bid_id = sale.data?.bid_id;
    return {
      kind: 'decide',
      body: { decision, reason, expected_version, ...(bid_id !== undefined && { bid_id }) },
    };
  }
  if (answer.action === 'offer') {
    const { amount, termsVersion: terms_version, validUntil: valid_until, reason } = answer;
    if (!isAmount(amount))
      return failedCheck('amount_invalid', 'The amount of the offer is not an INR decimal string or a Big');
    if (!isAfter(valid_until, now))
      return failedCheck('valid_until_invalid', 'The offer would expire in the past');
    if (terms_version === undefined) return failedCheck('terms_missing', 'The offer names no terms');
    const body = { amount, currency: 'INR', terms_version, valid_until, reason, expected_version } as const;
    return { kind: 'offer', body };
  }
  return approvalOf(answer, facts);
}

function approvalOf(
  answer: Extract<PolicyAnswer, { action: 'approve' }>,
  { sale, offer, now }: SaleFacts,
): Command | Refusal {
  const { reason, dueAt: due_at, payeeInstructions: payee_instructions } = answer;
  const bid_id = answer.bidId ?? sale.data?.bid_id;
  if (bid_id === undefined) return failedCheck('no_bid', 'Neither the sale nor the policy names a bid');
  if (!isAfter(due_at, now)) return failedCheck('due_at_invalid', 'The payment would be due in the past');
  if (payee_instructions === undefined || payee_instructions === '') {
    return failedCheck('payee_missing', 'The policy names no payee');
  }
  if (offer === 'unreadable')
    return failedCheck('offer_unreadable', 'The sale has an offer that lacks required fields');
  const terms_version = answer.termsVersion ?? offer?.termsVersion;
  if (terms_version === undefined) return failedCheck('terms_missing', 'The policy names no terms');
  const expected_version = sale.resource_version;
  const terms = { terms_version, due_at, payee_instructions };
  const body = { decision: 'approved', bid_id, reason, expected_version, ...terms };
  if (offer === undefined) return { kind: 'decide', body };
  if (offer.state !== 'accepted')
    return failedCheck('offer_not_accepted', `The offer ${offer.id} is ${offer.state}`);
  if (!isAfter(offer.validUntil, now)) {
    return failedCheck('offer_expired', `The offer ${offer.id} expired at ${offer.validUntil}`);
  }
  if (String(terms_version) !== String(offer.termsVersion)) {
    return failedCheck(
      'terms_mismatch',
      `The offer is on terms ${offer.termsVersion}, the approval on ${terms_version}`,
    );
  }
  return { kind: 'decide', body: { ...body, offer_id: offer.id } };
}

/** Compares times. False for a time without a zone. */
function isAfter(time: string, nowMs: number): boolean {
  return (zonedTimeMs(time) ?? 0) > nowMs;
}

function failedCheck(reason: ApprovalReason, what: string): Refusal {
  return { reason, what };
}
