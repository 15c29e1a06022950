/** Choices about who gets in, how often, and under which keys, in the order of the open questions. */
export const accessChoices = {
  /** How long a nonce is remembered. */
  'nonce-retention': ['600-seconds', '300-seconds', 'a-day'],
  /** What the rate limit counts by. */
  'rate-limit-key': ['client', 'key', 'ip'],
  /** Whether requests that fail their signature count against the rate limit. */
  'rate-limit-place': ['before-signature', 'after-signature'],
  /** What the wrong actor is answered: a 403 with a code, a bare 403, or a 404. */
  'wrong-actor-code': ['scope-denied', 'bank-access-denied', 'message', 'not-found'],
  /** Status of `API_CLIENT_NOT_ACTIVE` for a client that exists; an unknown one is always a 401. */
  'inactive-client-status': ['401', '403'],
  /** Status of `BANK_UNAVAILABLE`. */
  'bank-unavailable-status': ['402', '403'],
  /** Whether an idempotency conflict comes as a code or as a bare message. */
  'idempotency-conflict-message': ['code', 'message'],
  /** Whether the service says 405 and 413 itself, with a message, or a gateway does, in HTML. */
  'message-only-refusals': ['service', 'gateway'],
  /** Whether reads carry a `request_id` beside their `server_time`. */
  'reply-envelopes': ['described', 'request-id-everywhere'],
  /** Whether an `Accept` that excludes JSON is refused with a 406, or ignored. */
  'accept-header': ['refused', 'ignored'],
  /** Whether `_method` may stand anywhere in the body, or must come first. */
  'tunnelled-method-place': ['anywhere', 'first'],
  /** How long an idempotency key is remembered. */
  'key-retention': ['for-ever', 'a-day'],
  /** A second copy while the first is being worked on: carried out in its place, or refused with a 409. */
  'key-in-flight': ['carried-out', 'refused'],
  /** What credentials are answered once they have expired. */
  'credential-expiry': ['key-revoked', 'client-not-active'],
  /** Whether the old key ends when a new one is made, or works for another day. */
  'key-rotation': ['at-once', 'overlap'],
  /** Form of `Retry-After` on a 429. */
  'retry-after-form': ['seconds', 'http-date', 'absent'],
  /** What `/results` is answered without the entitlement: a 403 with a code, or a bare one. */
  'results-entitlement-code': ['auction-access-denied', 'scope-denied', 'message'],
} as const;
