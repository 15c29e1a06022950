import type { BaseOptions } from '../../core/caller.js';
import { ApiError } from '../../errors/api.js';
import type { LotStatusResult } from '../../models/lots.js';
import { momentOf } from '../moment.js';
import type { ClosesUnknownWarning } from './progress.js';
import { messageOf } from './stops.js';

/** Asks for the status of lots, A11. */
export type StatusBatch = (
  body: { readonly lot_ids: readonly string[] },
  options: BaseOptions,
) => Promise<readonly LotStatusResult[]>;

/** When lots close, by lot id: Unix ms in server time. Lots that are missing are unknown. */
export type ClosesOf = (
  lotIds: readonly string[],
  options: { readonly signal: AbortSignal },
) => Promise<ReadonlyMap<string, number>>;

/** What looking for closes came to. */
export interface FoundCloses {
  readonly closes: ReadonlyMap<string, number>;
  /** Requests that were made for it. */
  readonly requests: number;
  /** Why some stay unknown, in words; absent where every look was answered. */
  readonly failure?: unknown;
}

/** The service proposes no more lots for one look (unknowns: `status-batch-size`). */
const LOTS_PER_LOOK = 100;

/** Looks when lots close, a hundred at a time. A look that fails leaves its lots unknown, and fails nothing else. */
export async function lookUpCloses(
  statusBatch: StatusBatch,
  lotIds: readonly string[],
  signal: AbortSignal,
): Promise<FoundCloses> {
  const looks: (readonly string[])[] = [];
  for (let at = 0; at < lotIds.length; at += LOTS_PER_LOOK) looks.push(lotIds.slice(at, at + LOTS_PER_LOOK));
  const found = new Map<string, number>();
  let requests = 0;
  let failure: unknown;
  for (let look = looks.shift(); look !== undefined && !signal.aborted; look = looks.shift()) {
    requests += 1;
    try {
      // In the lane of bids, because bids wait for it; and not for long, because without it they can go too.
      const options = { signal, lane: 'bid', deadline: LOOK_DEADLINE_MS } as const;
      for (const { lot_id, data } of await statusBatch({ lot_ids: look }, options)) {
        const close = momentOf(data?.effective_close_at);
        if (close !== undefined) found.set(lot_id, close);
      }
    } catch (error) {
      if (!isTooLarge(error) || look.length <= SMALLEST_LOOK) {
        failure = error;
        break;
      }
      const half = Math.ceil(look.length / 2);
      looks.unshift(look.slice(0, half), look.slice(half));
    }
  }
  return { closes: found, requests, ...(failure !== undefined && { failure }) };
}

/** Asks a function of the caller's. What it gets wrong is left unknown, and fails nothing else. */
export async function askCloses(
  closesOf: ClosesOf,
  lotIds: readonly string[],
  signal: AbortSignal,
): Promise<FoundCloses> {
  const closes = new Map<string, number>();
  try {
    const told: unknown = await closesOf(lotIds, { signal });
    if (!(told instanceof Map)) throw new TypeError('the function for closes gave no Map');
    for (const lot of lotIds) {
      const close: unknown = told.get(lot);
      const moment = typeof close === 'number' ? momentOf(close) : undefined;
      if (moment !== undefined) closes.set(lot, moment);
    }
    const wrong = lotIds.filter((lot) => told.get(lot) !== undefined && !closes.has(lot));
    if (wrong.length === 0) return { closes, requests: 0 };
    throw new TypeError(
      `the function for closes gave no moment in Unix ms for ${wrong.slice(0, 3).join(', ')}`,
    );
  } catch (failure) {
    return { closes, requests: 0, failure };
  }
}

/** A look that had no answer, or not for every lot. */
export function closesUnknown(lots: number, { failure }: FoundCloses, at: number): ClosesUnknownWarning {
  const so = lots === 1 ? '1 lot closes, so its rows go' : `${lots} lots close, so their rows go`;
  const what = `It is not known when ${so} last: ${messageOf(failure)}`;
  return { type: 'closes_unknown', at, lots, error: failure, what };
}

const LOOK_DEADLINE_MS = 15_000;
const SMALLEST_LOOK = 25;

function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 413 || error.status === 422);
}
