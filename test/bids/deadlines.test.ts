import { describe, expect, it } from 'vitest';
import type { BidOutcome } from '../../src/bids/types.js';
import { acceptance, html, iso, LOT, lookup, lotStatus, messageOnly, NOW } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { accepted, KEY } from '../support/clients.js';
import { ASKED, BID, KEYED, LOST, mute, placedBefore, SENT } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** Until when a bid may leave, how long a call may take, and what an abort does at every moment. */

describe('the time until which a bid may leave', () => {
  const soon = NOW + 120_000;
  const eventClosingAt = (at: number) => ({ bid_increment: '0', ends_at: iso(at) });
  const lotClosingAt = (at: number) => ({ lot_id: LOT, effective_close_at: iso(at) });

  it.each([
    ['two minutes where no close is known', {}, soon],
    ['two minutes where the close is later', { lot: lotClosingAt(NOW + 600_000) }, soon],
    ['the close of a lot status', { lot: lotClosingAt(NOW + 30_000) }, NOW + 30_000],
    [
      'the close of a lot summary',
      { lot: { id: LOT, starting_price: '1.00', ends_at: iso(NOW + 30_000) } },
      NOW + 30_000,
    ],
    ['the close of the event', { event: eventClosingAt(NOW + 30_000) }, NOW + 30_000],
    [
      'the close of the lot before that of the event',
      { lot: lotClosingAt(NOW + 40_000), event: eventClosingAt(NOW + 30_000) },
      NOW + 40_000,
    ],
    [
      'two minutes where the known close has passed, because closes move',
      { event: eventClosingAt(NOW) },
      soon,
    ],
    ['two minutes where the close can not be read', { event: { bid_increment: '0', ends_at: 'soon' } }, soon],
    ['placeBy as Unix milliseconds', { placeBy: NOW + 7 }, NOW + 7],
    ['placeBy as a Date', { placeBy: new Date(NOW + 7) }, NOW + 7],
    ['placeBy as ISO 8601 with a zone', { placeBy: '2026-03-02T11:30:07+05:30' }, NOW + 7_000],
    [
      'placeBy, also after the close',
      { placeBy: NOW + 900_000, event: eventClosingAt(NOW + 1) },
      NOW + 900_000,
    ],
  ])('is %s', async (_, over, expected) => {
    const scene = new Scene();
    const { client } = scene.dealer([acceptance()]);
    await scene.during(client.bids.place({ ...BID, ...over }, KEYED));
    expect(await client.intents.get(KEY)).toMatchObject({ placeBy: expected });
  });

  it.each([NOW - 1, NOW])('sends nothing once it has passed (%d)', async (placeBy) => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    expect(await scene.during(client.bids.place({ ...BID, placeBy }))).toMatchObject({
      status: 'not_sent',
      reason: 'deadline',
      attempts: 0,
    });
    expect(transport.lines).toEqual([]);
  });

  it('lets a bid leave a moment before', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([acceptance()]);
    expect(await scene.during(client.bids.place({ ...BID, placeBy: NOW + 1 }))).toMatchObject({
      status: 'accepted',
    });
  });

  it('is judged by server time, not by the clock of this machine', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ ...lotStatus(null, NOW + 600_000) }, acceptance()]);
    await scene.during(client.lots.status(LOT));
    await scene.during(client.bids.place(BID, KEYED));
    expect(await client.intents.get(KEY)).toMatchObject({ placeBy: NOW + 720_000 });
  });

  it('that passes while the bid waits for the quota leaves it unsent', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance(), acceptance()], {
      quota: { limit: 2, scope: 'client' },
    });
    await scene.during(client.bids.place({ lot: 'lot_0', amount: '1' }));
    const outcome = await scene.during(client.bids.place({ ...BID, placeBy: NOW + 20_000 }, KEYED));
    expect(outcome).toMatchObject({ status: 'not_sent', reason: 'deadline', attempts: 0 });
    expect(scene.clock.monotonic()).toBe(20_000);
    expect(transport.lines).toHaveLength(1);
    expect((await scene.intents())[1]?.log).toEqual(['placed', 'unsent']);
  });

  it('that passes while the bid is in doubt ends the sending, not the looking', async () => {
    const steps = [html(403), ...mute(1), lookup('absent'), lotStatus(NOW + 60_000)];
    const scene = new Scene();
    const { client, transport } = scene.dealer(steps);
    // The first lookup fails, and the second one comes a second later.
    const outcome = await scene.during(client.bids.place({ ...BID, placeBy: NOW + 1_000 }));
    expect(outcome.status).toBe('unknown');
    expect(transport.lines.filter((line) => line === SENT)).toHaveLength(1);
  });

  it('bounds the retries of a call', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([LOST, messageOnly(503, { 'retry-after': '30' }), ...mute(9)]);
    await scene.during(client.bids.place({ ...BID, placeBy: NOW + 15_000 }));
    expect(transport.lines.filter((line) => line === SENT)).toHaveLength(2);
  });
});

describe('the key retention', () => {
  it('lets nothing leave whose copies could arrive after it', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance(), acceptance()], {
      keyRetention: 600_000,
      quota: { limit: 2, windowMs: 400_000, scope: 'client' },
    });
    await scene.during(client.bids.place({ lot: 'lot_0', amount: '1' }));
    const queued = client.bids.place({ ...BID, placeBy: NOW + 3_600_000 }, { deadline: 500_000 });
    expect(await scene.during(queued)).toMatchObject({ status: 'not_sent', reason: 'deadline' });
    expect(scene.clock.monotonic()).toBe(300_000);
    expect(transport.lines).toHaveLength(1);
  });

  it('ends the sending of a bid in doubt 300 s before it ends, and the looking goes on', async () => {
    const { scene } = await placedBefore([LOST], { ...KEYED, maxAttempts: 1, deadline: 500 });
    const first = scene.dealer([...mute(4)]);
    await scene.during(first.client.bids.place({ ...BID, placeBy: NOW + 7_200_000 }, KEYED));
    await scene.clock.advance(3_300_001 - scene.clock.monotonic());
    const { client, transport } = scene.dealer(Array<Step>(9).fill(lookup('absent', { at: NOW + 1 })));
    expect((await scene.during(client.bids.place({ ...BID, placeBy: NOW + 7_200_000 }, KEYED))).status).toBe(
      'unknown',
    );
    expect(transport.lines).toEqual(Array(4).fill(ASKED));
  });
});

describe('a 429', () => {
  const limited = messageOnly(429);

  it('without Retry-After is sent again within the deadline, and not counted by maxAttempts', async () => {
    const { outcome, lines } = await placedBefore([...Array<Step>(6).fill(limited), acceptance()], {
      ...KEYED,
      maxAttempts: 2,
    });
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 7 });
    expect(lines).toEqual(Array(7).fill(SENT));
  });

  it('is not counted where the same bytes are sent again after a lookup either', async () => {
    const steps = [limited, html(403), lookup('absent'), lotStatus(NOW + 600_000), acceptance()];
    const { outcome } = await placedBefore(steps, { ...KEYED, maxAttempts: 2 });
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 3 });
  });

  it('waits as long as Retry-After says', async () => {
    const { scene, outcome } = await placedBefore(
      [messageOnly(429, { 'retry-after': '20' }), acceptance()],
      KEYED,
    );
    expect(outcome.status).toBe('accepted');
    expect(scene.clock.monotonic()).toBeGreaterThanOrEqual(20_000);
  });

  it.each([
    ['settles it', lookup('accepted'), 'accepted'],
    ['gives no answer', messageOnly(403), 'unknown'],
  ])('that asks to wait beyond placeBy ends with a lookup, which %s', async (_, look, status) => {
    const scene = new Scene();
    const limit = messageOnly(429, { 'retry-after': '50' });
    const { client, transport } = scene.dealer([limit, look, ...mute(9)]);
    const outcome = await scene.during(client.bids.place({ ...BID, placeBy: NOW + 20_000 }, KEYED));
    expect(outcome.status).toBe(status);
    expect(transport.lines.slice(0, 2)).toEqual([SENT, ASKED]);
    expect(transport.lines.filter((line) => line === SENT)).toHaveLength(1);
  });
});

describe('the deadline of a call', () => {
  it('ends the looking, not the bid', async () => {
    const { scene, outcome, lines } = await placedBefore(
      [LOST, ...Array<Step>(9).fill(lookup('processing'))],
      {
        ...KEYED,
        maxAttempts: 1,
        deadline: 4_000,
      },
    );
    expect(outcome).toMatchObject({ status: 'unknown', evidence: { kind: 'processing' } });
    expect(scene.clock.monotonic()).toBeLessThanOrEqual(4_000);
    expect(lines).toEqual([SENT, ASKED, ASKED, ASKED]);
    expect((await scene.only()).state).toBe('sent');
  });

  it('that passes while the bid waits for the quota leaves it unsent', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([acceptance(), acceptance()], { quota: { limit: 2, scope: 'client' } });
    await scene.during(client.bids.place({ lot: 'lot_0', amount: '1' }));
    const outcome = await scene.during(client.bids.place(BID, { ...KEYED, deadline: 3_000 }));
    expect(outcome).toMatchObject({ status: 'not_sent', reason: 'deadline' });
    expect(scene.clock.monotonic()).toBe(3_000);
  });

  it('holds for an attempt that hangs', async () => {
    const { scene, outcome } = await placedBefore([{ hang: true }], { ...KEYED, deadline: 2_000 });
    expect(outcome.status).toBe('unknown');
    expect(scene.clock.monotonic()).toBe(2_000);
  });
});

describe('an abort', () => {
  /** Aborts after a while; the outcome, and how long it took from there, ms. */
  async function aborted(
    scene: Scene,
    placing: (signal: AbortSignal) => Promise<BidOutcome>,
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

  it('before the call began sends nothing', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    const outcome = await scene.during(client.bids.place(BID, { ...KEYED, signal: AbortSignal.abort() }));
    expect(outcome).toMatchObject({ status: 'not_sent', reason: 'aborted', attempts: 0 });
    expect(transport.lines).toEqual([]);
  });

  it('before the call began does not claim that nothing was sent under a key that is in doubt', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client, transport } = scene.dealer([acceptance()]);
    const outcome = await scene.during(client.bids.place(BID, { ...KEYED, signal: AbortSignal.abort() }));
    expect(outcome).toMatchObject({ status: 'unknown', reason: 'in_doubt' });
    expect(transport.lines).toEqual([]);
    expect((await scene.only()).state).toBe('sent');
  });

  it('while the bid waits for the quota leaves it unsent, on record', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance(), acceptance()], {
      quota: { limit: 2, scope: 'client' },
    });
    await scene.during(client.bids.place({ lot: 'lot_0', amount: '1' }));
    const placing = (signal: AbortSignal) => client.bids.place(BID, { ...KEYED, signal });
    const { outcome, tookMs } = await aborted(scene, placing, 5_000);
    expect([outcome, tookMs]).toMatchObject([{ status: 'not_sent', reason: 'aborted' }, 0]);
    expect((await scene.intents())[1]?.state).toBe('not_sent');
    expect(transport.lines).toHaveLength(1);
  });

  it.each([
    ['in flight', [{ hang: true } as Step], 1],
    ['between two attempts', [messageOnly(503, { 'retry-after': '30' })], 1],
    ['during a lookup', [html(403), { hang: true } as Step], 2],
    ['between two lookups', [html(403), lookup('processing')], 2],
  ])('%s leaves the bid unknown at once, and asks nothing more', async (_, steps, requests) => {
    const scene = new Scene();
    const { client, transport } = scene.dealer(steps);
    const placing = (signal: AbortSignal) => client.bids.place(BID, { ...KEYED, signal });
    const { outcome, tookMs } = await aborted(scene, placing, 500);
    expect([outcome, tookMs]).toMatchObject([{ status: 'unknown', reason: 'in_doubt', attempts: 1 }, 0]);
    expect(transport.lines).toHaveLength(requests);
    expect((await scene.only()).state).toBe('sent');
    expect(scene.clock.pending).toEqual([]);
  });

  it('after the acceptance changes nothing', async () => {
    const scene = new Scene();
    const abort = new AbortController();
    const { client } = scene.dealer([{ status: 201, json: accepted() }]);
    const outcome = await scene.during(client.bids.place(BID, { signal: abort.signal }));
    abort.abort();
    expect(outcome.status).toBe('accepted');
  });
});
