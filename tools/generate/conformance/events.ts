import type { Section } from './rule.js';

export const eventTypes: Section = {
  title: 'Event types',
  chapter: 'Events',
  rules: [
    {
      label: 'Envelope',
      text: 'Id, type, version of the schema, time and data; without the first three or an object for data it is refused, with the body on the error.',
      kept: 'client and sandbox',
      code: {
        'src/api/webhook-events.ts': 'webhookEnvelope',
        'src/webhooks/parse.ts': 'assertEnvelope',
        'src/sandbox/webhooks/outbox.ts': 'Outbox.freeze',
      },
      tests: {
        'test/webhooks/verify.test.ts': [
          'verifyWebhook > gives the event',
          'refuses %s: %s > without id',
          'refuses %s: %s > a schema version in text',
          'loses nothing of a signed body that is misshapen: it stands on the error, which names the fields',
        ],
        'test/sandbox/webhooks/delivery.test.ts': 'a delivery > is a signed POST of the envelope, literally',
      },
    },
    {
      label: 'Shown payloads',
      text: '`sale.approved`, `auction.schedule_changed` and `vehicle.status_changed` are typed and checked for what a receiver cannot do without. The sandbox tells the first with each approval, the second with each close that moves, and the third when a vehicle is sold, collected or published again.',
      kept: 'client and sandbox',
      code: {
        'src/api/webhook-events.ts': 'shownPayloads',
        'src/webhooks/parse.ts': 'assertPayload',
        'src/sandbox/workflow/winners.ts': 'approvalData',
        'src/sandbox/workflow/schedule-news.ts': 'announceSchedule',
        'src/sandbox/workflow/vehicle-status.ts': 'moveVehicle',
      },
      tests: {
        'test/webhooks/verify.test.ts': [
          'refuses %s: %s > a sale without its sale',
          'refuses %s: %s > a close that is missing',
          'loses no signed event over an odd optional field',
        ],
        'test/webhooks/types.test.ts': 'narrow by switch, as the values do',
        'test/sandbox/webhooks/events.test.ts': [
          'sale.approved > tells what the winner updates tell, and the account of the marketplace that won',
          'tells every assigned partner where the close was, is, and was to be',
          'calls an earlier close, by the choice %s, %s',
          'is told with the statuses, and the versions of vehicle and sale',
        ],
        'test/sandbox/vehicle-status.test.ts':
          'says what the text lists: sale, lot, private vehicle, both statuses, both versions',
      },
    },
    {
      label: 'Other types',
      text: 'Named ones whose payload is not shown, and any that are yet to come, pass as they are. The sandbox tells each of them after the command that it follows, with the record in it; a hand sends any type, with any data.',
      kept: 'client and sandbox',
      code: {
        'src/api/webhook-events.ts': 'openPayloads',
        'src/webhooks/event.ts': 'UnknownWebhookEvent',
        'src/sandbox/workflow/notices.ts': 'announce',
        'src/sandbox/workflow/event-data.ts': 'eventData',
        'src/sandbox/webhooks/webhooks.ts': 'Webhooks.send',
      },
      tests: {
        'test/webhooks/verify.test.ts': [
          'verifyWebhook > passes $type > something.new',
          'returns any JSON payload of an unknown type unchanged',
        ],
        'test/sandbox/webhooks/events.test.ts': [
          '%s tells the record, and by what to find it',
          'sale.rejected, where the bank can say no',
        ],
        'test/sandbox/webhooks/delivery.test.ts':
          'send what nothing has caused: an old version, under an id of before, to one subscription or all',
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
      text: 'One is known by the id of the notification, which every one is required to have here; leaving out what was seen is up to the reader, in this version. The sandbox lists each once, or twice with its variant `notification-duplicates`.',
      kept: 'client and sandbox',
      code: { 'src/api/notifications.ts': 'Notification', 'src/sandbox/handlers/notifications.ts': 'list' },
      tests: {
        'test/wire/cases/documents.ts': 'notifications.list',
        'test/sandbox/paper-variants.test.ts':
          'notification-duplicates: twice lists every message twice, under one id',
      },
    },
    {
      label: 'Inbox',
      text: 'The same is read with A74, by bank and partner each in an inbox of its own, and A75 only notes that it was delivered or read: no sale, no money and no release moves with it. The inbox of the sandbox tells of every committed step of a sale and of what reverses it, and reminds of what is due a day before.',
      kept: 'client and sandbox',
      code: {
        'src/api/notifications.ts': ['notifications.operations.list', 'notifications.operations.acknowledge'],
        'src/sandbox/workflow/notices.ts': 'announce',
        'src/sandbox/workflow/due-reminders.ts': 'remindOfDue',
        'src/sandbox/handlers/notifications.ts': ['list', 'acknowledge'],
      },
      tests: {
        'test/wire/cases/documents.ts': ['notifications.list', 'notifications.acknowledge'],
        'test/sandbox/notifications.test.ts': [
          'tells bank and buyer, each in an inbox of its own, newest first',
          'keeps the latest word on a message: delivered, then read',
          'decides, credits and releases nothing, whatever was read',
        ],
        'test/sandbox/due-reminders.test.ts': [
          'comes once to each inbox, a day before, and not a moment earlier',
          'does not come for a sale that %s',
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
      text: 'An upload serves for nothing until its scan is done, and a scanner that is down is waited for. The client gives back the state as it is and waits for nothing by itself. In the sandbox that goes for reports, receipts, collections, transfers and disputes alike.',
      kept: 'client and sandbox',
      code: {
        'src/api/documents.ts': ['DocumentRecord', 'documents.operations.get'],
        'src/sandbox/workflow/scanner.ts': 'Scanner',
        'src/sandbox/workflow/evidence.ts': 'readyEvidence',
      },
      tests: {
        'test/wire/cases/documents.ts': ['documents.upload', 'documents.get', 'documents.download'],
        'test/sandbox/documents.test.ts': 'waits while the scanner is down, and goes on when it is back',
        'test/sandbox/evidence.test.ts': 'rests on a document that is ready, and on no other',
        'test/sandbox/scanner.test.ts': 'passes nothing that is not found clean',
        'test/sandbox/payment-reports.test.ts':
          'refuses evidence that awaits its scan, and takes it afterwards',
        'test/sandbox/bank-receipts.test.ts': 'refuses evidence that awaits its scan',
        'test/sandbox/releases.test.ts': 'takes evidence once it is scanned, and of no other sale',
        'test/sandbox/transfers.test.ts': 'rests on evidence that is scanned, and of the same sale',
        'test/sandbox/disputes.test.ts': 'takes evidence once it is scanned, and of no other sale',
        'test/e2e/workflow.test.ts': 'evidence goes up, waits for its scan, and comes down as it was',
      },
    },
  ],
};
