import type { Section } from './rule.js';

const bidReply = 'what one error reply means for a bid > %s';

export const errorShapes: Section = {
  title: 'Error shapes',
  chapter: 'Errors',
  rules: [
    {
      label: '1',
      text: 'The application envelope. The error carries every code it lists, the first as `code`, and the record of a rejection as `receipt`.',
      kept: 'client and sandbox',
      code: {
        'src/core/reply.ts': ['errorReply', 'isRecordedRejection'],
        'src/errors/api.ts': ['ApiError.codes', 'BidRejectedError.receipt'],
        'src/sandbox/replies.ts': ['bidEnvelope', 'refusal'],
      },
      tests: {
        'test/wire/codes.ts': ['401 INVALID_SIGNATURE', '422 with every reason, recorded'],
        'test/core/outcome.test.ts': 'carries the recorded rejection and the request id',
        'test/sandbox/access.test.ts': '401 and its codes > %s',
        'test/sandbox/idempotency.test.ts':
          'rejection, literally, and its replay: even when it would be accepted by now',
      },
    },
    {
      label: '2',
      text: "The framework's list of wrong fields, kept as `fieldErrors`.",
      kept: 'client and sandbox',
      code: {
        'src/core/reply.ts': 'errorReply',
        'src/errors/api.ts': 'ApiError.fieldErrors',
        'src/sandbox/replies.ts': ['invalid', 'invalidField'],
      },
      tests: {
        'test/wire/codes.ts': '422 validation errors',
        'test/core/outcome.test.ts': `${bidReply} > 422 framework`,
        'test/sandbox/bid-body.test.ts': 'fields of the body > %s',
      },
    },
    {
      label: '3',
      text: 'A bare message, without code or request id.',
      kept: 'client and sandbox',
      code: { 'src/core/reply.ts': 'errorReply', 'src/sandbox/replies.ts': ['messageOnly', 'notFound'] },
      tests: {
        'test/wire/codes.ts': ['404 as a message', '429 as a message', '500 as a message'],
        'test/sandbox/service.test.ts': '%s %s is a 404 with a message and no more',
        'test/sandbox/codes.test.ts': 'what has no code has its own shape: fields, a bare message',
        'test/sandbox/bid-cancellations.test.ts':
          'are refused while one is pending, and after the cancellation',
      },
    },
  ],
};

export const errorRules: Section = {
  title: 'Error rules',
  chapter: 'Errors',
  rules: [
    {
      label: 'No one shape',
      text: "Any error can come in any of the three, so classes go by code first and status second. What comes in none of them may be a proxy's, and proves nothing about a bid. The sandbox sends what a proxy might, where a fault says so.",
      kept: 'client and sandbox',
      code: {
        'src/core/reply.ts': 'errorReply',
        'src/core/interpret.ts': 'isOwnWord',
        'src/errors/by-code.ts': 'apiErrorClass',
        'src/sandbox/faults/replies.ts': 'faultReply',
      },
      tests: {
        'test/wire/codes.ts': ["403 in a proxy's HTML", '401 as a message', '500 in HTML'],
        'test/core/outcome.test.ts': [
          'what contradicts itself, or is oddly shaped > %s',
          `${bidReply} > 422 garbage`,
        ],
        'test/sandbox/scripted-faults.test.ts': '%s is declared as %s',
        'test/sandbox/faults.test.ts': 'rate_limit, garbage, redirect: nothing is done, no nonce is spent',
      },
    },
    {
      label: 'Rejected bids',
      text: 'They are told again as they were and never turned into new ones: a rejection is final here.',
      kept: 'client and sandbox',
      code: { 'src/core/classify.ts': 'classify', 'src/sandbox/handlers/bids.ts': 'submit' },
      tests: {
        'test/intents/intents.test.ts':
          'a rejection that was recorded is thrown by submit again, without a request',
        'test/core/classify.test.ts': 'is rejected only where the record of the rejection comes with a 422',
        'test/sandbox/idempotency.test.ts':
          'rejection, literally, and its replay: even when it would be accepted by now',
      },
    },
    {
      label: 'Version mismatch',
      text: 'Neither code nor status is shown. The client knows one by what the reply names, and calls any other conflict a conflict; the sandbox answers a 409 whose message names it, or what its variant `expected-version-conflict` says.',
      kept: 'client and sandbox',
      code: {
        'src/core/reply.ts': 'isVersionConflict',
        'src/errors/api.ts': 'VersionConflictError',
        'src/sandbox/workflow/commands.ts': 'expectVersion',
        'src/sandbox/workflow/command-refusals.ts': 'worded',
      },
      tests: {
        'test/wire/codes.ts': [
          '422 validation errors about the version',
          '409 about the version',
          '409 about the version, with a code that the text does not show',
        ],
        'test/sandbox/sale-cases.test.ts':
          'A22, the decision > refuses %s, and nothing has changed > an old version',
        'test/e2e/workflow.test.ts': 'a decision on a record that has moved is a version conflict',
      },
    },
  ],
};
