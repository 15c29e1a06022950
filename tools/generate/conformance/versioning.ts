import type { Section } from './rule.js';

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
      text: 'Events and inventory schemas carry their schema version, capabilities and cancellations that of the policy. They are read and handed on; an event without its own is refused. The sandbox gives each.',
      kept: 'client and sandbox',
      code: {
        'src/api/webhook-events.ts': 'webhookEnvelope',
        'src/api/inventory.ts': 'InventorySchema',
        'src/api/integration.ts': 'Capabilities',
        'src/api/bids.ts': 'CancellationData',
        'src/sandbox/policy.ts': 'policyVersion',
        'src/sandbox/webhooks/outbox.ts': 'Outbox.freeze',
        'src/sandbox/workflow/vehicle-views.ts': 'schemaView',
      },
      tests: {
        'test/webhooks/verify.test.ts': 'refuses %s: %s > a schema version in text',
        'test/wire/cases/inventory.ts': 'inventory.schemas',
        'test/wire/cases/integration.ts': ['integration.capabilities', 'bids.requestCancellation'],
        'test/sandbox/idempotency.test.ts': 'A07 records a request once',
        'test/sandbox/bid-cancellations.test.ts': 'A09: the decision > approves, literally, and replays',
        'test/sandbox/integration.test.ts': 'A02',
        'test/sandbox/inventory.test.ts':
          'shows the bank its schemas, every field with its id, label and type',
        'test/sandbox/webhooks/delivery.test.ts': 'a delivery > is a signed POST of the envelope, literally',
      },
    },
    {
      label: '3',
      text: 'A decision is sent with the version of the record that it was made on; passing the record sends its own. That older events are to be dropped is up to the receiver, in this version, which is given the version with each; the sandbox delivers them in the wrong order where it is asked to.',
      kept: 'client and sandbox',
      code: {
        'src/core/records.ts': 'resolveRecord',
        'src/api/operation.ts': 'VersionSource',
        'src/sandbox/workflow/commands.ts': 'expectVersion',
        'src/sandbox/workflow/changes.ts': 'touch',
        'src/api/webhook-events.ts': ['SaleApprovedData', 'ScheduleChangedData'],
      },
      tests: {
        'test/client/extras.test.ts': ['gives id and version', 'may repeat its version, and takes no other'],
        'test/wire/completeness.test.ts': 'pass the record in place of the id wherever a version is expected',
        'test/webhooks/verify.test.ts': 'refuses %s: %s > a version in text',
        'test/sandbox/sale-cases.test.ts':
          'A22, the decision > refuses %s, and nothing has changed > an old version',
        'test/sandbox/offers.test.ts': 'counts the version that offer and answer have moved',
        'test/sandbox/webhooks/delivery.test.ts': 'deliver in the wrong order: the newest version first',
        'test/sandbox/property/random-commands.test.ts':
          'random commands by two dealers, a platform and a bank > break no invariant',
        'test/e2e/workflow.test.ts': 'a decision on a record that has moved is a version conflict',
      },
    },
    {
      label: '4',
      text: 'Vehicles of the inventory have a version of their own, and an update sends that one.',
      kept: 'client and sandbox',
      code: {
        'src/api/inventory.ts': 'inventory.operations.updateVehicle.versionFrom',
        'src/core/records.ts': 'readRecord',
        'src/sandbox/handlers/inventory.ts': ['update', 'committed'],
      },
      tests: {
        'test/client/extras.test.ts': 'gives the inventory version of the vehicle, not that of the command',
        'test/wire/cases/inventory.ts': 'inventory.updateVehicle',
        'test/sandbox/inventory.test.ts': [
          'merges what is given and keeps the rest, literally',
          'A60 > is refused with %s, and nothing has changed',
        ],
      },
    },
    {
      label: '5',
      text: 'A new scope has to be granted: `verify()` names what is missing. In the sandbox scopes are facts of a client, which move by hand alone.',
      kept: 'client and sandbox',
      code: { 'src/client/verify.ts': 'verifyWith', 'src/sandbox/parties.ts': 'AccessFacts' },
      tests: {
        'test/client/verify.test.ts': [
          'verify > %o > catalogue:read',
          'says what to do about each finding that is not as expected',
        ],
        'test/sandbox/access.test.ts': 'what access facts refuse > %s > no scope',
      },
    },
    {
      label: '6',
      text: 'What is planned has no method, and the sandbox answers 404 for it; only A13 answers there, where `webhook-operative` is on. It stands in `plannedOperations`, and `request()` can send it the day it opens.',
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
        'test/sandbox/webhooks/subscriptions.test.ts':
          'is not callable, as it is listed, and says what would open it',
      },
    },
  ],
};
