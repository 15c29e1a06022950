import type { Places } from './rule.js';

const walk = 'every list, walked on a real socket > $operation';
const frozen = 'a retry sends the identical bytes under the identical key > %s';
const catalogue = 'test/e2e/catalogue.test.ts';

/** Further tests of discovering, bidding and looking up. */
export const auctionTests: Readonly<Record<string, Places>> = {
  'integration.profile': {
    'test/client/verify.test.ts': 'finds everything in order',
    'test/sandbox/integration.test.ts': 'A01 tells each caller who it is, and never the secret',
  },
  'integration.capabilities': {
    'test/sandbox/integration.test.ts': 'A02',
    'test/e2e/unfamiliar.test.ts': '%s: %s stops no read, no bid and no command, and arrives',
  },
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
    'test/sandbox/media.test.ts': [
      'a photo: its bytes, its type, inline, never to be cached',
      'a document: attached under its name',
    ],
    [catalogue]: 'downloads a photo and a document by the URLs that a lot lists, and by their ids',
  },
  'lots.list': {
    'test/wire/walks.test.ts': `${walk} > lots.list`,
    'test/sandbox/event-lots.test.ts': '/lots: summaries of live lots, 25 a page',
  },
  'lots.status': {
    'test/sandbox/lot-status.test.ts': 'A10, literally',
    'test/sandbox/lot-status-after-close.test.ts': [
      'follows the sale to its collection, literally',
      'counts every step in the version of the lot, what time does included',
      'tells others that the vehicle is sold, and nothing of the sale',
    ],
  },
  'lots.statusBatch': {
    'test/client/status-batch.test.ts': 'are sent as they are, a hundred and one of them too',
    'test/sandbox/lot-status.test.ts': 'A11: each item by itself, no idempotency key',
    'test/sandbox/lot-status-after-close.test.ts':
      "shows a platform's sale to the buyer who bid, or when nobody is named",
  },
  'vehicles.get': {
    'test/sandbox/vehicles.test.ts':
      'a summary as in the catalogue, without what the bank keeps to its inventory',
    [catalogue]: 'reads a vehicle, eligibility and results',
  },
  'results.list': {
    'test/wire/walks.test.ts': `${walk} > results.list`,
    'test/sandbox/results.test.ts': [
      'lots of closed auctions, the latest close first; no total',
      'it needs the scope and the entitlement',
    ],
    [catalogue]: 'reads a vehicle, eligibility and results',
  },
  'eligibility.check': {
    'test/sandbox/eligibility.test.ts': [
      'the snapshot, literally',
      '%s: the codes that the bid then gets',
      'it reserves and records nothing',
    ],
    [catalogue]: 'reads a vehicle, eligibility and results',
  },
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
  'bids.lookup': {
    'test/bids/lookups.test.ts': [
      'repairs money that the receipt has as JSON numbers, and leaves everything else as it came',
      'takes the codes of a rejection from its receipt, where they are',
      'one reconcile looks twice, 60 s apart, and the bid is then refused as not recorded',
    ],
    'test/intents/server-time.test.ts':
      'judges by server time whether it may be resent, though its machine is hours off',
    'test/sandbox/idempotency.test.ts': 'A06 finds what was recorded',
    'test/sandbox/scripted-faults.test.ts': [
      'processing: cut at once, judged later, as having come in time',
      'forget: a retry is a new bid',
    ],
  },
  'bids.requestCancellation': {
    'test/client/extras.test.ts': 'are merged in behind the known fields, signed and sent',
    'test/sandbox/idempotency.test.ts': ['A07 records a request once', 'A07 refuses a rejected bid'],
  },
};
