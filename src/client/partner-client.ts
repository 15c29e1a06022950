import { formats } from '../api/formats.js';
import type { PartnerType } from '../api/operation.js';
import { PartnerBids } from '../bids/partner-bids.js';
import { standingsSource } from '../bids/standings.js';
import { ConfigurationError } from '../errors/local.js';
import { PartnerLots } from '../following/lots.js';
import { type PartnerNotifications, withInbox } from '../following/news.js';
import {
  type PartnerPaymentReports,
  type PartnerSaleCases,
  withReportWaits,
  withSaleWaits,
} from '../following/waiters.js';
import { BidCancellations } from '../generated/bid-cancellations.js';
import { Eligibility } from '../generated/eligibility.js';
import { PartnerNotifications as NotificationCalls } from '../generated/notifications.js';
import { Offers } from '../generated/offers.js';
import { PartnerPaymentReports as PaymentReportCalls } from '../generated/payment-reports.js';
import { Payments } from '../generated/payments.js';
import { Releases } from '../generated/releases.js';
import { PartnerSaleCases as SaleCaseCalls } from '../generated/sale-cases.js';
import { refuseOtherActor } from './actors.js';
import { Client } from './client.js';
import { fromEnvironment } from './environment.js';
import { Internals } from './internals.js';
import { suggestNames } from './nearest-name.js';
import { checkClientOptions, type PartnerClientOptions } from './options.js';
import { overridden } from './overridable.js';
import { type IntentOutcome, partnerIntents } from './recovery.js';

const partnerTypes: readonly PartnerType[] = ['direct_dealer', 'platform', 'aggregator'];

/**
 * The service as a partner of a bank sees it: direct dealers, and platforms or aggregators that act for buyers.
 * One client per set of credentials; it is safe to share between concurrent requests.
 */
export class PartnerClient<P extends PartnerType = PartnerType> extends Client<
  PartnerClient<P>,
  IntentOutcome
> {
  /** Diagnoses whether a bid could be accepted. */
  readonly eligibility: Eligibility;
  /** Lots across all permitted auctions: list them, read their status, follow them. */
  readonly lots: PartnerLots;
  /** Bids: place them safely, one or many; submit, list, read, look up, ask for cancellation. */
  readonly bids: PartnerBids<P>;
  /** Requests to cancel bids: list. `bids.requestCancellation` makes them. */
  readonly bidCancellations: BidCancellations;
  /** Sales, from the award of a lot to the transfer of its ownership. */
  readonly saleCases: PartnerSaleCases;
  /** Negotiated offers: answer them. */
  readonly offers: Offers;
  /** Reports of payments: make them, read them, wait for them. */
  readonly paymentReports: PartnerPaymentReports;
  /** Payments: read, ask for a refund. */
  readonly payments: Payments;
  /** Release authorisations: read them. */
  readonly releases: Releases;
  /** The inbox of workflow messages: list it, follow it, acknowledge what is in it. */
  readonly notifications: PartnerNotifications;

  /**
   * The service as a partner of a bank sees it. Options that are left out and have a variable are read from the
   * environment.
   *
   * @throws ConfigurationError for options that can't work, naming the option.
   */
  constructor(options: PartnerClientOptions<P>) {
    checkClientOptions(options, ['partnerType', 'dealerId', 'riskLimits']);
    const { partnerType } = options;
    if (!partnerTypes.includes(partnerType)) {
      throw new ConfigurationError('partnerType', `must be one of ${partnerTypes.join(', ')}`, {
        given: partnerType,
      });
    }
    const dealerId = dealerIdOf(options);
    const internals = Internals.of(options, {
      fill: dealerId === undefined ? {} : { dealer_id: dealerId },
      partnerType,
    });
    const given = { ...options, ...(dealerId !== undefined && { dealerId }) };
    super(internals, {
      name: 'PartnerClient',
      intents: partnerIntents(internals),
      expected: {
        actor: 'partner',
        environment: options.environment,
        partnerType,
        dealerId,
        scopes: ['catalogue:read', 'bids:write', 'bids:read'],
      },
      shown: { partnerType, ...(dealerId !== undefined && { dealerId }) },
      derive: (overrides) => new PartnerClient(internals.derive(overridden(given, overrides))),
    });
    const { call, pace, cursors, bidding } = internals;
    this.eligibility = new Eligibility(call);
    this.lots = new PartnerLots(
      call,
      pace,
      partnerType === 'direct_dealer' ? undefined : standingsSource(bidding),
    );
    this.bids = new PartnerBids<P>(call, bidding, { dealerId: dealerId ?? '', type: partnerType });
    this.bidCancellations = new BidCancellations(call);
    this.saleCases = withSaleWaits(new SaleCaseCalls(call), pace);
    this.offers = new Offers(call);
    this.paymentReports = withReportWaits(new PaymentReportCalls(call), pace);
    this.payments = new Payments(call);
    this.releases = new Releases(call);
    this.notifications = withInbox(new NotificationCalls(call), pace, cursors);
    refuseOtherActor(this, 'partner');
    suggestNames(this);
  }
}

/** The option, else the dealer id that the credentials were issued with. @throws ConfigurationError */
function dealerIdOf({ dealerId, credentials }: PartnerClientOptions): string | undefined {
  const issued = typeof credentials === 'object' ? credentials?.dealerId : undefined;
  const id = dealerId ?? (credentials === undefined ? fromEnvironment('DEALER_ID') : issued);
  if (id === undefined || (formats.dealerId(id) === undefined && id === id.trim())) return id;
  const problem = 'must be a string of 1 to 32 characters, without white space around it';
  throw new ConfigurationError('dealerId', problem, { given: id });
}
