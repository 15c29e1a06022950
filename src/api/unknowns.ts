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
      'Names sort by their UTF-8 bytes before encoding; parameters of one name keep the order they came in; the sandbox signs them in the order sent.',
    settledBy: 'A signed request with a repeated name, accepted by the service.',
  },
  {
    id: 'query-repeated-values',
    where: 'Endpoints',
    unknown: 'What an operation makes of a query parameter that is sent twice.',
    meanwhile: 'No method sends one twice; the sandbox answers a 422 on it.',
    settledBy: 'A signed request with a repeated parameter.',
  },
  {
    id: 'distribution-mode-values',
    where: 'Resources, Event',
    unknown: 'Values of `distribution_mode` beside `syndicated`.',
    meanwhile: 'The field is an open string; the sandbox says `syndicated`.',
    settledBy: 'The list of values.',
  },
  {
    id: 'bid-created-at-zone',
    where: 'Resources, Bid list item',
    unknown: 'The time zone of `created_at`, which has no offset.',
    meanwhile: 'It stays the string that came; the sandbox gives UTC.',
    settledBy: 'A statement of the zone.',
  },
  {
    id: 'vehicle-details-types',
    where: 'Resources, Event lot',
    unknown: 'Types of the standard keys of `vehicle_details`: values keep their saved types.',
    meanwhile:
      'Strings and null are expected, `year` also as a string; `condition` is left unknown; the sandbox sends strings, a number for `year`, and null for an unknown yard.',
    settledBy: 'A schema of the standard keys.',
  },
  {
    id: 'wire-partner-type',
    where: 'Non-record read shapes, Profile',
    unknown: 'The values of `environment` and `partner_type` on the wire.',
    meanwhile:
      'Both are open strings; nothing is refused because of them; the sandbox says `sandbox`, and `direct_dealer`, `platform` or `aggregator`.',
    settledBy: 'The list of values.',
  },
  {
    id: 'policy-version-type',
    where: 'Non-record read shapes; Workflow record; Inventory, A59',
    unknown:
      'Whether `policy_version`, `terms_version`, `payee_version` and the `schema_version` of inventory are strings or integers.',
    meanwhile:
      'Both are accepted, both ways, and passed on as they came; the sandbox gives `policy_version` as a string.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'capability-operations',
    where: 'Non-record read shapes, Capabilities',
    unknown: 'The item shape of `operations` in A02.',
    meanwhile: 'Items pass through unchecked; the sandbox lists them as in the profile.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'capability-values',
    where: 'Non-record read shapes, Capabilities',
    unknown:
      'Values of the visibility policies, of `cancellation_mode`, `sale_approval` and `payment_verification`.',
    meanwhile:
      'All are open strings; the sandbox says `highest_amount`, `own_standing`, `bank_approval`, `bank` and `bank`.',
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
      'It is an open object; where it holds the id of the bid, the caller can read the bid with A05; the sandbox repeats `data` of the reply to the bid.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'lookup-unknown-key',
    where: 'Integration, eligibility, bids, lot status, A06',
    unknown: 'Whether a 404 can come for a key that was never sent.',
    meanwhile: 'A 404 is an error and never read as `absent`; the sandbox says `absent`.',
    settledBy: 'A look-up of an unused key.',
  },
  {
    id: 'nonce-retention',
    where: 'Authentication, Canonical string',
    unknown: 'How long the service remembers a nonce.',
    meanwhile:
      'Every attempt has a fresh one; the sandbox remembers nonces for 600 seconds, twice the clock difference.',
    settledBy: 'A stated period.',
  },
  {
    id: 'cancellation-reason-codes',
    where: 'Resources, Non-record read shapes',
    unknown: 'Allowed values of `reason_code` on A07, A26 and A50.',
    meanwhile: 'Any non-empty string is sent; the sandbox takes any.',
    settledBy: 'The list of values.',
  },
  {
    id: 'command-required-fields',
    where: 'Endpoints',
    unknown: 'Which fields of a command are required: the text lists them without saying so.',
    meanwhile:
      'Required is what is listed, but for reasons, explanations, evidence, external references, the checklist of A57 and what A60 changes; on A22 and A38 only the decision and the version, because another decision than the shown one may not need the rest. What is given must not be empty; the rest the service judges; the sandbox requires the same.',
    settledBy: 'A command without each of them.',
  },
  {
    id: 'bid-cancellation-evidence',
    where: 'Integration, eligibility, bids, lot status, A07',
    unknown: 'The field name of supporting evidence.',
    meanwhile: 'The option `extraBody` sends it under whatever name the bank gives; the sandbox refuses any.',
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
      'How a lot is awarded again when the leading bid is cancelled after the close, and which operation approves that.',
    meanwhile:
      'Sales are read as they come; in the sandbox the pending sale stays, can neither be approved nor negotiated, and no other one opens, unless it is switched to open one for the next bid.',
    settledBy: 'A cancellation after the close, followed to its end.',
  },
  {
    id: 'bid-cancellation-filters',
    where: 'Integration, eligibility, bids, lot status, A08',
    unknown: 'The names of the parameters that filter by bid, lot and decision status.',
    meanwhile:
      'The option `extraQuery` sends them under whatever names the bank gives; the sandbox refuses any.',
    settledBy: 'The parameter names.',
  },
  {
    id: 'dispute-desired-resolution',
    where: 'Payments, receipts, refunds, disputes, A50',
    unknown: 'The field name of the desired resolution, and its values.',
    meanwhile:
      'The option `extraBody` sends it under whatever name the bank gives; the sandbox refuses any, or takes `desired_resolution`.',
    settledBy: 'The field name and the list of values.',
  },
  {
    id: 'status-batch-size',
    where: 'Limits',
    unknown: 'Whether 100 lots in A11 is a hard maximum: it is proposed, not confirmed.',
    meanwhile: 'Larger batches are passed through, not refused; the sandbox refuses them with a 422.',
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
    id: 'rate-limit-place',
    where: 'Limits',
    unknown: 'Whether requests that are refused for their signature count against the rate limit.',
    meanwhile: 'The client counts every attempt; so does the sandbox, for clients that it knows.',
    settledBy: 'A minute of wrongly signed requests, followed by a right one.',
  },
  {
    id: 'legacy-auctions',
    where: 'Bids, Bid rules',
    unknown: 'Which field marks a legacy auction.',
    meanwhile:
      'No minimum is enforced locally; only format and grid are; the sandbox marks them with nothing.',
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
    unknown: 'The order of lists.',
    meanwhile:
      'Pagers keep the order that comes; the sandbox lists events by start, results by the latest close, and bids, records and messages newest first.',
    settledBy: 'A recorded list.',
  },
  {
    id: 'lots-listed',
    where: 'Catalogue and events',
    unknown: 'Whether `/lots` holds lots of auctions that are not live.',
    meanwhile:
      'Every lot that comes is passed on, with its `status`; the sandbox lists those of live auctions.',
    settledBy: 'A recorded list while an auction is upcoming.',
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
    meanwhile:
      'The code decides the class of the error, whichever status it comes with; the sandbox answers a 401.',
    settledBy: 'A recorded reply for each kind of inactive client.',
  },
  {
    id: 'bank-unavailable-status',
    where: 'Errors, Codes',
    unknown: 'Which layer answers `BANK_UNAVAILABLE` with a 402, and which with a 403.',
    meanwhile:
      'The code decides the class of the error, whichever status it comes with; the sandbox answers a 402.',
    settledBy: 'A recorded reply of each layer.',
  },
  {
    id: 'idempotency-conflict-message',
    where: 'Errors, Codes',
    unknown: 'The words of an idempotency conflict that comes as a message instead of a code.',
    meanwhile:
      'On a command, a 409 whose message names idempotency is read as one. A bid answered by a 409 without a code is looked up, and its record read (A05): it counts if lot, amount and buyer are the same. The sandbox sends the code.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'receipt-highest-amount-type',
    where: 'Resources, Bid submission response envelope',
    unknown: 'Whether `highest_amount` of a bid receipt is a string or, like `current_amount`, a number.',
    meanwhile: 'Both are accepted; it reaches the caller as a decimal string; the sandbox sends a string.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'receipt-highest-when-closed',
    where: 'Resources, Bid submission response envelope',
    unknown: 'Whether a bid receipt of a closed auction leaves `highest_amount` out or says null.',
    meanwhile: 'Both are accepted; the sandbox leaves it out.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'webhook-timestamp-format',
    where: 'Authentication, Webhook delivery signature',
    unknown: 'The format of `Service-Timestamp`.',
    meanwhile: 'Unix seconds in plain digits; anything else is refused. The sandbox sends Unix seconds.',
    settledBy: 'A recorded delivery.',
  },
  {
    id: 'message-only-refusals',
    where: 'Errors, Shapes',
    unknown:
      'Whether a bare `{message}` under 401, 402, 403, 405 or 413 is the service or a gateway before it.',
    meanwhile:
      'It counts as the service, as under 404; under 422 on a bid it does not, and the effect stays unknown; the sandbox says 405 and 413 itself, with a message.',
    settledBy: 'A recorded reply of each status.',
  },
  {
    id: 'webhook-verification-shape',
    where: 'Events, Event types',
    unknown: 'Where in a `webhook.endpoint_verification` delivery `challenge` stands, and its other fields.',
    meanwhile:
      'It is read at the top level and in `data`; the sandbox has it at the top level, beside an empty `data`.',
    settledBy: 'A recorded delivery.',
  },
  {
    id: 'webhook-open-payloads',
    where: 'Events, Event types',
    unknown: 'Payloads of most subscribable event types.',
    meanwhile:
      '`data` is an open object; the sandbox puts the workflow record into it, with `resource_id`, `resource_version`, `sale_id` and `lot_id`.',
    settledBy: 'A recorded delivery of each type.',
  },
  {
    id: 'unlisted-operation-ids',
    where: 'Endpoints',
    unknown:
      'The ids of the operations that the text gives none, such as submitting a bid, and whether A04, which no list has, is one of them.',
    meanwhile:
      'Those have slugs of the SDK, such as `bids.submit`; ids in the profile that match no operation pass through; the sandbox lists them under the same slugs.',
    settledBy: 'A recorded profile.',
  },
  {
    id: 'unnamed-actors',
    where: 'Catalogue and events; Bids; Winner updates; Webhook subscription',
    unknown: 'Who may call the operations for which no actor is named.',
    meanwhile:
      'They stand on both clients, but for submitting a bid, which only partners are described as doing; the sandbox lets both in.',
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
      'Any text is taken for an id, in a path only where it reaches the service as one unchanged segment; those of the sandbox are a kind, `_` and hex digits.',
    settledBy: 'The form of each id.',
  },
  {
    id: 'media-url-forms',
    where: 'Resources, Event lot; Workflow record, document; Event types',
    unknown:
      'The exact form of the addresses in `images`, `documents`, `download_url` and `refresh_path`: with a query or without, absolute or a path, with a front-controller segment or without.',
    meanwhile:
      'Only addresses on the configured origin and under the API prefix are signed, and none with percent-encoding in its path; anything else is refused before a header is made; the sandbox gives absolute addresses without a query, with the segment that clients use.',
    settledBy: 'A recorded reply with each of them.',
  },
  {
    id: 'page-envelope-details',
    where: 'Resources, Pagination',
    unknown: 'Whether pages carry `server_time` or `request_id`.',
    meanwhile:
      'Further fields pass through; pages of the sandbox carry neither, but for those with an envelope of their own.',
    settledBy: 'A recorded page of each list.',
  },
  {
    id: 'page-past-the-end',
    where: 'Resources, Pagination',
    unknown: 'What a list answers past its last page.',
    meanwhile:
      'A walk ends where the newest page says that it is the last, and asks for none behind it; the sandbox answers a page without items.',
    settledBy: 'A recorded page past the end.',
  },
  {
    id: 'empty-list-last-page',
    where: 'Resources, Pagination',
    unknown: 'What `last_page` says of an empty list.',
    meanwhile: '0 and 1 both end a walk; the sandbox says 1.',
    settledBy: 'A recorded empty list.',
  },
  {
    id: 'reply-envelopes',
    where: 'Endpoints, Conventions; Resources, Workflow record',
    unknown:
      'Which replies carry `server_time` and `request_id` beyond the described ones, such as A11 and A63.',
    meanwhile:
      'Both are optional everywhere, and used where they come; the sandbox sends what is described, and `server_time` with A11 and A63.',
    settledBy: 'A recorded reply of each operation.',
  },
  {
    id: 'accept-header',
    where: 'What the service does, General rules, 9',
    unknown: 'What is answered to a request whose `Accept` is missing or excludes JSON.',
    meanwhile:
      'Every request asks for JSON, downloads aside; the sandbox refuses one that excludes it with a 406 and a message, and takes one without the header.',
    settledBy: 'A request with `Accept: text/html`, and one without the header.',
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
      'The record that the states table moves is expected, for A23 the sale; `kind` is open, so another one passes; the sandbox answers with these.',
    settledBy: 'A recorded reply of each.',
  },
  {
    id: 'winner-update-list',
    where: 'Winner updates; Non-record read shapes',
    unknown: 'The name of the list of updates, and where `next_cursor` stands in the reply.',
    meanwhile:
      'The list is `data`, or the one array that the reply or its `data` holds; `next_cursor` is read beside it or at the top; the sandbox has both at the top, the list as `data`.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'winner-update-fields',
    where: 'Non-record read shapes, Winner update',
    unknown: 'Fields of an update.',
    meanwhile:
      'Updates are open objects; nothing in them is checked; the sandbox tells what a `sale.approved` event would.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'winner-update-limit',
    where: 'Limits; Winner updates',
    unknown: 'The maximum of `limit`, and whether the 50 of the example is what applies without it.',
    meanwhile:
      'Any whole number from 1 is sent, and nothing where none is given; the sandbox takes any, and 50 without one.',
    settledBy: 'A request with a large limit, and one without.',
  },
  {
    id: 'winner-update-ends',
    where: 'Winner updates',
    unknown: 'What `next_cursor` says at the end of a walk.',
    meanwhile:
      'A cursor that is missing, null, or the one just asked for ends a walk; one that was walked before is an error; the sandbox repeats the cursor that was asked with, and says null where none was.',
    settledBy: 'A recorded walk to its end.',
  },
  {
    id: 'winner-update-start',
    where: 'Winner updates',
    unknown: 'Where a walk without a cursor begins.',
    meanwhile: 'It begins where the service begins it; the sandbox begins with the first update.',
    settledBy: 'A walk without a cursor, some time after the first approval.',
  },
  {
    id: 'winner-update-cursor-life',
    where: 'Winner updates',
    unknown: 'How long a cursor stays good, and how an old one is answered.',
    meanwhile: 'A cursor that the service refuses is an error by its status; those of the sandbox stay good.',
    settledBy: 'A walk from an old cursor.',
  },
  {
    id: 'inventory-values-form',
    where: 'Inventory, A59 and A60',
    unknown:
      'Whether `values`, an array keyed by field id, is a JSON object or a JSON array, and of what entries.',
    meanwhile:
      'An object keyed by field id, or an array, is sent as it is given; the sandbox takes an object, or a list of entries with `id` and `value` or keyed by field id.',
    settledBy: 'A created vehicle.',
  },
  {
    id: 'inventory-duplicates',
    where: 'Inventory, A59',
    unknown: 'How a duplicate `external_id` is answered.',
    meanwhile:
      'A 200 is the record that came, new or old; anything else is an error by its status; the sandbox answers a 409 with a message.',
    settledBy: 'A second vehicle with the same `external_id`.',
  },
  {
    id: 'inventory-required-fields',
    where: 'Inventory, A59',
    unknown: 'Whether a draft must have every field that its schema requires.',
    meanwhile: 'What is given is sent; in the sandbox a draft may lack any of them.',
    settledBy: 'A vehicle without one of them.',
  },
  {
    id: 'inventory-value-types',
    where: 'Inventory, A59 and A60; Non-record read shapes, Inventory schema',
    unknown: 'How values are held to the types of their fields, and what takes a value away again.',
    meanwhile:
      'They are sent as they are given; the sandbox answers a value of another type with a 422 on `values.` and the field id, and takes null for any field.',
    settledBy: 'A vehicle with a value of each wrong type, and one with nulls.',
  },
  {
    id: 'inventory-status-values',
    where: 'States and transitions, Inventory vehicle',
    unknown:
      'Values of `status` beside `draft` and `ready`, such as the word for a published vehicle, and those of `vehicle_status` in events.',
    meanwhile:
      'The field is an open string; the sandbox says `published`, and `sold`, `released` and `collected` of a vehicle in a sale.',
    settledBy: 'The list of values.',
  },
  {
    id: 'inventory-conflict-code',
    where: 'Errors, Codes; Inventory, A60',
    unknown: 'Code and message of the 409 on a ready or published vehicle.',
    meanwhile:
      'It is a plain ConflictError, unless its message names the version or the idempotency key; the sandbox answers with a message that names the status.',
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
    meanwhile:
      'An array or an object of unknown values is accepted; the sandbox sends a list of `id`, `label`, `type`, `required`, `private` and, of a choice, `enum_values`.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'inventory-schema-actors',
    where: 'Inventory, A63',
    unknown:
      'Whether partners can read schemas: only banks are named, yet a projection for partners is described.',
    meanwhile: 'The method stands on the client of a bank only; the sandbox refuses partners with a 403.',
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
    meanwhile:
      'The standard alphabet, padded, without line breaks; anything else is refused locally, and by the sandbox too.',
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
      'The field is an open string; no state is taken for another; in the sandbox a file that is found unclean is `rejected` for good.',
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
    meanwhile:
      '`type` is an open string; the others may be a string or an object; in the sandbox `subject` is a headline that names the record, `acknowledgment` an object with `status`, `external_reference` and `acknowledged_at`.',
    settledBy: 'A recorded reply, before and after an acknowledgment.',
  },
  {
    id: 'notification-ack-values',
    where: 'Documents and notifications, A75; Workflow record, notification_ack',
    unknown: 'The value of `status` that acknowledges delivery, and the states of the record.',
    meanwhile:
      'Any non-empty `status` is sent; the state is an open string; the sandbox takes `read` and `delivered`, and the state says the same.',
    settledBy: 'The list of values.',
  },
  {
    id: 'notification-duplicates',
    where: 'Events, Notifications',
    unknown: 'Whether duplicates come in the inbox too, or by mail only.',
    meanwhile:
      'Both are recognised by `id`; the inbox of the sandbox lists a message once, and it sends no mail.',
    settledBy: 'A statement, or a recorded duplicate.',
  },
  {
    id: 'webhook-subscription-reply',
    where: 'Webhook subscription',
    unknown:
      'Fields of the reply to A13, the name of the secret among them, and whether a resend under the same key shows the secret again.',
    meanwhile:
      'The whole JSON object of a 200 or 201 is handed on as it came; the sandbox answers with a record of kind `webhook_subscription` whose `data` has `secret`, and leaves it out of a replay.',
    settledBy: 'A recorded reply, and its replay.',
  },
  {
    id: 'webhook-verify-call',
    where: 'Webhook subscription',
    unknown: 'Path and body of the call that has a subscription verified and active.',
    meanwhile:
      'There is no method for it; `client.request()` can send it once it is known. The sandbox asks the endpoint as soon as it is subscribed, and again by hand.',
    settledBy: 'Its description.',
  },
  {
    id: 'webhook-operative',
    where: 'Events, Delivery model',
    unknown:
      'Whether webhooks are delivered at all: signed events are described, yet A13 is listed as not callable and capabilities report them as off.',
    meanwhile:
      'Nothing depends on a delivery: winner updates can be polled, and a 404 on A13 says that it is not open. The sandbox answers that 404, and delivers to subscriptions made by hand.',
    settledBy: 'A capability that says `enabled`, or a delivery.',
  },
  {
    id: 'webhook-emitters',
    where: 'Events, Event types',
    unknown:
      'Which operations emit `sale.payment_status_changed`, `vehicle.status_changed` and `sale.rejected`.',
    meanwhile:
      'The events are typed; nothing waits for one after a command; in the sandbox A45 tells of `sale.payment_status_changed`, A22, A27 and A56 of `vehicle.status_changed`.',
    settledBy: 'A recorded delivery after each command.',
  },
  {
    id: 'webhook-delivery-timing',
    where: 'Events, Event types',
    unknown: 'Intervals between the attempts of a delivery, and how long each may take.',
    meanwhile:
      'No time is counted on; the sandbox waits 10 s, 30 s, 1, 5 and 15 minutes, 1 and 3 hours between the attempts, and 10 s for an answer.',
    settledBy: 'Stated intervals and timeouts.',
  },
  {
    id: 'schedule-direction-values',
    where: 'Events, Event types',
    unknown: 'The `direction` of a close that was shortened.',
    meanwhile: 'The field is an open string; the times in the event tell. The sandbox says `shortened`.',
    settledBy: 'A recorded delivery.',
  },
  {
    id: 'tunnelled-method-place',
    where: 'Endpoints, Conventions, 4',
    unknown: 'Whether `_method` must stand at a certain place in the body of a tunnelled PATCH or PUT.',
    meanwhile: 'It is a member of the JSON object like any other; the sandbox finds it anywhere.',
    settledBy: 'An accepted command with `_method` first, and one with it last.',
  },
  {
    id: 'key-retention',
    where: 'Bids, Bid rules, 9; Endpoints, Conventions, 3',
    unknown: 'How long the service remembers an idempotency key.',
    meanwhile:
      'One hour is assumed (the option `keyRetention`), counted from when a bid or command is recorded. Nothing is resent unless its timestamp expires within it, and the absence of a bid proves nothing after it. The sandbox remembers keys for good.',
    settledBy: 'A stated period.',
  },
  {
    id: 'unversioned-resend',
    where: 'Endpoints, Conventions, 3',
    unknown:
      'For how long a command without `expected_version` can be sent again under its key without a second effect.',
    meanwhile:
      'It is resent within ten minutes of its first attempt, and within the key retention. After that it needs manual resolution: compare the record that it changes. The sandbox remembers keys for good.',
    settledBy: 'A stated period.',
  },
  {
    id: 'key-in-flight',
    where: 'Endpoints, Conventions, 3',
    unknown: 'What a command is answered while the first copy under its key is still being processed.',
    meanwhile:
      "A 409 in the service's own words refuses that copy only: an earlier one in doubt stays in doubt, and may be settled by sending the same bytes again; the sandbox carries the second copy out, and the first then finds that done.",
    settledBy: 'Two copies of a command at the same moment.',
  },
  {
    id: 'credential-expiry',
    where: 'Authentication, Scopes',
    unknown: 'When credentials expire, and whether the service says so beforehand.',
    meanwhile:
      'They are used until they are refused; the refusal says what to ask the bank for; those of the sandbox expire when it is told so, and are `KEY_REVOKED` then.',
    settledBy: 'Stated periods.',
  },
  {
    id: 'key-rotation',
    where: 'Authentication, Scopes',
    unknown: 'How a key is rotated, and whether the old and the new one overlap.',
    meanwhile:
      'Credentials may come from a function, which is asked again after `KEY_REVOKED`; in the sandbox a hand makes a new key, and the old one is revoked at once.',
    settledBy: 'The procedure.',
  },
  {
    id: 'workflow-error-codes',
    where: 'Errors, Codes',
    unknown: 'Codes of the workflow operations beyond the listed ones.',
    meanwhile:
      'A code that is not listed passes through, and the status decides the class of the error; the sandbox answers what a state does not allow with a 409 and a message.',
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
    meanwhile:
      'Both forms are read; without the header the back-off of the client applies; the sandbox gives seconds.',
    settledBy: 'A recorded 429.',
  },
  {
    id: 'capability-quotas',
    where: 'Limits',
    unknown: 'Quota values in capabilities: names and numbers.',
    meanwhile:
      'They pass through unread; the budget is 120 requests a minute unless the client says otherwise; the sandbox names none.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'api-deprecation',
    where: 'Versioning',
    unknown: 'How operations are deprecated, and how a version after `v1` would be addressed.',
    meanwhile:
      'Paths begin with `/api/v1`; another version needs another release of the SDK; the sandbox announces nothing.',
    settledBy: 'A stated policy.',
  },
  {
    id: 'release-and-transfer-version',
    where: 'Release, collection, transfer, A52 and A57',
    unknown:
      "Whose version `expected_version` is: the sale's, or that of a release or transfer recorded before.",
    meanwhile:
      "The sale's is sent; the caller may give another one; the sandbox expects the sale's in A52 and A57, and moves it.",
    settledBy: 'An accepted second A57 on one sale.',
  },
  {
    id: 'new-record-version',
    where: 'Sale, negotiation, cancellation, A24 and A26; Payments, receipts, refunds, disputes, A45 and A47',
    unknown:
      'Whose version `expected_version` is where a command on a record makes a new one, and whether it moves the version of the first.',
    meanwhile:
      'That of the record in the path is sent; read it again before the next command; in the sandbox A24 moves the version of the sale, and so do the answer and the lapse of the offer, A26 and its decision; A45 moves the versions of payment and sale, A47 that of the payment.',
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
      'The field is an open string; only `approved` is known; the sandbox says `pending_bank_approval` before the decision, `rejected` after a rejection, and `approved` from the approval on, until an approved cancellation makes it `cancelled`.',
    settledBy: 'The list of states.',
  },
  {
    id: 'sale-absent-fields',
    where: 'Workflow record, sale',
    unknown: 'Which fields of a sale are null or absent before the decision, beside `acknowledged_at`.',
    meanwhile:
      'All of them may be absent; buyer, terms, due time and payee may be null too; the sandbox has null for what there is not.',
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
    meanwhile:
      'Any non-empty string is sent; the sandbox refuses others with a 422 on `decision`, or takes `rejected` too, which ends in the state of that name.',
    settledBy: 'The list of values of each operation.',
  },
  {
    id: 'second-approver-reply',
    where: 'Sale, negotiation, cancellation, A22; Payments, receipts, refunds, disputes, A38',
    unknown:
      'What a decision is answered while a second person has yet to approve it: status, state, version.',
    meanwhile:
      'A 200 is not read as an approval; only the state of the record is; the sandbox has one approver, or notes the first decision by the version alone and commits with the second.',
    settledBy: 'A decision under such a policy.',
  },
  {
    id: 'approval-limit-reply',
    where: 'Sale, negotiation, cancellation, A22',
    unknown: 'How an approval above what the bank allows is refused: status, shape, code.',
    meanwhile:
      'It is an error by its status; the sandbox answers a 409 with a message, above the `approvalLimit` of the credential.',
    settledBy: 'Such an approval.',
  },
  {
    id: 'sale-cancellation-holds',
    where: 'States and transitions, Workflow records, sale_cancellation',
    unknown: 'What a request to cancel a sale keeps from happening until the bank decides it.',
    meanwhile:
      'Whatever is refused is an error by its status; in the sandbox no release, collection, allocation, report of a payment or transfer milestone goes through meanwhile, unless the vehicle is delivered: then nothing can come of the request.',
    settledBy: 'A release and a payment report while such a request is pending.',
  },
  {
    id: 'sale-cancellation-after-delivery',
    where: 'Sale, negotiation, cancellation, A27',
    unknown:
      'Whether the cancellation of a delivered vehicle is refused at the request or at its decision, and how.',
    meanwhile:
      'Either is an error by its status; the sandbox takes the request and answers its approval with a 409.',
    settledBy: 'A request after the collection.',
  },
  {
    id: 'sale-cancellation-work-items',
    where: 'States and transitions, Workflow records, sale_cancellation',
    unknown:
      'Where the work items for reversal and refund stand that an approved cancellation creates, and what becomes of a release.',
    meanwhile:
      'Nothing is looked for; the sandbox makes a pending refund request for what is credited from each payment, told in the inbox, and revokes a valid release.',
    settledBy: 'A recorded cancellation of a sale that is paid and released.',
  },
  {
    id: 'payment-dues-after-cancellation',
    where: 'Payments, receipts, refunds, disputes, A34',
    unknown: 'What A34 says of a sale whose cancellation is approved.',
    meanwhile:
      'It is passed on as it came; in the sandbox nothing is due or remains, what is credited is excess, and `state` is `cancelled`.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'reason-after-decision',
    where: 'Workflow record, offer and refund_request',
    unknown:
      'Whose `reason` stands in `data` after a response or decision: that of the request or of the answer.',
    meanwhile:
      'It is passed on as it came; in an offer of the sandbox that of the bank stays, in a refund request the decision brings its own.',
    settledBy: 'A recorded request and decision with different reasons.',
  },
  {
    id: 'unshown-transitions',
    where: 'States and transitions',
    unknown:
      'How a dispute leaves `open`, a release becomes `expired`, a refund `processing`, `succeeded` or `failed`, a payment report rejected, a transfer anything that A57 did not record, and where a refund is `requested`.',
    meanwhile:
      'No state is expected after another; states are read, never derived; in the sandbox a valid release expires at its `expires_at`, and refunds and disputes move by hand: a dispute becomes `resolved`, no refund is ever `requested`.',
    settledBy: 'A description of these moves.',
  },
  {
    id: 'eligibility-types',
    where: 'Non-record read shapes, Eligibility snapshot',
    unknown:
      'Types of `eligible`, `diagnostic_only`, `errors`, `notice` and of the two prices, whether the expiries are dates or date-times, and what is null or absent where dealer or lot is not permitted.',
    meanwhile:
      '`eligible` must be a boolean; the prices are decimal strings like all money, `errors` strings; all but `eligible` and `lot_id` may be absent; the sandbox gives date-times, and answers a 404 for a lot that is not visible.',
    settledBy: 'A recorded reply of each outcome.',
  },
  {
    id: 'eligibility-status-values',
    where: 'Non-record read shapes, Eligibility snapshot',
    unknown: 'Values of `kyc_status` and `emd_status` beside `approved` and `pending`.',
    meanwhile: 'Both are open strings; the sandbox says what the facts of its partner say.',
    settledBy: 'The list of values.',
  },
  {
    id: 'eligibility-parameters',
    where: 'Integration, eligibility, bids, lot status, A03',
    unknown:
      'Which of `lot_id`, `bidder_reference` and `amount` are required, and whether a direct dealer may name a buyer.',
    meanwhile:
      '`lot_id` is required; the others are sent where they are given, by whatever kind of partner; the sandbox requires the lot alone.',
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
    meanwhile: 'Both are open strings; the sandbox says the shown ones.',
    settledBy: 'The list of values.',
  },
  {
    id: 'payment-dues-states',
    where: 'Non-record read shapes, Payment dues',
    unknown: 'Values of `state` beside `unpaid`, such as those for a sale that is paid in part or in full.',
    meanwhile:
      'The field is an open string; `remaining` and `excess` tell; the sandbox says `unpaid`, `partially_paid`, `paid` or `cancelled`.',
    settledBy: 'The list of values.',
  },
  {
    id: 'projection-versions',
    where: 'Non-record read shapes, Payment dues and Transfer status',
    unknown: 'Of which record `resource_version` is the version in A34 and A58.',
    meanwhile:
      'It is passed on; no command takes its `expected_version` from there; in A34 and A58 the sandbox gives that of the sale.',
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
    meanwhile:
      'They are read by the ids that commands, sales and notifications give; the sandbox has no other list of them either.',
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
    id: 'refund-of-allocated-money',
    where: 'Payments, receipts, refunds, disputes, A47 and A48',
    unknown: 'Whether money that is allocated to a sale can be refunded, and what that does to the sale.',
    meanwhile:
      'It is sent; in the sandbox free money goes first, then that of cancelled sales, then that of others, which it credits no longer once the bank approves; until then such a sale is not released, and after the collection only its excess goes back.',
    settledBy: 'A refund of allocated money, with the dues of its sale before and after.',
  },
  {
    id: 'dispute-freezes',
    where: 'States and transitions, Workflow records, dispute',
    unknown: 'Which actions an open dispute freezes, and how they are answered.',
    meanwhile:
      'A refusal is an error by its status; in the sandbox release, collection and the approval of refunds are a 409, for the disputed sale only.',
    settledBy: 'The policy of the bank.',
  },
  {
    id: 'dispute-sale-states',
    where: 'Payments, receipts, refunds, disputes, A50',
    unknown: 'Whether a sale can be disputed that is not approved.',
    meanwhile: 'It is sent; the sandbox takes disputes about any sale of the caller.',
    settledBy: 'A dispute about a sale that is not decided.',
  },
  {
    id: 'due-reminders',
    where: 'Documents and notifications, A74',
    unknown: 'When reminders of what is due come, how often, to whom, and of what `type`.',
    meanwhile:
      '`type` is an open string; the sandbox sends one to each inbox a day before the payment is due, while something remains, as `sale.payment_due`.',
    settledBy: 'A recorded reminder.',
  },
  {
    id: 'refund-execution',
    where: 'Workflow record, refund',
    unknown: 'Whether `execution` is a text or an object, and of which fields or values.',
    meanwhile: 'It passes through unchecked; the sandbox says a word, such as `pending`.',
    settledBy: 'A recorded refund of each state.',
  },
  {
    id: 'refund-request-id',
    where: 'Workflow record, refund',
    unknown: 'Whether `request_id` of a refund names its refund request or the API call.',
    meanwhile: 'It is passed on, and nothing is looked up by it; the sandbox names the refund request.',
    settledBy: 'A recorded refund beside its request.',
  },
  {
    id: 'release-used-revocation',
    where: 'Release, collection, transfer, A54',
    unknown: 'How revoking a used authorisation is answered, and where the exception that it opens is found.',
    meanwhile:
      'A 200 is the record that came, to be read by its state; anything else is an error by its status; the sandbox answers a 409 with a message; switched, it opens one dispute at a time.',
    settledBy: 'A revocation after the collection.',
  },
  {
    id: 'transfer-states',
    where: 'States and transitions; Release, collection, transfer, A57',
    unknown:
      'Values of `status` in A57 beside `submitted`, and how the state of pending documents is spelt on the wire.',
    meanwhile:
      'Any non-empty `status` is sent; states are open strings; the sandbox takes `submitted`, `pending_documents`, `completed` and `rejected`.',
    settledBy: 'The list of values.',
  },
  {
    id: 'transfer-order',
    where: 'States and transitions; Release, collection, transfer, A57',
    unknown:
      'Whether milestones have an order, and whether one can follow `completed` or `rejected`, such as a second submission.',
    meanwhile:
      'Nothing is refused because of it; the sandbox takes them in any order, and none after `completed` or `rejected`: a 409.',
    settledBy: 'A milestone after each of the others.',
  },
  {
    id: 'transfer-before-collection',
    where: 'Release, collection, transfer, A57',
    unknown: 'What a sale must have come to before A57 records a milestone: approval, payment, collection.',
    meanwhile: 'It is sent; the sandbox wants the sale approved, and nothing more; before, it answers a 409.',
    settledBy: 'A milestone at each stage of a sale.',
  },
  {
    id: 'transfer-verification-values',
    where: 'Workflow record, transfer',
    unknown: 'Values of `verification` beside `operator_reported`, and what an independent check marks.',
    meanwhile:
      'The field is an open string; in the sandbox a check is done by hand, marks the latest milestone and says `registry_verified`.',
    settledBy: 'The list of values.',
  },
  {
    id: 'transfer-document-checklist',
    where: 'Release, collection, transfer, A57',
    unknown: 'What the strings of `document_checklist` are: names or ids, of documents needed or at hand.',
    meanwhile: 'Any non-empty strings are sent, and the list may be left out; the sandbox takes any.',
    settledBy: 'A recorded request and its meaning.',
  },
  {
    id: 'transfer-milestones',
    where: 'Non-record read shapes, Transfer status',
    unknown: 'Items of `milestones` in A58.',
    meanwhile:
      'They pass through unchecked; in the sandbox they are the workflow records of A57, oldest first.',
    settledBy: 'A recorded reply.',
  },
  {
    id: 'event-revision',
    where: 'Resources, Event',
    unknown:
      'When `revision` changes, and how it relates to the `resource_version` of `auction.schedule_changed`.',
    meanwhile:
      'It is passed on; nothing is compared with it; the sandbox counts what the bank does to the event.',
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
    meanwhile:
      'Those of a bid, everywhere: no other reference can have bid; the sandbox refuses others with a 422.',
    settledBy: 'A query with another character.',
  },
  {
    id: 'webhook-transient-failures',
    where: 'Events, Delivery model',
    unknown:
      'Which answers and failures of a receiver count as transient, so that a delivery is tried again.',
    meanwhile:
      'Nothing is promised for any answer but 2xx; the sandbox tries again after no answer, 408, 425, 429 and 5xx, and gives up after any other status and at a blocked destination.',
    settledBy: 'Deliveries answered with a 4xx, a 5xx and not at all.',
  },
  {
    id: 'webhook-verification-attempts',
    where: 'Events, Delivery model',
    unknown: 'Whether a challenge that is not answered is posted again, as events are.',
    meanwhile: 'Nothing is done: an endpoint answers each challenge that comes. The sandbox posts it once.',
    settledBy: 'A subscription whose endpoint answers 503 at first.',
  },
  {
    id: 'webhook-lapsed-subscribers',
    where: 'Events, Delivery model',
    unknown: 'Whether the subscriptions of a client that has lost its access still get events.',
    meanwhile:
      'Nothing is counted on; the sandbox sends them none for as long as client, partner, KYB, agreement or bank subscription are not in order.',
    settledBy: 'An event while an agreement has lapsed.',
  },
  {
    id: 'schedule-resource-version',
    where: 'Events, Event types',
    unknown: 'Of what `resource_version` in `auction.schedule_changed` is the version.',
    meanwhile:
      'Receivers compare it with that of earlier events of the auction only; in the sandbox it is the `revision` of the event.',
    settledBy: 'A recorded delivery, and the event read after it.',
  },
  {
    id: 'late-bid-extension',
    where: 'States and transitions, Event status',
    unknown: 'Whether a bid shortly before the close moves the close by itself, and by how much.',
    meanwhile:
      'Nothing is counted on: `effective_close_at` is read where it comes. The sandbox leaves the close where it is.',
    settledBy: 'A bid in the last minute of an open auction, and its receipt.',
  },
];
