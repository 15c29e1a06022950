import { bankReceipts } from './bank-receipts.js';
import { bidCancellations } from './bid-cancellations.js';
import { bids } from './bids.js';
import { disputes } from './disputes.js';
import { documents } from './documents.js';
import { eligibility } from './eligibility.js';
import { events } from './events.js';
import { integration } from './integration.js';
import { inventory } from './inventory.js';
import { lots } from './lots.js';
import { notifications } from './notifications.js';
import { offers } from './offers.js';
import type { Resource } from './operation.js';
import { paymentReports } from './payment-reports.js';
import { payments } from './payments.js';
import { refundRequests } from './refund-requests.js';
import { refunds } from './refunds.js';
import { releases } from './releases.js';
import { results } from './results.js';
import { saleCancellations } from './sale-cancellations.js';
import { saleCases } from './sale-cases.js';
import { vehicles } from './vehicles.js';
import { webhookSubscriptions } from './webhook-subscriptions.js';
import { winnerUpdates } from './winner-updates.js';

/** Resources with client methods, in the order of the reference. */
export const service = {
  integration,
  eligibility,
  events,
  lots,
  vehicles,
  results,
  bids,
  bidCancellations,
  winnerUpdates,
  saleCases,
  offers,
  saleCancellations,
  paymentReports,
  payments,
  bankReceipts,
  refundRequests,
  refunds,
  disputes,
  releases,
  inventory,
  documents,
  notifications,
  webhookSubscriptions,
};

export const resources: readonly Resource[] = Object.values(service);
