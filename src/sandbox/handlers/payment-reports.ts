import { limits } from '../../api/common.js';
import { paymentReports } from '../../api/payment-reports.js';
import { type Call, type Handler, param } from '../call.js';
import { paise, rupees } from '../money.js';
import { type Reply, read } from '../replies.js';
import { approvedSale } from '../workflow/asked-sale.js';
import { find } from '../workflow/cases.js';
import { fresh, touch } from '../workflow/changes.js';
import { mustBeMethod } from '../workflow/command-values.js';
import { type Committed, carryOutOnce, conflict, expectVersion, unfit } from '../workflow/commands.js';
import type { BankReceipt, Decided, PaymentReport } from '../workflow/entities.js';
import { readyEvidence } from '../workflow/evidence.js';
import { mustNotBeHeld } from '../workflow/holds.js';
import { announce } from '../workflow/notices.js';
import { forgetFirst, mayCommit } from '../workflow/second-approver.js';
import { saysYes } from '../workflow/verdict.js';
import { paymentReportView } from '../workflow/views.js';

const { operations } = paymentReports;

/** A36 to A38: what a partner says it paid, and the bank's word on it. Neither of them credits anything. */
export const paymentReportHandlers: Readonly<Record<string, Handler>> = {
  [operations.create.id]: create,
  [operations.get.id]: (call) => read(call, paymentReportView(reportOf(call))),
  [operations.decide.id]: decide,
};

function create(call: Call): Reply {
  return carryOutOnce(call, operations.create.body, (body) => {
    const { world } = call;
    const sale = approvedSale(call, body.sale_id);
    mustNotBeHeld(world, sale, 'payment_report');
    mustBeMethod(world, body.method);
    if (Date.parse(body.paid_at) > call.now() + limits.clockDifferenceSeconds * 1_000) {
      throw unfit('paid_at', 'A payment can not have been made in the future.');
    }
    const evidenceId = readyEvidence(call, sale, body.evidence_id);
    const reports = [...world.cases.reports.values()];
    if (
      reports.some((other) => other.sale === sale && other.utr === body.utr && other.state !== 'rejected')
    ) {
      throw conflict('The payment with this utr was reported for the sale already.');
    }
    const report: PaymentReport = {
      ...fresh(world, 'prp', 'payment_report', 'reported_pending_verification', sale.owner),
      sale,
      amount: paise(body.amount),
      method: body.method,
      utr: body.utr,
      paidAt: body.paid_at,
      externalReference: body.external_reference ?? null,
      evidenceId,
      verification: undefined,
      rejection: undefined,
    };
    world.cases.reports.set(report.id, report);
    const amount = rupees(report.amount);
    announce(
      world,
      'payment.reported',
      report,
      `Report ${report.id}: INR ${amount} are paid for sale ${sale.id}; the bank has yet to verify it`,
    );
    return committed(report, report.amount);
  });
}

function decide(call: Call): Reply {
  return carryOutOnce(call, operations.decide.body, (body) => {
    const { world } = call;
    const report = reportOf(call);
    expectVersion(report, body.expected_version);
    const yes = saysYes(world, body.decision, 'verified');
    if (report.state !== 'reported_pending_verification') {
      throw conflict(`The report is ${report.state} already.`);
    }
    if (!yes) return rejected(call, report, { decision: body.decision, reason: body.reason ?? null });
    const receipt = receiptFor(call, report, body);
    if (body.currency === undefined) throw unfit('currency', 'A verification names the currency.');
    if (!mayCommit(call, report, body)) {
      touch(world, report);
      return committed(report, receipt.amount);
    }
    report.state = 'verified';
    report.verification = {
      decision: body.decision,
      reason: body.reason ?? null,
      receipt,
      receivedAmount: receipt.amount,
    };
    receipt.report = report;
    touch(world, report);
    const amount = rupees(receipt.amount);
    announce(
      world,
      'payment.verified',
      report,
      `Report ${report.id} is verified by the bank: INR ${amount} arrived for sale ${report.sale.id}`,
    );
    return committed(report, receipt.amount);
  });
}

/** Nothing arrived, as far as the bank can tell: the transfer can be reported again. */
function rejected(call: Call, report: PaymentReport, decided: Decided): Committed {
  forgetFirst(call, report);
  report.state = 'rejected';
  report.rejection = decided;
  touch(call.world, report);
  const subject = `Report ${report.id} of a payment for sale ${report.sale.id} is rejected by the bank`;
  announce(call.world, 'payment.rejected', report, subject);
  return committed(report, report.amount);
}

function committed(report: PaymentReport, amount: bigint): Committed {
  return { record: report, view: paymentReportView(report), sale: report.sale, amount: rupees(amount) };
}

/** The bank receipt that shows the reported transfer, named in full: one receipt verifies one report. */
function receiptFor(
  call: Call,
  report: PaymentReport,
  named: {
    readonly bank_receipt_id?: string | undefined;
    readonly bank_account_reference?: string | undefined;
    readonly received_amount?: string | undefined;
  },
): BankReceipt {
  const { bank_receipt_id, bank_account_reference, received_amount } = named;
  if (bank_receipt_id === undefined) throw unfit('bank_receipt_id', 'A verification names the bank receipt.');
  if (bank_account_reference === undefined) {
    throw unfit('bank_account_reference', 'A verification names the account that the money arrived on.');
  }
  if (received_amount === undefined) {
    throw unfit('received_amount', 'A verification names the amount that arrived.');
  }
  const receipt = call.world.cases.receipts.get(bank_receipt_id);
  if (receipt?.sale !== report.sale) {
    throw unfit('bank_receipt_id', 'This is not a bank receipt of the sale.');
  }
  if (receipt.report !== undefined) {
    throw unfit('bank_receipt_id', 'Another report was verified against this bank receipt.');
  }
  if (report.utr !== receipt.utr && report.utr !== receipt.externalTransactionId) {
    throw unfit('bank_receipt_id', 'The bank receipt shows another transfer than the reported one.');
  }
  if (bank_account_reference !== receipt.bankAccountReference) {
    throw unfit('bank_account_reference', 'The bank receipt shows another account.');
  }
  if (paise(received_amount) !== receipt.amount) {
    throw unfit('received_amount', 'The bank receipt shows another amount.');
  }
  return receipt;
}

function reportOf(call: Call): PaymentReport {
  return find(call.party, call.world.cases.reports, param(call, 'report'));
}
