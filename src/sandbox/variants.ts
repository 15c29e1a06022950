/**
 * Where the API text leaves a choice that makes a client behave differently. The first choice of each is the default.
 * For other shapes and values use the option `reply`.
 */
export const choices = {
  /** Status of `BANK_UNAVAILABLE`: the text names both. */
  'bank-unavailable-status': ['402', '403'],
  /** Status of `API_CLIENT_NOT_ACTIVE` for a client that exists: the text names both. */
  'inactive-client-status': ['401', '403'],
  /** Answer to the wrong actor: a 403 with a code, a bare 403, or a 404. */
  'wrong-actor-code': ['scope-denied', 'bank-access-denied', 'message', 'not-found'],
  /** Whether an idempotency conflict comes as a code or as a bare message. */
  'idempotency-conflict-message': ['code', 'message'],
  /** A copy that arrives while the first is in progress: carried out in its place, or refused with a 409. */
  'key-in-flight': ['carried-out', 'refused'],
  /** How long an idempotency key is remembered. */
  'key-retention': ['for-ever', 'a-day'],
  /** Answer of A06 to a key that was never sent. */
  'lookup-unknown-key': ['absent', 'not-found'],
  /** Refusal of a command on an old version. */
  'expected-version-conflict': ['409', '412', '422', 'code'],
  /** Whether a command that makes a record out of another one moves the version of that one. */
  'new-record-version': ['moves', 'stays'],
  /** Whether the bank's decisions are only the words that the text shows, or also `rejected`. */
  'decision-values': ['shown', 'rejected-too'],
  /** Whether A22 and A38 need a second credential of the bank to say the same. */
  'second-approver-reply': ['one-approver', 'two-approvers'],
  /** Whether a bid within the last two minutes moves the close to two minutes after it. */
  'late-bid-extension': ['none', 'late-bids-extend'],
  /** Whether fields and parameters that the text doesn't list are ignored, or refused with a 422. */
  'unknown-fields': ['ignored', 'refused'],
  /** Whether A13 answers, and capabilities say so. `sandbox.webhooks.subscribe()` works in any case. */
  'webhook-operative': ['off', 'on'],
} as const satisfies Readonly<Record<string, readonly [string, string, ...string[]]>>;

/** One choice for each row. */
export type Variants = { readonly [Row in keyof typeof choices]: (typeof choices)[Row][number] };

/** What the sandbox does unless told otherwise. */
export const defaults = Object.fromEntries(
  Object.entries(choices).map(([row, [first]]) => [row, first]),
) as Variants;
