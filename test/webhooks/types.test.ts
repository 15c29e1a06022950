import { describe, expect, expectTypeOf, it } from 'vitest';
import type {
  ApprovedSale,
  EndpointVerificationEvent,
  OpenWebhookEvent,
  UnknownWebhookEvent,
  WebhookEvent,
} from '../../src/webhooks/index.js';
import { signDelivery, verifyWebhook } from '../../src/webhooks/index.js';
import { nowMs, saleApproved, secret, timestamp } from './delivery.js';

/** A handler as users write it; that it compiles is half of the test. */
function summaryOf(event: WebhookEvent): string {
  switch (event.type) {
    case 'sale.approved':
      expectTypeOf(event.data.sale).toEqualTypeOf<ApprovedSale>();
      return event.data.sale.amount;
    case 'auction.schedule_changed':
      expectTypeOf(event.data.effective_close_at).toEqualTypeOf<string>();
      return event.data.effective_close_at;
    case 'vehicle.status_changed':
      expectTypeOf(event.data.vehicle_status).toEqualTypeOf<string | undefined>();
      return event.data.vehicle_status ?? '';
    case 'webhook.endpoint_verification':
      expectTypeOf(event).toEqualTypeOf<EndpointVerificationEvent>();
      return event.challenge ?? '';
    case 'payment.verified':
      expectTypeOf(event).toEqualTypeOf<OpenWebhookEvent>();
      expectTypeOf(event.data['anything']).toEqualTypeOf<unknown>();
      return event.type;
    case 'sale.rejected':
    case 'sale.acknowledged':
    case 'payment.reported':
    case 'payment.allocated':
    case 'sale.payment_status_changed':
    case 'release.authorized':
    case 'release.revoked':
    case 'vehicle.collected':
      return event.type;
    default: {
      expectTypeOf(event).toEqualTypeOf<UnknownWebhookEvent>();
      const type: string = event.type;
      return `unknown: ${type}`;
    }
  }
}

describe('the types of events', () => {
  // rule: event.shown
  it.each([
    [saleApproved, '505000.00'],
    [{ ...saleApproved, type: 'payment.verified', data: {} }, 'payment.verified'],
    [{ ...saleApproved, type: 'future.event', data: {} }, 'unknown: future.event'],
  ])('narrow by switch, as the values do', (body, summary) => {
    const signed = signDelivery({ body, secret, timestamp });
    expect(summaryOf(verifyWebhook(signed.body, signed.headers, { secrets: secret, nowMs }))).toBe(summary);
  });
});
