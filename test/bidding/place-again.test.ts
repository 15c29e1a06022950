import { describe, expect, it } from 'vitest';
import { namespaceOf } from '../../src/intents/intent.js';
import {
  acceptance,
  html,
  LOT,
  lookup,
  lotStatus,
  NOW,
  recordedRejection,
  refusal,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { MortalClock } from '../support/mortal-clock.js';
import type { Step } from '../support/scripted-transport.js';

/** The same bid, placed again: under its key it stays one bid, whatever became of it. */

const bid = { lot: LOT, amount: '465000', intentId: KEY };
const sent = `POST /lots/${LOT}/bids`;
const asked = `GET /bid-requests/${KEY}`;
const mute = (count: number) => Array<Step>(count).fill(refusal(403, 'SCOPE_DENIED'));

/** A bid that came to something, in a process that is gone. */
async function earlier(steps: readonly Step[], options: object = { maxAttempts: 1, deadline: 500 }) {
  const scene = new Scene();
  const { client, transport } = scene.dealer(steps);
  const first = await scene.during(client.bidding.place(bid, options));
  scene.events.length = 0;
  return { scene, first, bodies: transport.bodies };
}

describe('a bid that the service judged', () => {
  it.each([
    ['accepted', acceptance()],
    ['rejected', recordedRejection(['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE'])],
  ])('%s: answered from the journal, word for word, and nothing is sent', async (status, step) => {
    const { scene, first } = await earlier([step]);
    const again = scene.dealer();
    const outcome = await scene.during(again.client.bidding.place(bid));
    expect(outcome).toEqual(first);
    expect(outcome.status).toBe(status);
    expect(again.transport.sent).toEqual([]);
    expect(scene.events).toEqual([]);
  });

  it('answers although the bid would be refused by now: rules are not judged again', async () => {
    const { scene } = await earlier([acceptance()]);
    const again = scene.dealer();
    const outcome = await scene.during(again.client.bidding.place({ ...bid, placeBy: NOW - 1 }));
    expect(outcome.status).toBe('accepted');
    expect(again.transport.sent).toEqual([]);
  });

  it('answers under either name of the key', async () => {
    const { scene, first } = await earlier([acceptance()]);
    const again = scene.dealer();
    const { intentId: _, ...unnamed } = bid;
    expect(await scene.during(again.client.bidding.place(unnamed, { idempotencyKey: KEY }))).toEqual(first);
    expect(await scene.during(again.client.bidding.place(bid, { idempotencyKey: KEY }))).toEqual(first);
    expect(again.transport.sent).toEqual([]);
  });
});

describe('a bid of which nothing is recorded', () => {
  it.each([
    ['refused', refusal(403, 'SCOPE_DENIED')],
    ['not sent', { fail: 'no' } as Step],
  ])('%s: sent again with the same bytes', async (_, step) => {
    const { scene, bodies } = await earlier([step]);
    const again = scene.dealer([acceptance()]);
    const outcome = await scene.during(again.client.bidding.place(bid));
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 2 });
    expect(again.transport.bodies).toEqual(bodies);
    expect(scene.events).toEqual([
      'append prepared [renewed]',
      'append unknown [attempt]',
      `send ${sent}`,
      'append accepted [end] unwaited',
    ]);
  });

  it('is in doubt again where that leaves it so, with its bytes for a recovery', async () => {
    const { scene, bodies } = await earlier([refusal(403, 'SCOPE_DENIED')]);
    const again = scene.dealer([{ fail: 'maybe' }]);
    await scene.during(again.client.bidding.place(bid, { maxAttempts: 1, deadline: 500 }));
    const stored = await scene.journal.only();
    expect(stored.state).toBe('unknown');
    expect([stored.intent.body.text]).toEqual(bodies);
  });

  it('keeps its own deadline while that lasts, and has the one of the new call afterwards', async () => {
    const { scene } = await earlier([refusal(403, 'SCOPE_DENIED')]);
    await scene.clock.advance(60_000);
    const soon = scene.dealer([refusal(403, 'SCOPE_DENIED')]);
    await scene.during(soon.client.bidding.place(bid));
    const renewals = async () =>
      (await scene.journal.only()).entries.flatMap((entry) =>
        entry.type === 'word' && entry.word === 'renewed' ? [entry.placeBy] : [],
      );
    expect(await renewals()).toEqual([NOW + 120_000]);
    await scene.clock.advance(600_000);
    const at = scene.clock.now();
    const late = scene.dealer(mute(2));
    await scene.during(late.client.bidding.place(bid));
    await scene.during(late.client.bidding.place({ ...bid, placeBy: at + 9_000 }));
    expect(await renewals()).toEqual([NOW + 120_000, at + 120_000, at + 9_000]);
    expect(late.transport.sent).toHaveLength(2);
  });

  it('is not sent where the new deadline has passed, too; and is what it was', async () => {
    const { scene } = await earlier([refusal(403, 'SCOPE_DENIED')]);
    const again = scene.dealer();
    const outcome = await scene.during(again.client.bidding.place({ ...bid, placeBy: NOW - 1 }));
    expect(outcome).toMatchObject({ status: 'refused', codes: ['SCOPE_DENIED'] });
    expect((await scene.journal.only()).state).toBe('refused');
    expect(again.transport.sent).toEqual([]);
  });

  it('found prepared after a crash is sent by the deadline of the new call', async () => {
    const scene = new Scene();
    const gone = scene.dealer([], { quota: { limit: 1, scope: 'client' } });
    await scene.during(
      gone.client.bidding.place({ lot: 'lot_0', amount: '1' }, { deadline: 100, maxAttempts: 1 }),
    );
    // It queues for its turn, and its process dies there.
    void gone.client.bidding.place(bid, { deadline: 50_000 });
    await scene.clock.advance(1);
    expect((await scene.journal.all()).map(({ state }) => state)).toEqual(['unknown', 'prepared']);
    const dead = scene.journal;
    await scene.clock.advance(0);
    const crashed = new Scene();
    for (const { intent, entries, state } of await dead.all()) {
      await crashed.journal.create(
        intent,
        { entries, state },
        { owner: 'gone', ttlMs: 1 },
        { exclusive: false },
      );
    }
    await crashed.clock.advance(3_600_000);
    const again = crashed.dealer([acceptance()]);
    expect(await crashed.during(again.client.bidding.place(bid))).toMatchObject({
      status: 'accepted',
      attempts: 1,
    });
    expect(again.transport.lines).toEqual([sent]);
  });
});

describe('a bid that is in doubt', () => {
  const doubted = () => earlier([{ fail: 'maybe' }]);

  it('is looked for first, and not sent where it is found', async () => {
    const { scene } = await doubted();
    const receipt = { bid_id: 'bid_7', status: 'accepted' };
    const again = scene.dealer([lookup('accepted', { receipt })]);
    expect(await scene.during(again.client.bidding.place(bid))).toMatchObject({
      status: 'accepted',
      bidId: 'bid_7',
    });
    expect(again.transport.lines).toEqual([asked]);
  });

  it('is sent again with the same bytes where nothing is found and the lot is open', async () => {
    const { scene, bodies } = await doubted();
    const again = scene.dealer([
      lookup('absent'),
      lotStatus(NOW + 60_000),
      acceptance({ replayed: true }, 200),
    ]);
    expect(await scene.during(again.client.bidding.place(bid))).toMatchObject({
      status: 'accepted',
      replayed: true,
      attempts: 2,
    });
    expect(again.transport.lines).toEqual([asked, `GET /lots/${LOT}/status`, sent]);
    expect(again.transport.bodies).toEqual(bodies);
  });

  it('stays in doubt where nobody can look, and is not sent', async () => {
    const { scene } = await doubted();
    const again = scene.dealer(mute(4));
    expect(await scene.during(again.client.bidding.place(bid))).toMatchObject({
      status: 'unknown',
      attempts: 1,
    });
    expect(again.transport.lines).toEqual(Array(4).fill(asked));
  });

  it('is only looked for once its own deadline has passed, whatever deadline the new call names', async () => {
    const { scene } = await doubted();
    await scene.clock.advance(120_001);
    const again = scene.dealer(Array<Step>(4).fill(lookup('absent')));
    const placeBy = scene.clock.now() + 60_000;
    expect((await scene.during(again.client.bidding.place({ ...bid, placeBy }))).status).toBe('unknown');
    expect(again.transport.lines).toEqual(Array(4).fill(asked));
  });
});

describe('a bid that is nobody else to settle', () => {
  it('quarantined: told from the journal, and nothing is sent', async () => {
    const { scene, first } = await earlier([refusal(409, 'IDEMPOTENCY_CONFLICT')]);
    const again = scene.dealer();
    expect(await scene.during(again.client.bidding.place(bid))).toEqual(first);
    expect(first).toMatchObject({ quarantined: {} });
    expect(again.transport.sent).toEqual([]);
  });

  it('abandoned: told from the journal, and nothing is sent', async () => {
    const { scene } = await earlier([{ fail: 'maybe' }]);
    const again = scene.dealer();
    await scene.during(again.client.bidding.abandon(KEY, 'the buyer has gone'));
    expect(await scene.during(again.client.bidding.place(bid))).toMatchObject({
      status: 'unknown',
      what: 'This bid was abandoned while its outcome was unknown.',
    });
    expect(again.transport.sent).toEqual([]);
  });
});

describe('other bytes under a key that is known', () => {
  const others: [string, object, string][] = [
    ['another amount', { amount: '470000' }, 'amount'],
    ['the same amount in other words', { amount: '465000.00' }, 'amount'],
    ['another lot', { lot: 'lot_other' }, 'lot'],
    ['another dealer', { dealerId: 'D-9' }, 'dealerId'],
    ['another lot and amount', { lot: 'lot_other', amount: '470000' }, 'lot, amount'],
    [
      'another time of the buyer',
      { clientBidTime: '2026-03-02T06:00:00Z' },
      'another field, such as clientBidTime',
    ],
  ];
  const states: [string, Step][] = [
    ['accepted', acceptance()],
    ['refused', refusal(403, 'SCOPE_DENIED')],
    ['in doubt', { fail: 'maybe' }],
  ];

  it.each(
    states.flatMap(([state, step]) =>
      others.map(([name, other, differing]) => [state, name, step, other, differing] as const),
    ),
  )('(%s), %s: refused here, before the service has to', async (_, __, step, other, differing) => {
    const { scene } = await earlier([step]);
    const before = await scene.journal.all();
    const again = scene.dealer([acceptance()]);
    const error = await rejection(scene.during(again.client.bidding.place({ ...bid, ...other })));
    expect(error).toMatchObject({
      name: 'IdempotencyConflictError',
      outcome: 'not_sent',
      idempotencyKey: KEY,
      codes: ['IDEMPOTENCY_CONFLICT'],
    });
    expect(String(error)).toContain(
      `other content under this key (465000 on lot ${LOT}); what differs: ${differing}. Nothing was sent.`,
    );
    expect(again.transport.sent).toEqual([]);
    expect(await scene.journal.all()).toEqual(before);
  });

  it('another buyer', async () => {
    const scene = new Scene();
    const one = scene.platform([acceptance()]);
    await scene.during(one.client.bidding.place({ ...bid, bidderReference: 'a' }));
    expect(
      await rejection(scene.during(one.client.bidding.place({ ...bid, bidderReference: 'b' }))),
    ).toMatchObject({ name: 'IdempotencyConflictError' });
    expect(one.transport.sent).toHaveLength(1);
  });
});

describe('two calls for the same bid at once', () => {
  it('in one client: the second waits, and is answered from the journal', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    const [one, two] = await scene.during(
      Promise.all([client.bidding.place(bid), client.bidding.place(bid)]),
    );
    expect(one).toEqual(two);
    expect(one.status).toBe('accepted');
    expect(transport.lines).toEqual([sent]);
  });

  it('in a client and one derived from it: the same', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    const derived = client.withOptions({ timeout: 1_000 });
    const outcomes = await scene.during(Promise.all([client.bidding.place(bid), derived.bidding.place(bid)]));
    expect(outcomes.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    expect(transport.lines).toEqual([sent]);
  });

  it('in one client, with other bytes: the second is refused', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    const one = client.bidding.place(bid);
    const two = rejection(client.bidding.place({ ...bid, amount: '470000' }));
    expect((await scene.during(one)).status).toBe('accepted');
    expect(await scene.during(two)).toMatchObject({ name: 'IdempotencyConflictError' });
    expect(transport.lines).toEqual([sent]);
  });

  it('in two processes over one journal: one sends, the other waits for its lease', async () => {
    const scene = new Scene();
    const one = scene.dealer([acceptance()]);
    const two = scene.dealer([acceptance()]);
    const outcomes = await scene.during(
      Promise.all([one.client.bidding.place(bid), two.client.bidding.place(bid)]),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['accepted', 'accepted']);
    expect([...one.transport.lines, ...two.transport.lines]).toEqual([sent]);
    expect(scene.events.filter((event) => event.startsWith('send'))).toHaveLength(1);
  });

  it('in two processes, with other bytes, racing for the key: one is refused', async () => {
    const scene = new Scene();
    const one = scene.dealer([acceptance()]);
    const two = scene.dealer([acceptance()]);
    const first = one.client.bidding.place(bid);
    const second = rejection(two.client.bidding.place({ ...bid, lot: 'lot_other' }));
    expect((await scene.during(first)).status).toBe('accepted');
    expect(await scene.during(second)).toMatchObject({ name: 'IdempotencyConflictError' });
    expect(two.transport.sent).toEqual([]);
  });

  it('in two processes, where the first is slow: the second tells that it is at work', async () => {
    const scene = new Scene();
    const one = scene.dealer([{ hang: true }]);
    const two = scene.dealer([acceptance()]);
    const slow = one.client.bidding.place(bid, { maxAttempts: 1, timeout: 60_000 });
    await scene.clock.advance(1);
    const outcome = await scene.during(two.client.bidding.place(bid, { deadline: 2_000 }));
    expect(outcome).toMatchObject({
      status: 'unknown',
      attempts: 1,
      nextStep: 'Another call or process is at work on it: ask again when it has finished.',
    });
    expect(two.transport.sent).toEqual([]);
    await scene.during(slow);
  });

  it('in two processes, where the first is still waiting for its turn: the second does not call it unsent', async () => {
    const scene = new Scene();
    const one = scene.dealer([acceptance({ bid_id: 'b0' }), acceptance()], {
      quota: { limit: 1, scope: 'client' },
    });
    await scene.during(one.client.bidding.place({ lot: 'lot_0', amount: '1' }));
    const queued = one.client.bidding.place(bid, { deadline: 90_000 });
    await scene.clock.advance(1);
    const two = scene.dealer([acceptance()]);
    expect(await scene.during(two.client.bidding.place(bid, { deadline: 2_000 }))).toMatchObject({
      status: 'unknown',
      what: 'This bid may be sent at any moment.',
      nextStep: 'Another call or process is at work on it: ask again when it has finished.',
    });
    expect(two.transport.sent).toEqual([]);
    expect((await scene.during(queued)).status).toBe('accepted');
  });

  it('in one client, where the first is slow: the second ends with its own deadline, and with abort', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }]);
    const slow = client.bidding.place(bid, { maxAttempts: 1, timeout: 60_000, deadline: 60_000 });
    await scene.clock.advance(1);
    const abort = new AbortController();
    const aborted = client.bidding.place(bid, { signal: abort.signal });
    const late = client.bidding.place(bid, { deadline: 2_000 });
    abort.abort();
    const expected = {
      status: 'unknown',
      idempotencyKey: KEY,
      what: 'This call sent nothing: its time was up before another call had finished with this bid.',
    };
    expect(await aborted).toMatchObject(expected);
    expect(await scene.during(late)).toMatchObject(expected);
    expect(scene.clock.monotonic()).toBeLessThan(5_000);
    await scene.during(slow);
    expect(transport.lines.filter((line) => line === sent)).toHaveLength(1);
  });

  it('who gives up waiting lets nobody past the first', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ stall: 201 }, lookup('accepted')]);
    const slow = client.bidding.place(bid, { maxAttempts: 1, timeout: 10_000 });
    await scene.clock.advance(1);
    await scene.during(client.bidding.place(bid, { deadline: 1_000 }));
    const third = client.bidding.place(bid);
    await scene.clock.advance(1_000);
    expect(transport.lines).toEqual([sent]);
    expect((await scene.during(third)).status).toBe('accepted');
    await slow;
    expect(transport.lines).toEqual([sent, asked]);
  });
});

describe('a lease', () => {
  it('is given back at the end of a call, so that others need not wait', async () => {
    const { scene } = await earlier([{ fail: 'maybe' }]);
    expect(await scene.journal.only()).not.toHaveProperty('lease');
  });

  it('is renewed as long as the call is at work, and runs out soon after its process has gone', async () => {
    const scene = new Scene();
    const clock = new MortalClock(scene.clock);
    const { client } = scene.dealer([{ hang: true }], { clock });
    void client.bidding.place(bid, { deadline: 60_000, timeout: 60_000 });
    const leftMs = async () => (await scene.journal.only()).lease?.leftMs;
    await scene.clock.advance(4_000);
    expect(await leftMs()).toBe(11_000);
    await scene.clock.advance(28_000);
    expect(await leftMs()).toBe(13_000);
    clock.die();
    await scene.clock.advance(13_000);
    expect(await leftMs()).toBeUndefined();
  });

  it('is not renewed over what somebody else has written meanwhile', async () => {
    const scene = new Scene();
    const clock = new MortalClock(scene.clock);
    const { client, transport } = scene.dealer([{ hang: true }, acceptance()], { clock });
    const placing = client.bidding.place(bid, { deadline: 90_000, timeout: 40_000 });
    await scene.clock.advance(1_000);
    clock.die();
    await scene.clock.advance(20_000);
    const { intent } = await scene.journal.only();
    const id = { namespace: namespaceOf(intent.account), key: KEY };
    const taken = await scene.journal.claim(id, { owner: 'two', ttlMs: 1_000 });
    if (taken.kind !== 'claimed') throw new Error('still held');
    const word = { type: 'word', word: 'abandoned', at: NOW, reason: 'It is not wanted.' } as const;
    await scene.journal.append(id, taken.held.fence, { entries: [word], state: 'abandoned' });
    await scene.journal.release(id, taken.held.fence);
    clock.wake();
    expect((await scene.during(placing)).status).toBe('unknown');
    expect(transport.lines.filter((line) => line.startsWith('POST'))).toHaveLength(1);
    expect((await scene.journal.only()).state).toBe('abandoned');
  });

  it('that is got too late for a caller who has gone is given back', async () => {
    const { scene } = await earlier([{ fail: 'maybe' }]);
    const { intent } = await scene.journal.only();
    const id = { namespace: namespaceOf(intent.account), key: KEY };
    let open: () => void = () => undefined;
    scene.journal.trouble({ method: 'claim', until: new Promise<void>((resolve) => (open = resolve)) });
    const { client } = scene.dealer(mute(4));
    const abort = new AbortController();
    const placing = client.bidding.place(bid, { signal: abort.signal });
    await scene.clock.advance(1);
    abort.abort();
    expect((await scene.during(placing)).status).toBe('unknown');
    open();
    await scene.clock.advance(1);
    expect((await scene.journal.claim(id, { owner: 'other', ttlMs: 1 })).kind).toBe('claimed');
  });

  it('of a process that is gone runs out, and then the bid is settled by another', async () => {
    const { scene } = await earlier([{ fail: 'maybe' }]);
    const { intent } = await scene.journal.only();
    await scene.journal.claim(
      { namespace: namespaceOf(intent.account), key: KEY },
      { owner: 'gone', ttlMs: 30_000 },
    );
    const { client } = scene.dealer([lookup('accepted')]);
    const placing = client.bidding.place(bid);
    await scene.clock.advance(29_000);
    expect((await scene.journal.only()).lease?.owner).toBe('gone');
    expect((await scene.during(placing)).status).toBe('accepted');
  });
});

describe('a bid whose key is not given', () => {
  it('has one of its own each time', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance(), acceptance({ bid_id: 'bid_78' })]);
    const { intentId: _, ...unnamed } = bid;
    const one = await scene.during(client.bidding.place(unnamed));
    const two = await scene.during(client.bidding.place(unnamed));
    expect([one.idempotencyKey, two.idempotencyKey]).toEqual([
      '00000000-0000-4000-8000-000000000001',
      '00000000-0000-4000-8000-000000000002',
    ]);
    expect(transport.lines).toEqual([sent, sent]);
  });

  it('is not asked for in the journal', async () => {
    const scene = new Scene();
    scene.journal.trouble({ method: 'find' });
    const { client } = scene.dealer([acceptance()]);
    const { intentId: _, ...unnamed } = bid;
    expect((await scene.during(client.bidding.place(unnamed))).status).toBe('accepted');
  });
});

it('a reply that was garbled is settled by the next call', async () => {
  const { scene, first } = await earlier([html(200)]);
  expect(first.status).toBe('unknown');
  const receipt = { bid_id: 'bid_7', status: 'accepted' };
  const again = scene.dealer([lookup('accepted', { receipt })]);
  expect(await scene.during(again.client.bidding.place(bid))).toMatchObject({
    status: 'accepted',
    bidId: 'bid_7',
  });
});
