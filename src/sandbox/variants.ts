/**
 * Choices that the API text leaves open and that affect clients. The first value of each is the default. For other
 * shapes and values, use the option `reply`.
 */
export const choices = {
  /** Status of `BANK_UNAVAILABLE`. The API text names both. */
  'bank-unavailable-status': ['402', '403'],
  /** Status of `API_CLIENT_NOT_ACTIVE` for an existing client. The API text names both. */
  'inactive-client-status': ['401', '403'],
  /** Reply to the wrong actor: a 403 with a code, a bare 403, or a 404. */
  'wrong-actor-code': ['scope-denied', 'bank-access-denied', 'message', 'not-found'],
  /** Form of an idempotency conflict: a code or a bare message. */
  'idempotency-conflict-message': ['code', 'message'],
  /** Handling of a copy while the first request is in progress: carried out instead, or refused with a 409. */
  'key-in-flight': ['carried-out', 'refused'],
  /** How long an idempotency key is remembered. */
  'key-retention': ['forever', 'a-day'],
  /** Reply of A06 to an unknown key. */
  'lookup-unknown-key': ['absent', 'not-found'],
  /** Refusal of a command with an outdated version. */
  'expected-version-conflict': ['409', '412', '422', 'code'],
  /** Whether creating a record from another one increments the version of the source. */
  'new-record-version': ['moves', 'stays'],
  /** Values of the bank's decisions: only the documented ones, or also `rejected`. */
  'decision-values': ['shown', 'rejected-too'],
  /** Whether A22 and A38 need the same decision from a second credential of the bank. */
  'second-approver-reply': ['one-approver', 'two-approvers'],
  /** Whether a bid in the last two minutes extends the close to two minutes after the bid. */
  'late-bid-extension': ['none', 'late-bids-extend'],
  /** Handling of undocumented fields and parameters: ignored, or refused with a 422. */
  'unknown-fields': ['ignored', 'refused'],
  /**
   * Checks of commands that the API text does not state, such as a second acknowledgment or a due time in the past.
   * docs/open-questions.md lists them.
   */
  'unstated-checks': ['refused', 'passed'],
  /** Whether A13 and the webhook capability are enabled. `sandbox.webhooks.subscribe()` always works. */
  'webhook-operative': ['off', 'on'],
} as const satisfies Readonly<Record<string, readonly [string, string, ...string[]]>>;

/** One value for each choice. */
export type Variants = { readonly [Row in keyof typeof choices]: (typeof choices)[Row][number] };

/** Default value of each choice. */
export const defaults = Object.fromEntries(
  Object.entries(choices).map(([row, [first]]) => [row, first]),
) as Variants;
