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
        'src/sandbox/workflow/commands.ts': ['carryOutOnce', 'expectVersion'],
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
        'test/sandbox/sale-cases.test.ts': [
          'refuses a missing and an unequal Idempotency-Key header, and a key that is none',
          'A22, the decision > refuses %s, and nothing has changed > no version',
        ],
        'test/sandbox/sale-cancellations.test.ts': [
          'A26, the request > is refused with %s, and nothing has changed',
          'A27, the decision > is refused with %s, and nothing has changed',
        ],
        'test/sandbox/refunds.test.ts': [
          'A47, the request > is refused with %s, and nothing has changed',
          'A48, the decision > is refused with %s, and nothing has changed',
        ],
        'test/sandbox/disputes.test.ts': 'A50, a dispute > is refused with %s, and nothing has changed',
        'test/sandbox/transfers.test.ts': 'A57, a milestone > is refused with %s, and nothing has changed',
        'test/sandbox/inventory.test.ts': 'A60 > is refused with %s, and nothing has changed',
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
        'src/sandbox/workflow/commands.ts': 'carryOutOnce',
        'src/sandbox/replies.ts': 'command',
      },
      tests: {
        'test/client/frozen-bytes.test.ts': 'a retry sends the identical bytes under the identical key > %s',
        'test/wire/operations-suite.ts': '%s by a %s reads every reply',
        'test/sandbox/idempotency.test.ts': [
          'acceptance, literally, and its replay',
          'A07 records a request once',
        ],
        'test/sandbox/sale-cases.test.ts': 'A22, the decision > approves, literally, and replays',
        'test/sandbox/refunds.test.ts': 'A47, the request > is made by the %s, literally, once under its key',
        'test/sandbox/inventory.test.ts': 'A60 > is held to its key',
        'test/sandbox/access-variants.test.ts': [
          'idempotency keys > key-retention %s',
          'idempotency keys > key-in-flight %s',
        ],
        'test/e2e/workflow.test.ts':
          'a command whose reply is lost is sent again with its bytes, and committed once',
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
        'test/sandbox/inventory.test.ts': 'comes as a POST that is signed as a PATCH, and in no other way',
        'test/sandbox/access-variants.test.ts': 'tunnelled-method-place > %s',
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

export const winnerUpdates: Section = {
  title: 'Winner updates',
  chapter: 'Endpoints',
  rules: [
    {
      label: 'Cursor',
      text: 'Every page says where the next one begins; that is what to keep, and asking with it again does no harm. The pager goes along the cursor, never twice by the same one, and gives each page with its `nextCursor`.',
      kept: 'client and sandbox',
      code: {
        'src/paging/cursor-pager.ts': 'CursorPager.pages',
        'src/paging/cursor-page.ts': 'cursorPageOf',
        'src/sandbox/handlers/winner-updates.ts': 'list',
      },
      tests: {
        'test/core/cursor-pager.test.ts': [
          'is walked from the cursor that the query names, to the page without a next one',
          'begins at the beginning, and says on every page where to go on',
          'never goes in circles',
        ],
        'test/wire/cases/bids.ts': 'winnerUpdates.list',
        'test/sandbox/winner-updates.test.ts':
          'go on from a cursor, by limit, and say so of a cursor that is none',
        'test/e2e/workflow.test.ts': 'winner updates go on from a cursor, and the inbox is marked',
      },
    },
    {
      label: 'Same decision',
      text: 'An update and a `sale.approved` event tell of one decision. In the sandbox an approval makes one of each, with the same fields, and nothing else makes any. To count a decision once that came both ways is up to the receiver, in this version.',
      kept: 'sandbox',
      code: {
        'src/sandbox/workflow/winners.ts': ['tellWinner', 'approvalData'],
        'src/sandbox/workflow/event-data.ts': 'eventData',
      },
      tests: {
        'test/sandbox/winner-updates.test.ts': [
          'tell of a committed approval as it was, to its buyer and its bank',
          'come of approvals alone, one of each, and tell what the sale and the message about it tell',
        ],
        'test/sandbox/webhooks/events.test.ts': [
          'sale.approved > tells what the winner updates tell, and the account of the marketplace that won',
          'sale.approved > comes of a commit, once: not of a refusal, not of a replay',
        ],
      },
    },
  ],
};
