import { describe, expect, it } from 'vitest';
import type { Route } from '../../src/api/operation.js';
import { type StopKind, Stopped } from '../../src/core/deadline.js';
import { type AttemptEnd, classify, type Verdict } from '../../src/core/reply/classify.js';
import { bids } from '../../src/routes/bids.js';
import { events } from '../../src/routes/events.js';
import { saleCases } from '../../src/routes/sale-cases.js';
import { accepted } from '../support/clients.js';

const routes = {
  read: events.get,
  bid: bids.submit,
  command: saleCases.acknowledge,
} satisfies Record<string, Route>;
type Effect = keyof typeof routes;

const successes: Readonly<Record<Effect, object>> = {
  read: { data: { id: 'auc_1', status: 'live', bid_increment: '1.00', revision: 1 } },
  bid: accepted(),
  command: { data: { id: 'sale_1', kind: 'sale', state: 'approved', resource_version: 2 } },
};

/** The verdict on an attempt, without the facts that come with it. */
function verdictOf(effect: Effect, end: AttemptEnd): Verdict {
  const result = classify(routes[effect], end, 0, { timeout: 2_000, deadline: 2_000 });
  const { remedy, uncoded } = result;
  return {
    effect: result.effect,
    retry: result.retry,
    ...(remedy !== undefined && { remedy }),
    ...(uncoded !== undefined && { uncoded }),
  };
}

const replied = (status: number, json: unknown): AttemptEnd => ({
  kind: 'reply',
  reply: { status, headers: {}, json },
});

/** In the application's envelope. */
const coded = (...codes: readonly string[]) => ({
  success: false,
  code: codes[0],
  message: 'No.',
  data: null,
  errors: codes,
});
const message = { message: 'No.' };
const framework = { message: 'Invalid.', errors: { amount: ['Bad.'] } };
const rejection = (data: object) => ({ ...coded('BID_BELOW_MINIMUM'), data });

const IN_DOUBT: Verdict = { effect: 'unknown', retry: false };
const IN_DOUBT_AGAIN: Verdict = { effect: 'unknown', retry: true };
const REFUSED: Verdict = { effect: 'refused', retry: false };
const NOT_SENT: Verdict = { effect: 'not_sent', retry: false };
const DONE: Verdict = { effect: 'done', retry: false };

const failure = (code: string) => Object.assign(new Error(code), { code });
const network = (sent: 'no' | 'maybe', code = 'ECONNRESET'): AttemptEnd => ({
  kind: 'network',
  sent,
  cause: failure(code),
});
const stopped = (kind: StopKind, sent: 'no' | 'maybe'): AttemptEnd => ({
  kind: 'stopped',
  sent,
  stopped: new Stopped(kind),
});
const NOT_SENT_AGAIN: Verdict = { effect: 'not_sent', retry: true };
const WITH_ANOTHER_KEY: Verdict = { effect: 'refused', retry: true, remedy: 'key' };

describe.each(['read', 'command', 'bid'] as const)('an attempt of a %s', (effect) => {
  const ok = routes[effect].success[0] ?? 0;
  const success = successes[effect];
  const cases: readonly (readonly [string, AttemptEnd, Verdict])[] = [
    ['that never left', network('no'), NOT_SENT_AGAIN],
    ['that met an untrusted certificate', network('no', 'DEPTH_ZERO_SELF_SIGNED_CERT'), NOT_SENT],
    ['that spoke TLS to a plain port', network('no', 'ERR_SSL_WRONG_VERSION_NUMBER'), NOT_SENT],
    ['whose body could not be read', { kind: 'body_unreadable', cause: failure('EIO') }, NOT_SENT],
    ['before which the clock failed', { kind: 'injected', option: 'clock', problem: 'failed' }, NOT_SENT],
    ['whose reply was lost', network('maybe'), IN_DOUBT_AGAIN],
    ['that timed out', stopped('attempt_timeout', 'maybe'), IN_DOUBT_AGAIN],
    ['that timed out before it left', stopped('attempt_timeout', 'no'), NOT_SENT_AGAIN],
    ['that was aborted', stopped('aborted', 'maybe'), IN_DOUBT],
    ['that met the deadline', stopped('deadline', 'maybe'), IN_DOUBT],
    ['that was aborted before it left', stopped('aborted', 'no'), NOT_SENT],
    ['with a success that agrees with itself', replied(ok, success), DONE],
    ['with a success that is not JSON', replied(200, undefined), IN_DOUBT],
    ['with a success without its fields', replied(200, { data: {} }), IN_DOUBT],
    ['with a success that says it failed', replied(ok, { ...success, success: false }), IN_DOUBT],
    ['that was redirected', replied(302, message), IN_DOUBT],
    ['that met the rate limit', replied(429, message), IN_DOUBT_AGAIN],
    ['that met a server error', replied(503, coded('SCOPE_DENIED')), IN_DOUBT_AGAIN],
    ['that met a 408, whatever it says', replied(408, coded('SCOPE_DENIED')), IN_DOUBT],
    ['that met a 425, whatever it says', replied(425, coded('SCOPE_DENIED')), IN_DOUBT],
    ['with a status of no known kind', replied(999, message), IN_DOUBT],
    ['answered by something else', replied(403, '<html>'), IN_DOUBT],
    ['refused, yet accepted', replied(403, { ...coded('SCOPE_DENIED'), success: true }), IN_DOUBT],
    ['whose nonce was seen before', replied(409, coded('NONCE_REPLAYED')), IN_DOUBT_AGAIN],
    ['whose key holds other content', replied(409, coded('IDEMPOTENCY_CONFLICT')), IN_DOUBT],
    ['under a revoked key', replied(401, coded('KEY_REVOKED')), WITH_ANOTHER_KEY],
    ['turned away with a documented code', replied(403, coded('SCOPE_DENIED')), REFUSED],
    ['whose fields are wrong', replied(422, framework), REFUSED],
  ];

  it.each(cases)('%s is judged by what it proves', (_, end, expected) => {
    expect(verdictOf(effect, end)).toEqual(expected);
  });

  it('whose timestamp counts as expired is tried again in corrected time: only a read is refused by that', () => {
    expect(verdictOf(effect, replied(401, coded('TIMESTAMP_EXPIRED')))).toEqual({
      effect: effect === 'read' ? 'refused' : 'unknown',
      retry: true,
      remedy: 'clock',
    });
    const contradictory = { ...coded('TIMESTAMP_EXPIRED'), success: true };
    expect(verdictOf(effect, replied(401, contradictory))).toEqual(IN_DOUBT);
  });
});

describe('a bid', () => {
  const bid = (status: number, json: unknown) => verdictOf('bid', replied(status, json));
  const uncoded: Verdict = { ...IN_DOUBT, uncoded: true };

  // rule: error.rejected
  it('is rejected only where the record of the rejection comes with a 422', () => {
    const recorded = rejection({ status: 'rejected', bid_id: 'bid_3' });
    expect(bid(422, recorded)).toEqual({ effect: 'rejected', retry: false });
    for (const status of [400, 403, 409]) expect(bid(status, recorded)).toEqual(IN_DOUBT);
  });

  it('with a rejection code and no record is looked up', () => {
    expect(bid(422, coded('BID_BELOW_MINIMUM'))).toEqual(uncoded);
  });

  it('whose refusal carries the record of another state is in doubt', () => {
    expect(bid(403, { ...coded('SCOPE_DENIED'), data: { status: 'leading' } })).toEqual(IN_DOUBT);
  });

  it('with a refusal code under a status that the text does not give it is looked up', () => {
    expect(bid(404, coded('SCOPE_DENIED'))).toEqual(uncoded);
  });

  it.each([400, 401, 402, 403, 404, 405, 413])(
    'turned away by a bare %i is looked up, and not sent again',
    (status) => {
      expect(bid(status, message)).toEqual(uncoded);
      expect(bid(status, coded('SOMETHING_NEW'))).toEqual(uncoded);
    },
  );

  it.each([406, 409, 410, 418, 422])('turned away by a bare %i is in doubt', (status) => {
    expect(bid(status, message)).toEqual(IN_DOUBT);
  });
});

describe('a command', () => {
  const command = (status: number, json: unknown) => verdictOf('command', replied(status, json));

  it.each([401, 402, 403, 404, 405, 409, 413, 422])(
    'turned away by a bare %i is sent once more before that is believed',
    (status) => {
      expect(command(status, message)).toEqual({ effect: 'unknown', retry: true, uncoded: true });
    },
  );

  it.each([400, 406, 410, 418])('turned away by a bare %i is in doubt', (status) => {
    expect(command(status, message)).toEqual(IN_DOUBT);
  });

  it('has no rejections: the words of one are a refusal', () => {
    expect(command(422, rejection({ status: 'rejected' }))).toEqual(REFUSED);
  });

  it('is refused by field errors only under 422', () => {
    expect(command(422, framework)).toEqual(REFUSED);
    expect(command(400, framework)).toEqual(IN_DOUBT);
  });
});

it('a read is refused by whatever the service says with a 4xx', () => {
  for (const status of [400, 404, 409, 418, 422]) {
    expect(verdictOf('read', replied(status, message))).toEqual(REFUSED);
  }
});
