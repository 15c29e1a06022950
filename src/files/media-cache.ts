import { InvalidRequestError } from '../errors/local.js';

/** A photo or document in a cache. */
export interface CachedFile {
  readonly bytes: Uint8Array;
  /** Stored MIME type, such as `image/jpeg`. */
  readonly contentType: string;
  readonly contentDisposition?: string | undefined;
  /** When it was fetched, Unix ms. */
  readonly storedAt: number;
}

/**
 * A cache of photos for `media.serve`, `save`, `saveAll` and `prefetch`, and of documents for `documents.save` and `download`:
 * `memoryCache`, `diskCache`, or your own. A cache that fails or hangs is logged, and the file is fetched.
 */
export interface MediaCache {
  /** Files that were fetched longer ago are fetched again, ms. */
  readonly maxAge: number;
  /**
   * Returns a file, or undefined. The key names the account, and the lot and media id of a photo, or the id and digest of a
   * document.
   */
  get(key: string): Promise<CachedFile | undefined> | CachedFile | undefined;
  /** Keeps a file in place of an earlier one. */
  put(key: string, file: CachedFile): unknown;
}

/** Limits of a cache. */
export interface CacheOptions {
  /** Bytes of files to keep. The files that were used longest ago are removed first. */
  readonly maxBytes: number;
  /** Files that were fetched longer ago are fetched again, ms; defaults to one day. */
  readonly maxAge?: number | undefined;
}

const DAY_MS = 86_400_000;

/** The limits of a cache with their defaults. @throws InvalidRequestError */
export function cacheLimits(call: string, options: CacheOptions): { maxBytes: number; maxAge: number } {
  const { maxBytes, maxAge = DAY_MS }: CacheOptions = Object(options);
  const issues = [
    ...(Number.isSafeInteger(maxBytes) && maxBytes > 0
      ? []
      : [{ path: 'options.maxBytes', message: 'must be a whole number of bytes above zero' }]),
    ...(maxAge > 0
      ? []
      : [{ path: 'options.maxAge', message: 'must be a number of milliseconds above zero' }]),
  ];
  if (issues.length > 0) throw new InvalidRequestError(issues, { call, operation: call });
  return { maxBytes, maxAge };
}

/**
 * Creates a cache of photos and documents in the memory of this process.
 *
 * @throws InvalidRequestError for limits that are not numbers above zero.
 */
export function memoryCache(options: CacheOptions): MediaCache {
  const { maxBytes, maxAge } = cacheLimits('memoryCache', options);
  /** Longest unused first. */
  const files = new Map<string, CachedFile>();
  let size = 0;
  const remove = (key: string) => {
    size -= files.get(key)?.bytes.length ?? 0;
    files.delete(key);
  };
  return {
    maxAge,
    get: (key) => {
      const file = files.get(key);
      if (file === undefined) return undefined;
      files.delete(key);
      files.set(key, file);
      return file;
    },
    put: (key, file) => {
      remove(key);
      if (file.bytes.length > maxBytes) return;
      files.set(key, file);
      size += file.bytes.length;
      for (const oldest of files.keys()) {
        if (size <= maxBytes) return;
        remove(oldest);
      }
    },
  };
}
