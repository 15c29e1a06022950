// Generated from src/api by `npm run generate`; edits are lost.

export type {
  BankReceiptData,
  BankReceiptRecord,
  BankReceipts,
  BankReceiptsImportBody,
} from './bank-receipts.js';
export type {
  BankBidCancellations,
  BidCancellations,
  BidCancellationsDecideBody,
  BidCancellationsListQuery,
} from './bid-cancellations.js';
export type {
  BidDetail,
  BidListItem,
  BidLookup,
  BidReceipt,
  Bids,
  BidsListQuery,
  BidsRequestCancellationBody,
  BidsSubmitBody,
  CancellationData,
  CancellationRecord,
  DealerBidsSubmitBody,
  PartnerBids,
  PlatformBidsSubmitBody,
  RejectedBid,
} from './bids.js';
export type { DisputeData, DisputeRecord, Disputes, DisputesCreateBody } from './disputes.js';
export type { DocumentData, DocumentRecord, Documents, DocumentsUploadBody } from './documents.js';
export type { Eligibility, EligibilityCheckQuery, EligibilitySnapshot } from './eligibility.js';
export type {
  AuctionEvent,
  EventLot,
  Events,
  EventsListQuery,
  EventsLotQuery,
  EventsLotsQuery,
  PublicField,
  VehicleDetails,
} from './events.js';
export type {
  BidVisibility,
  Capabilities,
  FeatureSwitch,
  Integration,
  Profile,
  ProfileOperation,
} from './integration.js';
export type {
  Inventory,
  InventoryCommandData,
  InventoryCommandRecord,
  InventoryCreateVehicleBody,
  InventorySchema,
  InventoryUpdateVehicleBody,
} from './inventory.js';
export type {
  LotStatus,
  LotStatusResult,
  LotSummary,
  Lots,
  LotsListQuery,
  LotsStatusBatchBody,
  PartnerLots,
} from './lots.js';
export type {
  Notification,
  NotificationAckData,
  NotificationAckRecord,
  Notifications,
  NotificationsAcknowledgeBody,
  NotificationsListQuery,
  PartnerNotifications,
} from './notifications.js';
export type { OfferData, OfferRecord, Offers, OffersRespondBody } from './offers.js';
export type {
  BankPaymentReports,
  PartnerPaymentReports,
  PaymentReportData,
  PaymentReportRecord,
  PaymentReports,
  PaymentReportsCreateBody,
  PaymentReportsDecideBody,
} from './payment-reports.js';
export type {
  AllocationData,
  AllocationRecord,
  BankPayments,
  PaymentData,
  PaymentRecord,
  Payments,
  PaymentsAllocateBody,
  PaymentsRequestRefundBody,
} from './payments.js';
export type {
  RefundRequestData,
  RefundRequestRecord,
  RefundRequests,
  RefundRequestsDecideBody,
} from './refund-requests.js';
export type { RefundData, RefundRecord, Refunds } from './refunds.js';
export type {
  BankReleases,
  ReleaseData,
  ReleaseRecord,
  Releases,
  ReleasesCollectBody,
  ReleasesRevokeBody,
} from './releases.js';
export type { Results, ResultsListQuery } from './results.js';
export type {
  SaleCancellationData,
  SaleCancellationRecord,
  SaleCancellations,
  SaleCancellationsDecideBody,
} from './sale-cancellations.js';
export type {
  BankSaleCases,
  PartnerSaleCases,
  PaymentDues,
  SaleCases,
  SaleCasesAcknowledgeBody,
  SaleCasesAuthorizeReleaseBody,
  SaleCasesDecideBody,
  SaleCasesListQuery,
  SaleCasesOfferBody,
  SaleCasesRequestCancellationBody,
  SaleCasesUpdateTransferBody,
  SaleData,
  SaleReceipts,
  SaleRecord,
  TransferData,
  TransferRecord,
  TransferStatus,
} from './sale-cases.js';
export type { Vehicles } from './vehicles.js';
export type {
  ApprovedSale,
  EndpointVerificationData,
  SaleApprovedData,
  ScheduleChangedData,
  VehicleStatusChangedData,
} from './webhook-events.js';
export type {
  WebhookSubscription,
  WebhookSubscriptions,
  WebhookSubscriptionsCreateBody,
} from './webhook-subscriptions.js';
export type { WinnerUpdate, WinnerUpdates, WinnerUpdatesListQuery } from './winner-updates.js';
