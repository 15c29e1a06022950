import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { PlaceAllOptions } from '../../../src/bidding/bulk/options.js';
import { type CsvRow, readBidsCsv } from '../../../src/bidding/bulk/read-bids-csv.js';
import type { BulkResult } from '../../../src/bidding/bulk/result.js';
import { resultsCsv } from '../../../src/bidding/bulk/results-csv.js';
import type { PartnerClientOptions } from '../../../src/client/options.js';
import { PartnerClient } from '../../../src/client/partner-client.js';
import type { Transport } from '../../../src/core/transport.js';
import { undiciTransport } from '../../../src/core/undici-transport.js';
import { memoryJournal } from '../../../src/intents/memory-journal.js';
import type { Clock } from '../../../src/ports/clock.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';

/** Longer than any wait that these tests mean to pass. */
const ATTEMPT_MS = 600_000;

/** A sandbox, and clients in its time over one journal. */
export async function office() {
  const sandbox = await startSandbox({ clock: 'manual', rateLimit: false });
  const wire = undiciTransport();
  const journal = memoryJournal({ now: () => sandbox.clock.monotonic() });
  const time = new IdleTime(sandbox);
  let isCut = false;
  const send: Transport['send'] = async (request) => {
    const reply = isCut ? undefined : await time.busyWhile(() => wire.send(request));
    // Whoever is cut off hears nothing more, and what he sends never leaves.
    return reply === undefined || isCut ? new Promise<never>(() => undefined) : reply;
  };
  const { aggregator } = sandbox.credentials;
  return {
    sandbox,
    journal,
    client: (more: Partial<PartnerClientOptions<'aggregator'>> = {}) =>
      new PartnerClient({
        baseUrl: sandbox.baseUrl,
        credentials: aggregator,
        partnerType: 'aggregator',
        dealerId: aggregator.dealerId,
        logLevel: 'off',
        quota: { limit: Number.POSITIVE_INFINITY },
        timeout: ATTEMPT_MS,
        deadline: 10 * ATTEMPT_MS,
        randomness: { uuid: randomUUID, nonce: randomUUID, fraction: () => 0 },
        clock: time,
        transport: { send, close: () => wire.close() },
        journal,
        ...more,
      }),
    /** Every process ends here, with whatever it has under way. */
    cut: () => {
      isCut = true;
      time.forget();
    },
    /** What is started from now on has its line. */
    mend: () => {
      isCut = false;
    },
    lots: (label: string) => sandbox.auctions.get(label).lots,
    sent: () => sandbox.attempts().filter(({ operation }) => operation === 'bids.submit'),
    pass: <T>(work: Promise<T>) => time.pass(work),
    [Symbol.asyncDispose]: async () => {
      isCut = true;
      await wire.close();
      await sandbox.close();
    },
  };
}

export type Office = Awaited<ReturnType<typeof office>>;

/** Sandbox time in which waits pass, in their order, as soon as nothing is on the wire. */
class IdleTime implements Clock {
  readonly #clock: Sandbox['clock'];
  readonly #timers = new Set<{ readonly due: number }>();
  #busy = 0;

  constructor({ clock }: Sandbox) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  after(ms: number, callback: () => void): () => void {
    if (ms >= ATTEMPT_MS) return () => undefined;
    const timer = { due: this.monotonic() + ms };
    this.#timers.add(timer);
    const cancel = this.#clock.after(ms, () => {
      if (this.#timers.delete(timer)) callback();
    });
    return () => {
      this.#timers.delete(timer);
      cancel();
    };
  }

  /** Timers of processes that are gone. */
  forget(): void {
    this.#timers.clear();
  }

  async busyWhile<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
    }
  }

  async pass<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    for (let idle = 0; !isOver; ) {
      await new Promise((resolve) => setImmediate(resolve));
      idle = this.#busy > 0 ? 0 : idle + 1;
      const due = Math.min(...[...this.#timers].map((timer) => timer.due));
      if (idle < 3 || due === Number.POSITIVE_INFINITY) continue;
      idle = 0;
      this.#clock.advance(Math.max(0, due - this.monotonic()));
    }
    return work;
  }
}

/** A bids file: so many rows, each for a lot of its own, at the opening price. */
export function openings(at: Office, count: number, label = 'live-open'): string {
  const rows = at
    .lots(label)
    .slice(0, count)
    .map((lot, index) => `r${index + 1},${lot.id},${lot.startingPrice},buyer-${index % 3}`);
  return ['row_id,lot_id,amount,bidder_reference', ...rows, ''].join('\n');
}

export async function place(
  at: Office,
  auction: PartnerClient<'aggregator'>,
  text: string,
  options: Partial<PlaceAllOptions<CsvRow>> = {},
) {
  const run = auction.bidding.placeAll(readBidsCsv([text]), { batchId: 'evening', ...options });
  const results = await at.pass(run.toArray());
  const byRow = Object.fromEntries(
    [...results]
      .sort((one, other) => one.position - other.position)
      .map(({ rowId, status }) => [rowId, status]),
  );
  return { results, byRow, summary: await run.summary, plan: await run.plan };
}

export async function fileOf(results: readonly BulkResult<CsvRow>[]): Promise<string> {
  let text = '';
  for await (const line of resultsCsv(results)) text += line;
  return text;
}

/** What the service has committed: each key once, each body the same whenever it was sent. */
export function expectOnce({ sandbox, sent }: Office, rows: number): void {
  const keys = sandbox.ledger().map(({ idempotencyKey }) => idempotencyKey);
  expect(keys).toHaveLength(rows);
  expect(new Set(keys).size).toBe(rows);
  const bodies = new Set(sent().map(({ idempotencyKey, bodySha256 }) => `${idempotencyKey} ${bodySha256}`));
  expect(bodies.size).toBe(new Set(sent().map(({ idempotencyKey }) => idempotencyKey)).size);
}
