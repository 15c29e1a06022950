import { getEventListeners } from 'node:events';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { UnexpectedResponseError } from '../../src/errors/connection.js';
import { accepted, bank, dealer, event, KEY, platform, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';
import { shownBy } from '../support/secrecy.js';
import { settle } from '../support/virtual-clock.js';

/** An error in the service's own envelope. */
function coded(status: number, code: string, over: object = {}): Step {
  const json = { success: false, code, message: 'As the service says it', data: null, errors: [code] };
  return { status, json: { ...json, request_id: 'req_9', ...over } };
}

const replied = (status: number, json: unknown): Step => ({ status, json });
const worded = (status: number, message: string): Step => replied(status, { message });
/** A success that says otherwise somewhere. */
const taken = (over: object, status = 201): Step => replied(status, { ...accepted(), ...over });
const failed = (code: string): Step => ({ fail: 'no', cause: Object.assign(new Error(code), { code }) });

const invalid = (status: number, field: string) =>
  replied(status, { message: 'Invalid.', errors: { [field]: ['Bad.'] } });
const rejected = { status: 'rejected', bid_id: 'bid_3' };
const acceptance = { status: 'accepted', bid_id: 'bid_3', lot_version: 1 };
const deep = `${'['.repeat(6_000)}${']'.repeat(6_000)}`;
const deepRejection = `{"success":false,"code":"NEW","data":{"status":"rejected","deep":${deep}}}`;

/** What a call that may make so many attempts fails with, when it is answered like this. */
async function failureOf(effect: 'bid' | 'command' | 'read', ...steps: readonly Step[]): Promise<unknown> {
  const { client, clock } = dealer(steps, { maxAttempts: steps.length });
  const keyed = { idempotencyKey: KEY };
  const call = {
    bid: () => client.bids.submit('lot_1', { amount: '465000' }, keyed),
    command: () => client.bids.requestCancellation('bid_1', { reason_code: 'r', explanation: 'e' }, keyed),
    read: () => client.events.get('auc_1'),
  };
  const error = rejection(call[effect]());
  await clock.advance(5_000);
  return error;
}

const done = { id: 'cxl_1', kind: 'cancellation', state: 'pending', resource_version: 1, data: {} };

it.each([201, 202])('A command that is answered with %i and a record is done', async (status) => {
  const { client } = dealer([replied(status, { data: done })]);
  const asked = { reason_code: 'r', explanation: 'e' };
  expect(await client.bids.requestCancellation('bid_1', asked)).toMatchObject({
    id: 'cxl_1',
    state: 'pending',
  });
});

it.each([201, 202, 203])('A read that is answered with %i and its record is read', async (status) => {
  const data = { id: 'auc_1', status: 'live', bid_increment: '5000.00', revision: 1 };
  const { client } = dealer([replied(status, { data }), replied(status, { data: { id: 'auc_1' } })]);
  expect(await client.events.get('auc_1')).toEqual(data);
  expect(await rejection(client.events.get('auc_1'))).toMatchObject({ name: 'UnexpectedResponseError' });
});

it.each([201, 202])(
  'A command that is answered with %i and no whole record stays in doubt',
  async (status) => {
    for (const data of [null, {}, { ...done, resource_version: undefined }, { ...done, state: null }]) {
      const error = await failureOf('command', replied(status, { data }));
      expect(error).toMatchObject({ name: 'UnexpectedResponseError', outcome: 'unknown' });
    }
  },
);

// What every documented code means for every operation is in test/wire/codes.ts.
describe.each(['bid', 'command', 'read'] as const)('an attempt of a %s', (effect) => {
  it.each<[string, Step, string, number]>([
    ['never left', { fail: 'no' }, 'not_sent', 2],
    ['met an untrusted certificate', failed('DEPTH_ZERO_SELF_SIGNED_CERT'), 'not_sent', 1],
    ['met a server error, whatever it says', coded(503, 'SCOPE_DENIED'), 'unknown', 2],
    ['met a 408, whatever it says', coded(408, 'SCOPE_DENIED'), 'unknown', 1],
    ['met a 425, whatever it says', coded(425, 'SCOPE_DENIED'), 'unknown', 1],
    ['met a status of no known kind', replied(999, {}), 'unknown', 1],
    ['was redirected', { status: 302, text: '' }, 'unknown', 1],
    ['was refused, yet accepted', coded(403, 'SCOPE_DENIED', { success: true }), 'unknown', 1],
    ['was refused, yet accepted as PHP says it', coded(403, 'SCOPE_DENIED', { success: 1 }), 'unknown', 1],
    ['came too late, yet was accepted', coded(401, 'TIMESTAMP_EXPIRED', { success: true }), 'unknown', 1],
    ['succeeded in words that are not JSON', { status: 200, text: '<html>' }, 'unknown', 1],
    ['succeeded without its fields', replied(200, { data: {} }), 'unknown', 1],
    ['succeeded, and says it failed', replied(200, { success: false }), 'unknown', 1],
    ['succeeded, and says it failed as PHP does', replied(200, { success: 0, data: done }), 'unknown', 1],
  ])('that %s is judged by what it proves', async (_, step, outcome, attempts) => {
    expect(await failureOf(effect, step, step)).toMatchObject({ outcome, attempts });
  });
});

// rule: error-shape.3, error.any-shape
it.each([400, 401, 402, 403, 404, 405, 406, 409, 410, 412, 413, 415, 418, 419, 422, 423, 428])(
  'A bare %i refuses a read, leaves a bid in doubt, and is sent a second time by a command that may believe it',
  async (status) => {
    const step = worded(status, 'No.');
    expect(await failureOf('read', step, step)).toMatchObject({ outcome: 'refused', attempts: 1 });
    expect(await failureOf('bid', step, step)).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect(await failureOf('command', step, step, step)).toMatchObject({
      outcome: [401, 402, 403, 406, 413, 418].includes(status) ? 'unknown' : 'refused',
      // Too large a body is not sent again.
      attempts: status === 413 ? 1 : 2,
    });
  },
);

describe('an odd reply to a bid', () => {
  // rule: error-shape.2, error.any-shape, bid-state.accepted
  it.each<[string, Step]>([
    ['422 garbage', replied(422, null)],
    ['a rejection code without a record', coded(422, 'LOT_NOT_LIVE')],
    ['a refusal code under a status that the text does not give it', coded(404, 'SCOPE_DENIED')],
    ['an unlisted code', coded(422, 'RESERVE_NOT_MET')],
    ['a refusal beside a rejection', coded(403, 'SCOPE_DENIED', { errors: ['LOT_NOT_LIVE'] })],
    ['success under 422', replied(422, { success: true, data: acceptance })],
    ['success as 1 under a rejection', coded(422, 'LOT_NOT_LIVE', { success: 1, data: rejected })],
    ['success as text under a rejection', coded(422, 'LOT_NOT_LIVE', { success: 'true', data: rejected })],
    ['success as 1 under a refusal', coded(403, 'SCOPE_DENIED', { success: '1' })],
    ['404 over an accepted bid', replied(404, { message: 'x', data: acceptance })],
    ['422 over an accepted bid', coded(422, 'LOT_NOT_LIVE', { data: acceptance })],
    ['422 over a bid in work', coded(422, 'LOT_NOT_LIVE', { data: { status: 'x' } })],
    ['403 over a bid in work', coded(403, 'SCOPE_DENIED', { data: { status: 'x' } })],
    ['a recorded rejection under 400', coded(400, 'BID_BELOW_MINIMUM', { data: rejected })],
    ['a recorded rejection under 403', coded(403, 'BID_BELOW_MINIMUM', { data: rejected })],
    ['304', { status: 304, text: '' }],
    ['307', { status: 307, text: '', headers: { location: 'https://elsewhere.example' } }],
    ['202', taken({}, 202)],
    [
      'a success that can not be decompressed',
      { status: 201, text: '\u001f\u008bxx', headers: { 'content-encoding': 'gzip' } },
    ],
    [
      'a success with an unknown encoding',
      { status: 201, text: '(µ/ý', headers: { 'content-encoding': 'zstd2' } },
    ],
    ['a success that lists errors', taken({ errors: ['LOT_NOT_LIVE'] })],
    ['a success that lists errors by field', taken({ errors: { amount: ['No.'] } })],
    ['a success with the code of a rejection', taken({ code: 'LOT_NOT_LIVE' })],
    ['a success with such a code in lower case', taken({ code: 'lot_not_live' })],
    ['a success that names an error as text', taken({ errors: 'LOT_NOT_LIVE' })],
    ['a success that is 0', taken({ success: 0 })],
    ['a success that is text', taken({ success: 'false' })],
    ['a success without a bid', taken({ data: { status: 'accepted' } })],
    ['a success that says rejected', taken({ data: { ...acceptance, status: 'rejected' } })],
  ])('leaves the bid in doubt, and is not sent again: %s', async (_, step) => {
    const error = await failureOf('bid', step, step);
    expect(error).toMatchObject({ outcome: 'unknown', operation: 'bids.submit', attempts: 1 });
    expect(error).toMatchObject({ route: 'POST /lots/{lot}/bids', idempotencyKey: KEY });
    const status = 'status' in step ? step.status : 0;
    expect(error instanceof UnexpectedResponseError).toBe(status < 400);
    expect(error).toHaveProperty('nextStep', expect.stringContaining(KEY));
  });

  // rule: error-shape.2, error.rejected
  it.each<[string, Step]>([
    ['a record', coded(422, 'BID_BELOW_MINIMUM', { data: rejected })],
    ['a record under an unlisted code', coded(422, 'NEW', { data: rejected })],
    ['a record under a code of access', coded(422, 'BUYER_LIMIT_EXPIRED', { data: rejected })],
    ['a record whose code is a number', replied(422, { code: 17, data: rejected })],
    ['a record nested without end', { status: 422, text: deepRejection }],
  ])('rejects it with %s', async (_, step) => {
    const error = await failureOf('bid', step, step);
    expect(error).toMatchObject({ name: 'BidRejectedError', outcome: 'rejected', attempts: 1 });
  });

  // rule: bid-state.rejected, error-shape.1
  it('rejects it with its record and the request id, over odd optional fields too', async () => {
    const times = { server_received_at: null, lot_version: '7' };
    const odd = { ...times, highest_amount: 1e21, current_amount: 465000.5 };
    const error = await failureOf('bid', coded(422, 'BID_BELOW_MINIMUM', { data: { ...rejected, ...odd } }));
    expect(error).toMatchObject({ requestId: 'req_9', code: 'BID_BELOW_MINIMUM', status: 422 });
    const amounts = { highest_amount: '1000000000000000000000', current_amount: '465000.50' };
    expect(error).toMatchObject({ receipt: { bid_id: 'bid_3', ...amounts } });
  });

  it.each(['identity', ' Identity ', 'gzip', 'br', 'deflate', 'gzip, br', 'aws-chunked'])(
    'is a success as plain JSON, whatever encoding its header names: %s',
    async (encoding) => {
      const { client } = dealer([{ ...taken({}), headers: { 'content-encoding': encoding } }]);
      expect(await client.bids.submit('lot_1', { amount: '1' })).toMatchObject({ status: 'accepted' });
    },
  );

  it.each([
    ['gzip', gzipSync],
    ['X-GZIP', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['deflate, gzip', (bytes: Uint8Array) => gzipSync(deflateSync(bytes))],
    // A header that is added twice, is lost, names no compression, or another one.
    ['gzip, gzip', gzipSync],
    ['', gzipSync],
    ['gzip, utf-8', gzipSync],
    ['aws-chunked,gzip', gzipSync],
    ['br', gzipSync],
  ])('is a success compressed with %s, although nobody asked for that', async (encoding, compress) => {
    const bytes = compress(Buffer.from(JSON.stringify(Reflect.get(taken({}), 'json'))));
    const { client } = dealer([{ status: 201, bytes, headers: { 'content-encoding': encoding } }]);
    expect(await client.bids.submit('lot_1', { amount: '1' })).toMatchObject({ status: 'accepted' });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('is not read if it is a bomb of %s', async (encoding, compress) => {
    const bytes = compress(Buffer.from(`"${' '.repeat(2_000_000)}"`));
    expect(bytes.length).toBeLessThan(10_000);
    const step = { status: 201, bytes, headers: { 'content-encoding': encoding } };
    const { client } = dealer([step], { maxReplyBytes: 1_000_000 });
    const error = await rejection(client.bids.submit('lot_1', { amount: '1' }));
    expect(error).toMatchObject({ reason: 'too_large', outcome: 'unknown' });
  });
});

const conflictSecond = coded(409, 'REQUEST_CONFLICT', {
  errors: ['REQUEST_CONFLICT', 'IDEMPOTENCY_CONFLICT'],
});

const acceptedData = { data: { status: 'accepted' } };
const late = { timestamp: '2026-03-02T06:10:00+00:00' };
const keyTaken = { message: 'This idempotency key is taken.' };

it.each<['bid' | 'command' | 'read', what: string, Step, name: string, outcome: string]>([
  ['read', 'a key that is taken', replied(409, keyTaken), 'ConflictError', 'refused'],
  ['command', 'a code beside a key', coded(409, 'NEW', keyTaken), 'ConflictError', 'refused'],
  ['command', '422 about a key', replied(422, keyTaken), 'ValidationError', 'refused'],
  ['command', 'a code of acceptance', coded(409, 'BID_ACCEPTED'), 'ConflictError', 'unknown'],
  ['command', 'data of acceptance', coded(409, 'NEW', acceptedData), 'ConflictError', 'unknown'],
  ['command', 'data of its own', coded(409, 'NEW', { data: { id: 'x' } }), 'ConflictError', 'refused'],
  [
    'command',
    'its clock, under 403',
    coded(403, 'TIMESTAMP_EXPIRED', late),
    'AuthenticationError',
    'refused',
  ],
  ['bid', 'its key, under 403', coded(403, 'KEY_REVOKED'), 'AuthenticationError', 'unknown'],
  ['bid', 'an undocumented status', worded(405, 'Not allowed.'), 'ApiError', 'unknown'],
  ['bid', 'a wrong version', invalid(422, 'expected_version'), 'VersionConflictError', 'refused'],
  ['bid', 'an unlisted code', coded(422, 'LOT_VERSION_PASSED'), 'VersionConflictError', 'unknown'],
  ['bid', 'a key conflict after another code', conflictSecond, 'IdempotencyConflictError', 'unknown'],
  ['command', '412 about the version', worded(412, 'Stale version'), 'VersionConflictError', 'refused'],
  ['command', '409 that sounds like it', worded(409, 'Conversion failed.'), 'ConflictError', 'refused'],
  ['command', '500 about a version', coded(500, 'VERSION_MISMATCH'), 'ServerError', 'unknown'],
  ['command', 'the code of a rejection', coded(422, 'LOT_NOT_LIVE'), 'ValidationError', 'refused'],
  ['command', 'wrong fields under 400', invalid(400, 'amount'), 'ApiError', 'refused'],
  ['command', 'an undocumented code', coded(404, 'SOMETHING_NEW'), 'NotFoundError', 'refused'],
])('A %s fails with the class of its reply: %s', async (effect, _, step, name, outcome) => {
  const error = await failureOf(effect, step, step);
  expect(error).toMatchObject({ name, outcome });
  // A conflict of keys is the one doubt that resending can't settle.
  const { nextStep } = Object(error);
  if (outcome === 'unknown' && effect === 'bid')
    expect(nextStep.includes(KEY)).toBe(name !== 'IdempotencyConflictError');
});

it('A subscription that is not found says that its operation may not be open', async () => {
  const subscription = { name: 'a', url: 'https://a.example', events: ['sale.approved'] };
  for (const step of [coded(404, 'NOT_FOUND'), worded(404, 'Not found.')]) {
    for (const { client } of [platform([step, step]), bank([step, step])]) {
      const error = await rejection(client.webhookSubscriptions.create(subscription, { maxAttempts: 1 }));
      const nextStep = expect.stringContaining('not callable');
      expect(error).toMatchObject({ name: 'NotFoundError', nextStep });
    }
  }
});

it.each<[object, attempts: number]>([
  [{ message: 'No.' }, 2],
  [{ message: 'No.', success: false }, 1],
  [{ message: 'No.', code: 'NEW' }, 1],
  [{ message: 'No.', data: { status: 'rejected' } }, 1],
])('A refusal of a command is believed at once in the shape of the service: %j', async (json, attempts) => {
  const error = await failureOf('command', replied(409, json), replied(409, json));
  expect(error).toMatchObject({ outcome: 'refused', attempts });
});

it.each([
  [' 7 ', 7_000],
  ['', undefined],
  ['7.5', undefined],
  ['7 s', undefined],
  ['soon', undefined],
  ['Mon, 02 Mar 2026 05:59:00 GMT', 0],
])('A Retry-After of %j asks to wait %s ms', async (value, retryAfter) => {
  const busy: Step = { ...worded(503, 'x'), headers: { 'retry-after': value } };
  expect(Object(await failureOf('read', busy)).retryAfter).toBe(retryAfter);
});

it.each([
  [{ code: 'ENOTFOUND' }, 'dns'],
  [{ code: 'ECONNREFUSED' }, 'refused'],
  [{ code: 'UND_ERR_CONNECT_TIMEOUT' }, 'connect_timeout'],
  [{ name: 'ProxyFailure' }, 'proxy'],
  [{ code: 'ECONNRESET' }, 'connection'],
])('A connection that failed with %j says why: %s', async (more, reason) => {
  const cause = Object.assign(new Error('x'), more);
  expect(await failureOf('read', { fail: 'no', cause })).toMatchObject({ reason });
});

it.each([
  [304, {}, 'status'],
  [307, { location: 'https://elsewhere.example' }, 'redirect'],
])('A %i is not followed, and says so: %o', async (status, headers, reason) => {
  const error = await failureOf('read', { status, text: '', headers });
  expect(error).toMatchObject({ reason });
  expect(shownBy(error)).not.toContain('elsewhere');
});

it('A code that the list of errors lacks comes first', async () => {
  const error = await failureOf('bid', coded(422, 'LOT_NOT_LIVE', { errors: ['BID_BELOW_MINIMUM', 7] }));
  expect(error).toMatchObject({ codes: ['LOT_NOT_LIVE', 'BID_BELOW_MINIMUM'] });
});

it('A state `rejected` settles nothing of a command that is in doubt', async () => {
  const state = replied(409, { message: 'No.', data: { status: 'rejected' } });
  expect(await failureOf('command', state)).toMatchObject({ name: 'ConflictError', outcome: 'refused' });
  const error = await failureOf('command', { fail: 'maybe' }, state);
  expect(error).toMatchObject({ name: 'ConflictError', outcome: 'unknown', attempts: 2 });
  expect(String(error)).not.toContain('rejection');
});

const refused: Step = coded(403, 'SCOPE_DENIED');
const recorded = coded(422, 'LOT_NOT_LIVE', { data: rejected });

// rule: bid.9
it.each<['bid' | 'read', first: Step, second: Step, outcome: string]>([
  ['bid', { fail: 'maybe' }, { fail: 'no' }, 'unknown'],
  ['bid', { fail: 'no' }, { fail: 'maybe' }, 'unknown'],
  ['bid', { fail: 'maybe' }, refused, 'unknown'],
  ['bid', { fail: 'no' }, refused, 'refused'],
  ['bid', { fail: 'maybe' }, recorded, 'unknown'],
  ['read', { fail: 'maybe' }, refused, 'refused'],
])('Two attempts of a %s mean together what none of them excludes: %#', async (effect, ...attempts) => {
  const [first, second, outcome] = attempts;
  expect(await failureOf(effect, first, second)).toMatchObject({ outcome, attempts: 2 });
});

describe('time and abort', () => {
  it('a reply that stalls counts to its attempt, and the effect is unknown', async () => {
    const { client, clock, transport } = dealer([{ stall: 201 }], { maxAttempts: 1 });
    const failed = rejection(client.bids.submit('lot_1', { amount: '1' }, { timeout: 700 }));
    await clock.advance(700);
    const reason = 'attempt_timeout';
    expect(await failed).toMatchObject({ name: 'TimeoutError', outcome: 'unknown', reason });
    expect(transport.discarded).toBe(1);
  });

  it('an attempt that hangs is followed by others, up to the deadline of the call', async () => {
    const { client, clock, transport } = dealer([{ hang: true }, { hang: true }, { hang: true }]);
    const failed = rejection(client.events.get('auc_1', { timeout: 1_000, deadline: 1_500 }));
    await clock.advance(1_499);
    expect(transport.sent).toHaveLength(2);
    await clock.advance(1);
    expect(await failed).toMatchObject({ name: 'TimeoutError', reason: 'deadline', attempts: 2 });
    expect(clock.pending).toEqual([]);
  });

  it('an abort ends a call at once, while an attempt hangs', async () => {
    const { client } = dealer([{ hang: true }]);
    const abort = new AbortController();
    const failed = rejection(client.bids.submit('lot_1', { amount: '1' }, { signal: abort.signal }));
    await settle();
    const cause = new Error('the buyer left');
    abort.abort(cause);
    expect(await failed).toMatchObject({ name: 'AbortedError', outcome: 'unknown', attempts: 1, cause });
  });

  it('an abort ends a call at once, while it waits between attempts', async () => {
    const busy = { status: 429, json: { message: 'x' }, headers: { 'retry-after': '30' } };
    const { client, transport, clock } = dealer([busy]);
    const abort = new AbortController();
    const failed = rejection(client.events.get('auc_1', { signal: abort.signal }));
    await settle();
    abort.abort();
    expect(await failed).toMatchObject({ name: 'AbortedError' });
    expect(transport.sent).toHaveLength(1);
    expect(clock.pending).toEqual([]);
  });

  it('nothing is sent under a signal that has already fired', async () => {
    const { client, transport } = dealer([]);
    const failed = rejection(client.bids.submit('lot_1', { amount: '1' }, { signal: AbortSignal.abort() }));
    expect(await failed).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
    expect(transport.sent).toEqual([]);
  });

  it('a call that succeeds leaves no listener and no timer behind', async () => {
    const abort = new AbortController();
    const { client, clock } = dealer([{ fail: 'maybe' }, event]);
    const call = client.events.get('auc_1', { signal: abort.signal });
    await clock.advance(1);
    await call;
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
    expect(clock.pending).toEqual([]);
  });
});

it('A reply that says it is no success is none of request() either', async () => {
  const { client } = bank([replied(200, { success: false, code: 'SCOPE_DENIED', data: {} })]);
  const get = client.request({ method: 'GET', path: '/x' });
  expect(await rejection(get)).toMatchObject({ name: 'UnexpectedResponseError' });
});
