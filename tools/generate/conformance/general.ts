import type { Section } from './rule.js';

export const generalRules: Section = {
  title: 'General rules',
  chapter: 'What the service does',
  rules: [
    {
      label: '1',
      text: 'Everything is priced in rupees: text of at most two decimals on the wire, whole paise in every sum. A JS number is never money.',
      kept: 'client and sandbox',
      code: {
        'src/api/common.ts': ['amount', 'money', 'inr'],
        'src/money/paise.ts': ['toPaise', 'fromPaise'],
        'src/sandbox/money.ts': 'paise',
      },
      tests: {
        'test/money/paise.test.ts': [
          'toPaise > reads %s',
          'fromPaise > undoes toPaise, at any size and sign',
        ],
        'test/client/hostile-values.test.ts': [
          'money > $party $name: $field',
          'bodies > $party $name: $field > currency',
        ],
        'test/core/decode.test.ts':
          'replies are open > refuses money that came as a number where the text has a string',
        'test/sandbox/bid-rules.test.ts': 'paise are exact where floating point is not',
      },
    },
    {
      label: '2',
      text: "Only the server's clock says whether bids are taken and whether one came in time. The client follows that clock and refuses no bid on its own; the sandbox judges by the clock it keeps, not by what a bidder claims.",
      kept: 'client and sandbox',
      code: {
        'src/clock/server-clock.ts': 'createServerClock',
        'src/sandbox/catalogue.ts': 'statusAt',
        'src/sandbox/bid-rules.ts': 'brokenRules',
      },
      tests: {
        'test/clock/server-clock.test.ts': 'server time > follows a service that is %s',
        'test/sandbox/bid-rules.test.ts': 'rule 6: the window > the buyer’s own clock decides nothing',
        'test/sandbox/events.test.ts': 'status moves with the clock, and the revision with the bank',
      },
    },
    {
      label: '3',
      text: 'A standing can still change; to be accepted is neither to have bought nor leave to pay or to collect; results of closed lots prove no sale and name no rival. Nothing here reads more into a reply. In the sandbox nothing is due, taken for paid or released before the bank has approved, and nobody is shown who else has bid or won.',
      kept: 'client and sandbox',
      code: {
        'src/api/events.ts': 'EventLot',
        'src/api/results.ts': 'results.operations.list',
        'src/sandbox/handlers/views.ts': ['eventLotView', 'lotSummaryView'],
        'src/sandbox/handlers/lot-status-view.ts': ['lotStatusView', 'ownSale'],
        'src/sandbox/workflow/asked-sale.ts': 'approvedSale',
      },
      tests: {
        'test/sandbox/standings.test.ts': 'nobody is ever shown another dealer',
        'test/sandbox/property/random-commands.test.ts':
          'random commands by two dealers, a platform and a bank > break no invariant',
        'test/sandbox/event-lots.test.ts':
          'a lot has every field of the text, and the bank’s labels beside the standard keys',
        'test/sandbox/lot-status-after-close.test.ts':
          'tells others that the vehicle is sold, and nothing of the sale',
        'test/sandbox/results.test.ts': [
          'who bid and how much is nobody’s to read, not even one’s own',
          'whether a lot is sold isn’t in it either',
        ],
        'test/sandbox/dues.test.ts':
          'is a 404 with a message of its own before the approval: nothing is due, nor paid',
        'test/sandbox/payment-reports.test.ts': 'refuses a sale that is not approved',
        'test/sandbox/releases.test.ts': 'A52, a release > is refused for %s > a sale that is not decided',
        'test/wire/cases/catalogue.ts': ['events.lot', 'results.list'],
      },
    },
    {
      label: '4',
      text: "That a sale is approved is the bank's word, given by `saleCases.decide` and by nothing else: not by the award at the close, nor by an offer that is accepted.",
      kept: 'client and sandbox',
      code: {
        'src/api/sale-cases.ts': 'saleCases.operations.decide',
        'src/sandbox/workflow/awards.ts': 'award',
        'src/sandbox/handlers/sale-cases.ts': 'decide',
      },
      tests: {
        'test/client/types.test.ts': 'let the right actor call, and nobody else',
        'test/wire/cases/sale.ts': 'saleCases.decide',
        'test/sandbox/sale-cases.test.ts': [
          'opens a sale for the leading bid of every lot, at the moment of the close, and reads literally',
          'A22, the decision > approves, literally, and replays',
          'is the bank’s, and of a sale of its own',
        ],
        'test/sandbox/offers.test.ts': '%s, literally, and its replay',
        'test/e2e/workflow.test.ts': [
          'an offer is made, accepted, and becomes the price',
          'what is not a partner’s to do is refused, whatever the door',
        ],
      },
    },
    {
      label: '5',
      text: 'Banks and partners are two kinds of caller with credentials of their own, and no scope opens the other side. Hence two clients, each with the methods of its side; the sandbox refuses the wrong actor whatever its scopes.',
      kept: 'client and sandbox',
      code: {
        'src/client/partner-client.ts': 'PartnerClient',
        'src/client/bank-client.ts': 'BankClient',
        'src/sandbox/access.ts': 'admit',
        'src/sandbox/parties.ts': ['partnerScopes', 'bankScopes'],
        'src/sandbox/catalogue.ts': 'isAssigned',
      },
      tests: {
        'test/client/types.test.ts': 'let the right actor call, and nobody else',
        'test/wire/completeness.test.ts': 'are one for every method of either client, made by that client',
        'test/sandbox/access.test.ts': 'the wrong actor is refused whatever its scopes',
        'test/sandbox/vehicles.test.ts': 'banks read their own',
        'test/sandbox/tenants.test.ts': [
          'another bank reads its own auctions, and nothing of this one',
          'another bank decides nothing of this one, and imports nothing for its sales',
        ],
        'test/e2e/days.test.ts': 'of a bank: it reads, and does not bid',
        'test/e2e/workflow.test.ts': 'what is not a partner’s to do is refused, whatever the door',
      },
    },
    {
      label: '6',
      text: 'Sandbox and Production are apart, credentials too. `verify()` compares the environment that is meant with the one the service names; the sandbox denies credentials of another.',
      kept: 'client and sandbox',
      code: { 'src/client/verify.ts': 'verifyWith', 'src/sandbox/access.ts': 'permit' },
      tests: {
        'test/client/verify.test.ts': 'verify > %o > uat',
        'test/sandbox/access.test.ts': [
          'what access facts refuse > %s > credentials of another environment',
          'options: TLS, environment, addresses, variants',
        ],
        'test/wire/codes.ts': '403 ENVIRONMENT_DENIED',
      },
    },
    {
      label: '7',
      text: 'What the bank must have granted before a partner gets anywhere. The client can only tell which of it is missing, with the next step; in the sandbox each precondition is a fact that tests take away.',
      kept: 'client and sandbox',
      code: { 'src/api/codes.ts': 'codes', 'src/sandbox/parties.ts': ['AccessFacts', 'Parties.update'] },
      tests: {
        'test/sandbox/access.test.ts': 'what access facts refuse > %s',
        'test/e2e/days.test.ts': 'what a bank can do to a partner, the partner learns in plain words > %o',
      },
    },
    {
      label: '8',
      text: 'HTTPS, a true clock, and secrets that never leave the backend. Base URLs of plain http are refused but for loopback, `verify()` measures the clock and a refused timestamp corrects it, and no error, log or inspection shows a secret or a signature.',
      kept: 'client and sandbox',
      code: {
        'src/client/base-url.ts': 'parseBaseUrl',
        'src/client/verify.ts': 'verifyWith',
        'src/core/redact.ts': ['leaksOf', 'safeCause'],
        'src/sandbox/access.ts': 'permit',
      },
      tests: {
        'test/client/hostile-options.test.ts': 'takes no base URL that is %s > plain http off loopback',
        'test/client/verify.test.ts': 'measures the clock, both ways',
        'test/client/secrets.test.ts': ['in a client, however it is looked at', 'in the error of a %s'],
        'test/wire/codes-suite.ts': '%s by a %s',
        'test/sandbox/access.test.ts': 'options: TLS, environment, addresses, variants',
      },
    },
    {
      label: '9',
      text: 'JSON both ways, and declared as such; files alone come as bytes.',
      kept: 'client and sandbox',
      code: {
        'src/core/headers.ts': 'signedHeaders',
        'src/core/read.ts': ['readText', 'readBinary'],
        'src/sandbox/validation.ts': 'readJson',
        'src/sandbox/replies.ts': 'file',
        'src/sandbox/accept.ts': 'acceptsReply',
      },
      tests: {
        'test/wire/operations-suite.ts': '%s by a %s, %s',
        'test/core/binary.test.ts': 'streams the bytes, with type, length and disposition',
        'test/sandbox/bid-body.test.ts': 'a body that isn’t declared JSON',
        'test/sandbox/sale-cases.test.ts': 'commands take a body only as JSON',
        'test/sandbox/access-variants.test.ts': 'accept-header > refused: %s gets a %d',
        'test/sandbox/media.test.ts': 'a photo: its bytes, its type, inline, never to be cached',
      },
    },
  ],
};
