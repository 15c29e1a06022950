import { everyCode, rejection, row } from './code-row.js';
import type { Section } from './rule.js';

const access = 'test/sandbox/access.test.ts';
const facts = 'what access facts refuse > %s';
const signed = '401 and its codes > %s';
const eligibility = 'test/sandbox/bid-eligibility.test.ts';
const bidRules = 'test/sandbox/bid-rules.test.ts';
const permission = '`PermissionError`; nothing was recorded.';

export const codeTable: Section = {
  title: 'Codes',
  chapter: 'Errors',
  rules: [
    row(
      '401 `API_CLIENT_NOT_ACTIVE`, `KEY_REVOKED`',
      '`AuthenticationError`, under 403 too. A revoked key sends the client once to the function that gives credentials. In the sandbox keys are rotated, revoked and expire.',
      [
        '401 API_CLIENT_NOT_ACTIVE',
        '403 API_CLIENT_NOT_ACTIVE',
        '401 KEY_REVOKED',
        '401 KEY_REVOKED, and another key is to be had',
        '401 KEY_REVOKED, and no other key is to be had',
      ],
      {
        [access]: [`${facts} > an inactive client`, `${facts} > a revoked key`],
        'test/sandbox/access-variants.test.ts': [
          'credentials > credential-expiry %s',
          'credentials > key-rotation %s',
        ],
      },
      { 'src/sandbox/access.ts': 'identify', 'src/sandbox/key-rotation.ts': 'rotateKey' },
    ),
    row(
      '401 `TIMESTAMP_EXPIRED`, `INVALID_NONCE`, `INVALID_SIGNATURE`',
      '`AuthenticationError`. An expired timestamp corrects the clock from the reply, and the call is tried once more; for a wrong signature the sandbox says what it would have signed, and where it can the likely mistake.',
      [
        '401 TIMESTAMP_EXPIRED, with a timestamp',
        '401 TIMESTAMP_EXPIRED, with a Date',
        '401 TIMESTAMP_EXPIRED, with no time at all',
        '401 INVALID_NONCE',
        '401 INVALID_SIGNATURE',
      ],
      {
        [access]: [`${signed} > 301 s early`, `${signed} > a nonce with a dot`, `${signed} > another secret`],
        'test/sandbox/hints.test.ts': 'an invalid signature is explained > %s',
      },
      { 'src/sandbox/access.ts': 'verify', 'src/sandbox/hints.ts': 'hintFor' },
    ),
    row(
      '403 `TLS_REQUIRED`, `ENVIRONMENT_DENIED`, `IP_NOT_ALLOWED`, `SCOPE_DENIED`',
      permission,
      ['403 TLS_REQUIRED', '403 ENVIRONMENT_DENIED', '403 IP_NOT_ALLOWED', '403 SCOPE_DENIED'],
      {
        [access]: [
          'options: TLS, environment, addresses, variants',
          `${facts} > an unapproved address`,
          `${facts} > no scope`,
        ],
      },
      { 'src/sandbox/access.ts': 'permit' },
    ),
    row(
      '403 `PARTNER_NOT_ACTIVE`, `KYB_REQUIRED`, `AGREEMENT_REQUIRED`',
      permission,
      ['403 PARTNER_NOT_ACTIVE', '403 KYB_REQUIRED', '403 AGREEMENT_REQUIRED'],
      { [access]: [`${facts} > an inactive partner`, `${facts} > no KYB`, `${facts} > no agreement`] },
      { 'src/sandbox/access.ts': 'permit' },
    ),
    row(
      '402 or 403 `BANK_UNAVAILABLE`',
      '`PermissionError` under either status.',
      ['402 BANK_UNAVAILABLE', '403 BANK_UNAVAILABLE'],
      { [access]: [`${facts} > no bank subscription`, 'options: TLS, environment, addresses, variants'] },
      { 'src/sandbox/access.ts': 'permit' },
    ),
    row(
      '403 `BANK_ACCESS_DENIED`, `AUCTION_ACCESS_DENIED`',
      permission,
      ['403 BANK_ACCESS_DENIED', '403 AUCTION_ACCESS_DENIED'],
      { [eligibility]: 'lots that are another bank’s, or assigned to others, or nobody’s' },
      { 'src/sandbox/bid-rules.ts': 'accessCodes' },
    ),
    row(
      '403 `BUYER_NOT_ELIGIBLE`',
      `${permission} \`verify()\` finds a dealer id that is not the linked one beforehand.`,
      ['403 BUYER_NOT_ELIGIBLE'],
      { [eligibility]: ['a wrong dealer_id', '%s: refused, nothing recorded > no dealer linked'] },
      { 'src/client/verify.ts': 'verifyWith', 'src/sandbox/bid-rules.ts': 'accessCodes' },
    ),
    row(
      '403 `BUYER_LIMIT_EXPIRED`, `EMD_EXPIRED`',
      permission,
      ['403 BUYER_LIMIT_EXPIRED', '403 EMD_EXPIRED'],
      {
        [eligibility]: ['%s: refused, nothing recorded > both lapsed', 'not yet lapsed a millisecond before'],
      },
      { 'src/sandbox/bid-rules.ts': 'accessCodes' },
    ),
    rejection(['DEALER_NOT_ELIGIBLE'], {
      [eligibility]: ['%s: a recorded rejection > KYC pending', '%s: a recorded rejection > above the limit'],
    }),
    rejection(
      ['BIDDER_REFERENCE_REQUIRED', 'DIRECT_DEALER_IDENTITY_REQUIRED'],
      { [eligibility]: 'platforms and aggregators name a buyer, direct dealers don’t' },
      ', from which the client keeps its callers before it is sent',
      { 'src/client/partner-rules.ts': 'partnerRules' },
    ),
    rejection(['BID_OFF_OPENING_GRID'], { [bidRules]: 'open, no bid yet: %s > half a step' }),
    rejection(['BID_BELOW_MINIMUM'], { [bidRules]: 'open, highest at opening + 20000: %s > the highest' }),
    rejection(['LOT_NOT_LIVE'], { [bidRules]: 'over, cancelled, withdrawn, closed early, extended' }),
    rejection(
      ['RESOURCE_NOT_GRANTED', 'CHANNEL_NOT_GRANTED', 'BUYER_NOT_ENTITLED_TO_CLIENT', 'DEALER_NOT_FOUND'],
      {
        [eligibility]: [
          '%s: a recorded rejection > lot not granted',
          '%s: a recorded rejection > channel not granted',
          '%s: a recorded rejection > no tie to the client',
          '%s: a recorded rejection > no such dealer',
        ],
      },
    ),
    row(
      '422 `IDEMPOTENCY_KEY_REQUIRED`',
      '`ValidationError`. The client writes header and body from one key, so only what stands between can cause it.',
      ['422 IDEMPOTENCY_KEY_REQUIRED'],
      {
        'test/sandbox/bid-body.test.ts': 'the header must be there and equal',
        'test/sandbox/sale-cases.test.ts':
          'refuses a missing and an unequal Idempotency-Key header, and a key that is none',
      },
      { 'src/sandbox/idempotency.ts': 'keyed' },
    ),
    row(
      '422 invalid fields',
      '`ValidationError` with the fields; what is certainly wrong is refused before it is sent.',
      ['422 validation errors'],
      {
        'test/sandbox/bid-body.test.ts': 'fields of the body > %s',
        [everyCode]: 'what has no code has its own shape: fields, a bare message',
      },
      { 'src/core/input.ts': 'checkInput', 'src/sandbox/validation.ts': ['checkedBody', 'checkedQuery'] },
    ),
    row(
      '409 `NONCE_REPLAYED`',
      'Sent again with a new nonce and the same key; as the last word it leaves the outcome unknown, for a twin got in.',
      ['409 NONCE_REPLAYED'],
      { [access]: 'a second use is a conflict, and other clients are not concerned' },
      { 'src/core/classify.ts': 'classify', 'src/sandbox/nonces.ts': 'NonceMemory.take' },
    ),
    row(
      '409 `IDEMPOTENCY_CONFLICT`',
      '`IdempotencyConflictError`, as a code or as a message, and final.',
      [
        '409 IDEMPOTENCY_CONFLICT',
        '409 IDEMPOTENCY_CONFLICT, as a message',
        '409 IDEMPOTENCY_CONFLICT, in words',
      ],
      {
        'test/sandbox/idempotency.test.ts': [
          'anything changed under a key is a conflict, and changes nothing',
          'the conflict can come as a bare message',
        ],
        'test/sandbox/sale-cases.test.ts': 'A22, the decision > approves, literally, and replays',
      },
      { 'src/core/reply.ts': 'isIdempotencyConflict', 'src/sandbox/idempotency.ts': 'keyed' },
    ),
    row(
      '409 of A60',
      '`ConflictError`: the vehicle is no draft any more.',
      ['409 inventory, as a message', '409 inventory, with a code that the text does not show'],
      {
        'test/sandbox/inventory.test.ts': [
          'is a conflict on a vehicle that is %s',
          'inventory-conflict-code: code comes in the envelope of the application',
        ],
      },
      { 'src/sandbox/handlers/inventory.ts': 'noDraft' },
    ),
    row(
      '404',
      '`NotFoundError`, which says nothing about whether the record exists for others.',
      ['404 NOT_FOUND', '404 as a message'],
      {
        'test/sandbox/lot-status.test.ts': 'A10 of what isn’t the caller’s is a 404',
        'test/sandbox/bids.test.ts': 'A05: one’s own, and for the bank its lots’',
        'test/sandbox/media.test.ts': ['deleted, quarantined, not auction-visible', 'of a lot that is %s'],
        'test/sandbox/sale-cases.test.ts':
          "shows a sale to its buyer's partner and its bank, and to nobody else",
        'test/sandbox/documents.test.ts': "is the sale's bank and its partner, whoever of them uploaded it",
        'test/sandbox/tenants.test.ts': 'another bank reads its own auctions, and nothing of this one',
        'test/sandbox/inventory.test.ts':
          'knows private ids only: a lot, an id of the bank, and what there isn’t are a 404',
      },
      { 'src/sandbox/replies.ts': 'notFound', 'src/sandbox/workflow/cases.ts': ['mayHave', 'find'] },
    ),
    row(
      '429',
      'Everybody who shares the quota waits as long as `Retry-After` says; then the same bytes go out under the same key. Past a minute the error comes at once, with the wait on it.',
      [
        '429 as a message',
        '429 as a message, with seconds to wait',
        '429 as a message, with more than a minute to wait',
      ],
      {
        'test/sandbox/service.test.ts': '120 in any rolling minute and client, then 429 with Retry-After',
        'test/sandbox/access-variants.test.ts': 'the rate limit > retry-after-form %s',
      },
      {
        'src/core/backoff.ts': 'retryAfterMs',
        'src/core/retry.ts': 'pauseOthers',
        'src/sandbox/rate-limit.ts': 'RateLimit.take',
      },
    ),
    row(
      '500 or network failure',
      'The same bytes go out again under the same key; an outcome that stays open is called unknown, with the key to look it up by.',
      ['500 as a message', '500 in HTML', 'network failure', 'timeout'],
      {
        'test/sandbox/faults.test.ts': [
          '%s: a bare 500; then it is %s, and the retry a %d',
          '%s: not a byte comes back; then it is %s, and the retry a %d',
        ],
        'test/sandbox/scripted-faults.test.ts': 'processing, with a gateway’s 504',
      },
      { 'src/core/classify.ts': 'classify', 'src/sandbox/faults/waiting.ts': 'Faults.strike' },
    ),
  ],
};
