import {
  type ApiError,
  AuthenticationError,
  BidRejectedError,
  ConflictError,
  IdempotencyConflictError,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServerError,
  ValidationError,
  VersionConflictError,
} from '../../src/errors/api.js';
import type { Outcome } from '../../src/errors/base.js';
import { ConnectionError, TimeoutError } from '../../src/errors/connection.js';
import type { WireCase } from './case.js';
import type { Answer } from './driver.js';
import { SERVER_TIME } from './replies.js';

type ErrorClass = typeof ApiError | typeof ConnectionError | typeof TimeoutError;

/** One row of the text's Codes table, in one of its statuses and one of the shapes it can come in. */
export interface CodeRow {
  readonly name: string;
  readonly reaches: (one: WireCase) => boolean;
  /** What the service does with every attempt. */
  readonly answer: Answer;
  readonly type: ErrorClass;
  readonly outcome: Outcome;
  /** Requests that arrive while two attempts are allowed. */
  readonly arrives: 1 | 2;
  /** Between the two: exactly so many ms; or some time, where the service doesn't say how much. */
  readonly waits?: number | 'some';
  /** By what the service's clock is ahead of the caller's once it is known, in ms. */
  readonly skewMs?: number;
  readonly maxAttempts?: number;
  /** Credentials come from a function; when asked again it gives another key, or the same one. */
  readonly keys?: 'another' | 'the same';
  readonly status?: number;
  readonly codes?: readonly string[];
  readonly fieldErrors?: Readonly<Record<string, readonly string[]>>;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number;
  readonly receipt?: object;
  /** What is otherwise on a bid, or on a command. */
  readonly on?: Readonly<Partial<Record<'bid' | 'command', Partial<CodeRow>>>>;
}

/** A row as it is for one operation. */
export function rowOn(row: CodeRow, { effect }: WireCase): CodeRow {
  return effect === 'read' ? row : { ...row, ...row.on?.[effect] };
}

/** A message alone could be a gateway's: a bid is to be looked up, a command is sent once more. */
const uncodedAccess = {
  bid: { outcome: 'unknown' },
  command: { outcome: 'unknown', arrives: 2, waits: 'some' },
} as const;

/** The service's own refusals of commands are believed when they are repeated. */
const uncodedRecord = {
  bid: { outcome: 'unknown' },
  command: { outcome: 'refused', arrives: 2, waits: 'some' },
} as const;

/** A copy of an attempt that comes late gets it, too. */
const expired = { bid: { outcome: 'unknown' }, command: { outcome: 'unknown' } } as const;

const everywhere = () => true;
const underKey = ({ effect }: WireCase) => effect !== 'read';
const bid = ({ effect }: WireCase) => effect === 'bid';
const command = ({ effect }: WireCase) => effect === 'command';
const versioned = ({ calls }: WireCase) => calls[0]?.body?.includes('"expected_version"') === true;
const update = ({ operation }: WireCase) => operation === 'inventory.updateVehicle';

/** Whatever names a lot or an auction, and the list that needs an entitlement of its own. */
const ofLotsAndAuctions = ({ operation }: WireCase) =>
  [
    ...['events.get', 'events.lots', 'events.lot', 'events.media', 'vehicles.get', 'results.list'],
    ...['eligibility.check', 'lots.status', 'lots.statusBatch', 'bids.submit'],
  ].includes(operation);

/** What names no record: the others can find none. */
const nameless = [
  ...['integration.profile', 'integration.capabilities', 'events.list', 'lots.list', 'lots.statusBatch'],
  ...['results.list', 'bids.list', 'winnerUpdates.list', 'bidCancellations.list', 'saleCases.list'],
  ...['inventory.createVehicle', 'inventory.schemas', 'notifications.list'],
];
const withId = ({ operation }: WireCase) => !nameless.includes(operation);

/** What can be given wrongly: a path, a query or a body. */
const withInput = ({ route, calls }: WireCase) =>
  route.includes('{') || calls.some(({ query, body }) => query !== '' || body !== undefined);

function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

/** Shape 1. */
export function application(code: string, over: object = {}) {
  return {
    success: false,
    code,
    message: 'As the service says it.',
    data: null,
    errors: [code],
    request_id: 'req_9',
    timestamp: SERVER_TIME,
    ...over,
  };
}

/** Turned away in shape 1: nothing was recorded, and nothing is tried again. */
function refused(
  status: number,
  code: string,
  type: ErrorClass,
  reaches: (one: WireCase) => boolean,
): CodeRow {
  return {
    name: `${status} ${code}`,
    reaches,
    answer: json(status, application(code)),
    type,
    outcome: 'refused',
    arrives: 1,
    status,
    codes: [code],
    requestId: 'req_9',
  };
}

/** A message alone could be a gateway's: it is sent once more after a while. */
const twice = { arrives: 2, waits: 'some' } as const;

/** Shape 3, which has neither code nor request id. */
function message(
  status: number,
  text: string,
  type: ErrorClass,
  outcome: Outcome,
  reaches: (one: WireCase) => boolean,
  more: Partial<CodeRow> & { readonly headers?: Readonly<Record<string, string>> } = {},
): CodeRow {
  const { name = 'as a message', headers = {}, ...others } = more;
  const answer = json(status, { message: text }, headers);
  return {
    reaches,
    answer,
    type,
    outcome,
    arrives: 1,
    status,
    codes: [],
    ...others,
    name: `${status} ${name}`,
  };
}

/** What a proxy answers. */
function html(
  status: number,
  name: string,
  row: Omit<CodeRow, 'name' | 'answer'>,
  headers: object = {},
): CodeRow {
  const answer = { status, headers: { 'content-type': 'text/html', ...headers }, body: '<h1>No</h1>' };
  return { status, codes: [], ...row, name: `${status} ${name}`, answer };
}

const revoked = refused(401, 'KEY_REVOKED', AuthenticationError, everywhere);
const expiredRow = {
  ...refused(401, 'TIMESTAMP_EXPIRED', AuthenticationError, everywhere),
  arrives: 2,
} as const;
const noTime = application('TIMESTAMP_EXPIRED', { timestamp: undefined });
const late = application('TIMESTAMP_EXPIRED', { timestamp: '2026-03-02T06:10:00.999+00:00' });

const authentication: readonly CodeRow[] = [
  // rule: code.key
  refused(401, 'API_CLIENT_NOT_ACTIVE', AuthenticationError, everywhere),
  refused(403, 'API_CLIENT_NOT_ACTIVE', AuthenticationError, everywhere),
  revoked,
  // rule: header.key-id, access.active
  { ...revoked, name: '401 KEY_REVOKED, with another key', keys: 'another', arrives: 2, maxAttempts: 3 },
  { ...revoked, name: '401 KEY_REVOKED, with no other key', keys: 'the same', maxAttempts: 3 },
  // rule: code.signature, canonical.clock
  {
    ...expiredRow,
    name: '401 TIMESTAMP_EXPIRED, with a timestamp',
    answer: json(401, late),
    maxAttempts: 3,
    skewMs: 600_000,
    on: expired,
  },
  {
    ...expiredRow,
    name: '401 TIMESTAMP_EXPIRED, with a Date',
    answer: json(401, noTime, { date: 'Mon, 02 Mar 2026 05:50:00 GMT' }),
    maxAttempts: 3,
    skewMs: -600_999,
    on: expired,
  },
  {
    ...expiredRow,
    name: '401 TIMESTAMP_EXPIRED, with no time at all',
    answer: json(401, noTime),
    arrives: 1,
    // A write knows server time from an earlier reply.
    on: { bid: { outcome: 'unknown', arrives: 2 }, command: { outcome: 'unknown', arrives: 2 } },
  },
  refused(401, 'INVALID_NONCE', AuthenticationError, everywhere),
  // rule: error-shape.1
  refused(401, 'INVALID_SIGNATURE', AuthenticationError, everywhere),
  message(401, 'Unauthenticated.', AuthenticationError, 'refused', everywhere, { on: uncodedAccess }),
];

const access: readonly CodeRow[] = [
  ...[
    // rule: code.access
    'TLS_REQUIRED',
    // rule: general.6, access.environment
    'ENVIRONMENT_DENIED',
    // rule: access.address
    'IP_NOT_ALLOWED',
    // rule: access.scope
    'SCOPE_DENIED',
    // rule: code.partner
    'PARTNER_NOT_ACTIVE',
    'KYB_REQUIRED',
    // rule: access.agreement
    'AGREEMENT_REQUIRED',
  ].map((code) => refused(403, code, PermissionError, everywhere)),
  // rule: access.subscription, code.bank-unavailable
  refused(402, 'BANK_UNAVAILABLE', PermissionError, everywhere),
  refused(403, 'BANK_UNAVAILABLE', PermissionError, everywhere),
  // rule: access.assignment, code.assignment
  refused(403, 'BANK_ACCESS_DENIED', PermissionError, ofLotsAndAuctions),
  refused(403, 'AUCTION_ACCESS_DENIED', PermissionError, ofLotsAndAuctions),
  // rule: code.buyer, code.limits
  ...['BUYER_NOT_ELIGIBLE', 'BUYER_LIMIT_EXPIRED', 'EMD_EXPIRED'].map((code) =>
    refused(403, code, PermissionError, bid),
  ),
  message(403, 'This action is unauthorized.', PermissionError, 'refused', everywhere, { on: uncodedAccess }),
  // rule: error.any-shape
  html(403, "in a proxy's HTML", {
    reaches: everywhere,
    type: PermissionError,
    outcome: 'unknown',
    arrives: 1,
  }),
];

/** The record of a rejected bid. It can have a bid id. */
const rejectedBid = {
  request_id: 'req_9',
  bid_id: 'bid_78',
  status: 'rejected',
  server_received_at: SERVER_TIME,
  lot_version: 4,
  effective_close_at: '2026-03-02T12:30:00+00:00',
  replayed: false,
  bidder_status: 'outbid',
  channel_status: 'no_bid',
  highest_amount: '470000.00',
};

/** A recorded rejection: what its data says beyond the record above, and what the receipt is then read as. */
function rejected(name: string, codes: readonly string[], over: object = {}, read: object = over): CodeRow {
  const [code = ''] = codes;
  return {
    ...refused(422, code, BidRejectedError, bid),
    name: `422 ${name}`,
    answer: json(422, application(code, { data: { ...rejectedBid, ...over }, errors: codes })),
    outcome: 'rejected',
    codes,
    receipt: { ...rejectedBid, ...read },
  };
}

const rejectionCodes = [
  // rule: code.dealer-not-eligible
  'DEALER_NOT_ELIGIBLE',
  // rule: code.bidder
  'BIDDER_REFERENCE_REQUIRED',
  'DIRECT_DEALER_IDENTITY_REQUIRED',
  // rule: code.grid
  'BID_OFF_OPENING_GRID',
  // rule: code.minimum
  'BID_BELOW_MINIMUM',
  // rule: bid.6, code.not-live
  'LOT_NOT_LIVE',
  // rule: code.entitlement
  'RESOURCE_NOT_GRANTED',
  'CHANNEL_NOT_GRANTED',
  'BUYER_NOT_ENTITLED_TO_CLIENT',
  'DEALER_NOT_FOUND',
];
const everyReason = ['DEALER_NOT_ELIGIBLE', 'EMD_EXPIRED', 'BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID'];

const rejections: readonly CodeRow[] = [
  ...rejectionCodes.flatMap((code): CodeRow[] => [
    rejected(`${code}, recorded`, [code]),
    {
      ...refused(422, code, ValidationError, bid),
      name: `422 ${code}, without its record`,
      outcome: 'unknown',
    },
  ]),
  // rule: bid-state.rejected
  rejected('with every reason, recorded', everyReason, { bid_id: null, lot_version: null }),
  rejected(
    'LOT_NOT_LIVE, with its amount as a number',
    ['LOT_NOT_LIVE'],
    { highest_amount: 470000.5 },
    {
      highest_amount: '470000.50',
    },
  ),
];

/** Shape 2. */
function invalid(
  name: string,
  reaches: (one: WireCase) => boolean,
  fieldErrors: NonNullable<CodeRow['fieldErrors']>,
): CodeRow {
  return {
    ...refused(422, '', ValidationError, reaches),
    name: `422 validation errors${name}`,
    answer: json(422, { message: 'The given data was invalid.', errors: fieldErrors }),
    codes: [],
    fieldErrors,
    requestId: undefined,
  };
}

const nextYear = refused(422, 'CODE_OF_NEXT_YEAR', ValidationError, command);

const validation: readonly CodeRow[] = [
  // rule: code.key-required
  refused(422, 'IDEMPOTENCY_KEY_REQUIRED', ValidationError, underKey),
  // rule: error-shape.2, code.invalid-fields
  invalid('', withInput, {
    amount: ['The amount format is invalid.', 'The amount is too long.'],
    page: ['Too small.'],
  }),
  nextYear,
  // On a bid it may be that of a recorded rejection.
  { ...nextYear, reaches: bid, name: '422 CODE_OF_NEXT_YEAR on a bid', outcome: 'unknown' },
  // rule: error.version
  {
    ...invalid(' about the version', versioned, { expected_version: ['Too old.'] }),
    type: VersionConflictError,
  },
];

const conflictCode = { codes: ['IDEMPOTENCY_CONFLICT'] };
const otherCommand = 'This idempotency key belongs to another command.';

const conflicts: readonly CodeRow[] = [
  // rule: code.nonce-replayed
  { ...refused(409, 'NONCE_REPLAYED', ConflictError, everywhere), outcome: 'unknown', ...twice },
  // rule: code.key-conflict
  { ...refused(409, 'IDEMPOTENCY_CONFLICT', IdempotencyConflictError, underKey), outcome: 'unknown' },
  message(409, 'IDEMPOTENCY_CONFLICT', IdempotencyConflictError, 'unknown', underKey, {
    ...conflictCode,
    name: 'IDEMPOTENCY_CONFLICT, as a message',
  }),
  message(409, otherCommand, IdempotencyConflictError, 'unknown', underKey, {
    ...conflictCode,
    name: 'IDEMPOTENCY_CONFLICT, in words',
  }),
  message(409, 'Stored for different content.', ConflictError, 'unknown', bid, {
    name: 'without a word of idempotency',
  }),
  // rule: code.inventory-conflict
  message(409, 'A ready vehicle cannot be changed.', ConflictError, 'refused', update, {
    ...twice,
    name: 'inventory, as a message',
  }),
  {
    ...refused(409, 'VEHICLE_NOT_DRAFT', ConflictError, update),
    name: '409 inventory, with a code that the text does not show',
  },
  message(
    409,
    'The version has moved on.',
    VersionConflictError,
    'refused',
    (one) => command(one) && versioned(one),
    { ...twice, name: 'about the version' },
  ),
  {
    ...refused(409, 'VERSION_MISMATCH', VersionConflictError, versioned),
    name: '409 about the version, with a code that the text does not show',
  },
];

const missing: readonly CodeRow[] = [
  // rule: code.not-found
  refused(404, 'NOT_FOUND', NotFoundError, withId),
  // rule: error-shape.3
  message(404, 'Not found.', NotFoundError, 'refused', withId, { on: uncodedRecord }),
];

/** A bid is sent again until its deadline, however often: test/bids has that. */
const repeatable = ({ effect }: WireCase) => effect !== 'bid';

function tooMany(name: string, headers: Readonly<Record<string, string>>, row: Partial<CodeRow>): CodeRow {
  const more = { name: `as a message${name}`, headers, arrives: 2 as const, ...row };
  return message(429, 'Too Many Attempts.', RateLimitError, 'unknown', repeatable, more);
}

const inNineSeconds = 'Mon, 02 Mar 2026 06:00:09 GMT';

const quota: readonly CodeRow[] = [
  // rule: code.rate-limit
  tooMany('', {}, twice),
  // rule: code.rate-limit
  tooMany(', with seconds to wait', { 'retry-after': '7' }, { waits: 7_000, retryAfterMs: 7_000 }),
  tooMany(
    ', with a date to wait for',
    { date: 'Mon, 02 Mar 2026 06:00:00 GMT', 'retry-after': inNineSeconds },
    { waits: 9_000, retryAfterMs: 9_000 },
  ),
  // From the caller's 06:00:00.999 on; when the second reply comes, it is there.
  tooMany(
    ', with a date to wait for and no time of its own',
    { 'retry-after': inNineSeconds },
    { waits: 8_001, retryAfterMs: 0 },
  ),
  tooMany(', with more than a minute to wait', { 'retry-after': '61' }, { arrives: 1, retryAfterMs: 61_000 }),
  {
    ...refused(429, 'TOO_MANY_REQUESTS', RateLimitError, repeatable),
    name: '429 in shape 1, with a code that the text does not show',
    answer: json(429, application('TOO_MANY_REQUESTS'), { 'Retry-After': '2' }),
    outcome: 'unknown',
    arrives: 2,
    waits: 2_000,
    retryAfterMs: 2_000,
  },
];

const failed = { ...twice, type: ServerError, outcome: 'unknown', reaches: everywhere } as const;
const wait = (seconds: number) => ({ waits: seconds * 1_000, retryAfterMs: seconds * 1_000 });

const failures: readonly CodeRow[] = [
  // rule: code.server
  message(500, 'Server Error', ServerError, 'unknown', everywhere, twice),
  {
    ...refused(500, 'INTERNAL_ERROR', ServerError, everywhere),
    ...failed,
    name: '500 in shape 1, with a code that the text does not show',
  },
  // rule: code.server
  html(500, 'in HTML', failed),
  message(500, 'Server Error', ServerError, 'unknown', everywhere, {
    ...twice,
    ...wait(4),
    name: 'as a message, with seconds to wait',
    headers: { 'retry-after': '4' },
  }),
  html(503, 'in HTML, with seconds to wait', { ...failed, ...wait(3) }, { 'retry-after': '3' }),
  { ...failed, name: 'network failure', answer: 'cut', type: ConnectionError },
  { ...failed, name: 'timeout', answer: 'held', type: TimeoutError },
];

/** The text's Codes table, row by row. */
export const codeRows: readonly CodeRow[] = [
  ...authentication,
  ...access,
  ...rejections,
  ...validation,
  ...conflicts,
  ...missing,
  ...quota,
  ...failures,
];

/** Every code that the text names; `NOT_FOUND` it shows for a lot of A11. */
export const codesOfTheText = `
API_CLIENT_NOT_ACTIVE KEY_REVOKED TIMESTAMP_EXPIRED INVALID_NONCE INVALID_SIGNATURE TLS_REQUIRED
ENVIRONMENT_DENIED IP_NOT_ALLOWED SCOPE_DENIED PARTNER_NOT_ACTIVE KYB_REQUIRED AGREEMENT_REQUIRED
BANK_UNAVAILABLE BANK_ACCESS_DENIED AUCTION_ACCESS_DENIED BUYER_NOT_ELIGIBLE BUYER_LIMIT_EXPIRED
EMD_EXPIRED DEALER_NOT_ELIGIBLE BIDDER_REFERENCE_REQUIRED DIRECT_DEALER_IDENTITY_REQUIRED
BID_OFF_OPENING_GRID BID_BELOW_MINIMUM LOT_NOT_LIVE RESOURCE_NOT_GRANTED CHANNEL_NOT_GRANTED
BUYER_NOT_ENTITLED_TO_CLIENT DEALER_NOT_FOUND IDEMPOTENCY_KEY_REQUIRED NONCE_REPLAYED
IDEMPOTENCY_CONFLICT NOT_FOUND
`
  .trim()
  .split(/\s+/);
