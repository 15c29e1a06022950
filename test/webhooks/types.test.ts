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

  it('narrow by if, and give id and type without narrowing', () => {
    const check = (event: WebhookEvent) => {
      expectTypeOf(event.id).toEqualTypeOf<string>();
      expectTypeOf(event.type).toExtend<string>();
      // @ts-expect-error no payload before its type is known
      event.data.sale.amount;
      if (event.type === 'sale.approved') expectTypeOf(event.data.resource_version).toEqualTypeOf<number>();
      if (event.type !== 'webhook.endpoint_verification') return;
      expectTypeOf(event.challenge).toEqualTypeOf<string | undefined>();
    };
    expectTypeOf(check).parameter(0).toEqualTypeOf<WebhookEvent>();
  });

  it('accept the headers of Node and of Fetch', () => {
    type Source = Parameters<typeof verifyWebhook>[1];
    expectTypeOf<import('node:http').IncomingHttpHeaders>().toExtend<Source>();
    expectTypeOf<Headers>().toExtend<Source>();
    expectTypeOf<{ raw: string }>().not.toExtend<Parameters<typeof verifyWebhook>[0]>();
  });
});
