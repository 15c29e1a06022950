/**
 * Every error code of the API text (Errors, Codes) and what to do about it. `NOT_FOUND` appears only in the items of
 * A11. Errors without a code are identified by their status: invalid fields (422), A60 on a vehicle that is no draft
 * (409), most 404s, the rate limit (429), failures (500).
 *
 * `effect` states what the code alone proves: `refused`, nothing was recorded; `rejected`, the bid was judged and its
 * rejection recorded under the idempotency key; `unknown`, another copy of the request may have been let in.
 */
export interface CodeFacts {
  readonly statuses: readonly number[];
  readonly effect: 'refused' | 'rejected' | 'unknown';
  /** True if any call can get the code: authentication, access, quota. */
  readonly everywhere?: boolean;
  readonly meaning: string;
  readonly nextStep: string;
}

export const codes = {
  API_CLIENT_NOT_ACTIVE: {
    statuses: [401, 403],
    effect: 'refused',
    everywhere: true,
    meaning: 'The API client is not active.',
    nextStep: 'Check clientId and keyId; if they are right, ask the bank to activate this API client.',
  },
  KEY_REVOKED: {
    statuses: [401],
    effect: 'refused',
    everywhere: true,
    meaning: 'The signing key has been revoked.',
    nextStep: 'Get a new key ID and signing secret from the bank and configure the client with them.',
  },
  TIMESTAMP_EXPIRED: {
    statuses: [401],
    effect: 'refused',
    everywhere: true,
    meaning: 'The signed timestamp is more than 300 seconds away from server time.',
    nextStep: 'Synchronise the clock of this machine (NTP), then call again.',
  },
  INVALID_NONCE: {
    statuses: [401],
    effect: 'refused',
    everywhere: true,
    meaning: 'The nonce is not 16 to 128 letters, digits, "_" or "-".',
    nextStep: 'Check the injected randomness: its nonce() must return 16 to 128 of the allowed characters.',
  },
  INVALID_SIGNATURE: {
    statuses: [401],
    effect: 'refused',
    everywhere: true,
    meaning: 'The body digest or the signature does not match what the service computed from the request.',
    nextStep:
      'Check that the signing secret is complete and of this environment, and that no gateway adds, doubles or removes /api/v1; then compare explainSignature() with the request as sent.',
  },
  TLS_REQUIRED: {
    statuses: [403],
    effect: 'refused',
    everywhere: true,
    meaning: 'The request did not arrive over HTTPS.',
    nextStep: 'Use an https base URL, and check that no proxy downgrades the connection.',
  },
  ENVIRONMENT_DENIED: {
    statuses: [403],
    effect: 'refused',
    everywhere: true,
    meaning: 'The credentials belong to another environment.',
    nextStep: 'Use the credentials that the bank issued for this environment.',
  },
  IP_NOT_ALLOWED: {
    statuses: [403],
    effect: 'refused',
    everywhere: true,
    meaning: 'The source IP address is not approved by the bank.',
    nextStep: 'Ask the bank to approve the outgoing IP address of this machine.',
  },
  SCOPE_DENIED: {
    statuses: [403],
    effect: 'refused',
    everywhere: true,
    meaning: 'The credentials lack the scope that this operation needs.',
    nextStep:
      'Read the granted scopes from integration.profile() and ask the bank for the missing one. Banks use a BankClient, partners a PartnerClient: verify() reports the actor of these credentials.',
  },
  PARTNER_NOT_ACTIVE: {
    statuses: [403],
    effect: 'refused',
    everywhere: true,
    meaning: 'The partner, or its bank, is not active.',
    nextStep: 'Ask the bank whether the partner account and its own are active.',
  },
  KYB_REQUIRED: {
    statuses: [403],
    effect: 'refused',
    everywhere: true,
    meaning: "The partner's KYB approval is missing or no longer current.",
    nextStep: 'Complete the KYB approval with the bank.',
  },
  AGREEMENT_REQUIRED: {
    statuses: [403],
    effect: 'refused',
    everywhere: true,
    meaning: "The partner's agreement is not effective.",
    nextStep: 'Sign or renew the agreement with the bank.',
  },
  BANK_UNAVAILABLE: {
    statuses: [402, 403],
    effect: 'refused',
    everywhere: true,
    meaning: "The bank's subscription is inactive.",
    nextStep: 'Ask the bank to restore its subscription.',
  },
  BANK_ACCESS_DENIED: {
    statuses: [403],
    effect: 'refused',
    meaning: "The lot does not belong to the partner's bank.",
    nextStep: 'Check the lot id against the lots that are assigned to these credentials (lots.list).',
  },
  AUCTION_ACCESS_DENIED: {
    statuses: [403],
    effect: 'refused',
    meaning: 'The auction or lot is not assigned to this partner, or an entitlement is missing.',
    nextStep: 'Ask the bank for the assignment or the entitlement; lots.list shows what is assigned already.',
  },
  BUYER_NOT_ELIGIBLE: {
    statuses: [403],
    effect: 'refused',
    meaning: 'The dealer_id is not the dealer linked to these credentials, or no dealer is linked.',
    nextStep:
      'Use the dealer_id that integration.profile() shows (not the partner id or the client id), and check with verify() that partnerType fits these credentials.',
  },
  BUYER_LIMIT_EXPIRED: {
    statuses: [403],
    effect: 'refused',
    meaning: "The bank's approval of the buyer limit has expired.",
    nextStep: 'Ask the bank to renew the buyer limit.',
  },
  EMD_EXPIRED: {
    statuses: [403],
    effect: 'refused',
    meaning: 'The earnest money deposit (EMD) has expired.',
    nextStep: 'Renew the EMD with the bank.',
  },
  DEALER_NOT_ELIGIBLE: {
    statuses: [422],
    effect: 'rejected',
    meaning:
      'The dealer is blocked, KYC is not approved, EMD is not valid, or the amount is above buyer_limit.',
    nextStep:
      'Call eligibility.check() for this dealer and resolve the reported codes; then decide on a new bid.',
  },
  BIDDER_REFERENCE_REQUIRED: {
    statuses: [422],
    effect: 'rejected',
    meaning: 'The bid of a platform or aggregator has no bidder_reference.',
    nextStep: 'Send bidder_reference, the stable identity of the actual buyer.',
  },
  DIRECT_DEALER_IDENTITY_REQUIRED: {
    statuses: [422],
    effect: 'rejected',
    meaning: 'A direct dealer sent bidder_reference.',
    nextStep: 'Omit bidder_reference.',
  },
  BID_OFF_OPENING_GRID: {
    statuses: [422],
    effect: 'rejected',
    meaning: 'The amount is not the opening price plus a whole multiple of the increment.',
    nextStep: 'Read the lot again and bid an amount on its grid; a new amount is a new bid with a new key.',
  },
  BID_BELOW_MINIMUM: {
    statuses: [422],
    effect: 'rejected',
    meaning:
      "The amount is below the minimum: one increment above the highest amount in an open auction, above the caller's own previous amount in a closed one, above the previous bid or the opening price in a legacy one.",
    nextStep:
      'Read the lot again and decide whether to bid higher; a new amount is a new bid with a new key.',
  },
  LOT_NOT_LIVE: {
    statuses: [422],
    effect: 'rejected',
    meaning:
      'The auction is not published or not inside its live window in server time, or the lot was withdrawn or cancelled.',
    nextStep: 'Read the event and the lot again; do not retry this bid.',
  },
  RESOURCE_NOT_GRANTED: {
    statuses: [422],
    effect: 'rejected',
    meaning: 'The lot is not granted to this client.',
    nextStep: 'Ask the bank which lots are assigned to these credentials.',
  },
  CHANNEL_NOT_GRANTED: {
    statuses: [422],
    effect: 'rejected',
    meaning: "The lot is not listed for this client's channel.",
    nextStep: 'Ask the bank to list the lot for this channel.',
  },
  BUYER_NOT_ENTITLED_TO_CLIENT: {
    statuses: [422],
    effect: 'rejected',
    meaning: 'The dealer has no relationship with this API client.',
    nextStep: 'Ask the bank to link the dealer to this client.',
  },
  DEALER_NOT_FOUND: {
    statuses: [422],
    effect: 'rejected',
    meaning: 'No such dealer exists.',
    nextStep: 'Use the dealer_id that integration.profile() shows.',
  },
  IDEMPOTENCY_KEY_REQUIRED: {
    statuses: [422],
    effect: 'refused',
    meaning: 'The Idempotency-Key header is missing or differs from the UUID in the body.',
    nextStep: 'Check that no proxy strips or rewrites the Idempotency-Key header.',
  },
  NONCE_REPLAYED: {
    statuses: [409],
    effect: 'unknown',
    everywhere: true,
    meaning: 'This nonce was used before: a copy of the request reached the service earlier.',
    nextStep: 'Resend the same bytes under the same idempotency key with a fresh nonce.',
  },
  IDEMPOTENCY_CONFLICT: {
    statuses: [409],
    effect: 'unknown',
    meaning: 'The idempotency key is already stored for different content.',
    nextStep:
      'Never resend under this key: it belongs to another request. Identify that request with bids.lookup (for a bid) or in your records (for a command), then send this one under a new key.',
  },
  NOT_FOUND: {
    statuses: [404],
    effect: 'refused',
    meaning: 'The record or file does not exist, or is not accessible to these credentials.',
    nextStep: 'Check the id, and that the record is assigned to these credentials.',
  },
} as const satisfies Record<string, CodeFacts>;

export type Code = keyof typeof codes;

/** Finds the facts of a code; undefined for an undocumented one. */
export function codeFacts(code: string): CodeFacts | undefined {
  return Object.hasOwn(codes, code) ? codes[code as Code] : undefined;
}
