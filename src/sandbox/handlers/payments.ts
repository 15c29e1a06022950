import { payments } from '../../api/payments.js';
import { type Call, type Handler, param } from '../call.js';
import { paise, rupees } from '../money.js';
import { type Reply, read } from '../replies.js';
import { approvedSale } from '../workflow/asked-sale.js';
import { find } from '../workflow/cases.js';
import { fresh, touchFirst, touchSale } from '../workflow/changes.js';
import { carryOutOnce, expectVersion, unfit } from '../workflow/commands.js';
import type { Allocation, Payment, Sale } from '../workflow/entities.js';
import { unallocated } from '../workflow/funds.js';
import { mustNotBeHeld } from '../workflow/holds.js';
import { announce } from '../workflow/notices.js';
import { watchPaymentStatus } from '../workflow/payment-status.js';
import { allocationView, paymentView } from '../workflow/views.js';

const { operations } = payments;

/** A40, A45: money that arrived, and the sales that it is credited to. */
export const paymentHandlers: Readonly<Record<string, Handler>> = {
  [operations.get.id]: (call) => read(call, paymentView(paymentOf(call))),
  [operations.allocate.id]: allocate,
};

function allocate(call: Call): Reply {
  return carryOutOnce(call, operations.allocate.body, (body) => {
    const { world } = call;
    const payment = paymentOf(call);
    expectVersion(payment, body.expected_version);
    const sale = approvedSale(call, body.sale_id);
    // Money is held with the sale that it came for, too.
    for (const each of new Set([payment.sale, sale])) mustNotBeHeld(world, each, 'allocation');
    mustBeOfItsBuyer(sale, payment);
    const paid = paise(body.amount);
    const left = unallocated(world.cases, payment);
    if (paid > left) throw unfit('amount', `Only INR ${rupees(left)} of the payment are free.`);
    const tellStatus = watchPaymentStatus(world, [sale]);
    const allocation: Allocation = {
      ...fresh(world, 'alc', 'allocation', 'allocated', sale.owner),
      sale,
      payment,
      amount: paid,
    };
    world.cases.allocations.set(allocation.id, allocation);
    payment.allocations.push(allocation);
    touchFirst(world, payment);
    touchSale(world, sale);
    const amount = rupees(paid);
    const subject = `Allocation ${allocation.id} credits INR ${amount} to sale ${sale.id}`;
    announce(world, 'payment.allocated', allocation, subject);
    tellStatus();
    return {
      record: allocation,
      view: allocationView(allocation),
      sale,
      amount,
    };
  });
}

/** Money is credited to sales of the buyer who sent it, and to nobody else's. */
function mustBeOfItsBuyer(sale: Sale, { sale: from }: Payment): void {
  const sameBuyer =
    sale.owner.partnerId === from.owner.partnerId && sale.bid.bidderReference === from.bid.bidderReference;
  if (!sameBuyer) throw unfit('sale_id', 'The payment is of another buyer than the sale.');
}

function paymentOf(call: Call): Payment {
  return find(call.party, call.world.cases.payments, param(call, 'payment'));
}
