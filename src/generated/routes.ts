// Generated from src/api by `npm run generate`; edits are lost.

import type { Route } from '../api/operation.js';
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
/** Every operation that has a method. */
export const routes: readonly Route[] = [
  ...Object.values(integration),
  ...Object.values(eligibility),
  ...Object.values(events),
  ...Object.values(lots),
  ...Object.values(vehicles),
  ...Object.values(results),
  ...Object.values(bids),
  ...Object.values(bidCancellations),
  ...Object.values(winnerUpdates),
  ...Object.values(saleCases),
  ...Object.values(offers),
  ...Object.values(saleCancellations),
  ...Object.values(paymentReports),
  ...Object.values(payments),
  ...Object.values(bankReceipts),
  ...Object.values(refundRequests),
  ...Object.values(refunds),
  ...Object.values(disputes),
  ...Object.values(releases),
  ...Object.values(inventory),
  ...Object.values(documents),
  ...Object.values(notifications),
  ...Object.values(webhookSubscriptions),
];
