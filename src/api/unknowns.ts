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

export const unknowns: readonly Unknown[] = [
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
    where: 'Non-record read shapes; Workflow record; Inventory, A59',
    unknown:
      'Whether `policy_version`, `terms_version`, `payee_version` and the `schema_version` of inventory are strings or integers.',
    meanwhile: 'Both are accepted, both ways, and passed on as they came.',
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
    meanwhile:
      'They are open objects and open strings; the sandbox gives state and version of each, with what it is about and the amounts, and only to the partner whose sale it is.',
    settledBy: 'A recorded reply of each state.',
  },
  {
    id: 'lookup-receipt',
    where: 'Non-record read shapes, Bid request lookup',
    unknown: 'Fields of `receipt` in A06.',
    meanwhile:
      'It is an open object; where it holds the id of the bid, the caller can read the bid with A05.',
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
    unknown: 'Allowed values of `reason_code` on A07, A26 and A50.',
    meanwhile: 'Any non-empty string is sent.',
    settledBy: 'The list of values.',
  },
  {
    id: 'command-required-fields',
    where: 'Endpoints',
    unknown: 'Which fields of a command are required: the text lists them without saying so.',
    meanwhile:
      'Required is what is listed, but for reasons, explanations, evidence, external references, the checklist of A57 and what A60 changes; on A22 and A38 only the decision and the version, because another decision than the shown one may not need the rest. What is given must not be empty; the rest the service judges.',
    settledBy: 'A command without each of them.',
  },
  {
    id: 'bid-cancellation-evidence',
    where: 'Integration, eligibility, bids, lot status, A07',
    unknown: 'The field name of supporting evidence.',
    meanwhile: 'The option `extraBody` sends it under whatever name the bank gives.',
    settledBy: 'The field name.',
  },
  {
    id: 'cancelled-bid-status',
    where: 'Resources, Bid list item; States and transitions, cancellation',
    unknown:
      'What `status` of a bid says once its cancellation is approved, in `/bids` and A05, and whether bids that it superseded can be cancelled by themselves.',
    meanwhile:
      'The field is an open string; the sandbox leaves it `accepted`, and refuses to cancel what went with a later bid, with a 409.',
    settledBy: 'A recorded bid after its cancellation.',
  },
  {
    id: 'award-after-cancellation',
    where: 'States and transitions, cancellation',
    unknown:
      'How a lot is awarded anew when the leading bid is cancelled after the close, and which operation approves that.',
    meanwhile:
      'Sales are read as they come; in the sandbox the pending sale stays, can neither be approved nor negotiated, and no other one opens.',
    settledBy: 'A cancellation after the close, followed to its end.',
  },
  {
    id: 'bid-cancellation-filters',
    where: 'Integration, eligibility, bids, lot status, A08',
    unknown: 'The names of the parameters that filter by bid, lot and decision status.',
    meanwhile: 'The option `extraQuery` sends them under whatever names the bank gives.',
    settledBy: 'The parameter names.',
  },
  {
    id: 'dispute-desired-resolution',
    where: 'Payments, receipts, refunds, disputes, A50',
    unknown: 'The field name of the desired resolution, and its values.',
    meanwhile: 'The option `extraBody` sends it under whatever name the bank gives.',
    settledBy: 'The field name and the list of values.',
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
      'What the rate limit counts by (API client, key or IP address), and whether it comes before processing.',
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
    meanwhile:
      'Both pass through; the sandbox says `acknowledge`, `bid`, `report_payment`, `respond_to_offer` or nothing, and `published`, `sold` or `collected`.',
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
    id: 'inactive-client-status',
    where: 'Errors, Codes',
    unknown: 'When `API_CLIENT_NOT_ACTIVE` comes as a 401 and when as a 403.',
    meanwhile: 'The code decides the class of the error, whichever status it comes with.',
    settledBy: 'A recorded reply for each kind of inactive client.',
  },
  {
    id: 'bank-unavailable-status',
    where: 'Errors, Codes',
    unknown: 'Which layer answers `BANK_UNAVAILABLE` with a 402, and which with a 403.',
    meanwhile: 'The code decides the class of the error, whichever status it comes with.',
    settledBy: 'A recorded reply of each layer.',
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
  {
    id: 'unlisted-operation-ids',
    where: 'Endpoints',
    unknown:
      'The ids of the operations that the text gives none, such as submitting a bid, and whether A04, which no list has, is one of them.',
    meanwhile:
      'Those have slugs of the SDK, such as `bids.submit`; ids in the profile that match no operation pass through.',
    settledBy: 'A recorded profile.',
  },
  {
    id: 'unnamed-actors',
    where: 'Catalogue and events; Bids; Winner updates; Webhook subscription',
    unknown: 'Who may call the operations for which no actor is named.',
    meanwhile:
      'They stand on both clients, but for submitting a bid, which only partners are described as doing.',
    settledBy: 'The `operations` of a profile of each actor.',
  },
  {
    id: 'event-status-active',
    where: 'Catalogue and events',
    unknown:
      'Whether the default of `status`, `active`, may also be sent, and what the legacy aliases `scheduled` and `ended` select.',
    meanwhile: 'It may; the sandbox takes `scheduled` for `upcoming` and `ended` for `over`.',
    settledBy: 'A request with each value.',
  },
  {
    id: 'id-forms',
    where: 'Resources',
    unknown: 'Which characters ids consist of, beyond the `auc_` and `lot_` shapes and the UUIDs.',
    meanwhile:
      'Any text is taken for an id, in a path only where it reaches the service as one unchanged segment.',
    settledBy: 'The form of each id.',
  },
  {
    id: 'media-url-forms',
    where: 'Resources, Event lot; Workflow record, document; Event types',
    unknown:
      'The exact form of the addresses in `images`, `documents`, `download_url` and `refresh_path`: with a query or without, absolute or a path, with a front-controller segment or without.',
    meanwhile:
      'Only addresses on the configured origin and under the API prefix are signed, and none with percent-encoding in its path; anything else is refused before a header is made.',
    settledBy: 'A recorded reply with each of them.',
  },
  {
    id: 'page-envelope-details',
    where: 'Resources, Pagination',
    unknown:
      'What a list answers past its last page and what `last_page` says of an empty list, and whether pages carry `server_time` or `request_id`.',
    meanwhile: 'A walk ends where the newest page says that it is the last; further fields pass through.',
    settledBy: 'A recorded empty list, and a page past the end.',
  },
  {
    id: 'reply-envelopes',
    where: 'Endpoints, Conventions; Resources, Workflow record',
    unknown:
      'Which replies carry `server_time` and `request_id` beyond the described ones, such as A11 and A63.',
    meanwhile: 'Both are optional everywhere, and used where they come.',
    settledBy: 'A recorded reply of each operation.',
  },
  {
    id: 'record-kinds',
    where: 'Resources, Workflow record',
    unknown: 'Values of `kind` beside the shown ones, and the states of each kind beside the shown ones.',
    meanwhile: 'Both are open strings; an unknown one passes through.',
    settledBy: 'The list of kinds, with their states.',
  },
  {
    id: 'command-reply-kinds',
    where: 'Endpoints',
    unknown:
      'Which record a command returns where it touches two: A23 the sale or an acknowledgment, A48 the request or the refund, A75 the acknowledgment or the notification.',
    meanwhile:
      'The record that the states table moves is expected, for A23 the sale; `kind` is open, so another one passes.',
    settledBy: 'A recorded reply of each.',
  },
  {
    id: 'winner-update-list',
    where: 'Winner updates; Non-record read shapes',
    unknown: 'The name of the list of updates, and where `next_cursor` stands in the reply.',
    meanwhile:
      'The list is `data`, or the one array that the reply or its `data` holds; `next_cursor` is read beside it or at the top.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'winner-update-fields',
    where: 'Non-record read shapes, Winner update',
    unknown: 'Fields of an update.',
    meanwhile: 'Updates are open objects; nothing in them is checked.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'winner-update-limit',
    where: 'Limits; Winner updates',
    unknown: 'The maximum of `limit`, and whether the 50 of the example is what applies without it.',
    meanwhile: 'Any whole number from 1 is sent, and nothing where none is given.',
    settledBy: 'A request with a large limit, and one without.',
  },
  {
    id: 'winner-update-ends',
    where: 'Winner updates',
    unknown:
      'Where a walk without a cursor begins, what `next_cursor` says at the end, and how long a cursor stays good.',
    meanwhile:
      'A cursor that is missing, null, or the one just asked for ends a walk; one that was walked before is an error, and so is one that the service refuses.',
    settledBy: 'A recorded walk to its end, and one from an old cursor.',
  },
  {
    id: 'inventory-values-form',
    where: 'Inventory, A59 and A60',
    unknown:
      'Whether `values`, an array keyed by field id, is a JSON object or a JSON array, and of what entries.',
    meanwhile: 'An object keyed by field id, or an array, is sent as it is given.',
    settledBy: 'A created vehicle.',
  },
  {
    id: 'inventory-duplicates',
    where: 'Inventory, A59',
    unknown: 'How a duplicate `external_id` is answered.',
    meanwhile: 'A 200 is the record that came, new or old; anything else is an error by its status.',
    settledBy: 'A second vehicle with the same `external_id`.',
  },
  {
    id: 'inventory-status-values',
    where: 'States and transitions, Inventory vehicle',
    unknown: 'Values of `status` beside `draft` and `ready`, such as the word for a published vehicle.',
    meanwhile: 'The field is an open string.',
    settledBy: 'The list of values.',
  },
  {
    id: 'inventory-conflict-code',
    where: 'Errors, Codes; Inventory, A60',
    unknown: 'Code and message of the 409 on a ready or published vehicle.',
    meanwhile: 'It is a plain ConflictError, unless its message names the version or the idempotency key.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'inventory-version-source',
    where: 'Inventory, A60; Versioning',
    unknown:
      'Where to read a vehicle and its `inventory_version` when no record of its last command is at hand: no read is described.',
    meanwhile: 'The version is taken from the record that is passed, or given by the caller.',
    settledBy: 'A read of inventory vehicles.',
  },
  {
    id: 'inventory-schema-fields',
    where: 'Non-record read shapes, Inventory schema',
    unknown: 'The shape of `fields` and of its entries.',
    meanwhile: 'An array or an object of unknown values is accepted.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'inventory-schema-actors',
    where: 'Inventory, A63',
    unknown:
      'Whether partners can read schemas: only banks are named, yet a projection for partners is described.',
    meanwhile: 'The method stands on the client of a bank only.',
    settledBy: 'The `operations` of a partner profile.',
  },
  {
    id: 'document-upload-bounds',
    where: 'Limits',
    unknown: 'Bounds of A72: size, media types, length of the file name.',
    meanwhile:
      'Nothing is refused because of them; the sandbox takes any file that its `maxBodyBytes` has room for, under a name of up to 255 characters without slashes, backslashes and control characters.',
    settledBy: 'The list of bounds.',
  },
  {
    id: 'document-base64-form',
    where: 'Documents and notifications, A72',
    unknown: 'Which base64 `content_base64` takes: alphabet, padding, line breaks.',
    meanwhile: 'The standard alphabet, padded, without line breaks; anything else is refused locally.',
    settledBy: 'An upload in another form.',
  },
  {
    id: 'document-purposes',
    where: 'Documents and notifications, A72',
    unknown: 'Values of `purpose` beside `payment_evidence`.',
    meanwhile: 'Any non-empty string is sent; the sandbox makes no difference between them.',
    settledBy: 'The list of values.',
  },
  {
    id: 'document-digest-encoding',
    where: 'Workflow record, document',
    unknown:
      'How `digest` spells the SHA-256: hexadecimal or base64, in which case, with a prefix or without.',
    meanwhile:
      'It stays the string that came; nothing is checked against it; the sandbox sends lower-case hex without a prefix.',
    settledBy: 'A recorded document.',
  },
  {
    id: 'document-states',
    where: 'States and transitions, document',
    unknown: 'States beside `awaiting_scan` and `ready`, such as that of a file that the scanner refuses.',
    meanwhile:
      'The field is an open string; no state is taken for another; the sandbox finds every file clean.',
    settledBy: 'The list of states.',
  },
  {
    id: 'document-download-reply',
    where: 'Documents and notifications, A73',
    unknown: 'The headers of a download, and what is answered for one before the state is `ready`.',
    meanwhile:
      'Type, length and disposition are read where they come; an early download is an error by its status; the sandbox answers a 409 with a message, and until the state is `ready` its `download_url` is null.',
    settledBy: 'A recorded download, and one of a document that awaits its scan.',
  },
  {
    id: 'notification-fields',
    where: 'Non-record read shapes, Notification',
    unknown: 'Values of `type`, and the form of `subject` and `acknowledgment`.',
    meanwhile: '`type` is an open string; the others may be a string or an object.',
    settledBy: 'A recorded reply, before and after an acknowledgment.',
  },
  {
    id: 'notification-ack-values',
    where: 'Documents and notifications, A75; Workflow record, notification_ack',
    unknown: 'The value of `status` that acknowledges delivery, and the states of the record.',
    meanwhile: 'Any non-empty `status` is sent; the state is an open string.',
    settledBy: 'The list of values.',
  },
  {
    id: 'webhook-subscription-reply',
    where: 'Webhook subscription',
    unknown:
      'Fields of the reply to A13, the name of the secret among them, and whether a resend under the same key shows the secret again.',
    meanwhile: 'The whole JSON object of a 200 or 201 is handed on as it came.',
    settledBy: 'A recorded reply, and its replay.',
  },
  {
    id: 'webhook-verify-call',
    where: 'Webhook subscription',
    unknown: 'Path and body of the call that has a subscription verified and active.',
    meanwhile: 'There is no method for it; `client.request()` can send it once it is known.',
    settledBy: 'Its description.',
  },
  {
    id: 'webhook-operative',
    where: 'Events, Delivery model',
    unknown:
      'Whether webhooks are delivered at all: signed events are described, yet A13 is listed as not callable and capabilities report them as off.',
    meanwhile:
      'Nothing depends on a delivery: winner updates can be polled, and a 404 on A13 says that it is not open.',
    settledBy: 'A capability that says `enabled`, or a delivery.',
  },
  {
    id: 'webhook-emitters',
    where: 'Events, Event types',
    unknown:
      'Which operations emit `sale.payment_status_changed`, `vehicle.status_changed` and `sale.rejected`.',
    meanwhile:
      'The events are typed; nothing waits for one after a command; in the inbox of the sandbox A45 tells of `sale.payment_status_changed`.',
    settledBy: 'A recorded delivery after each command.',
  },
  {
    id: 'webhook-delivery-timing',
    where: 'Events, Event types',
    unknown: 'Intervals between the attempts of a delivery, and how long each may take.',
    meanwhile: 'No time is counted on.',
    settledBy: 'Stated intervals and timeouts.',
  },
  {
    id: 'schedule-direction-values',
    where: 'Events, Event types',
    unknown: 'The `direction` of a close that was shortened.',
    meanwhile: 'The field is an open string; the times in the event tell.',
    settledBy: 'A recorded delivery.',
  },
  {
    id: 'tunnelled-method-place',
    where: 'Endpoints, Conventions, 4',
    unknown: 'Whether `_method` must stand at a certain place in the body of a tunnelled PATCH or PUT.',
    meanwhile: 'It is a member of the JSON object like any other.',
    settledBy: 'An accepted command with `_method` first, and one with it last.',
  },
  {
    id: 'key-retention',
    where: 'Bids, Bid rules, 9; Endpoints, Conventions, 3',
    unknown: 'How long the service remembers an idempotency key.',
    meanwhile:
      'A call resends identical bytes until its deadline; resending under the same key later is for the caller to decide.',
    settledBy: 'A stated period.',
  },
  {
    id: 'key-in-flight',
    where: 'Endpoints, Conventions, 3',
    unknown: 'What a command is answered while the first copy under its key is still being processed.',
    meanwhile:
      "A 409 in the service's own words refuses that copy only: an earlier one in doubt stays in doubt, and may be settled by sending the same bytes again.",
    settledBy: 'Two copies of a command at the same moment.',
  },
  {
    id: 'credential-expiry',
    where: 'Authentication, Scopes',
    unknown: 'When credentials expire, and whether the service says so beforehand.',
    meanwhile: 'They are used until they are refused; the refusal says what to ask the bank for.',
    settledBy: 'Stated periods.',
  },
  {
    id: 'key-rotation',
    where: 'Authentication, Scopes',
    unknown: 'How a key is rotated, and whether the old and the new one overlap.',
    meanwhile: 'Credentials may come from a function, which is asked again after `KEY_REVOKED`.',
    settledBy: 'The procedure.',
  },
  {
    id: 'workflow-error-codes',
    where: 'Errors, Codes',
    unknown: 'Codes of the workflow operations beyond the listed ones.',
    meanwhile: 'A code that is not listed passes through, and the status decides the class of the error.',
    settledBy: 'The list of codes.',
  },
  {
    id: 'expected-version-conflict',
    where: 'Errors, Codes',
    unknown: 'Code and status of an `expected_version` that is no longer current.',
    meanwhile:
      'A code that contains VERSION, a 409 or 412 whose message names the version, or a 422 about `expected_version` is a VersionConflictError; any other 409 or 412 is a ConflictError; the sandbox answers a 409 whose message names it.',
    settledBy: 'A command with an old version.',
  },
  {
    id: 'retry-after-form',
    where: 'Errors, Codes',
    unknown: 'Whether `Retry-After` gives seconds or a date, and whether every 429 has it.',
    meanwhile: 'Both forms are read; without the header the back-off of the client applies.',
    settledBy: 'A recorded 429.',
  },
  {
    id: 'capability-quotas',
    where: 'Limits',
    unknown: 'Quota values in capabilities: names and numbers.',
    meanwhile:
      'They pass through unread; the budget is 120 requests a minute unless the client says otherwise.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'api-deprecation',
    where: 'Versioning',
    unknown: 'How operations are deprecated, and how a version after `v1` would be addressed.',
    meanwhile: 'Paths begin with `/api/v1`; another version needs another release of the SDK.',
    settledBy: 'A stated policy.',
  },
  {
    id: 'release-and-transfer-version',
    where: 'Release, collection, transfer, A52 and A57',
    unknown:
      "Whose version `expected_version` is: the sale's, or that of a release or transfer recorded before.",
    meanwhile:
      "The sale's is sent; the caller may give another one; the sandbox expects the sale's in A52, and moves it.",
    settledBy: 'An accepted second A57 on one sale.',
  },
  {
    id: 'new-record-version',
    where: 'Sale, negotiation, cancellation, A24 and A26; Payments, receipts, refunds, disputes, A45 and A47',
    unknown:
      'Whose version `expected_version` is where a command on a record makes a new one, and whether it moves the version of the first.',
    meanwhile:
      'That of the record in the path is sent; read it again before the next command; in the sandbox A24 moves the version of the sale, and so do the answer and the lapse of the offer; A45 moves the versions of payment and sale.',
    settledBy: 'Two such commands on one record, with its version read in between.',
  },
  {
    id: 'active-offer-shape',
    where: 'Workflow record, sale; Sale, negotiation, cancellation, A21',
    unknown:
      'Fields of `active_offer`, whether it is null or absent where there is no offer, and whether items of A20 have it.',
    meanwhile:
      'It is an open object, null or absent; in the sandbox A21 has the record of the offer with its `sale_id`, or null, and A20 has nothing.',
    settledBy: 'A recorded A21 and A20 of one sale, with and without an offer.',
  },
  {
    id: 'sale-states',
    where: 'States and transitions, Workflow records, sale',
    unknown:
      'What `state` says before the bank has decided (described as a provisional award), and after a rejection, an acknowledgment, a cancellation, a payment, a release.',
    meanwhile:
      'The field is an open string; only `approved` is known; the sandbox says `pending_bank_approval` before the decision, and `approved` ever after.',
    settledBy: 'The list of states.',
  },
  {
    id: 'sale-absent-fields',
    where: 'Workflow record, sale',
    unknown: 'Which fields of a sale are null or absent before the decision, beside `acknowledged_at`.',
    meanwhile: 'All of them may be absent; buyer, terms, due time and payee may be null too.',
    settledBy: 'A recorded sale before and after its approval.',
  },
  {
    id: 'approval-after-an-offer',
    where: 'Sale, negotiation, cancellation, A22',
    unknown: 'Whether a sale can be approved at its bid once an offer on it was declined or has lapsed.',
    meanwhile: 'It is sent; the sandbox approves it without an `offer_id`, at the amount of the bid.',
    settledBy: 'An approval after a declined offer.',
  },
  {
    id: 'offer-states',
    where: 'States and transitions, Workflow records, offer',
    unknown: 'What `state` says of an offer that was superseded or has lapsed.',
    meanwhile:
      'The field is an open string; only `open`, `accepted` and `declined` are known; the sandbox says `superseded` and `expired`.',
    settledBy: 'A recorded offer of each kind.',
  },
  {
    id: 'decision-values',
    where: 'Endpoints, A09, A22, A27, A38 and A48',
    unknown: 'Values of `decision` beside `approved` and `verified`, such as those that reject.',
    meanwhile: 'Any non-empty string is sent; the sandbox refuses others with a 422 on `decision`.',
    settledBy: 'The list of values of each operation.',
  },
  {
    id: 'second-approver-reply',
    where: 'Sale, negotiation, cancellation, A22; Payments, receipts, refunds, disputes, A38',
    unknown:
      'What a decision is answered while a second person has yet to approve it: status, state, version.',
    meanwhile: 'A 200 is not read as an approval; only the state of the record is.',
    settledBy: 'A decision under such a policy.',
  },
  {
    id: 'reason-after-decision',
    where: 'Workflow record, offer and refund_request',
    unknown:
      'Whose `reason` stands in `data` after a response or decision: that of the request or of the answer.',
    meanwhile: 'It is passed on as it came; in an offer of the sandbox that of the bank stays.',
    settledBy: 'A recorded request and decision with different reasons.',
  },
  {
    id: 'unshown-transitions',
    where: 'States and transitions',
    unknown:
      'How a dispute leaves `open`, a release becomes `expired`, a refund `processing`, `succeeded` or `failed`, a payment report rejected, a transfer anything that A57 did not record, and where a refund is `requested`.',
    meanwhile:
      'No state is expected after another; states are read, never derived; in the sandbox a valid release expires at its `expires_at`.',
    settledBy: 'A description of these moves.',
  },
  {
    id: 'eligibility-types',
    where: 'Non-record read shapes, Eligibility snapshot',
    unknown:
      'Types of `eligible`, `diagnostic_only`, `errors`, `notice` and of the two prices, whether the expiries are dates or date-times, and what is null or absent where dealer or lot is not permitted.',
    meanwhile:
      '`eligible` must be a boolean; the prices are decimal strings like all money, `errors` strings; all but `eligible` and `lot_id` may be absent.',
    settledBy: 'A recorded reply of each outcome.',
  },
  {
    id: 'eligibility-status-values',
    where: 'Non-record read shapes, Eligibility snapshot',
    unknown: 'Values of `kyc_status` and `emd_status` beside `approved` and `pending`.',
    meanwhile: 'Both are open strings.',
    settledBy: 'The list of values.',
  },
  {
    id: 'eligibility-parameters',
    where: 'Integration, eligibility, bids, lot status, A03',
    unknown:
      'Which of `lot_id`, `bidder_reference` and `amount` are required, and whether a direct dealer may name a buyer.',
    meanwhile: '`lot_id` is required; the others are sent where they are given, by whatever kind of partner.',
    settledBy: 'A request without each of them, by each kind of partner.',
  },
  {
    id: 'results-entitlement-code',
    where: 'Authentication, Access checks',
    unknown: 'Status and code of `/results` without the results entitlement.',
    meanwhile: 'A 403 is a PermissionError, whatever its code; the sandbox says `AUCTION_ACCESS_DENIED`.',
    settledBy: 'A call without the entitlement.',
  },
  {
    id: 'party-shapes',
    where: 'Sale, negotiation, cancellation, A22; Release, collection, transfer; Workflow record',
    unknown:
      'Whether `payee_instructions`, `recipient`, `yard`, `collector`, `vehicle_identity` and `responsible_party` are texts or objects, and of which fields.',
    meanwhile:
      'Both are accepted, both ways; a text that is sent must not be empty; the sandbox wants the registration or the chassis number for `vehicle_identity`, as the text or as one value of the object.',
    settledBy: 'A recorded request and reply with each of them.',
  },
  {
    id: 'request-time-forms',
    where: 'Sale, negotiation, cancellation, A22; Release, collection, transfer, A57',
    unknown: 'The form of `due_at` and `occurred_at`, and whether times without a zone are taken anywhere.',
    meanwhile: 'Every time that is sent is an ISO 8601 date-time with a zone; others are refused locally.',
    settledBy: 'A command with each form.',
  },
  {
    id: 'payment-method-values',
    where: 'Payments, receipts, refunds, disputes, A36',
    unknown: 'Values of `method` beside `bank_transfer`.',
    meanwhile: 'Any non-empty string is sent; the sandbox takes `bank_transfer` only.',
    settledBy: 'The list of values.',
  },
  {
    id: 'payment-states',
    where: 'States and transitions; Workflow record, payment',
    unknown:
      'States of a payment beside `succeeded`, and values of `settlement_state` beside `bank_received`.',
    meanwhile: 'Both are open strings.',
    settledBy: 'The list of values.',
  },
  {
    id: 'payment-dues-states',
    where: 'Non-record read shapes, Payment dues',
    unknown: 'Values of `state` beside `unpaid`, such as those for a sale that is paid in part or in full.',
    meanwhile:
      'The field is an open string; `remaining` and `excess` tell; the sandbox says `unpaid`, `partially_paid` or `paid`.',
    settledBy: 'The list of values.',
  },
  {
    id: 'projection-versions',
    where: 'Non-record read shapes, Payment dues and Transfer status',
    unknown: 'Of which record `resource_version` is the version in A34 and A58.',
    meanwhile:
      'It is passed on; no command takes its `expected_version` from there; in A34 the sandbox gives that of the sale.',
    settledBy: 'A recorded reply beside the sale itself.',
  },
  {
    id: 'payment-dues-before-approval',
    where: 'Payments, receipts, refunds, disputes, A34',
    unknown: 'What A34 says of a sale that is not approved: a 404, zeros or nulls.',
    meanwhile:
      'The four amounts are required decimal strings; a reply without them is an error; the sandbox answers 404, for zeros would read as paid.',
    settledBy: 'A reply for a sale that is not decided yet.',
  },
  {
    id: 'sale-receipt-items',
    where: 'Non-record read shapes, Receipts',
    unknown: 'Items of `payments`, `documents` and `allocations` in A46.',
    meanwhile: 'They pass through unchecked; in the sandbox they are workflow records, oldest first.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'payment-ids',
    where: 'Payments, receipts, refunds, disputes, A40, A45 and A47',
    unknown: 'What creates a payment, and where its id is learnt: no reply is shown to carry it before A45.',
    meanwhile:
      'The id is whatever the caller gives; items of A46 pass through, ids included; in the sandbox A42 makes the payment, and A46 tells its id.',
    settledBy: 'A recorded payment from its report or receipt on.',
  },
  {
    id: 'record-lists',
    where: 'Endpoints',
    unknown:
      'How records that no list has are found, such as open payment reports, refund and sale cancellation requests, offers, disputes and releases.',
    meanwhile: 'They are read by the ids that commands, sales and notifications give.',
    settledBy: 'A list of each kind.',
  },
  {
    id: 'bank-receipt-duplicates',
    where: 'Payments, receipts, refunds, disputes, A42',
    unknown:
      'How an entry that was imported before, under another idempotency key, is answered; and whether `utr` or `external_transaction_id` is its identity.',
    meanwhile:
      'A 200 is the record that came, new or old; anything else is an error by its status; the sandbox answers an equal entry with the record that is there, and a 409 where one of the two ids is known on that account and anything differs.',
    settledBy: 'One entry imported twice, under two keys.',
  },
  {
    id: 'evidence-not-ready',
    where: 'Events, Notifications',
    unknown:
      'How a command is answered whose `evidence_id` names a document that is not scanned yet, or not clean.',
    meanwhile:
      'It is sent; whatever comes is an error by its status; the sandbox answers a 422 on `evidence_id`.',
    settledBy: 'A command with such a document.',
  },
  {
    id: 'refund-execution',
    where: 'Workflow record, refund',
    unknown: 'Whether `execution` is a text or an object, and of which fields or values.',
    meanwhile: 'It passes through unchecked.',
    settledBy: 'A recorded refund of each state.',
  },
  {
    id: 'refund-request-id',
    where: 'Workflow record, refund',
    unknown: 'Whether `request_id` of a refund names its refund request or the API call.',
    meanwhile: 'It is passed on, and nothing is looked up by it.',
    settledBy: 'A recorded refund beside its request.',
  },
  {
    id: 'release-used-revocation',
    where: 'Release, collection, transfer, A54',
    unknown: 'How revoking a used authorisation is answered, and where the exception that it opens is found.',
    meanwhile:
      'A 200 is the record that came, to be read by its state; anything else is an error by its status; the sandbox answers a 409 with a message.',
    settledBy: 'A revocation after the collection.',
  },
  {
    id: 'transfer-states',
    where: 'States and transitions; Release, collection, transfer, A57',
    unknown:
      'Values of `status` in A57 beside `submitted`, and how the state of pending documents is spelt on the wire.',
    meanwhile: 'Any non-empty `status` is sent; states are open strings.',
    settledBy: 'The list of values.',
  },
  {
    id: 'transfer-verification-values',
    where: 'Workflow record, transfer',
    unknown: 'Values of `verification` beside `operator_reported`.',
    meanwhile: 'The field is an open string.',
    settledBy: 'The list of values.',
  },
  {
    id: 'transfer-document-checklist',
    where: 'Release, collection, transfer, A57',
    unknown: 'What the strings of `document_checklist` are: names or ids, of documents needed or at hand.',
    meanwhile: 'Any non-empty strings are sent, and the list may be left out.',
    settledBy: 'A recorded request and its meaning.',
  },
  {
    id: 'transfer-milestones',
    where: 'Non-record read shapes, Transfer status',
    unknown: 'Items of `milestones` in A58.',
    meanwhile: 'They pass through unchecked.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'event-revision',
    where: 'Resources, Event',
    unknown:
      'When `revision` changes, and how it relates to the `resource_version` of `auction.schedule_changed`.',
    meanwhile: 'It is passed on; nothing is compared with it.',
    settledBy: 'An event read before and after a change of its schedule.',
  },
  {
    id: 'buyer-limit-and-emd',
    where: 'Limits; Errors, Codes',
    unknown: 'Whether a bid is held to `buyer_limit` while the EMD is valid, or to the two added up.',
    meanwhile:
      'The service judges; the sandbox takes `buyer_limit` as the bound and a valid EMD as a condition.',
    settledBy: 'A bid between the two figures.',
  },
  {
    id: 'buyer-of-a-direct-dealer',
    where: 'Catalogue and events',
    unknown: 'What is answered to a direct dealer who asks for the standing of a buyer.',
    meanwhile: 'It is refused locally; the sandbox answers 422 with the field.',
    settledBy: 'Such a request.',
  },
  {
    id: 'bidder-reference-in-queries',
    where: 'Bids; Integration, eligibility, bids, lot status, A03 and A11',
    unknown: 'Which characters `bidder_reference` may have where only its length is stated.',
    meanwhile: 'Those of a bid, everywhere: no other reference can have bid.',
    settledBy: 'A query with another character.',
  },
  {
    id: 'webhook-transient-failures',
    where: 'Events, Delivery model',
    unknown:
      'Which answers and failures of a receiver count as transient, so that a delivery is tried again.',
    meanwhile: 'Nothing is promised for any answer but 2xx.',
    settledBy: 'Deliveries answered with a 4xx, a 5xx and not at all.',
  },
];
