import type { openPayloads } from '../api/webhook-events.js';
import type {
  EndpointVerificationData,
  SaleApprovedData,
  ScheduleChangedData,
  VehicleStatusChangedData,
} from '../generated/webhook-events.js';

/** The envelope of every event (Events, Delivery model). */
export interface EventEnvelope<Type extends string, Data> {
  /** Event id, inside the signed bytes: deduplicate by it. */
  readonly id: string;
  /** Event type; `switch` on it. */
  readonly type: Type;
  /** Version of the payload's shape; 1 so far. */
  readonly schema_version: number;
  /** Creation time, ISO 8601. */
  readonly created_at?: string;
  /** Payload, with every field that the service sent. */
  readonly data: Data;
}

/** The bank approved a sale (Event types). Payment and release remain separate decisions. */
export interface SaleApprovedEvent extends EventEnvelope<'sale.approved', SaleApprovedData> {}

/** The bank moved the close of an auction (Event types). Drop it if you hold a higher `resource_version`. */
export interface ScheduleChangedEvent
  extends EventEnvelope<'auction.schedule_changed', ScheduleChangedData> {}

/** The status of a vehicle changed (Event types). */
export interface VehicleStatusChangedEvent
  extends EventEnvelope<'vehicle.status_changed', VehicleStatusChangedData> {}

/** The service checks that an endpoint is yours; answer with `challengeOf` (Delivery model, 6). */
export interface EndpointVerificationEvent
  extends EventEnvelope<'webhook.endpoint_verification', EndpointVerificationData> {
  /** The challenge, if it is at the top level (unknowns: `webhook-verification-shape`). */
  readonly challenge?: string;
}

/** Types that you can subscribe to, but whose payload is undocumented (Event types). */
export type OpenEventType = (typeof openPayloads)[number];

/** An event with an undocumented payload: `data` is passed through (unknowns: `webhook-open-payloads`). */
export interface OpenWebhookEvent extends EventEnvelope<OpenEventType, Readonly<Record<string, unknown>>> {}

/** Exists for the compiler only: with a plain or branded string, `switch` on `type` would not narrow. */
declare enum AnyOtherType {
  AnyOther = '(a type that this version does not know)',
}

/** A type that this version does not know: every string but the known ones. Assign it to a `string` to compare it. */
export type UnknownEventType = AnyOtherType;

/** An event of a type that this version does not know; passed through unchanged. */
export interface UnknownWebhookEvent
  extends EventEnvelope<UnknownEventType, Readonly<Record<string, unknown>>> {}

/** Every event that can arrive, distinguished by `type`. */
export type WebhookEvent =
  | SaleApprovedEvent
  | ScheduleChangedEvent
  | VehicleStatusChangedEvent
  | EndpointVerificationEvent
  | OpenWebhookEvent
  | UnknownWebhookEvent;

/**
 * Returns the challenge of a `webhook.endpoint_verification`. Answer with 2xx and the JSON `{ "challenge": … }` (Delivery
 * model, 6). Undefined for every other event, and if there is no challenge. It is read at the top level and in `data`,
 * because its position is undocumented (unknowns: `webhook-verification-shape`).
 */
export function challengeOf(event: WebhookEvent): string | undefined {
  if (event.type !== 'webhook.endpoint_verification') return undefined;
  const challenge: unknown = event.challenge ?? event.data.challenge;
  return typeof challenge === 'string' ? challenge : undefined;
}
