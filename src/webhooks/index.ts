export { ConfigurationError } from '../errors/local.js';
export { type WebhookRefusal, WebhookVerificationError } from '../errors/webhook.js';
export type {
  ApprovedSale,
  EndpointVerificationData,
  SaleApprovedData,
  ScheduleChangedData,
  VehicleStatusChangedData,
} from '../models/webhook-events.js';
export { challengeOf } from './challenge.js';
export type {
  EndpointVerificationEvent,
  EventEnvelope,
  OpenEventType,
  OpenWebhookEvent,
  SaleApprovedEvent,
  ScheduleChangedEvent,
  UnknownEventType,
  UnknownWebhookEvent,
  VehicleStatusChangedEvent,
  WebhookEvent,
} from './event.js';
export type { HeaderSource } from './headers.js';
export type { RawBody } from './raw-body.js';
export { type DeliveryToSign, type SignedDelivery, signDelivery } from './sign-delivery.js';
export { type VerifiedSignature, type VerifyOptions, verifySignature } from './signature.js';
export { verifyWebhook } from './verify.js';
