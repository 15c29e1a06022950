import type { Section } from './rule.js';

export const deliveryModel: Section = {
  title: 'Delivery model',
  chapter: 'Events',
  rules: [
    {
      label: '1',
      text: 'An event can come twice, so receivers know it by its id. `verifyWebhook` gives the id of the signed body and refuses a header that says another; keeping the ids is up to the receiver, in this version.',
      kept: 'client',
      code: { 'src/webhooks/verify.ts': ['verifyWebhook', 'checkEventId'] },
      tests: {
        'test/webhooks/verify.test.ts': [
          'verifyWebhook > gives the event',
          'refuses an event id header that is %s',
        ],
      },
    },
    {
      label: '2',
      text: 'Where the service delivers to, and where it does not. Nothing for a client to do but to subscribe with an https URL, which the SDK insists on.',
      kept: 'service',
      code: { 'src/api/webhook-subscriptions.ts': 'httpsUrl' },
      tests: { 'test/api/inputs.test.ts': 'bodies > refuse %j for a webhook' },
    },
    {
      label: '3',
      text: 'How often it tries, and that any 2xx ends it. There is nothing for a client to do; a receiver answers fast, and the SDK brings the judging, not the server.',
      kept: 'service',
    },
    {
      label: '4',
      text: 'Delivery logs and replays are A16 and A17, which are planned: they stand in `plannedOperations`, and `request()` can call them once they open.',
      kept: 'client',
      code: { 'src/api/planned.ts': 'plannedOperations', 'src/core/raw-route.ts': 'rawCall' },
      tests: {
        'test/api/service.test.ts': 'plans what the text lists as not callable',
        'test/client/request.test.ts': 'signs and sends a planned operation, and resolves with its data',
      },
    },
    {
      label: '5',
      text: 'What was missed is read from the winner updates, along their cursor.',
      kept: 'client and sandbox',
      code: {
        'src/api/winner-updates.ts': 'winnerUpdates.operations.list',
        'src/paging/cursor-pager.ts': 'CursorPager.pages',
        'src/sandbox/handlers/winner-updates.ts': 'list',
      },
      tests: {
        'test/core/cursor-pager.test.ts':
          'is walked from the cursor that the query names, to the page without a next one',
        'test/wire/walks.test.ts': 'every list, walked on a real socket > $operation > winnerUpdates.list',
        'test/sandbox/winner-updates.test.ts':
          'go on from a cursor, by limit, and say so of a cursor that is none',
        'test/e2e/workflow.test.ts': 'winner updates go on from a cursor, and the inbox is marked',
      },
    },
    {
      label: '6',
      text: 'A new subscription is proved by answering its challenge. `challengeOf` reads it from a verified event, wherever it stands.',
      kept: 'client',
      code: { 'src/webhooks/challenge.ts': 'challengeOf', 'src/webhooks/parse.ts': 'withObjectData' },
      tests: {
        'test/webhooks/verify.test.ts': [
          'challengeOf > %s',
          'verifyWebhook > answers no challenge that is no text',
        ],
      },
    },
  ],
};

export const eventTypes: Section = {
  title: 'Event types',
  chapter: 'Events',
  rules: [
    {
      label: 'Envelope',
      text: 'Id, type, version of the schema, time and data; without the first three or an object for data it is refused, with the body on the error.',
      kept: 'client',
      code: { 'src/api/webhook-events.ts': 'webhookEnvelope', 'src/webhooks/parse.ts': 'assertEnvelope' },
      tests: {
        'test/webhooks/verify.test.ts': [
          'verifyWebhook > gives the event',
          'refuses %s: %s > without id',
          'refuses %s: %s > a schema version in text',
          'loses nothing of a signed body that is misshapen: it stands on the error, which names the fields',
        ],
      },
    },
    {
      label: 'Shown payloads',
      text: '`sale.approved`, `auction.schedule_changed` and `vehicle.status_changed` are typed and checked for what a receiver cannot do without.',
      kept: 'client',
      code: { 'src/api/webhook-events.ts': 'shownPayloads', 'src/webhooks/parse.ts': 'assertPayload' },
      tests: {
        'test/webhooks/verify.test.ts': [
          'refuses %s: %s > a sale without its sale',
          'refuses %s: %s > a close that is missing',
          'loses no signed event over an odd optional field',
        ],
        'test/webhooks/types.test.ts': 'narrow by switch, as the values do',
      },
    },
    {
      label: 'Other types',
      text: 'Named ones whose payload is not shown, and any that are yet to come, pass as they are.',
      kept: 'client',
      code: { 'src/api/webhook-events.ts': 'openPayloads', 'src/webhooks/event.ts': 'UnknownWebhookEvent' },
      tests: {
        'test/webhooks/verify.test.ts': [
          'verifyWebhook > passes $type > something.new',
          'returns any JSON payload of an unknown type unchanged',
        ],
      },
    },
  ],
};

export const webhookSignature: Section = {
  title: 'Webhook signature',
  chapter: 'Authentication',
  rules: [
    {
      label: 'What is signed',
      text: 'Timestamp, point and body, under the secret of the subscription; `v1=` and lower-case hex. Several secrets may stand side by side while one replaces another.',
      kept: 'client',
      code: {
        'src/webhooks/signature.ts': 'verifySignature',
        'src/webhooks/sign-delivery.ts': 'signDelivery',
      },
      tests: {
        'test/webhooks/vectors.test.ts':
          'hold valid and invalid deliveries, and verifySignature agrees with all of them',
        'test/webhooks/signature.test.ts': [
          'the signature > %s: %s > in upper case',
          'covers every byte of the body, and the timestamp',
          'several secrets > tell that secret %i signed',
        ],
        'test/webhooks/sign-delivery.test.ts': 'makes the header of vector $id',
      },
    },
    {
      label: 'Raw bytes first',
      text: 'The bytes as they came are judged, and nothing is parsed before.',
      kept: 'client',
      code: { 'src/webhooks/raw-body.ts': 'bytesOf', 'src/webhooks/verify.ts': 'verifyWebhook' },
      tests: {
        'test/webhooks/verify.test.ts': 'parses nothing that is not correctly signed and fresh',
        'test/webhooks/raw-body.test.ts': 'may hold a byte order mark, or bytes that are not UTF-8',
      },
    },
    {
      label: 'Constant time',
      text: 'How long a comparison takes tells nothing, and every secret is tried.',
      kept: 'client',
      code: { 'src/webhooks/compare.ts': 'equalDigests', 'src/webhooks/signature.ts': 'judgeSignature' },
      tests: {
        'test/webhooks/signature.test.ts': [
          'reads every character of the received digest, wherever the first difference is',
          'are all tried, whichever matches',
        ],
      },
    },
    {
      label: 'Stale timestamps',
      text: 'Refused beyond five minutes to either side, or what the receiver sets; it cannot be switched off by accident.',
      kept: 'client',
      code: { 'src/webhooks/signature.ts': ['checkAge', 'VerifyOptions.toleranceMs'] },
      tests: {
        'test/webhooks/signature.test.ts': [
          'may be five minutes away where nothing is said',
          'may be up to %s ms away, both ways, the edges included',
          'can’t be switched off by a tolerance of %s',
        ],
      },
    },
  ],
};

export const notifications: Section = {
  title: 'Notifications',
  chapter: 'Events',
  rules: [
    {
      label: 'Mail',
      text: 'Who gets it, and how often it is tried. There is nothing for a client to do.',
      kept: 'service',
    },
    {
      label: 'Duplicates',
      text: 'One is known by the id of the notification, which every one is required to have here; leaving out what was seen is up to the reader, in this version. The sandbox sends no duplicates.',
      kept: 'client',
      code: { 'src/api/notifications.ts': 'Notification' },
      tests: { 'test/wire/cases/documents.ts': 'notifications.list' },
    },
    {
      label: 'Inbox',
      text: 'The same is read with A74, by bank and partner each in an inbox of its own, and A75 only notes that it was delivered or read: no sale, no money and no release moves with it. The inbox of the sandbox tells of approval, acknowledgment, report, verification, allocation, release and collection; it reminds nobody of what is due.',
      kept: 'client and sandbox',
      code: {
        'src/api/notifications.ts': ['notifications.operations.list', 'notifications.operations.acknowledge'],
        'src/sandbox/workflow/notices.ts': 'announce',
        'src/sandbox/handlers/notifications.ts': ['list', 'acknowledge'],
      },
      tests: {
        'test/wire/cases/documents.ts': ['notifications.list', 'notifications.acknowledge'],
        'test/sandbox/notifications.test.ts': [
          'tells bank and buyer, each in an inbox of its own, newest first',
          'keeps the latest word on a message: delivered, then read',
          'decides, credits and releases nothing, whatever was read',
        ],
        'test/sandbox/payment-reports.test.ts':
          'verifies a report against a receipt, literally, and credits nothing',
        'test/sandbox/dues.test.ts':
          'counts allocated money only, paisa by paisa, and moves with every allocation',
        'test/e2e/workflow.test.ts': [
          'winner updates go on from a cursor, and the inbox is marked',
          'a release is revoked, given again, used once, and all of it is told',
        ],
      },
    },
    {
      label: 'Evidence',
      text: 'An upload serves for nothing until its scan is done, and a scanner that is down is waited for. The client gives back the state as it is and waits for nothing by itself. Evidence of transfers comes to the sandbox with A57.',
      kept: 'client and sandbox',
      code: {
        'src/api/documents.ts': ['DocumentRecord', 'documents.operations.get'],
        'src/sandbox/workflow/scanner.ts': 'Scanner',
        'src/sandbox/workflow/evidence.ts': 'readyEvidence',
      },
      tests: {
        'test/wire/cases/documents.ts': ['documents.upload', 'documents.get', 'documents.download'],
        'test/sandbox/documents.test.ts': 'waits while the scanner is down, and goes on when it is back',
        'test/sandbox/payment-reports.test.ts':
          'refuses evidence that awaits its scan, and takes it afterwards',
        'test/sandbox/bank-receipts.test.ts': 'refuses evidence that awaits its scan',
        'test/sandbox/releases.test.ts': 'takes evidence once it is scanned, and of no other sale',
        'test/e2e/workflow.test.ts': 'evidence goes up, waits for its scan, and comes down as it was',
      },
    },
  ],
};
