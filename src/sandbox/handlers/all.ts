import type { Handler } from '../call.js';
import { bankReceiptHandlers } from './bank-receipts.js';
import { bidCancellationHandlers } from './bid-cancellations.js';
import { bidHandlers } from './bids.js';
import { documentHandlers } from './documents.js';
import { eligibilityHandlers } from './eligibility.js';
import { eventHandlers } from './events.js';
import { integrationHandlers } from './integration.js';
import { lotHandlers } from './lots.js';
import { notificationHandlers } from './notifications.js';
import { offerHandlers } from './offers.js';
import { paymentDuesHandlers } from './payment-dues.js';
import { paymentReportHandlers } from './payment-reports.js';
import { paymentHandlers } from './payments.js';
import { releaseHandlers } from './releases.js';
import { resultHandlers } from './results.js';
import { saleCaseHandlers } from './sale-cases.js';
import { vehicleHandlers } from './vehicles.js';
import { winnerUpdateHandlers } from './winner-updates.js';

/** Operation id to what carries it out. */
export const handlers: ReadonlyMap<string, Handler> = new Map(
  [
    integrationHandlers,
    eventHandlers,
    lotHandlers,
    vehicleHandlers,
    resultHandlers,
    eligibilityHandlers,
    bidHandlers,
    bidCancellationHandlers,
    saleCaseHandlers,
    offerHandlers,
    documentHandlers,
    paymentReportHandlers,
    bankReceiptHandlers,
    paymentHandlers,
    paymentDuesHandlers,
    releaseHandlers,
    winnerUpdateHandlers,
    notificationHandlers,
  ].flatMap((group) => Object.entries(group)),
);
