import { ApiError } from '../errors/api.js';
import type {
  BankPaymentReports as BankReportCalls,
  PartnerPaymentReports as PartnerReportCalls,
  PaymentReportRecord,
} from '../generated/payment-reports.js';
import type { RefundRecord } from '../generated/refunds.js';
import { Refunds as RefundCalls } from '../generated/refunds.js';
import type {
  BankSaleCases as BankSaleCalls,
  PartnerSaleCases as PartnerSaleCalls,
  PaymentDues,
  SaleRecord,
  TransferStatus,
} from '../generated/sale-cases.js';
import { toPaise } from '../money/paise.js';
import type { Caller, CallOptions } from '../ports/caller.js';
import type { Pace } from './pace.js';
import { type ActiveOffer, readOffer } from './readers.js';
import { byState, type Waiting, type WaitOptions, type WaitStatus, wait } from './wait.js';

/** A record, or its id. */
export type RecordOrId = string | { readonly id: string };

/** Limits of a wait for the answer to an offer, and the offer. */
export interface OfferWaitOptions extends WaitOptions {
  /** The offer or its id; defaults to the offer of the sale at the first read. */
  readonly offer?: RecordOrId | undefined;
}

/** Waits for changes of sales. They read in the `poll` lane, and less often while nothing changes. */
export interface SaleWaits {
  /**
   * Waits until the bank has approved the sale.
   *
   * The API only documents the state `approved`, so the wait continues while the sale stays in the state of the first read.
   * `rejected`, `cancelled` and any other state end the wait.
   *
   * API: A21, scope `sales:read`.
   * @throws WaitError with `reason` `deadline`, `ended` or `unknown_state`.
   */
  waitUntilApproved(sale: RecordOrId, options?: WaitOptions): Promise<SaleRecord>;
  /**
   * Waits until the sale is paid: `remaining` of the dues is zero, counting verified credits only.
   *
   * Nothing is due before the approval: while `due_amount` is zero, this also reads the sale until it is `approved`, as
   * `waitUntilApproved` does; then whenever `resource_version` of the dues changes. `rejected` and `cancelled` end the wait.
   *
   * API: A34, A21; scopes `payments:read`, `sales:read`.
   * @throws WaitError with `reason` `deadline`, `ended` or `unknown_state`; its `value` is the latest dues.
   */
  waitUntilPaid(sale: RecordOrId, options?: WaitOptions): Promise<PaymentDues>;
  /**
   * Waits until the transfer of ownership is `completed`. `rejected` and undocumented states end the wait.
   *
   * API: A58, scope `transfer:read`.
   * @throws WaitError with `reason` `deadline`, `ended` or `unknown_state`.
   */
  waitUntilTransferred(sale: RecordOrId, options?: WaitOptions): Promise<TransferStatus>;
  /**
   * Waits until an offer is accepted or declined. The API can't read a single offer, so this reads its sale. If the sale no
   * longer has the offer, the wait ends.
   *
   * API: A21, scope `sales:read`.
   * @returns the answered offer; read its `state`.
   * @throws WaitError with `reason` `deadline`, `ended` or `unknown_state`.
   */
  waitUntilOfferAnswered(sale: RecordOrId, options?: OfferWaitOptions): Promise<ActiveOffer>;
}

/** Sales, as a partner sees them. */
export type PartnerSaleCases = PartnerSaleCalls & SaleWaits;

/** Sales, as a bank sees them. */
export type BankSaleCases = BankSaleCalls & SaleWaits;

/** Adds the waits about sales to the calls of an actor. */
export function withSaleWaits<Calls extends SaleReads>(calls: Calls, pace: Pace): Calls & SaleWaits {
  const waits: SaleWaits = {
    waitUntilApproved: (sale, options) => wait(pace, approval(calls, sale), options),
    waitUntilPaid: (sale, options) => wait(pace, fullPayment(calls, sale), options),
    waitUntilTransferred: (sale, options) => wait(pace, transfer(calls, sale), options),
    waitUntilOfferAnswered: (sale, options) => untilAnswered(pace, calls, sale, options),
  };
  return Object.assign(calls, waits);
}

/** Waits for changes of payment reports. */
export interface PaymentReportWaits {
  /**
   * Waits until the bank has verified a reported payment. Any state other than `reported_pending_verification` and
   * `verified` ends the wait, because it is undocumented.
   *
   * API: A37, scope `payments:read`.
   * @throws WaitError with `reason` `deadline` or `unknown_state`.
   */
  waitUntilVerified(report: RecordOrId, options?: WaitOptions): Promise<PaymentReportRecord>;
}

/** Reports of payments, as a partner makes them. */
export type PartnerPaymentReports = PartnerReportCalls & PaymentReportWaits;

/** Reports of payments, as a bank decides on them. */
export type BankPaymentReports = BankReportCalls & PaymentReportWaits;

/** Adds the waits about reports of payments to the calls of an actor. */
export function withReportWaits<Calls extends ReportReads>(
  calls: Calls,
  pace: Pace,
): Calls & PaymentReportWaits {
  const waits: PaymentReportWaits = {
    waitUntilVerified: (report, options) => wait(pace, verification(calls, report), options),
  };
  return Object.assign(calls, waits);
}

/** Refunds: read them, wait for them. `refundRequests.decide` creates them. */
export class Refunds extends RefundCalls {
  readonly #pace: Pace;

  /** @internal */
  constructor(call: Caller, pace: Pace) {
    super(call);
    this.#pace = pace;
  }

  /**
   * Waits until a refund has `succeeded`. `failed` and undocumented states end the wait.
   *
   * API: A49, scope `refunds:read`.
   * @throws WaitError with `reason` `deadline`, `ended` or `unknown_state`.
   */
  waitUntilCompleted(refund: RecordOrId, options?: WaitOptions): Promise<RefundRecord> {
    const rule = {
      reached: ['succeeded'],
      before: ['requested', 'approved_pending_execution', 'processing'],
      ended: ['failed'],
    };
    const read = (limits: CallOptions) => this.get(idOf(refund), limits);
    return wait(this.#pace, { call: 'refunds.waitUntilCompleted', read, judge: byState(rule) }, options);
  }
}

/** The reads that the waits about sales need. */
interface SaleReads {
  get(sale: string, options: CallOptions): Promise<SaleRecord>;
  paymentDues(sale: string, options: CallOptions): Promise<PaymentDues>;
  transferStatus(sale: string, options: CallOptions): Promise<TransferStatus>;
}

/** The state before the decision is undocumented (unknowns: `sale-states`). */
const approvalRule = { reached: ['approved'], ended: ['rejected', 'cancelled'] };

function approval(sales: SaleReads, sale: RecordOrId): Waiting<SaleRecord> {
  return {
    call: 'saleCases.waitUntilApproved',
    read: (limits) => sales.get(idOf(sale), limits),
    judge: byState(approvalRule),
  };
}

function fullPayment(sales: SaleReads, sale: RecordOrId): Waiting<PaymentDues> {
  const isApproved = byState(approvalRule);
  let version: number | undefined;
  let state: string | undefined;
  return {
    call: 'saleCases.waitUntilPaid',
    read: async (limits) => {
      const dues = await sales.paymentDues(idOf(sale), limits);
      // While something is due, only a change of the sale can end the wait.
      const isDue = toPaise(dues.due_amount) > 0n;
      if (!isDue || dues.resource_version !== version) state = await stateOf(limits, isDue);
      version = dues.resource_version;
      return dues;
    },
    judge: ({ due_amount, remaining, state: ofDues }) => {
      const isDue = toPaise(due_amount) > 0n;
      const isPaid = toPaise(remaining) <= 0n;
      if (isDue && isPaid) return 'reached';
      const ended = [ofDues, state].find((each) => each === 'rejected' || each === 'cancelled');
      if (ended !== undefined) {
        return { reason: 'ended', what: `Nothing more is to be paid, because the sale is "${ended}".` };
      }
      return isDue || state === undefined ? 'waiting' : isApproved({ state });
    },
  };

  async function stateOf(limits: CallOptions, isDue: boolean): Promise<string | undefined> {
    try {
      return (await sales.get(idOf(sale), limits)).state;
    } catch (error) {
      // Without the scope for sales, what is due still shows the payment.
      if (isDue && error instanceof ApiError && error.status === 403) return undefined;
      throw error;
    }
  }
}

function transfer(sales: SaleReads, sale: RecordOrId): Waiting<TransferStatus> {
  // The spelling of pending documents is undocumented (unknowns: `transfer-states`).
  const before = ['not_started', 'submitted', 'pending_documents', 'pending-documents'];
  return {
    call: 'saleCases.waitUntilTransferred',
    read: (limits) => sales.transferStatus(idOf(sale), limits),
    judge: byState({ reached: ['completed'], before, ended: ['rejected'] }),
  };
}

/** The read that the waits about reports of payments need. */
interface ReportReads {
  get(report: string, options: CallOptions): Promise<PaymentReportRecord>;
}

function verification(reports: ReportReads, report: RecordOrId): Waiting<PaymentReportRecord> {
  return {
    call: 'paymentReports.waitUntilVerified',
    read: (limits) => reports.get(idOf(report), limits),
    judge: byState({ reached: ['verified'], before: ['reported_pending_verification'] }),
  };
}

async function untilAnswered(
  pace: Pace,
  sales: SaleReads,
  sale: RecordOrId,
  { offer, ...options }: OfferWaitOptions = {},
): Promise<ActiveOffer> {
  let awaited = offer === undefined ? undefined : idOf(offer);
  let answered: ActiveOffer | undefined;
  const judge = (record: SaleRecord): WaitStatus => {
    const found = readOffer(record);
    if (
      found === undefined ||
      (awaited !== undefined && found.data.id !== undefined && found.data.id !== awaited)
    ) {
      const what = `The sale (state "${record.state}") no longer has this offer: it was answered, superseded or expired.`;
      return { reason: 'ended', what };
    }
    if (!found.complete) {
      const what = `The offer lacks ${found.missing.join(', ')}, so its state is unknown.`;
      return { reason: 'unknown_state', what };
    }
    awaited ??= found.data.id;
    answered = found.data;
    const { state } = found.data;
    if (state === 'accepted' || state === 'declined') return 'reached';
    if (state === 'open') return 'waiting';
    return { reason: 'unknown_state', what: `The offer became "${state}"; the API doesn't describe it.` };
  };
  const read = (limits: CallOptions) => sales.get(idOf(sale), limits);
  await wait(pace, { call: 'saleCases.waitUntilOfferAnswered', read, judge }, options);
  if (answered === undefined) throw new Error('A wait was reached without a reading');
  return answered;
}

export function idOf(record: RecordOrId): string {
  return typeof record === 'string' ? record : record.id;
}
