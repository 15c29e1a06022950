import { describe, expect, it } from 'vitest';
import { classify, type Evidence, rows, type Verdict } from '../../src/core/classify.js';

const replied = (status: number, over: Partial<Evidence> = {}): Evidence => ({
  stage: 'replied',
  effect: 'command',
  status,
  ...over,
});

/** Row by row: what fits it, what comes close and fits another, and what it means. */
const cases: Readonly<
  Record<
    string,
    { readonly fits: readonly Evidence[]; readonly misses: readonly Evidence[]; readonly means: Verdict }
  >
> = {
  'nothing left': {
    fits: [{ stage: 'not_sent' }, { stage: 'not_sent', effect: 'bid' }],
    misses: [{ stage: 'lost' }],
    means: { effect: 'not_sent', retry: true },
  },
  'no whole body': {
    fits: [{ stage: 'unread_body' }],
    misses: [{ stage: 'not_sent' }],
    means: { effect: 'not_sent', retry: false },
  },
  'no whole reply': {
    fits: [{ stage: 'lost' }, { stage: 'lost', effect: 'bid' }],
    misses: [{ stage: 'timed_out' }],
    means: { effect: 'unknown', retry: true },
  },
  'attempt timed out': {
    fits: [{ stage: 'timed_out' }],
    misses: [{ stage: 'not_sent' }],
    means: { effect: 'unknown', retry: true },
  },
  success: {
    fits: [replied(200, { consistent: true }), replied(299, { consistent: true })],
    misses: [replied(200), replied(300, { consistent: true }), replied(199, { consistent: true })],
    means: { effect: 'done', retry: false },
  },
  'success that does not parse': {
    fits: [replied(200), replied(201, { consistent: false })],
    misses: [replied(200, { consistent: true }), replied(302)],
    means: { effect: 'unknown', retry: false },
  },
  redirect: {
    fits: [replied(300), replied(307), replied(399)],
    misses: [replied(299), replied(400)],
    means: { effect: 'unknown', retry: false },
  },
  'a twin arrived': {
    fits: [replied(409, { codes: ['NONCE_REPLAYED'], ownShape: true })],
    misses: [replied(409, { codes: ['OTHER'], ownShape: true }), replied(409, { ownShape: true })],
    means: { effect: 'unknown', retry: true },
  },
  'key stands for other content': {
    fits: [replied(409, { keyConflict: true, ownShape: true })],
    misses: [replied(409, { ownShape: true })],
    means: { effect: 'unknown', retry: false },
  },
  'too many requests': {
    fits: [replied(429), replied(429, { ownShape: true })],
    misses: [replied(428, { ownShape: true }), replied(430)],
    means: { effect: 'unknown', retry: true },
  },
  'server failure': {
    fits: [replied(500), replied(503, { ownShape: true }), replied(599)],
    misses: [replied(499), replied(600)],
    means: { effect: 'unknown', retry: true },
  },
  'request timeout': {
    fits: [replied(408), replied(408, { ownShape: true })],
    misses: [replied(407, { ownShape: true })],
    means: { effect: 'unknown', retry: false },
  },
  'too early': {
    fits: [replied(425), replied(425, { ownShape: true })],
    misses: [replied(424, { ownShape: true })],
    means: { effect: 'unknown', retry: false },
  },
  'recorded rejection': {
    fits: [replied(422, { effect: 'bid', ownShape: true, recordedRejection: true })],
    misses: [
      replied(422, { effect: 'bid', recordedRejection: true }),
      replied(422, { effect: 'bid', ownShape: true }),
      replied(500, { effect: 'bid', ownShape: true, recordedRejection: true }),
    ],
    means: { effect: 'rejected', retry: false, settlesAll: true },
  },
  'rejection without its record': {
    fits: [replied(422, { effect: 'bid', ownShape: true, rejectionCode: true })],
    misses: [
      replied(403, { effect: 'bid', ownShape: true, rejectionCode: true }),
      replied(422, { effect: 'bid', rejectionCode: true }),
    ],
    means: { effect: 'rejected', retry: false },
  },
  'clock too far off': {
    fits: [replied(401, { codes: ['TIMESTAMP_EXPIRED'], ownShape: true })],
    misses: [
      replied(401, { codes: ['INVALID_NONCE'], ownShape: true }),
      replied(403, { codes: ['TIMESTAMP_EXPIRED'], ownShape: true }),
      replied(401, { codes: ['TIMESTAMP_EXPIRED'] }),
    ],
    means: { effect: 'refused', retry: true, remedy: 'clock' },
  },
  'key revoked': {
    fits: [replied(401, { codes: ['KEY_REVOKED'], ownShape: true })],
    misses: [
      replied(401, { codes: ['API_CLIENT_NOT_ACTIVE'], ownShape: true }),
      replied(401, { codes: ['KEY_REVOKED'] }),
    ],
    means: { effect: 'refused', retry: true, remedy: 'key' },
  },
  'turned away before it was judged': {
    fits: [replied(422, { effect: 'bid', ownShape: true, unjudged: true })],
    misses: [
      replied(422, { effect: 'bid', ownShape: true }),
      replied(422, { effect: 'bid', unjudged: true }),
      replied(409, { effect: 'bid', ownShape: true, unjudged: true }),
      replied(422, { effect: 'bid', ownShape: true, unjudged: true, rejectionCode: true }),
    ],
    means: { effect: 'refused', retry: false },
  },
  "refusal in the service's words": {
    fits: [
      replied(400, { ownShape: true }),
      replied(409, { ownShape: true }),
      replied(422, { ownShape: true }),
      ...[401, 402, 403, 404, 405, 413].map((status) => replied(status, { effect: 'bid', ownShape: true })),
    ],
    misses: [
      replied(403),
      ...[400, 409, 410, 422].map((status) => replied(status, { effect: 'bid', ownShape: true })),
    ],
    means: { effect: 'refused', retry: false },
  },
  'refusal in other words': {
    fits: [
      replied(403),
      replied(404, { effect: 'bid' }),
      replied(400, { effect: 'bid', ownShape: true }),
      replied(422, { effect: 'bid', ownShape: true }),
    ],
    misses: [replied(403, { ownShape: true }), replied(422, { ownShape: true }), replied(399), replied(500)],
    means: { effect: 'unknown', retry: false },
  },
};

const rowOf = (evidence: Evidence) => {
  const index = rows.findIndex((row) => classifiedBy(row.name, evidence));
  return rows[index]?.name;
};

/** Whether the table, cut off behind a row, still knows what to make of the evidence. */
function classifiedBy(name: string, evidence: Evidence): boolean {
  const end = rows.findIndex((row) => row.name === name) + 1;
  return classify(evidence, rows.slice(0, end)) !== classify(evidence, []);
}

describe('the table of attempts', () => {
  it('has a case for every row, and every row one name', () => {
    expect(rows.map((row) => row.name)).toEqual(Object.keys(cases));
  });

  it.each(Object.entries(cases))('%s', (name, { fits, misses, means }) => {
    for (const evidence of fits) {
      expect(rowOf(evidence), JSON.stringify(evidence)).toBe(name);
      const { effect, retry, settlesAll, remedy } = classify(evidence);
      expect({ effect, retry, ...(settlesAll && { settlesAll }), ...(remedy && { remedy }) }).toEqual(means);
    }
    for (const evidence of misses) expect(rowOf(evidence), JSON.stringify(evidence)).not.toBe(name);
  });

  it('makes of a status that no row knows the least', () => {
    for (const status of [101, 600, 999, 0]) {
      expect(classify(replied(status))).toEqual({ effect: 'unknown', retry: false });
    }
  });
});
