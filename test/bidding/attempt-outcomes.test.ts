import { describe, expect, it } from 'vitest';
import {
  acceptance,
  html,
  invalidFields,
  LOT,
  lookup,
  messageOnly,
  recordedRejection,
  refusal,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { accepted, KEY } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

/** The table of outcomes (attempt → evidence → intent), a test per row: as the first attempt, and after one in doubt. */

const reset: Step = { fail: 'maybe' };
/** A look-up that gives no answer, as often as it is asked for. */
const mute = Array.from({ length: 8 }, () => refusal(403, 'SCOPE_DENIED'));

async function placed(steps: readonly Step[], maxAttempts: number) {
  const scene = new Scene();
  const { client, transport } = scene.dealer([...steps, ...mute]);
  const bid = { lot: LOT, amount: '465000', intentId: KEY };
  const outcome = await scene.during(client.bidding.place(bid, { maxAttempts }));
  const stored = await scene.journal.only();
  const ends = stored.entries.flatMap((entry) => (entry.type === 'end' ? [entry] : []));
  const bids = transport.lines.filter((line) => line.startsWith('POST'));
  return { outcome, stored, ends, transport, bids };
}

const first = (step: Step) => placed([step], 1);
const afterDoubt = (step: Step) => placed([reset, step], 2);

const application = (status: number, code: string) => refusal(status, code);
/** Shape 1, of a code that the service lists nowhere. */
const enveloped = (status: number, over: object = {}): Step => ({
  status,
  json: {
    success: false,
    code: 'RESERVE_NOT_MET',
    message: 'No.',
    data: null,
    errors: ['RESERVE_NOT_MET'],
    request_id: 'req_5',
    ...over,
  },
});
const framework = (status: number): Step => ({
  status,
  json: { message: 'Invalid.', errors: { lot: ['It is.'] } },
});

describe('what the service turns away in its own words', () => {
  const statuses = [401, 402, 403, 404, 405, 413];
  const rows = [
    ...statuses.flatMap((status): [string, Step][] => [
      [`${status} with a code`, application(status, 'SOMETHING_NEW')],
      [`${status} as a bare message`, messageOnly(status)],
      [`${status} with fields`, framework(status)],
    ]),
    ['422 with fields', invalidFields()] as [string, Step],
    ['422 with a code that is no rejection', application(422, 'IDEMPOTENCY_KEY_REQUIRED')] as [string, Step],
  ];

  it.each(rows)('%s: refused, and nothing is asked', async (_, step) => {
    const { outcome, stored, ends, transport } = await first(step);
    expect(outcome).toMatchObject({ status: 'refused', idempotencyKey: KEY, attempts: 1, replayed: false });
    expect([stored.state, ends.map(({ effect }) => effect)]).toEqual(['refused', ['refused']]);
    expect(transport.lines).toEqual([`POST /lots/${LOT}/bids`]);
  });

  it.each(rows)('%s after an attempt in doubt: unknown', async (_, step) => {
    const { outcome, stored, ends, bids } = await afterDoubt(step);
    expect(outcome).toMatchObject({
      status: 'unknown',
      idempotencyKey: KEY,
      attempts: 2,
      evidence: { kind: 'lookup_failed', reason: 'HTTP 403 SCOPE_DENIED' },
    });
    expect([stored.state, ends.map(({ effect }) => effect)]).toEqual(['unknown', ['in_doubt', 'refused']]);
    expect(bids).toHaveLength(2);
  });

  it('tells status, every code and the sentence', async () => {
    const { outcome } = await first({
      status: 403,
      json: {
        success: false,
        code: 'EMD_EXPIRED',
        message: 'No.',
        data: null,
        errors: ['EMD_EXPIRED', 'BUYER_LIMIT_EXPIRED'],
      },
    });
    expect(outcome).toEqual({
      status: 'refused',
      call: 'bidding.place',
      lot: LOT,
      amount: '465000',
      idempotencyKey: KEY,
      codes: ['EMD_EXPIRED', 'BUYER_LIMIT_EXPIRED'],
      replayed: false,
      attempts: 1,
      httpStatus: 403,
      what: "The service turned this bid away and recorded nothing (HTTP 403 EMD_EXPIRED BUYER_LIMIT_EXPIRED). The earnest money deposit (EMD) has lapsed. The bank's approval of the buyer limit has lapsed.",
      nextStep: 'Renew the EMD with the bank. Then place the same bid again under its key (as intentId).',
    });
  });
});

describe('an accepted bid', () => {
  it.each([
    ['leading', 'The service accepted this bid.'],
    ['outbid', 'The service accepted this bid; it is outbid already.'],
    [null, 'The service accepted this bid.'],
  ])('that is %s says so', async (bidder_status, what) => {
    expect((await first(acceptance({ bidder_status }))).outcome).toMatchObject({ status: 'accepted', what });
  });
});

describe('the next step', () => {
  it('of a row in a batch is the batch again', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([refusal(403, 'EMD_EXPIRED'), { fail: 'no' }, { fail: 'no' }]);
    const rows = ['r1', 'r2'].map((rowId) => ({ rowId, lot: `lot_${rowId}`, amount: '465000' }));
    const place = { maxAttempts: 1 };
    const batch = client.bidding.placeAll(rows, { batchId: 'b1', closes: 'as_given', concurrency: 1, place });
    await scene.during(batch.summary);
    expect((await batch.toArray()).map(({ status, nextStep }) => [status, nextStep])).toEqual([
      ['refused', 'Renew the EMD with the bank. Then run the batch b1 again.'],
      ['not_sent', 'If it is still wanted, run the batch b1 again.'],
    ]);
  });
});

describe('what the service names where it gives no code', () => {
  const said = (status: number, json: object) => first({ status, json });

  it.each([
    [
      422,
      { message: 'Invalid.', errors: { amount: ['is odd.'], dealer_id: ['is unknown'] } },
      'HTTP 422: amount: is odd; dealer_id: is unknown',
      'Mend what it names.',
    ],
    [403, { message: 'Not today.' }, 'HTTP 403: Not today', 'Mend what it names.'],
    [
      404,
      { message: 'Not found.' },
      'HTTP 404: Not found',
      'Check the lot id, and that the lot is open to these credentials.',
    ],
  ])('%i: is told in its words', async (status, json, words, step) => {
    expect((await said(status, json)).outcome).toMatchObject({
      status: 'refused',
      what: `The service turned this bid away and recorded nothing (${words}).`,
      nextStep:
        status === 403
          ? `${step} Then place the same bid again under its key (as intentId).`
          : `${step} A corrected bid is a new one, with a key of its own; place the same bid again under its key (as intentId), only if nothing in it changes.`,
    });
  });
});

describe('what never left', () => {
  const causes = ['ENOTFOUND', 'ECONNREFUSED', 'CERT_HAS_EXPIRED', 'UND_ERR_CONNECT_TIMEOUT'];
  const rows = causes.map((code): [string, Step] => [
    code,
    { fail: 'no', cause: Object.assign(new Error('no connection'), { code }) },
  ]);

  it.each(rows)('%s: not sent, and nothing is asked', async (_, step) => {
    const { outcome, stored, ends, transport } = await first(step);
    expect(outcome).toMatchObject({ status: 'not_sent', idempotencyKey: KEY, attempts: 1, codes: [] });
    expect([stored.state, ends.map(({ effect }) => effect)]).toEqual(['not_sent', ['not_sent']]);
    expect(transport.lines).toEqual([`POST /lots/${LOT}/bids`]);
  });

  it.each(rows)('%s after an attempt in doubt: unknown', async (_, step) => {
    const { outcome, stored, ends } = await afterDoubt(step);
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 2 });
    expect([stored.state, ends.map(({ effect }) => effect)]).toEqual(['unknown', ['in_doubt', 'not_sent']]);
  });
});

describe('what may have been let in', () => {
  const rows: [string, Step][] = [
    ['a reset', { fail: 'maybe' }],
    ['no reply in time', { hang: true }],
    ['a body that never ends', { stall: 201 }],
    ['500', messageOnly(500)],
    ['502 as HTML', html(502)],
    ['503', messageOnly(503)],
    ['500 with a code of a refusal', refusal(500, 'SCOPE_DENIED')],
    ['302', { status: 302, text: '', headers: { location: 'https://elsewhere.example/' } }],
    ['304', { status: 304, text: '' }],
    ['400 with a code', refusal(400, 'BAD')],
    ['408', messageOnly(408)],
    ['425', messageOnly(425)],
    ['429', messageOnly(429)],
    ['429 with a code', refusal(429, 'TOO_MANY')],
    ['409 with a code that nobody knows', refusal(409, 'LOT_BUSY')],
    ['410', messageOnly(410)],
    ['401 as HTML', html(401)],
    ['403 as HTML', html(403)],
    ['404 as HTML', html(404)],
    ['422 as HTML', html(422)],
    ['422 as a bare message', messageOnly(422)],
    ['403 with no body', { status: 403, text: '' }],
    ['403 with JSON of somebody else', { status: 403, json: { error: 'forbidden' } }],
    ['422 with a code that nobody knows', enveloped(422)],
    [
      '422 with a code that nobody knows beside one of a refusal',
      enveloped(422, { errors: ['RESERVE_NOT_MET', 'IDEMPOTENCY_KEY_REQUIRED'] }),
    ],
    ['422 with a code of another status', refusal(422, 'EMD_EXPIRED')],
    ['422 in the envelope, without a code', enveloped(422, { code: null, errors: [] })],
    ['422 in the envelope, with fields', enveloped(422, { code: null, errors: { amount: ['It is odd.'] } })],
    ['422 with words of success', { status: 422, json: { ...accepted(), success: true } }],
    ['403 with the record of an accepted bid', { status: 403, json: { ...accepted(), success: false } }],
    ['201 cut off', { status: 201, text: JSON.stringify(accepted()).slice(0, 120) }],
    ['201 that is no JSON', { status: 201, text: 'ok' }],
    ['201 with no body', { status: 201, text: '' }],
    ['201 of a rejected bid', acceptance({ status: 'rejected' })],
    ['201 of a bid in another state', acceptance({ status: 'queued' })],
    ['201 that says it is no success', { status: 201, json: { ...accepted(), success: false } }],
    ['201 with an error code', { status: 201, json: { ...accepted(), code: 'BID_BELOW_MINIMUM' } }],
    ['201 that lists errors', { status: 201, json: { ...accepted(), errors: ['LOT_NOT_LIVE'] } }],
    ['202', acceptance({}, 202)],
    ['204', { status: 204, text: '' }],
  ];

  it.each(rows)('%s: unknown, and it is looked for', async (_, step) => {
    const { outcome, stored, ends, bids, transport } = await first(step);
    expect(outcome).toMatchObject({
      status: 'unknown',
      idempotencyKey: KEY,
      attempts: 1,
      evidence: { kind: 'lookup_failed', reason: 'HTTP 403 SCOPE_DENIED' },
    });
    expect(outcome).not.toHaveProperty('quarantined');
    expect([stored.state, ends.map(({ effect }) => effect)]).toEqual(['unknown', ['in_doubt']]);
    expect([bids.length, transport.lines.filter((line) => line.startsWith('GET'))]).toEqual([
      1,
      Array(4).fill(`GET /bid-requests/${KEY}`),
    ]);
  });

  it.each(rows)('%s after an attempt in doubt: unknown', async (_, step) => {
    const { outcome, stored, ends } = await afterDoubt(step);
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 2 });
    expect([stored.state, ends.map(({ effect }) => effect)]).toEqual(['unknown', ['in_doubt', 'in_doubt']]);
  });
});

describe('what the service judged', () => {
  it('accepted', async () => {
    const { outcome, stored, transport } = await first(acceptance());
    expect(outcome).toMatchObject({
      status: 'accepted',
      idempotencyKey: KEY,
      codes: [],
      replayed: false,
      attempts: 1,
      bidId: 'bid_77',
      receipt: { status: 'accepted', lot_version: 4, current_amount: '465000.50' },
    });
    expect(stored.state).toBe('accepted');
    expect(transport.lines).toEqual([`POST /lots/${LOT}/bids`]);
  });

  it.each([
    ['first accepted now', acceptance(), false],
    ['answered from the record', acceptance({ replayed: true }, 200), true],
  ])('accepted after an attempt in doubt, %s', async (_, step, replayed) => {
    const { outcome, stored, bids } = await afterDoubt(step);
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 2, replayed, bidId: 'bid_77' });
    expect([stored.state, bids.length]).toEqual(['accepted', 2]);
  });

  it('rejected, with every code', async () => {
    const codes = ['BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID', 'SOMETHING_NEW'];
    const { outcome, stored, transport } = await first(recordedRejection(codes));
    expect(outcome).toEqual({
      status: 'rejected',
      call: 'bidding.place',
      lot: LOT,
      amount: '465000',
      idempotencyKey: KEY,
      codes,
      replayed: false,
      attempts: 1,
      bidId: 'bid_78',
      receipt: { request_id: 'req_2', bid_id: 'bid_78', status: 'rejected', lot_version: 5, replayed: false },
      what: expect.stringMatching(
        /^The service rejected this bid \(BID_BELOW_MINIMUM, BID_OFF_OPENING_GRID, SOMETHING_NEW\)\. .*below the minimum/,
      ),
      nextStep: expect.stringMatching(
        /^It is final: a further bid is a new one, with a key of its own\. Read the lot/,
      ),
    });
    expect(stored.state).toBe('rejected');
    expect(transport.lines).toEqual([`POST /lots/${LOT}/bids`]);
  });

  it('rejected by its code alone, without a record', async () => {
    const { outcome, stored } = await first(refusal(422, 'LOT_NOT_LIVE'));
    expect(outcome).toMatchObject({ status: 'rejected', codes: ['LOT_NOT_LIVE'] });
    expect(stored.state).toBe('rejected');
  });

  it('rejected by a code that nobody knows: in doubt at first, and the look-up says so', async () => {
    const receipt = { bid_id: 'bid_9', status: 'rejected' };
    const { outcome, stored, bids } = await placed([enveloped(422), lookup('rejected', { receipt })], 3);
    expect(outcome).toMatchObject({ status: 'rejected', bidId: 'bid_9', attempts: 1 });
    expect([stored.state, bids.length]).toEqual(['rejected', 1]);
  });

  it('rejected by its code alone after an attempt in doubt: unknown, for it speaks for itself only', async () => {
    const { outcome, stored } = await afterDoubt(refusal(422, 'LOT_NOT_LIVE'));
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 2 });
    expect(stored.state).toBe('unknown');
  });

  it.each([
    ['an acceptance', acceptance({ replayed: true }, 200)],
    ['a rejection', recordedRejection(['LOT_NOT_LIVE'], { replayed: true })],
  ])('%s from the record of a key that was never sent: quarantined', async (_, step) => {
    const { outcome, stored, transport } = await first(step);
    expect(outcome).toMatchObject({ status: 'unknown', replayed: true });
    const { quarantined } = outcome as { quarantined?: { reason: string } };
    expect(quarantined?.reason).toBe(
      'the service had recorded this key before the journal knew of any attempt: it belongs to an earlier run, or the journal was lost',
    );
    expect(stored.state).toBe('quarantined');
    expect(transport.lines).toEqual([`POST /lots/${LOT}/bids`]);
  });

  it('a replay after an attempt that did not leave, or was refused, is as strange', async () => {
    const unsent: Step = { fail: 'no' };
    expect((await placed([unsent, acceptance({ replayed: true }, 200)], 2)).stored.state).toBe('quarantined');
    const expired = {
      ...refusal(401, 'TIMESTAMP_EXPIRED'),
      headers: { date: 'Mon, 02 Mar 2026 07:00:00 GMT' },
    };
    const { stored, bids } = await placed([expired, acceptance({ replayed: true }, 200)], 2);
    expect([stored.state, bids.length]).toEqual(['quarantined', 2]);
  });
});

describe('what contradicts the key', () => {
  const rows: [string, Step][] = [
    ['IDEMPOTENCY_CONFLICT as a code', refusal(409, 'IDEMPOTENCY_CONFLICT')],
    [
      'IDEMPOTENCY_CONFLICT as a message',
      { status: 409, json: { message: 'This key is stored for other content.' } },
    ],
  ];

  it.each(rows)('%s: quarantined', async (_, step) => {
    const { outcome, stored, transport } = await first(step);
    expect(outcome).toMatchObject({
      status: 'unknown',
      attempts: 1,
      quarantined: {
        reason:
          'the service holds other content under this key, so this intent and the recorded one are not the same',
      },
    });
    expect(outcome.nextStep).toContain('abandon it');
    expect(stored.state).toBe('quarantined');
    expect(transport.lines).toEqual([`POST /lots/${LOT}/bids`]);
  });

  it.each(rows)('%s after an attempt in doubt: quarantined', async (_, step) => {
    const { outcome, stored } = await afterDoubt(step);
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 2, quarantined: {} });
    expect(stored.state).toBe('quarantined');
  });

  it('a nonce that was seen before: a twin arrived, so it is sent again with a fresh one', async () => {
    const { outcome, transport, bids } = await placed(
      [refusal(409, 'NONCE_REPLAYED'), acceptance({ replayed: true }, 200)],
      3,
    );
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 2, replayed: true });
    expect(bids).toHaveLength(2);
    const [one, two] = transport.sent;
    expect(one?.headers['X-Nonce']).not.toBe(two?.headers['X-Nonce']);
    expect(one?.body).toBe(two?.body);
  });

  it('a nonce that was seen before, and no further attempt: unknown, and it is looked for', async () => {
    const { outcome, stored, ends } = await placed(
      [
        refusal(409, 'NONCE_REPLAYED'),
        lookup('accepted', { receipt: { bid_id: 'bid_9', status: 'accepted' } }),
      ],
      1,
    );
    expect(outcome).toMatchObject({ status: 'accepted', bidId: 'bid_9', attempts: 1 });
    expect([stored.state, ends[0]?.effect]).toEqual(['accepted', 'in_doubt']);
  });
});
