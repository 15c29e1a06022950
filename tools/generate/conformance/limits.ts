import type { Section } from './rule.js';

const fields = 'takes the fields that the text shows, and no others';
const body = 'fields of the body > %s';

export const limits: Section = {
  title: 'Limits',
  chapter: 'Limits',
  rules: [
    {
      label: 'Requests',
      text: 'The client paces itself to 120 in a rolling minute and a second, for all clients of an origin together; the sandbox counts by client, or as its variant `rate-limit-key` says, and answers 429.',
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
        'test/sandbox/access-variants.test.ts': 'the rate limit > rate-limit-key %s',
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
        'test/sandbox/results.test.ts': [
          'a closing auction is listed with its close, before those of older closes',
          '%s is invalid',
        ],
        'test/sandbox/bid-cancellations.test.ts': 'page by 25, and have no filters',
        'test/sandbox/sale-cases.test.ts': 'pages by 25, newest first',
        'test/sandbox/notifications.test.ts': 'pages by 25',
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
        'test/sandbox/payment-reports.test.ts': [
          'A36 > refuses %s, and nothing is there afterwards > 13 digits',
          'A36 > refuses %s, and nothing is there afterwards > a third decimal',
        ],
        'test/sandbox/refunds.test.ts': 'A47, the request > is refused with %s, and nothing has changed',
      },
    },
    {
      label: 'A11 batch',
      text: 'A hundred lots are proposed, not confirmed: the client sends more, the sandbox refuses more unless its variant says otherwise.',
      kept: 'client and sandbox',
      code: {
        'src/api/lots.ts': 'lots.operations.statusBatch',
        'src/sandbox/handlers/lots.ts': 'mostLots',
      },
      tests: {
        'test/client/status-batch.test.ts': 'are sent as they are, a hundred and one of them too',
        'test/sandbox/lot-status.test.ts':
          'A11: direct dealers name no buyer; a hundred lots are fine, more where the variant says so',
      },
    },
    {
      label: 'Webhook attempts',
      text: 'Up to eight. There is nothing for a client to do.',
      kept: 'sandbox',
      code: { 'src/sandbox/webhooks/delivery-rules.ts': 'mostAttempts' },
      tests: {
        'test/sandbox/webhooks/delivery.test.ts':
          'is attempted eight times at the most: the same body and event, a fresh time and signature',
      },
    },
    {
      label: 'Mail retries',
      text: 'Up to five. There is nothing for a client to do, and the sandbox sends no mail.',
      kept: 'service',
    },
    {
      label: 'Buyer limit',
      text: 'What the bank has approved for the buyer, with a valid EMD, looked at when the bid is judged. The client holds no bid back for it.',
      kept: 'sandbox',
      code: { 'src/sandbox/bid-rules.ts': 'brokenRules' },
      tests: { 'test/sandbox/bid-eligibility.test.ts': 'the limit itself is within the limit' },
    },
  ],
};
