/** Choices about webhooks, in the order of the open questions. */
export const webhookChoices = {
  /** How `Service-Timestamp` is written; the SDK refuses the second. */
  'webhook-timestamp-format': ['unix-seconds', 'iso-8601'],
  /** Where the challenge of a verification stands: beside `data`, or in it. */
  'webhook-verification-shape': ['top-level', 'data'],
  /** What `data` holds where it isn't shown: the whole record beside the ids, or the ids alone. */
  'webhook-open-payloads': ['record', 'bare'],
  /** Whether a resend of A13 under its key answers without the secret, or with it again. */
  'webhook-subscription-reply': ['secret-once', 'secret-again'],
  /** Whether A13 answers, and capabilities say so. Subscriptions by hand are delivered to in any case. */
  'webhook-operative': ['off', 'on'],
  /** Waits and timeouts of the attempts: from ten seconds to three hours, or from one second to a minute. */
  'webhook-delivery-timing': ['minutes', 'seconds'],
  /** What `auction.schedule_changed` calls a close that was moved to earlier. */
  'schedule-direction-values': ['shortened', 'reduced'],
  /** Which failures of a delivery are tried again: those that tend to pass, or every one. */
  'webhook-transient-failures': ['passing', 'every-failure'],
  /** Whether a challenge that isn't answered is posted once, or tried like an event. */
  'webhook-verification-attempts': ['once', 'as-events'],
  /** Whether subscriptions of a client that has lost its access get events. */
  'webhook-lapsed-subscribers': ['silent', 'delivered'],
  /** What `resource_version` of `auction.schedule_changed` counts: the event's `revision`, or the time of the change. */
  'schedule-resource-version': ['revision', 'unix-seconds'],
} as const;
