import type { Operation } from '../../api/operation.js';
import type { Handler } from '../call.js';
import { bankReceiptHandlers } from './bank-receipts.js';
import { bidCancellationHandlers } from './bid-cancellations.js';
import { bidHandlers } from './bids.js';
import { disputeHandlers } from './disputes.js';
import { documentHandlers } from './documents.js';
import { eligibilityHandlers } from './eligibility.js';
import { eventHandlers } from './events.js';
import { integrationHandlers } from './integration.js';
import { inventoryHandlers } from './inventory.js';
import { lotHandlers } from './lots.js';
import { notificationHandlers } from './notifications.js';
import { offerHandlers } from './offers.js';
import { paymentDuesHandlers } from './payment-dues.js';
import { paymentReportHandlers } from './payment-reports.js';
import { paymentHandlers } from './payments.js';
import { refundHandlers } from './refunds.js';
import { releaseHandlers } from './releases.js';
import { resultHandlers } from './results.js';
import { saleCancellationHandlers } from './sale-cancellations.js';
import { saleCaseHandlers } from './sale-cases.js';
import { transferHandlers } from './transfers.js';
import { vehicleHandlers } from './vehicles.js';
import { webhookSubscriptionHandlers } from './webhook-subscriptions.js';
import { winnerUpdateHandlers } from './winner-updates.js';

/** What carries an operation out; every one has it. */
export function handlerOf({ id }: Operation): Handler {
  const handler = handlers.get(id);
  if (handler === undefined) throw new Error(`nothing carries out ${id}`);
  return handler;
}

const handlers: ReadonlyMap<string, Handler> = new Map(
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
    saleCancellationHandlers,
    offerHandlers,
    documentHandlers,
    paymentReportHandlers,
    bankReceiptHandlers,
    paymentHandlers,
    paymentDuesHandlers,
    refundHandlers,
    disputeHandlers,
    releaseHandlers,
    transferHandlers,
    inventoryHandlers,
    winnerUpdateHandlers,
    notificationHandlers,
    webhookSubscriptionHandlers,
  ].flatMap((group) => Object.entries(group)),
);
