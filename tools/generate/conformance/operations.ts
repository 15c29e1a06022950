import type { Places } from './rule.js';

const walk = 'every list, walked on a real socket > $operation';
const frozen = 'a retry sends the identical bytes under the identical key > %s';

/** Tests of a method beside those that every method has. */
export const furtherTests: Readonly<Record<string, Places>> = {
  'integration.profile': {
    'test/client/verify.test.ts': 'finds everything in order',
    'test/sandbox/integration.test.ts': 'A01 tells each caller who it is, and never the secret',
  },
  'integration.capabilities': { 'test/sandbox/integration.test.ts': 'A02' },
  'events.list': {
    'test/core/pager.test.ts': 'sends nothing before it is walked, and asks for live events by default',
    'test/wire/walks.test.ts': `${walk} > events.list`,
    'test/sandbox/events.test.ts': 'list %s',
  },
  'events.get': { 'test/sandbox/events.test.ts': 'one event, literally' },
  'events.lots': {
    'test/wire/walks.test.ts': `${walk} > events.lots`,
    'test/sandbox/event-lots.test.ts': [
      'pages',
      'search finds registration, make and model, whatever the case',
    ],
  },
  'events.lot': {
    'test/sandbox/event-lots.test.ts': 'a lot is found in its own event only; withdrawn ones nowhere',
  },
  'events.media': {
    'test/core/binary.test.ts': 'a binary reply',
    'test/sandbox/event-lots.test.ts': 'there is no media yet',
  },
  'lots.list': {
    'test/wire/walks.test.ts': `${walk} > lots.list`,
    'test/sandbox/event-lots.test.ts': '/lots: summaries of live lots, 25 a page',
  },
  'lots.status': { 'test/sandbox/lot-status.test.ts': 'A10, literally' },
  'lots.statusBatch': {
    'test/client/status-batch.test.ts': 'are sent as they are, a hundred and one of them too',
    'test/sandbox/lot-status.test.ts': 'A11: each item by itself, no idempotency key',
  },
  'results.list': { 'test/wire/walks.test.ts': `${walk} > results.list` },
  'bids.submit': {
    'test/core/bid-call.test.ts': 'bids.submit on the wire',
    'test/core/outcome.test.ts': 'what one error reply means for a bid',
    'test/client/frozen-bytes.test.ts': `${frozen} > a bid`,
    'test/sandbox/idempotency.test.ts': 'acceptance, literally, and its replay',
    'test/e2e/days.test.ts': 'of a dealer: discover, bid, be outbid, look up, cancel',
  },
  'bids.list': {
    'test/core/pager.test.ts': "reads the framework's envelope of /bids",
    'test/wire/walks.test.ts': `${walk} > bids.list`,
    'test/sandbox/bids.test.ts': 'the list has the framework’s envelope',
  },
  'bids.get': { 'test/sandbox/bids.test.ts': 'A05: one’s own, and for the bank its lots’' },
  'bids.lookup': { 'test/sandbox/idempotency.test.ts': 'A06 finds what was recorded' },
  'bids.requestCancellation': {
    'test/client/extras.test.ts': 'are merged in behind the known fields, signed and sent',
    'test/sandbox/idempotency.test.ts': ['A07 records a request once', 'A07 refuses a rejected bid'],
  },
  'bidCancellations.list': { 'test/wire/walks.test.ts': `${walk} > bidCancellations.list` },
  'bidCancellations.decide': { 'test/client/extras.test.ts': 'gives id and version' },
  'winnerUpdates.list': {
    'test/core/cursor-pager.test.ts': 'a list along a cursor',
    'test/wire/walks.test.ts': `${walk} > winnerUpdates.list`,
  },
  'saleCases.list': { 'test/wire/walks.test.ts': `${walk} > saleCases.list` },
  'saleCases.decide': { 'test/client/frozen-bytes.test.ts': `${frozen} > a decision on a record` },
  'offers.respond': { 'test/client/hostile-values.test.ts': 'bodies > $party $name: $field > decision' },
  'disputes.create': { 'test/client/frozen-bytes.test.ts': `${frozen} > a command whose key is made for it` },
  'inventory.createVehicle': {
    'test/api/inputs.test.ts': 'take inventory values by field id, or as a list',
    'test/client/frozen-bytes.test.ts': `${frozen} > a command with nested values`,
  },
  'inventory.updateVehicle': {
    'test/client/extras.test.ts': 'gives the inventory version of the vehicle, not that of the command',
    'test/client/frozen-bytes.test.ts': `${frozen} > a tunnelled PATCH with a record in place of the id`,
  },
  'documents.upload': {
    'test/client/file-content.test.ts': 'of %i bytes makes the same request as its base64',
  },
  'documents.download': {
    'test/files/hostile-urls.test.ts': 'URLs of the service are fetched as they are > %s > a document',
  },
  'notifications.list': { 'test/wire/walks.test.ts': `${walk} > notifications.list` },
  'webhookSubscriptions.create': {
    'test/wire/codes.test.ts': 'a subscription that is not found says that its operation may not be open',
    'test/api/inputs.test.ts': 'bodies > refuse %j for a webhook',
  },
};
