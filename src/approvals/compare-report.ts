import { isFields } from '../api/check.js';
import { type Amount, amountText } from '../api/formats.js';
import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import type { PaymentReportRecord } from '../generated/payment-reports.js';
import type { PaymentDues } from '../generated/sale-cases.js';
import { toPaise } from '../money/paise.js';

/** An entry of the bank's statement. */
export interface BankReceipt {
  readonly utr: string;
  readonly amount: Amount;
  /** Defaults to `INR`. */
  readonly currency?: string | undefined;
  /** Sale id, if the bank knows it. */
  readonly saleId?: string | undefined;
}

/** A difference. `paise` is received minus reported, or received minus remaining. */
export interface ReportDifference {
  readonly field: 'state' | 'utr' | 'sale_id' | 'currency' | 'amount' | 'remaining';
  readonly reported: string;
  readonly received: string;
  readonly paise?: bigint;
}

/**
 * `matches`: nothing contradicts `decision: 'verified'` (A38). `already_verified`: the same, and the report is verified, so there
 * is nothing to decide. `differs`: something contradicts it. A difference of `remaining` alone contradicts nothing.
 */
export type ReportVerdict = 'matches' | 'already_verified' | 'differs';

export interface ReportComparison {
  readonly verdict: ReportVerdict;
  /** True if the verdict is `matches`. */
  readonly matches: boolean;
  /** Every difference, `remaining` included. The state of a verified report is none. */
  readonly differences: readonly ReportDifference[];
}

/**
 * Compares a payment report with the bank's receipt and with the dues, in paise, before you decide the report (A38).
 *
 * @throws InvalidRequestError if one of the three is missing
 */
export function compareReport(
  report: PaymentReportRecord,
  against: { readonly receipt: BankReceipt; readonly dues: PaymentDues },
): ReportComparison {
  const issues = Object.entries({ report, receipt: against?.receipt, dues: against?.dues }).flatMap(
    ([path, given]): InputIssue[] => (isFields(given) ? [] : [{ path, message: 'is required' }]),
  );
  if (isFields(against?.receipt) && typeof against.receipt.utr !== 'string')
    issues.push({ path: 'receipt.utr', message: 'must be the transaction id in the statement' });
  if (issues.length > 0) throw new InvalidRequestError(issues, { call: 'compareReport' });
  const { receipt, dues } = against;
  const { data = {}, state } = report;
  const differences: ReportDifference[] = [];
  const compare = (field: ReportDifference['field'], reported: string | undefined, received: string) => {
    if (reported !== received) differences.push({ field, reported: reported ?? '', received });
  };
  const isVerified = state === 'verified';
  if (!isVerified) compare('state', state, 'reported_pending_verification');
  compare('utr', data.utr?.trim().toUpperCase(), receipt.utr.trim().toUpperCase());
  compare('sale_id', data.sale_id, receipt.saleId ?? dues.sale_id);
  if (receipt.saleId !== undefined && receipt.saleId !== dues.sale_id) {
    differences.push({ field: 'sale_id', reported: dues.sale_id, received: receipt.saleId });
  }
  compare('currency', data.currency ?? 'INR', receipt.currency ?? 'INR');
  const received = toPaise(receipt.amount);
  const reported = data.amount === undefined ? undefined : toPaise(data.amount);
  if (reported !== received) {
    differences.push({
      field: 'amount',
      reported: data.amount ?? '',
      received: amountText(receipt.amount),
      ...(reported !== undefined && { paise: received - reported }),
    });
  }
  const agreed = isVerified ? 'already_verified' : 'matches';
  const verdict = differences.length === 0 ? agreed : 'differs';
  const remaining = toPaise(dues.remaining);
  if (received !== remaining) {
    const paise = received - remaining;
    differences.push({
      field: 'remaining',
      reported: dues.remaining,
      received: amountText(receipt.amount),
      paise,
    });
  }
  return { verdict, matches: verdict === 'matches', differences };
}
