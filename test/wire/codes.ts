import type { Outcome } from '../../src/errors/base.js';
import type { WireCase } from './case.js';
import type { Answer } from './driver.js';
import { SERVER_TIME } from './replies.js';

/** One row of the text's Codes table, in one of its statuses and one of the shapes it can come in. */
export interface CodeRow {
  readonly name: string;
  readonly reaches: (one: WireCase) => boolean;
  /** What the service does with every attempt. */
  readonly answer: Answer;
  /** Name of the error's class. */
  readonly type: string;
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
  readonly retryAfter?: number;
  readonly receipt?: object;
  /** What is otherwise on a bid, or on a command. */
  readonly on?: Readonly<Partial<Record<'bid' | 'command', Partial<CodeRow>>>>;
}

type More = Partial<CodeRow>;
type Reaches = CodeRow['reaches'];
type Headers = Readonly<Record<string, string>>;

/** A row as it is for one operation. */
export function rowOn(row: CodeRow, { effect }: WireCase): CodeRow {
  return effect === 'read' ? row : { ...row, ...row.on?.[effect] };
}

const everywhere: Reaches = () => true;
const underKey: Reaches = ({ effect }) => effect !== 'read';
const bid: Reaches = ({ effect }) => effect === 'bid';
const command: Reaches = ({ effect }) => effect === 'command';
/** A bid is sent again until its deadline, however often: test/bids has that. */
const repeatable: Reaches = ({ effect }) => effect !== 'bid';
const versioned: Reaches = ({ calls }) => calls[0]?.body?.includes('"expected_version"') === true;
const update: Reaches = ({ operation }) => operation === 'inventory.updateVehicle';
/** What can be given wrongly: a path, a query or a body. */
const withInput: Reaches = ({ route, calls }) =>
  route.includes('{') || calls.some(({ query, body }) => query !== '' || body !== undefined);

/** Whatever names a lot or an auction, and the list that needs an entitlement of its own. */
const ofLotsAndAuctions: Reaches = ({ operation }) =>
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
const withId: Reaches = ({ operation }) => !nameless.includes(operation);

/** A message alone could be a gateway's: it is sent once more after a while. */
const twice = { arrives: 2, waits: 'some' } as const;
/** A bid is to be looked up, a command is sent once more. */
const uncodedAccess = { bid: { outcome: 'unknown' }, command: { outcome: 'unknown', ...twice } } as const;
/** The service's own refusals of commands are believed when they are repeated. */
const uncodedRecord = { bid: { outcome: 'unknown' }, command: twice } as const;
/** A copy of an attempt that comes late gets it, too. */
const expired = { bid: { outcome: 'unknown' }, command: { outcome: 'unknown' } } as const;

function json(status: number, value: unknown, headers: Headers = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

/** Shape 1. */
function application(code: string, over: object = {}) {
  const about = { request_id: 'req_9', timestamp: SERVER_TIME, ...over };
  return { success: false, code, message: 'As the service says it.', data: null, errors: [code], ...about };
}

/** Turned away in shape 1: nothing was recorded, and nothing is tried again. */
function refused(status: number, code: string, type: string, reaches: Reaches, more: More = {}): CodeRow {
  const answer = json(status, application(code));
  const row = { reaches, answer, type, outcome: 'refused', arrives: 1, status, codes: [code] } as const;
  return { ...row, requestId: 'req_9', ...more, name: `${status} ${more.name ?? code}` };
}

/** Shape 3, which has neither code nor request id. */
function message(
  status: number,
  text: string,
  type: string,
  reaches: Reaches,
  { name = `"${text}"`, ...more }: More = {},
  headers: Headers = {},
): CodeRow {
  const answer = json(status, { message: text }, headers);
  const row = { reaches, answer, type, outcome: 'refused', arrives: 1, status, codes: [] } as const;
  return { ...row, ...more, name: `${status} ${name}` };
}

/** What a proxy answers. */
function html(status: number, type: string, name: string, more: More = {}, headers: Headers = {}): CodeRow {
  const answer = { status, headers: { 'content-type': 'text/html', ...headers }, body: '<h1>No</h1>' };
  const row = {
    reaches: everywhere,
    answer,
    type,
    outcome: 'unknown',
    arrives: 1,
    status,
    codes: [],
  } as const;
  return { ...row, ...more, name: `${status} ${name}` };
}

const revoked = (name: string, more: More = {}) =>
  refused(401, 'KEY_REVOKED', 'AuthenticationError', everywhere, { name: `KEY_REVOKED${name}`, ...more });
const timestamp = (name: string, answer: Answer, more: More) =>
  refused(401, 'TIMESTAMP_EXPIRED', 'AuthenticationError', everywhere, {
    ...{ name: `TIMESTAMP_EXPIRED, ${name}`, answer, arrives: 2, on: expired },
    ...more,
  });
const noTime = application('TIMESTAMP_EXPIRED', { timestamp: undefined });
const late = application('TIMESTAMP_EXPIRED', { timestamp: '2026-03-02T06:10:00.999+00:00' });
const tenToSix = { date: 'Mon, 02 Mar 2026 05:50:00 GMT' };
// A write knows server time from an earlier reply.
const known = { outcome: 'unknown', arrives: 2 } as const;

const authentication: readonly CodeRow[] = [
  // rule: code.key
  refused(401, 'API_CLIENT_NOT_ACTIVE', 'AuthenticationError', everywhere),
  refused(403, 'API_CLIENT_NOT_ACTIVE', 'AuthenticationError', everywhere),
  revoked(''),
  // rule: header.key-id, access.active
  revoked(', with another key', { keys: 'another', arrives: 2, maxAttempts: 3 }),
  revoked(', with no other key', { keys: 'the same', maxAttempts: 3 }),
  // rule: code.signature, canonical.clock
  timestamp('with a timestamp', json(401, late), { maxAttempts: 3, skewMs: 600_000 }),
  timestamp('with a Date', json(401, noTime, tenToSix), { maxAttempts: 3, skewMs: -600_999 }),
  timestamp('with no time', json(401, noTime), { arrives: 1, on: { bid: known, command: known } }),
  refused(401, 'INVALID_NONCE', 'AuthenticationError', everywhere),
  // rule: error-shape.1
  refused(401, 'INVALID_SIGNATURE', 'AuthenticationError', everywhere),
  message(401, 'Unauthenticated.', 'AuthenticationError', everywhere, { on: uncodedAccess }),
];

const denied = (reaches: Reaches, ...names: readonly string[]) =>
  names.map((code) => refused(403, code, 'PermissionError', reaches));

const access: readonly CodeRow[] = [
  // rule: code.access, general.6, access.environment, access.address, access.scope
  ...denied(everywhere, 'TLS_REQUIRED', 'ENVIRONMENT_DENIED', 'IP_NOT_ALLOWED', 'SCOPE_DENIED'),
  // rule: code.partner, access.agreement
  ...denied(everywhere, 'PARTNER_NOT_ACTIVE', 'KYB_REQUIRED', 'AGREEMENT_REQUIRED', 'BANK_UNAVAILABLE'),
  // rule: access.subscription, code.bank-unavailable
  refused(402, 'BANK_UNAVAILABLE', 'PermissionError', everywhere),
  // rule: access.assignment, code.assignment
  ...denied(ofLotsAndAuctions, 'BANK_ACCESS_DENIED', 'AUCTION_ACCESS_DENIED'),
  // rule: code.buyer, code.limits
  ...denied(bid, 'BUYER_NOT_ELIGIBLE', 'BUYER_LIMIT_EXPIRED', 'EMD_EXPIRED'),
  message(403, 'This action is unauthorized.', 'PermissionError', everywhere, { on: uncodedAccess }),
  // rule: error.any-shape
  html(403, 'PermissionError', "in a proxy's HTML", { on: { command: twice } }),
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
  const answer = json(422, application(code, { data: { ...rejectedBid, ...over }, errors: codes }));
  const receipt = { ...rejectedBid, ...read };
  return refused(422, code, 'BidRejectedError', bid, { name, answer, outcome: 'rejected', codes, receipt });
}

const rejectionCodes = [
  // rule: code.dealer-not-eligible
  'DEALER_NOT_ELIGIBLE',
  // rule: code.bidder
  ...['BIDDER_REFERENCE_REQUIRED', 'DIRECT_DEALER_IDENTITY_REQUIRED'],
  // rule: code.grid, code.minimum
  ...['BID_OFF_OPENING_GRID', 'BID_BELOW_MINIMUM'],
  // rule: bid.6, code.not-live
  'LOT_NOT_LIVE',
  // rule: code.entitlement
  ...['RESOURCE_NOT_GRANTED', 'CHANNEL_NOT_GRANTED', 'BUYER_NOT_ENTITLED_TO_CLIENT', 'DEALER_NOT_FOUND'],
];
const everyReason = ['DEALER_NOT_ELIGIBLE', 'EMD_EXPIRED', 'BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID'];
const [asNumber, asText] = [{ highest_amount: 470000.5 }, { highest_amount: '470000.50' }];

const rejections: readonly CodeRow[] = [
  ...rejectionCodes.flatMap((code): CodeRow[] => {
    const name = `${code}, without its record`;
    const bare = refused(422, code, 'ValidationError', bid, { name, outcome: 'unknown' });
    return [rejected(`${code}, recorded`, [code]), bare];
  }),
  // rule: bid-state.rejected
  rejected('with every reason, recorded', everyReason, { bid_id: null, lot_version: null }),
  rejected('LOT_NOT_LIVE, with its amount as a number', ['LOT_NOT_LIVE'], asNumber, asText),
];

/** Shape 2. */
function invalid(type: string, reaches: Reaches, fieldErrors: NonNullable<CodeRow['fieldErrors']>): CodeRow {
  const answer = json(422, { message: 'The given data was invalid.', errors: fieldErrors });
  const name = `validation errors of ${Object.keys(fieldErrors)}`;
  return refused(422, '', type, reaches, { name, answer, codes: [], fieldErrors, requestId: undefined });
}

const wrongFields = {
  amount: ['The amount format is invalid.', 'The amount is too long.'],
  page: ['Too small.'],
};

const validation: readonly CodeRow[] = [
  // rule: code.key-required
  refused(422, 'IDEMPOTENCY_KEY_REQUIRED', 'ValidationError', underKey),
  // rule: error-shape.2, code.invalid-fields
  invalid('ValidationError', withInput, wrongFields),
  // On a bid it may be that of a recorded rejection.
  refused(422, 'CODE_OF_NEXT_YEAR', 'ValidationError', underKey, { on: { bid: { outcome: 'unknown' } } }),
  // rule: error.version
  invalid('VersionConflictError', versioned, { expected_version: ['Too old.'] }),
];

const keyConflict = { outcome: 'unknown', codes: ['IDEMPOTENCY_CONFLICT'] } as const;
const otherCommand = 'This idempotency key belongs to another command.';
const ofCommand: Reaches = (one) => command(one) && versioned(one);

const conflicts: readonly CodeRow[] = [
  // rule: code.nonce-replayed
  refused(409, 'NONCE_REPLAYED', 'ConflictError', everywhere, { outcome: 'unknown', ...twice }),
  // rule: code.key-conflict
  refused(409, 'IDEMPOTENCY_CONFLICT', 'IdempotencyConflictError', underKey, keyConflict),
  message(409, 'IDEMPOTENCY_CONFLICT', 'IdempotencyConflictError', underKey, keyConflict),
  message(409, otherCommand, 'IdempotencyConflictError', underKey, keyConflict),
  message(409, 'Stored for different content.', 'ConflictError', bid, { outcome: 'unknown' }),
  // rule: code.inventory-conflict
  message(409, 'A ready vehicle cannot be changed.', 'ConflictError', update, twice),
  refused(409, 'VEHICLE_NOT_DRAFT', 'ConflictError', update),
  message(409, 'The version has moved on.', 'VersionConflictError', ofCommand, {
    ...twice,
    name: 'of a version',
  }),
  refused(409, 'VERSION_MISMATCH', 'VersionConflictError', versioned),
];

const missing: readonly CodeRow[] = [
  // rule: code.not-found
  refused(404, 'NOT_FOUND', 'NotFoundError', withId),
  // rule: error-shape.3
  message(404, 'Not found.', 'NotFoundError', withId, { on: uncodedRecord }),
];

function tooMany(what: string, headers: Headers, more: More): CodeRow {
  const row = { name: `as a message${what}`, outcome: 'unknown', arrives: 2, ...more } as const;
  return message(429, 'Too Many Attempts.', 'RateLimitError', repeatable, row, headers);
}

const waiting = (seconds: number) =>
  ({ arrives: 2, waits: seconds * 1_000, retryAfter: seconds * 1_000 }) as const;
const atNine = { 'retry-after': 'Mon, 02 Mar 2026 06:00:09 GMT' };
const coded429 = json(429, application('TOO_MANY_REQUESTS'), { 'Retry-After': '2' });

const quota: readonly CodeRow[] = [
  // rule: code.rate-limit
  tooMany('', {}, twice),
  tooMany(', with seconds to wait', { 'retry-after': '7' }, waiting(7)),
  tooMany(', with a date to wait for', { ...atNine, date: 'Mon, 02 Mar 2026 06:00:00 GMT' }, waiting(9)),
  // From the caller's 06:00:00.999 on; when the second reply comes, it is there.
  tooMany(', with a date, and no time of its own', atNine, { waits: 8_001, retryAfter: 0 }),
  tooMany(', with more than a minute to wait', { 'retry-after': '61' }, { arrives: 1, retryAfter: 61_000 }),
  refused(429, 'TOO_MANY_REQUESTS', 'RateLimitError', repeatable, {
    ...{ answer: coded429, outcome: 'unknown', ...waiting(2) },
  }),
];

const down = { ...twice, outcome: 'unknown' } as const;
const lost = { ...down, reaches: everywhere } as const;

const failures: readonly CodeRow[] = [
  // rule: code.server
  message(500, 'Server Error', 'ServerError', everywhere, down),
  refused(500, 'INTERNAL_ERROR', 'ServerError', everywhere, down),
  html(500, 'ServerError', 'in HTML', twice),
  message(500, 'Wait.', 'ServerError', everywhere, { ...down, ...waiting(4) }, { 'retry-after': '4' }),
  html(503, 'ServerError', 'in HTML, with seconds to wait', waiting(3), { 'retry-after': '3' }),
  { ...lost, name: 'network failure', answer: 'cut', type: 'ConnectionError' },
  { ...lost, name: 'timeout', answer: 'held', type: 'TimeoutError' },
];

/** The text's Codes table, row by row. */
export const codeRows: readonly CodeRow[] = [
  ...[...authentication, ...access, ...rejections, ...validation],
  ...[...conflicts, ...missing, ...quota, ...failures],
];
