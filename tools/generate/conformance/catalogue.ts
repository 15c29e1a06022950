import type { Section } from './rule.js';

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
      kept: 'client and sandbox',
      code: {
        'src/api/events.ts': 'VehicleDetails',
        'src/core/decode.ts': 'decode',
        'src/sandbox/handlers/views.ts': 'vehicleDetails',
      },
      tests: {
        'test/core/decode.test.ts': [
          "keeps the bank's labels, whatever they are called, and pollutes nothing",
          'lets an odd value of an optional field pass, and says so',
        ],
        'test/wire/cases/catalogue.ts': 'events.lot',
        'test/sandbox/event-lots.test.ts':
          'values under the bank’s labels keep the type they were saved with, null and empty text too',
      },
    },
    {
      label: '`media_url`',
      text: 'A field of the source, not a list of files: nothing here fetches it. Files are those of `images` and `documents`.',
      kept: 'client and sandbox',
      code: { 'src/api/events.ts': 'lotFields', 'src/sandbox/handlers/views.ts': 'mediaUrls' },
      tests: {
        'test/wire/cases/catalogue.ts': 'events.lot',
        'test/sandbox/media.test.ts': 'the bank’s media_url is a field like any other, and none of them',
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
        'test/sandbox/vehicles.test.ts': 'what isn’t the caller’s is a 404',
        'test/sandbox/results.test.ts': 'withdrawn, cancelled, unassigned and other banks’ lots are left out',
      },
    },
    {
      label: 'Photos and documents',
      text: 'They are whole URLs, got with a signed GET on exactly their path. `files.download` takes such a URL and signs for no address but the configured service. Photos are shown also where they are private, documents where they are visible in the auction; what is deleted, quarantined or of a lot that is not the caller’s is a 404.',
      kept: 'client and sandbox',
      code: {
        'src/files/files.ts': 'Files.download',
        'src/files/service-url.ts': 'filePathOf',
        'src/sandbox/media/lot-media.ts': 'isShown',
        'src/sandbox/handlers/views.ts': 'mediaUrls',
        'src/sandbox/handlers/events.ts': 'media',
      },
      tests: {
        'test/files/hostile-urls.test.ts': [
          'URLs of the service are fetched as they are > %s',
          'a %s is refused every other URL, and nobody is asked',
          'a front controller that is missing, another, or doubled is another address',
        ],
        'test/wire/cases/catalogue.ts': 'events.media',
        'test/sandbox/media.test.ts': [
          'absolute URLs of the files of a lot, in every view of it',
          'the files that may be seen, and no others; none is an empty array',
          'a photo: its bytes, its type, inline, never to be cached',
          'a document: attached under its name',
          'deleted, quarantined, not auction-visible',
          'of a lot that is %s',
        ],
        'test/e2e/catalogue.test.ts':
          'downloads a photo and a document by the URLs that a lot lists, and by their ids',
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
      kept: 'client and sandbox',
      code: {
        'src/api/lots.ts': 'LotSummary',
        'src/api/events.ts': 'EventLot',
        'src/sandbox/handlers/vehicles.ts': 'get',
        'src/sandbox/handlers/views.ts': ['standardDetails', 'eventLotView'],
      },
      tests: {
        'test/wire/cases/catalogue.ts': ['vehicles.get', 'events.lot'],
        'test/sandbox/vehicles.test.ts': [
          'a summary as in the catalogue, without what the bank keeps to its inventory',
          'nobody’s standing is in it',
        ],
      },
    },
  ],
};
