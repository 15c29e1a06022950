import { Approvals } from '../approvals/approvals.js';
import { type Notifications, withInbox } from '../following/news.js';
import {
  type BankPaymentReports,
  type BankSaleCases,
  withReportWaits,
  withSaleWaits,
} from '../following/waiters.js';
import { BankReceipts } from '../generated/bank-receipts.js';
import { BankBidCancellations } from '../generated/bid-cancellations.js';
import { Bids } from '../generated/bids.js';
import { Lots } from '../generated/lots.js';
import { Notifications as NotificationCalls } from '../generated/notifications.js';
import { BankPaymentReports as PaymentReportCalls } from '../generated/payment-reports.js';
import { BankPayments } from '../generated/payments.js';
import { RefundRequests } from '../generated/refund-requests.js';
import { BankReleases } from '../generated/releases.js';
import { SaleCancellations } from '../generated/sale-cancellations.js';
import { BankSaleCases as SaleCaseCalls } from '../generated/sale-cases.js';
import type { CommandOutcome } from '../intents/commands.js';
import { Inventory } from '../inventory/inventory.js';
import { refuseOtherActor } from './actors.js';
import { Client } from './client.js';
import { Internals } from './internals.js';
import { suggestNames } from './nearest-name.js';
import { type BankClientOptions, checkClientOptions } from './options.js';
import { overridden } from './overridable.js';
import { bankIntents } from './recovery.js';

/**
 * The service as a bank's own backend sees it, with bank-service credentials. There is no bidding on it.
 * One client per set of credentials; it is safe to share between concurrent requests.
 */
export class BankClient extends Client<BankClient, CommandOutcome> {
  /** Lots across all permitted auctions, and their status. */
  readonly lots: Lots;
  /** Bids: list, read. */
  readonly bids: Bids;
  /** Requests to cancel bids: list, decide. */
  readonly bidCancellations: BankBidCancellations;
  /** Sales, from the award of a lot to the transfer of its ownership. */
  readonly saleCases: BankSaleCases;
  /** Requests to cancel sales: decide them. `saleCases.requestCancellation` makes them. */
  readonly saleCancellations: SaleCancellations;
  /** Reports of payments: decide on them, read them, wait for them. */
  readonly paymentReports: BankPaymentReports;
  /** Payments: read, allocate to a sale, ask for a refund. */
  readonly payments: BankPayments;
  /** Money that arrived at the bank: import its entries. */
  readonly bankReceipts: BankReceipts;
  /** Requests for refunds: decide them. `payments.requestRefund` makes them. */
  readonly refundRequests: RefundRequests;
  /** Release authorisations: read, revoke, confirm the collection. `saleCases.authorizeRelease` makes them. */
  readonly releases: BankReleases;
  /** The bank's private vehicle inventory: create, import, update, and the schemas that it follows. */
  readonly inventory: Inventory;
  /** The inbox of workflow messages: list it, follow it. */
  readonly notifications: Notifications;
  /** Decides sales by a policy of yours: on fresh facts, once, and audited. */
  readonly approvals: Approvals;

  /**
   * The service as a bank's own backend sees it. Options that are left out and have a variable are read from the
   * environment.
   *
   * @throws ConfigurationError for options that can't work, naming the option.
   */
  constructor(options: BankClientOptions) {
    checkClientOptions(options);
    const internals = Internals.of(options, { fill: {}, partnerType: undefined });
    const given = { ...options };
    super(internals, {
      name: 'BankClient',
      intents: bankIntents(internals),
      expected: { actor: 'bank', environment: options.environment, scopes: ['integration:read'] },
      shown: {},
      derive: (overrides) => new BankClient(internals.derive(overridden(given, overrides))),
    });
    const { call, pace, cursors } = internals;
    this.lots = new Lots(call);
    this.bids = new Bids(call);
    this.bidCancellations = new BankBidCancellations(call);
    this.saleCases = withSaleWaits(new SaleCaseCalls(call), pace);
    this.saleCancellations = new SaleCancellations(call);
    this.paymentReports = withReportWaits(new PaymentReportCalls(call), pace);
    this.payments = new BankPayments(call);
    this.bankReceipts = new BankReceipts(call);
    this.refundRequests = new RefundRequests(call);
    this.releases = new BankReleases(call);
    this.inventory = new Inventory(call, {
      once: (parts, run) =>
        // A person has confirmed that it does not exist.
        internals.runOnce(parts, run, { mayFollow: ({ status }) => status.state === 'abandoned' }),
      during: pace.during,
      closing: pace.closing,
      warn: pace.warn,
    });
    this.notifications = withInbox(new NotificationCalls(call), pace, cursors);
    this.approvals = new Approvals(internals.approvals(this.saleCases));
    refuseOtherActor(this, 'bank');
    suggestNames(this);
  }
}
