// Generated from src/api by `npm run generate`; edits are lost.

import type { PartnerType } from '../api/operation.js';
import type { Caller } from '../ports/caller.js';
import { BidCancellations } from './bid-cancellations.js';
import { PartnerBids } from './bids.js';
import { Disputes } from './disputes.js';
import { Documents } from './documents.js';
import { Eligibility } from './eligibility.js';
import { Events } from './events.js';
import { Integration } from './integration.js';
import { PartnerLots } from './lots.js';
import { PartnerNotifications } from './notifications.js';
import { Offers } from './offers.js';
import { PartnerPaymentReports } from './payment-reports.js';
import { Payments } from './payments.js';
import { Refunds } from './refunds.js';
import { Releases } from './releases.js';
import { Results } from './results.js';
import { PartnerSaleCases } from './sale-cases.js';
import { Vehicles } from './vehicles.js';
import { WebhookSubscriptions } from './webhook-subscriptions.js';
import { WinnerUpdates } from './winner-updates.js';
/** What partner credentials may call. */
export abstract class PartnerResources<P extends PartnerType = PartnerType> {
  /** Who the credentials are and what the deployment can do. */
  readonly integration: Integration;
  /** Whether a bid could be taken, as a diagnosis. */
  readonly eligibility: Eligibility;
  /** Auction events and the lots in them. */
  readonly events: Events;
  /** Lots across all permitted auctions, and their status. */
  readonly lots: PartnerLots;
  /** Published vehicles, by public lot id. */
  readonly vehicles: Vehicles;
  /** Lots of closed auctions. */
  readonly results: Results;
  /** Bids: submit, list, read, look up by idempotency key, ask for cancellation. */
  readonly bids: PartnerBids<P>;
  /** Requests to cancel bids: list, decide. `bids.requestCancellation` makes them. */
  readonly bidCancellations: BidCancellations;
  /** Sale decisions that the bank has committed, read by cursor. */
  readonly winnerUpdates: WinnerUpdates;
  /** Sales, from the award of a lot to the transfer of ownership. */
  readonly saleCases: PartnerSaleCases;
  /** Negotiated offers: answer them. `saleCases.offer` makes them. */
  readonly offers: Offers;
  /** Reports of payments made: create, read, decide. */
  readonly paymentReports: PartnerPaymentReports;
  /** Payments: read, allocate to a sale, ask for a refund. */
  readonly payments: Payments;
  /** Refunds: read them. `refundRequests.decide` creates them. */
  readonly refunds: Refunds;
  /** Disputes about sales: raise, read. */
  readonly disputes: Disputes;
  /**
   * Release authorisations: read, revoke, confirm the collection. `saleCases.authorizeRelease` makes them.
   */
  readonly releases: Releases;
  /** Evidence documents: upload, follow the scan, download. */
  readonly documents: Documents;
  /** The durable inbox of workflow messages, and acknowledging them. */
  readonly notifications: PartnerNotifications;
  /** Subscriptions to webhook deliveries. */
  readonly webhookSubscriptions: WebhookSubscriptions;

  /** @internal */
  constructor(call: Caller) {
    this.integration = new Integration(call);
    this.eligibility = new Eligibility(call);
    this.events = new Events(call);
    this.lots = new PartnerLots(call);
    this.vehicles = new Vehicles(call);
    this.results = new Results(call);
    this.bids = new PartnerBids(call);
    this.bidCancellations = new BidCancellations(call);
    this.winnerUpdates = new WinnerUpdates(call);
    this.saleCases = new PartnerSaleCases(call);
    this.offers = new Offers(call);
    this.paymentReports = new PartnerPaymentReports(call);
    this.payments = new Payments(call);
    this.refunds = new Refunds(call);
    this.disputes = new Disputes(call);
    this.releases = new Releases(call);
    this.documents = new Documents(call);
    this.notifications = new PartnerNotifications(call);
    this.webhookSubscriptions = new WebhookSubscriptions(call);
  }
}
