import type { Section } from './rule.js';

const walk = 'every list, walked on a real socket > $operation';

export const pagination: Section = {
  title: 'Pagination',
  chapter: 'Resources and their fields',
  rules: [
    {
      label: 'Events, their lots, lots',
      text: 'The items, and beside them the page, the last page and the total.',
      kept: 'client and sandbox',
      code: {
        'src/api/envelopes.ts': 'envelopeSchema',
        'src/paging/page.ts': 'pageOf',
        'src/sandbox/pages.ts': 'cataloguePage',
      },
      tests: {
        'test/wire/cases/catalogue.ts': ['events.list', 'events.lots', 'lots.list'],
        'test/wire/walks.test.ts': [`${walk} > events.list`, `${walk} > events.lots`, `${walk} > lots.list`],
        'test/sandbox/events.test.ts': 'list %s',
        'test/sandbox/event-lots.test.ts': ['pages', '/lots: summaries of live lots, 25 a page'],
      },
    },
    {
      label: 'Results',
      text: 'The same without a total, so a page of results has none.',
      kept: 'client and sandbox',
      code: {
        'src/api/envelopes.ts': 'envelopeSchema',
        'src/paging/page.ts': 'pageOf',
        'src/sandbox/pages.ts': 'resultsPage',
      },
      tests: {
        'test/wire/cases/catalogue.ts': 'results.list',
        'test/wire/walks.test.ts': `${walk} > results.list`,
        'test/sandbox/results.test.ts': 'lots of closed auctions, the latest close first; no total',
      },
    },
    {
      label: 'Bids',
      text: 'The thirteen fields of the framework. The client walks by page number and never by the URLs among them.',
      kept: 'client and sandbox',
      code: {
        'src/api/envelopes.ts': 'envelopeSchema',
        'src/paging/pager.ts': 'Pager.pages',
        'src/sandbox/pages.ts': 'frameworkPage',
      },
      tests: {
        'test/core/pager.test.ts': "reads the framework's envelope of /bids",
        'test/wire/walks.test.ts': `${walk} > bids.list`,
        'test/sandbox/bids.test.ts': 'the list has the framework’s envelope',
      },
    },
    {
      label: 'A08, A20',
      text: 'Items and position stand together inside `data`.',
      kept: 'client and sandbox',
      code: {
        'src/api/envelopes.ts': 'envelopeSchema',
        'src/paging/page.ts': 'pageOf',
        'src/sandbox/pages.ts': 'workflowPage',
      },
      tests: {
        'test/wire/walks.test.ts': [`${walk} > bidCancellations.list`, `${walk} > saleCases.list`],
        'test/wire/cases/sale.ts': 'saleCases.list',
        'test/wire/cases/integration.ts': 'bidCancellations.list',
        'test/sandbox/bid-cancellations.test.ts':
          'are listed for the bank and for the partner whose bid it is, newest first',
        'test/sandbox/sale-cases.test.ts':
          'opens a sale for the leading bid of every lot, at the moment of the close, and reads literally',
      },
    },
    {
      label: 'A74',
      text: 'Items and position stand at the top, as in the catalogue.',
      kept: 'client and sandbox',
      code: {
        'src/api/envelopes.ts': 'envelopeSchema',
        'src/paging/page.ts': 'pageOf',
        'src/sandbox/handlers/notifications.ts': 'list',
      },
      tests: {
        'test/wire/cases/documents.ts': 'notifications.list',
        'test/wire/walks.test.ts': `${walk} > notifications.list`,
        'test/sandbox/notifications.test.ts':
          'tells bank and buyer, each in an inbox of its own, newest first',
      },
    },
  ],
};
