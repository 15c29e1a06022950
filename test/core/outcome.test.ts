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
import { accepted, bank, dealer, KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';
import { settle } from '../support/virtual-clock.js';

const application = (code: string, over: object = {}) => ({
  success: false,
  code,
  message: 'As the service says it',
  data: null,
  errors: [code],
  request_id: 'req_9',
  timestamp: '2026-03-02T06:00:00+00:00',
  ...over,
});

const coded = (status: number, code: string, over: object = {}): Step => ({
  status,
  json: application(code, over),
});
const worded = (status: number, message: string): Step => ({ status, json: { message } });

async function bidFailure(...steps: readonly Step[]): Promise<VehicleAuctionError> {
  const { client, clock } = dealer(steps, { maxAttempts: steps.length });
  const failed = rejection(client.bids.submit('lot_1', { amount: '465000' }, { idempotencyKey: KEY }));
  await clock.advance(5_000);
  const error = await failed;
  if (!(error instanceof VehicleAuctionError)) throw error;
  return error;
}

describe('what one error reply means for a bid', () => {
  const cases: readonly [name: string, step: Step, type: unknown, outcome: string][] = [
    ['404 message', worded(404, 'Not found.'), NotFoundError, 'unknown'],
    ['405 message', worded(405, 'Not allowed.'), ApiError, 'unknown'],
    ['413 message', worded(413, 'Too large.'), ApiError, 'unknown'],
    [
      '422 framework',
      { status: 422, json: { message: 'Invalid.', errors: { amount: ['Bad.'] } } },
      ValidationError,
      'refused',
    ],
    [
      '422 version',
      { status: 422, json: { message: 'Invalid.', errors: { expected_version: ['Old.'] } } },
      VersionConflictError,
      'refused',
    ],
    ['409 in any words', worded(409, 'No.'), ConflictError, 'unknown'],
    ['409 conflict as a message', worded(409, 'IDEMPOTENCY_CONFLICT'), IdempotencyConflictError, 'unknown'],
    ['409 nonce', coded(409, 'NONCE_REPLAYED'), ConflictError, 'unknown'],
    [
      '422 recorded rejection',
      coded(422, 'BID_BELOW_MINIMUM', {
        data: { status: 'rejected', bid_id: 'bid_3' },
        errors: ['BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID'],
      }),
      BidRejectedError,
      'rejected',
    ],
    ['422 rejection code without a record', coded(422, 'LOT_NOT_LIVE'), ValidationError, 'unknown'],
    ['500 with a rejection code', coded(500, 'LOT_NOT_LIVE'), ServerError, 'unknown'],
    [
      'a conflict code behind another',
      coded(409, 'REQUEST_CONFLICT', { errors: ['REQUEST_CONFLICT', 'IDEMPOTENCY_CONFLICT'] }),
      IdempotencyConflictError,
      'unknown',
    ],
    [
      '422 with a code that the text does not list',
      coded(422, 'RESERVE_NOT_MET'),
      ValidationError,
      'unknown',
    ],
    [
      '422 with a code that the text does not list, about a version',
      coded(422, 'LOT_VERSION_PASSED'),
      VersionConflictError,
      'unknown',
    ],
    ['500', worded(500, 'Server Error'), ServerError, 'unknown'],
    ['502 HTML', { status: 502, text: '<html>Bad gateway</html>' }, ServerError, 'unknown'],
    ['408', worded(408, 'Timeout.'), ApiError, 'unknown'],
    ['425', worded(425, 'Too early.'), ApiError, 'unknown'],
    ["403 in a proxy's HTML", { status: 403, text: '<html>Forbidden</html>' }, PermissionError, 'unknown'],
    ['422 garbage', { status: 422, text: 'null' }, ValidationError, 'unknown'],
    ['400, a status that the text does not list', worded(400, 'Bad.'), ApiError, 'unknown'],
    ['304', { status: 304, text: '' }, UnexpectedResponseError, 'unknown'],
    [
      '201 that lists errors',
      { status: 201, json: { ...accepted(), errors: ['LOT_NOT_LIVE'] } },
      UnexpectedResponseError,
      'unknown',
    ],
    ['201 garbage', { status: 201, text: '<html>' }, UnexpectedResponseError, 'unknown'],
    [
      '201 without a bid',
      { status: 201, json: { success: true, data: { status: 'accepted' } } },
      UnexpectedResponseError,
      'unknown',
    ],
    [
      '201 that says rejected',
      { status: 201, json: { success: true, data: { status: 'rejected', bid_id: 'b', lot_version: 1 } } },
      UnexpectedResponseError,
      'unknown',
    ],
    [
      '201 that says success: false',
      {
        status: 201,
        json: { success: false, code: 'X', data: { status: 'accepted', bid_id: 'b', lot_version: 1 } },
      },
      UnexpectedResponseError,
      'unknown',
    ],
    [
      '202',
      { status: 202, json: { success: true, data: { status: 'accepted', bid_id: 'b', lot_version: 1 } } },
      UnexpectedResponseError,
      'unknown',
    ],
    [
      'compressed',
      { status: 201, json: accepted(), headers: { 'content-encoding': 'gzip' } },
      UnexpectedResponseError,
      'unknown',
    ],
  ];

  // rule: error-shape.2, error.any-shape
  it.each(cases)('%s', async (_, step, type, outcome) => {
    const error = await bidFailure(step);
    expect(error).toBeInstanceOf(type);
    expect(error.constructor).toBe(type);
    expect(error.outcome).toBe(outcome);
    const { errors }: { readonly errors?: unknown } = Object('json' in step ? step.json : undefined);
    const listed = error instanceof IdempotencyConflictError ? ['IDEMPOTENCY_CONFLICT'] : [];
    if (error instanceof ApiError) expect(error.codes).toEqual(Array.isArray(errors) ? errors : listed);
    expect(error).toMatchObject({
      operation: 'bids.submit',
      route: 'POST /lots/{lot}/bids',
      idempotencyKey: KEY,
      attempts: 1,
    });
    expect(error.nextStep).toMatch(/\.$/);
    expect(error.message).toContain(error.nextStep);
    if (outcome === 'unknown' && !(error instanceof IdempotencyConflictError))
      expect(error.nextStep).toContain(KEY);
  });

  it.each([
    ['plain', {}],
    ['compressed', { 'content-encoding': 'gzip' }],
  ])(
    'a %s 429 is sent again within the deadline, however few attempts are allowed, and then unknown',
    async (_, more) => {
      const tooMany: Step = { status: 429, json: { message: 'x' }, headers: { 'retry-after': '5', ...more } };
      const { client, clock, transport } = dealer([tooMany, tooMany], { maxAttempts: 1 });
      const failed = rejection(client.bids.submit('lot_1', { amount: '1' }, { deadline: 8_000 }));
      await clock.advance(6_000);
      expect(await failed).toMatchObject({ constructor: RateLimitError, outcome: 'unknown', attempts: 2 });
      expect(transport.sent).toHaveLength(2);
    },
  );

  it('takes the one encoding that changes nothing', async () => {
    const { client } = dealer([
      { status: 201, json: accepted(), headers: { 'content-encoding': 'identity' } },
    ]);
    expect(await client.bids.submit('lot_1', { amount: '1' })).toMatchObject({ status: 'accepted' });
  });

  // rule: bid-state.rejected, error-shape.1
  it('carries the recorded rejection and the request id', async () => {
    const error = await bidFailure(
      coded(422, 'BID_BELOW_MINIMUM', { data: { status: 'rejected', bid_id: 'bid_3' } }),
    );
    expect(error).toMatchObject({
      requestId: 'req_9',
      receipt: { bid_id: 'bid_3' },
      code: 'BID_BELOW_MINIMUM',
      status: 422,
    });
  });
});

describe('what contradicts itself, or is oddly shaped', () => {
  const rejected = { status: 'rejected', bid_id: 'bid_3' };
  const acceptedData = { status: 'accepted', bid_id: 'bid_3', lot_version: 1 };
  const cases: readonly [name: string, step: Step, type: unknown, outcome: string][] = [
    [
      'a rejection code over an accepted bid',
      coded(422, 'LOT_NOT_LIVE', { data: acceptedData }),
      ValidationError,
      'unknown',
    ],
    [
      'success under 422',
      { status: 422, json: { success: true, code: 'BID_ACCEPTED', data: acceptedData } },
      ValidationError,
      'unknown',
    ],
    [
      'success under 403',
      { status: 403, json: { success: true, code: 'BID_ACCEPTED', data: acceptedData } },
      PermissionError,
      'unknown',
    ],
    [
      'a message over an accepted bid',
      { status: 404, json: { message: 'x', data: acceptedData } },
      NotFoundError,
      'unknown',
    ],
    ['a bare message under 422', worded(422, 'x'), ValidationError, 'unknown'],
    [
      'a recorded rejection whose code is a number',
      { status: 422, json: { code: 17, message: 'x', errors: ['BID_BELOW_MINIMUM'], data: rejected } },
      BidRejectedError,
      'rejected',
    ],
    [
      'a recorded rejection without a code',
      { status: 422, json: { success: false, message: 'x', errors: ['BID_BELOW_MINIMUM'], data: rejected } },
      BidRejectedError,
      'rejected',
    ],
    [
      'a recorded rejection under codes of access',
      coded(422, 'BUYER_LIMIT_EXPIRED', {
        data: rejected,
        errors: ['BUYER_LIMIT_EXPIRED', 'BID_BELOW_MINIMUM'],
      }),
      BidRejectedError,
      'rejected',
    ],
    [
      'a recorded rejection under a code of next year',
      coded(422, 'BRAND_NEW', { data: rejected }),
      BidRejectedError,
      'rejected',
    ],
    [
      'a recorded rejection nested without end',
      {
        status: 422,
        text: `{"success":false,"code":"LOT_NOT_LIVE","errors":["LOT_NOT_LIVE"],"data":{"status":"rejected","deep":${'['.repeat(6_000)}${']'.repeat(6_000)}}}`,
      },
      BidRejectedError,
      'rejected',
    ],
  ];

  // rule: bid-state.accepted, error.any-shape
  it.each(cases)('%s', async (_, step, type, outcome) => {
    expect(await bidFailure(step)).toMatchObject({ constructor: type, outcome });
  });
});

describe('what one error reply means for a command', () => {
  const cases: readonly [name: string, step: Step, type: unknown, outcome: string][] = [
    ['409 naming the version', worded(409, 'The version has moved on.'), VersionConflictError, 'refused'],
    ['412 naming the version', worded(412, 'Stale version'), VersionConflictError, 'unknown'],
    ['a code naming the version', coded(409, 'VERSION_MISMATCH'), VersionConflictError, 'refused'],
    [
      '422 on expected_version',
      { status: 422, json: { message: 'x', errors: { expected_version: ['Old.'] } } },
      VersionConflictError,
      'refused',
    ],
    ['409 that only sounds like it', worded(409, 'Conversion failed.'), ConflictError, 'refused'],
    [
      '409 naming the idempotency key',
      worded(409, 'This idempotency key is taken.'),
      IdempotencyConflictError,
      'unknown',
    ],
    ['400', worded(400, 'Bad.'), ApiError, 'unknown'],
    ['500 whose code names a version', coded(500, 'VERSION_MISMATCH'), ServerError, 'unknown'],
  ];

  it.each(cases)('%s', async (_, step, type, outcome) => {
    const { client } = dealer([step, step], { maxAttempts: 2 });
    const error = await rejection(
      client.bids.requestCancellation('bid_1', { reason_code: 'r', explanation: 'e' }),
    );
    expect(error).toMatchObject({ constructor: type, outcome, operation: 'A07' });
  });
});

describe('what the service says, as it may stand in a message', () => {
  it('is bounded, on one line, and never shows a signature', async () => {
    const replies: ((signature: string) => unknown)[] = [
      () => ({ message: `a\nb${'x'.repeat(5_000)}` }),
      (signature) => ({ message: `Bad header X-Signature: ${signature.toUpperCase()}` }),
      (signature) => ({ message: 'Invalid.', errors: { header: [`got ${signature}`] } }),
      (signature) => ({ message: 'Invalid.', errors: { [signature]: ['is wrong'] } }),
    ];
    for (const reply of replies) {
      let signature = '';
      const { client: one } = dealer([], {
        maxAttempts: 1,
        transport: {
          send: async (request) => {
            signature = request.headers['X-Signature'] ?? '';
            const text = Buffer.from(JSON.stringify(reply(signature)));
            return {
              status: 422,
              headers: {},
              body: (async function* () {
                yield text;
              })(),
              discard: () => undefined,
            };
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
});

describe('what several attempts mean together', () => {
  const refused: Step = coded(403, 'SCOPE_DENIED');
  const cases: readonly [name: string, steps: readonly Step[], outcome: string][] = [
    ['never sent', [{ fail: 'no' }, { fail: 'no' }], 'not_sent'],
    ['lost, then never sent', [{ fail: 'maybe' }, { fail: 'no' }], 'unknown'],
    ['never sent, then lost', [{ fail: 'no' }, { fail: 'maybe' }], 'unknown'],
    ['lost, then refused', [{ fail: 'maybe' }, refused], 'unknown'],
    ['500, then refused', [worded(500, 'x'), refused], 'unknown'],
    ['429, then refused', [worded(429, 'x'), refused], 'unknown'],
    ['never sent, then refused', [{ fail: 'no' }, refused], 'refused'],
    ['lost, then a rejection without its record', [{ fail: 'maybe' }, coded(422, 'LOT_NOT_LIVE')], 'unknown'],
    [
      'lost, then a recorded rejection',
      [{ fail: 'maybe' }, coded(422, 'LOT_NOT_LIVE', { data: { status: 'rejected' } })],
      'unknown',
    ],
  ];

  // rule: bid.9
  it.each(cases)('%s', async (_, steps, outcome) => {
    const error = await bidFailure(...steps);
    expect(error.outcome).toBe(outcome);
    expect(error.attempts).toBe(2);
  });

  it('keeps a read out of it: a refused read is refused, whatever came before', async () => {
    const { client, clock } = dealer([{ fail: 'maybe' }, refused]);
    const failed = rejection(client.events.get('auc_1'));
    await clock.advance(1);
    expect(await failed).toMatchObject({ outcome: 'refused' });
  });
});

describe('time and abort', () => {
  it('ends an attempt that hangs, and says the effect is unknown', async () => {
    const { client, clock } = dealer([{ hang: true }], { maxAttempts: 1 });
    const failed = rejection(client.bids.submit('lot_1', { amount: '1' }, { timeout: 700 }));
    await clock.advance(699);
    await clock.advance(1);
    const error = await failed;
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ outcome: 'unknown', message: expect.stringContaining('700 ms') });
  });

  it('counts the body in: a reply that stalls ends too', async () => {
    const { client, clock, transport } = dealer([{ stall: 201 }], { maxAttempts: 1 });
    const failed = rejection(client.bids.submit('lot_1', { amount: '1' }, { timeout: 700 }));
    await clock.advance(700);
    expect(await failed).toBeInstanceOf(TimeoutError);
    expect(transport.discarded).toBe(1);
  });

  it('tries again after an attempt that hung, up to the deadline of the call', async () => {
    const { client, clock, transport } = dealer([{ hang: true }, { hang: true }, { hang: true }]);
    const failed = rejection(client.events.get('auc_1', { timeout: 1_000, deadline: 1_500 }));
    await clock.advance(1_499);
    expect(transport.sent).toHaveLength(2);
    await clock.advance(1);
    expect(await failed).toMatchObject({
      name: 'TimeoutError',
      attempts: 2,
      message: expect.stringContaining('1500 ms'),
    });
    expect(clock.pending).toEqual([]);
  });

  it('settles at once on abort, while an attempt hangs', async () => {
    const { client } = dealer([{ hang: true }]);
    const abort = new AbortController();
    const failed = rejection(client.bids.submit('lot_1', { amount: '1' }, { signal: abort.signal }));
    await settle();
    const reason = new Error('the buyer left');
    abort.abort(reason);
    const error = await failed;
    expect(error).toBeInstanceOf(AbortedError);
    expect(error).toMatchObject({ outcome: 'unknown', attempts: 1 });
    expect((error as Error).cause).toBe(reason);
  });

  it('settles at once on abort, while waiting between attempts', async () => {
    const { client, transport, clock } = dealer([
      { status: 429, json: { message: 'x' }, headers: { 'retry-after': '30' } },
    ]);
    const abort = new AbortController();
    const failed = rejection(client.events.get('auc_1', { signal: abort.signal }));
    await settle();
    abort.abort();
    expect(await failed).toBeInstanceOf(AbortedError);
    expect(transport.sent).toHaveLength(1);
    expect(clock.pending).toEqual([]);
  });

  it('sends nothing under a signal that has already fired', async () => {
    const { client, transport } = dealer([]);
    const error = await rejection(
      client.bids.submit('lot_1', { amount: '1' }, { signal: AbortSignal.abort() }),
    );
    expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
    expect(transport.sent).toEqual([]);
  });

  it('leaves nothing behind on a signal that outlives the call', async () => {
    const abort = new AbortController();
    const { client, clock } = dealer([{ fail: 'maybe' }, { status: 201, json: accepted() }]);
    const bid = client.bids.submit('lot_1', { amount: '1' }, { signal: abort.signal });
    await clock.advance(1);
    await bid;
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });

  it('leaves no timer behind after a success', async () => {
    const { client, clock } = dealer([
      { status: 200, json: { data: { id: 'auc_1', status: 'live', bid_increment: '5000.00', revision: 1 } } },
    ]);
    await client.events.get('auc_1');
    expect(clock.pending).toEqual([]);
  });
});

describe('what is judged', () => {
  const judged = (code: string, status = 422): Step => ({ status, json: application(code) });
  const transfer = {
    status: 'submitted',
    responsible_party: 'RTO agent',
    occurred_at: '2026-03-02T06:00:00Z',
    expected_version: 1,
  };

  it('is a bid: a code of a rejection refuses a read or a command, and rejects nothing', async () => {
    const { client } = dealer([
      judged('DEALER_NOT_FOUND'),
      judged('BIDDER_REFERENCE_REQUIRED'),
      judged('LOT_NOT_LIVE'),
    ]);
    const calls = [
      client.eligibility.check({ lot_id: 'lot_1' }),
      client.events.lots('auc_1').firstPage(),
      client.bids.requestCancellation('bid_1', { reason_code: 'x' }),
    ];
    for (const call of calls) {
      expect(await rejection(call)).toMatchObject({
        name: 'ValidationError',
        outcome: 'refused',
        status: 422,
      });
    }
  });

  it('is a bid: a state `rejected` in the reply to a command settles nothing that is in doubt', async () => {
    const rejected = { status: 409, json: { message: 'No.', data: { status: 'rejected' } } };
    const once = bank([rejected, rejected]);
    expect(await rejection(once.client.saleCases.updateTransfer('sal_1', transfer))).toMatchObject({
      name: 'ConflictError',
      outcome: 'refused',
    });
    const { client, transport } = bank([{ fail: 'maybe' }, rejected]);
    const error = await rejection(client.saleCases.updateTransfer('sal_1', transfer));
    expect(error).toMatchObject({ name: 'ConflictError', outcome: 'unknown', attempts: 2 });
    expect(String(error)).not.toContain('rejection');
    expect(transport.sent).toHaveLength(2);
  });

  it('keeps its record, over odd optional fields too', async () => {
    const data = {
      status: 'rejected',
      bid_id: 'bid_9',
      server_received_at: null,
      lot_version: '7',
      highest_amount: 1e21,
      current_amount: 465000.5,
    };
    const error = await bidFailure(coded(422, 'BID_BELOW_MINIMUM', { data }));
    expect(error).toMatchObject({
      name: 'BidRejectedError',
      receipt: { bid_id: 'bid_9', highest_amount: '1000000000000000000000', current_amount: '465000.50' },
    });
  });
});

describe('a reply to a bid that contradicts itself', () => {
  const cases: readonly [name: string, step: Step][] = [
    [
      'a rejection of a bid that is processing',
      coded(422, 'LOT_NOT_LIVE', { data: { status: 'processing', bid_id: 'b' } }),
    ],
    [
      'a rejection of a bid that is Accepted',
      coded(422, 'LOT_NOT_LIVE', { data: { status: 'Accepted', bid_id: 'b' } }),
    ],
    ['a refusal with a bid', coded(403, 'SCOPE_DENIED', { data: { status: 'processing', bid_id: 'b' } })],
    [
      'an acceptance with the code of a rejection',
      { status: 201, json: { ...accepted(), code: 'LOT_NOT_LIVE' } },
    ],
    [
      'an acceptance with errors by field',
      { status: 201, json: { ...accepted(), errors: { amount: ['No.'] } } },
    ],
  ];
  it.each(cases)('is unknown: %s', async (_, step) => {
    expect((await bidFailure(step)).outcome).toBe('unknown');
  });

  it('is no success of a command or a request() either', async () => {
    const record = { id: 'x', state: 'pending', resource_version: 1, data: {} };
    const denied = { status: 200, json: { success: false, code: 'SCOPE_DENIED', data: record } };
    const { client } = bank([denied, denied]);
    const decide = client.bidCancellations.decide('x', { decision: 'approved', expected_version: 1 });
    expect(await rejection(decide)).toMatchObject({ name: 'UnexpectedResponseError', outcome: 'unknown' });
    const get = client.request({ method: 'GET', path: '/x' });
    expect(await rejection(get)).toMatchObject({ name: 'UnexpectedResponseError' });
  });
});
