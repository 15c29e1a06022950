// Generated from src/api by `npm run generate`; edits are lost.

import type { Caller } from '../ports/caller.js';
import { BankReceipts } from './bank-receipts.js';
import { BankBidCancellations } from './bid-cancellations.js';
import { Bids } from './bids.js';
import { Disputes } from './disputes.js';
import { Documents } from './documents.js';
import { Events } from './events.js';
import { Integration } from './integration.js';
import { Inventory } from './inventory.js';
import { Lots } from './lots.js';
import { Notifications } from './notifications.js';
import { BankPaymentReports } from './payment-reports.js';
import { BankPayments } from './payments.js';
import { RefundRequests } from './refund-requests.js';
import { Refunds } from './refunds.js';
import { BankReleases } from './releases.js';
import { Results } from './results.js';
import { SaleCancellations } from './sale-cancellations.js';
import { BankSaleCases } from './sale-cases.js';
import { Vehicles } from './vehicles.js';
import { WebhookSubscriptions } from './webhook-subscriptions.js';
import { WinnerUpdates } from './winner-updates.js';
/** What bank-service credentials may call. */
export abstract class BankResources {
  /** Who the credentials are and what the deployment can do. */
  readonly integration: Integration;
  /** Auction events and the lots in them. */
  readonly events: Events;
  /** Lots across all permitted auctions, and their status. */
  readonly lots: Lots;
  /** Published vehicles, by public lot id. */
  readonly vehicles: Vehicles;
  /** Lots of closed auctions. */
  readonly results: Results;
  /** Bids: submit, list, read, look up by idempotency key, ask for cancellation. */
  readonly bids: Bids;
  /** Requests to cancel bids: list, decide. `bids.requestCancellation` makes them. */
  readonly bidCancellations: BankBidCancellations;
  /** Sale decisions that the bank has committed, read by cursor. */
  readonly winnerUpdates: WinnerUpdates;
  /** Sales, from the award of a lot to the transfer of ownership. */
  readonly saleCases: BankSaleCases;
  /** Requests to cancel sales: decide them. `saleCases.requestCancellation` makes them. */
  readonly saleCancellations: SaleCancellations;
  /** Reports of payments made: create, read, decide. */
  readonly paymentReports: BankPaymentReports;
  /** Payments: read, allocate to a sale, ask for a refund. */
  readonly payments: BankPayments;
  /** Money that arrived at the bank: import its entries. */
  readonly bankReceipts: BankReceipts;
  /** Requests for refunds: decide them. `payments.requestRefund` makes them. */
  readonly refundRequests: RefundRequests;
  /** Refunds: read them. `refundRequests.decide` creates them. */
  readonly refunds: Refunds;
  /** Disputes about sales: raise, read. */
  readonly disputes: Disputes;
  /**
   * Release authorisations: read, revoke, confirm the collection. `saleCases.authorizeRelease` makes them.
   */
  readonly releases: BankReleases;
  /** The bank's private vehicle inventory: create, update, and the schemas that it follows. */
  readonly inventory: Inventory;
  /** Evidence documents: upload, follow the scan, download. */
  readonly documents: Documents;
  /** The durable inbox of workflow messages, and acknowledging them. */
  readonly notifications: Notifications;
  /** Subscriptions to webhook deliveries. */
  readonly webhookSubscriptions: WebhookSubscriptions;

  /** @internal */
  constructor(call: Caller) {
    this.integration = new Integration(call);
    this.events = new Events(call);
    this.lots = new Lots(call);
    this.vehicles = new Vehicles(call);
    this.results = new Results(call);
    this.bids = new Bids(call);
    this.bidCancellations = new BankBidCancellations(call);
    this.winnerUpdates = new WinnerUpdates(call);
    this.saleCases = new BankSaleCases(call);
    this.saleCancellations = new SaleCancellations(call);
    this.paymentReports = new BankPaymentReports(call);
    this.payments = new BankPayments(call);
    this.bankReceipts = new BankReceipts(call);
    this.refundRequests = new RefundRequests(call);
    this.refunds = new Refunds(call);
    this.disputes = new Disputes(call);
    this.releases = new BankReleases(call);
    this.inventory = new Inventory(call);
    this.documents = new Documents(call);
    this.notifications = new Notifications(call);
    this.webhookSubscriptions = new WebhookSubscriptions(call);
  }
}
