import { describe, expect, it } from 'vitest';
import {
  acceptance,
  bidDetail,
  html,
  LOT,
  lookup,
  lotStatus,
  messageOnly,
  NOW,
  recordedRejection,
  refusal,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

/** What a look by key (A06) does to a bid that is in doubt. */

const reset: Step = { fail: 'maybe' };
const asked = `GET /bid-requests/${KEY}`;
const sent = `POST /lots/${LOT}/bids`;

async function placed(steps: readonly Step[], maxAttempts = 1) {
  const scene = new Scene();
  const { client, transport } = scene.dealer(steps);
  const bid = { lot: LOT, amount: '465000', intentId: KEY };
  const outcome = await scene.during(client.bidding.place(bid, { maxAttempts }));
  const stored = await scene.journal.only();
  const looks = stored.entries.flatMap((entry) => (entry.type === 'look' ? [entry] : []));
  return { outcome, stored, looks, lines: transport.lines, transport, scene };
}

describe('a look that finds the bid', () => {
  it('accepted, with its receipt', async () => {
    const receipt = { bid_id: 'bid_7', status: 'accepted', of_next_year: [1] };
    const { outcome, stored, lines, looks } = await placed([reset, lookup('accepted', { receipt })]);
    expect(outcome).toEqual({
      status: 'accepted',
      call: 'bidding.place',
      lot: LOT,
      amount: '465000',
      idempotencyKey: KEY,
      codes: [],
      replayed: false,
      attempts: 1,
      bidId: 'bid_7',
      receipt,
      what: 'The service accepted this bid, as its look-up says.',
      nextStep: 'A standing is provisional: follow the lot, and wait for the sale to be approved.',
    });
    expect([stored.state, lines]).toEqual(['accepted', [sent, asked]]);
    expect(looks).toEqual([
      { type: 'look', by: 'A06', at: NOW, found: 'accepted', observedAt: NOW, record: receipt },
    ]);
  });

  it('accepted, without a receipt', async () => {
    const { outcome } = await placed([reset, lookup('accepted')]);
    expect(outcome.status).toBe('accepted');
    expect(outcome).not.toHaveProperty('bidId');
    expect(outcome).not.toHaveProperty('receipt');
  });

  it('rejected, with the codes of the receipt: nothing more is read', async () => {
    const receipt = { bid_id: 'bid_78', status: 'rejected', errors: ['LOT_NOT_LIVE', 'BID_BELOW_MINIMUM'] };
    const { outcome, stored, lines } = await placed([reset, lookup('rejected', { receipt })]);
    expect(outcome).toMatchObject({
      status: 'rejected',
      codes: ['LOT_NOT_LIVE', 'BID_BELOW_MINIMUM'],
      bidId: 'bid_78',
      receipt,
      what: expect.stringMatching(
        /^The service rejected this bid \(LOT_NOT_LIVE, BID_BELOW_MINIMUM\), as its look-up says\. The auction /,
      ),
    });
    expect([stored.state, lines]).toEqual(['rejected', [sent, asked]]);
  });

  it.each([
    ['no codes', {}],
    ['an empty list of codes', { errors: [] }],
    ['codes that are no texts', { errors: [1] }],
  ])('rejected, with %s in the receipt: they are read from the bid (A05)', async (_, over) => {
    const receipt = { bid_id: 'bid_78', status: 'rejected', ...over };
    const { outcome, lines, stored } = await placed([reset, lookup('rejected', { receipt }), bidDetail()]);
    expect(outcome).toMatchObject({
      status: 'rejected',
      codes: ['BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID'],
      bidId: 'bid_78',
    });
    expect(lines).toEqual([sent, asked, 'GET /bids/bid_78']);
    expect(stored.entries.at(-1)).toMatchObject({ codes: ['BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID'] });
  });

  it.each([
    ['can not be read', { bid_id: 'bid_78' }, [refusal(404, 'NOT_FOUND')]],
    ['has no id', null, []],
  ])('rejected, where the bid %s: it stands without its codes', async (_, receipt, more) => {
    const { outcome, stored } = await placed([reset, lookup('rejected', { receipt }), ...more]);
    expect(outcome).toMatchObject({ status: 'rejected', codes: [] });
    expect(stored.state).toBe('rejected');
  });
});

describe('a look after a rejection that came behind an attempt in doubt', () => {
  const doubted = [reset, recordedRejection(['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'])];

  it('that agrees settles it, asked once, with the codes of the rejection', async () => {
    const receipt = { bid_id: 'bid_78', status: 'rejected' };
    const { outcome, stored, lines } = await placed(
      [...doubted, lookup('rejected', { receipt }), bidDetail()],
      2,
    );
    expect(outcome).toMatchObject({
      status: 'rejected',
      codes: ['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'],
      bidId: 'bid_78',
      attempts: 2,
    });
    expect(stored.state).toBe('rejected');
    expect(lines.filter((line) => line === asked)).toHaveLength(1);
  });

  it('that finds nothing confirms nothing; nothing is sent again, and it stays open', async () => {
    const { outcome, stored, lines } = await placed(
      [...doubted, ...Array<Step>(4).fill(lookup('absent'))],
      3,
    );
    expect(outcome).toMatchObject({
      status: 'unknown',
      codes: ['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'],
      evidence: { kind: 'absent', conclusive: false },
      what: 'The service rejected this bid (BID_BELOW_MINIMUM, LOT_NOT_LIVE), but an earlier attempt is in doubt, and its look-up has not confirmed it. The service has no record of it yet; a copy that is still on its way could be let in.',
    });
    expect([stored.state, lines]).toEqual(['unknown', [sent, sent, asked, asked, asked, asked]]);
  });

  it('that finds it accepted: quarantined', async () => {
    const receipt = { bid_id: 'bid_7', status: 'accepted' };
    const { outcome, stored, lines } = await placed([...doubted, lookup('accepted', { receipt })], 3);
    expect(outcome).toMatchObject({
      status: 'unknown',
      quarantined: {
        reason: 'a rejection and an acceptance were reported for the same key',
        said: { status: 'accepted', bidId: 'bid_7', codes: [] },
      },
      what: "This bid can't be settled by itself: a rejection and an acceptance were reported for the same key. The service says: accepted (bid_7).",
    });
    expect([stored.state, lines]).toEqual(['quarantined', [sent, sent, asked]]);
  });

  it('that gives no answer changes nothing; nothing is sent again, and a later look settles it', async () => {
    const mute = Array.from({ length: 4 }, () => refusal(403, 'SCOPE_DENIED'));
    const { outcome, stored, lines, scene } = await placed([...doubted, ...mute], 3);
    expect(outcome).toMatchObject({
      status: 'unknown',
      evidence: { kind: 'lookup_failed' },
      what: 'The service rejected this bid (BID_BELOW_MINIMUM, LOT_NOT_LIVE), but an earlier attempt is in doubt, and its look-up has not confirmed it. The look-up gave no answer (HTTP 403 SCOPE_DENIED).',
    });
    expect(stored.state).toBe('unknown');
    expect(lines).toEqual([sent, sent, asked, asked, asked, asked]);

    const later = scene.dealer([lookup('rejected', { at: NOW + 60_000 })]);
    expect(await scene.during(later.client.bidding.reconcile(KEY))).toMatchObject({
      status: 'rejected',
      codes: ['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'],
    });
  });

  it('that the service is still working on is asked again', async () => {
    const { outcome, lines } = await placed([...doubted, lookup('processing'), lookup('rejected')], 3);
    expect(outcome.status).toBe('rejected');
    expect(lines).toEqual([sent, sent, asked, asked]);
  });

  it('that knows a state of next year changes nothing', async () => {
    const odd = Array.from({ length: 4 }, () => lookup('archived'));
    const { outcome, stored } = await placed([...doubted, ...odd], 2);
    expect([outcome.status, stored.state]).toEqual(['unknown', 'unknown']);
  });
});

describe('a look that finds it being worked on', () => {
  it('is repeated with growing pauses until it is known, and nothing is sent meanwhile', async () => {
    const receipt = { bid_id: 'bid_7', status: 'accepted' };
    const processing = Array.from({ length: 7 }, () => lookup('processing'));
    const { outcome, lines, scene } = await placed([reset, ...processing, lookup('accepted', { receipt })]);
    expect(outcome.status).toBe('accepted');
    expect(lines).toEqual([sent, ...Array(8).fill(asked)]);
    // 1 + 2 + 4 + 8 + 8 + 8 + 8 seconds.
    expect(scene.clock.monotonic()).toBe(39_000);
  });

  it('is given up at the deadline of the call, and says so', async () => {
    const processing = Array.from({ length: 30 }, () => lookup('processing'));
    const { outcome, stored, scene } = await placed([reset, ...processing]);
    expect(outcome).toMatchObject({
      status: 'unknown',
      evidence: { kind: 'processing', observedAt: NOW },
      what: 'This bid may or may not have been recorded (connection: scripted failure). The service is still working on it.',
    });
    expect(stored.state).toBe('unknown');
    expect(scene.clock.monotonic()).toBeLessThanOrEqual(90_000);
  });
});

describe('a look that gives no answer', () => {
  const rows: [string, Step, string][] = [
    ['401', refusal(401, 'INVALID_SIGNATURE'), 'HTTP 401 INVALID_SIGNATURE'],
    ['403', refusal(403, 'SCOPE_DENIED'), 'HTTP 403 SCOPE_DENIED'],
    ['404 with a code', refusal(404, 'NOT_FOUND'), 'HTTP 404 NOT_FOUND'],
    ['404 as a message', messageOnly(404), 'HTTP 404'],
    ['404 as HTML', html(404), 'HTTP 404'],
    ['429', messageOnly(429), 'HTTP 429'],
    ['500', messageOnly(500), 'HTTP 500'],
    ['a reset', reset, 'ConnectionError'],
    ['no connection', { fail: 'no' }, 'ConnectionError'],
    ['a reply that is no JSON', html(200), 'an unexpected reply, HTTP 200'],
    [
      'a reply without a state',
      { status: 200, json: { data: {}, server_time: 'x' } },
      'an unexpected reply, HTTP 200',
    ],
    [
      'a reply about another key',
      lookup('accepted', { key: '11111111-1111-4111-8111-111111111111' }),
      'it answered for another key',
    ],
    [
      'an acceptance whose receipt is a rejection',
      lookup('accepted', { receipt: { status: 'rejected' } }),
      'it says accepted, yet its receipt says rejected',
    ],
    [
      'a rejection whose receipt is an acceptance',
      lookup('rejected', { receipt: { status: 'accepted' } }),
      'it says rejected, yet its receipt says accepted',
    ],
  ];

  it.each(rows)('%s: no change, nothing read into it, nothing sent again', async (_, step, reason) => {
    const { outcome, stored, lines, looks } = await placed([reset, ...Array<Step>(8).fill(step)]);
    expect(outcome).toMatchObject({
      status: 'unknown',
      codes: [],
      attempts: 1,
      evidence: { kind: 'lookup_failed', reason },
    });
    expect(looks.map(({ found }) => found)).toEqual(['failed', 'failed', 'failed', 'failed']);
    expect(stored.state).toBe('unknown');
    expect(lines).toEqual([sent, asked, asked, asked, asked]);
  });

  it('is no reason to send again, also where attempts are left', async () => {
    const strange = html(403);
    const mute = Array.from({ length: 8 }, () => refusal(404, 'NOT_FOUND'));
    const { outcome, lines } = await placed([strange, ...mute], 3);
    expect(outcome.status).toBe('unknown');
    expect(lines.filter((line) => line === sent)).toHaveLength(1);
  });

  it('is followed by one that does', async () => {
    const receipt = { bid_id: 'bid_7', status: 'accepted' };
    const { outcome, looks } = await placed([
      reset,
      refusal(404, 'NOT_FOUND'),
      reset,
      lookup('accepted', { receipt }),
    ]);
    expect(outcome).toMatchObject({ status: 'accepted', bidId: 'bid_7' });
    expect(looks.map(({ found }) => found)).toEqual(['failed', 'failed', 'accepted']);
  });

  it('takes the key in whatever case the service writes it', async () => {
    const { outcome } = await placed([reset, lookup('accepted', { key: KEY.toUpperCase() })]);
    expect(outcome.status).toBe('accepted');
  });
});

describe('a look that finds nothing', () => {
  const strange = html(403);

  it('lets the same bytes be sent again while the lot is open, with a nonce of their own', async () => {
    const { outcome, lines, transport } = await placed(
      [strange, lookup('absent'), lotStatus(NOW + 60_000), acceptance()],
      3,
    );
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 2 });
    expect(lines).toEqual([sent, asked, `GET /lots/${LOT}/status`, sent]);
    const [one, two] = transport.sent.filter(({ method }) => method === 'POST');
    expect(two?.body).toBe(one?.body);
    expect(two?.headers['X-Nonce']).not.toBe(one?.headers['X-Nonce']);
  });

  it('does not where the lot says that it has closed, and not at a later look either', async () => {
    const { outcome, lines, stored, scene } = await placed(
      [strange, lookup('absent'), lotStatus(NOW), ...Array<Step>(4).fill(lookup('absent'))],
      3,
    );
    expect(outcome).toMatchObject({ status: 'unknown', evidence: { kind: 'absent', conclusive: false } });
    expect(lines.filter((line) => line === sent)).toHaveLength(1);
    expect(stored.entries.at(-1)).toMatchObject({
      type: 'look',
      by: 'A10',
      found: 'closed',
      observedAt: NOW,
    });

    const again = scene.dealer(Array<Step>(8).fill(lookup('absent')));
    const second = again.client.bidding.place({ lot: LOT, amount: '465000', intentId: KEY });
    expect((await scene.during(second)).status).toBe('unknown');
    expect(again.transport.lines).toEqual(Array(4).fill(asked));
  });

  it.each([
    ['one ms before its close', lotStatus(NOW + 1), true],
    ['at its close', lotStatus(NOW), false],
  ])('asks the lot by the time of the service: %s', async (_, status, resends) => {
    const { lines } = await placed([strange, lookup('absent'), status, acceptance()], 3);
    expect(lines.filter((line) => line === sent)).toHaveLength(resends ? 2 : 1);
  });

  it.each([
    ['fails', refusal(403, 'SCOPE_DENIED')],
    ['states no close', lotStatus(null)],
  ])('goes by the deadline of the bid where the look at the lot %s', async (_, status) => {
    const { outcome, lines } = await placed([strange, lookup('absent'), status, acceptance()], 3);
    expect(outcome.status).toBe('accepted');
    expect(lines.filter((line) => line === sent)).toHaveLength(2);
  });

  it('sends no more often than the call may', async () => {
    const round = [strange, lookup('absent'), lotStatus(NOW + 600_000)];
    const { outcome, lines } = await placed(
      [...round, ...round, ...Array<Step>(9).fill(lookup('absent'))],
      2,
    );
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 2, evidence: { kind: 'absent' } });
    expect(lines.filter((line) => line === sent)).toHaveLength(2);
  });

  it('does not send once more what the service has just turned away, for each attempt moves the fence', async () => {
    const open = lotStatus(NOW + 600_000);
    const refused = refusal(403, 'AUCTION_ACCESS_DENIED');
    const { outcome, lines } = await placed(
      [strange, lookup('absent'), open, refused, ...Array<Step>(9).fill(lookup('absent'))],
      5,
    );
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 2, evidence: { kind: 'absent' } });
    expect(lines.filter((line) => line === sent)).toHaveLength(2);
  });

  it('tells how far the evidence goes', async () => {
    const { outcome } = await placed([reset, ...Array<Step>(4).fill(lookup('absent', { at: NOW + 1_000 }))]);
    expect(outcome).toEqual({
      status: 'unknown',
      call: 'bidding.place',
      lot: LOT,
      amount: '465000',
      idempotencyKey: KEY,
      codes: [],
      replayed: false,
      attempts: 1,
      evidence: { kind: 'absent', conclusive: false, observedAt: NOW + 1_000, fenceAt: NOW + 300_000 },
      what: 'This bid may or may not have been recorded (connection: scripted failure). The service has no record of it yet; a copy that is still on its way could be let in.',
      nextStep:
        "Reconcile it by its key after 2026-03-02T06:05:00.000Z server time, or place the same bid again under its key (as intentId), which can't double it; don't bid anew before that.",
    });
  });
});
