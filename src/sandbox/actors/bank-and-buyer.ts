import { bankReceipts } from '../../api/bank-receipts.js';
import { bidCancellations } from '../../api/bid-cancellations.js';
import { offers } from '../../api/offers.js';
import type { Operation } from '../../api/operation.js';
import { paymentReports } from '../../api/payment-reports.js';
import { payments } from '../../api/payments.js';
import { refundRequests } from '../../api/refund-requests.js';
import { releases } from '../../api/releases.js';
import { saleCancellations } from '../../api/sale-cancellations.js';
import { saleCases } from '../../api/sale-cases.js';
import { rupees } from '../money.js';
import type { Party } from '../parties.js';
import { isoInIndia, isoTime } from '../times.js';
import { activeOffer } from '../workflow/engine.js';
import { duesOf, least, unallocated } from '../workflow/funds.js';
import { amountOf, type Rec, type Sale, type WireRecord } from '../workflow/records.js';
import type { World } from '../world.js';
import { namedRecord, namedSale, perform } from './perform.js';

/** Terms of an approval; each has a default. */
export interface ApprovalTerms {
  /** That of the accepted offer, else `T1`. */
  readonly termsVersion?: string | number;
  /** Until payment is due, milliseconds; a week when left out. */
  readonly dueIn?: number;
  readonly payeeInstructions?: string;
  readonly reason?: string;
}

/** Terms of an offer. */
export interface OfferTerms {
  /** INR decimal string. */
  readonly amount: string;
  /** Milliseconds; a day when left out. */
  readonly validFor?: number;
  /** `T1` when left out. */
  readonly termsVersion?: string | number;
  readonly reason?: string;
}

/** Terms of a release; each has a default. */
export interface ReleaseTerms {
  readonly recipient?: string;
  /** That of the vehicle when left out. */
  readonly yard?: string;
  /** Milliseconds; three days when left out. */
  readonly validFor?: number;
}

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

/**
 * The bank's half of a sale, for tests of a partner. Each method carries the operation out in the name of the bank that
 * the record belongs to, with its other credential as the second approver where two are wanted, and returns the record as
 * the wire shows it. Throws an ActorRefusedError where the service refuses, a RangeError where there is no such record.
 * The id of a lot stands for its latest sale.
 */
export class BankActor {
  readonly #world: World;

  /** @internal */
  constructor(world: World) {
    this.#world = world;
  }

  /** Approves a sale: at the amount of the accepted offer where there is one, else at the bid's. */
  approve(saleOrLotId: string, terms: ApprovalTerms = {}): WireRecord {
    const sale = namedSale(this.#world, saleOrLotId);
    const offer = activeOffer(this.#world.flow, sale);
    return this.#decide(sale, saleCases.operations.decide, {
      decision: 'approved',
      bid_id: sale.bid.id,
      reason: terms.reason ?? 'Within the limits of the bank.',
      terms_version: terms.termsVersion ?? offer?.data['terms_version'] ?? 'T1',
      due_at: this.#in(terms.dueIn ?? 7 * day),
      payee_instructions: terms.payeeInstructions ?? 'NEFT to 000111222333, IFSC EXMP0000001',
      offer_id: offer?.id,
    });
  }

  /** Makes an offer on a sale that is not decided; it supersedes earlier ones. */
  offer(saleOrLotId: string, terms: OfferTerms): WireRecord {
    const sale = namedSale(this.#world, saleOrLotId);
    return this.#on(sale, saleCases.operations.offer, {
      amount: terms.amount,
      currency: 'INR',
      terms_version: terms.termsVersion ?? 'T1',
      valid_until: this.#in(terms.validFor ?? day),
      reason: terms.reason ?? 'The bid is below what the bank expects.',
    });
  }

  /** Imports an entry of the bank's account for a sale: by default one of all that remains to be paid. */
  receive(saleOrLotId: string, terms: ReceiptTerms = {}): Received {
    const { flow, ids, clock } = this.#world;
    const sale = namedSale(this.#world, saleOrLotId);
    const receipt = perform(this.#world, this.#bankOf(sale), bankReceipts.operations.import, undefined, {
      sale_id: sale.id,
      bank_account_reference: terms.bankAccountReference ?? 'COLLECTION-1',
      utr: terms.utr ?? ids.next('utr'),
      external_transaction_id: terms.externalTransactionId ?? ids.next('txn'),
      amount: terms.amount ?? rupees(duesOf(flow, sale).remaining),
      currency: 'INR',
      value_date: terms.valueDate ?? isoInIndia(clock.now()).slice(0, 10),
      evidence_id: terms.evidenceId,
    });
    const payment = flow.of('payment').find(({ from }) => from?.id === receipt.id);
    if (payment === undefined) throw new Error(`bank receipt ${receipt.id} has no payment`);
    return { receiptId: receipt.id, paymentId: payment.id, receipt };
  }

  /** Verifies a payment report against the receipt of its transfer, which is imported where it isn't there yet. */
  verify(reportId: string): WireRecord {
    const report = namedRecord(this.#world, 'payment_report', reportId);
    const { id, data } = this.#receiptOf(report);
    return this.#decide(report, paymentReports.operations.decide, {
      decision: 'verified',
      reason: 'The transfer arrived.',
      bank_receipt_id: id,
      bank_account_reference: data['bank_account_reference'],
      received_amount: data['amount'],
      currency: 'INR',
    });
  }

  /** Allocates money that arrived for a sale: of one payment, else of the first that has some left. */
  allocate(
    saleOrLotId: string,
    part: { readonly paymentId?: string; readonly amount?: string } = {},
  ): WireRecord {
    const { flow } = this.#world;
    const sale = namedSale(this.#world, saleOrLotId);
    const payment =
      part.paymentId === undefined
        ? this.#withMoneyLeft(sale)[0]
        : namedRecord(this.#world, 'payment', part.paymentId);
    if (payment === undefined) {
      throw new RangeError(`no payment for sale ${sale.id} has money left; bank.receive() adds some`);
    }
    const left = unallocated(flow, payment);
    const { remaining } = duesOf(flow, sale);
    return this.#on(payment, payments.operations.allocate, {
      sale_id: sale.id,
      amount: part.amount ?? rupees(least(left, remaining)),
    });
  }

  /**
   * Sees a sale paid in full: verifies the reports that wait, receives what is missing and allocates it. Returns its dues
   * (A34), as the wire shows them.
   */
  settle(saleOrLotId: string): Readonly<Record<string, unknown>> {
    const { flow } = this.#world;
    const sale = namedSale(this.#world, saleOrLotId);
    for (const report of flow.of('payment_report', sale)) {
      if (report.state === 'reported_pending_verification') this.verify(report.id);
    }
    const there = this.#withMoneyLeft(sale).reduce((sum, each) => sum + unallocated(flow, each), 0n);
    const missing = duesOf(flow, sale).remaining - there;
    if (missing > 0n) this.receive(sale.id, { amount: rupees(missing) });
    for (const payment of this.#withMoneyLeft(sale)) {
      if (duesOf(flow, sale).remaining > 0n) this.allocate(sale.id, { paymentId: payment.id });
    }
    return perform(this.#world, this.#bankOf(sale), saleCases.operations.paymentDues, sale.id);
  }

  /** Releases the vehicle of a sale that is acknowledged and paid. */
  release(saleOrLotId: string, terms: ReleaseTerms = {}): WireRecord {
    const sale = namedSale(this.#world, saleOrLotId);
    return this.#on(sale, saleCases.operations.authorizeRelease, {
      recipient: terms.recipient ?? sale.bid.bidderReference ?? `Dealer of ${sale.bid.clientId}`,
      yard: terms.yard ?? sale.lot.vehicle.details.yard ?? 'Yard of the bank',
      expires_at: this.#in(terms.validFor ?? 3 * day),
      collection_date: isoInIndia(this.#world.clock.now()).slice(0, 10),
    });
  }

  /** Takes a release back, by its own id or its sale's. */
  revoke(releaseOrSaleOrLotId: string, reason = 'The collection is postponed.'): WireRecord {
    const release = this.#release(releaseOrSaleOrLotId);
    return this.#on(release, releases.operations.revoke, { reason });
  }

  /** Hands the vehicle over, by the release's own id or its sale's. */
  collect(
    releaseOrSaleOrLotId: string,
    terms: { readonly collector?: string; readonly evidenceId?: string } = {},
  ): WireRecord {
    const release = this.#release(releaseOrSaleOrLotId);
    return this.#on(release, releases.operations.collect, {
      collector: terms.collector ?? 'Driver of the buyer',
      vehicle_identity: release.sale?.lot.vehicle.details.registration_number,
      evidence_id: terms.evidenceId,
    });
  }

  /** Decides a request to cancel a bid or a sale; words other than `approved` are refused unless a variant takes them. */
  decideCancellation(requestId: string, decision = 'approved', reason = 'Looked into.'): WireRecord {
    const ofSale = this.#world.flow.get('sale_cancellation', requestId);
    const { decide } = (ofSale === undefined ? bidCancellations : saleCancellations).operations;
    const request = ofSale ?? namedRecord(this.#world, 'cancellation', requestId);
    return this.#decide(request, decide, { decision, reason });
  }

  /** Decides a request for a refund, likewise. */
  decideRefund(requestId: string, decision = 'approved', reason = 'Looked into.'): WireRecord {
    const request = namedRecord(this.#world, 'refund_request', requestId);
    return this.#decide(request, refundRequests.operations.decide, { decision, reason });
  }

  /** Takes a decision, and takes it again in the name of another credential where the first is only noted. */
  #decide(record: Rec, operation: Operation, decision: Readonly<Record<string, unknown>>): WireRecord {
    const first = this.#on(record, operation, decision);
    if (!this.#world.flow.firstDecisions.has(record.id)) return first;
    return this.#on(record, operation, decision, this.#bankOf(record, this.#bankOf(record)));
  }

  /** Carries a versioned command out on a record. */
  #on(
    record: Rec,
    operation: Operation,
    body: Readonly<Record<string, unknown>>,
    who = this.#bankOf(record),
  ): WireRecord {
    const versioned = { ...body, expected_version: record.version };
    return perform(this.#world, who, operation, record.id, versioned);
  }

  /** A credential of the bank whose record it is, other than `but`. */
  #bankOf({ owner }: Rec, but?: Party): Party {
    const found = this.#world.parties
      .all()
      .find((party) => party.actor === 'bank' && party.bankId === owner.bankId && party !== but);
    if (found === undefined) throw new RangeError(`the sandbox has no other credentials of ${owner.bankId}`);
    return found;
  }

  #release(id: string): Rec {
    const { flow } = this.#world;
    const found = flow.get('release', id) ?? flow.of('release', namedSale(this.#world, id)).at(-1);
    if (found === undefined) throw new RangeError(`the sale under ${JSON.stringify(id)} has no release`);
    return found;
  }

  #withMoneyLeft(sale: Sale): Rec[] {
    const { flow } = this.#world;
    return flow.of('payment', sale).filter((payment) => unallocated(flow, payment) > 0n);
  }

  /** The receipt of a reported transfer that verifies no other report. */
  #receiptOf(report: Rec): Rec {
    const { flow } = this.#world;
    const { sale, data } = report;
    const used = new Set(flow.of('payment_report', sale).map((each) => each.data['bank_receipt_id']));
    const found = flow
      .of('bank_receipt', sale)
      .find(
        (each) =>
          !used.has(each.id) &&
          [each.data['utr'], each.data['external_transaction_id']].includes(data['utr']),
      );
    if (found !== undefined) return found;
    const terms = { amount: rupees(amountOf(report)), utr: String(data['utr']) };
    const { receiptId } = this.receive(sale?.id ?? '', terms);
    return namedRecord(this.#world, 'bank_receipt', receiptId);
  }

  #in(ms: number): string {
    return isoTime(this.#world.clock.now() + ms);
  }
}

const day = 86_400_000;

/** A buyer's word on a payment. */
export interface ReportTerms {
  /** INR decimal string; all that remains to be paid when left out. */
  readonly amount?: string;
  /** The transfer's own id; invented when left out. */
  readonly utr?: string;
  readonly externalReference?: string;
  /** A document of the sale that is scanned; none when left out. */
  readonly evidenceId?: string;
}

/**
 * The buyer's half of a sale, for tests of a bank. Each method carries the operation out in the name of the client whose
 * bid won, and returns the record as the wire shows it. Throws an ActorRefusedError where the service refuses, a
 * RangeError where there is no such sale. The id of a lot stands for its latest sale.
 */
export class BuyerActor {
  readonly #world: World;

  /** @internal */
  constructor(world: World) {
    this.#world = world;
  }

  /** Acknowledges an approved sale, on its terms. */
  acknowledge(saleOrLotId: string): WireRecord {
    const sale = namedSale(this.#world, saleOrLotId);
    return perform(this.#world, this.#clientOf(sale), saleCases.operations.acknowledge, sale.id, {
      // Before the approval there are no terms to name; the service refuses whatever they are.
      terms_version: sale.data['terms_version'] ?? 'none',
      expected_version: sale.version,
    });
  }

  /** Answers an offer: by its own id, or the one that is active on a sale. */
  respond(
    offerOrSaleOrLotId: string,
    decision: 'accepted' | 'declined',
    reason = 'As discussed with the buyer.',
  ): WireRecord {
    const { flow } = this.#world;
    const named = flow.get('offer', offerOrSaleOrLotId);
    const sale = named?.sale ?? namedSale(this.#world, offerOrSaleOrLotId);
    const offer = named ?? activeOffer(flow, sale);
    if (offer === undefined) throw new RangeError(`there is no active offer on ${offerOrSaleOrLotId}`);
    const { terms_version } = offer.data;
    const body = { decision, terms_version, reason, expected_version: offer.version };
    return perform(this.#world, this.#clientOf(sale), offers.operations.respond, offer.id, body);
  }

  /** Reports a payment by bank transfer, made now. */
  report(saleOrLotId: string, terms: ReportTerms = {}): WireRecord {
    const { flow, clock, ids } = this.#world;
    const sale = namedSale(this.#world, saleOrLotId);
    return perform(this.#world, this.#clientOf(sale), paymentReports.operations.create, undefined, {
      sale_id: sale.id,
      amount: terms.amount ?? rupees(duesOf(flow, sale).remaining),
      currency: 'INR',
      method: 'bank_transfer',
      utr: terms.utr ?? ids.next('utr'),
      paid_at: isoTime(clock.now()),
      external_reference: terms.externalReference ?? 'sandbox-buyer',
      evidence_id: terms.evidenceId,
    });
  }

  #clientOf({ bid }: Sale): Party {
    return this.#world.parties.known(bid.clientId);
  }
}
