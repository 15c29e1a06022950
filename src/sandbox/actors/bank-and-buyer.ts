import type { Operation } from '../../api/operation.js';
import { service } from '../../api/service.js';
import { rupees } from '../money.js';
import { amountOf, type Rec, type Sale, type WireRecord } from '../records.js';
import { isoInIndia, isoTime } from '../times.js';
import { activeOffer } from '../workflow/engine.js';
import { duesOf, least, unallocated } from '../workflow/funds.js';
import type { World } from '../world.js';
import { namedSale, perform, performAsBank, reject } from './perform.js';

const { bankReceipts, offers, paymentReports, payments, releases, saleCases } = service;

/** Options of `bank.approve()`. */
export interface ApprovalOptions {
  /** Defaults to the version of the accepted offer, or to `T1` without one. */
  readonly termsVersion?: string | number;
  /** Time until payment is due, in milliseconds. Defaults to a week. */
  readonly dueIn?: number;
}

/** Options of `bank.offer()`. */
export interface OfferOptions {
  /** INR decimal string. */
  readonly amount: string;
  /** How long the offer is valid, in milliseconds. Defaults to a day. */
  readonly validFor?: number;
  /** Defaults to `T1`. */
  readonly termsVersion?: string | number;
}

/** A bank transfer that the buyer reports or the bank receives. */
export interface TransferOptions {
  /** INR decimal string. Defaults to the remaining dues. */
  readonly amount?: string;
  /** Transaction id of the transfer. Defaults to an invented one. */
  readonly utr?: string;
}

/** A transfer that the bank received. */
export interface ReceivedPayment {
  readonly receiptId: string;
  readonly paymentId: string;
  readonly receipt: WireRecord;
}

/**
 * Plays the bank in tests of a partner. Each method runs an operation with the credentials of the bank that owns
 * the record and returns the wire record. If the sandbox requires two approvers, the bank's second credential
 * confirms the decision. A lot id selects the latest sale of the lot. Throws an ActorRefusedError if the service
 * refuses, and a RangeError if the record does not exist. For other commands, use a `BankClient` or
 * `sandbox.actors.set`.
 */
export class BankActor {
  readonly #world: World;

  /** @internal */
  constructor(world: World) {
    this.#world = world;
  }

  /** Approves a sale at the amount of the accepted offer, or of the bid without one. */
  approve(saleOrLotId: string, options: ApprovalOptions = {}): WireRecord {
    const sale = namedSale(this.#world, saleOrLotId);
    const offer = activeOffer(this.#world.flow, sale);
    return performAsBank(this.#world, sale, saleCases.operations.decide, {
      decision: 'approved',
      bid_id: sale.bid.id,
      reason: 'Within the limits of the bank.',
      terms_version: options.termsVersion ?? offer?.data['terms_version'] ?? 'T1',
      due_at: this.#in(options.dueIn ?? 7 * day),
      payee_instructions: 'NEFT to 000111222333, IFSC EXMP0000001',
      offer_id: offer?.id,
    });
  }

  /** Rejects an undecided sale. Needs the variant `decision-values: 'rejected-too'`, else throws a RangeError. */
  reject(saleOrLotId: string): WireRecord {
    return reject(this.#world, namedSale(this.#world, saleOrLotId), saleCases.operations.decide);
  }

  /** Makes an offer on an undecided sale. The offer supersedes earlier ones. */
  offer(saleOrLotId: string, options: OfferOptions): WireRecord {
    return performAsBank(this.#world, namedSale(this.#world, saleOrLotId), saleCases.operations.offer, {
      amount: options.amount,
      currency: 'INR',
      terms_version: options.termsVersion ?? 'T1',
      valid_until: this.#in(options.validFor ?? day),
      reason: 'The bid is below what the bank expects.',
    });
  }

  /** Imports a bank receipt for a sale. The amount defaults to the remaining dues. */
  receive(saleOrLotId: string, options: TransferOptions = {}): ReceivedPayment {
    const { flow, ids, clock } = this.#world;
    const sale = namedSale(this.#world, saleOrLotId);
    const receipt = performAsBank(this.#world, sale, bankReceipts.operations.import, {
      sale_id: sale.id,
      bank_account_reference: 'COLLECTION-1',
      utr: options.utr ?? ids.next('utr'),
      external_transaction_id: ids.next('txn'),
      amount: options.amount ?? rupees(duesOf(flow, sale).remaining),
      currency: 'INR',
      value_date: isoInIndia(clock.now()).slice(0, 10),
    });
    const payment = flow.of('payment').find(({ from }) => from?.id === receipt.id);
    if (payment === undefined) throw new Error(`bank receipt ${receipt.id} has no payment`);
    return { receiptId: receipt.id, paymentId: payment.id, receipt };
  }

  /**
   * Pays a sale in full: verifies pending reports, receives the missing amount and allocates it. Returns the dues
   * in wire form (A34).
   */
  settle(saleOrLotId: string): Readonly<Record<string, unknown>> {
    const { flow } = this.#world;
    const sale = namedSale(this.#world, saleOrLotId);
    for (const report of flow.of('payment_report', sale)) {
      if (report.state === 'reported_pending_verification') this.#verify(report);
    }
    const free = flow.of('payment', sale).reduce((sum, each) => sum + unallocated(flow, each), 0n);
    const missing = duesOf(flow, sale).remaining - free;
    if (missing > 0n) this.receive(sale.id, { amount: rupees(missing) });
    for (const payment of flow.of('payment', sale)) {
      const amount = least(unallocated(flow, payment), duesOf(flow, sale).remaining);
      const body = { sale_id: sale.id, amount: rupees(amount) };
      if (amount > 0n) performAsBank(this.#world, payment, payments.operations.allocate, body);
    }
    return performAsBank(this.#world, sale, saleCases.operations.paymentDues);
  }

  /**
   * Authorises the release of an acknowledged and paid vehicle. The authorisation is valid for `validFor`
   * milliseconds, by default three days.
   */
  release(saleOrLotId: string, options: { readonly validFor?: number } = {}): WireRecord {
    const sale = namedSale(this.#world, saleOrLotId);
    return performAsBank(this.#world, sale, saleCases.operations.authorizeRelease, {
      recipient: sale.bid.bidderReference ?? `Dealer of ${sale.bid.clientId}`,
      yard: sale.lot.vehicle.details.yard ?? 'Yard of the bank',
      expires_at: this.#in(options.validFor ?? 3 * day),
      collection_date: isoInIndia(this.#world.clock.now()).slice(0, 10),
    });
  }

  /** Confirms the collection on the latest release of a sale. */
  collect(saleOrLotId: string): WireRecord {
    const release = this.#world.flow.of('release', namedSale(this.#world, saleOrLotId)).at(-1);
    if (release === undefined)
      throw new RangeError(`collect(): ${saleOrLotId} has no release. Call release() first.`);
    return performAsBank(this.#world, release, releases.operations.collect, {
      collector: 'Driver of the buyer',
      vehicle_identity: release.sale?.lot.vehicle.details.registration_number,
    });
  }

  /** Verifies a payment report against its bank receipt, importing the receipt first if it is missing. */
  #verify(report: Rec): void {
    const { sale, data } = report;
    const { flow } = this.#world;
    const used = flow.of('payment_report', sale).map((each) => each.data['bank_receipt_id']);
    const known = flow
      .of('bank_receipt', sale)
      .find((each) => each.data['utr'] === data['utr'] && !used.includes(each.id));
    const transfer = { amount: rupees(amountOf(report)), utr: String(data['utr']) };
    const receipt = known ?? this.receive(sale?.id ?? '', transfer).receipt;
    performAsBank(this.#world, report, paymentReports.operations.decide, {
      decision: 'verified',
      reason: 'The transfer arrived.',
      bank_receipt_id: receipt.id,
      bank_account_reference: receipt.data['bank_account_reference'],
      received_amount: receipt.data['amount'],
      currency: 'INR',
    });
  }

  #in(ms: number): string {
    return isoTime(this.#world.clock.now() + ms);
  }
}

const day = 86_400_000;

/**
 * Plays the buyer in tests of a bank. Each method runs an operation as the client with the winning bid and returns
 * the wire record. A lot id selects the latest sale of the lot. Throws an ActorRefusedError if the service
 * refuses, and a RangeError if the sale does not exist.
 */
export class BuyerActor {
  readonly #world: World;

  /** @internal */
  constructor(world: World) {
    this.#world = world;
  }

  /** Acknowledges an approved sale under its current terms version. */
  acknowledge(saleOrLotId: string): WireRecord {
    const sale = namedSale(this.#world, saleOrLotId);
    // A sale has no terms before its approval. The service refuses any value.
    const body = { terms_version: sale.data['terms_version'] ?? 'none' };
    return this.#perform(sale, saleCases.operations.acknowledge, body);
  }

  /** Responds to an offer. Pass the offer id, or a sale or lot id for its active offer. */
  respond(offerOrSaleOrLotId: string, decision: 'accepted' | 'declined'): WireRecord {
    const { flow } = this.#world;
    const named = flow.get('offer', offerOrSaleOrLotId);
    const sale = named?.sale ?? namedSale(this.#world, offerOrSaleOrLotId);
    const offer = named ?? activeOffer(flow, sale);
    if (offer === undefined)
      throw new RangeError(`respond(): ${offerOrSaleOrLotId} has no active offer. Call bank.offer() first.`);
    const { terms_version } = offer.data;
    const body = { decision, terms_version, reason: 'As discussed with the buyer.' };
    return this.#perform(sale, offers.operations.respond, body, offer);
  }

  /** Reports a bank transfer made now. */
  report(saleOrLotId: string, options: TransferOptions = {}): WireRecord {
    const { flow, clock, ids } = this.#world;
    const sale = namedSale(this.#world, saleOrLotId);
    return this.#perform(sale, paymentReports.operations.create, {
      sale_id: sale.id,
      amount: options.amount ?? rupees(duesOf(flow, sale).remaining),
      currency: 'INR',
      method: 'bank_transfer',
      utr: options.utr ?? ids.next('utr'),
      paid_at: isoTime(clock.now()),
      external_reference: 'sandbox-buyer',
    });
  }

  #perform(sale: Sale, operation: Operation, body: Readonly<Record<string, unknown>>, on: Rec = sale) {
    const winner = this.#world.parties.known(sale.bid.clientId);
    return perform(this.#world, winner, operation, on, body);
  }
}
