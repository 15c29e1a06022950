import * as z from 'zod';
import { filledList, filledText, idempotencyKey, openChoice, text } from './common.js';
import { command, resource } from './operation.js';
import { openPayloads } from './webhook-events.js';

export const WebhookSubscription = z.object({}).meta({
  title: 'A webhook subscription as the service returns it once, its secret included; no field is named.',
  section: 'Webhook subscription',
  open: 'A field of the subscription; the API text names none, not even that of the secret.',
});

const httpsUrl = text('httpsUrl', { format: 'uri' });

export const webhookSubscriptions = resource('webhookSubscriptions', 'Subscriptions to webhook deliveries.', {
  create: command({
    id: 'A13',
    path: '/webhook-subscriptions',
    scope: 'webhooks:manage',
    availability: 'documented',
    summary: 'Subscribes your https endpoint to event types.',
    notes: [
      'The reply holds the secret of the subscription, this once: store it before anything else. It is not the API signing secret.',
      'The subscription becomes active only when the endpoint has answered the `webhook.endpoint_verification` event with 2xx JSON that repeats its `challenge`.',
    ],
    hints: ['Until it opens, `winnerUpdates.list` returns the same sale approvals.'],
    section: 'Webhook subscription',
    body: z.strictObject({
      name: filledText.describe('What to call the subscription.'),
      url: httpsUrl.describe(
        'Where deliveries go: an https URL on a public address; redirects are not followed.',
      ),
      events: filledList(
        openChoice('sale.approved', 'auction.schedule_changed', 'vehicle.status_changed', ...openPayloads),
        'must name at least one event type',
      ).describe('Event types to deliver.'),
      idempotency_key: idempotencyKey,
    }),
    success: [200, 201],
    // The path of the secret is undocumented and it is sent only once, so the complete reply is returned.
    envelope: 'whole',
    reply: WebhookSubscription,
  }),
});
