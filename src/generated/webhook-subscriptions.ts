// Generated from src/api by `npm run generate`; edits are lost.

import type { ObjectSchema } from '../api/check.js';
import type { Route } from '../api/operation.js';
import type { Caller, MutationOptions } from '../ports/caller.js';

/**
 * A webhook subscription with its secret, returned once. The API names no field.
 *
 * API text: Webhook subscription.
 */
export interface WebhookSubscription {
  /** A field of the subscription; the API text names none, not even that of the secret. */
  readonly [field: string]: unknown;
}

/**
 * Body of `webhookSubscriptions.create`.
 *
 * API text: Webhook subscription.
 */
export interface WebhookSubscriptionsCreateBody {
  /** Name of the subscription. (API: Webhook subscription) */
  readonly name: string;
  /**
   * URL for deliveries: https on a public address. Redirects are not followed. (API: Webhook subscription)
   */
  readonly url: string;
  /** Event types to deliver. (API: Webhook subscription) */
  readonly events: readonly (
    | 'sale.approved'
    | 'auction.schedule_changed'
    | 'vehicle.status_changed'
    | 'sale.rejected'
    | 'sale.acknowledged'
    | 'payment.reported'
    | 'payment.verified'
    | 'payment.allocated'
    | 'sale.payment_status_changed'
    | 'release.authorized'
    | 'release.revoked'
    | 'vehicle.collected'
    | (string & {})
  )[];
  /**
   * UUID of this one intended effect, also sent in the `Idempotency-Key` header. Defaults to a new UUID.
   * (API: Webhook subscription)
   */
  readonly idempotency_key?: string | undefined;
}

export const webhookSubscriptionSchema: ObjectSchema = { fields: {} };

export const webhookSubscriptions = {
  create: {
    name: 'webhookSubscriptions.create',
    id: 'A13',
    method: 'POST',
    path: '/webhook-subscriptions',
    availability: 'documented',
    effect: 'command',
    body: {
      fields: {
        name: 'filled',
        url: 'httpsUrl',
        events: { list: 'filled', empty: 'must name at least one event type' },
        idempotency_key: 'uuid',
      },
    },
    success: [200, 201],
    envelope: 'whole',
  },
} satisfies Readonly<Record<string, Route>>;

/**
 * Subscriptions to webhook deliveries.
 *
 * To look up an id, such as A13: `npx vehicle-auction-sdk docs A13`.
 */
export class WebhookSubscriptions {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
    this.#call = call;
  }

  /**
   * Subscribes your https endpoint to event types.
   *
   * The API text describes it, yet lists it as not callable: a 404 is to be expected until the service opens
   * it.
   *
   * Only this reply holds the secret of the subscription, so store it at once. It is not the API signing
   * secret.
   *
   * The subscription becomes active when the endpoint replies to the `webhook.endpoint_verification` event
   * with 2xx JSON that repeats its `challenge`.
   *
   * Until it opens, `winnerUpdates.list` returns the same sale approvals.
   *
   * API: A13, `POST /webhook-subscriptions`, scope `webhooks:manage`; "Webhook subscription".
   * @param body What to send: `name`, `url`, `events`, `idempotency_key`.
   * @param options Signal, timeout, deadline, attempts and lane of this call; the idempotency key.
   */
  create(body: WebhookSubscriptionsCreateBody, options?: MutationOptions): Promise<WebhookSubscription> {
    return this.#call<WebhookSubscription>(webhookSubscriptions.create, { body }, options);
  }
}
