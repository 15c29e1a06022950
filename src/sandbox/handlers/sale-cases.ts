import type * as z from 'zod';
import { saleCases } from '../../api/sale-cases.js';
import type { Call, Handler } from '../call.js';
import { paise, rupees } from '../money.js';
import { workflowPage } from '../pages.js';
import { messageOnly, Refusal, type Reply, read } from '../replies.js';
import { isoTime } from '../times.js';
import { checkedQuery } from '../validation.js';
import { activeOffer } from '../workflow/active-offer.js';
import { mustBeApproved, saleInPath } from '../workflow/asked-sale.js';
import { mustStand } from '../workflow/availability.js';
import { own } from '../workflow/cases.js';
import { touchSale } from '../workflow/changes.js';
import { mustBeParties } from '../workflow/command-values.js';
import { carryOutOnce, conflict, expectVersion, unfit } from '../workflow/commands.js';
import { remindOfDue } from '../workflow/due-reminders.js';
import type { Offer, Sale } from '../workflow/entities.js';
import { announce } from '../workflow/notices.js';
import { supersede } from '../workflow/offer-moves.js';
import { detailedSale, listedSale, shownSale } from '../workflow/sale-forms.js';
import { forgetFirst, mayCommit } from '../workflow/second-approver.js';
import { vehicleStatusChanged } from '../workflow/vehicle-status.js';
import { saysYes } from '../workflow/verdict.js';
import { tellWinner } from '../workflow/winners.js';

const { operations } = saleCases;

/** A20 to A23: sales, the bank's decision, and the buyer's acknowledgment. */
export const saleCaseHandlers: Readonly<Record<string, Handler>> = {
  [operations.list.id]: list,
  [operations.get.id]: (call) => read(call, detailedSale(call.world, saleInPath(call))),
  [operations.decide.id]: decide,
  [operations.acknowledge.id]: acknowledge,
};

function list(call: Call): Reply {
  const query = checkedQuery(operations.list.query, call.query);
  return workflowPage(call, own(call.party, call.world.cases.sales), query.page ?? 1, (sale) =>
    listedSale(call.world, sale),
  );
}

function decide(call: Call): Reply {
  return carryOutOnce(call, operations.decide.body, (body) => {
    const { world } = call;
    const sale = saleInPath(call);
    expectVersion(sale, body.expected_version);
    const yes = saysYes(world, body.decision, 'approved');
    if (sale.state !== 'pending_bank_approval') throw conflict('The sale is decided already.');
    if (yes) approve(call, sale, body);
    else reject(call, sale);
    return {
      record: sale,
      view: shownSale(world, sale),
      sale,
      bidId: sale.bid.id,
      amount: rupees(sale.amount),
    };
  });
}

type Decision = z.output<typeof operations.decide.body>;

function approve(call: Call, sale: Sale, body: Decision): void {
  const { world } = call;
  mustStand(sale);
  const { bid_id, terms_version, due_at, payee_instructions } = body;
  if (bid_id !== sale.bid.id) throw unfit('bid_id', 'This is not the bid that the sale is about.');
  if (terms_version === undefined) throw unfit('terms_version', 'An approval names its terms.');
  if (due_at === undefined) throw unfit('due_at', 'An approval says when payment is due.');
  if (Date.parse(due_at) <= call.now()) throw unfit('due_at', 'Payment can not be due in the past.');
  if (payee_instructions === undefined) {
    throw unfit('payee_instructions', 'An approval says how and whom to pay.');
  }
  mustBeParties(world, { payee_instructions });
  const offer = agreedOffer(call, sale, body.offer_id, terms_version);
  const approved = offer?.amount ?? sale.amount;
  mustBeWithinLimit(call, approved);
  if (!mayCommit(call, sale, body)) {
    touchSale(world, sale);
    return;
  }
  sale.state = 'approved';
  sale.amount = approved;
  sale.terms = {
    termsVersion: terms_version,
    dueAt: due_at,
    payeeInstructions: payee_instructions,
    payeeVersion: 1,
  };
  touchSale(world, sale);
  tellWinner(world, sale);
  vehicleStatusChanged(world, sale, 'sold');
  announce(
    world,
    'sale.approved',
    sale,
    `Sale ${sale.id} of ${sale.lot.vehicle.title} is approved at INR ${rupees(approved)}`,
  );
  remindOfDue(world, sale);
}

/** For good: what was offered ends with it. */
function reject(call: Call, sale: Sale): void {
  const { world } = call;
  forgetFirst(call, sale);
  supersede(world, activeOffer(sale), "the bank's rejection of the sale");
  sale.state = 'rejected';
  touchSale(world, sale);
  announce(world, 'sale.rejected', sale, `Sale ${sale.id} of ${sale.lot.vehicle.title} is rejected`);
}

/** A credential may have a limit of the bank on what it approves (unknowns: `approval-limit-reply`). */
function mustBeWithinLimit({ party, world }: Call, amount: bigint): void {
  const { approvalLimit } = party.facts;
  if (approvalLimit === null || amount <= paise(approvalLimit)) return;
  const message = `INR ${rupees(amount)} are more than the INR ${approvalLimit} that this credential may approve.`;
  throw new Refusal(messageOnly(Number(world.settings.variants['approval-limit-reply']), message));
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
    if (sale.offers.length > 0 && call.world.settings.variants['approval-after-an-offer'] === 'refused') {
      throw conflict('The offer on this sale was not accepted: it takes another one.');
    }
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
    mustBeApproved(sale);
    if (sale.acknowledgedAt !== undefined) {
      throw conflict(`The sale was acknowledged at ${isoTime(sale.acknowledgedAt)}.`);
    }
    if (body.terms_version !== sale.terms?.termsVersion) {
      throw unfit('terms_version', 'These are not the terms of the sale.');
    }
    sale.acknowledgedAt = call.now();
    touchSale(world, sale);
    announce(world, 'sale.acknowledged', sale, `Sale ${sale.id} is acknowledged by its buyer`);
    return { record: sale, view: shownSale(world, sale), sale };
  });
}
