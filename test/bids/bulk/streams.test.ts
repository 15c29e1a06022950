import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { placeAll } from '../../../src/bids/bulk/place-all.js';
import { batchSettings, RowChecker } from '../../../src/bids/bulk/rows.js';
import type { BidRow } from '../../../src/bids/bulk/types.js';
import type { BidPorts } from '../../../src/bids/ports.js';
import { Internals } from '../../../src/client/internals.js';
import type { ClientOptions } from '../../../src/client/options.js';
import { InDoubtError } from '../../../src/errors/local.js';
import { loadDeriveKey } from '../../../src/intents/derived-key.js';
import { credentials } from '../../support/clients.js';
import { ScriptedTransport } from '../../support/scripted-transport.js';
import { ToldTime } from '../../support/told-time.js';
import { desk, row, rows, statuses } from './desk.js';

type Row = BidRow<'platform'>;

/** Rows, without end unless they are given, and how many of them were asked for. */
function stream(given?: readonly Row[]) {
  const source = {
    read: 0,
    isClosed: false,
    *[Symbol.iterator](): Generator<Row> {
      try {
        for (
          let value = given?.[0];
          given === undefined || value !== undefined;
          value = given?.[source.read]
        ) {
          source.read += 1;
          yield value ?? row(`r${source.read}`, `lot_${source.read}`, '100');
        }
      } finally {
        source.isClosed = true;
      }
    },
  };
  return source;
}

/** The second row is wrong. */
const MIXED = [row('r1', 'lot_1', '1'), row('r2', 'lot_2', 'much'), row('r3', 'lot_3', '1')];

describe('a source that may not end', () => {
  it('is read no further ahead than the concurrency, and let go of when the batch is stopped', async () => {
    const at = desk({ takes: 1_000 });
    const source = stream();
    const run = at.placeAll(source, { concurrency: 16 });
    await at.clock.advance(500);
    expect([source.read, at.sent.length]).toEqual([16, 16]);
    await at.clock.advance(1_000);
    expect([source.read, at.sent.length]).toEqual([32, 32]);
    run.stop();
    const { summary, results } = await at.end(run);
    expect(source.isClosed).toBe(true);
    expect([summary.rows, results.length, summary.counts.accepted]).toEqual([32, 32, 32]);
    expect(summary).toMatchObject({ isComplete: false, stopped: { reason: 'stop' } });
  });

  it('is read no further after a wrong row where that is asked for', async () => {
    const at = desk();
    const source = stream(MIXED);
    const { results, summary } = await at.end(at.placeAll(source, { onInvalid: 'stop' }));
    expect(Object.keys(statuses(results))).toEqual(['r1', 'r2']);
    expect([summary.stopped?.reason, source.isClosed]).toEqual(['invalid_rows', true]);
  });

  it('that throws ends the batch, and is rethrown after the last result', async () => {
    const at = desk({ takes: 1_000 });
    const failure = new Error('the database is gone');
    async function* source(): AsyncGenerator<Row> {
      yield* [row('r1', 'lot_1', '1'), row('r2', 'lot_1', '2')];
      await new Promise<void>((resolve) => at.clock.after(500, resolve));
      throw failure;
    }
    const run = at.placeAll(source(), { concurrency: 3 });
    await at.clock.advance(5_000);
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const { rowId, status } of run) seen.push([rowId, status]);
    })();
    await expect(reading).rejects.toBe(failure);
    expect(seen).toEqual([
      ['r2', 'not_sent'],
      ['r1', 'accepted'],
    ]);
    expect(await run.summary).toMatchObject({
      isComplete: false,
      stopped: { reason: 'source', error: failure },
    });
    await expect(run.toArray()).rejects.toBe(failure);
  });

  it('that throws when it is opened ends the batch', async () => {
    const at = desk();
    const failure = new Error('no such file');
    const source = {
      [Symbol.iterator](): Iterator<Row> {
        throw failure;
      },
    };
    const { summary } = await at.end(at.placeAll(source));
    expect(summary).toMatchObject({ rows: 0, stopped: { reason: 'source', error: failure } });
  });

  it('that never yields is let go of when the batch is stopped', async () => {
    const at = desk();
    const source = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }) };
    const run = at.placeAll<Row>(source);
    await at.clock.advance(100);
    run.stop();
    expect((await at.end(run)).summary).toMatchObject({ rows: 0, stopped: { reason: 'stop' } });
  });

  it.each([1, 3, 5, 8])(
    'that yields a row in the moment of the stop has a result for it (%i ticks later)',
    async (ticks) => {
      const at = desk();
      const later = (left: number): void =>
        queueMicrotask(() => {
          if (left > 0) later(left - 1);
          else run.stop();
        });
      const source = {
        async *[Symbol.asyncIterator]() {
          for (const one of rows(9)) {
            if (one.rowId === 'r3') later(ticks);
            yield one;
          }
        },
      };
      const run = at.placeAll<Row>(source);
      const { results, summary } = await at.end(run);
      expect(summary.stopped?.reason).toBe('stop');
      expect([results.length, summary.rows >= 2, summary.rows < 9]).toEqual([summary.rows, true, true]);
    },
  );

  it('that can not be closed does no harm', async () => {
    const at = desk();
    const source = {
      [Symbol.iterator]: () => ({
        next: () => ({ done: false, value: row('r1', 'lot_1', '1') }),
        return: () => {
          throw new Error('no');
        },
      }),
    };
    const { summary } = await at.end(at.placeAll<Row>(source, { onInvalid: 'stop' }));
    expect(summary).toMatchObject({ rows: 2, stopped: { reason: 'invalid_rows' } });
  });

  it('has its wrong rows reported, and goes on', async () => {
    const at = desk();
    const { summary } = await at.end(at.placeAll(stream(MIXED)));
    expect(summary).toMatchObject({ isComplete: false, counts: { accepted: 2, invalid: 1 } });
    expect(summary.stopped).toBeUndefined();
  });
});

const OPTIONS: ClientOptions = {
  baseUrl: 'https://bank.example/api/v1',
  environment: 'sandbox',
  credentials,
  transport: new ToldTime(new ScriptedTransport(), { now: Date.now }),
  logLevel: 'off',
};
const PARTICULARS = { fill: { dealer_id: 'D-415' }, partnerType: 'aggregator' } as const;

describe('a stream of twenty thousand rows', () => {
  it('is never held in memory as a whole', async () => {
    const blocked = new InDoubtError('unresolved_bid', [], { what: 'Unresolved.', nextStep: 'Wait.' });
    const { bidding } = Internals.of(OPTIONS, PARTICULARS);
    let calls = 0;
    // Each row fails before it is recorded: what is measured is the batch, not its store.
    const during: BidPorts['during'] = async (_, work) => {
      calls += 1;
      if (calls > 1) throw blocked;
      return work();
    };
    const alive: WeakRef<Row>[] = [];
    function* source(): Generator<Row> {
      for (let index = 0; index < 20_000; index += 1) {
        const one = row(`r${index}`, `lot_${index}`, '100');
        alive.push(new WeakRef(one));
        yield one;
      }
    }
    const run = placeAll({ ...bidding, during }, source(), { batchId: 'b1' });
    let most = 0;
    let read = 0;
    for await (const _ of run) {
      read += 1;
      if (read % 5_000 === 0) {
        await collected();
        most = Math.max(most, alive.filter((one) => one.deref() !== undefined).length);
      }
    }
    expect([read, (await run.summary).counts.error]).toEqual([20_000, 20_000]);
    expect(most).toBeLessThan(1_000);
  });
});

describe('the row ids of a stream', () => {
  it('are compared with the latest ones only, so that a stream without end needs no more memory', async () => {
    const deriveKey = await loadDeriveKey();
    const { bidding } = Internals.of(OPTIONS, PARTICULARS);
    const settings = batchSettings<Row>(bidding.limits, [].values(), { batchId: 'b1' });
    const checker = new RowChecker<Row>(bidding, settings, 3);
    const isRepeated = (rowId: string) => 'issues' in checker.take(row(rowId, 'lot_1', '1'), deriveKey);
    expect(['r1', 'r2', 'r3', 'r1', 'r4', 'r1', 'r4'].map(isRepeated)).toEqual([
      false,
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
  });
});

/** Lets the garbage collector run. */
async function collected(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  await new Promise((resolve) => setImmediate(resolve));
  if (typeof gc === 'function') gc();
}
