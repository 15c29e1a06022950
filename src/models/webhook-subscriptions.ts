// Generated from src/api by `npm run generate`; edits are lost.

/**
 * A webhook subscription as the service returns it once, its secret included; no field is named.
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
  /** What to call the subscription. (API: Webhook subscription) */
  readonly name: string;
  /**
   * Where deliveries go: an https URL on a public address; redirects are not followed. (API: Webhook
   * subscription)
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
   * UUID of this one intended effect; sent in the `Idempotency-Key` header too. Made when left out. (API:
   * Webhook subscription)
   */
  readonly idempotency_key?: string | undefined;
}
