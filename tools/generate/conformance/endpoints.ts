import type { Section } from './rule.js';

export const conventions: Section = {
  title: 'Conventions',
  chapter: 'Endpoints',
  rules: [
    {
      label: '1',
      text: 'Every request is signed in its headers, and a GET has no body.',
      kept: 'client and sandbox',
      code: {
        'src/core/headers.ts': 'signedHeaders',
        'src/signing/headers.ts': 'signatureHeaders',
        'src/sandbox/signature.ts': 'judgeSignature',
      },
      tests: {
        'test/wire/operations-suite.ts': '%s by a %s, %s',
        'test/signing/sign.test.ts': [
          'gives the six headers, as computed by hand',
          'hashes no bytes where there is no body',
        ],
        'test/sandbox/signature.test.ts': 'a GET with a body is refused, however well signed',
      },
    },
    {
      label: '2',
      text: 'A command names its key twice, in body and header, and a decision the version that it was made on. The client makes the key where none is given and takes the version from the record; A11 only reads, so it has neither.',
      kept: 'client and sandbox',
      code: {
        'src/core/prepare.ts': 'prepare',
        'src/core/records.ts': 'resolveRecord',
        'src/api/common.ts': ['idempotencyKey', 'expectedVersion'],
        'src/sandbox/idempotency.ts': 'keyed',
      },
      tests: {
        'test/api/service.test.ts': [
          'carries an idempotency key where it changes something, and nowhere else',
          'says where its version comes from exactly where it has one',
        ],
        'test/wire/completeness.test.ts': 'pass the record in place of the id wherever a version is expected',
        'test/client/extras.test.ts': [
          'gives id and version',
          'is asked for, or the version, where neither is given',
        ],
        'test/client/request.test.ts': 'knows what is a read: A11 takes no key',
        'test/sandbox/bid-body.test.ts': 'the header must be there and equal',
        'test/sandbox/lot-status.test.ts': 'A11: each item by itself, no idempotency key',
      },
    },
    {
      label: '3',
      text: 'Whatever is sent again is sent byte for byte. A command answers 200 and marks a replay in a header; a bid answers 201, then 200 with `replayed`. Both reach the caller as `responseOf(value).replayed`.',
      kept: 'client and sandbox',
      code: {
        'src/core/freeze.ts': 'freeze',
        'src/core/interpret.ts': 'interpret',
        'src/core/response-info.ts': 'responseOf',
        'src/sandbox/idempotency.ts': 'keyed',
        'src/sandbox/replies.ts': 'command',
      },
      tests: {
        'test/client/frozen-bytes.test.ts': 'a retry sends the identical bytes under the identical key > %s',
        'test/wire/operations-suite.ts': '%s by a %s reads every reply',
        'test/sandbox/idempotency.test.ts': [
          'acceptance, literally, and its replay',
          'A07 records a request once',
        ],
      },
    },
    {
      label: '4',
      text: 'The host lets no PATCH or PUT through: such a call travels as POST, names its method in the signed body, and is signed under it.',
      kept: 'client and sandbox',
      code: {
        'src/core/prepare.ts': 'tunnel',
        'src/core/raw-route.ts': 'rawCall',
        'src/sandbox/service.ts': 'Service.handle',
      },
      tests: {
        'test/wire/cases/inventory.ts': 'inventory.updateVehicle',
        'test/client/request.test.ts': 'tunnels PATCH and PUT',
        'test/client/extras.test.ts': 'come before _method, which stays last',
        'test/sandbox/service.test.ts': [
          'native %s is blocked',
          'POST with _method %s is that method, so not the POST of the path',
        ],
        'test/sandbox/signature.test.ts': 'a signature over POST for a tunnelled PATCH is named',
      },
    },
    {
      label: '5',
      text: 'Scopes are granted name by name, and credentials keep what they had. `verify()` names those that a client needs and lacks.',
      kept: 'client and sandbox',
      code: {
        'src/api/scopes.ts': 'scopes',
        'src/client/verify.ts': 'verifyWith',
        'src/sandbox/access.ts': 'permit',
      },
      tests: {
        'test/api/service.test.ts': 'knows every scope, and uses each one',
        'test/client/verify.test.ts': 'verify > %o > catalogue:read',
        'test/sandbox/access.test.ts': 'what access facts refuse > %s > no scope',
      },
    },
  ],
};

export const catalogueRules: Section = {
  title: 'Catalogue rules',
  chapter: 'Endpoints',
  rules: [
    {
      label: 'What is shown',
      text: 'Lots that are assigned, permitted and neither withdrawn nor cancelled. The client shows what comes.',
      kept: 'sandbox',
      code: { 'src/sandbox/catalogue.ts': ['visibleAuctions', 'listedLots', 'visibleLot'] },
      tests: {
        'test/sandbox/events.test.ts': 'what isn’t the caller’s is a 404 or left out',
        'test/sandbox/event-lots.test.ts': 'a lot is found in its own event only; withdrawn ones nowhere',
      },
    },
    {
      label: 'Photos and documents',
      text: 'They are whole URLs, got with a signed GET on exactly their path. `files.download` takes such a URL and signs for no address but the configured service.',
      kept: 'client',
      sandboxLater: true,
      code: { 'src/files/files.ts': 'Files.download', 'src/files/service-url.ts': 'servicePathOf' },
      tests: {
        'test/files/hostile-urls.test.ts': [
          'URLs of the service are fetched as they are > %s',
          'a %s is refused every other URL, and nobody is asked',
          'a front controller that is missing, another, or doubled is another address',
        ],
        'test/wire/cases/catalogue.ts': 'events.media',
      },
    },
    {
      label: 'Browsers',
      text: 'An image tag signs nothing, so the backend streams the bytes on: a file reply is a stream with its type, length and disposition.',
      kept: 'client',
      code: { 'src/core/caller.ts': 'BinaryReply', 'src/core/read.ts': 'readBinary' },
      tests: { 'test/core/binary.test.ts': 'streams the bytes, with type, length and disposition' },
    },
    {
      label: 'Summaries',
      text: '`vehicles.get` leaves out what is private to the bank; extended fields and standings are read with `events.lot`.',
      kept: 'client',
      sandboxLater: true,
      code: { 'src/api/lots.ts': 'LotSummary', 'src/api/events.ts': 'EventLot' },
      tests: { 'test/wire/cases/catalogue.ts': ['vehicles.get', 'events.lot'] },
    },
  ],
};

export const vehicleDetails: Section = {
  title: 'Vehicle details',
  chapter: 'Resources and their fields',
  rules: [
    {
      label: 'Keys',
      text: "Ten keys are standard; the bank's own labels stand beside them, numbered where they repeat, and never displace one. Every key comes through, whatever it is called, and pollutes nothing.",
      kept: 'client and sandbox',
      code: {
        'src/api/events.ts': 'VehicleDetails',
        'src/core/repair.ts': 'repairOf',
        'src/sandbox/handlers/views.ts': 'vehicleDetails',
      },
      tests: {
        'test/core/decode.test.ts': "keeps the bank's labels, whatever they are called, and pollutes nothing",
        'test/sandbox/event-lots.test.ts':
          'a lot has every field of the text, and the bank’s labels beside the standard keys',
      },
    },
    {
      label: 'Values',
      text: 'They keep the type they were saved with, null and empty text included.',
      kept: 'client',
      code: { 'src/api/events.ts': 'VehicleDetails', 'src/core/decode.ts': 'decode' },
      tests: {
        'test/core/decode.test.ts': [
          "keeps the bank's labels, whatever they are called, and pollutes nothing",
          'lets an odd value of an optional field pass, and says so',
        ],
        'test/wire/cases/catalogue.ts': 'events.lot',
      },
    },
    {
      label: '`media_url`',
      text: 'A field of the source, not a list of files: nothing here fetches it. Files are those of `images` and `documents`.',
      kept: 'client',
      code: { 'src/api/events.ts': 'lotFields' },
      tests: { 'test/wire/cases/catalogue.ts': 'events.lot' },
    },
  ],
};

export const winnerUpdates: Section = {
  title: 'Winner updates',
  chapter: 'Endpoints',
  rules: [
    {
      label: 'Cursor',
      text: 'Every page says where the next one begins; that is what to keep, and asking with it again does no harm. The pager goes along the cursor, never twice by the same one, and gives each page with its `nextCursor`.',
      kept: 'client',
      sandboxLater: true,
      code: {
        'src/paging/cursor-pager.ts': 'CursorPager.pages',
        'src/paging/cursor-page.ts': 'cursorPageOf',
      },
      tests: {
        'test/core/cursor-pager.test.ts': [
          'is walked from the cursor that the query names, to the page without a next one',
          'begins at the beginning, and says on every page where to go on',
          'never goes in circles',
        ],
        'test/wire/cases/bids.ts': 'winnerUpdates.list',
      },
    },
    {
      label: 'Same decision',
      text: 'An update and a `sale.approved` event tell of one decision. To count it once is up to the receiver, in this version.',
      kept: 'service',
    },
  ],
};
