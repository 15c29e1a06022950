import { InvalidRequestError } from '../errors/local.js';

/** A photo in a cache. */
export interface CachedPhoto {
  readonly bytes: Uint8Array;
  /** Stored MIME type, such as `image/jpeg`. */
  readonly contentType: string;
  readonly contentDisposition?: string | undefined;
  /** When it was fetched, Unix ms. */
  readonly storedAt: number;
}

/**
 * A cache of photos for `media.serve`, `save`, `saveAll` and `prefetch`: `memoryCache`, `diskCache`, or your own. A cache that
 * fails or hangs is logged, and the photo is fetched.
 */
export interface MediaCache {
  /** Photos that were fetched longer ago are fetched again, ms. */
  readonly maxAge: number;
  /** Returns a photo, or undefined. The key names the account, the lot and the media id. */
  get(key: string): Promise<CachedPhoto | undefined> | CachedPhoto | undefined;
  /** Keeps a photo in place of an earlier one. */
  put(key: string, photo: CachedPhoto): unknown;
}

/** Limits of a cache. */
export interface CacheOptions {
  /** Bytes of photos to keep. The photos that were used longest ago are removed first. */
  readonly maxBytes: number;
  /** Photos that were fetched longer ago are fetched again, ms; defaults to one day. */
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
 * Creates a cache of photos in the memory of this process.
 *
 * @throws InvalidRequestError for limits that are not numbers above zero.
 */
export function memoryCache(options: CacheOptions): MediaCache {
  const { maxBytes, maxAge } = cacheLimits('memoryCache', options);
  /** Longest unused first. */
  const photos = new Map<string, CachedPhoto>();
  let size = 0;
  const remove = (key: string) => {
    size -= photos.get(key)?.bytes.length ?? 0;
    photos.delete(key);
  };
  return {
    maxAge,
    get: (key) => {
      const photo = photos.get(key);
      if (photo === undefined) return undefined;
      photos.delete(key);
      photos.set(key, photo);
      return photo;
    },
    put: (key, photo) => {
      remove(key);
      if (photo.bytes.length > maxBytes) return;
      photos.set(key, photo);
      size += photo.bytes.length;
      for (const oldest of photos.keys()) {
        if (size <= maxBytes) return;
        remove(oldest);
      }
    },
  };
}
