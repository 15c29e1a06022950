import { rupees } from '../money.js';
import type { World } from '../world.js';
import { fresh, touch, touchFirst, touchSale } from './changes.js';
import type { Payment, Sale } from './entities.js';
import { announce } from './notices.js';
import { watchPaymentStatus } from './payment-status.js';
import type { Refund, RefundPart, RefundRequest } from './reversal-entities.js';

/** Asks for a refund of these parts of a payment: from now on they are held, and nothing is paid back yet. */
export function askForRefund(
  world: World,
  payment: Payment,
  parts: readonly RefundPart[],
  reason: string | null,
): RefundRequest {
  const request: RefundRequest = {
    ...fresh(world, 'rfr', 'refund_request', 'pending', payment.owner),
    payment,
    amount: parts.reduce((total, { amount }) => total + amount, 0n),
    parts,
    reason,
    decision: undefined,
    refund: undefined,
  };
  world.cases.refundRequests.set(request.id, request);
  touchFirst(world, payment);
  const amount = rupees(request.amount);
  const subject = `Refund request ${request.id} asks for INR ${amount} of payment ${payment.id} back`;
  announce(world, 'refund.requested', request, subject);
  return request;
}

/** Reserves what a request asks for: from now on it credits nothing any more. No money has moved. */
export function reserve(world: World, request: RefundRequest, requestId: string): Refund {
  const refund: Refund = {
    ...fresh(world, 'rfd', 'refund', 'approved_pending_execution', request.owner),
    request,
    requestId,
    execution: executionOf(world, 'approved_pending_execution'),
  };
  const tellStatus = watchPaymentStatus(world, salesOf(request));
  world.cases.refunds.set(refund.id, refund);
  request.refund = refund;
  request.state = 'approved';
  countMove(world, request);
  const amount = rupees(request.amount);
  announce(
    world,
    'refund.approved',
    request,
    `Refund request ${request.id} is approved: refund ${refund.id} of INR ${amount} is to be carried out`,
  );
  tellStatus();
  if (world.settings.variants['unshown-transitions'] === 'by-time') carryOutLater(world, refund);
  return refund;
}

/** Moves a refund on; one that fails gives its money back to where it was taken from. */
export function moveRefund(world: World, refund: Refund, state: Refund['state']): void {
  const { request } = refund;
  const tellStatus = watchPaymentStatus(world, salesOf(request));
  refund.state = state;
  refund.execution = executionOf(world, state);
  touch(world, refund);
  if (state === 'failed') countMove(world, request);
  const amount = rupees(request.amount);
  announce(world, `refund.${state}`, refund, `Refund ${refund.id} of INR ${amount} ${words[state]}`);
  tellStatus();
}

/** Nobody has to move the refund: it does so by itself, unless it was moved meanwhile. */
function carryOutLater(world: World, refund: Refund): void {
  const { clock } = world;
  clock.after(aMinuteMs, () => {
    if (refund.state === 'approved_pending_execution') moveRefund(world, refund, 'processing');
  });
  clock.after(anHourMs, () => {
    if (refund.state === 'processing') moveRefund(world, refund, 'succeeded');
  });
}

/** The sales that lose credits by a refund, each once. */
export function salesOf({ parts }: RefundRequest): Set<Sale> {
  return new Set(parts.flatMap(({ from }) => (from === undefined ? [] : [from.sale])));
}

/** The money of a payment has moved, and with it the credits of sales. */
function countMove(world: World, request: RefundRequest): void {
  touch(world, request.payment);
  for (const sale of salesOf(request)) touchSale(world, sale);
}

/** What `execution` says (unknowns: `refund-execution`). */
function executionOf({ settings, clock }: World, state: Refund['state']): unknown {
  if (settings.variants['refund-execution'] === 'text') return executions[state];
  return { status: executions[state], updated_at: new Date(clock.now()).toISOString() };
}

const aMinuteMs = 60_000;
const anHourMs = 3_600_000;

const executions = {
  approved_pending_execution: 'pending',
  processing: 'processing',
  succeeded: 'done',
  failed: 'failed',
} as const;

const words = {
  approved_pending_execution: 'is to be carried out',
  processing: 'is on its way',
  succeeded: 'is carried out',
  failed: 'has failed: its money is back where it was',
} as const;
