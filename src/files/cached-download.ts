import { fileStream } from '../core/caller.js';
import { webStreamChunks } from '../core/transport/transport.js';
import { AbortedError } from '../errors/connection.js';
import { InvalidRequestError } from '../errors/local.js';
import { loggedError } from '../errors/thrown.js';
import type { BinaryReply, ChunkReader } from '../ports/caller.js';
import type { Clock } from '../ports/clock.js';
import { concatBytes } from '../runtime/bytes.js';
import { LinkedSignal, onceAborted, unlessAborted } from '../runtime/timers.js';
import { ask, type WarnAbout } from '../runtime/user-code.js';
import type { CachedFile, MediaCache } from './media-cache.js';
import { notWhole } from './save.js';

/** What a client gives to use a cache. */
export interface CachePorts {
  /** Identifies the credentials: another client may not see the same files. */
  account(): Promise<string>;
  readonly clock: Clock;
  readonly warn: WarnAbout;
}

/** A file that a cache may have. */
export interface FileToOpen {
  /** Method that asks for it, for errors. */
  readonly call: string;
  readonly cache: MediaCache;
  /** Names it within the account. */
  readonly name: readonly string[];
  readonly signal: AbortSignal | undefined;
  /** Fetches it from the service. */
  download(signal: AbortSignal | undefined): Promise<BinaryReply>;
  /** True if the cache may keep what the service sent. */
  mayKeep(reply: BinaryReply): boolean;
  /** Why these bytes are not the file; undefined if they are, or if nothing is known of it. */
  problemOf?(bytes: Uint8Array): string | undefined;
}

/** An open file. */
export interface Opened {
  readonly reply: BinaryReply;
  /** `cached`: the cache had it; `fetched`: it has it now; `direct`: it is not kept. */
  readonly from: 'cached' | 'fetched' | 'direct';
  /** Resolves when the cache has written the file, or failed to. Never rejects. */
  readonly written: Promise<void>;
}

/** Larger files are not cached: one in flight is held in memory. */
export const MOST_BYTES = 16 * 1024 * 1024;

/** Timeout of a cache, ms. */
const CACHE_MS = 10_000;

/** A file that is being looked up or fetched, for all who ask for it meanwhile. */
interface Flight {
  /** `uncached` is a file that can't be shared: the first who asked reads it. */
  readonly result: Promise<
    { readonly file: CachedFile; readonly cached: boolean } | { readonly uncached: BinaryReply }
  >;
  readonly ended: LinkedSignal;
  /** Resolves when the cache has written the file, or failed to. Never rejects. */
  readonly written: Promise<void>;
  /** Lets the next who asks start another one. */
  forget(): void;
  waiting: number;
  /** Once the reply has begun, the file is fetched and cached even if nobody waits for it. */
  hasBegun: boolean;
}

/** By cache, so that all clients with one cache share their calls. */
const flights = new WeakMap<MediaCache, Map<string, Flight>>();

function flightsOf(cache: MediaCache): Map<string, Flight> {
  const all = flights.get(cache) ?? new Map<string, Flight>();
  flights.set(cache, all);
  return all;
}

/** Opens a file from a cache, or from the service with one request for all who ask for it at once. */
export async function openCached(ports: CachePorts, file: FileToOpen): Promise<Opened> {
  const { cache, signal, download } = file;
  checkCache(cache);
  const direct = async (): Promise<Opened> => ({
    reply: await download(signal),
    from: 'direct',
    written: Promise.resolve(),
  });
  // If the credentials can't be had, the call reports it.
  const account = await ports.account().catch(() => undefined);
  if (account === undefined) return direct();
  const key = JSON.stringify([account, ...file.name]);
  const known = flightsOf(cache).get(key);
  const flight = known ?? startFlight(ports, file, key);
  const found = await landing(flight, signal);
  const { written } = flight;
  if ('file' in found) {
    return { reply: cachedReply(found.file), from: found.cached ? 'cached' : 'fetched', written };
  }
  if (known !== undefined) return direct();
  const unfollow = onceAborted(signal, () => flight.ended.fire(signal?.reason));
  const { uncached } = found;
  const stream = fileStream(streamOf([], uncached.stream.getReader(), unfollow));
  return { reply: { ...uncached, stream }, from: 'direct', written };
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

function startFlight(ports: CachePorts, file: FileToOpen, key: string): Flight {
  const { call, cache, download, mayKeep } = file;
  const all = flightsOf(cache);
  const ended = new LinkedSignal();
  const open = async () => {
    const cached = await readCache(ports, file, key);
    if (cached !== undefined) return { file: cached, cached: true };
    const reply = await download(ended.signal);
    flight.hasBegun = true;
    if (!mayKeep(reply) || (reply.contentLength ?? 0) > MOST_BYTES) return { uncached: reply };
    const bytes = await readWhole(reply, call);
    if (!(bytes instanceof Uint8Array)) return { uncached: bytes };
    const problem = file.problemOf?.(bytes);
    if (problem !== undefined) throw notWhole(call, problem);
    const { contentType = '', contentDisposition } = reply;
    return { file: { bytes, contentType, contentDisposition, storedAt: ports.clock.now() }, cached: false };
  };
  const forget = () => {
    if (all.get(key) === flight) all.delete(key);
  };
  const result = open();
  // The flight ends once the cache has the file: nobody may find it in neither.
  const written = result
    .then((found) =>
      'file' in found && !found.cached ? writeCache(ports, cache, key, found.file) : undefined,
    )
    .catch(() => undefined)
    .finally(forget);
  const flight: Flight = { result, written, ended, forget, waiting: 0, hasBegun: false };
  all.set(key, flight);
  return flight;
}

async function readCache(
  { clock, warn }: CachePorts,
  { cache, problemOf }: FileToOpen,
  key: string,
): Promise<CachedFile | undefined> {
  try {
    const file = await ask(() => cache.get(key), { name: 'cache.get', clock, limit: CACHE_MS });
    if (file === undefined || problemOf?.(file.bytes) !== undefined) return undefined;
    const age = clock.now() - file.storedAt;
    // A time in the future is of a clock that was wrong.
    return age > cache.maxAge || age < -cache.maxAge ? undefined : file;
  } catch (error) {
    warn('The media cache failed; the file is fetched', () => ({ error: loggedError(error) }));
    return undefined;
  }
}

async function writeCache(
  { clock, warn }: CachePorts,
  cache: MediaCache,
  key: string,
  file: CachedFile,
): Promise<void> {
  try {
    await ask(async () => cache.put(key, file), { name: 'cache.put', clock, limit: CACHE_MS });
  } catch (error) {
    warn('The media cache failed; the file is not cached', () => ({ error: loggedError(error) }));
  }
}

/** The bytes of a file, or the same reply again if it turns out to be too large for the cache. */
async function readWhole(reply: BinaryReply, call: string): Promise<Uint8Array | BinaryReply> {
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
    throw notWhole(call, `has ${bytes} bytes, and ${reply.contentLength} were announced`);
  }
  return concatBytes(chunks);
}

/** A stream of the given chunks, then of the rest of a reader. */
function streamOf(
  chunks: readonly Uint8Array[],
  reader?: ChunkReader,
  onEnd?: () => void,
): ReadableStream<Uint8Array> {
  const all = (async function* () {
    try {
      yield* chunks;
      yield* webStreamChunks(reader);
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

function cachedReply({ bytes, contentType, contentDisposition }: CachedFile): BinaryReply {
  const stream = fileStream(streamOf([bytes]));
  return { stream, contentType, contentDisposition, contentLength: bytes.length };
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
