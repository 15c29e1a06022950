import { offers } from '../../api/offers.js';
import { saleCases } from '../../api/sale-cases.js';
import { type Call, type Handler, param } from '../call.js';
import { paise, rupees } from '../money.js';
import type { Reply } from '../replies.js';
import { activeOffer } from '../workflow/active-offer.js';
import { saleInPath } from '../workflow/asked-sale.js';
import { mustStand } from '../workflow/availability.js';
import { find } from '../workflow/cases.js';
import { fresh, touchFirst, touchLot, touchSale } from '../workflow/changes.js';
import { carryOutOnce, conflict, expectVersion, unfit } from '../workflow/commands.js';
import type { Offer } from '../workflow/entities.js';
import { moveOffer, supersede, tellOfOffer } from '../workflow/offer-moves.js';
import { forgetFirst } from '../workflow/second-approver.js';
import { offerView } from '../workflow/views.js';
import type { World } from '../world.js';

/** A24, A25: the bank's offers on a sale that it has yet to decide, and the buyer's answers. */
export const offerHandlers: Readonly<Record<string, Handler>> = {
  [saleCases.operations.offer.id]: make,
  [offers.operations.respond.id]: respond,
};

function make(call: Call): Reply {
  return carryOutOnce(call, saleCases.operations.offer.body, (body) => {
    const { world } = call;
    const sale = saleInPath(call);
    expectVersion(sale, body.expected_version);
    if (sale.state !== 'pending_bank_approval') throw conflict('The sale is decided already.');
    mustStand(sale);
    const lapsesAt = Date.parse(body.valid_until);
    if (lapsesAt <= call.now()) throw unfit('valid_until', 'An offer can not lapse in the past.');
    forgetFirst(call, sale);
    supersede(world, activeOffer(sale), 'another one');
    const offer: Offer = {
      ...fresh(world, 'off', 'offer', 'open', sale.owner),
      sale,
      amount: paise(body.amount),
      termsVersion: body.terms_version,
      validUntil: body.valid_until,
      reason: body.reason ?? null,
      decision: undefined,
    };
    sale.offers.push(offer);
    world.cases.offers.set(offer.id, offer);
    touchFirst(world, sale);
    touchLot(world, sale.lot);
    world.clock.schedule(lapsesAt - call.now(), () => lapse(world, offer));
    tellOfOffer(world, offer, 'made', `is made at INR ${rupees(offer.amount)}, until ${offer.validUntil}`);
    return committed(offer);
  });
}

function respond(call: Call): Reply {
  return carryOutOnce(call, offers.operations.respond.body, (body) => {
    const { world } = call;
    const offer = find(call.party, world.cases.offers, param(call, 'offer'));
    const { decision } = body;
    expectVersion(offer, body.expected_version);
    if (offer.state !== 'open') throw conflict(`The offer is not open: it is ${offer.state}.`);
    // On a real clock the timer that ends it may come a moment late.
    if (Date.parse(offer.validUntil) <= call.now()) throw conflict('The offer has lapsed.');
    if (body.terms_version !== offer.termsVersion) {
      throw unfit('terms_version', 'These are not the terms of the offer.');
    }
    if (decision === 'accepted') mustStand(offer.sale);
    offer.decision = decision;
    if (world.settings.variants['reason-after-decision'] === 'other') offer.reason = body.reason ?? null;
    moveOffer(world, offer, decision);
    touchSale(world, offer.sale);
    tellOfOffer(world, offer, decision, `is ${decision} by its buyer`);
    return committed(offer);
  });
}

/** An open offer ends at its time. An accepted one stays what it is, and no approval can rest on it any more. */
function lapse(world: World, offer: Offer): void {
  if (offer.state !== 'open') return;
  moveOffer(world, offer, 'expired');
  touchSale(world, offer.sale);
  tellOfOffer(world, offer, 'expired', 'has lapsed without an answer');
}

function committed(offer: Offer) {
  const { sale } = offer;
  return {
    record: offer,
    view: offerView(offer),
    sale,
    bidId: sale.bid.id,
    amount: rupees(offer.amount),
  };
}
