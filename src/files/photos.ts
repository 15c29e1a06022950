import { fileStream } from '../core/caller.js';
import { chunksOf } from '../core/transport/transport.js';
import { AbortedError } from '../errors/connection.js';
import { InvalidRequestError } from '../errors/local.js';
import { loggedError } from '../errors/thrown.js';
import type { BinaryReply, CallOptions, ChunkReader } from '../ports/caller.js';
import type { Clock } from '../ports/clock.js';
import type { KnownOptions } from '../runtime/injected.js';
import { follow, LinkedSignal, unlessAborted } from '../runtime/timers.js';
import { ask, type WarnAbout } from '../runtime/user-code.js';
import type { CachedPhoto, MediaCache } from './media-cache.js';
import { notWhole } from './save.js';

/** Options of a download that a cache may answer. */
export interface CachedCallOptions extends CallOptions {
  /**
   * Fetches each photo once: `memoryCache(…)` or `diskCache(…)`. Requests for one photo at the same time share one call. With a
   * cache, the default lane is `poll` and the default deadline five minutes. Documents are never cached, because the service
   * checks access on every download.
   */
  readonly cache?: MediaCache | undefined;
}

/** Options of every download by URL. */
export const downloadOptions: KnownOptions<CallOptions> = {
  signal: true,
  timeout: true,
  deadline: true,
  maxAttempts: true,
  lane: true,
  extraQuery: true,
  strict: true,
};
export const cachedOptions: KnownOptions<CachedCallOptions> = { ...downloadOptions, cache: true };

/** What a client gives to fetch photos. */
export interface OwnPhotoPorts {
  /** Identifies the credentials: another client may not see the same photos. */
  account(): Promise<string>;
  readonly clock: Clock;
  readonly warn: WarnAbout;
  /** True if the quota has requests that nobody else needs soon. */
  isIdle(): boolean;
  /** Fires when the client begins to close. */
  readonly closing: AbortSignal;
}

/** What is needed to fetch photos. */
export interface PhotoPorts extends OwnPhotoPorts {
  download(url: string, options: CallOptions): Promise<BinaryReply>;
  /** The path of a URL after `/api/v1`. @throws InvalidRequestError for a URL that is not of the service */
  pathOf(url: string): string;
}

/** A file, and whether it is a photo of a lot, which may be cached. */
export interface OpenedFile {
  readonly reply: BinaryReply;
  readonly isPhoto: boolean;
  /** True if the cache had it. */
  readonly cached: boolean;
}

/** Larger files are not cached: one in flight is held in memory. */
const MOST_BYTES = 16 * 1024 * 1024;

/** Timeout of a cache, ms. */
const CACHE_MS = 10_000;

/** A page of photos may take longer than one call: it has the quota that others leave. */
const DEFAULTS = { lane: 'poll', deadline: 300_000 } as const;

/** A photo that is being looked up or fetched, for all who ask for it meanwhile. */
interface Flight {
  /** `uncached` is a file that can't be shared: the first who asked reads it. */
  readonly result: Promise<
    { readonly photo: CachedPhoto; readonly cached: boolean } | { readonly uncached: BinaryReply }
  >;
  readonly ended: LinkedSignal;
  /** Lets the next who asks start another one. */
  forget(): void;
  waiting: number;
  /** Once the reply has begun, the photo is fetched and cached even if nobody waits for it. */
  hasBegun: boolean;
}

/** By cache, so that all clients with one cache share their calls. */
const flights = new WeakMap<MediaCache, Map<string, Flight>>();

function flightsOf(cache: MediaCache): Map<string, Flight> {
  const all = flights.get(cache) ?? new Map<string, Flight>();
  flights.set(cache, all);
  return all;
}

/** Opens a file of the service, from the cache if there is one and the file is a photo. */
export async function openFile(
  ports: PhotoPorts,
  url: string,
  { cache, ...limits }: CachedCallOptions,
): Promise<OpenedFile> {
  const media = mediaIn(ports.pathOf(url));
  const direct = async (): Promise<OpenedFile> => {
    const reply = await ports.download(url, limits);
    return { reply, isPhoto: media !== undefined && isImage(reply), cached: false };
  };
  if (cache === undefined || media === undefined) return direct();
  checkCache(cache);
  // If the credentials can't be had, the call reports it.
  const account = await ports.account().catch(() => undefined);
  if (account === undefined) return direct();
  const key = JSON.stringify([account, media.lot, media.id]);
  const known = flightsOf(cache).get(key);
  const flight = known ?? startFlight(ports, url, { cache, key, limits });
  const found = await landing(flight, limits.signal);
  if ('photo' in found) return { reply: replyOf(found.photo), isPhoto: true, cached: found.cached };
  if (known !== undefined) return direct();
  const unfollow = follow(limits.signal, () => flight.ended.fire(limits.signal?.reason));
  const { uncached } = found;
  const stream = fileStream(streamOf([], uncached.stream.getReader(), unfollow));
  return { reply: { ...uncached, stream }, isPhoto: isImage(uncached), cached: false };
}

/** The lot and media ids of a photo or document of a lot. Evidence documents have other paths. */
function mediaIn(path: string): { readonly lot: string; readonly id: string } | undefined {
  const [, lot, id] = /^\/events\/[^/]+\/lots\/([^/]+)\/media\/([^/]+)$/.exec(path) ?? [];
  return lot === undefined || id === undefined ? undefined : { lot, id };
}

function checkCache(cache: MediaCache): void {
  const { get, put, maxAge }: MediaCache = Object(cache);
  if (typeof get === 'function' && typeof put === 'function' && typeof maxAge === 'number') return;
  throw new InvalidRequestError(
    [
      {
        path: 'options.cache',
        message: 'must be memoryCache(…), diskCache(…), or an object with get, put and maxAge',
      },
    ],
    { call: 'media', operation: 'media' },
  );
}

/** Waits for a flight. The last one to leave before the reply has begun ends it. */
async function landing(flight: Flight, signal: AbortSignal | undefined) {
  flight.waiting += 1;
  try {
    return await unlessAborted(flight.result, signal);
  } catch (error) {
    throw signal?.aborted === true ? abortedBy(signal) : error;
  } finally {
    flight.waiting -= 1;
    if (flight.waiting === 0 && !flight.hasBegun) {
      flight.forget();
      flight.ended.fire();
    }
  }
}

function startFlight(
  ports: PhotoPorts,
  url: string,
  { cache, key, limits }: { readonly cache: MediaCache; readonly key: string; readonly limits: CallOptions },
): Flight {
  const all = flightsOf(cache);
  const ended = new LinkedSignal();
  const fetchPhoto = async () => {
    const cached = await readCache(ports, cache, key);
    if (cached !== undefined) return { photo: cached, cached: true };
    const { signal } = ended;
    const reply = await ports.download(url, { ...DEFAULTS, ...limits, signal });
    flight.hasBegun = true;
    if (!isImage(reply) || (reply.contentLength ?? 0) > MOST_BYTES) return { uncached: reply };
    const read = await readWhole(reply);
    if (!(read instanceof Uint8Array)) return { uncached: read };
    const { contentType = '', contentDisposition } = reply;
    const photo = { bytes: read, contentType, contentDisposition, storedAt: ports.clock.now() };
    return { photo, cached: false };
  };
  const forget = () => {
    if (all.get(key) === flight) all.delete(key);
  };
  const flight: Flight = { result: fetchPhoto(), ended, forget, waiting: 0, hasBegun: false };
  all.set(key, flight);
  // It ends once the cache has the photo: nobody may find it in neither.
  void flight.result
    .then((found) =>
      'photo' in found && !found.cached ? writeCache(ports, cache, key, found.photo) : undefined,
    )
    .catch(() => undefined)
    .finally(forget);
  return flight;
}

async function readCache(
  { clock, warn }: PhotoPorts,
  cache: MediaCache,
  key: string,
): Promise<CachedPhoto | undefined> {
  try {
    const photo = await ask(() => cache.get(key), { name: 'cache.get', clock, limit: CACHE_MS });
    const age = photo === undefined ? 0 : clock.now() - photo.storedAt;
    // A time in the future is of a clock that was wrong.
    return age > cache.maxAge || age < -cache.maxAge ? undefined : photo;
  } catch (error) {
    warn('The media cache failed; the photo is fetched', () => ({ error: loggedError(error) }));
    return undefined;
  }
}

async function writeCache(
  { clock, warn }: PhotoPorts,
  cache: MediaCache,
  key: string,
  photo: CachedPhoto,
): Promise<void> {
  try {
    await ask(async () => cache.put(key, photo), { name: 'cache.put', clock, limit: CACHE_MS });
  } catch (error) {
    warn('The media cache failed; the photo is not cached', () => ({ error: loggedError(error) }));
  }
}

/** The bytes of a photo, or the same reply again if it turns out to be too large for the cache. */
async function readWhole(reply: BinaryReply): Promise<Uint8Array | BinaryReply> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = reply.stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    bytes += value.length;
    if (bytes > MOST_BYTES) return { ...reply, stream: fileStream(streamOf(chunks, reader)) };
  }
  if (reply.contentLength !== undefined && reply.contentLength !== bytes) {
    throw notWhole('media.serve', `has ${bytes} bytes, and ${reply.contentLength} were announced`);
  }
  return Buffer.concat(chunks);
}

/** A stream of chunks, and of what a reader has left. */
function streamOf(
  chunks: readonly Uint8Array[],
  reader?: ChunkReader,
  onEnd?: () => void,
): ReadableStream<Uint8Array> {
  const all = (async function* () {
    try {
      yield* chunks;
      yield* chunksOf(reader);
    } finally {
      onEnd?.();
    }
  })();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await all.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await all.return(undefined);
    },
  });
}

function replyOf({ bytes, contentType, contentDisposition }: CachedPhoto): BinaryReply {
  const stream = fileStream(streamOf([bytes]));
  return { stream, contentType, contentDisposition, contentLength: bytes.length };
}

/** Photos are sent inline, documents as attachments. */
function isImage({ contentType = '', contentDisposition = '' }: BinaryReply): boolean {
  return /^\s*image\//i.test(contentType) && !/^\s*attachment/i.test(contentDisposition);
}

function abortedBy(signal: AbortSignal): AbortedError {
  return new AbortedError({
    call: 'media.download',
    operation: 'media.download',
    reason: 'aborted',
    outcome: 'unknown',
    cause: signal.reason,
    what: 'The download was aborted by your signal.',
    nextStep: 'Nothing else needs to be done: a download changes nothing.',
  });
}
