import { bankReceipts } from '../../api/bank-receipts.js';
import { paymentReports } from '../../api/payment-reports.js';
import { payments } from '../../api/payments.js';
import { refundRequests } from '../../api/refund-requests.js';
import type { Answered } from '../http/call.js';
import { paise, rupees } from '../money.js';
import type { World } from '../world.js';
import { type Command, command, mustBeApproved, mustNotBeHeld, saleNamed, touchSource } from './engine.js';
import { refundable, refundParts, salesLosing, unallocated } from './funds.js';
import { announce, watchingDues } from './news.js';
import { amountOf, conflict, type Data, type Rec, type RefundParts, sum, unfit } from './records.js';

/** What partners say they paid, what arrived, what it is credited to, and what goes back. */
export const paymentCommands: readonly Answered[] = [
  command({
    op: paymentReports.operations.create,
    approved: 'now',
    held: 'payment_report',
    past: 'paid_at',
    check: ({ flow, sale, body }) => {
      if (body.method !== 'bank_transfer') {
        throw unfit('method', 'This sandbox knows the method bank_transfer only.');
      }
      const twin = flow
        .of('payment_report', sale)
        .some(({ state, data }) => data['utr'] === body.utr && state !== 'rejected');
      if (twin) throw conflict('The payment with this utr was reported for the sale already.');
    },
    makes: 'payment_report',
    to: 'reported_pending_verification',
    news: 'payment.reported',
    words: ({ sale }, { data }) =>
      `reports INR ${String(data['amount'])} for sale ${sale.id}; the bank has yet to verify it`,
  }),
  command({
    op: paymentReports.operations.decide,
    yes: 'verified',
    from: 'reported_pending_verification',
    needs: ['bank_receipt_id', 'bank_account_reference', 'received_amount', 'currency'],
    check: mustShowTransfer,
    two: true,
    news: 'payment.*',
    words: (_, { data }) => `is verified by the bank: INR ${String(data['received_amount'])} arrived`,
  }),
  command({
    op: bankReceipts.operations.import,
    known: importedBefore,
    approved: 'once',
    makes: 'bank_receipt',
    to: 'verified',
    effect: ({ flow, sale }, receipt) => {
      const { amount, currency } = receipt.data;
      const data = { sale_id: sale.id, amount, currency, settlement_state: 'bank_received' };
      flow.make('payment', 'succeeded', { owner: receipt.owner, data, sale, from: receipt });
    },
  }),
  command({
    op: payments.operations.allocate,
    check: ({ flow, call, on, sale: from, body }) => {
      const to = saleNamed(call, body.sale_id);
      mustBeApproved(to);
      // Money is held with the sale that it came for, too.
      for (const each of new Set([from, to])) mustNotBeHeld(flow, each, 'allocation');
      const isOfItsBuyer =
        to.owner.partnerId === from.owner.partnerId && to.bid.bidderReference === from.bid.bidderReference;
      if (!isOfItsBuyer) throw unfit('sale_id', 'The payment is of another buyer than the sale.');
      const left = unallocated(flow, on);
      if (paise(body.amount) > left)
        throw unfit('amount', `Only INR ${rupees(left)} of the payment are free.`);
    },
    makes: 'allocation',
    to: 'allocated',
    data: ({ on, body }) => ({
      sale_id: body.sale_id,
      amount: rupees(paise(body.amount)),
      payment_id: on.id,
      amount_paise: Number(paise(body.amount)),
      currency: 'INR',
    }),
    links: ({ call, body }) => ({ sale: saleNamed(call, body.sale_id) }),
    counts: 'on',
    effect: ({ flow }, { sale }) => sale && flow.touch(sale),
    dues: ({ flow, body }) => flow.sales().filter(({ id }) => id === body.sale_id),
    news: 'payment.allocated',
    words: (_, { data }) => `credits INR ${String(data['amount'])} to sale ${String(data['sale_id'])}`,
  }),
  command({
    op: payments.operations.requestRefund,
    check: ({ flow, on, body }) => {
      const asked = paise(body.amount);
      const left = refundable(flow, on);
      if (asked > left) {
        throw unfit('amount', `Only INR ${rupees(left)} of the payment are not refunded or asked back yet.`);
      }
      const there = sum(refundParts(flow, on, asked, 'by requests').values());
      if (asked > there) {
        throw unfit('amount', `Only INR ${rupees(there)} can go back: the rest pays for a sale that stands.`);
      }
    },
    makes: 'refund_request',
    to: 'pending',
    links: ({ flow, on, body }) => ({ parts: refundParts(flow, on, paise(body.amount), 'by requests') }),
    counts: 'on',
    news: 'refund.requested',
    words: (_, { data }) => `asks for INR ${String(data['amount'])} back`,
  }),
  command({
    op: refundRequests.operations.decide,
    yes: 'approved',
    from: 'pending',
    check: ({ flow, on, sale }) => {
      const parts = partsNow(flow, on);
      // Money is of the sale that it came for, and of those that it is credited to.
      const about = new Set([sale, ...salesLosing({ ...on, parts })]);
      for (const each of about) mustNotBeHeld(flow, each, 'refund');
      if (sum(parts.values()) < amountOf(on)) {
        throw conflict('The money that was asked back pays for a vehicle that is delivered.');
      }
      on.parts = parts;
    },
    effect: ({ world, flow, on, sale }) => {
      const { owner, data } = on;
      const made = {
        request_id: on.id,
        payment_id: on.from?.id ?? null,
        amount_paise: Number(amountOf(on)),
        currency: 'INR',
        execution: 'pending',
      };
      const links = { owner, data: made, from: on, sale };
      data['refund_id'] = flow.make('refund', 'approved_pending_execution', links).id;
      countRefund(world, on);
    },
    otherwise: ({ flow, on }) => {
      on.data['refund_id'] = null;
      if (on.from !== undefined) flow.touch(on.from);
    },
    dues: ({ flow, on }) => salesLosing({ ...on, parts: partsNow(flow, on) }),
    news: 'refund.*',
    words: (_, { data }) => `is approved: refund ${String(data['refund_id'])} is to be carried out`,
  }),
];

/** The bank receipt that is named in full and shows the reported transfer: one receipt verifies one report. */
function mustShowTransfer({
  flow,
  on,
  sale,
  body,
}: Command<{
  readonly bank_receipt_id?: string | undefined;
  readonly bank_account_reference?: string | undefined;
  readonly received_amount?: string | undefined;
}>): void {
  const receipt = flow.get('bank_receipt', body.bank_receipt_id);
  if (receipt === undefined || receipt.sale !== sale) {
    throw unfit('bank_receipt_id', 'This is not a bank receipt of the sale.');
  }
  const { data } = receipt;
  const isUsed = flow
    .of('payment_report', sale)
    .some((each) => each.state === 'verified' && each.data['bank_receipt_id'] === receipt.id);
  if (isUsed) throw unfit('bank_receipt_id', 'Another report was verified against this bank receipt.');
  if (![data['utr'], data['external_transaction_id']].includes(on.data['utr'])) {
    throw unfit('bank_receipt_id', 'The bank receipt shows another transfer than the reported one.');
  }
  if (body.bank_account_reference !== data['bank_account_reference']) {
    throw unfit('bank_account_reference', 'The bank receipt shows another account.');
  }
  if (paise(body.received_amount ?? '0') !== amountOf(receipt)) {
    throw unfit('received_amount', 'The bank receipt shows another amount.');
  }
}

/**
 * The receipt that an equal entry made. Within an account, the bank's own id and the UTR each name one transfer: an entry
 * that shares either and differs in anything is refused.
 */
function importedBefore({ flow, call, body }: Command<Data & { readonly amount: string }>): Rec | undefined {
  const { idempotency_key: _, ...given } = body;
  const entry: Data = { evidence_id: null, ...given, amount: rupees(paise(body.amount)) };
  const known = flow
    .of('bank_receipt')
    .find(
      ({ owner, data }) =>
        owner.bankId === call.party.bankId &&
        data['bank_account_reference'] === entry['bank_account_reference'] &&
        (data['external_transaction_id'] === entry['external_transaction_id'] ||
          data['utr'] === entry['utr']),
    );
  if (known === undefined || Object.keys(entry).every((name) => entry[name] === known.data[name]))
    return known;
  throw conflict(
    'An entry of this account with the same external_transaction_id or utr was imported with other content.',
  );
}

/** Where the money of a request comes from at its decision: as planned, or what took its place since. */
function partsNow(flow: World['flow'], { from: payment, data, parts = new Map() }: Rec): RefundParts {
  if (payment === undefined) return parts;
  return refundParts(flow, payment, paise(String(data['amount'])), 'by refunds', [...parts.keys()]);
}

/** Asks for a refund of these parts of a payment; nothing is paid back yet. */
export function askBack(world: World, payment: Rec, parts: RefundParts, reason: string): void {
  const { flow } = world;
  const data = { amount: rupees(sum(parts.values())), reason };
  const links = {
    owner: payment.owner,
    data,
    from: payment,
    parts,
    ...(payment.sale && { sale: payment.sale }),
  };
  const request = flow.make('refund_request', 'pending', links);
  touchSource(world, payment);
  announce(world, 'refund.requested', request, `asks for INR ${data.amount} back`);
}

/** The money of a payment has moved, and with it the credits of sales. */
function countRefund({ flow }: World, request: Rec): void {
  if (request.from !== undefined) flow.touch(request.from);
  for (const sale of salesLosing(request)) flow.touch(sale);
}

/** Moves a refund on; one that fails gives its money back to where it was taken from. */
export function moveRefund(world: World, refund: Rec, state: 'processing' | 'succeeded' | 'failed'): void {
  const { from: request } = refund;
  if (request === undefined) throw new Error(`refund ${refund.id} has no request`);
  watchingDues(world, salesLosing(request), () => {
    refund.state = state;
    refund.data['execution'] = state === 'succeeded' ? 'done' : state;
    world.flow.touch(refund);
    if (state === 'failed') countRefund(world, request);
    announce(
      world,
      `refund.${state}`,
      refund,
      `of INR ${String(request.data['amount'])} ${refundWords[state]}`,
    );
  });
}

const refundWords = {
  processing: 'is on its way',
  succeeded: 'is carried out',
  failed: 'has failed: its money is back where it was',
} as const;
