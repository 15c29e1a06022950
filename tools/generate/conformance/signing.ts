import type { Section } from './rule.js';

const refused = '401 and its codes > %s';
const vector = 'vectors > $id through signRequest and the client’s signer';

export const headers: Section = {
  title: 'Headers',
  chapter: 'Authentication',
  rules: [
    {
      label: '`X-Client-ID`',
      text: 'Whose client it is, from the credentials. It may not change under a client, because keys of bids belong to it.',
      kept: 'client and sandbox',
      code: {
        'src/signing/headers.ts': 'signatureHeaders',
        'src/signing/secret.ts': 'checkHeaderId',
        'src/sandbox/access.ts': 'identify',
      },
      tests: {
        'test/signing/sign.test.ts': [
          'gives the six headers, as computed by hand',
          'refuses an id that is %s',
        ],
        'test/client/keyring.test.ts':
          'must stay with one client id: another one is refused, because keys of bids belong to it',
        'test/sandbox/access.test.ts': `${refused} > an unknown client`,
      },
    },
    {
      label: '`X-Key-ID`',
      text: 'Which key signs; with credentials from a function it may be another from one attempt to the next.',
      kept: 'client and sandbox',
      code: { 'src/signing/headers.ts': 'signatureHeaders', 'src/sandbox/access.ts': 'identify' },
      tests: {
        'test/wire/codes.ts': '401 KEY_REVOKED, and another key is to be had',
        'test/signing/sign.test.ts': 'refuses an id that is %s',
        'test/sandbox/access.test.ts': `${refused} > an unknown key`,
      },
    },
    {
      label: '`X-Timestamp`',
      text: 'Whole Unix seconds of server time, taken when the attempt is signed and never rounded up.',
      kept: 'client and sandbox',
      code: { 'src/core/stamp.ts': 'stampAndSign', 'src/sandbox/access.ts': 'verify' },
      tests: {
        'test/wire/operations-suite.ts': '%s by a %s, %s',
        'test/core/bid-call.test.ts': 'signs after the wait, never before it',
        'test/sandbox/access.test.ts': [`${refused} > milliseconds`, `${refused} > a padded timestamp`],
      },
    },
    {
      label: '`X-Nonce`',
      text: 'New for every attempt, 16 to 128 of the allowed characters. One that breaks this, from injected randomness, is never sent.',
      kept: 'client and sandbox',
      code: {
        'src/core/stamp.ts': 'stampAndSign',
        'src/api/common.ts': 'noncePattern',
        'src/sandbox/nonces.ts': 'NonceMemory.take',
      },
      tests: {
        'test/signing/sign.test.ts': [
          'takes a nonce of %i characters',
          'refuses %s > a nonce of 129 characters',
        ],
        'test/core/bid-call.test.ts': 'refuses a nonce that the service would refuse',
        'test/sandbox/access.test.ts': [`${refused} > 15 characters of nonce`, 'the bounds themselves pass'],
      },
    },
    {
      label: '`X-Content-SHA256`',
      text: 'Lower-case digest of the body as it is sent, of no bytes where there is none. A file that changes while it is sent never completes its request.',
      kept: 'client and sandbox',
      code: {
        'src/core/headers.ts': 'signedHeaders',
        'src/core/file-body.ts': 'fileBody',
        'src/sandbox/signature.ts': 'judgeSignature',
      },
      tests: {
        'test/signing/sign.test.ts': 'hashes no bytes where there is no body',
        'test/client/file-content.test.ts': [
          'of %i bytes makes the same request as its base64',
          'while it is sent: it %s',
        ],
        'test/sandbox/access.test.ts': [`${refused} > another digest`, `${refused} > an upper-case digest`],
      },
    },
    {
      label: '`X-Signature`',
      text: 'Lower-case HMAC-SHA256 of the canonical string under the secret as it was given.',
      kept: 'client and sandbox',
      code: {
        'src/signing/signer.ts': 'createSigner',
        'src/signing/digest-native.ts': 'nativeDigests',
        'src/signing/digest-noble.ts': 'nobleDigests',
        'src/sandbox/hmac.ts': 'hmacHex',
        'src/sandbox/canonical.ts': 'sameSignature',
      },
      tests: {
        'test/signing/vectors.test.ts': vector,
        'test/signing/digests.test.ts': 'native and noble > agree on every body, key and message',
        'test/sandbox/signature.test.ts': 'the vectors > %s',
        'test/sandbox/access.test.ts': 'a signature of another case, length or digit is refused',
      },
    },
  ],
};

export const canonicalString: Section = {
  title: 'Canonical string',
  chapter: 'Authentication',
  rules: [
    {
      label: 'Six lines',
      text: 'Method, path, query, timestamp, nonce, digest; a line feed between them and none at the end. The method is the effective one, the path begins with `/api/v1`, parameters stand by name in RFC 3986 escapes.',
      kept: 'client and sandbox',
      code: {
        'src/signing/canonical.ts': ['canonicalRequest', 'signedPathOf'],
        'src/signing/query.ts': 'canonicalQuery',
        'src/sandbox/canonical.ts': ['canonicalString', 'canonicalQuery'],
      },
      tests: {
        'test/signing/vectors.test.ts': ['vectors > $id through canonicalRequest', vector],
        'test/signing/query.test.ts': [
          'canonicalQuery > %s',
          'sorts names as their UTF-8 bytes sort, and loses nothing',
        ],
        'test/core/bid-call.test.ts':
          'keeps the signed path free of the front-controller segment that is sent',
        'test/sandbox/access.test.ts': [
          `${refused} > a trailing line feed`,
          'the query on the wire must be the canonical one, even where the signature is',
        ],
        'test/sandbox/service.test.ts': 'a prefix is on the wire and not in the signed path',
      },
    },
  ],
};
