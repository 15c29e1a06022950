export { isVehicleAuctionError, type VehicleAuctionErrors } from '../errors/is-vehicle-auction-error.js';
export { ConfigurationError } from '../errors/local.js';
export { StoreError } from '../errors/store.js';
export { type WebhookRefusal, WebhookVerificationError } from '../errors/webhook.js';
export type {
  ApprovedSale,
  EndpointVerificationData,
  SaleApprovedData,
  ScheduleChangedData,
  VehicleStatusChangedData,
} from '../generated/webhook-events.js';
export type { WebhookState } from '../store/tables.js';
export type { HeaderSource, RawBody } from './delivery.js';
export {
  challengeOf,
  type EndpointVerificationEvent,
  type EventEnvelope,
  type OpenEventType,
  type OpenWebhookEvent,
  type SaleApprovedEvent,
  type ScheduleChangedEvent,
  type UnknownEventType,
  type UnknownWebhookEvent,
  type VehicleStatusChangedEvent,
  type WebhookEvent,
} from './event.js';
export { decisionKeyOf, saleApprovedOf } from './facts.js';
export type { HandlerContext, HandlingReport, OwnQuery, WebhookHandler } from './handling.js';
export type {
  EventOf,
  HandledEventType,
  WebhookHandlers,
  WebhookReceiverOptions,
  WebhookReport,
  WebhookSecrets,
} from './options.js';
export {
  type IncomingDelivery,
  type NodeRequest,
  type NodeResponse,
  type WebhookAnswer,
  type WebhookReceiver,
  webhookReceiver,
} from './receiver.js';
export { type DeliveryToSign, type SignedDelivery, signDelivery } from './sign-delivery.js';
export { type VerifiedSignature, verifySignature, type WebhookVerificationOptions } from './signature.js';
export type { KeptWebhookEvent } from './stored-events.js';
export { verifyWebhook } from './verify.js';
