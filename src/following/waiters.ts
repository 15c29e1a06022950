import type { Caller, CallOptions } from '../core/caller.js';
import type { PaymentReportRecord } from '../models/payment-reports.js';
import type { RefundRecord } from '../models/refunds.js';
import type { PaymentDues, SaleRecord, TransferStatus } from '../models/sale-cases.js';
import { toPaise } from '../money/paise.js';
import {
  BankPaymentReports as BankReportCalls,
  PartnerPaymentReports as PartnerReportCalls,
} from '../resources/payment-reports.js';
import { Refunds as RefundCalls } from '../resources/refunds.js';
import {
  BankSaleCases as BankSaleCalls,
  PartnerSaleCases as PartnerSaleCalls,
} from '../resources/sale-cases.js';
import type { Pace } from './pace.js';
import { type ActiveOffer, readOffer } from './readers.js';
import { byState, type Verdict, type WaitOptions, wait } from './wait.js';

/** A record as it was read, or its id. */
export type RecordOrId = string | { readonly id: string };

/** Waits about sales. All read in the `poll` lane, and less often while nothing changes. */
export interface SaleWaits {
  /**
   * Waits until the bank has approved the sale.
   *
   * The API names no state but `approved`: a sale is waited for while it stays in the state of the first read. `rejected`
   * and `cancelled` end the wait, and so does any other state.
   *
   * API: A21, scope `sales:read`.
   * @throws WaitError with `reason` `deadline`, `ended` or `unknown_state`.
   */
  waitUntilApproved(sale: RecordOrId, options?: WaitOptions): Promise<SaleRecord>;
  /**
   * Waits until nothing is left to pay: `remaining` of the dues is zero, counting verified credits only.
   *
   * API: A34, scope `payments:read`.
   * @throws WaitError with `reason` `deadline`; its `value` is the latest dues.
   */
  waitUntilPaid(sale: RecordOrId, options?: WaitOptions): Promise<PaymentDues>;
  /**
   * Waits until the transfer of ownership is `completed`. `rejected` and states that the API does not name end the wait.
   *
   * API: A58, scope `transfer:read`.
   * @throws WaitError with `reason` `deadline`, `ended` or `unknown_state`.
   */
  waitUntilTransferred(sale: RecordOrId, options?: WaitOptions): Promise<TransferStatus>;
  /**
   * Waits until an offer is accepted or declined. The API has no read of an offer, so this reads the sale that holds it; an
   * offer that the sale no longer holds ends the wait.
   *
   * API: A21, scope `sales:read`.
   * @param offer The offer or its id; the sale's active offer when it is read first.
   * @returns the answered offer; its `state` says how.
   * @throws WaitError with `reason` `deadline`, `ended` or `unknown_state`.
   */
  waitUntilOfferAnswered(
    sale: RecordOrId,
    options?: WaitOptions & { readonly offer?: RecordOrId | undefined },
  ): Promise<ActiveOffer>;
}

/** Sales as a partner sees them: read, acknowledge, wait for what comes next. */
export class PartnerSaleCases extends PartnerSaleCalls implements SaleWaits {
  readonly #pace: Pace;

  /** @internal */
  constructor(call: Caller, pace: Pace) {
    super(call);
    this.#pace = pace;
  }

  waitUntilApproved(sale: RecordOrId, options?: WaitOptions): Promise<SaleRecord> {
    return untilApproved(this.#pace, this, sale, options);
  }

  waitUntilPaid(sale: RecordOrId, options?: WaitOptions): Promise<PaymentDues> {
    return untilPaid(this.#pace, this, sale, options);
  }

  waitUntilTransferred(sale: RecordOrId, options?: WaitOptions): Promise<TransferStatus> {
    return untilTransferred(this.#pace, this, sale, options);
  }

  waitUntilOfferAnswered(
    sale: RecordOrId,
    options?: WaitOptions & { readonly offer?: RecordOrId | undefined },
  ): Promise<ActiveOffer> {
    return untilAnswered(this.#pace, this, sale, options);
  }
}

/** Sales as a bank sees them: decide, offer, authorise releases, wait for what comes next. */
export class BankSaleCases extends BankSaleCalls implements SaleWaits {
  readonly #pace: Pace;

  /** @internal */
  constructor(call: Caller, pace: Pace) {
    super(call);
    this.#pace = pace;
  }

  waitUntilApproved(sale: RecordOrId, options?: WaitOptions): Promise<SaleRecord> {
    return untilApproved(this.#pace, this, sale, options);
  }

  waitUntilPaid(sale: RecordOrId, options?: WaitOptions): Promise<PaymentDues> {
    return untilPaid(this.#pace, this, sale, options);
  }

  waitUntilTransferred(sale: RecordOrId, options?: WaitOptions): Promise<TransferStatus> {
    return untilTransferred(this.#pace, this, sale, options);
  }

  waitUntilOfferAnswered(
    sale: RecordOrId,
    options?: WaitOptions & { readonly offer?: RecordOrId | undefined },
  ): Promise<ActiveOffer> {
    return untilAnswered(this.#pace, this, sale, options);
  }
}

/** Waits about reports of payments. */
export interface PaymentReportWaits {
  /**
   * Waits until the bank has verified a reported payment. Any state but `reported_pending_verification` and `verified`
   * ends the wait: the API names no other.
   *
   * API: A37, scope `payments:read`.
   * @throws WaitError with `reason` `deadline` or `unknown_state`.
   */
  waitUntilVerified(report: RecordOrId, options?: WaitOptions): Promise<PaymentReportRecord>;
}

/** Reports of payments, as a partner makes them. */
export class PartnerPaymentReports extends PartnerReportCalls implements PaymentReportWaits {
  readonly #pace: Pace;

  /** @internal */
  constructor(call: Caller, pace: Pace) {
    super(call);
    this.#pace = pace;
  }

  waitUntilVerified(report: RecordOrId, options?: WaitOptions): Promise<PaymentReportRecord> {
    return untilVerified(this.#pace, this, report, options);
  }
}

/** Reports of payments, as a bank decides on them. */
export class BankPaymentReports extends BankReportCalls implements PaymentReportWaits {
  readonly #pace: Pace;

  /** @internal */
  constructor(call: Caller, pace: Pace) {
    super(call);
    this.#pace = pace;
  }

  waitUntilVerified(report: RecordOrId, options?: WaitOptions): Promise<PaymentReportRecord> {
    return untilVerified(this.#pace, this, report, options);
  }
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
   * Waits until a refund has `succeeded`. `failed` ends the wait, and so does a state that the API does not name.
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
    return wait<RefundRecord>(
      this.#pace,
      {
        call: 'refunds.waitUntilCompleted',
        read: (limits) => this.get(idOf(refund), limits),
        judge: byState(rule),
      },
      options,
    );
  }
}

/** The reads that the waits about sales need. */
interface Sales {
  get(sale: string, options: CallOptions): Promise<SaleRecord>;
  paymentDues(sale: string, options: CallOptions): Promise<PaymentDues>;
  transferStatus(sale: string, options: CallOptions): Promise<TransferStatus>;
}

function untilApproved(
  pace: Pace,
  sales: Sales,
  sale: RecordOrId,
  options?: WaitOptions,
): Promise<SaleRecord> {
  const waiting = {
    call: 'saleCases.waitUntilApproved',
    read: (limits: CallOptions) => sales.get(idOf(sale), limits),
    // The state before the decision is undocumented (unknowns: `sale-states`).
    judge: byState({ reached: ['approved'], ended: ['rejected', 'cancelled'] }),
  };
  return wait<SaleRecord>(pace, waiting, options);
}

function untilPaid(pace: Pace, sales: Sales, sale: RecordOrId, options?: WaitOptions): Promise<PaymentDues> {
  const waiting = {
    call: 'saleCases.waitUntilPaid',
    read: (limits: CallOptions) => sales.paymentDues(idOf(sale), limits),
    judge: ({ remaining }: PaymentDues): Verdict => (toPaise(remaining) <= 0n ? 'reached' : 'waiting'),
  };
  return wait<PaymentDues>(pace, waiting, options);
}

function untilTransferred(
  pace: Pace,
  sales: Sales,
  sale: RecordOrId,
  options?: WaitOptions,
): Promise<TransferStatus> {
  // How the service spells pending documents is undocumented (unknowns: `transfer-states`).
  const before = ['not_started', 'submitted', 'pending_documents', 'pending-documents'];
  const waiting = {
    call: 'saleCases.waitUntilTransferred',
    read: (limits: CallOptions) => sales.transferStatus(idOf(sale), limits),
    judge: byState({ reached: ['completed'], before, ended: ['rejected'] }),
  };
  return wait<TransferStatus>(pace, waiting, options);
}

async function untilAnswered(
  pace: Pace,
  sales: Sales,
  sale: RecordOrId,
  { offer, ...options }: WaitOptions & { readonly offer?: RecordOrId | undefined } = {},
): Promise<ActiveOffer> {
  let awaited = offer === undefined ? undefined : idOf(offer);
  let answered: ActiveOffer | undefined;
  const judge = (record: SaleRecord): Verdict => {
    const found = readOffer(record);
    if (
      found === undefined ||
      (awaited !== undefined && found.data.id !== undefined && found.data.id !== awaited)
    ) {
      return {
        reason: 'ended',
        what: 'The sale no longer has this offer: it was declined, superseded or it lapsed.',
      };
    }
    if (!found.complete) {
      return {
        reason: 'unknown_state',
        what: `The offer lacks ${found.missing.join(', ')}, so its state is unknown.`,
      };
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

function untilVerified(
  pace: Pace,
  reports: { get(report: string, options: CallOptions): Promise<PaymentReportRecord> },
  report: RecordOrId,
  options?: WaitOptions,
): Promise<PaymentReportRecord> {
  const waiting = {
    call: 'paymentReports.waitUntilVerified',
    read: (limits: CallOptions) => reports.get(idOf(report), limits),
    judge: byState({
      reached: ['verified'],
      before: ['reported_pending_verification'],
    }),
  };
  return wait<PaymentReportRecord>(pace, waiting, options);
}

export function idOf(record: RecordOrId): string {
  return typeof record === 'string' ? record : record.id;
}
