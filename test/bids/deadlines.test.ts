import { describe, expect, it } from 'vitest';
import type { BidOutcome } from '../../src/bids/types.js';
import { acceptance, html, iso, LOT, lookup, lotStatus, messageOnly, NOW } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import { ASKED, BID, count, KEYED, LOST, mute, placed, SENT, sceneAfter } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** Until when a bid may leave, how long a call may take, and what an abort does at every moment. */

const UNSENT = { status: 'not_sent', reason: 'deadline', attempts: 0 };

/** A scene whose next bid waits for the quota; the one before it took the last place. */
async function queueing(options: object = {}) {
  const scene = new Scene();
  const quota = { limit: 2, scope: 'client', ...options } as const;
  const actor = scene.dealer([acceptance(), acceptance()], { keyRetention: 600_000, quota });
  await scene.during(actor.client.bids.place({ lot: 'lot_0', amount: '1' }));
  return { scene, ...actor };
}

describe('the time until which a bid may leave', () => {
  const soon = NOW + 120_000;
  const eventClosingAt = (at: number) => ({ bid_increment: '0', ends_at: iso(at) });
  const lotClosingAt = (at: number) => ({ lot_id: LOT, effective_close_at: iso(at) });
  const summary = { id: LOT, starting_price: '1.00', ends_at: iso(NOW + 30_000) };

  it.each<[what: string, bid: object, expected: number]>([
    ['two minutes where no close is known', {}, soon],
    ['two minutes where the close is later', { lot: lotClosingAt(NOW + 600_000) }, soon],
    ['the close of a lot status', { lot: lotClosingAt(NOW + 30_000) }, NOW + 30_000],
    ['the close of a lot summary', { lot: summary }, NOW + 30_000],
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
  ])('is %s', async (_, bid, expected) => {
    const { client, status } = await placed([acceptance()], { bid });
    expect([status, (await client.intents.get(KEY))?.placeBy]).toEqual(['accepted', expected]);
  });

  it('sends nothing once it has passed', async () => {
    for (const placeBy of [NOW - 1, NOW]) {
      expect(await placed([acceptance()], { bid: { placeBy } })).toMatchObject({
        outcome: UNSENT,
        lines: [],
      });
    }
  });

  it('is judged by server time, not by the clock of this machine', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ ...lotStatus(null, NOW + 600_000) }, acceptance()]);
    await scene.during(client.lots.status(LOT));
    await scene.during(client.bids.place(BID, KEYED));
    expect(await client.intents.get(KEY)).toMatchObject({ placeBy: NOW + 720_000 });
  });

  it.each<[what: string, bid: object, options: object, quota: object, at: number]>([
    ['of the bid', { placeBy: NOW + 20_000 }, {}, {}, 20_000],
    ['of the call', {}, { deadline: 3_000 }, {}, 3_000],
    [
      'of the key, whose copies could arrive after its retention,',
      { placeBy: NOW + 3_600_000 },
      { deadline: 500_000 },
      { windowMs: 400_000 },
      300_000,
    ],
  ])('%s that passes while it waits for the quota leaves it unsent', async (_, bid, options, quota, at) => {
    const { scene, client, transport } = await queueing(quota);
    expect(await scene.during(client.bids.place({ ...BID, ...bid }, { ...KEYED, ...options }))).toMatchObject(
      UNSENT,
    );
    expect(scene.clock.monotonic()).toBe(at);
    expect(transport.lines).toHaveLength(1);
    expect((await scene.intents())[1]?.log).toEqual(['placed', 'unsent']);
  });

  it('that passes while the bid is in doubt ends the sending, not the looking', async () => {
    // The first lookup fails, and the second one comes a second later.
    const steps = [html(403), ...mute(1), lookup('absent'), lotStatus(NOW + 60_000)];
    const { status, lines } = await placed(steps, { bid: { placeBy: NOW + 1_000 } });
    expect([status, count(lines, SENT)]).toEqual(['unknown', 1]);
  });

  it('bounds the retries of a call', async () => {
    const steps = [LOST, messageOnly(503, { 'retry-after': '30' }), ...mute(9)];
    expect(count((await placed(steps, { bid: { placeBy: NOW + 15_000 } })).lines, SENT)).toBe(2);
  });

  it('ends 300 s before the key retention, and the looking goes on', async () => {
    const bid = { placeBy: NOW + 7_200_000 };
    const { scene } = await placed([LOST, ...mute(4)], { bid, options: { ...KEYED, maxAttempts: 1 } });
    await scene.clock.advance(3_300_001 - scene.clock.monotonic());
    const looks = Array<Step>(9).fill(lookup('absent', { at: NOW + 1 }));
    const { status, lines } = await placed(looks, { scene, bid });
    expect([status, lines]).toEqual(['unknown', Array(4).fill(ASKED)]);
  });
});

describe('a 429', () => {
  const limited = messageOnly(429);

  it.each<[what: string, steps: Step[], attempts: number]>([
    [
      'three and more without Retry-After must not end a bid',
      [...Array<Step>(6).fill(limited), acceptance()],
      7,
    ],
    [
      'is not counted where the same bytes are sent again after a lookup either',
      [limited, html(403), lookup('absent'), lotStatus(NOW + 600_000), acceptance()],
      3,
    ],
  ])('%s', async (_, steps, attempts) => {
    const { outcome } = await placed(steps, { options: { ...KEYED, maxAttempts: 2 } });
    expect(outcome).toMatchObject({ status: 'accepted', attempts });
  });

  it('waits as long as Retry-After says', async () => {
    const { scene, status } = await placed([messageOnly(429, { 'retry-after': '20' }), acceptance()]);
    expect([status, scene.clock.monotonic() >= 20_000]).toEqual(['accepted', true]);
  });

  it.each([
    ['settles it', lookup('accepted'), 'accepted'],
    ['gives no answer', messageOnly(403), 'unknown'],
  ])('that asks to wait beyond placeBy ends with a lookup, which %s', async (_, look, expected) => {
    const steps = [messageOnly(429, { 'retry-after': '50' }), look, ...mute(9)];
    const { status, lines } = await placed(steps, { bid: { placeBy: NOW + 20_000 } });
    expect([status, lines.slice(0, 2), count(lines, SENT)]).toEqual([expected, [SENT, ASKED], 1]);
  });
});

describe('the deadline of a call', () => {
  it('ends the looking, not the bid', async () => {
    const { scene, outcome, lines, state } = await placed(
      [LOST, ...Array<Step>(9).fill(lookup('processing'))],
      {
        options: { ...KEYED, maxAttempts: 1, deadline: 4_000 },
      },
    );
    expect(outcome).toMatchObject({ status: 'unknown', evidence: { kind: 'processing' } });
    expect([lines, state]).toEqual([[SENT, ASKED, ASKED, ASKED], 'sent']);
    expect(scene.clock.monotonic()).toBeLessThanOrEqual(4_000);
  });

  it('holds for an attempt that hangs', async () => {
    const { scene, status } = await placed([{ hang: true }], { options: { ...KEYED, deadline: 2_000 } });
    expect([status, scene.clock.monotonic()]).toEqual(['unknown', 2_000]);
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
    return { outcome: await scene.during(promise), tookMs: scene.clock.monotonic() - at };
  }

  it('before the call began sends nothing, and does not claim that of a bid in doubt', async () => {
    const options = { ...KEYED, signal: AbortSignal.abort() };
    const unsent = { status: 'not_sent', reason: 'aborted', attempts: 0 };
    expect(await placed([], { options })).toMatchObject({ outcome: unsent, lines: [] });
    const doubted = await placed([], { scene: await sceneAfter(LOST), options });
    expect(doubted).toMatchObject({
      outcome: { status: 'unknown', reason: 'in_doubt' },
      lines: [],
      state: 'sent',
    });
  });

  it('while the bid waits for the quota leaves it unsent, on record', async () => {
    const { scene, client, transport } = await queueing();
    const { outcome, tookMs } = await aborted(
      scene,
      (signal) => client.bids.place(BID, { ...KEYED, signal }),
      5_000,
    );
    expect([outcome, tookMs]).toMatchObject([{ status: 'not_sent', reason: 'aborted' }, 0]);
    expect([(await scene.intents())[1]?.state, transport.lines.length]).toEqual(['not_sent', 1]);
  });

  it.each<[when: string, steps: Step[], requests: number]>([
    ['in flight', [{ hang: true }], 1],
    ['between two attempts', [messageOnly(503, { 'retry-after': '30' })], 1],
    ['during a lookup', [html(403), { hang: true }], 2],
    ['between two lookups', [html(403), lookup('processing')], 2],
  ])('%s leaves the bid unknown at once, and asks nothing more', async (_, steps, requests) => {
    const scene = new Scene();
    const { client, transport } = scene.dealer(steps);
    const { outcome, tookMs } = await aborted(
      scene,
      (signal) => client.bids.place(BID, { ...KEYED, signal }),
      500,
    );
    expect([outcome, tookMs]).toMatchObject([{ status: 'unknown', reason: 'in_doubt', attempts: 1 }, 0]);
    expect(transport.lines).toHaveLength(requests);
    expect((await scene.only()).state).toBe('sent');
    expect(scene.clock.pending).toEqual([]);
  });
});
