import { describe, expect, it } from 'vitest';
import type { RiskLimits } from '../../src/bids/types.js';
import {
  acceptance,
  html,
  iso,
  LOT,
  lookup,
  lotStatus,
  messageOnly,
  NOW,
  recordedRejection,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import {
  ASKED,
  BID,
  count,
  KEYED,
  LOST,
  mute,
  placed,
  placedBefore,
  SENT,
  sceneAfter,
  UNCONNECTED,
} from '../support/placed-bids.js';
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
  const closing = eventClosingAt(NOW + 30_000);
  const lotClosingAt = (at: number) => ({ lot_id: LOT, effective_close_at: iso(at) });
  const summary = { id: LOT, starting_price: '1.00', ends_at: iso(NOW + 30_000) };

  it.each<[what: string, bid: object, expected: number]>([
    ['two minutes where no close is known', {}, soon],
    ['two minutes where the close is later', { lot: lotClosingAt(NOW + 600_000) }, soon],
    ['the close of a lot status', { lot: lotClosingAt(NOW + 30_000) }, NOW + 30_000],
    ['the close of a lot summary', { lot: summary }, NOW + 30_000],
    ['the close of the event', { event: closing }, NOW + 30_000],
    [
      'the close of the lot before that of the event',
      { lot: lotClosingAt(NOW + 40_000), event: closing },
      NOW + 40_000,
    ],
    ['two minutes where the close can not be read', { event: { bid_increment: '0', ends_at: 'soon' } }, soon],
    ['placeBy as Unix milliseconds', { placeBy: NOW + 7 }, NOW + 7],
    ['placeBy as a Date', { placeBy: new Date(NOW + 7) }, NOW + 7],
    ['placeBy as ISO 8601 with a zone', { placeBy: '2026-03-02T11:30:07+05:30' }, NOW + 7_000],
    ['the close before placeBy', { placeBy: NOW + 900_000, event: closing }, NOW + 30_000],
  ])('is %s', async (_, bid, expected) => {
    const { client, status } = await placed([acceptance()], { bid });
    expect([status, (await client.intents.get(KEY))?.placeBy]).toEqual(['accepted', expected]);
  });

  it('sends nothing once it has passed', async () => {
    for (const placeBy of [NOW - 1, NOW]) {
      const late = await placed([acceptance()], { bid: { placeBy } });
      expect(late).toMatchObject({ outcome: UNSENT, lines: [] });
    }
  });

  it.each<[what: string, bid: object, options: object, quota: object, at: number]>([
    ['of the bid', { placeBy: NOW + 20_000 }, {}, {}, 20_000],
    ['of the call', {}, { deadline: 3_000 }, {}, 3_000],
    ['of the key', { placeBy: NOW + 3_600_000 }, { deadline: 500_000 }, { window: 400_000 }, 299_000],
  ])('%s that passes while it waits for the quota leaves it unsent', async (_, bid, options, quota, at) => {
    const { scene, client, transport } = await queueing(quota);
    const placing = client.bids.place({ ...BID, ...bid }, { ...KEYED, ...options });
    expect(await scene.during(placing)).toMatchObject(UNSENT);
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
});

describe('a 429', () => {
  const limited = messageOnly(429);
  const sixTimes = Array<Step>(6).fill(limited);
  const lookedUp = [html(403), lookup('absent'), lotStatus(NOW + 600_000)];

  it.each<[what: string, steps: Step[], attempts: number]>([
    ['without Retry-After must not end a bid, six times', [...sixTimes, acceptance()], 7],
    ['is not counted either where the bytes are sent again', [limited, ...lookedUp, acceptance()], 3],
  ])('%s', async (_, steps, attempts) => {
    const { outcome } = await placed(steps, { options: { ...KEYED, maxAttempts: 2 } });
    expect(outcome).toMatchObject({ status: 'accepted', attempts });
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
    const options = { ...KEYED, maxAttempts: 1, deadline: 4_000 };
    const steps = [LOST, ...Array<Step>(9).fill(lookup('processing'))];
    const { scene, outcome, lines, state } = await placed(steps, { options });
    expect(outcome).toMatchObject({ status: 'unknown', evidence: { kind: 'processing' } });
    expect([lines, state]).toEqual([[SENT, ASKED, ASKED, ASKED], 'sent']);
    // The next lookup would come too late.
    expect(scene.clock.monotonic()).toBe(3_000);
  });
});

describe('an abort', () => {
  /** Aborts after a while; the outcome, and how long it took from there, ms. */
  async function aborted(scene: Scene, { bids }: ReturnType<Scene['dealer']>['client'], afterMs: number) {
    const abort = new AbortController();
    const promise = bids.place(BID, { ...KEYED, signal: abort.signal });
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
    expect(doubted).toMatchObject({ status: 'unknown', lines: [], state: 'sent' });
  });

  it('while the bid waits for the quota leaves it unsent, on record', async () => {
    const { scene, client, transport } = await queueing();
    const { outcome, tookMs } = await aborted(scene, client, 5_000);
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
    const { outcome, tookMs } = await aborted(scene, client, 500);
    expect([outcome, tookMs]).toMatchObject([{ status: 'unknown', reason: 'in_doubt', attempts: 1 }, 0]);
    expect(transport.lines).toHaveLength(requests);
    expect((await scene.only()).state).toBe('sent');
    expect(scene.clock.pending).toEqual([]);
  });
});

/** What keeps bids from leaving: a halt of the whole account, and limits on what is at stake. */

/** Acceptances with ids of their own. */
const accepting = (count: number, over: object = {}): Step[] =>
  Array.from({ length: count }, (_, n) =>
    acceptance({ bid_id: `bid_${n}`, request_id: `req_${n}`, ...over }),
  );

describe('bids.halt()', () => {
  it('keeps every bid of the account back, in every client on the store, until resume()', async () => {
    const scene = new Scene();
    const one = scene.dealer(accepting(1));
    const two = scene.dealer(accepting(1));
    await one.client.bids.halt('the market is closed');
    for (const { client, transport } of [one, two]) {
      expect(await scene.during(client.bids.place(BID, KEYED))).toMatchObject({
        status: 'not_sent',
        reason: 'halted',
        what: expect.stringContaining('the market is closed'),
      });
      expect(transport.lines).toEqual([]);
    }
    await two.client.bids.resume();
    expect((await scene.during(one.client.bids.place(BID, KEYED))).status).toBe('accepted');
  });

  it('does not affect another account, nor commands and lookups', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client } = scene.dealer([
      lookup('accepted'),
      {
        status: 200,
        json: { data: { id: 'n_1', kind: 'notification_ack', state: 'read', resource_version: 1 } },
      },
    ]);
    await client.bids.halt('a test');
    expect((await scene.during(client.intents.reconcile(KEY))).status).toBe('accepted');
    const body = { status: 'read', external_reference: 'x' } as const;
    expect(await scene.during(client.notifications.acknowledge('n_1', body))).toMatchObject({ id: 'n_1' });
    const elsewhere = scene.dealer(accepting(1), { account: 'other-bank' });
    expect((await scene.during(elsewhere.client.bids.place(BID))).status).toBe('accepted');
  });

  it('holds for bids.submit', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer();
    await client.bids.halt('stop');
    const error = await rejection(scene.during(client.bids.submit(LOT, { amount: '1', dealer_id: 'D-204' })));
    expect(error).toMatchObject({ name: 'NotSentError', reason: 'halted', outcome: 'not_sent' });
    expect(transport.lines).toEqual([]);
  });

  it.each(['', '  ', undefined, 7])('needs a reason; %j is none', async (reason) => {
    const { client } = new Scene().dealer();
    const error = await rejection(client.bids.halt(reason as string));
    expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ path: 'reason' }] });
  });
});

describe('risk limits', () => {
  const forPlatform = (replies: readonly Step[], riskLimits: RiskLimits) => {
    const scene = new Scene();
    return { scene, ...scene.platform(replies, { riskLimits }) };
  };
  const YES = accepting(9);
  const MIXED = [LOST, ...mute(1), recordedRejection(), UNCONNECTED, ...accepting(1)];
  const sum = '500000';

  /** Bids that are placed one after the other: lot, amount, buyer, and what becomes of it. */
  it.each<[what: string, limits: RiskLimits, replies: Step[], bids: string[]]>([
    ['one bid', { perBid: sum, perBuyer: '9000000' }, YES, ['1 500000.00 a accepted', '2 500000.01 a held']],
    [
      'bids of one buyer',
      { perBuyer: sum },
      YES,
      ['1 300000 a accepted', '2 200000 a accepted', '3 1 a held'],
    ],
    ['no bids of another', { perBuyer: sum }, YES, ['1 300000 a accepted', '3 500000 b accepted']],
    ['bids of all buyers on one lot', { perLot: sum }, YES, ['1 300000 a accepted', '1 200001 b held']],
    ['up to the limit itself', { perLot: sum }, YES, ['1 300000 a accepted', '1 200000 b accepted']],
    ['no bids on another lot', { perLot: sum }, YES, ['1 300000 a accepted', '2 500000 b accepted']],
    ['a raise once', { perBuyer: sum, perLot: sum }, YES, ['1 300000 a accepted', '1 500000 a accepted']],
    ['a raise beyond it', { perBuyer: sum }, YES, ['1 500000 a accepted', '1 500001 a held']],
    ['what is in doubt', { perBuyer: sum }, MIXED, ['1 300000 a unknown', '2 200001 a held']],
    [
      'nothing rejected or unsent',
      { perBuyer: sum },
      MIXED,
      ['1 300000 a unknown', '2 200000 a rejected', '3 200000 a not_sent', '4 200000 a accepted'],
    ],
  ])('count %s', async (_, riskLimits, replies, bids) => {
    const { scene, client } = forPlatform(replies, riskLimits);
    for (const bid of bids) {
      const [lot = '', amount = '', bidderReference = '', expected] = bid.split(' ');
      const placing = client.bids.place({ lot, amount, bidderReference }, { maxAttempts: 1, deadline: 500 });
      const outcome = await scene.during(placing);
      const isHeld = outcome.status === 'not_sent' && outcome.reason === 'risk_limit';
      expect([bid, isHeld ? 'held' : outcome.status]).toEqual([bid, expected]);
    }
  });

  it('count a lot of which only the crossed reply to another bid stated a close', async () => {
    const receipt = acceptance({ effective_close_at: iso(NOW + 60_000) });
    const { scene, client } = forPlatform([receipt, receipt, ...mute(9)], { perBuyer: sum });
    const place = (lot: string, amount: string) =>
      client.bids.place({ lot, amount, bidderReference: 'a' }, { maxAttempts: 1, deadline: 500 });
    expect((await scene.during(place('1', '300000'))).status).toBe('accepted');
    expect((await scene.during(place('2', '100000'))).status).toBe('unknown');
    await scene.clock.advance(60_001);
    expect(await scene.during(place('3', '200001'))).toMatchObject({ reason: 'risk_limit' });
  });

  it.each([
    ['no object', 7, 'riskLimits'],
    ['an unknown limit', { perDay: '1' }, 'riskLimits.perDay'],
    ['a number', { perBid: 500_000 }, 'riskLimits.perBid'],
    ['no amount', { perLot: 'much' }, 'riskLimits.perLot'],
  ])('%s is a ConfigurationError', (_, riskLimits, option) => {
    expect(() => new Scene().dealer([], { riskLimits: riskLimits as RiskLimits })).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', option }),
    );
  });
});
