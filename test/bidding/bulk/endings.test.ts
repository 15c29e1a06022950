import { describe, expect, it, vi } from 'vitest';
import { AbortedError } from '../../../src/errors/connection.js';
import { Scene } from '../../support/bidders.js';
import { settle } from '../../support/virtual-clock.js';
import { desk, row } from './desk.js';

const rows = Array.from({ length: 40 }, (_, index) => ({
  rowId: `r${index}`,
  lot: `lot_${index}`,
  amount: '1',
}));

describe('credentials that hang', () => {
  it.each(['its signal', 'stop()'])('keep no batch from being ended at once by %s', async (how) => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([], {
      credentials: () => new Promise<never>(() => undefined),
    });
    const aborter = new AbortController();
    const run = client.bidding.placeAll(rows, { batchId: 'b', signal: aborter.signal });
    await scene.clock.advance(1_000);
    if (how === 'stop()') run.stop();
    else aborter.abort();
    const began = scene.clock.now();
    expect(await scene.during(run.summary)).toMatchObject({ rows: 0, stopped: { by: 'signal' } });
    expect([scene.clock.now(), await run.toArray(), transport.lines]).toEqual([began, [], []]);
    expect(await run.plan).toMatchObject({ rows: 0 });
  });
});

describe('a client that is closed', () => {
  it('sends nothing of a batch, not even a look when lots close', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ status: 200, json: { data: [] } }]);
    await client.close();
    const run = client.bidding.placeAll(rows, { batchId: 'b' });
    const reading = expect(run.toArray()).rejects.toBeInstanceOf(AbortedError);
    expect(await scene.during(run.summary)).toMatchObject({
      rows: 0,
      stopped: { by: 'closed' },
      warnings: [],
    });
    await reading;
    expect(transport.lines).toEqual([]);
  });

  it('while rows are read looks nothing up, sends nothing, and settles each of them', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ status: 200, json: { data: [] } }]);
    async function* source() {
      yield* rows;
      await client.close();
    }
    const run = client.bidding.placeAll(source(), { batchId: 'b', readAhead: 'all' });
    const summary = await scene.during(run.summary);
    expect([summary.rows, summary.stopped?.by, transport.lines]).toEqual([40, 'closed', []]);
    expect(await run.toArray()).toHaveLength(40);
    expect(summary.counts.accepted).toBe(0);
  });

  it('is not closed over a look that is under way', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }]);
    const run = client.bidding.placeAll(rows, { batchId: 'b' });
    await settle();
    expect(transport.lines).toEqual(['POST /lots/status-batch']);
    let isClosed = false;
    const closing = client.close().then(() => {
      isClosed = true;
    });
    await settle();
    expect(isClosed).toBe(false);
    expect((await scene.during(run.summary)).stopped?.by).toBe('closed');
    await scene.during(closing);
  });

  it('has its journal left alone: behind a bid in doubt the rows are held', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ hang: true }]);
    const [one, two] = rows;
    if (one === undefined || two === undefined) throw new Error('no rows');
    const chain = [one, { ...two, lot: one.lot, amount: '2' }];
    const place = { maxAttempts: 1, deadline: 500 };
    const run = client.bidding.placeAll(chain, { batchId: 'b', closes: 'as_given', place });
    await settle();
    const closing = client.close();
    const asked = vi.spyOn(scene.journal, 'find');
    const { counts } = await scene.during(run.summary);
    await scene.during(closing);
    expect(counts).toMatchObject({ unknown: 1, not_sent: 1 });
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('a batch that is over', () => {
  it('has no timer left', async () => {
    const at = desk();
    async function* source() {
      yield row('r1', 'lot_1', '1');
    }
    await at.end(at.placeAll(source()));
    expect(at.clock.pending).toEqual([]);
  });
});
