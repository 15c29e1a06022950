// Generated from src/api by `npm run generate`; edits are lost.

import type { Caller, MutationOptions } from '../core/caller.js';
import type { WebhookSubscription, WebhookSubscriptionsCreateBody } from '../models/webhook-subscriptions.js';
import { webhookSubscriptions } from '../routes/webhook-subscriptions.js';

/** Subscriptions to webhook deliveries. */
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
   * The reply holds the secret of the subscription, this once: store it before anything else. It is not the
   * API signing secret.
   *
   * The subscription becomes active only when the endpoint has answered the `webhook.endpoint_verification`
   * event with 2xx JSON that repeats its `challenge`.
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
