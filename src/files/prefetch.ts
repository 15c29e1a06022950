import type { VehicleAuctionError } from '../errors/base.js';
import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import type { KnownOptions } from '../runtime/injected.js';
import { Slots } from '../runtime/slots.js';
import { LinkedSignal, sleep } from '../runtime/timers.js';
import { notify } from '../runtime/user-code.js';
import type { MediaCache } from './media-cache.js';
import { type CachedCallOptions, cachedOptions, type OpenedFile, type OwnPhotoPorts } from './photos.js';
import { failureOfOneFile, MOST_AT_ONCE } from './save-all.js';

/** Lots with their photos, such as those of `lots.list()`. */
export type LotsWithPhotos = Iterable<{ readonly images?: readonly string[] | undefined }>;

/** Options of `media.prefetch`. */
export interface PrefetchOptions extends CachedCallOptions {
  readonly cache: MediaCache;
  /** Photos of each lot at most; defaults to all. */
  readonly perLot?: number | undefined;
  /** Downloads at once, 1 to 16; defaults to 4. */
  readonly concurrency?: number | undefined;
  /** Called after each photo. Not awaited; its errors are logged. */
  readonly onProgress?: ((progress: PrefetchProgress) => unknown) | undefined;
}

export const prefetchOptions: KnownOptions<PrefetchOptions> = {
  ...cachedOptions,
  perLot: true,
  concurrency: true,
  onProgress: true,
};

/** Progress of `media.prefetch`. */
export interface PrefetchProgress {
  /** Photos that are in the cache, or failed. */
  readonly done: number;
  readonly total: number;
}

/** Result of `media.prefetch`. */
export interface PrefetchSummary {
  /** Photos that were fetched, one request each. */
  readonly fetched: number;
  /** Photos that the cache had. */
  readonly cached: number;
  /** Photos that can't be cached now: the error, or none for a file that is not a photo. */
  readonly failed: readonly { readonly url: string; readonly error?: VehicleAuctionError }[];
}

/** Interval of checking a quota that others use, ms. */
const LOOK_MS = 1_000;

const CALL = { call: 'media.prefetch', operation: 'media.prefetch' };

/** Fills a cache with the photos of lots: the first of each lot, then the second ones, and so on. */
export async function prefetch(
  ports: OwnPhotoPorts & { open(url: string, options: CachedCallOptions): Promise<OpenedFile> },
  lots: LotsWithPhotos,
  { perLot = Number.POSITIVE_INFINITY, concurrency = 4, onProgress, ...limits }: PrefetchOptions,
): Promise<PrefetchSummary> {
  const urls = mostVisibleFirst(lots, perLot, concurrency);
  const failed: { url: string; error?: VehicleAuctionError }[] = [];
  const counts = { fetched: 0, cached: 0 };
  const ended = new LinkedSignal(ports.closing, limits.signal);
  let isOver = false;
  let hasFetched = false;
  const one = async (url: string) => {
    // After a request, the quota that others need soon is left to them.
    while (hasFetched && !isOver && !ended.signal.aborted && !ports.isIdle()) {
      await sleep(ports.clock, LOOK_MS, ended.signal);
    }
    if (isOver) return;
    hasFetched = false;
    try {
      const { reply, isPhoto, cached, written } = await ports.open(url, limits);
      await reply.stream.cancel();
      await written;
      hasFetched ||= !cached;
      if (isPhoto) counts[cached ? 'cached' : 'fetched'] += 1;
      else failed.push({ url });
    } catch (error) {
      hasFetched = true;
      const failure = failureOfOneFile(error);
      isOver = failure === undefined;
      if (failure === undefined) throw error;
      failed.push({ url, error: failure });
    }
    const progress = { done: counts.fetched + counts.cached + failed.length, total: urls.length };
    notify('onProgress', () => onProgress?.(progress), ports.warn);
  };
  const slots = new Slots(concurrency);
  const runs = await Promise.allSettled(urls.map((url) => slots.run(() => one(url))));
  ended.release();
  for (const run of runs) if (run.status === 'rejected') throw run.reason;
  return { ...counts, failed };
}

/** The photos in rounds, each URL once. @throws InvalidRequestError */
function mostVisibleFirst(lots: LotsWithPhotos, perLot: number, concurrency: number): readonly string[] {
  const issues: InputIssue[] = [];
  const isList = typeof lots !== 'string' && typeof Object(lots)[Symbol.iterator] === 'function';
  if (!isList) issues.push({ path: 'lots', message: 'must be a list of lots with their `images`' });
  if (!(perLot >= 0)) issues.push({ path: 'options.perLot', message: 'must be a number from 0' });
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= MOST_AT_ONCE)) {
    issues.push({ path: 'options.concurrency', message: `must be a whole number from 1 to ${MOST_AT_ONCE}` });
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, CALL);
  const photos = [...lots].map(({ images = [] }) => images.slice(0, perLot));
  const rounds = Math.max(0, ...photos.map(({ length }) => length));
  const inRounds = Array.from({ length: rounds }, (_, round) => photos.flatMap((each) => each[round] ?? []));
  return [...new Set(inRounds.flat())];
}
