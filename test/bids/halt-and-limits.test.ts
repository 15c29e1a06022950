import { describe, expect, it } from 'vitest';
import type { RiskLimits } from '../../src/bids/limits.js';
import {
  acceptance,
  iso,
  LOT,
  lookup,
  lotStatus,
  messageOnly,
  NOW,
  recordedRejection,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { countingRandomness, KEY, rejection } from '../support/clients.js';
import { ASKED, BID, KEYED, LOST, mute, placedBefore, SENT, UNCONNECTED } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';
import { settle } from '../support/virtual-clock.js';

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

  it('holds between the record and the first byte', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer(accepting(2), { quota: { limit: 2, scope: 'client' } });
    await scene.during(client.bids.place({ lot: 'lot_0', amount: '1' }));
    const queued = client.bids.place(BID, KEYED);
    await scene.clock.advance(1_000);
    await scene.dealer().client.bids.halt('another process saw something');
    expect(await scene.during(queued)).toMatchObject({ status: 'not_sent', reason: 'halted', attempts: 0 });
    expect(transport.lines).toHaveLength(1);
    expect((await scene.intents())[1]?.log).toEqual(['placed', 'unsent']);
  });

  it('holds between two attempts, and what is in doubt is looked up a bounded number of times', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([
      messageOnly(503, { 'retry-after': '30' }),
      ...Array.from({ length: 40 }, () => [lookup('absent'), lotStatus(NOW + 600_000)]).flat(),
    ]);
    const placing = client.bids.place(BID, KEYED);
    await scene.clock.advance(1_000);
    await client.bids.halt('stop');
    expect(await scene.during(placing)).toMatchObject({ status: 'unknown', reason: 'in_doubt', attempts: 1 });
    expect(transport.lines.filter((line) => line === SENT)).toHaveLength(1);
    expect(transport.lines.filter((line) => line === ASKED).length).toBeLessThanOrEqual(5);
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
  /** A bid of a platform: lot, amount, buyer. */
  type Row = readonly [lot: string, amount: string, buyer: string];

  /** Bids that are placed one after the other; what became of each. */
  async function placing(
    riskLimits: RiskLimits,
    bids: readonly Row[],
    replies: readonly Step[] = accepting(9),
  ) {
    const scene = new Scene();
    const { client, transport } = scene.platform(replies, { riskLimits });
    const found: string[] = [];
    for (const [lot, amount, bidderReference] of bids) {
      const limits = { maxAttempts: 1, deadline: 500 };
      const outcome = await scene.during(client.bids.place({ lot, amount, bidderReference }, limits));
      found.push('reason' in outcome ? `${outcome.status} ${outcome.reason}` : outcome.status);
    }
    return { found, scene, client, transport };
  }

  const yes = 'accepted';
  const held = 'not_sent risk_limit';

  it.each<[what: string, limits: RiskLimits, bids: Row[], found: string[], replies?: Step[]]>([
    [
      'perBid holds a single bid back, and lets the limit itself through',
      { perBid: '500000', perBuyer: '9000000' },
      [
        ['l1', '500000.00', 'a'],
        ['l2', '500000.01', 'a'],
      ],
      [yes, held],
    ],
    [
      'perBuyer sums the bids of one buyer over all lots',
      { perBuyer: '500000' },
      [
        ['l1', '300000', 'a'],
        ['l2', '200000', 'a'],
        ['l3', '1', 'a'],
        ['l3', '500000', 'b'],
      ],
      [yes, yes, held, yes],
    ],
    [
      'perLot sums the bids of all buyers on one lot',
      { perLot: '500000' },
      [
        ['l1', '300000', 'a'],
        ['l1', '200001', 'b'],
        ['l1', '200000', 'b'],
        ['l2', '500000', 'b'],
      ],
      [yes, held, yes, yes],
    ],
    [
      'a sum counts the highest bid of a buyer on a lot, so that a raise counts once',
      { perBuyer: '500000', perLot: '500000' },
      [
        ['l1', '300000', 'a'],
        ['l1', '500000', 'a'],
        ['l1', '500001', 'a'],
      ],
      [yes, yes, held],
    ],
    [
      'a sum counts bids in doubt as well as accepted ones, and no rejected or unsent one',
      { perBuyer: '500000' },
      [
        ['l1', '300000', 'a'],
        ['l2', '200000', 'a'],
        ['l3', '200000', 'a'],
        ['l4', '200001', 'a'],
        ['l5', '200000', 'a'],
      ],
      ['unknown in_doubt', 'rejected', 'not_sent network', held, yes],
      [LOST, ...mute(1), recordedRejection(), UNCONNECTED, ...accepting(1)],
    ],
  ])('%s', async (_, limits, bids, expected, replies) => {
    const { found, transport } = await placing(limits, bids, replies);
    expect(found).toEqual(expected);
    if (replies === undefined)
      expect(transport.lines).toHaveLength(expected.filter((one) => one === yes).length);
  });

  it('no longer counts a lot whose close, as a receipt stated it, has passed', async () => {
    const replies = accepting(9, { effective_close_at: iso(NOW + 60_000) });
    const { scene, client } = await placing({ perBuyer: '500000' }, [['l1', '400000', 'a']], replies);
    const next = () => client.bids.place({ lot: 'l2', amount: '400000', bidderReference: 'a' });
    expect(await scene.during(next())).toMatchObject({ status: 'not_sent', reason: 'risk_limit' });
    await scene.clock.advance(60_001);
    expect((await scene.during(next())).status).toBe('accepted');
  });

  it('still counts a lot of which only the crossed reply of another bid stated a close', async () => {
    const receipt = acceptance({ effective_close_at: iso(NOW + 60_000) });
    const replies = [receipt, receipt, ...mute(9)];
    const { found, scene, client } = await placing(
      { perBuyer: '500000' },
      [
        ['l1', '300000', 'a'],
        ['l2', '100000', 'a'],
      ],
      replies,
    );
    expect(found).toEqual(['accepted', 'unknown in_doubt']);
    await scene.clock.advance(60_001);
    const next = client.bids.place({ lot: 'l3', amount: '200001', bidderReference: 'a' });
    expect(await scene.during(next)).toMatchObject({ status: 'not_sent', reason: 'risk_limit' });
  });

  it('counts a bid whose connection failed when it is tried again, with what was placed in between', async () => {
    const scene = new Scene();
    const options = { riskLimits: { perLot: '500000' } };
    const bid = { lot: 'l1', amount: '300000', bidderReference: 'a' };
    const failing = scene.platform([UNCONNECTED, ...accepting(1)], {
      ...options,
      randomness: countingRandomness(0.5),
    });
    const first = failing.client.bids.place(bid, KEYED);
    await settle();
    expect((await scene.only()).state).toBe('not_sent');
    const other = scene.platform(accepting(1), options);
    const second = scene.during(other.client.bids.place({ ...bid, bidderReference: 'b' }));
    expect((await second).status).toBe('accepted');
    expect(await scene.during(first)).toMatchObject({ status: 'not_sent' });
    expect(failing.transport.lines).toHaveLength(1);
  });

  it('is checked again before the first byte: two clients that share a store stay within it', async () => {
    const scene = new Scene();
    const options = { riskLimits: { perLot: '500000' } };
    const clients = [scene.platform(accepting(1), options), scene.platform(accepting(1), options)];
    const outcomes = await scene.during(
      Promise.all(
        clients.map(({ client }, index) =>
          client.bids.place({ lot: 'l1', amount: '300000', bidderReference: `b${index}` }),
        ),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'accepted').length).toBeLessThanOrEqual(1);
  });

  it('holds for a bid that is placed again', async () => {
    const scene = new Scene();
    const first = scene.dealer([{ fail: 'no' }]);
    await scene.during(first.client.bids.place(BID, { ...KEYED, maxAttempts: 1, deadline: 500 }));
    const { client, transport } = scene.dealer(accepting(1), { riskLimits: { perBid: '100' } });
    expect(await scene.during(client.bids.place(BID, KEYED))).toMatchObject({ reason: 'risk_limit' });
    expect(transport.lines).toEqual([]);
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
