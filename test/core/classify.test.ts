import { describe, expect, it } from 'vitest';
import { classify, type Evidence, type Verdict } from '../../src/core/classify.js';

const nothing: Evidence = {
  stage: 'replied',
  effect: 'command',
  status: 0,
  codes: [],
  keyConflict: false,
  rejectionCode: false,
  refusalCode: false,
  shape: 'foreign',
  recordedRejection: false,
  consistent: false,
};

const replied = (status: number, over: Partial<Evidence> = {}): Evidence => ({ ...nothing, status, ...over });

const UNKNOWN: Verdict = { effect: 'unknown', retry: false };
const UNKNOWN_AGAIN: Verdict = { effect: 'unknown', retry: true };
const REFUSED: Verdict = { effect: 'refused', retry: false };

/** A documented code in the application's envelope. */
const coded = { shape: 'application', codes: ['SCOPE_DENIED'], refusalCode: true } as const;
const message = { shape: 'message' } as const;
const framework = { shape: 'framework' } as const;
const uncodedBid: Verdict = { ...UNKNOWN, uncoded: true };
const uncodedCommand: Verdict = { effect: 'unknown', retry: true, uncoded: true };

describe.each(['read', 'command', 'bid'] as const)('an attempt of a %s', (effect) => {
  const cases: readonly (readonly [string, Partial<Evidence>, Verdict])[] = [
    [
      'that never left is not sent, and may be tried again',
      { stage: 'not_sent' },
      { effect: 'not_sent', retry: true },
    ],
    [
      'whose body could not be read is not sent',
      { stage: 'unread_body' },
      { effect: 'not_sent', retry: false },
    ],
    ['whose reply was lost is unknown, and may be tried again', { stage: 'lost' }, UNKNOWN_AGAIN],
    ['that timed out is unknown, and may be tried again', { stage: 'timed_out' }, UNKNOWN_AGAIN],
    [
      'with a success that agrees with itself is done',
      { status: 201, consistent: true },
      { effect: 'done', retry: false },
    ],
    ['with a success that does not is unknown', { status: 200 }, UNKNOWN],
    ['that was redirected is unknown', { status: 302, ...message }, UNKNOWN],
    [
      'that met the rate limit is unknown, and may be tried again',
      { status: 429, ...message },
      UNKNOWN_AGAIN,
    ],
    ['that met a server error is unknown, and may be tried again', { status: 503, ...coded }, UNKNOWN_AGAIN],
    ['that met a 408 is unknown, whatever it says', { status: 408, ...coded }, UNKNOWN],
    ['that met a 425 is unknown, whatever it says', { status: 425, ...coded }, UNKNOWN],
    ['with a status of no known kind is unknown', { status: 999, ...message }, UNKNOWN],
    ['answered by something else than the service is unknown', { status: 403 }, UNKNOWN],
    [
      'whose nonce was seen before is unknown, and may be tried again',
      { status: 409, shape: 'application', codes: ['NONCE_REPLAYED'] },
      UNKNOWN_AGAIN,
    ],
    [
      'whose key holds other content is unknown',
      { status: 409, shape: 'application', codes: ['IDEMPOTENCY_CONFLICT'], keyConflict: true },
      UNKNOWN,
    ],
    [
      'under a revoked key is refused, and may be tried with another',
      { status: 401, shape: 'application', codes: ['KEY_REVOKED'] },
      { effect: 'refused', retry: true, remedy: 'key' },
    ],
    ['turned away with a documented code is refused', { status: 403, ...coded }, REFUSED],
    ['whose fields are wrong is refused', { status: 422, ...framework }, REFUSED],
  ];

  it.each(cases)('%s', (_, over, expected) => {
    expect(classify({ ...nothing, effect, ...over })).toEqual(expected);
  });

  it('whose timestamp counts as expired is tried again in corrected time: only a read is refused by that', () => {
    const expired = { codes: ['TIMESTAMP_EXPIRED'], shape: 'application' } as const;
    expect(classify(replied(401, { effect, ...expired }))).toEqual({
      effect: effect === 'read' ? 'refused' : 'unknown',
      retry: true,
      remedy: 'clock',
    });
    expect(classify(replied(401, { effect, ...expired, shape: 'foreign' }))).toEqual(UNKNOWN);
  });
});

describe('a bid', () => {
  const bid = (status: number, over: Partial<Evidence> = {}) =>
    classify(replied(status, { effect: 'bid', ...over }));

  it('is rejected only where the record of the rejection comes with a 422', () => {
    const rejection = { shape: 'application', recordedRejection: true, rejectionCode: true } as const;
    expect(bid(422, rejection)).toEqual({ effect: 'rejected', retry: false });
    for (const status of [400, 403, 409]) expect(bid(status, rejection)).toEqual(UNKNOWN);
  });

  it('with a rejection code and no record is looked up', () => {
    expect(bid(422, { shape: 'application', rejectionCode: true })).toEqual(uncodedBid);
  });

  it.each([400, 401, 402, 403, 404, 405, 413])(
    'turned away by a bare %i is looked up, and not sent again',
    (status) => {
      expect(bid(status, message)).toEqual(uncodedBid);
      expect(bid(status, { shape: 'application', codes: ['SOMETHING_NEW'] })).toEqual(uncodedBid);
    },
  );

  it.each([406, 409, 410, 418, 422])('turned away by a bare %i is unknown', (status) => {
    expect(bid(status, message)).toEqual(UNKNOWN);
  });
});

describe('a command', () => {
  const command = (status: number, over: Partial<Evidence> = {}) => classify(replied(status, over));

  it.each([401, 402, 403, 404, 405, 409, 413, 422])(
    'turned away by a bare %i is sent once more before that is believed',
    (status) => {
      expect(command(status, message)).toEqual(uncodedCommand);
    },
  );

  it.each([400, 406, 410, 418])('turned away by a bare %i is unknown', (status) => {
    expect(command(status, message)).toEqual(UNKNOWN);
  });

  it('has no rejections: the words of one are a refusal', () => {
    expect(command(422, { shape: 'application', recordedRejection: true, rejectionCode: true })).toEqual(
      REFUSED,
    );
  });

  it('is refused by field errors only under 422', () => {
    expect(command(422, framework)).toEqual(REFUSED);
    expect(command(400, framework)).toEqual(UNKNOWN);
  });
});

it('a read is refused by whatever the service says with a 4xx', () => {
  for (const status of [400, 404, 409, 418, 422]) {
    expect(classify(replied(status, { effect: 'read', ...message }))).toEqual(REFUSED);
  }
});
