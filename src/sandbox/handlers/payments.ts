import { payments } from '../../api/payments.js';
import { type Call, type Handler, param } from '../call.js';
import { paise, rupees } from '../money.js';
import { type Reply, read } from '../replies.js';
import { find } from '../workflow/cases.js';
import { fresh, touch, touchLot } from '../workflow/changes.js';
import { carryOutOnce, expectVersion, unfit } from '../workflow/commands.js';
import type { Allocation, Payment, Sale } from '../workflow/entities.js';
import { duesOf, unallocated } from '../workflow/funds.js';
import { namedSale } from '../workflow/named-sale.js';
import { announce } from '../workflow/notices.js';
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
    const sale = namedSale(call, body.sale_id);
    mustBePaidWith(payment, sale);
    const paid = paise(body.amount);
    const left = unallocated(payment);
    if (paid > left) throw unfit('amount', `Only INR ${rupees(left)} of the payment are not allocated yet.`);
    const before = duesOf(world.cases, sale);
    const allocation: Allocation = {
      ...fresh(world, 'alc', 'allocation', 'allocated', sale.owner),
      sale,
      payment,
      amount: paid,
    };
    world.cases.allocations.set(allocation.id, allocation);
    payment.allocations.push(allocation);
    touch(world, payment);
    touch(world, sale);
    touchLot(world, sale.lot);
    const amount = rupees(paid);
    announce(world, 'payment.allocated', allocation, `INR ${amount} are credited to sale ${sale.id}`);
    const after = duesOf(world.cases, sale);
    if (after.state !== before.state) {
      const subject = `Sale ${sale.id} is ${words[after.state]}`;
      announce(world, 'sale.payment_status_changed', sale, subject);
    }
    return {
      record: allocation,
      view: allocationView(allocation),
      saleId: sale.id,
      lotId: sale.lot.id,
      amount,
    };
  });
}

/** Money is credited to approved sales of the buyer who sent it, and to nobody else's. */
function mustBePaidWith({ sale: from }: Payment, sale: Sale): void {
  const sameBuyer =
    sale.owner.partnerId === from.owner.partnerId && sale.bid.bidderReference === from.bid.bidderReference;
  if (!sameBuyer) throw unfit('sale_id', 'The payment is of another buyer than the sale.');
  if (sale.state !== 'approved') throw unfit('sale_id', 'The sale is not approved.');
}

function paymentOf(call: Call): Payment {
  return find(call.party, call.world.cases.payments, param(call, 'payment'));
}

const words = { unpaid: 'not paid', partially_paid: 'paid in part', paid: 'paid in full' } as const;
