import { getEventListeners } from 'node:events';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  ApiError,
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
import { VehicleAuctionError } from '../../src/errors/base.js';
import { AbortedError, TimeoutError, UnexpectedResponseError } from '../../src/errors/connection.js';
import { accepted, bank, countingRandomness, dealer, KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';
import { settle } from '../support/virtual-clock.js';

/** An error in the service's own envelope. */
function coded(status: number, code: string, over: object = {}): Step {
  const json = { success: false, code, message: 'As the service says it', data: null, errors: [code] };
  return { status, json: { ...json, request_id: 'req_9', ...over } };
}

const replied = (status: number, json: object): Step => ({ status, json });
const worded = (status: number, message: string): Step => ({ status, json: { message } });
/** A success that says otherwise somewhere. */
const taken = (over: object, status = 201): Step => ({ status, json: { ...accepted(), ...over } });

const invalid = (field: string) => replied(422, { message: 'Invalid.', errors: { [field]: ['Bad.'] } });
const rejected = { status: 'rejected', bid_id: 'bid_3' };
const acceptance = { status: 'accepted', bid_id: 'bid_3', lot_version: 1 };
const deep = `${'['.repeat(6_000)}${']'.repeat(6_000)}`;

type Row = readonly [name: string, step: Step, type: unknown, outcome: string];

async function bidFailure(...steps: readonly Step[]): Promise<VehicleAuctionError> {
  const { client, clock } = dealer(steps, { maxAttempts: steps.length });
  const failed = rejection(client.bids.submit('lot_1', { amount: '465000' }, { idempotencyKey: KEY }));
  await clock.advance(5_000);
  const error = await failed;
  if (!(error instanceof VehicleAuctionError)) throw error;
  return error;
}

// What every documented code means for every operation is in test/wire/codes.ts.
describe('what an odd reply means for a bid', () => {
  const errors: readonly Row[] = [
    ['405 without a code', worded(405, 'Not allowed.'), ApiError, 'unknown'],
    ['400, a status that the text does not list', worded(400, 'Bad.'), ApiError, 'unknown'],
    ['408', worded(408, 'Timeout.'), ApiError, 'unknown'],
    ['425', worded(425, 'Too early.'), ApiError, 'unknown'],
    ['422 garbage', { status: 422, text: 'null' }, ValidationError, 'unknown'],
    ['422 without a code', worded(422, 'x'), ValidationError, 'unknown'],
    ['502 HTML', { status: 502, text: '<html>Bad gateway</html>' }, ServerError, 'unknown'],
    ['a field that is wrong', invalid('amount'), ValidationError, 'refused'],
    ['a version that is wrong', invalid('expected_version'), VersionConflictError, 'refused'],
    ['409 in any words', worded(409, 'No.'), ConflictError, 'unknown'],
    [
      'a conflict of keys as a message',
      worded(409, 'IDEMPOTENCY_CONFLICT'),
      IdempotencyConflictError,
      'unknown',
    ],
    [
      'a conflict of keys behind another code',
      coded(409, 'REQUEST_CONFLICT', { errors: ['REQUEST_CONFLICT', 'IDEMPOTENCY_CONFLICT'] }),
      IdempotencyConflictError,
      'unknown',
    ],
    ['a rejection code without a record', coded(422, 'LOT_NOT_LIVE'), ValidationError, 'unknown'],
    ['a rejection code under 500', coded(500, 'LOT_NOT_LIVE'), ServerError, 'unknown'],
    ['an unlisted code', coded(422, 'RESERVE_NOT_MET'), ValidationError, 'unknown'],
    ['an unlisted code about a version', coded(422, 'LOT_VERSION_PASSED'), VersionConflictError, 'unknown'],
    ['success under 422', replied(422, { success: true, data: acceptance }), ValidationError, 'unknown'],
    ['success under 403', replied(403, { success: true, data: acceptance }), PermissionError, 'unknown'],
    ['404 over an accepted bid', replied(404, { message: 'x', data: acceptance }), NotFoundError, 'unknown'],
    [
      '422 over an accepted bid',
      coded(422, 'LOT_NOT_LIVE', { data: acceptance }),
      ValidationError,
      'unknown',
    ],
    [
      '422 over a bid in work',
      coded(422, 'LOT_NOT_LIVE', { data: { status: 'x' } }),
      ValidationError,
      'unknown',
    ],
    [
      '403 over a bid in work',
      coded(403, 'SCOPE_DENIED', { data: { status: 'x' } }),
      PermissionError,
      'unknown',
    ],
    [
      'a record of a rejection',
      coded(422, 'BID_BELOW_MINIMUM', { data: rejected }),
      BidRejectedError,
      'rejected',
    ],
    ['a record under an unlisted code', coded(422, 'NEW', { data: rejected }), BidRejectedError, 'rejected'],
    [
      'a record under codes of access',
      coded(422, 'BUYER_LIMIT_EXPIRED', {
        data: rejected,
        errors: ['BUYER_LIMIT_EXPIRED', 'BID_BELOW_MINIMUM'],
      }),
      BidRejectedError,
      'rejected',
    ],
    [
      'a record whose code is a number',
      replied(422, { code: 17, data: rejected }),
      BidRejectedError,
      'rejected',
    ],
    [
      'a record nested without end',
      { status: 422, text: `{"success":false,"code":"NEW","data":{"status":"rejected","deep":${deep}}}` },
      BidRejectedError,
      'rejected',
    ],
  ];

  // rule: error-shape.2, error.any-shape
  it.each(errors)('%s', async (_, step, type, outcome) => {
    const error = await bidFailure(step);
    expect(error).toMatchObject({ constructor: type, outcome, operation: 'bids.submit', attempts: 1 });
    expect(error).toMatchObject({ route: 'POST /lots/{lot}/bids', idempotencyKey: KEY });
    expect(error.message).toContain(error.nextStep);
    // A conflict of keys is the one doubt that resending can't settle.
    if (outcome === 'unknown') expect(error.nextStep.includes(KEY)).toBe(type !== IdempotencyConflictError);
  });

  const successes: readonly (readonly [name: string, step: Step])[] = [
    ['304', { status: 304, text: '' }],
    ['202', taken({}, 202)],
    ['a success that is not JSON', { status: 201, text: '<html>' }],
    ['a success that is compressed', { ...taken({}), headers: { 'content-encoding': 'gzip' } }],
    ['a success that lists errors', taken({ errors: ['LOT_NOT_LIVE'] })],
    ['a success that lists errors by field', taken({ errors: { amount: ['No.'] } })],
    ['a success with the code of a rejection', taken({ code: 'LOT_NOT_LIVE' })],
    ['a success that says it is none', taken({ success: false })],
    ['a success without a bid', taken({ data: { status: 'accepted' } })],
    ['a success that says rejected', taken({ data: { ...acceptance, status: 'rejected' } })],
  ];

  // rule: bid-state.accepted
  it.each(successes)('%s cannot be used, and leaves the bid unknown', async (_, step) => {
    expect(await bidFailure(step)).toMatchObject({
      constructor: UnexpectedResponseError,
      outcome: 'unknown',
    });
  });

  it.each([
    ['plain', {}],
    ['compressed', { 'content-encoding': 'gzip' }],
  ])('a %s 429 is sent again within the deadline, however few attempts are allowed', async (_, more) => {
    const tooMany: Step = { status: 429, json: { message: 'x' }, headers: { 'retry-after': '5', ...more } };
    const { client, clock, transport } = dealer([tooMany, tooMany], { maxAttempts: 1 });
    const failed = rejection(client.bids.submit('lot_1', { amount: '1' }, { deadline: 8_000 }));
    await clock.advance(6_000);
    expect(await failed).toMatchObject({ constructor: RateLimitError, outcome: 'unknown', attempts: 2 });
    expect(transport.sent).toHaveLength(2);
  });

  it('the encoding that changes nothing is taken', async () => {
    const { client } = dealer([{ ...taken({}), headers: { 'content-encoding': 'identity' } }]);
    expect(await client.bids.submit('lot_1', { amount: '1' })).toMatchObject({ status: 'accepted' });
  });

  it('a code that the list of errors lacks comes first', async () => {
    const error = await bidFailure(coded(422, 'LOT_NOT_LIVE', { errors: ['BID_BELOW_MINIMUM', 7] }));
    expect(error).toMatchObject({ codes: ['LOT_NOT_LIVE', 'BID_BELOW_MINIMUM'] });
  });

  // rule: bid-state.rejected, error-shape.1
  it('a rejection carries its record and the request id, over odd optional fields too', async () => {
    const odd = {
      server_received_at: null,
      lot_version: '7',
      highest_amount: 1e21,
      current_amount: 465000.5,
    };
    const error = await bidFailure(coded(422, 'BID_BELOW_MINIMUM', { data: { ...rejected, ...odd } }));
    expect(error).toMatchObject({ requestId: 'req_9', code: 'BID_BELOW_MINIMUM', status: 422 });
    const amounts = { highest_amount: '1000000000000000000000', current_amount: '465000.50' };
    expect(error).toMatchObject({ receipt: { bid_id: 'bid_3', ...amounts } });
  });
});

describe('what an error means for a command', () => {
  const cases: readonly Row[] = [
    ['409 naming the version', worded(409, 'The version has moved on.'), VersionConflictError, 'refused'],
    ['412 naming the version', worded(412, 'Stale version'), VersionConflictError, 'unknown'],
    ['a code naming the version', coded(409, 'VERSION_MISMATCH'), VersionConflictError, 'refused'],
    ['422 on expected_version', invalid('expected_version'), VersionConflictError, 'refused'],
    ['409 that only sounds like it', worded(409, 'Conversion failed.'), ConflictError, 'refused'],
    [
      '409 naming the key',
      worded(409, 'This idempotency key is taken.'),
      IdempotencyConflictError,
      'unknown',
    ],
    ['400', worded(400, 'Bad.'), ApiError, 'unknown'],
    ['500 whose code names a version', coded(500, 'VERSION_MISMATCH'), ServerError, 'unknown'],
    ['a code of a rejection', coded(422, 'LOT_NOT_LIVE'), ValidationError, 'refused'],
    [
      'a state `rejected`',
      replied(409, { message: 'No.', data: { status: 'rejected' } }),
      ConflictError,
      'refused',
    ],
    ['a success that says it is none', replied(200, { success: false }), UnexpectedResponseError, 'unknown'],
  ];

  it.each(cases)('%s', async (_, step, type, outcome) => {
    const { client } = dealer([step, step], { maxAttempts: 2 });
    const error = await rejection(
      client.bids.requestCancellation('bid_1', { reason_code: 'r', explanation: 'e' }),
    );
    expect(error).toMatchObject({ constructor: type, outcome, operation: 'A07' });
  });

  it('a state `rejected` settles nothing that is in doubt', async () => {
    const { client } = bank([
      { fail: 'maybe' },
      replied(409, { message: 'No.', data: { status: 'rejected' } }),
    ]);
    const submitted = { status: 'submitted', responsible_party: 'x', occurred_at: '2026-03-02T06:00:00Z' };
    const error = await rejection(
      client.saleCases.updateTransfer('s', { ...submitted, expected_version: 1 }),
    );
    expect(error).toMatchObject({ name: 'ConflictError', outcome: 'unknown', attempts: 2 });
    expect(String(error)).not.toContain('rejection');
  });
});

it('what the service says is bounded in a message, on one line, and never shows a signature', async () => {
  const replies: ((signature: string) => unknown)[] = [
    () => ({ message: `a\nb${'x'.repeat(5_000)}` }),
    (signature) => ({ message: `Bad header X-Signature: ${signature.toUpperCase()}` }),
    (signature) => ({ message: 'Invalid.', errors: { header: [`got ${signature}`] } }),
    (signature) => ({ message: 'Invalid.', errors: { [signature]: ['is wrong'] } }),
  ];
  for (const reply of replies) {
    let signature = '';
    const body = async function* () {
      yield Buffer.from(JSON.stringify(reply(signature)));
    };
    const { client: one } = dealer([], {
      maxAttempts: 1,
      transport: {
        send: async (request) => {
          signature = request.headers['X-Signature'] ?? '';
          return { status: 422, headers: {}, body: body(), discard: () => undefined };
        },
        close: async () => undefined,
      },
    });
    const shown = inspect(await rejection(one.events.get('auc_1')), { depth: 9 });
    expect(shown.length).toBeLessThan(4_000);
    expect(shown.toLowerCase()).not.toContain(signature);
    expect(shown).not.toMatch(/a\nbx/);
  }
});

describe('what several attempts mean together', () => {
  const refused: Step = coded(403, 'SCOPE_DENIED');
  const cases: readonly [name: string, steps: readonly Step[], outcome: string][] = [
    ['never sent', [{ fail: 'no' }, { fail: 'no' }], 'not_sent'],
    ['lost, then never sent', [{ fail: 'maybe' }, { fail: 'no' }], 'unknown'],
    ['never sent, then lost', [{ fail: 'no' }, { fail: 'maybe' }], 'unknown'],
    ['lost, then refused', [{ fail: 'maybe' }, refused], 'unknown'],
    ['never sent, then refused', [{ fail: 'no' }, refused], 'refused'],
    ['lost, then rejected', [{ fail: 'maybe' }, coded(422, 'LOT_NOT_LIVE', { data: rejected })], 'unknown'],
  ];

  // rule: bid.9
  it.each(cases)('%s', async (_, steps, outcome) => {
    expect(await bidFailure(...steps)).toMatchObject({ outcome, attempts: 2 });
  });

  it('a refused read is refused, whatever came before', async () => {
    const { client, clock } = dealer([{ fail: 'maybe' }, refused]);
    const failed = rejection(client.events.get('auc_1'));
    await clock.advance(1);
    expect(await failed).toMatchObject({ outcome: 'refused' });
  });
});

describe('time and abort', () => {
  it('a reply that stalls counts to its attempt, and the effect is unknown', async () => {
    const { client, clock, transport } = dealer([{ stall: 201 }], { maxAttempts: 1 });
    const failed = rejection(client.bids.submit('lot_1', { amount: '1' }, { timeout: 700 }));
    await clock.advance(700);
    const error = await failed;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ outcome: 'unknown', reason: 'attempt_timeout' });
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
    const reason = new Error('the buyer left');
    abort.abort(reason);
    const error = await failed;
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 1, cause: reason });
  });

  it('an abort ends a call at once, while it waits between attempts', async () => {
    const busy = { status: 429, json: { message: 'x' }, headers: { 'retry-after': '30' } };
    const { client, transport, clock } = dealer([busy]);
    const abort = new AbortController();
    const failed = rejection(client.events.get('auc_1', { signal: abort.signal }));
    await settle();
    abort.abort();
    expect(await failed).toBeInstanceOf(AbortedError);
    expect(transport.sent).toHaveLength(1);
    expect(clock.pending).toEqual([]);
  });

  it('nothing is sent under a signal that has already fired', async () => {
    const { client, transport } = dealer([]);
    const failed = rejection(client.bids.submit('lot_1', { amount: '1' }, { signal: AbortSignal.abort() }));
    expect(await failed).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
    expect(transport.sent).toEqual([]);
  });

  it('nothing is sent where the signal fires while the attempt is being signed', async () => {
    const abort = new AbortController();
    const nonce = () => {
      abort.abort();
      return 'nonce-0000000000000001';
    };
    const { client, transport } = dealer([], { randomness: { ...countingRandomness(), nonce } });
    const failed = rejection(client.events.get('auc_1', { signal: abort.signal }));
    expect(await failed).toMatchObject({ name: 'AbortedError' });
    expect(transport.sent).toEqual([]);
  });

  it('a call that succeeds leaves no listener and no timer behind', async () => {
    const abort = new AbortController();
    const event = { id: 'auc_1', status: 'live', bid_increment: '5000.00', revision: 1 };
    const { client, clock } = dealer([{ fail: 'maybe' }, replied(200, { data: event })]);
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
