export { type Code, type CodeFacts, codes } from './api/codes.js';
export type { PartnerType } from './api/operation.js';
export { type Scope, scopes } from './api/scopes.js';
export { type Unknown, unknowns } from './api/unknowns.js';
export { BankClient } from './client/bank-client.js';
export type {
  BankClientOptions,
  ClientOptions,
  Credentials,
  PartnerClientOptions,
} from './client/options.js';
export { PartnerClient } from './client/partner-client.js';
export type { Finding } from './client/verify.js';
export { VERSION } from './client/version.js';
export type { BinaryReply, CallOptions, MutationOptions } from './core/caller.js';
export { type ResponseInfo, responseOf } from './core/response-info.js';
export {
  type Transport,
  TransportFailure,
  type TransportReply,
  type TransportRequest,
} from './core/transport.js';
export { undiciTransport } from './core/undici-transport.js';
export {
  ApiError,
  AuthenticationError,
  BidRejectedError,
  ConflictError,
  IdempotencyConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
  VersionConflictError,
} from './errors/api.js';
export { type Outcome, VehicleAuctionError } from './errors/base.js';
export { AbortedError, ConnectionError, TimeoutError, UnexpectedResponseError } from './errors/connection.js';
export { ConfigurationError, type InputIssue, InvalidRequestError } from './errors/local.js';
export { type WebhookRefusal, WebhookVerificationError } from './errors/webhook.js';
export type {
  BidDetail,
  BidListItem,
  BidLookup,
  BidReceipt,
  BidsListQuery,
  BidsRequestCancellationBody,
  BidsSubmitBody,
  CancellationData,
  CancellationRecord,
  DealerBidsSubmitBody,
  PlatformBidsSubmitBody,
  RejectedBid,
} from './models/bids.js';
export type {
  AuctionEvent,
  EventLot,
  EventsListQuery,
  EventsLotQuery,
  EventsLotsQuery,
  PublicField,
  VehicleDetails,
} from './models/events.js';
export type {
  BidVisibility,
  Capabilities,
  FeatureSwitch,
  Profile,
  ProfileOperation,
} from './models/integration.js';
export type {
  LotStatus,
  LotStatusResult,
  LotSummary,
  LotsListQuery,
  LotsStatusBatchBody,
} from './models/lots.js';
export { isAmount } from './money/amount.js';
export { formatInr } from './money/format.js';
export { type BidGrid, isOnGrid, nextOnGrid } from './money/grid.js';
export { decimalFromJsonNumber } from './money/json-number.js';
export { type BidSituation, minimumBid, nextBids } from './money/minimum-bid.js';
export { fromPaise, toPaise } from './money/paise.js';
export type { Page } from './paging/page.js';
export type { Pager } from './paging/pager.js';
export type { Clock } from './ports/clock.js';
export type { Logger, LogLevel } from './ports/logger.js';
export type { Randomness } from './ports/randomness.js';
export type { Bids, PartnerBids } from './resources/bids.js';
export type { Events } from './resources/events.js';
export type { Integration } from './resources/integration.js';
export type { Lots, PartnerLots } from './resources/lots.js';
export { type CanonicalParts, canonicalRequest, signedPathOf } from './signing/canonical.js';
export type { SignatureHeaders, SigningCredentials } from './signing/headers.js';
export type { QueryInput, QueryValue } from './signing/query.js';
export {
  explainSignature,
  type SignableRequest,
  type SignatureExplanation,
  type SignedRequest,
  signRequest,
} from './signing/sign.js';
export { challengeOf } from './webhooks/challenge.js';
export type { WebhookEvent } from './webhooks/event.js';
export { signDelivery } from './webhooks/sign-delivery.js';
export { verifySignature } from './webhooks/signature.js';
export { verifyWebhook } from './webhooks/verify.js';
