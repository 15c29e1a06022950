import * as z from 'zod';
import { filledList, filledText, idempotencyKey, openChoice, text } from './common.js';
import { command, resource } from './operation.js';
import { openPayloads } from './webhook-events.js';

export const WebhookSubscription = z.object({}).meta({
  title: 'A webhook subscription with its secret, returned once. The API names no field.',
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
      'Only this reply holds the secret of the subscription, so store it at once. It is not the API signing secret.',
      'The subscription becomes active when the endpoint replies to the `webhook.endpoint_verification` event with 2xx JSON that repeats its `challenge`.',
    ],
    hints: ['Until it opens, `winnerUpdates.list` returns the same sale approvals.'],
    section: 'Webhook subscription',
    body: z.strictObject({
      name: filledText.describe('Name of the subscription.'),
      url: httpsUrl.describe('URL for deliveries: https on a public address. Redirects are not followed.'),
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
