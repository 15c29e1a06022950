import { offers } from '../../api/offers.js';
import { paymentReports } from '../../api/payment-reports.js';
import { saleCases } from '../../api/sale-cases.js';
import { rupees } from '../money.js';
import { isoTime } from '../times.js';
import { activeOffer } from '../workflow/active-offer.js';
import type { Offer } from '../workflow/entities.js';
import { duesOf } from '../workflow/funds.js';
import type { World } from '../world.js';
import { carryOut, type WireRecord } from './carrying-out.js';
import { buyerClient, namedSale } from './whose.js';

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
 * The buyer's half of a sale, for tests of a bank: each method carries the operation out in the name of the client whose
 * bid won, and returns the record as the wire has it. Throws a HandRefusedError where the service refuses, a RangeError
 * where there is no such sale. A lot's id will do in place of its sale's.
 */
export class BuyerHand {
  readonly #world: World;

  /** @internal */
  constructor(world: World) {
    this.#world = world;
  }

  /** Acknowledges an approved sale, on its terms. */
  acknowledge(saleOrLotId: string): WireRecord {
    const sale = namedSale(this.#world, saleOrLotId);
    return carryOut(this.#world, buyerClient(this.#world, sale), {
      operation: saleCases.operations.acknowledge,
      at: { sale: sale.id },
      says: { terms_version: sale.terms?.termsVersion ?? unnamedTerms, expected_version: sale.version },
    });
  }

  /** Answers an offer: by its own id, or the one that is active on a sale. */
  respond(
    offerOrSaleOrLotId: string,
    decision: 'accepted' | 'declined',
    reason = 'As discussed with the buyer.',
  ): WireRecord {
    const offer = this.#offer(offerOrSaleOrLotId);
    return carryOut(this.#world, buyerClient(this.#world, offer.sale), {
      operation: offers.operations.respond,
      at: { offer: offer.id },
      says: { decision, terms_version: offer.termsVersion, reason, expected_version: offer.version },
    });
  }

  /** Reports a payment by bank transfer, made now. */
  report(saleOrLotId: string, terms: ReportTerms = {}): WireRecord {
    const { cases, clock, ids } = this.#world;
    const sale = namedSale(this.#world, saleOrLotId);
    return carryOut(this.#world, buyerClient(this.#world, sale), {
      operation: paymentReports.operations.create,
      says: {
        sale_id: sale.id,
        amount: terms.amount ?? rupees(duesOf(cases, sale).remaining),
        currency: 'INR',
        method: 'bank_transfer',
        utr: terms.utr ?? ids.next('utr'),
        paid_at: isoTime(clock.now()),
        external_reference: terms.externalReference ?? 'sandbox-buyer',
        evidence_id: terms.evidenceId,
      },
    });
  }

  #offer(id: string): Offer {
    const offer = this.#world.cases.offers.get(id) ?? activeOffer(namedSale(this.#world, id));
    if (offer === undefined) throw new RangeError(`there is no active offer on ${id}`);
    return offer;
  }
}

/** Before the approval there are no terms to name; the service refuses whatever is said. */
const unnamedTerms = 'none';
