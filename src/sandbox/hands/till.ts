import { bankReceipts } from '../../api/bank-receipts.js';
import { paymentReports } from '../../api/payment-reports.js';
import { payments } from '../../api/payments.js';
import { saleCases } from '../../api/sale-cases.js';
import { rupees } from '../money.js';
import { isoInIndia } from '../times.js';
import type { BankReceipt, Payment, PaymentReport, Sale } from '../workflow/entities.js';
import { duesOf, unallocated } from '../workflow/funds.js';
import type { World } from '../world.js';
import { carryOut, readOut, type WireRecord } from './carrying-out.js';
import { bankOf, named } from './whose.js';

/** An entry of the bank's account; each field has a default. */
export interface ReceiptTerms {
  /** INR decimal string; all that remains to be paid when left out. */
  readonly amount?: string;
  /** The transfer's own id; invented when left out. */
  readonly utr?: string;
  readonly bankAccountReference?: string;
  /** The bank's own id of the entry; invented when left out. */
  readonly externalTransactionId?: string;
  /** A calendar date; today, in India, when left out. */
  readonly valueDate?: string;
  /** A document of the sale that is scanned; none when left out. */
  readonly evidenceId?: string;
}

/** Money that arrived. */
export interface Received {
  readonly receiptId: string;
  readonly paymentId: string;
  readonly receipt: WireRecord;
}

/** What the bank's hand does with money. */
export class Till {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  receive(sale: Sale, terms: ReceiptTerms): Received {
    const { cases, ids, clock } = this.#world;
    const receipt = carryOut(this.#world, bankOf(this.#world, sale), {
      operation: bankReceipts.operations.import,
      says: {
        sale_id: sale.id,
        bank_account_reference: terms.bankAccountReference ?? 'COLLECTION-1',
        utr: terms.utr ?? ids.next('utr'),
        external_transaction_id: terms.externalTransactionId ?? ids.next('txn'),
        amount: terms.amount ?? rupees(duesOf(cases, sale).remaining),
        currency: 'INR',
        value_date: terms.valueDate ?? isoInIndia(clock.now()).slice(0, 10),
        evidence_id: terms.evidenceId,
      },
    });
    const { payment } = named(cases.receipts, receipt.id, 'bank receipt');
    return { receiptId: receipt.id, paymentId: payment.id, receipt };
  }

  /** What verifies a report: the operation, and its body without version and key. */
  verification(report: PaymentReport) {
    const receipt = this.#receiptOf(report);
    return {
      operation: paymentReports.operations.decide,
      decision: 'verified',
      reason: 'The transfer arrived.',
      bank_receipt_id: receipt.id,
      bank_account_reference: receipt.bankAccountReference,
      received_amount: rupees(receipt.amount),
      currency: 'INR',
    };
  }

  allocate(sale: Sale, part: { readonly paymentId?: string; readonly amount?: string }): WireRecord {
    const { cases } = this.#world;
    const payment =
      part.paymentId === undefined
        ? this.#withMoneyLeft(sale)[0]
        : named(cases.payments, part.paymentId, 'payment');
    if (payment === undefined) {
      throw new RangeError(`no payment for sale ${sale.id} has money left; bank.receive() brings some`);
    }
    const left = unallocated(cases, payment);
    const { remaining } = duesOf(cases, sale);
    return carryOut(this.#world, bankOf(this.#world, payment), {
      operation: payments.operations.allocate,
      at: { payment: payment.id },
      says: {
        sale_id: sale.id,
        amount: part.amount ?? rupees(smaller(left, remaining)),
        expected_version: payment.version,
      },
    });
  }

  /** Receives what is missing, allocates until nothing remains, and returns the dues. */
  fill(sale: Sale): Readonly<Record<string, unknown>> {
    const { cases } = this.#world;
    const there = this.#withMoneyLeft(sale).reduce((sum, payment) => sum + unallocated(cases, payment), 0n);
    const missing = duesOf(cases, sale).remaining - there;
    if (missing > 0n) this.receive(sale, { amount: rupees(missing) });
    for (const payment of this.#withMoneyLeft(sale)) {
      if (duesOf(cases, sale).remaining > 0n) this.allocate(sale, { paymentId: payment.id });
    }
    return readOut(this.#world, bankOf(this.#world, sale), {
      operation: saleCases.operations.paymentDues,
      at: { sale: sale.id },
    });
  }

  #withMoneyLeft(sale: Sale): Payment[] {
    const { cases } = this.#world;
    return [...cases.payments.values()].filter(
      (payment) => payment.sale === sale && unallocated(cases, payment) > 0n,
    );
  }

  #receiptOf(report: PaymentReport): BankReceipt {
    const { receipts } = this.#world.cases;
    const there = [...receipts.values()].find(
      ({ sale, report: verified, utr, externalTransactionId }) =>
        sale === report.sale &&
        verified === undefined &&
        (utr === report.utr || externalTransactionId === report.utr),
    );
    if (there !== undefined) return there;
    const { receiptId } = this.receive(report.sale, { amount: rupees(report.amount), utr: report.utr });
    return named(receipts, receiptId, 'bank receipt');
  }
}

function smaller(one: bigint, other: bigint): bigint {
  if (one < other) return one;
  return other;
}
