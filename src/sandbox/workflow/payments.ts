import { service } from '../../api/service.js';
import type { OperationHandler } from '../http/call.js';
import { ensure, ensureFits } from '../http/replies.js';
import { paise, rupees } from '../money.js';
import { amountOf, type Data, type Flow, type Rec, type RefundParts, sum } from '../records.js';
import type { World } from '../world.js';
import {
  checksUnstated,
  command,
  mustBeApproved,
  mustNotBeFrozen,
  saleNamed,
  touchSource,
} from './engine.js';
import { refundParts, salesLosing, unallocated } from './funds.js';
import { announce, watchingDues } from './news.js';

const { bankReceipts, paymentReports, payments, refundRequests } = service;

/** Payment reports, bank receipts, allocations and refund requests. */
export const paymentCommands: readonly OperationHandler[] = [
  command({
    op: paymentReports.operations.create,
    approved: 'now',
    freezable: 'payment_report',
    past: 'paid_at',
    check: ({ world, flow, sale, body: { method, utr } }) => {
      const isKnown = method === 'bank_transfer';
      ensureFits(isKnown, 'method', 'The method is not supported. Use bank_transfer.');
      const isReported = flow
        .of('payment_report', sale)
        .some(({ state, data }) => data['utr'] === utr && state !== 'rejected');
      ensure(
        !isReported || !checksUnstated(world),
        'A payment with this utr is already reported for the sale. Report each transfer once.',
      );
    },
    to: 'reported_pending_verification',
    news: 'payment.reported',
  }),
  command({
    op: paymentReports.operations.decide,
    yes: 'verified',
    from: 'reported_pending_verification',
    needs: ['bank_receipt_id', 'bank_account_reference', 'received_amount', 'currency'],
    // The bank receipt must match the reported transfer. One receipt verifies one report.
    check: ({ world, flow, on, sale, body }) => {
      const { bank_receipt_id: id, bank_account_reference, received_amount = '0' } = body;
      const receipt = flow.get('bank_receipt', id);
      ensureFits(
        receipt?.sale === sale,
        'bank_receipt_id',
        'This is not a bank receipt of the sale. Name one that is.',
      );
      const isUsed = flow.of('payment_report', sale).some(({ data }) => data['bank_receipt_id'] === id);
      ensureFits(
        !isUsed,
        'bank_receipt_id',
        'Another report was already verified against this bank receipt.',
      );
      if (!checksUnstated(world)) return;
      const { utr, external_transaction_id, bank_account_reference: account } = receipt.data;
      const isSame = on.data['utr'] === utr || on.data['utr'] === external_transaction_id;
      ensureFits(isSame, 'bank_receipt_id', 'The bank receipt shows a different transfer than the report.');
      const isAccount = bank_account_reference === account;
      ensureFits(isAccount, 'bank_account_reference', 'The bank receipt shows a different account.');
      const isAmount = paise(received_amount) === amountOf(receipt);
      ensureFits(isAmount, 'received_amount', 'The bank receipt shows a different amount.');
    },
    two: true,
    news: 'payment.*',
  }),
  command({
    op: bankReceipts.operations.import,
    // Within an account, the external transaction id and the UTR each identify one transfer. A second entry with
    // either must be identical.
    known: ({ flow, call, body }) => {
      const { idempotency_key: _, ...given } = body;
      const entry: Data = { evidence_id: null, ...given, amount: rupees(paise(body.amount)) };
      const isSame = ({ data }: Rec, name: string) => data[name] === entry[name];
      const known = flow
        .of('bank_receipt')
        .filter((each) => each.owner.bankId === call.party.bankId && isSame(each, 'bank_account_reference'))
        .find((each) => isSame(each, 'external_transaction_id') || isSame(each, 'utr'));
      const why =
        'A different entry with the same external_transaction_id or utr was already imported for this account.';
      ensure(known === undefined || Object.keys(entry).every((name) => isSame(known, name)), why);
      return known;
    },
    approved: 'once',
    to: 'verified',
    effect: ({ flow, sale }, receipt) => {
      const { amount, currency } = receipt.data;
      const data = { sale_id: sale.id, amount, currency, settlement_state: 'bank_received' };
      flow.make('payment', 'succeeded', { owner: receipt.owner, data, sale, from: receipt });
    },
  }),
  command({
    op: payments.operations.allocate,
    check: ({ world, flow, call, on, sale: from, body }) => {
      const to = saleNamed(call, body.sale_id);
      mustBeApproved(to);
      // The source sale can also freeze the allocation.
      for (const each of new Set([from, to])) mustNotBeFrozen(flow, each, 'allocation');
      const isOfItsBuyer =
        to.owner.partnerId === from.owner.partnerId && to.bid.bidderReference === from.bid.bidderReference;
      ensureFits(
        isOfItsBuyer || !checksUnstated(world),
        'sale_id',
        'The payment and the sale belong to different buyers.',
      );
      const left = unallocated(flow, on);
      ensureFits(
        paise(body.amount) <= left,
        'amount',
        `The amount exceeds the free part of the payment, INR ${rupees(left)}.`,
      );
    },
    to: 'allocated',
    data: ({ on, body }) => ({
      sale_id: body.sale_id,
      payment_id: on.id,
      amount_paise: Number(paise(body.amount)),
      currency: 'INR',
    }),
    links: ({ call, body }) => ({ sale: saleNamed(call, body.sale_id) }),
    counts: 'on',
    effect: ({ flow }, { sale }) => sale && flow.touch(sale),
    dues: ({ flow, body }) => flow.sales().filter(({ id }) => id === body.sale_id),
    news: 'payment.allocated',
  }),
  command({
    op: payments.operations.requestRefund,
    check: ({ flow, on, body }) => {
      const asked = paise(body.amount);
      const there = sum(refundParts(flow, on, asked, 'asked').values());
      const what = `The amount exceeds the refundable INR ${rupees(there)}. The rest is already requested back, or pays for a delivered vehicle.`;
      ensureFits(asked <= there, 'amount', what);
    },
    to: 'pending',
    links: ({ flow, on, body }) => ({ parts: refundParts(flow, on, paise(body.amount), 'asked') }),
    counts: 'on',
    news: 'refund.requested',
  }),
  command({
    op: refundRequests.operations.decide,
    yes: 'approved',
    from: 'pending',
    check: ({ flow, on, sale }) => {
      const parts = partsNow(flow, on);
      // The source sale and every credited sale can freeze the refund.
      const about = new Set([sale, ...salesLosing({ ...on, parts })]);
      for (const each of about) mustNotBeFrozen(flow, each, 'refund');
      const isThere = sum(parts.values()) >= amountOf(on);
      ensure(isThere, 'The requested money pays for a delivered vehicle and cannot be refunded.');
      on.parts = parts;
    },
    effect: ({ flow, on, sale }) => {
      const { owner, from } = on;
      const amount_paise = Number(amountOf(on));
      const ids = { request_id: on.id, payment_id: from?.id ?? null };
      const data = { ...ids, amount_paise, currency: 'INR', execution: 'pending' };
      const refund = flow.make('refund', 'approved_pending_execution', { owner, data, from: on, sale });
      on.data['refund_id'] = refund.id;
      countRefund(flow, on);
    },
    otherwise: ({ flow, on }) => {
      on.data['refund_id'] = null;
      if (on.from !== undefined) flow.touch(on.from);
    },
    dues: ({ flow, on }) => salesLosing({ ...on, parts: partsNow(flow, on) }),
    news: 'refund.*',
  }),
];

/** Sources of a refund at decision time: the planned ones first, then replacements. */
function partsNow(flow: Flow, request: Rec): RefundParts {
  const { from: payment, parts = new Map<Rec, bigint>() } = request;
  if (payment === undefined) return parts;
  return refundParts(flow, payment, amountOf(request), 'decided', [...parts.keys()]);
}

/** Creates a pending refund request for parts of a payment. */
export function askBack(world: World, payment: Rec, parts: RefundParts, reason: string): void {
  const { owner, sale } = payment;
  const data = { amount: rupees(sum(parts.values())), reason };
  const links = { owner, data, from: payment, parts, sale };
  const request = world.flow.make('refund_request', 'pending', links);
  touchSource(world, payment);
  announce(world, 'refund.requested', request);
}

/** Counts a change of the payment and of the sales that lose or regain credits. */
function countRefund(flow: Flow, request: Rec): void {
  if (request.from !== undefined) flow.touch(request.from);
  for (const sale of salesLosing(request)) flow.touch(sale);
}

/** Moves a refund to a state. A failed refund returns the money to its sources. */
export function moveRefund(world: World, refund: Rec, state: 'processing' | 'succeeded' | 'failed'): void {
  const { from: request } = refund;
  if (request === undefined) throw new Error(`refund ${refund.id} has no request`);
  watchingDues(world, salesLosing(request), () => {
    refund.state = state;
    refund.data['execution'] = state === 'succeeded' ? 'done' : state;
    world.flow.touch(refund);
    if (state === 'failed') countRefund(world.flow, request);
    announce(world, `refund.${state}`, refund);
  });
}
