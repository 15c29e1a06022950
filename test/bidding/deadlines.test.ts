import { describe, expect, it } from 'vitest';
import {
  acceptance,
  html,
  iso,
  LOT,
  lookup,
  lotStatus,
  messageOnly,
  NOW,
  refusal,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

/** A deadline stands on every bid; past it, nothing leaves any more. And a call has its own, and can be aborted. */

const sent = `POST /lots/${LOT}/bids`;
const asked = `GET /bid-requests/${KEY}`;
const bid = { lot: LOT, amount: '465000', intentId: KEY };
const mute = (count: number) => Array<Step>(count).fill(refusal(403, 'SCOPE_DENIED'));

async function placeByOf(over: object): Promise<number | undefined> {
  const scene = new Scene();
  const { client } = scene.dealer([acceptance()]);
  await scene.during(client.bidding.place({ ...bid, ...over }));
  return (await scene.journal.only()).intent.bid?.placeBy;
}

describe('the deadline of a bid', () => {
  const soon = NOW + 120_000;

  it.each([
    ['two minutes where no close is known', {}, soon],
    [
      'two minutes where the close is later',
      { lot: { lot_id: LOT, effective_close_at: iso(NOW + 600_000) } },
      soon,
    ],
    [
      'the close of the lot where that is earlier',
      { lot: { lot_id: LOT, effective_close_at: iso(NOW + 30_000) } },
      NOW + 30_000,
    ],
    [
      'the close in a lot summary',
      { lot: { id: LOT, starting_price: '1.00', ends_at: iso(NOW + 30_000) } },
      NOW + 30_000,
    ],
    ['the close of the event', { event: { bid_increment: '0', ends_at: iso(NOW + 30_000) } }, NOW + 30_000],
    [
      'the close of the lot rather than that of the event',
      {
        lot: { lot_id: LOT, effective_close_at: iso(NOW + 40_000) },
        event: { bid_increment: '0', ends_at: iso(NOW + 30_000) },
      },
      NOW + 40_000,
    ],
    [
      'two minutes where the record is so old that its close has passed',
      { event: { bid_increment: '0', ends_at: iso(NOW) } },
      soon,
    ],
    ['two minutes where the close can not be read', { event: { bid_increment: '0', ends_at: 'soon' } }, soon],
    ['the one that is given, as a number', { placeBy: NOW + 7 }, NOW + 7],
    ['the one that is given, as a Date', { placeBy: new Date(NOW + 7) }, NOW + 7],
    ['the one that is given, as text', { placeBy: '2026-03-02T11:30:07+05:30' }, NOW + 7_000],
    [
      'the one that is given, later than the close',
      { placeBy: NOW + 900_000, event: { bid_increment: '0', ends_at: iso(NOW + 1) } },
      NOW + 900_000,
    ],
  ])('is %s', async (_, over, expected) => {
    expect(await placeByOf(over)).toBe(expected);
  });

  it('is in server time: that of the machine may be off', async () => {
    const scene = new Scene();
    const away = 600_000;
    const { client } = scene.dealer([
      {
        status: 401,
        json: {
          success: false,
          code: 'TIMESTAMP_EXPIRED',
          message: 'x',
          data: null,
          timestamp: iso(NOW + away),
        },
      },
      acceptance(),
    ]);
    await scene.during(client.bids.get('bid_1', { maxAttempts: 1 }).catch(() => undefined));
    await scene.during(client.bidding.place(bid));
    expect((await scene.journal.only()).intent.bid?.placeBy).toBe(NOW + away + 120_000);
  });

  it.each([
    ['in the past', { placeBy: NOW - 1 }],
    ['right now', { placeBy: NOW }],
  ])('%s: not sent, and not written', async (_, over) => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    expect(await scene.during(client.bidding.place({ ...bid, ...over }))).toMatchObject({
      status: 'not_sent',
      attempts: 0,
    });
    expect(transport.sent).toEqual([]);
    expect(await scene.journal.all()).toEqual([]);
  });

  it('a moment ahead is still sent', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([acceptance()]);
    expect((await scene.during(client.bidding.place({ ...bid, placeBy: NOW + 1 }))).status).toBe('accepted');
  });

  it('that passes while it waits for its turn: not sent', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance(), acceptance()], {
      quota: { limit: 1, scope: 'client' },
    });
    await scene.during(client.bidding.place({ lot: 'lot_0', amount: '1' }));
    const outcome = await scene.during(client.bidding.place({ ...bid, placeBy: NOW + 20_000 }));
    expect(outcome).toMatchObject({ status: 'not_sent', attempts: 0 });
    expect(scene.clock.monotonic()).toBe(20_000);
    expect(transport.sent).toHaveLength(1);
    expect((await scene.journal.all())[1]).toMatchObject({
      state: 'not_sent',
      entries: [{ word: 'withdrawn' }],
    });
  });

  it('that passes while it is being written down: not sent', async () => {
    const scene = new Scene();
    let open: () => void = () => undefined;
    scene.journal.trouble({ method: 'create', until: new Promise<void>((resolve) => (open = resolve)) });
    const { client, transport } = scene.dealer([acceptance()]);
    const placing = client.bidding.place({ ...bid, placeBy: NOW + 2_000 });
    await scene.clock.advance(2_000);
    open();
    expect(await scene.during(placing)).toMatchObject({ status: 'not_sent' });
    expect(transport.sent).toEqual([]);
    expect(await scene.journal.only()).toMatchObject({
      state: 'not_sent',
      entries: [{ attempt: 1 }, { effect: 'not_sent' }],
    });
  });

  it('that a wait before the next attempt would pass: no next attempt, only looks', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([messageOnly(503, { 'retry-after': '10' }), ...mute(4)]);
    const outcome = await scene.during(client.bidding.place({ ...bid, placeBy: NOW + 10_000 }));
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 1 });
    expect(transport.lines).toEqual([sent, asked, asked, asked, asked]);
  });

  it('that passes while an attempt is on its way does not end that attempt', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }, ...mute(4)]);
    const outcome = await scene.during(client.bidding.place({ ...bid, placeBy: NOW + 1_000 }));
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 1 });
    // The attempt had its 15 s; nothing was sent after it.
    expect(transport.lines.filter((line) => line === sent)).toHaveLength(1);
    expect((await scene.journal.only()).entries[1]).toMatchObject({ type: 'end', at: NOW + 15_000 });
  });

  it('past which it is in doubt: looked for, and not sent again though nothing is found', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([
      html(403),
      refusal(403, 'x'),
      lookup('absent'),
      lotStatus(NOW + 60_000),
    ]);
    // The first look fails, the second comes a second later.
    const outcome = await scene.during(client.bidding.place({ ...bid, placeBy: NOW + 1_000 }));
    expect(outcome.status).toBe('unknown');
    expect(transport.lines.filter((line) => line === sent)).toHaveLength(1);
  });
});

describe('the deadline of a call', () => {
  it('ends the looking, not the bid: what is known by then is told', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([
      { fail: 'maybe' },
      ...Array<Step>(9).fill(lookup('processing')),
    ]);
    const outcome = await scene.during(client.bidding.place(bid, { maxAttempts: 1, deadline: 4_000 }));
    expect(outcome).toMatchObject({ status: 'unknown', evidence: { kind: 'processing' } });
    expect(scene.clock.monotonic()).toBeLessThanOrEqual(4_000);
    expect(transport.lines).toEqual([sent, asked, asked, asked]);
    expect((await scene.journal.only()).state).toBe('unknown');
  });

  it('while it waits for its turn: not sent', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([acceptance(), acceptance()], { quota: { limit: 1, scope: 'client' } });
    await scene.during(client.bidding.place({ lot: 'lot_0', amount: '1' }));
    const outcome = await scene.during(client.bidding.place(bid, { deadline: 3_000 }));
    expect(outcome).toMatchObject({
      status: 'not_sent',
      what: 'Nothing of this bid was sent (the deadline of the call passed before it could be sent).',
      nextStep: 'If it is still wanted, place the same bid again under its key (as intentId).',
    });
    expect(scene.clock.monotonic()).toBe(3_000);
  });

  it('holds for a hanging attempt', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ hang: true }]);
    expect((await scene.during(client.bidding.place(bid, { deadline: 2_000 }))).status).toBe('unknown');
    expect(scene.clock.monotonic()).toBe(2_000);
  });
});

describe('abort', () => {
  /** Aborts when `when` is reached; the outcome, and how long it took in ms. */
  async function aborted(
    scene: Scene,
    placing: (signal: AbortSignal) => Promise<{ status: string }>,
    afterMs: number,
  ) {
    const abort = new AbortController();
    const promise = placing(abort.signal);
    await scene.clock.advance(afterMs);
    const at = scene.clock.monotonic();
    abort.abort(new Error('the buyer left'));
    const outcome = await scene.during(promise);
    return { outcome, tookMs: scene.clock.monotonic() - at };
  }

  it('before it began, without a key: not sent', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    const signal = AbortSignal.abort();
    const outcome = await scene.during(client.bidding.place({ lot: LOT, amount: '1' }, { signal }));
    expect(outcome).toMatchObject({ status: 'not_sent', attempts: 0 });
    expect(transport.sent).toEqual([]);
    expect(await scene.journal.all()).toEqual([]);
  });

  it('before it began, with a key that may be known: this call can not say', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    const outcome = await scene.during(client.bidding.place(bid, { signal: AbortSignal.abort() }));
    expect(outcome).toEqual({
      status: 'unknown',
      call: 'bidding.place',
      lot: LOT,
      amount: '465000',
      idempotencyKey: KEY,
      codes: [],
      replayed: false,
      attempts: 0,
      what: 'This call sent nothing: its time was up before the journal could say whether this key is on record.',
      nextStep:
        'Ask again under its key (bidding.reconcile), or, with a longer deadline, place the same bid again under its key (as intentId).',
    });
    expect(transport.sent).toEqual([]);
  });

  it('while it waits for its turn: not sent, and withdrawn', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance(), acceptance()], {
      quota: { limit: 1, scope: 'client' },
    });
    await scene.during(client.bidding.place({ lot: 'lot_0', amount: '1' }));
    const { outcome, tookMs } = await aborted(
      scene,
      (signal) => client.bidding.place(bid, { signal }),
      5_000,
    );
    expect([outcome.status, tookMs]).toEqual(['not_sent', 0]);
    expect((await scene.journal.all())[1]?.state).toBe('not_sent');
    expect(transport.sent).toHaveLength(1);
  });

  it('in flight: unknown, on record, and nothing more is asked', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }]);
    const { outcome, tookMs } = await aborted(
      scene,
      (signal) => client.bidding.place(bid, { signal }),
      5_000,
    );
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 1 });
    expect(tookMs).toBe(0);
    expect(transport.lines).toEqual([sent]);
    const stored = await scene.journal.only();
    expect(stored).toMatchObject({
      state: 'unknown',
      entries: [{ attempt: 1 }, { effect: 'in_doubt', reason: 'aborted' }],
    });
    expect(stored).not.toHaveProperty('lease');
  });

  it('between two attempts: unknown', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([messageOnly(503, { 'retry-after': '30' })]);
    const { outcome, tookMs } = await aborted(
      scene,
      (signal) => client.bidding.place(bid, { signal }),
      5_000,
    );
    expect([outcome.status, tookMs]).toEqual(['unknown', 0]);
    expect(transport.lines).toEqual([sent]);
  });

  it('while it is looked for, and between two looks: unknown', async () => {
    for (const step of [{ hang: true } as Step, lookup('processing')]) {
      const scene = new Scene();
      const { client } = scene.dealer([{ fail: 'maybe' }, step]);
      const { outcome, tookMs } = await aborted(
        scene,
        (signal) => client.bidding.place(bid, { signal, maxAttempts: 1 }),
        500,
      );
      expect([outcome.status, tookMs]).toEqual(['unknown', 0]);
    }
  });

  it('while it is being written down: not sent', async () => {
    const scene = new Scene();
    let open: () => void = () => undefined;
    scene.journal.trouble({ method: 'create', until: new Promise<void>((resolve) => (open = resolve)) });
    const { client, transport } = scene.dealer([acceptance()]);
    const abort = new AbortController();
    const placing = client.bidding.place({ lot: LOT, amount: '1' }, { signal: abort.signal });
    await scene.clock.advance(100);
    abort.abort();
    open();
    expect((await scene.during(placing)).status).toBe('not_sent');
    expect(transport.sent).toEqual([]);
    expect((await scene.journal.only()).state).toBe('not_sent');
  });

  it('behind the acceptance changes nothing', async () => {
    const scene = new Scene();
    const abort = new AbortController();
    const { client } = scene.dealer([acceptance()]);
    const placing = client.bidding.place(bid, { signal: abort.signal });
    const outcome = await scene.during(placing);
    abort.abort();
    expect(outcome.status).toBe('accepted');
  });

  it('leaves no timer behind', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ hang: true }]);
    await aborted(scene, (signal) => client.bidding.place(bid, { signal }), 100);
    expect(scene.clock.pending).toEqual([]);
  });
});
