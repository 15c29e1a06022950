import { describe, expect, it } from 'vitest';
import {
  acceptance,
  html,
  invalidFields,
  iso,
  LOT,
  lookup,
  messageOnly,
  NOW,
  recordedRejection,
  refusal,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { accepted, KEY } from '../support/clients.js';
import { ASKED, BID, KEYED, LOST, mute, SENT } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** The table of outcomes of a bid, row by row: as its first attempt, and after an attempt in doubt. Lookups bring nothing. */

async function placed(steps: readonly Step[], maxAttempts: number) {
  const scene = new Scene();
  const { client, transport } = scene.dealer([...steps, ...mute(12)]);
  const outcome = await scene.during(client.bids.place(BID, { ...KEYED, maxAttempts }));
  const { state, content } = await scene.only();
  const effects = content.log.flatMap((event) => (event.type === 'result' ? [event.effect] : []));
  return { outcome, state, effects, transport, scene };
}

const DOUBTED = { outcome: { status: 'unknown', reason: 'in_doubt', attempts: 2 }, state: 'sent' };
const first = (step: Step) => placed([step], 1);
const afterDoubt = (step: Step) => placed([LOST, step], 2);

/** The application envelope of a code that the API text doesn't list. */
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

describe('a refusal with a documented code, or with invalid fields', () => {
  const rows: readonly (readonly [string, Step])[] = [
    ['401 INVALID_SIGNATURE', refusal(401, 'INVALID_SIGNATURE')],
    ['401 KEY_REVOKED', refusal(401, 'KEY_REVOKED')],
    ['402 BANK_UNAVAILABLE', refusal(402, 'BANK_UNAVAILABLE')],
    ['403 SCOPE_DENIED', refusal(403, 'SCOPE_DENIED')],
    ['404 NOT_FOUND', refusal(404, 'NOT_FOUND')],
    ['422 IDEMPOTENCY_KEY_REQUIRED', refusal(422, 'IDEMPOTENCY_KEY_REQUIRED')],
    ['422 with fields', invalidFields()],
  ];

  it.each(rows)('%s is refused, and nothing is looked up', async (_, step) => {
    const { outcome, state, effects, transport } = await first(step);
    expect(outcome).toMatchObject({
      status: 'refused',
      reason: 'coded',
      provisional: false,
      idempotencyKey: KEY,
      attempts: 1,
      replayed: false,
    });
    expect([state, effects]).toEqual(['refused', ['refused']]);
    expect(transport.lines).toEqual([SENT]);
  });

  it.each(rows)('%s after an attempt in doubt leaves the bid unknown', async (_, step) => {
    expect(await afterDoubt(step)).toMatchObject({ ...DOUBTED, effects: ['unknown', 'refused'] });
  });

  it('reports its HTTP status and every code, the first reason first', async () => {
    const codes = ['EMD_EXPIRED', 'BUYER_LIMIT_EXPIRED'];
    const { outcome } = await first(enveloped(403, { code: codes[0], errors: codes }));
    expect(outcome).toMatchObject({ status: 'refused', codes, httpStatus: 403 });
  });
});

describe('a 4xx without a documented code, and a rejection code without a record', () => {
  const statuses = [400, 401, 402, 403, 404, 405, 413];
  const rows: readonly (readonly [string, Step])[] = [
    ...statuses.map((status) => [`${status} with a message`, messageOnly(status)] as const),
    ['403 with a code that is undocumented', refusal(403, 'SOMETHING_NEW')],
    ['403 with a documented code of another status', refusal(403, 'INVALID_SIGNATURE')],
    ['422 with a rejection code and no record', refusal(422, 'LOT_NOT_LIVE')],
    ['404 with fields', { status: 404, json: { message: 'Invalid.', errors: { lot: ['It is.'] } } }],
  ];

  it.each(rows)('%s stays in doubt while no lookup answers', async (_, step) => {
    const { outcome, state, effects, transport } = await first(step);
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 1, evidence: { kind: 'lookup_failed' } });
    expect([state, effects]).toEqual(['sent', ['uncoded']]);
    expect(transport.lines).toEqual([SENT, ASKED, ASKED, ASKED, ASKED]);
  });

  it.each(rows)('%s is refused provisionally once a lookup finds nothing', async (_, step) => {
    const { outcome, state, transport } = await placed([step, lookup('absent')], 3);
    expect(outcome).toMatchObject({ status: 'refused', reason: 'uncoded', provisional: true, attempts: 1 });
    expect(state).toBe('refused');
    expect(transport.lines).toEqual([SENT, ASKED]);
  });

  it.each(rows)('%s after an attempt in doubt leaves the bid unknown, absent or not', async (_, step) => {
    const after = await placed([LOST, step, lookup('absent')], 2);
    expect(after).toMatchObject({ ...DOUBTED, effects: ['unknown', 'uncoded'] });
  });
});

describe('an attempt that never left', () => {
  const rows = ['ENOTFOUND', 'ECONNREFUSED', 'CERT_HAS_EXPIRED', 'UND_ERR_CONNECT_TIMEOUT'].map(
    (code): [string, Step] => [code, { fail: 'no', cause: Object.assign(new Error('none'), { code }) }],
  );

  it.each(rows)('%s is not sent, and nothing is looked up', async (_, step) => {
    const { outcome, state, effects, transport } = await first(step);
    expect(outcome).toMatchObject({ status: 'not_sent', reason: 'network', attempts: 1, codes: [] });
    expect([state, effects]).toEqual(['not_sent', ['not_sent']]);
    expect(transport.lines).toEqual([SENT]);
  });

  it.each(rows)('%s after an attempt in doubt leaves the bid unknown', async (_, step) => {
    expect(await afterDoubt(step)).toMatchObject({ ...DOUBTED, effects: ['unknown', 'not_sent'] });
  });
});

describe('a reply that proves nothing', () => {
  const rows: readonly (readonly [string, Step])[] = [
    ['a reset', LOST],
    ['no reply in time', { hang: true }],
    ['a body that never ends', { stall: 201 }],
    ['500', messageOnly(500)],
    ['502 as HTML', html(502)],
    ['503', messageOnly(503)],
    ['500 with the code of a refusal', refusal(500, 'SCOPE_DENIED')],
    ['302', { status: 302, text: '', headers: { location: 'https://elsewhere.example/' } }],
    ['304', { status: 304, text: '' }],
    ['408', messageOnly(408)],
    ['425', messageOnly(425)],
    ['410', messageOnly(410)],
    ['409 with a code that is undocumented', refusal(409, 'LOT_BUSY')],
    ['401 as HTML', html(401)],
    ['403 as HTML', html(403)],
    ['404 as HTML', html(404)],
    ['422 as HTML', html(422)],
    ['422 with a message', messageOnly(422)],
    ['403 with no body', { status: 403, text: '' }],
    ['403 with JSON of something else', { status: 403, json: { error: 'forbidden' } }],
    ['422 with a code that is undocumented', enveloped(422)],
    ['422 with the code of another status', refusal(422, 'EMD_EXPIRED')],
    ['422 in the envelope without a code', enveloped(422, { code: null, errors: [] })],
    ['422 that says it is a success', { status: 422, json: { ...accepted(), success: true } }],
    ['403 with the record of an accepted bid', { status: 403, json: { ...accepted(), success: false } }],
    ['201 cut off', { status: 201, text: JSON.stringify(accepted()).slice(0, 120) }],
    ['201 that is no JSON', { status: 201, text: 'ok' }],
    ['201 without a body', { status: 201, text: '' }],
    ['201 of a rejected bid', acceptance({ status: 'rejected' })],
    ['201 of a bid in another state', acceptance({ status: 'queued' })],
    ['201 that says it is no success', { status: 201, json: { ...accepted(), success: false } }],
    ['201 with an error code', { status: 201, json: { ...accepted(), code: 'BID_BELOW_MINIMUM' } }],
    ['201 that lists errors', { status: 201, json: { ...accepted(), errors: ['LOT_NOT_LIVE'] } }],
    ['202', acceptance({}, 202)],
    ['204', { status: 204, text: '' }],
    ['409 NONCE_REPLAYED', refusal(409, 'NONCE_REPLAYED')],
    ['401 TIMESTAMP_EXPIRED', refusal(401, 'TIMESTAMP_EXPIRED')],
    ['409 with a message', messageOnly(409)],
  ];

  it.each(rows)('%s leaves the bid unknown, and it is looked up', async (_, step) => {
    const { outcome, state, effects, transport } = await first(step);
    expect(outcome).toMatchObject({
      status: 'unknown',
      reason: 'in_doubt',
      attempts: 1,
      evidence: { kind: 'lookup_failed', why: 'HTTP 403 SCOPE_DENIED' },
    });
    expect([state, effects]).toEqual(['sent', ['unknown']]);
    expect(transport.lines).toEqual([SENT, ASKED, ASKED, ASKED, ASKED]);
  });

  it.each(rows)('%s after an attempt in doubt leaves the bid unknown', async (_, step) => {
    expect(await afterDoubt(step)).toMatchObject({ ...DOUBTED, effects: ['unknown', 'unknown'] });
  });
});

describe('a verdict', () => {
  it('of acceptance settles the bid, with its receipt and money as decimal strings', async () => {
    const { outcome, state, transport } = await first(acceptance());
    expect(outcome).toMatchObject({
      status: 'accepted',
      call: 'bids.place',
      lot: LOT,
      amount: '465000',
      idempotencyKey: KEY,
      codes: [],
      replayed: false,
      attempts: 1,
      bidId: 'bid_77',
      receipt: { status: 'accepted', lot_version: 4, current_amount: '465000.50' },
    });
    expect([state, transport.lines]).toEqual(['accepted', [SENT]]);
  });

  it.each([
    ['first judged now', acceptance(), false],
    ['answered from the record of the key', acceptance({ replayed: true }, 200), true],
  ])('of acceptance after an attempt in doubt settles the bid, %s', async (_, step, replayed) => {
    const { outcome, state } = await afterDoubt(step);
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 2, replayed, bidId: 'bid_77' });
    expect(state).toBe('accepted');
  });

  it('of rejection settles the bid with every code, also those that are undocumented', async () => {
    const codes = ['BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID', 'SOMETHING_NEW'];
    const { outcome, state, transport } = await first(recordedRejection(codes));
    expect(outcome).toMatchObject({
      status: 'rejected',
      codes,
      attempts: 1,
      bidId: 'bid_78',
      receipt: { request_id: 'req_2', bid_id: 'bid_78', status: 'rejected', lot_version: 5 },
    });
    expect([state, transport.lines]).toEqual(['rejected', [SENT]]);
  });

  it('of rejection after an attempt in doubt waits for the lookup to confirm it', async () => {
    const { outcome, state, effects } = await afterDoubt(recordedRejection());
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'in_doubt', attempts: 2 });
    expect([state, effects]).toEqual(['sent', ['unknown', 'rejected']]);
    const confirmed = await placed([LOST, recordedRejection(['LOT_NOT_LIVE']), lookup('rejected')], 2);
    expect(confirmed.outcome).toMatchObject({ status: 'rejected', attempts: 2 });
    expect(confirmed.state).toBe('rejected');
  });
});

describe('other content under the key', () => {
  const rows: readonly (readonly [string, Step])[] = [
    ['IDEMPOTENCY_CONFLICT as a code', refusal(409, 'IDEMPOTENCY_CONFLICT')],
    [
      'an idempotency conflict as a message',
      { status: 409, json: { message: 'This idempotency key is stored for other content.' } },
    ],
  ];

  it.each(rows)('%s needs manual resolution', async (_, step) => {
    for (const { outcome, state, transport } of [await first(step), await afterDoubt(step)]) {
      expect(outcome).toMatchObject({ status: 'unknown', reason: 'stuck' });
      expect(state).toBe('stuck');
      expect(transport.lines.filter((line) => line === ASKED)).toEqual([]);
    }
  });
});

describe('a doubled copy of an attempt', () => {
  it.each([
    ['NONCE_REPLAYED', refusal(409, 'NONCE_REPLAYED')],
    ['TIMESTAMP_EXPIRED', refusal(401, 'TIMESTAMP_EXPIRED')],
  ])('%s sends the same bytes again under a fresh nonce', async (_, step) => {
    const { outcome, transport } = await placed([step, acceptance({ replayed: true }, 200)], 3);
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 2, replayed: true });
    const [one, two] = transport.sent;
    expect(two?.body).toBe(one?.body);
    expect(two?.headers['X-Nonce']).not.toBe(one?.headers['X-Nonce']);
  });

  it('TIMESTAMP_EXPIRED corrects the clock before the next attempt', async () => {
    const code = 'TIMESTAMP_EXPIRED';
    const expired = enveloped(401, { code, errors: [code], timestamp: iso(NOW + 600_000) });
    const scene = new Scene();
    const { client, transport } = scene.dealer([expired, acceptance()]);
    await scene.during(client.bids.place({ ...BID, placeBy: NOW + 3_600_000 }));
    const stamps = transport.sent.map(({ headers }) => Number(headers['X-Timestamp']) * 1_000 - NOW);
    expect(stamps).toEqual([0, 600_000]);
  });
});
