import { describe, expect, it } from 'vitest';
import { acceptance, html, iso, LOT, lookup, lotStatus, NOW, read } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY } from '../support/clients.js';
import {
  ASKED,
  BRIEF,
  KEYED,
  LOST,
  LOT_READ,
  placed,
  placedBefore,
  SENT,
  UNCONNECTED,
} from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** After a known close nothing leaves; closes move, so a lot whose close has passed is read first. */

const CLOSED = { status: 'not_sent', reason: 'closed', attempts: 0 };
const PAST = NOW - 60_000;
const over = (at = NOW): Step => read(at, { lot_id: LOT, auction_state: 'over', resource_version: 4 });
const ids = (bid: number) => ({ bid_id: `bid_${bid}`, request_id: `req_${bid}` });
const eventClosing = (at: number) => ({ bid_increment: '0', ends_at: iso(at) });

describe('a lot that is over by its record', () => {
  it.each<[what: string, bid: object]>([
    ['the lot', { lot: { id: LOT, starting_price: '1.00', status: 'over', ends_at: iso(NOW + 60_000) } }],
    ['its status', { lot: { lot_id: LOT, auction_state: 'over', effective_close_at: iso(PAST) } }],
    ['its event', { event: { ...eventClosing(PAST), status: 'over' } }],
  ])('is bid on by nobody, as %s says', async (_, bid) => {
    const { outcome, lines, transport } = await placed([acceptance()], { bid });
    expect(outcome).toMatchObject({ ...CLOSED, what: expect.stringContaining(`lot ${LOT} has closed`) });
    expect([lines, transport.sent.length]).toEqual([[], 0]);
  });
});

describe('a lot whose known close has passed', () => {
  const bid = { event: eventClosing(PAST) };

  it.each<[what: string, step: Step, reason: RegExp]>([
    ['has closed', lotStatus(PAST), /shows it closed/],
    ['is over', over(), /shows it closed/],
    ['can not be read', html(403), /could not be read/],
  ])('is read once, and not bid on if it %s', async (_, step, reason) => {
    const { outcome, lines } = await placed([step, acceptance()], { bid });
    expect(outcome).toMatchObject({ ...CLOSED, what: expect.stringMatching(reason) });
    expect(lines).toEqual([LOT_READ]);
  });

  it('is bid on if its close has moved, until the new close', async () => {
    const moved = NOW + 45_000;
    const logged: unknown[] = [];
    const note = (message: string, fields: unknown) => logged.push([message, fields]);
    const logger = { error: note, warn: note, info: note, debug: note };
    const how = { bid, client: { logger, logLevel: 'info' } } as const;
    const { status, lines, client } = await placed([lotStatus(moved), acceptance()], how);
    expect([status, lines]).toEqual(['accepted', [LOT_READ, SENT]]);
    const fields = { lot: LOT, closesAt: moved, idempotencyKey: KEY };
    expect(logged).toContainEqual(['The close of a lot has moved', fields]);
    expect(JSON.stringify(await client.intents.explain(KEY))).toContain(`open, closes ${iso(moved)}`);
    expect((await client.intents.get(KEY))?.placeBy).toBe(moved);
  });

  it('is bid on where it can not be read, if the bid has a time of its own', async () => {
    const own = { ...bid, placeBy: NOW + 20_000 };
    const { status, lines } = await placed([html(403), acceptance()], { bid: own });
    expect([status, lines]).toEqual(['accepted', [LOT_READ, SENT]]);
  });

  it('is not read for a bid whose outcome is on record', async () => {
    const { scene } = await placedBefore([acceptance()], KEYED);
    const { status, lines } = await placed([], { scene, bid });
    expect([status, lines]).toEqual(['accepted', []]);
  });

  it('is not sent a bid in doubt again, which is looked up', async () => {
    const { scene } = await placedBefore([LOST]);
    await scene.clock.advance(150_000);
    const { status, lines } = await placed([lookup('accepted', { at: NOW + 150_000 })], { scene, bid });
    expect([status, lines]).toEqual(['accepted', [ASKED]]);
  });

  it('is not sent again what never left before its close', async () => {
    const { scene } = await placedBefore([UNCONNECTED], { ...BRIEF });
    await scene.clock.advance(90_000);
    const { outcome, lines } = await placed([lotStatus(PAST)], { scene, bid });
    expect([outcome, lines]).toMatchObject([{ status: 'not_sent' }, [LOT_READ]]);
  });
});

describe('a close that comes while a bid waits', () => {
  async function waiting(steps: readonly Step[]) {
    const scene = new Scene();
    const quota = { limit: 2, scope: 'client', window: 30_000 } as const;
    const { client, transport } = scene.dealer([acceptance(), ...steps], { quota });
    await scene.during(client.bids.place({ lot: 'lot_0', amount: '1' }));
    const placing = client.bids.place({ lot: LOT, amount: '2', event: eventClosing(NOW + 10_000) }, KEYED);
    return { outcome: await scene.during(placing), lines: transport.lines, scene };
  }

  it('ends it', async () => {
    const { outcome, lines, scene } = await waiting([lotStatus(NOW + 10_000, NOW + 30_000)]);
    expect(outcome).toMatchObject(CLOSED);
    expect(lines.slice(1)).toEqual([LOT_READ]);
    expect((await scene.intents())[1]?.log).toEqual(['placed', 'unsent']);
  });

  it('does not end it if it has moved', async () => {
    const { outcome, lines, scene } = await waiting([
      lotStatus(NOW + 100_000, NOW + 30_000),
      acceptance(ids(2)),
    ]);
    expect(outcome.status).toBe('accepted');
    expect(lines.slice(1)).toEqual([LOT_READ, SENT]);
    expect((await scene.dealer().client.intents.get(KEY))?.placeBy).toBe(NOW + 100_000);
  });
});

describe('rows of a batch whose closes have passed', () => {
  it('are read together, a hundred in one request', async () => {
    const scene = new Scene();
    const rows = Array.from({ length: 150 }, (_, index) => ({
      rowId: `r${index}`,
      lot: `lot_${index}`,
      amount: '100',
      bidderReference: 'buyer-1',
      closesAt: PAST,
    }));
    const status = (lot: string, closesAt: number) => ({
      lot_id: lot,
      status: 200,
      data: { lot_id: lot, auction_state: 'live', resource_version: 1, effective_close_at: iso(closesAt) },
    });
    // Of each hundred, the first is still open.
    const reply = (from: number, count: number): Step =>
      read(
        NOW,
        Array.from({ length: count }, (_, index) =>
          status(`lot_${from + index}`, index === 0 ? NOW + 60_000 : PAST),
        ),
      );
    const steps = [reply(0, 100), acceptance(ids(0)), reply(100, 50), acceptance(ids(100))];
    const quota = { limit: 1_000, scope: 'client' } as const;
    const { client, transport } = scene.platform(steps, { quota });
    const run = client.bids.placeAll(rows, { batchId: 'b1', concurrency: 200 });
    const summary = await scene.during(run.summary);
    expect(summary.counts).toMatchObject({ accepted: 2, not_sent: 148 });
    const nextStep = expect.stringContaining('Read the lot again');
    expect(summary.causes).toMatchObject([{ status: 'not_sent', reason: 'closed', count: 148, nextStep }]);
    expect(transport.lines).toHaveLength(4);
    expect((await run.toArray()).filter((row) => row.status === 'not_sent')).toSatisfy(
      (results: readonly object[]) =>
        results.every((row) => 'outcome' in row && Object(row.outcome).reason === 'closed'),
    );
  });

  it('are read once where they are about one lot', async () => {
    const scene = new Scene();
    const rows = ['1', '2', '3'].map((name) => ({
      rowId: name,
      lot: LOT,
      amount: `${name}00`,
      bidderReference: `buyer-${name}`,
      closesAt: PAST,
    }));
    const { client, transport } = scene.platform([lotStatus(PAST)]);
    const summary = await scene.during(client.bids.placeAll(rows, { batchId: 'b1' }).summary);
    expect([summary.counts.not_sent, transport.lines]).toEqual([3, [LOT_READ]]);
  });
});
