import { offers } from '../../api/offers.js';
import { paymentReports } from '../../api/payment-reports.js';
import { saleCases } from '../../api/sale-cases.js';
import { rupees } from '../money.js';
import type { Party } from '../parties.js';
import { isoTime } from '../times.js';
import { duesOf } from '../workflow/funds.js';
import { activeOffer } from '../workflow/guards.js';
import type { Sale, WireRecord } from '../workflow/records.js';
import type { World } from '../world.js';
import { namedSale, perform } from './perform.js';

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
    return perform(this.#world, this.#clientOf(sale), {
      operation: saleCases.operations.acknowledge,
      at: { sale: sale.id },
      // Before the approval there are no terms to name; the service refuses whatever they are.
      body: { terms_version: sale.data['terms_version'] ?? 'none', expected_version: sale.version },
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
    return perform(this.#world, this.#clientOf(sale), {
      operation: offers.operations.respond,
      at: { offer: offer.id },
      body: { decision, terms_version, reason, expected_version: offer.version },
    });
  }

  /** Reports a payment by bank transfer, made now. */
  report(saleOrLotId: string, terms: ReportTerms = {}): WireRecord {
    const { flow, clock, ids } = this.#world;
    const sale = namedSale(this.#world, saleOrLotId);
    return perform(this.#world, this.#clientOf(sale), {
      operation: paymentReports.operations.create,
      body: {
        sale_id: sale.id,
        amount: terms.amount ?? rupees(duesOf(flow, sale).remaining),
        currency: 'INR',
        method: 'bank_transfer',
        utr: terms.utr ?? ids.next('utr'),
        paid_at: isoTime(clock.now()),
        external_reference: terms.externalReference ?? 'sandbox-buyer',
        evidence_id: terms.evidenceId,
      },
    });
  }

  #clientOf({ bid }: Sale): Party {
    return this.#world.parties.known(bid.clientId);
  }
}
