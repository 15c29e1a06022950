/** What the API text leaves open, and what the SDK does meanwhile. Code that depends on a gap names its row. */
export interface Unknown {
  readonly id: string;
  /** Section of the API text. */
  readonly where: string;
  readonly unknown: string;
  readonly meanwhile: string;
  /** What would settle it. */
  readonly settledBy: string;
}

export const unknowns = [
  {
    id: 'query-repeated-names',
    where: 'Authentication, Canonical string',
    unknown: 'The order of parameters that share a name, and whether names sort before or after encoding.',
    meanwhile:
      'Names sort by their UTF-8 bytes before encoding; parameters of one name keep the order they came in.',
    settledBy: 'A signed request with a repeated name, accepted by the service.',
  },
  {
    id: 'distribution-mode-values',
    where: 'Resources, Event',
    unknown: 'Values of `distribution_mode` beside `syndicated`.',
    meanwhile: 'The field is an open string.',
    settledBy: 'The list of values.',
  },
  {
    id: 'bid-created-at-zone',
    where: 'Resources, Bid list item',
    unknown: 'The time zone of `created_at`, which has no offset.',
    meanwhile: 'It stays the string that came.',
    settledBy: 'A statement of the zone.',
  },
  {
    id: 'vehicle-details-types',
    where: 'Resources, Event lot',
    unknown: 'Types of the standard keys of `vehicle_details`: values keep their saved types.',
    meanwhile: 'Strings and null are expected, `year` also as a string; `condition` is left unknown.',
    settledBy: 'A schema of the standard keys.',
  },
  {
    id: 'wire-partner-type',
    where: 'Non-record read shapes, Profile',
    unknown: 'The values of `environment` and `partner_type` on the wire.',
    meanwhile: 'Both are open strings; nothing is refused because of them.',
    settledBy: 'The list of values.',
  },
  {
    id: 'policy-version-type',
    where: 'Non-record read shapes, Capabilities; Workflow record, cancellation',
    unknown: 'Whether `policy_version` and `terms_version` are strings or integers.',
    meanwhile: 'Both are accepted and passed through as they came.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'capability-operations',
    where: 'Non-record read shapes, Capabilities',
    unknown: 'The item shape of `operations` in A02.',
    meanwhile: 'Items pass through unchecked.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'lot-status-summaries',
    where: 'Non-record read shapes, Lot status',
    unknown: 'Fields of the `sale`, `payment` and `release` summaries, and values of the states.',
    meanwhile: 'They are open objects and open strings.',
    settledBy: 'A recorded reply of each state.',
  },
  {
    id: 'lookup-receipt',
    where: 'Non-record read shapes, Bid request lookup',
    unknown: 'Fields of `receipt` in A06.',
    meanwhile: 'It is an open object; the bid is read with A05 when its id is there.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'lookup-unknown-key',
    where: 'Integration, eligibility, bids, lot status, A06',
    unknown: 'Whether a 404 can come for a key that was never sent.',
    meanwhile: 'A 404 is an error and never read as `absent`.',
    settledBy: 'A look-up of an unused key.',
  },
  {
    id: 'nonce-retention',
    where: 'Authentication, Canonical string',
    unknown: 'How long the service remembers a nonce.',
    meanwhile: 'Every attempt has a fresh one; the sandbox remembers nonces for twice the clock difference.',
    settledBy: 'A stated period.',
  },
  {
    id: 'cancellation-reason-codes',
    where: 'Resources, Non-record read shapes',
    unknown: 'Allowed values of `reason_code`.',
    meanwhile: 'Any non-empty string is sent.',
    settledBy: 'The list of values.',
  },
  {
    id: 'command-required-fields',
    where: 'Integration, eligibility, bids, lot status, A07',
    unknown: 'Which fields of a command are required: the text lists them without saying so.',
    meanwhile: 'Every listed field is required, and must not be empty.',
    settledBy: 'A command without one of them.',
  },
  {
    id: 'bid-cancellation-evidence',
    where: 'Integration, eligibility, bids, lot status, A07',
    unknown: 'The field name of supporting evidence.',
    meanwhile: 'It can be sent with `extraBody`.',
    settledBy: 'The field name.',
  },
  {
    id: 'status-batch-size',
    where: 'Limits',
    unknown: 'Whether 100 lots in A11 is a hard maximum: it is proposed, not confirmed.',
    meanwhile: 'Larger batches are passed through, not refused.',
    settledBy: 'A confirmed maximum.',
  },
  {
    id: 'rate-limit-key',
    where: 'Limits',
    unknown:
      'Whether the rate limit counts per client, per key or per IP address, and whether it comes before processing.',
    meanwhile: 'A 429 on a bid leaves its outcome unknown; the sandbox counts per client.',
    settledBy: 'A statement of the key and the order.',
  },
  {
    id: 'legacy-auctions',
    where: 'Bids, Bid rules',
    unknown: 'Which field marks a legacy auction.',
    meanwhile: 'No minimum is enforced locally; only format and grid are.',
    settledBy: 'The marking field.',
  },
  {
    id: 'legacy-first-bid',
    where: 'Bids, Bid rules, 2 and 5',
    unknown:
      'Whether the first bid of a legacy auction may be the opening price, or must be one increment above it.',
    meanwhile:
      'The client lets the caller decide; `minimumBid` and the sandbox take opening plus increment, the stricter reading.',
    settledBy: 'A first bid at the opening price of a legacy auction.',
  },
  {
    id: 'channel-status-values',
    where: 'Resources, Event lot',
    unknown:
      'What `channel_status` says of a channel that has bid and does not lead: only `no_bid` and `leading` are shown.',
    meanwhile: 'The field is an open string; the sandbox says `no_bid`.',
    settledBy: 'A recorded reply of an outbid channel.',
  },
  {
    id: 'allowed-actions',
    where: 'Non-record read shapes, Lot status',
    unknown: 'Values of `allowed_actions` and `inventory_state`.',
    meanwhile: 'Both pass through; the sandbox says `bid` or nothing, and `published`.',
    settledBy: 'The list of values.',
  },
  {
    id: 'list-order',
    where: 'Catalogue and events; Bids',
    unknown: 'The order of lists, and whether `/lots` holds lots of auctions that are not live.',
    meanwhile:
      'Pagers keep the order that comes; the sandbox lists the newest bids first and lots of live auctions only.',
    settledBy: 'A recorded list.',
  },
  {
    id: 'time-precision',
    where: 'Resources, Event; Errors, Shapes',
    unknown: 'Whether timestamps carry fractions of a second, and which offset.',
    meanwhile: 'They stay strings; the sandbox sends milliseconds in UTC, and events in +05:30.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'wrong-actor-code',
    where: 'Authentication, Access checks',
    unknown: 'The code for a call by the wrong actor.',
    meanwhile: 'Any 403 is a PermissionError; the sandbox says `SCOPE_DENIED`.',
    settledBy: "A partner's call of a bank operation.",
  },
  {
    id: 'replayed-fields',
    where: 'Bids, Responses',
    unknown: 'Whether a replay repeats the fields as first recorded or as they stand now.',
    meanwhile: 'Both are read alike; the sandbox repeats the record.',
    settledBy: 'A replay after the lot has moved on.',
  },
  {
    id: 'key-namespace',
    where: 'Integration, eligibility, bids, lot status, A06',
    unknown: 'Whether bids and commands share one namespace of idempotency keys.',
    meanwhile: 'Every call gets a key of its own; the sandbox keeps one namespace per client.',
    settledBy: 'One UUID sent with a bid and with a command.',
  },
  {
    id: 'idempotency-conflict-message',
    where: 'Errors, Codes',
    unknown: 'The words of an idempotency conflict that comes as a message instead of a code.',
    meanwhile:
      'On a bid every 409 without a code is read as one; on a command, one whose message names idempotency.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'receipt-highest-amount-type',
    where: 'Resources, Bid submission response envelope',
    unknown: 'Whether `highest_amount` of a bid receipt is a string or, like `current_amount`, a number.',
    meanwhile: 'Both are accepted; it reaches the caller as a decimal string.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'webhook-timestamp-format',
    where: 'Authentication, Webhook delivery signature',
    unknown: 'The format of `Service-Timestamp`.',
    meanwhile: 'Unix seconds in plain digits; anything else is refused.',
    settledBy: 'A recorded delivery.',
  },
  {
    id: 'message-only-refusals',
    where: 'Errors, Shapes',
    unknown:
      'Whether a bare `{message}` under 401, 402, 403, 405 or 413 is the service or a gateway before it.',
    meanwhile:
      'It counts as the service, as under 404; under 422 on a bid it does not, and the effect stays unknown.',
    settledBy: 'A recorded reply of each status.',
  },
  {
    id: 'webhook-verification-shape',
    where: 'Events, Event types',
    unknown: 'Where in a `webhook.endpoint_verification` delivery `challenge` stands, and its other fields.',
    meanwhile: 'It is read at the top level and in `data`.',
    settledBy: 'A recorded delivery.',
  },
  {
    id: 'webhook-open-payloads',
    where: 'Events, Event types',
    unknown: 'Payloads of most subscribable event types.',
    meanwhile: '`data` is an open object.',
    settledBy: 'A recorded delivery of each type.',
  },
] as const satisfies readonly Unknown[];
