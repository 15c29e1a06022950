import { ApiError } from '../../src/errors/api.js';
import { ConnectionError } from '../../src/errors/connection.js';
import type { LotChange } from '../../src/following/lot-changes.js';
import type { Pace } from '../../src/following/pace.js';
import type { StandingsSource } from '../../src/following/standing.js';
import type { LotWatch, WatchParts } from '../../src/following/watch.js';
import type { LotStatus, LotStatusResult, LotsStatusBatchBody } from '../../src/generated/lots.js';
import type { CallOptions } from '../../src/ports/caller.js';
import { VirtualClock } from '../support/virtual-clock.js';

/** A pace on virtual time. */
export function testPace(clock: VirtualClock, changes: Partial<Pace> = {}) {
  const closing = new AbortController();
  const over = new AbortController();
  const warnings: string[] = [];
  const warned: unknown[] = [];
  const pace: Pace = {
    clock,
    randomness: { fraction: () => 0 },
    now: () => clock.now(),
    spare: () => 60,
    isIdle: () => true,
    closing: closing.signal,
    over: over.signal,
    deadline: 90_000,
    during: (_, work) => work(),
    warn: (message, fields) => {
      warnings.push(message);
      warned.push([message, fields()['error']]);
    },
    ...changes,
  };
  return { pace, warnings, warned, close: () => closing.abort(), end: () => over.abort() };
}

/** The lots of a service, in memory, and every request that asked for them. */
export class Lots {
  readonly clock = new VirtualClock();
  readonly statuses = new Map<string, LotStatus>();
  readonly asked: { readonly lots: readonly string[]; readonly lane: unknown; readonly buyer: unknown }[] =
    [];
  /** What the next requests fail with, instead of answering. */
  readonly failures: unknown[] = [];
  /** Replaces answers to single lots. */
  readonly items = new Map<string, Omit<LotStatusResult, 'lot_id'> | 'missing'>();
  readonly #lagging = new Map<string, LotStatus>();
  /** Refuses a request. */
  refuse: (lots: readonly string[]) => unknown = () => undefined;

  constructor(count: number, closesInMs = 3_600_000) {
    for (let index = 0; index < count; index += 1) this.open(`lot_${index}`, closesInMs);
  }

  open(lot: string, closesInMs = 3_600_000): void {
    this.statuses.set(lot, {
      lot_id: lot,
      auction_state: 'live',
      resource_version: 1,
      effective_close_at: new Date(this.clock.now() + closesInMs).toISOString(),
      allowed_actions: ['bid'],
      highest_amount: null,
    });
  }

  change(lot: string, over: Partial<LotStatus>): void {
    const status = this.statuses.get(lot);
    if (status === undefined) throw new Error(lot);
    this.statuses.set(lot, { ...status, resource_version: status.resource_version + 1, ...over });
  }

  /** The next reply says of this lot what was so before its last change. */
  lag(lot: string): void {
    const status = this.statuses.get(lot);
    if (status !== undefined)
      this.#lagging.set(lot, { ...status, resource_version: status.resource_version - 1 });
  }

  /** Lets time pass. @returns the requests of that time, each as its lots */
  async during(ms: number): Promise<(readonly string[])[]> {
    const { length } = this.asked;
    await this.clock.advance(ms);
    return this.asked.slice(length).map(({ lots }) => lots);
  }

  get ids(): string[] {
    return [...this.statuses.keys()];
  }

  readonly read = async (
    { lot_ids, bidder_reference: buyer }: LotsStatusBatchBody,
    options: CallOptions,
  ): Promise<readonly LotStatusResult[]> => {
    this.asked.push({ lots: lot_ids, lane: options.lane, buyer });
    await null;
    const refusal = this.refuse(lot_ids) ?? this.failures.shift();
    if (refusal !== undefined) throw refusal;
    return lot_ids.flatMap((lot_id) => {
      const item = this.items.get(lot_id);
      if (item === 'missing') return [];
      if (item !== undefined) return [{ lot_id, ...item }];
      const data = this.#lagging.get(lot_id) ?? this.statuses.get(lot_id);
      this.#lagging.delete(lot_id);
      return data === undefined
        ? [{ lot_id, status: 404, code: 'NOT_FOUND' }]
        : [{ lot_id, status: 200, data }];
    });
  };
}

/** What the watches of one client share. */
export function watchParts(
  { read }: Lots,
  pace: Pace,
  standings: StandingsSource | undefined = undefined,
): WatchParts {
  return { pace, read, standings, running: new Set() };
}

/** Collects what a watch yields, for as long as it runs. */
export function collected(watch: LotWatch) {
  const changes: LotChange[] = [];
  const done = (async () => {
    for await (const change of watch) changes.push(change);
  })();
  done.catch(() => undefined);
  return { changes, done };
}

export function brokenLine(): ConnectionError {
  const words = { what: 'The line broke.', nextStep: 'Call again.' };
  return new ConnectionError({ ...words, outcome: 'unknown', reason: 'connection' });
}

export function apiError(
  status: number,
  over: Partial<ConstructorParameters<typeof ApiError>[0]> = {},
): ApiError {
  const words = { what: `The service answered ${status}.`, nextStep: 'Read it.' };
  return new ApiError({ ...words, status, codes: [], outcome: 'refused', ...over });
}
