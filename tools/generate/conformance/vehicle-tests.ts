import type { Places } from './rule.js';

const walk = 'every list, walked on a real socket > $operation';
const frozen = 'a retry sends the identical bytes under the identical key > %s';
const workflow = 'test/e2e/workflow.test.ts';
const evidence = 'evidence goes up, waits for its scan, and comes down as it was';
const released = 'a release is revoked, given again, used once, and all of it is told';
const told = 'winner updates go on from a cursor, and the inbox is marked';

/** Further tests of inventory, releases, transfers, documents, and of the news. */
export const vehicleTests: Readonly<Record<string, Places>> = {
  'inventory.createVehicle': {
    'test/api/inputs.test.ts': 'take inventory values by field id, or as a list',
    'test/client/frozen-bytes.test.ts': `${frozen} > a command with nested values`,
    'test/sandbox/inventory.test.ts': [
      'makes a draft, literally, once under its key',
      'A59 > is refused with %s, and nothing is there',
      'finds the id of the bank taken: by a draft, and by a vehicle in an auction',
      'is a bank’s own, with its scope',
    ],
    'test/sandbox/inventory-values.test.ts': 'a value is held to the type of its field > %s',
  },
  'inventory.updateVehicle': {
    'test/client/extras.test.ts': 'gives the inventory version of the vehicle, not that of the command',
    'test/client/frozen-bytes.test.ts': `${frozen} > a tunnelled PATCH with a record in place of the id`,
    'test/sandbox/inventory.test.ts': [
      'merges what is given and keeps the rest, literally',
      'A60 > is held to its key',
      'is a conflict on a vehicle that is %s',
      'comes as a POST that is signed as a PATCH, and in no other way',
    ],
  },
  'inventory.schemas': {
    'test/sandbox/inventory.test.ts': [
      'shows the bank its schemas, every field with its id, label and type',
      'uses the field ids that the catalogue shows',
      'is refused to partners, whatever their scopes',
      'inventory-schema-actors: partner-projection leaves the private fields out',
    ],
  },
  'saleCases.updateTransfer': {
    'test/sandbox/transfers.test.ts': [
      'A57, a milestone > is recorded, literally, once under its key',
      'A57, a milestone > is refused with %s, and nothing has changed',
      'A57, a milestone > is the bank’s own, with its scope',
      'rests on evidence that is scanned, and of the same sale',
      'A57 waits for the approval of the sale',
    ],
  },
  'saleCases.transferStatus': {
    'test/sandbox/transfers.test.ts': [
      'says not_started, to the bank and the buyer, whatever the state of the sale',
      'is a 404 to others, and where there is no sale',
      'after a milestone is another record, and the latest says where the transfer is',
      'confirms the latest milestone, which counts as a change',
    ],
  },
  'saleCases.authorizeRelease': {
    'test/sandbox/releases.test.ts': [
      'is authorised, literally, once under its key',
      'A52, a release > is refused for %s',
      'A52, a release > is the bank’s, on a sale that exists',
    ],
    'test/sandbox/disputes.test.ts': 'freezes by `dispute-freezes`, at %s',
    [workflow]: released,
  },
  'releases.get': { 'test/sandbox/releases.test.ts': 'is authorised, literally, once under its key' },
  'releases.revoke': {
    'test/sandbox/releases.test.ts': [
      'is made, literally, once under its key',
      'of a %s and its counterpart at once, one holds',
      'A54, a revocation > is the bank’s',
    ],
    [workflow]: released,
  },
  'releases.collect': {
    'test/sandbox/releases.test.ts': [
      'is confirmed, literally, once under its key',
      'does not take %s for the vehicle',
      'A56, the collection > is the bank’s',
    ],
    [workflow]: released,
  },
  'documents.upload': {
    'test/client/file-content.test.ts': 'of %i bytes makes the same request as its base64',
    'test/sandbox/documents.test.ts': [
      'records a document, literally, and nothing but it',
      'A72 > is held to its key',
    ],
    [workflow]: evidence,
  },
  'documents.get': {
    'test/sandbox/documents.test.ts': [
      'takes its time and finds the file clean',
      "is the sale's bank and its partner, whoever of them uploaded it",
    ],
    'test/sandbox/router.test.ts': 'without a query: the metadata',
    [workflow]: evidence,
  },
  'documents.download': {
    'test/files/hostile-urls.test.ts': 'URLs of the service are fetched as they are > %s > a document',
    'test/sandbox/documents.test.ts': [
      'gives the bytes back, not to be kept',
      'is refused before the scan with a message',
      'is looked at on every download',
    ],
    'test/sandbox/scanner.test.ts': 'is rejected once it is scanned, and never given out',
    'test/sandbox/router.test.ts': '%s: the bytes, with "%s" left to check',
    [workflow]: evidence,
  },
  'notifications.list': {
    'test/wire/walks.test.ts': `${walk} > notifications.list`,
    'test/sandbox/notifications.test.ts': [
      'tells bank and buyer, each in an inbox of its own, newest first',
      'pages by 25',
    ],
    'test/sandbox/due-reminders.test.ts': 'comes once to each inbox, a day before, and not a moment earlier',
  },
  'notifications.acknowledge': {
    'test/sandbox/notifications.test.ts': [
      'acknowledges a message, and nothing but the message',
      'keeps the latest word on a message: delivered, then read',
      'decides, credits and releases nothing, whatever was read',
    ],
    [workflow]: told,
  },
  'webhookSubscriptions.create': {
    'test/wire/codes.test.ts': 'a subscription that is not found says that its operation may not be open',
    'test/api/inputs.test.ts': 'bodies > refuse %j for a webhook',
    'test/sandbox/webhooks/subscriptions.test.ts': [
      'is not callable, as it is listed, and says what would open it',
      'A13, a subscription > is made, literally, by the %s',
      'is made once under its key; a resend, by the choice %s, shows the secret: %s',
      'A13, a subscription > is refused with %s, and nothing has changed',
    ],
  },
};
