import type { WebhookEvent } from './event.js';

/**
 * What to answer a `webhook.endpoint_verification` with: 2xx and the JSON `{ "challenge": … }` (Delivery model, 6).
 * Undefined for every other event, and where the delivery carries none. It is read at the top level and in `data`,
 * because the text does not show where it stands (unknowns: `webhook-verification-shape`).
 */
export function challengeOf(event: WebhookEvent): string | undefined {
  if (event.type !== 'webhook.endpoint_verification') return undefined;
  const challenge: unknown = event.challenge ?? event.data.challenge;
  return typeof challenge === 'string' ? challenge : undefined;
}
