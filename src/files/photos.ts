import type { BinaryReply, CallOptions } from '../ports/caller.js';
import type { KnownOptions } from '../runtime/injected.js';
import { type CachePorts, openCached } from './cached-download.js';
import type { MediaCache } from './media-cache.js';

/** Options of a download that a cache may answer. */
export interface CachedCallOptions extends CallOptions {
  /**
   * Fetches each photo once: `memoryCache(…)` or `diskCache(…)`. Requests for one photo at the same time share one call. With a
   * cache, the default lane is `poll` and the default deadline five minutes. Documents by URL are never cached, because the
   * service checks access on every download; `documents.save` and `documents.download` check it.
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

/** What a client gives to fetch files. */
export interface OwnPhotoPorts extends CachePorts {
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
  /** Resolves when the cache has written the file, or failed to. Never rejects. */
  readonly written: Promise<void>;
}

/** A page of photos may take longer than one call: it has the quota that others leave. */
const DEFAULTS = { lane: 'poll', deadline: 300_000 } as const;

/** Opens a file of the service, from the cache if there is one and the file is a photo. */
export async function openFile(
  ports: PhotoPorts,
  url: string,
  { cache, ...limits }: CachedCallOptions,
): Promise<OpenedFile> {
  const media = mediaIn(ports.pathOf(url));
  if (cache === undefined || media === undefined) {
    const reply = await ports.download(url, limits);
    return {
      reply,
      isPhoto: media !== undefined && isImage(reply),
      cached: false,
      written: Promise.resolve(),
    };
  }
  const { reply, from, written } = await openCached(ports, {
    call: 'media.serve',
    cache,
    name: [media.lot, media.id],
    signal: limits.signal,
    download: (signal) => ports.download(url, { ...DEFAULTS, ...limits, signal }),
    mayKeep: isImage,
  });
  return { reply, isPhoto: isImage(reply), cached: from === 'cached', written };
}

/** The lot and media ids of a photo or document of a lot. Evidence documents have other paths. */
function mediaIn(path: string): { readonly lot: string; readonly id: string } | undefined {
  const [, lot, id] = /^\/events\/[^/]+\/lots\/([^/]+)\/media\/([^/]+)$/.exec(path) ?? [];
  return lot === undefined || id === undefined ? undefined : { lot, id };
}

/** Photos are sent inline, documents as attachments. */
function isImage({ contentType = '', contentDisposition = '' }: BinaryReply): boolean {
  return /^\s*image\//i.test(contentType) && !/^\s*attachment/i.test(contentDisposition);
}
