import type { Section } from './rule.js';

const facts = 'what access facts refuse > %s';
const refused = '401 and its codes > %s';

export const canonicalRules: Section = {
  title: 'Canonical string rules',
  chapter: 'Authentication',
  rules: [
    {
      label: 'Clock difference',
      text: 'Five minutes to either side. The client sets itself right by a refusal and tries once more; `verify()` warns at half of it.',
      kept: 'client and sandbox',
      code: {
        'src/core/retry.ts': 'Retries.waitAfter',
        'src/client/verify.ts': 'offset',
        'src/sandbox/access.ts': 'verify',
      },
      tests: {
        'test/core/remedies.test.ts': [
          'corrects the clock from the reply and resends the same bytes at once',
          'is mended once a call, not in circles',
        ],
        'test/client/verify.test.ts': 'measures the clock, both ways',
        'test/sandbox/access.test.ts': [`${refused} > 301 s late`, 'the bounds themselves pass'],
      },
    },
    {
      label: 'Fresh each time',
      text: 'Nonce, timestamp and signature are made for each attempt, after every wait; a nonce seen before is refused.',
      kept: 'client and sandbox',
      code: { 'src/core/stamp.ts': 'stampAndSign', 'src/sandbox/nonces.ts': 'NonceMemory.take' },
      tests: {
        'test/wire/codes-suite.ts': '%s by a %s, answered at last',
        'test/client/frozen-bytes.test.ts': 'a retry sends the identical bytes under the identical key > %s',
        'test/sandbox/access.test.ts': 'a second use is a conflict, and other clients are not concerned',
      },
    },
    {
      label: 'Bytes',
      text: 'A body is serialised once; what is hashed, sent and sent again are those bytes.',
      kept: 'client and sandbox',
      code: { 'src/core/freeze.ts': 'freeze', 'src/sandbox/signature.ts': 'judgeSignature' },
      tests: {
        'test/client/frozen-bytes.test.ts': 'a retry sends the identical bytes under the identical key > %s',
        'test/core/undici-transport.test.ts':
          'sends the very bytes that were signed, and one key over a cut connection',
        'test/sandbox/hints.test.ts': 'an invalid signature is explained > %s',
        'test/sandbox/hostile.test.ts': 'bytes that aren’t UTF-8 are signed as bytes and refused as JSON',
      },
    },
    {
      label: 'Retention',
      text: 'How long nonces are remembered is not shown, so the client never uses one twice; the sandbox remembers them for 600 seconds, or as its variant `nonce-retention` says.',
      kept: 'sandbox',
      code: { 'src/sandbox/nonces.ts': 'NonceMemory.take' },
      tests: {
        'test/sandbox/access.test.ts': 'it is remembered for 600 seconds',
        'test/sandbox/access-variants.test.ts': 'nonce-retention > %s',
      },
    },
  ],
};

const client = 'The client tells which code it was and the next step.';

export const accessChecks: Section = {
  title: 'Access checks',
  chapter: 'Authentication',
  rules: [
    {
      label: 'Active',
      text: `Key not revoked, client and partner active. A revoked key makes a client ask its function for credentials, once. In the sandbox a key is revoked, rotated or expires. ${client}`,
      kept: 'client and sandbox',
      code: {
        'src/client/keyring.ts': 'fetchedKeyring',
        'src/sandbox/access.ts': ['identify', 'permit'],
        'src/sandbox/key-rotation.ts': 'rotateKey',
      },
      tests: {
        'test/core/remedies.test.ts':
          'asks for credentials again and resends the same bytes under the new key',
        'test/sandbox/access.test.ts': [
          `${facts} > an inactive client`,
          `${facts} > a revoked key`,
          `${facts} > an inactive partner`,
        ],
        'test/sandbox/access-variants.test.ts': [
          'credentials > credential-expiry %s',
          'credentials > key-rotation %s',
        ],
      },
    },
    {
      label: 'Agreement, KYB',
      text: `Both in force. ${client}`,
      kept: 'client and sandbox',
      code: { 'src/errors/by-code.ts': 'apiErrorClass', 'src/sandbox/access.ts': 'permit' },
      tests: {
        'test/wire/codes.ts': ['403 AGREEMENT_REQUIRED', '403 KYB_REQUIRED'],
        'test/sandbox/access.test.ts': [`${facts} > no agreement`, `${facts} > no KYB`],
      },
    },
    {
      label: 'Address',
      text: `The bank has approved where the request comes from. ${client}`,
      kept: 'client and sandbox',
      code: { 'src/errors/by-code.ts': 'apiErrorClass', 'src/sandbox/addresses.ts': 'isAllowed' },
      tests: {
        'test/wire/codes.ts': '403 IP_NOT_ALLOWED',
        'test/sandbox/access.test.ts': [
          `${facts} > an unapproved address`,
          'an approved block lets its addresses in',
        ],
      },
    },
    {
      label: 'HTTPS',
      text: 'Deployed environments take nothing else, and the client sends nothing else but to loopback.',
      kept: 'client and sandbox',
      code: { 'src/client/base-url.ts': 'parseBaseUrl', 'src/sandbox/access.ts': 'permit' },
      tests: {
        'test/client/hostile-options.test.ts': 'takes no base URL that is %s > plain http off loopback',
        'test/sandbox/access.test.ts': 'options: TLS, environment, addresses, variants',
      },
    },
    {
      label: 'Environment',
      text: `Credentials work in their own environment alone. ${client}`,
      kept: 'client and sandbox',
      code: { 'src/client/verify.ts': 'verifyWith', 'src/sandbox/access.ts': 'permit' },
      tests: {
        'test/wire/codes.ts': '403 ENVIRONMENT_DENIED',
        'test/sandbox/access.test.ts': `${facts} > credentials of another environment`,
      },
    },
    {
      label: 'Scope',
      text: `Every operation asks for one. ${client}`,
      kept: 'client and sandbox',
      code: { 'src/api/scopes.ts': 'scopes', 'src/sandbox/access.ts': 'permit' },
      tests: {
        'test/wire/codes.ts': '403 SCOPE_DENIED',
        'test/sandbox/access.test.ts': [
          `${facts} > no scope`,
          'the wrong actor is refused whatever its scopes',
        ],
        'test/sandbox/access-variants.test.ts': 'refusals > wrong-actor-code %s',
      },
    },
    {
      label: 'Subscription',
      text: `The bank's own must be active; its code comes as 402 or 403 and is one error class here. ${client}`,
      kept: 'client and sandbox',
      code: { 'src/errors/by-code.ts': 'apiErrorClass', 'src/sandbox/access.ts': 'permit' },
      tests: {
        'test/wire/codes.ts': ['402 BANK_UNAVAILABLE', '403 BANK_UNAVAILABLE'],
        'test/sandbox/access.test.ts': `${facts} > no bank subscription`,
      },
    },
    {
      label: 'Assignment',
      text: 'Lot and auction must be assigned and entitled. Reads of the sandbox answer 404, bids the two codes. Results need an entitlement beside it; which code its lack has is not shown, and a variant of the sandbox.',
      kept: 'client and sandbox',
      code: {
        'src/errors/by-code.ts': 'apiErrorClass',
        'src/sandbox/bid-rules.ts': 'accessCodes',
        'src/sandbox/catalogue.ts': 'isAssigned',
        'src/sandbox/handlers/results.ts': 'list',
      },
      tests: {
        'test/wire/codes.ts': ['403 BANK_ACCESS_DENIED', '403 AUCTION_ACCESS_DENIED'],
        'test/sandbox/bid-eligibility.test.ts':
          'lots that are another bank’s, or assigned to others, or nobody’s',
        'test/sandbox/lot-status.test.ts': 'A10 of what isn’t the caller’s is a 404',
        'test/sandbox/results.test.ts': 'it needs the scope and the entitlement',
        'test/sandbox/access-variants.test.ts': 'refusals > results-entitlement-code %s',
        'test/e2e/catalogue.test.ts': 'reads a vehicle, eligibility and results',
      },
    },
  ],
};
