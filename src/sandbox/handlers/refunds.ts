import { payments } from '../../api/payments.js';
import { refundRequests } from '../../api/refund-requests.js';
import { refunds } from '../../api/refunds.js';
import { type Call, type Handler, param } from '../call.js';
import { paise, rupees } from '../money.js';
import { type Reply, read } from '../replies.js';
import { find } from '../workflow/cases.js';
import { touch } from '../workflow/changes.js';
import { carryOutOnce, conflict, expectVersion, unfit } from '../workflow/commands.js';
import type { Payment } from '../workflow/entities.js';
import { refundable } from '../workflow/funds.js';
import { mustNotBeHeld } from '../workflow/holds.js';
import { announce } from '../workflow/notices.js';
import { askForRefund, reserve, salesOf } from '../workflow/refund-moves.js';
import { refundParts } from '../workflow/refund-parts.js';
import type { RefundPart, RefundRequest } from '../workflow/reversal-entities.js';
import { refundRequestView, refundView } from '../workflow/reversal-views.js';
import { saysYes } from '../workflow/verdict.js';
import type { World } from '../world.js';

/** A47 to A49: asking for money back, the bank's decision, and the refund that it makes. */
export const refundHandlers: Readonly<Record<string, Handler>> = {
  [payments.operations.requestRefund.id]: request,
  [refundRequests.operations.decide.id]: decide,
  [refunds.operations.get.id]: (call) =>
    read(call, refundView(find(call.party, call.world.cases.refunds, param(call, 'refund')))),
};

function request(call: Call): Reply {
  return carryOutOnce(call, payments.operations.requestRefund.body, (body) => {
    const { world } = call;
    const payment = find(call.party, world.cases.payments, param(call, 'payment'));
    expectVersion(payment, body.expected_version);
    const parts = partsFor(world, payment, paise(body.amount));
    return committed(askForRefund(world, payment, parts, body.reason ?? null));
  });
}

/** The parts of the payment that make up an amount, in full, or a 422 on it. */
function partsFor(world: World, payment: Payment, asked: bigint): RefundPart[] {
  const left = refundable(world.cases, payment);
  if (asked > left) {
    throw unfit('amount', `Only INR ${rupees(left)} of the payment are not refunded or asked back yet.`);
  }
  const parts = refundParts(world, payment, asked);
  const there = parts.reduce((total, { amount }) => total + amount, 0n);
  if (asked > there) {
    throw unfit('amount', `Only INR ${rupees(there)} can go back: the rest pays for a sale that stands.`);
  }
  return parts;
}

function decide(call: Call): Reply {
  return carryOutOnce(call, refundRequests.operations.decide.body, (body) => {
    const { world } = call;
    const asked = find(call.party, world.cases.refundRequests, param(call, 'request'));
    expectVersion(asked, body.expected_version);
    const yes = saysYes(world, body.decision, 'approved');
    if (asked.state !== 'pending') throw conflict('The request is decided already.');
    if (yes) mustNotBeFrozen(world, asked);
    asked.decision = body.decision;
    if (world.settings.variants['reason-after-decision'] === 'as-listed') asked.reason = body.reason ?? null;
    touch(world, asked);
    if (!yes) {
      reject(world, asked);
      return committed(asked);
    }
    const refund = reserve(world, asked, requestIdOf(call, asked));
    const other = world.settings.variants['command-reply-kinds'] === 'other-record';
    return { ...committed(asked), ...(other && { record: refund, view: refundView(refund) }) };
  });
}

/** Money is of the sale that it came for, and of those that it was credited to. */
function mustNotBeFrozen(world: World, asked: RefundRequest): void {
  for (const sale of new Set([asked.payment.sale, ...salesOf(asked)])) mustNotBeHeld(world, sale, 'refund');
}

/** What was asked for is free again, or credited as before. */
function reject(world: World, asked: RefundRequest): void {
  asked.state = 'rejected';
  touch(world, asked.payment);
  announce(world, 'refund.rejected', asked, `Refund request ${asked.id} is rejected by the bank`);
}

function requestIdOf({ world, requestId }: Call, asked: RefundRequest): string {
  return world.settings.variants['refund-request-id'] === 'api-call' ? requestId : asked.id;
}

function committed(asked: RefundRequest) {
  return {
    record: asked,
    view: refundRequestView(asked),
    sale: asked.payment.sale,
    amount: rupees(asked.amount),
  };
}
