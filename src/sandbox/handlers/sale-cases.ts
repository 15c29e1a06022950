import { saleCases } from '../../api/sale-cases.js';
import type { Call, Handler } from '../call.js';
import { rupees } from '../money.js';
import { workflowPage } from '../pages.js';
import { type Reply, read } from '../replies.js';
import { isoTime } from '../times.js';
import { checkedQuery } from '../validation.js';
import { activeOffer } from '../workflow/active-offer.js';
import { saleInPath } from '../workflow/asked-sale.js';
import { mustStand } from '../workflow/availability.js';
import { own } from '../workflow/cases.js';
import { touchSale } from '../workflow/changes.js';
import { carryOutOnce, conflict, expectVersion, unfit } from '../workflow/commands.js';
import type { Offer, Sale } from '../workflow/entities.js';
import { announce } from '../workflow/notices.js';
import { saleDetail, saleView } from '../workflow/views.js';
import { tellWinner } from '../workflow/winners.js';

const { operations } = saleCases;

/** A20 to A23: sales, the bank's decision, and the buyer's acknowledgment. */
export const saleCaseHandlers: Readonly<Record<string, Handler>> = {
  [operations.list.id]: list,
  [operations.get.id]: (call) => read(call, saleDetail(saleInPath(call))),
  [operations.decide.id]: decide,
  [operations.acknowledge.id]: acknowledge,
};

function list(call: Call): Reply {
  const query = checkedQuery(operations.list.query, call.query);
  return workflowPage(call, own(call.party, call.world.cases.sales), query.page ?? 1, saleView);
}

function decide(call: Call): Reply {
  return carryOutOnce(call, operations.decide.body, (body) => {
    const { world } = call;
    const sale = saleInPath(call);
    expectVersion(sale, body.expected_version);
    if (body.decision !== 'approved')
      throw unfit('decision', 'This sandbox knows the decision approved only.');
    if (sale.state !== 'pending_bank_approval') throw conflict('The sale is decided already.');
    mustStand(sale);
    const { bid_id, terms_version, due_at, payee_instructions } = body;
    if (bid_id !== sale.bid.id) throw unfit('bid_id', 'This is not the bid that the sale is about.');
    if (terms_version === undefined) throw unfit('terms_version', 'An approval names its terms.');
    if (due_at === undefined) throw unfit('due_at', 'An approval says when payment is due.');
    if (Date.parse(due_at) <= call.now()) throw unfit('due_at', 'Payment can not be due in the past.');
    if (payee_instructions === undefined) {
      throw unfit('payee_instructions', 'An approval says how and whom to pay.');
    }
    const offer = agreedOffer(call, sale, body.offer_id, terms_version);
    sale.state = 'approved';
    sale.amount = offer?.amount ?? sale.amount;
    sale.terms = {
      termsVersion: terms_version,
      dueAt: due_at,
      payeeInstructions: payee_instructions,
      payeeVersion: 1,
    };
    touchSale(world, sale);
    tellWinner(world, sale);
    const amount = rupees(sale.amount);
    announce(
      world,
      'sale.approved',
      sale,
      `Sale ${sale.id} of ${sale.lot.vehicle.title} is approved at INR ${amount}`,
    );
    return { record: sale, view: saleView(sale), sale, bidId: sale.bid.id, amount };
  });
}

/** The offer whose amount an approval makes final; undefined where nothing was negotiated. */
function agreedOffer(
  call: Call,
  sale: Sale,
  offerId: string | undefined,
  termsVersion: string | number,
): Offer | undefined {
  const offer = activeOffer(sale);
  if (offer === undefined) {
    if (offerId !== undefined) throw unfit('offer_id', 'There is no active offer on this sale.');
    return undefined;
  }
  if (offer.state === 'open') throw conflict('The offer on this sale is not answered yet.');
  if (offerId !== offer.id) throw unfit('offer_id', 'This is not the offer that was accepted on the sale.');
  if (Date.parse(offer.validUntil) <= call.now()) throw conflict('The accepted offer has lapsed.');
  if (termsVersion !== offer.termsVersion) throw unfit('terms_version', "The terms are not the offer's.");
  return offer;
}

function acknowledge(call: Call): Reply {
  return carryOutOnce(call, operations.acknowledge.body, (body) => {
    const { world } = call;
    const sale = saleInPath(call);
    expectVersion(sale, body.expected_version);
    if (sale.state !== 'approved') throw conflict('The sale is not approved.');
    if (sale.acknowledgedAt !== undefined) {
      throw conflict(`The sale was acknowledged at ${isoTime(sale.acknowledgedAt)}.`);
    }
    if (body.terms_version !== sale.terms?.termsVersion) {
      throw unfit('terms_version', 'These are not the terms of the sale.');
    }
    sale.acknowledgedAt = call.now();
    touchSale(world, sale);
    announce(world, 'sale.acknowledged', sale, `Sale ${sale.id} is acknowledged by its buyer`);
    return { record: sale, view: saleView(sale), sale };
  });
}
