export { type Code, type CodeFacts, codes } from './api/codes.js';
export type { Amount, BigAmount } from './api/formats.js';
export type { Lane, PartnerType } from './api/operation.js';
export { type Scope, scopes } from './api/scopes.js';
export type { Approvals } from './approvals/approvals.js';
export {
  type BankReceipt,
  compareReport,
  type ReportComparison,
  type ReportDifference,
  type ReportVerdict,
} from './approvals/compare-report.js';
export type { ConflictOptions } from './approvals/retry-on-conflict.js';
export type {
  ApprovalOutcome,
  ApprovalReason,
  ApprovalRun,
  ApprovalStatus,
  AuditEntry,
  AuditSink,
  DecideOptions,
  OfferFacts,
  Policy,
  PolicyAnswer,
  RunOptions,
  RunProgress,
  RunSummary,
  SaleFacts,
} from './approvals/types.js';
export type {
  BatchCause,
  BatchPlan,
  BatchProgress,
  BatchRun,
  BatchStop,
  BatchSummary,
  BidRow,
  FailedRow,
  HeldBackRow,
  InvalidRow,
  LateRow,
  PlaceAllOptions,
  PlacedRow,
  RecordedRow,
  RowCounts,
  RowResult,
  RowSource,
  RowStatus,
  UnreadableRow,
  WouldSendRow,
} from './bids/bulk/types.js';
export type { PartnerBids } from './bids/partner-bids.js';
export type { Quote, QuoteRequest } from './bids/quote.js';
export type { LotToStand, StandingsOptions } from './bids/standings.js';
export type {
  AcceptedBid,
  BidEvidence,
  BidOutcome,
  BidToPlace,
  LotOrId,
  PlacedBid,
  PlaceOptions,
  RefusedBid,
  RejectedBidOutcome,
  RiskLimits,
  UnknownBid,
  UnsentBid,
  UnsentReason,
} from './bids/types.js';
export { BankClient } from './client/bank-client.js';
export { type DeploymentSettings, parseProfile } from './client/deployment-profile.js';
export type { CloseOptions } from './client/lifecycle.js';
export type { ClientMetrics, FollowerState, OutcomeCount, UnresolvedCount } from './client/metrics.js';
export type {
  BankClientOptions,
  ClientOptions,
  Credentials,
  CredentialsSource,
  OverridableOptions,
  PartnerClientOptions,
} from './client/options.js';
export { PartnerClient } from './client/partner-client.js';
export type { IntentOutcome } from './client/recovery.js';
export type { Finding, VerifyOptions } from './client/verify.js';
export { VERSION } from './client/version.js';
export type { ClockOffset, ServerTime } from './clock/clock.js';
export {
  type FlightRecorder,
  type FlightRecorderOptions,
  flightRecorder,
  type RecordedCall,
  type RecordedEntry,
  type RecordedExchange,
  type RecordedFailure,
  type RecordedOutcome,
  type RecordedReply,
  type RecordedRequest,
} from './core/recorder/flight-recorder.js';
export { type ResponseInfo, responseOf } from './core/reply/reply.js';
export { fileContent } from './core/request/file-body.js';
export type { RawRequest } from './core/request/raw.js';
export type {
  AttemptDiagnostics,
  CallDiagnostics,
  Hooks,
  OutcomeEvent,
  RequestEvent,
  ResponseEvent,
} from './core/telemetry.js';
export type { RequestDispatcher, UndiciTransportOptions } from './core/transport/agents.js';
export { type FetchTransportOptions, fetchTransport } from './core/transport/fetch.js';
export type { TlsOptions } from './core/transport/tls.js';
export {
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from './core/transport/transport.js';
export { undiciTransport } from './core/transport/undici.js';
export {
  ApiError,
  type ApiErrorReason,
  AuthenticationError,
  BidRejectedError,
  ConflictError,
  IdempotencyConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  type RecordedUnderKey,
  ServerError,
  ValidationError,
  VersionConflictError,
} from './errors/api.js';
export { type Outcome, VehicleAuctionError } from './errors/base.js';
export {
  AbortedError,
  type AbortReason,
  ConnectionError,
  type ConnectionReason,
  TimeoutError,
  type TimeoutReason,
  type UnexpectedReason,
  UnexpectedResponseError,
} from './errors/connection.js';
export { FileError, type FileFault } from './errors/file.js';
export { isVehicleAuctionError, type VehicleAuctionErrors } from './errors/is-vehicle-auction-error.js';
export {
  CallbackTimeoutError,
  ConfigurationError,
  type ConfigurationReason,
  InDoubtError,
  type InDoubtReason,
  type InputIssue,
  InvalidRequestError,
  NotSentError,
  type NotSentReason,
  type Unresolved,
  WaitError,
  type WaitFailure,
} from './errors/local.js';
export { StoreError, type StoreFault } from './errors/store.js';
export { type WebhookRefusal, WebhookVerificationError } from './errors/webhook.js';
export { diskCache } from './files/disk-cache.js';
export type { DocumentOptions, Documents, UploadOptions } from './files/documents.js';
export type { Media, ServeOptions } from './files/media.js';
export { type CachedFile, type CacheOptions, type MediaCache, memoryCache } from './files/media-cache.js';
export type { CachedCallOptions } from './files/photos.js';
export type { LotsWithPhotos, PrefetchOptions, PrefetchProgress, PrefetchSummary } from './files/prefetch.js';
export type { SavedFile, StreamedResponse } from './files/save.js';
export type { FilesToSave, SaveAllOptions, SavedMedia, SaveProgress } from './files/save-all.js';
export type {
  BlobSource,
  DocumentToUpload,
  FileUrl,
  ReplySource,
  StreamSource,
  UploadSource,
} from './files/upload.js';
export type { FollowOptions } from './following/follow.js';
export type {
  LotChange,
  LotChanged,
  LotSnapshot,
  LotUnavailable,
  WatchOutage,
  WatchResumed,
} from './following/lot-changes.js';
export type { PartnerLots } from './following/lots.js';
export type {
  FollowNotificationsOptions,
  FollowWinnersOptions,
  Notifications,
  PartnerNotifications,
  WinnerUpdates,
} from './following/news.js';
export {
  type ActiveOffer,
  type LotAction,
  type NotificationNews,
  type Reading,
  type ReceiptReadings,
  type ReceivedDocument,
  type ReceivedMoney,
  type RecordKind,
  readActions,
  readNotification,
  readOffer,
  readReceipts,
  readWinnerUpdate,
  type WinnerNews,
} from './following/readers.js';
export type { Standing, StandingDoubt } from './following/standing.js';
export type { WaitOptions } from './following/wait.js';
export type {
  BankPaymentReports,
  BankSaleCases,
  OfferWaitOptions,
  PartnerPaymentReports,
  PartnerSaleCases,
  RecordOrId,
  Refunds,
} from './following/waiters.js';
export type { LotWatch } from './following/watch.js';
export type { LotToWatch, WatchOptions } from './following/watch-options.js';
export type { WatchState } from './following/watch-state.js';
export type { LotEvent } from './following/watched-lot.js';
export type * from './generated/index.js';
export type { CommandOutcome } from './intents/commands.js';
export type {
  IntentExplanation,
  IntentSummary,
  Intents,
  ListOptions,
  RecoverOptions,
  TimelineEntry,
} from './intents/intents.js';
export type { Inventory } from './inventory/inventory.js';
export { readSchemaFields, type SchemaField } from './inventory/schema.js';
export type {
  ImportedVehicle,
  ImportOptions,
  ImportProgress,
  ImportRun,
  ImportStatus,
  ImportSummary,
  UnreadableVehicle,
  VehicleFile,
  VehicleFileRow,
  VehicleRow,
  VehicleSource,
} from './inventory/types.js';
export {
  type BidCost,
  bidForBudget,
  type Charge,
  costOfBid,
  type FixedCharge,
  type PercentCharge,
} from './money/charges.js';
export {
  type BidGrid,
  type BidSituation,
  bidSituation,
  highestOnGrid,
  isOnGrid,
  minimumBid,
  nextBids,
  nextOnGrid,
} from './money/minimum-bid.js';
export { decimalFromJsonNumber, formatInr, fromPaise, isAmount, toPaise } from './money/paise.js';
export { beforePercent, percentOf, type Rounding, type RoundingOptions } from './money/percent.js';
export type {
  BaseOptions,
  BidOptions,
  BinaryReply,
  CallOptions,
  FileStream,
  MutationOptions,
  Unversioned,
  VersionedRecord,
  VersionedVehicle,
} from './ports/caller.js';
export type { Clock } from './ports/clock.js';
export type { FileContent } from './ports/file-content.js';
export type { CursorPager, Page, Pager, SkippedRecord } from './ports/list.js';
export type { Logger, LogLevel } from './ports/logger.js';
export type { Randomness } from './ports/randomness.js';
export type { QuotaMonitor, QuotaOptions } from './quota/options.js';
export type { QuotaState } from './quota/share.js';
export type { QueryInput, QueryValue } from './signing/query.js';
export {
  explainSignature,
  type SignableRequest,
  type SignatureExplanation,
  type SignatureHeaders,
  type SignedRequest,
  signRequest,
} from './signing/sign.js';
export type { RemoteCredentials, SigningCredentials } from './signing/signer.js';
export { type CanonicalParts, canonicalRequest, signedPathOf } from './signing/signer.js';
export type { IntentState } from './store/intents.js';
export { memoryStore } from './store/memory.js';
