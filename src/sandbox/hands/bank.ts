import { bidCancellations } from '../../api/bid-cancellations.js';
import type { Operation } from '../../api/operation.js';
import { refundRequests } from '../../api/refund-requests.js';
import { releases } from '../../api/releases.js';
import { saleCancellations } from '../../api/sale-cancellations.js';
import { saleCases } from '../../api/sale-cases.js';
import { isoInIndia, isoTime } from '../times.js';
import { activeOffer } from '../workflow/active-offer.js';
import type { Entity, Release, Sale } from '../workflow/entities.js';
import { releasesOf } from '../workflow/release-moves.js';
import type { World } from '../world.js';
import { carryOut, type WireRecord } from './carrying-out.js';
import { type ReceiptTerms, type Received, Till } from './till.js';
import { bankOf, named, namedSale } from './whose.js';

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

/**
 * The bank's half of a sale, for tests of a partner: each method carries the operation out in the name of the bank that
 * the record belongs to, with its other credential as the second approver where two are wanted, and returns the record as
 * the wire has it. Throws a HandRefusedError where the service refuses, a RangeError where there is no such record. A
 * lot's id will do in place of its sale's.
 */
export class BankHand {
  readonly #world: World;
  readonly #till: Till;

  /** @internal */
  constructor(world: World) {
    this.#world = world;
    this.#till = new Till(world);
  }

  /** Approves a sale: at the amount of the accepted offer where there is one, else at the bid's. */
  approve(saleOrLotId: string, terms: ApprovalTerms = {}): WireRecord {
    const sale = namedSale(this.#world, saleOrLotId);
    const offer = activeOffer(sale);
    return this.#decide(sale, saleCases.operations.decide, 'sale', {
      decision: 'approved',
      bid_id: sale.bid.id,
      reason: terms.reason ?? 'Within the limits of the bank.',
      terms_version: terms.termsVersion ?? offer?.termsVersion ?? 'T1',
      due_at: this.#in(terms.dueIn ?? 7 * day),
      payee_instructions: terms.payeeInstructions ?? 'NEFT to 000111222333, IFSC EXMP0000001',
      offer_id: offer?.id,
    });
  }

  /** Makes an offer on a sale that is not decided; it supersedes earlier ones. */
  offer(saleOrLotId: string, terms: OfferTerms): WireRecord {
    const sale = namedSale(this.#world, saleOrLotId);
    return carryOut(this.#world, bankOf(this.#world, sale), {
      operation: saleCases.operations.offer,
      at: { sale: sale.id },
      says: {
        amount: terms.amount,
        currency: 'INR',
        terms_version: terms.termsVersion ?? 'T1',
        valid_until: this.#in(terms.validFor ?? day),
        reason: terms.reason ?? 'The bid is below what the bank expects.',
        expected_version: sale.version,
      },
    });
  }

  /** Imports an entry of the bank's account for a sale: by default one of all that remains to be paid. */
  receive(saleOrLotId: string, terms: ReceiptTerms = {}): Received {
    return this.#till.receive(namedSale(this.#world, saleOrLotId), terms);
  }

  /** Verifies a payment report against the receipt of its transfer, which is imported where it isn't there yet. */
  verify(reportId: string): WireRecord {
    const report = named(this.#world.cases.reports, reportId, 'payment report');
    const { operation, ...decision } = this.#till.verification(report);
    return this.#decide(report, operation, 'report', decision);
  }

  /** Allocates money that arrived for a sale: of one payment, else of the first that has some left. */
  allocate(
    saleOrLotId: string,
    part: { readonly paymentId?: string; readonly amount?: string } = {},
  ): WireRecord {
    return this.#till.allocate(namedSale(this.#world, saleOrLotId), part);
  }

  /**
   * Sees a sale paid in full: verifies the reports that wait, receives what is missing and allocates it. Returns its dues
   * (A34), as the wire has them.
   */
  settle(saleOrLotId: string): Readonly<Record<string, unknown>> {
    const sale = namedSale(this.#world, saleOrLotId);
    for (const report of this.#world.cases.reports.values()) {
      if (report.sale === sale && report.state === 'reported_pending_verification') this.verify(report.id);
    }
    return this.#till.fill(sale);
  }

  /** Releases the vehicle of a sale that is acknowledged and paid. */
  release(saleOrLotId: string, terms: ReleaseTerms = {}): WireRecord {
    const sale = namedSale(this.#world, saleOrLotId);
    const { validFor = 3 * day } = terms;
    return carryOut(this.#world, bankOf(this.#world, sale), {
      operation: saleCases.operations.authorizeRelease,
      at: { sale: sale.id },
      says: {
        recipient: terms.recipient ?? sale.bid.bidderReference ?? `Dealer of ${sale.bid.clientId}`,
        yard: terms.yard ?? sale.lot.vehicle.yard ?? 'Yard of the bank',
        expires_at: this.#in(validFor),
        collection_date: isoInIndia(this.#world.clock.now()).slice(0, 10),
        expected_version: sale.version,
      },
    });
  }

  /** Takes a release back, by its own id or its sale's. */
  revoke(releaseOrSaleOrLotId: string, reason = 'The collection is put off.'): WireRecord {
    return this.#onRelease(releaseOrSaleOrLotId, releases.operations.revoke, { reason });
  }

  /** Hands the vehicle over, by the release's own id or its sale's. */
  collect(
    releaseOrSaleOrLotId: string,
    terms: { readonly collector?: string; readonly evidenceId?: string } = {},
  ): WireRecord {
    const { sale } = this.#release(releaseOrSaleOrLotId);
    return this.#onRelease(releaseOrSaleOrLotId, releases.operations.collect, {
      collector: terms.collector ?? 'Driver of the buyer',
      vehicle_identity: sale.lot.vehicle.registrationNumber,
      evidence_id: terms.evidenceId,
    });
  }

  /** Decides a request to cancel a bid or a sale; words other than `approved` are refused unless a variant takes them. */
  decideCancellation(requestId: string, decision = 'approved', reason = 'Looked into.'): WireRecord {
    const { cancellations, saleCancellations: ofSales } = this.#world.cases;
    const ofSale = ofSales.get(requestId);
    return ofSale === undefined
      ? this.#decide(
          named(cancellations, requestId, 'cancellation request'),
          bidCancellations.operations.decide,
          'request',
          { decision, reason },
        )
      : this.#decide(ofSale, saleCancellations.operations.decide, 'request', { decision, reason });
  }

  /** Decides a request for a refund, likewise. */
  decideRefund(requestId: string, decision = 'approved', reason = 'Looked into.'): WireRecord {
    const request = named(this.#world.cases.refundRequests, requestId, 'refund request');
    return this.#decide(request, refundRequests.operations.decide, 'request', { decision, reason });
  }

  /** Takes a decision, and takes it again in the name of another credential where the first is only noted. */
  #decide(
    entity: Entity,
    operation: Operation,
    param: string,
    decision: Readonly<Record<string, unknown>>,
  ): WireRecord {
    const deed = () => ({
      operation,
      at: { [param]: entity.id },
      says: { ...decision, expected_version: entity.version },
    });
    const first = bankOf(this.#world, entity);
    const record = carryOut(this.#world, first, deed());
    if (!this.#world.cases.firstDecisions.has(entity.id)) return record;
    return carryOut(this.#world, bankOf(this.#world, entity, first), deed());
  }

  #onRelease(id: string, operation: Operation, says: Readonly<Record<string, unknown>>): WireRecord {
    const release = this.#release(id);
    return carryOut(this.#world, bankOf(this.#world, release), {
      operation,
      at: { release: release.id },
      says: { ...says, expected_version: release.version },
    });
  }

  #release(id: string): Release {
    const { cases } = this.#world;
    const direct = cases.releases.get(id);
    if (direct !== undefined) return direct;
    const sale: Sale = namedSale(this.#world, id);
    const found = releasesOf(cases, sale).at(-1);
    if (found === undefined) throw new RangeError(`sale ${sale.id} has no release`);
    return found;
  }

  #in(ms: number): string {
    return isoTime(this.#world.clock.now() + ms);
  }
}

const day = 86_400_000;
