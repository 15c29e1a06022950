import { describe, expect, it } from 'vitest';
import {
  acceptance,
  html,
  invalidFields,
  LOT,
  messageOnly,
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

type Row = readonly [what: string, step: Step];

const noConnection = (code: string): Step => ({
  fail: 'no',
  cause: Object.assign(new Error('none'), { code }),
});

/** What each kind of reply does to a bid: its outcome, its state, the effect on record, and how often it is looked up. */
const kinds = {
  refused: [{ status: 'refused', reason: 'coded', provisional: false }, 'refused', 'refused', 0],
  uncoded: [{ status: 'unknown', evidence: { kind: 'lookup_failed' } }, 'sent', 'uncoded', 4],
  not_sent: [{ status: 'not_sent', reason: 'network', codes: [] }, 'not_sent', 'not_sent', 0],
  unknown: [{ status: 'unknown', reason: 'in_doubt' }, 'sent', 'unknown', 4],
  stuck: [{ status: 'unknown', reason: 'stuck' }, 'stuck', 'unknown', 0],
} as const;

const table: Readonly<Record<keyof typeof kinds, readonly Row[]>> = {
  refused: [
    ['403 SCOPE_DENIED', refusal(403, 'SCOPE_DENIED')],
    ['404 NOT_FOUND', refusal(404, 'NOT_FOUND')],
    ['422 IDEMPOTENCY_KEY_REQUIRED', refusal(422, 'IDEMPOTENCY_KEY_REQUIRED')],
    ['422 with fields', invalidFields()],
  ],
  uncoded: [
    ...[400, 401, 402, 403, 404, 405, 413].map((status): Row => [`bare ${status}`, messageOnly(status)]),
    ['403 with a code that is undocumented', refusal(403, 'SOMETHING_NEW')],
    ['422 with a rejection code and no record', refusal(422, 'LOT_NOT_LIVE')],
    ['404 with fields', { status: 404, json: { message: 'Invalid.', errors: { lot: ['It is.'] } } }],
  ],
  not_sent: ['ENOTFOUND', 'ECONNREFUSED', 'CERT_HAS_EXPIRED', 'UND_ERR_CONNECT_TIMEOUT'].map(
    (code): Row => [code, noConnection(code)],
  ),
  unknown: [
    ['a reset', LOST],
    ['no reply in time', { hang: true }],
    ['a body that never ends', { stall: 201 }],
    ...[500, 408, 425, 409, 422].map((status): Row => [`bare ${status}`, messageOnly(status)]),
    ...[502, 403].map((status): Row => [`${status} as HTML`, html(status)]),
    ['500 with the code of a refusal', refusal(500, 'SCOPE_DENIED')],
    ['302', { status: 302, text: '', headers: { location: 'https://elsewhere.example/' } }],
    ['422 with a code that is undocumented', enveloped(422)],
    ['422 that says it is a success', { status: 422, json: { ...accepted(), success: true } }],
    ['403 with the record of an accepted bid', { status: 403, json: { ...accepted(), success: false } }],
    ['201 cut off', { status: 201, text: JSON.stringify(accepted()).slice(0, 120) }],
    ['201 of a rejected bid', acceptance({ status: 'rejected' })],
    ['201 that lists errors', { status: 201, json: { ...accepted(), errors: ['LOT_NOT_LIVE'] } }],
    ['202', acceptance({}, 202)],
    ['409 NONCE_REPLAYED', refusal(409, 'NONCE_REPLAYED')],
    ['401 TIMESTAMP_EXPIRED', refusal(401, 'TIMESTAMP_EXPIRED')],
  ],
  stuck: [
    ['409 IDEMPOTENCY_CONFLICT', refusal(409, 'IDEMPOTENCY_CONFLICT')],
    [
      'a message that names the conflict',
      { status: 409, json: { message: 'This idempotency key is stored for other content.' } },
    ],
  ],
};

describe.each(Object.entries(table))('a reply that makes a bid %s', (kind, rows) => {
  const [expected, state, effect, lookups] = kinds[kind as keyof typeof kinds];

  it.each(rows)('%s, on the first attempt', async (_, step) => {
    const found = await placed([step], 1);
    expect(found.outcome).toMatchObject({ ...expected, idempotencyKey: KEY, attempts: 1 });
    expect([found.state, found.effects]).toEqual([state, [effect]]);
    expect(found.transport.lines).toEqual([SENT, ...Array<string>(lookups).fill(ASKED)]);
  });

  it.each(rows)('%s after an attempt in doubt proves nothing about that one', async (_, step) => {
    const found = await placed([LOST, step], 2);
    const reason = kind === 'stuck' ? 'stuck' : 'in_doubt';
    expect(found.outcome).toMatchObject({ status: 'unknown', reason, attempts: 2 });
    expect(found.effects).toEqual(['unknown', effect]);
  });
});

const first = (step: Step) => placed([step], 1);

describe('a verdict', () => {
  it('of acceptance settles the bid, with its receipt and money as decimal strings', async () => {
    const { outcome, state, transport } = await first(acceptance());
    const receipt = { status: 'accepted', lot_version: 4, current_amount: '465000.50' };
    const bid = { call: 'bids.place', lot: LOT, amount: '465000', idempotencyKey: KEY, bidId: 'bid_77' };
    const call = { codes: [], replayed: false, attempts: 1 };
    expect(outcome).toMatchObject({ status: 'accepted', ...bid, ...call, receipt });
    expect([state, transport.lines]).toEqual(['accepted', [SENT]]);
  });

  it.each([
    ['first judged now', acceptance(), false],
    ['answered from the record of the key', acceptance({ replayed: true }, 200), true],
  ])('of acceptance after an attempt in doubt settles the bid, %s', async (_, step, replayed) => {
    const { outcome, state } = await placed([LOST, step], 2);
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 2, replayed, bidId: 'bid_77' });
    expect(state).toBe('accepted');
  });

  it('of rejection settles the bid with every code, also those that are undocumented', async () => {
    const codes = ['BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID', 'SOMETHING_NEW'];
    const { outcome, state, transport } = await first(recordedRejection(codes));
    const receipt = { request_id: 'req_2', bid_id: 'bid_78', status: 'rejected', lot_version: 5 };
    expect(outcome).toMatchObject({ status: 'rejected', codes, attempts: 1, bidId: 'bid_78', receipt });
    expect([state, transport.lines]).toEqual(['rejected', [SENT]]);
  });

  it('of refusal has its HTTP status and every code, the first reason first', async () => {
    const codes = ['EMD_EXPIRED', 'BUYER_LIMIT_EXPIRED'];
    const { outcome } = await first(enveloped(403, { code: codes[0], errors: codes }));
    expect(outcome).toMatchObject({ status: 'refused', codes, httpStatus: 403 });
  });
});
