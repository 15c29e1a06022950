import type { Section } from './rule.js';

export const webhookSignature: Section = {
  title: 'Webhook signature',
  chapter: 'Authentication',
  rules: [
    {
      label: 'What is signed',
      text: 'Timestamp, point and body, under the secret of the subscription; `v1=` and lower-case hex. Several secrets may stand side by side while one replaces another. The sandbox signs by code of its own, each attempt anew.',
      kept: 'client and sandbox',
      code: {
        'src/webhooks/signature.ts': 'verifySignature',
        'src/webhooks/sign-delivery.ts': 'signDelivery',
        'src/sandbox/webhooks/signed-headers.ts': 'signedDelivery',
      },
      tests: {
        'test/webhooks/vectors.test.ts':
          'hold valid and invalid deliveries, and verifySignature agrees with all of them',
        'test/webhooks/signature.test.ts': [
          'the signature > %s: %s > in upper case',
          'covers every byte of the body, and the timestamp',
          'several secrets > tell that secret %i signed',
        ],
        'test/webhooks/sign-delivery.test.ts': 'makes the header of vector $id',
        'test/sandbox/webhooks/signed-headers.test.ts': [
          'are as in vector $id: $why',
          'stand with the time in Unix seconds and the event id',
        ],
        'test/sandbox/webhooks/delivery.test.ts': 'a delivery > is a signed POST of the envelope, literally',
      },
    },
    {
      label: 'Raw bytes first',
      text: 'The bytes as they came are judged, and nothing is parsed before.',
      kept: 'client',
      code: { 'src/webhooks/raw-body.ts': 'bytesOf', 'src/webhooks/verify.ts': 'verifyWebhook' },
      tests: {
        'test/webhooks/verify.test.ts': 'parses nothing that is not correctly signed and fresh',
        'test/webhooks/raw-body.test.ts': 'may hold a byte order mark, or bytes that are not UTF-8',
      },
    },
    {
      label: 'Constant time',
      text: 'How long a comparison takes tells nothing, and every secret is tried.',
      kept: 'client',
      code: { 'src/webhooks/compare.ts': 'equalDigests', 'src/webhooks/signature.ts': 'judgeSignature' },
      tests: {
        'test/webhooks/signature.test.ts': [
          'reads every character of the received digest, wherever the first difference is',
          'are all tried, whichever matches',
        ],
      },
    },
    {
      label: 'Stale timestamps',
      text: 'Refused beyond five minutes to either side, or what the receiver sets; it cannot be switched off by accident. A retry of the sandbox has a time of its own, so that late ones are no staler; one that is stale can be asked for.',
      kept: 'client and sandbox',
      code: {
        'src/webhooks/signature.ts': ['checkAge', 'VerifyOptions.toleranceMs'],
        'src/sandbox/webhooks/signed-headers.ts': 'signedDelivery',
      },
      tests: {
        'test/webhooks/signature.test.ts': [
          'may be five minutes away where nothing is said',
          'may be up to %s ms away, both ways, the edges included',
          'can’t be switched off by a tolerance of %s',
        ],
        'test/sandbox/webhooks/delivery.test.ts': [
          'is attempted eight times at the most: the same body and event, a fresh time and signature',
          'send a delivery with a wrong %s, attempted once',
        ],
      },
    },
  ],
};
