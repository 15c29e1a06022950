import * as z from 'zod';
import { anyObject, filledText, money, openEnum } from './common.js';

const resourceVersion = z
  .int()
  .describe('Version of the resource; drop an event that carries a lower one than you hold.');

export const ApprovedSale = z
  .object({
    id: z.string().describe('Sale id.'),
    state: openEnum('approved').describe('State of the sale.'),
    winner: z.boolean().optional().describe('Whether the subscriber holds the winning bid.'),
    bank_decision_final: z.boolean().optional().describe("Whether the bank's decision is final."),
    bank_confirmation_required: z.boolean().optional().describe('Whether the bank still has to confirm.'),
    buyer_acknowledgment_required: z
      .boolean()
      .optional()
      .describe('Whether the buyer has to acknowledge the terms.'),
    bid_id: z.string().optional().describe('The winning bid.'),
    bidder_reference: z.string().nullable().optional().describe('Which bidder account of a marketplace won.'),
    amount: money.describe('Sale amount, INR decimal string.'),
    currency: z.string().optional().describe('Currency code, INR.'),
    terms_version: z
      .union([z.string(), z.number()])
      .optional()
      .describe('Version of the terms to acknowledge.'),
    due_at: z.string().nullable().optional().describe('When payment is due, ISO 8601.'),
  })
  .meta({ title: 'The sale inside a `sale.approved` event.', section: 'Event types' });

export const SaleApprovedData = z
  .object({
    resource_id: z.string().optional().describe('Id of the resource that changed.'),
    resource_version: resourceVersion,
    lot_id: z.string().optional().describe('Public lot id.'),
    sale: ApprovedSale.describe('The approved sale.'),
  })
  .meta({ title: 'The bank approved a sale (A22).', section: 'Event types' });

export const ScheduleChangedData = z
  .object({
    auction_id: z.string().describe('Public auction id.'),
    resource_version: resourceVersion,
    direction: openEnum('extended').optional().describe('Which way the close moved.'),
    scheduled_end_at: z.string().optional().describe('The scheduled close, ISO 8601.'),
    previous_effective_close_at: z
      .string()
      .nullable()
      .optional()
      .describe('The close before this change, ISO 8601.'),
    effective_close_at: z.string().describe('The close that counts now, ISO 8601.'),
    timezone: z.string().optional().describe('IANA zone name, for display only.'),
    refresh_path: z.string().optional().describe('Path of the event resource to read again.'),
  })
  .meta({ title: 'The bank moved the close of an auction.', section: 'Event types' });

export const VehicleStatusChangedData = z
  .object({
    sale_id: z.string().nullable().optional().describe('Sale of the vehicle, if any.'),
    lot_id: z.string().nullable().optional().describe('Public lot id.'),
    vehicle_id: z.string().nullable().optional().describe('Private inventory UUID; never an id to bid with.'),
    previous_vehicle_status: z.string().nullable().optional().describe('Status before.'),
    vehicle_status: z.string().optional().describe('Status now.'),
    inventory_version: z.int().optional().describe('Version of the vehicle in inventory.'),
    resource_version: z.int().optional().describe('Version of the resource.'),
  })
  .meta({ title: 'The status of a vehicle changed.', section: 'Event types' });

export const EndpointVerificationData = z
  .object({ challenge: z.string().optional().describe('Text to answer with.') })
  .meta({ title: 'The service checks that this endpoint is yours.', section: 'Delivery model' });

/** Event types whose payload the text shows, and the schema of `data`. */
export const shownPayloads = {
  'sale.approved': SaleApprovedData,
  'auction.schedule_changed': ScheduleChangedData,
  'vehicle.status_changed': VehicleStatusChangedData,
  'webhook.endpoint_verification': EndpointVerificationData,
} as const;

/** Event types that can be subscribed to, whose payload is undocumented. */
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

/** What every delivery has (Events, Delivery model). Verification deliveries may carry `challenge` at the top. */
export const webhookEnvelope = z.object({
  id: filledText.describe('Event id: what to deduplicate by.'),
  type: filledText.describe('Event type.'),
  schema_version: z.int().describe('Version of the payload shape, 1.'),
  created_at: z.string().optional().describe('When the event was created, ISO 8601.'),
  data: anyObject.describe('Payload.'),
  challenge: z
    .string()
    .optional()
    .describe('Answer a verification with 2xx JSON that holds this same value.'),
});
