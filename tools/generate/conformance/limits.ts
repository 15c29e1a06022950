import type { Section } from './rule.js';

const fields = 'takes the fields that the text shows, and no others';
const body = 'fields of the body > %s';

export const limits: Section = {
  title: 'Limits',
  chapter: 'Limits',
  rules: [
    {
      label: 'Requests',
      text: 'The client paces itself to 120 in a rolling minute and a second, for all clients of an origin together; the sandbox counts by client and answers 429.',
      kept: 'client and sandbox',
      code: {
        'src/api/common.ts': 'limits.requestsPerMinute',
        'src/quota/settings.ts': 'defaultQuota',
        'src/quota/quota.ts': 'createQuota',
        'src/sandbox/rate-limit.ts': 'RateLimit.take',
      },
      tests: {
        'test/core/quota-in-calls.test.ts': [
          'lets 120 calls leave at once, and the next one when a minute and the margin are over',
          'is one for all clients of an origin in real time, unless a client wants its own',
        ],
        'test/quota/quota.property.test.ts': 'the window, the lanes, pauses and aborts hold',
        'test/sandbox/service.test.ts': '120 in any rolling minute and client, then 429 with Retry-After',
      },
    },
    {
      label: 'Clock',
      text: '300 seconds to either side.',
      kept: 'client and sandbox',
      code: {
        'src/api/common.ts': 'limits.clockDifferenceSeconds',
        'src/client/verify.ts': 'CLOCK_LIMIT_MS',
        'src/sandbox/access.ts': 'verify',
      },
      tests: {
        'test/client/verify.test.ts': 'measures the clock, both ways',
        'test/sandbox/access.test.ts': 'the bounds themselves pass',
      },
    },
    {
      label: 'Nonce',
      text: '16 to 128 characters.',
      kept: 'client and sandbox',
      code: { 'src/api/common.ts': 'noncePattern' },
      tests: {
        'test/signing/sign.test.ts': 'takes a nonce of %i characters',
        'test/core/bid-call.test.ts': 'refuses a nonce that the service would refuse',
        'test/sandbox/access.test.ts': 'the bounds themselves pass',
      },
    },
    {
      label: '`per_page`',
      text: 'From 1 to 100, of events and their lots; 25 when left out.',
      kept: 'client and sandbox',
      code: { 'src/api/common.ts': ['perPage', 'limits.maxPerPage', 'limits.defaultPerPage'] },
      tests: {
        'test/client/hostile-values.test.ts': 'queries > $party $name: $field > per_page',
        'test/sandbox/event-lots.test.ts': ['pages', '%s is invalid'],
      },
    },
    {
      label: 'Fixed pages',
      text: 'All other lists have 25 a page, and no method of theirs takes a size.',
      kept: 'client and sandbox',
      code: { 'src/sandbox/pages.ts': 'fixedPageSize', 'src/api/lots.ts': 'lots.operations.list' },
      tests: {
        'test/api/service.test.ts': fields,
        'test/sandbox/event-lots.test.ts': '/lots: summaries of live lots, 25 a page',
        'test/sandbox/bids.test.ts': 'the list has the framework’s envelope',
      },
    },
    {
      label: '`search`',
      text: 'At most 100 characters, counted as people do.',
      kept: 'client and sandbox',
      code: { 'src/api/common.ts': ['search', 'limits.searchChars'] },
      tests: {
        'test/client/hostile-values.test.ts': 'queries > $party $name: $field > search',
        'test/client/input.test.ts': 'counts characters as people do: 100 of any plane',
        'test/sandbox/event-lots.test.ts': '%s is invalid',
      },
    },
    {
      label: '`bidder_reference`',
      text: '1 to 120 letters, digits, `_` or `-`, in bodies and queries alike.',
      kept: 'client and sandbox',
      code: { 'src/api/common.ts': 'bidderReference' },
      tests: {
        'test/client/hostile-values.test.ts':
          'keys, versions and names > $party $name: $field > bidder_reference',
        'test/sandbox/bid-body.test.ts': `${body} > a reference of 121`,
      },
    },
    {
      label: '`dealer_id`',
      text: 'At most 32 characters.',
      kept: 'client and sandbox',
      code: { 'src/api/common.ts': ['dealerId', 'limits.dealerIdChars'] },
      tests: {
        'test/client/hostile-values.test.ts': 'keys, versions and names > $party $name: $field > dealer_id',
        'test/client/input.test.ts':
          'options are refused when a client is made, naming the option > %s > 33 characters of dealer id',
        'test/sandbox/bid-body.test.ts': `${body} > a dealer of 33`,
      },
    },
    {
      label: '`amount`',
      text: 'Above zero, twelve digits before the point and two behind it; so is every amount that is sent anywhere.',
      kept: 'client and sandbox',
      code: { 'src/api/common.ts': 'amount', 'src/money/amount.ts': 'isAmount' },
      tests: {
        'test/client/hostile-values.test.ts':
          'money > is every field that is held to be an amount, on both clients',
        'test/money/amount.test.ts': ['takes %s', 'refuses %s'],
        'test/sandbox/bid-body.test.ts': [`${body} > 13 digits`, `${body} > three decimals`],
      },
    },
    {
      label: 'A11 batch',
      text: 'A hundred lots are proposed, not confirmed: the client sends more, the sandbox refuses more unless its variant says otherwise.',
      kept: 'client and sandbox',
      code: {
        'src/api/lots.ts': 'lots.operations.statusBatch',
        'src/sandbox/settings.ts': 'Variants.statusBatchLots',
      },
      tests: {
        'test/client/status-batch.test.ts': 'are sent as they are, a hundred and one of them too',
        'test/sandbox/lot-status.test.ts':
          'A11: direct dealers name no buyer; a hundred lots are fine, more where the variant says so',
      },
    },
    { label: 'Webhook attempts', text: 'Up to eight. There is nothing for a client to do.', kept: 'service' },
    { label: 'Mail retries', text: 'Up to five. There is nothing for a client to do.', kept: 'service' },
    {
      label: 'Buyer limit',
      text: 'What the bank has approved for the buyer, with a valid EMD, looked at when the bid is judged. The client holds no bid back for it.',
      kept: 'sandbox',
      code: { 'src/sandbox/bid-rules.ts': 'brokenRules' },
      tests: { 'test/sandbox/bid-eligibility.test.ts': 'the limit itself is within the limit' },
    },
  ],
};

export const versioning: Section = {
  title: 'Versioning',
  chapter: 'Versioning',
  rules: [
    {
      label: '1',
      text: 'Version 1 is in the path, and base URLs that end in another are refused. `integration.capabilities` reads which versions there are.',
      kept: 'client and sandbox',
      code: {
        'src/api/common.ts': 'API_PREFIX',
        'src/client/base-url.ts': 'parseBaseUrl',
        'src/sandbox/router.ts': 'parseTarget',
        'src/sandbox/handlers/integration.ts': 'capabilities',
      },
      tests: {
        'test/client/hostile-options.test.ts': 'takes no base URL that is %s > https://bank.example/api/v2',
        'test/sandbox/integration.test.ts': 'A02',
        'test/sandbox/service.test.ts': '%s %s is a 404 with a message and no more > /api/v2/events',
      },
    },
    {
      label: '2',
      text: 'Events and inventory schemas carry their schema version, capabilities and cancellations that of the policy. They are read and handed on; an event without its own is refused.',
      kept: 'client and sandbox',
      code: {
        'src/api/webhook-events.ts': 'webhookEnvelope',
        'src/api/inventory.ts': 'InventorySchema',
        'src/api/integration.ts': 'Capabilities',
        'src/api/bids.ts': 'CancellationData',
        'src/sandbox/handlers/integration.ts': 'policyVersion',
      },
      tests: {
        'test/webhooks/verify.test.ts': 'refuses %s: %s > a schema version in text',
        'test/wire/cases/inventory.ts': 'inventory.schemas',
        'test/wire/cases/integration.ts': ['integration.capabilities', 'bids.requestCancellation'],
        'test/sandbox/idempotency.test.ts': 'A07 records a request once',
      },
    },
    {
      label: '3',
      text: 'A decision is sent with the version of the record that it was made on; passing the record sends its own. That older events are to be dropped is up to the receiver, in this version, which is given the version with each.',
      kept: 'client',
      sandboxLater: true,
      code: {
        'src/core/records.ts': 'resolveRecord',
        'src/api/operation.ts': 'VersionSource',
        'src/api/webhook-events.ts': ['SaleApprovedData', 'ScheduleChangedData'],
      },
      tests: {
        'test/client/extras.test.ts': ['gives id and version', 'may repeat its version, and takes no other'],
        'test/wire/completeness.test.ts': 'pass the record in place of the id wherever a version is expected',
        'test/webhooks/verify.test.ts': 'refuses %s: %s > a version in text',
      },
    },
    {
      label: '4',
      text: 'Vehicles of the inventory have a version of their own, and an update sends that one.',
      kept: 'client',
      sandboxLater: true,
      code: {
        'src/api/inventory.ts': 'inventory.operations.updateVehicle.versionFrom',
        'src/core/records.ts': 'readRecord',
      },
      tests: {
        'test/client/extras.test.ts': 'gives the inventory version of the vehicle, not that of the command',
        'test/wire/cases/inventory.ts': 'inventory.updateVehicle',
      },
    },
    {
      label: '5',
      text: 'A new scope has to be granted: `verify()` names what is missing.',
      kept: 'client',
      code: { 'src/client/verify.ts': 'verifyWith' },
      tests: {
        'test/client/verify.test.ts': [
          'verify > %o > catalogue:read',
          'says what to do about each finding that is not as expected',
        ],
      },
    },
    {
      label: '6',
      text: 'What is planned has no method, and the sandbox answers 404 for it. It stands in `plannedOperations`, and `request()` can send it the day it opens.',
      kept: 'client and sandbox',
      code: {
        'src/api/planned.ts': 'plannedOperations',
        'src/core/raw-route.ts': 'rawCall',
        'src/sandbox/router.ts': 'Router.match',
      },
      tests: {
        'test/api/service.test.ts': 'plans what the text lists as not callable',
        'test/house/openapi.test.ts': 'has every planned operation, and tells nothing of it',
        'test/client/request.test.ts': 'signs and sends a planned operation, and resolves with its data',
        'test/sandbox/service.test.ts': '%s %s is a 404 with a message and no more > /api/v1/changes',
      },
    },
  ],
};
