import * as z from 'zod';
import { anyObject, filledText, money, openEnum } from './common.js';
import { nullable, optional } from './fields.js';

const resourceVersion = z
  .int()
  .describe('Version of the resource. Drop an event with a lower version than yours.');

export const ApprovedSale = z
  .object({
    id: z.string().describe('Sale id.'),
    state: openEnum('approved').describe('State of the sale.'),
    winner: optional.flag('Whether the subscriber holds the winning bid.'),
    bank_decision_final: optional.flag("Whether the bank's decision is final."),
    bank_confirmation_required: optional.flag('Whether the bank still has to confirm.'),
    buyer_acknowledgment_required: optional.flag('Whether the buyer has to acknowledge the terms.'),
    bid_id: optional.text('The winning bid.'),
    bidder_reference: nullable.text('Winning bidder account of a marketplace.'),
    amount: money.describe('Sale amount, INR decimal string.'),
    currency: optional.text('Currency code, INR.'),
    terms_version: optional.of(z.union([z.string(), z.number()]), 'Version of the terms to acknowledge.'),
    due_at: nullable.text('When payment is due, ISO 8601.'),
  })
  .meta({ title: 'The sale inside a `sale.approved` event.', section: 'Event types' });

export const SaleApprovedData = z
  .object({
    resource_id: optional.text('Id of the resource that changed.'),
    resource_version: resourceVersion,
    lot_id: optional.text('Public lot id.'),
    sale: ApprovedSale.describe('The approved sale.'),
  })
  .meta({ title: 'The bank approved a sale (A22).', section: 'Event types' });

export const ScheduleChangedData = z
  .object({
    auction_id: z.string().describe('Public auction id.'),
    resource_version: resourceVersion,
    direction: optional.of(openEnum('extended'), 'Direction in which the close moved.'),
    scheduled_end_at: optional.text('The scheduled close, ISO 8601.'),
    previous_effective_close_at: nullable.text('The close before this change, ISO 8601.'),
    effective_close_at: z.string().describe('The new effective close, ISO 8601.'),
    timezone: optional.text('IANA zone name, for display only.'),
    refresh_path: optional.text('Path of the event resource to read again.'),
  })
  .meta({ title: 'The bank moved the close of an auction.', section: 'Event types' });

export const VehicleStatusChangedData = z
  .object({
    sale_id: nullable.text('Sale of the vehicle, if any.'),
    lot_id: nullable.text('Public lot id.'),
    vehicle_id: nullable.text('Private inventory UUID. You cannot bid with it.'),
    previous_vehicle_status: nullable.text('Status before.'),
    vehicle_status: optional.text('Status now.'),
    inventory_version: optional.int('Version of the vehicle in inventory.'),
    resource_version: optional.int('Version of the resource.'),
  })
  .meta({ title: 'The status of a vehicle changed.', section: 'Event types' });

export const EndpointVerificationData = z
  .object({ challenge: optional.text('Text to return in the reply.') })
  .meta({ title: 'The service checks that this endpoint is yours.', section: 'Delivery model' });

/** Schemas of `data` for event types with a documented payload. */
export const shownPayloads = {
  'sale.approved': SaleApprovedData,
  'auction.schedule_changed': ScheduleChangedData,
  'vehicle.status_changed': VehicleStatusChangedData,
  'webhook.endpoint_verification': EndpointVerificationData,
} as const;

/** Subscribable event types with an undocumented payload. */
export const openPayloads = [
  'sale.rejected',
  'sale.acknowledged',
  'payment.reported',
  'payment.verified',
  'payment.allocated',
  'sale.payment_status_changed',
  'release.authorized',
  'release.revoked',
  'vehicle.collected',
] as const;

/**
 * Envelope of every delivery (Events, Delivery model). Verification deliveries may have `challenge` at the top
 * level.
 */
export const webhookEnvelope = z.object({
  id: filledText.describe('Event id, for deduplication.'),
  type: filledText.describe('Event type.'),
  schema_version: z.int().describe('Version of the payload shape, 1.'),
  created_at: optional.text('When the event was created, ISO 8601.'),
  data: anyObject.describe('Payload.'),
  challenge: optional.text('Reply to a verification with 2xx JSON that holds this value.'),
});
