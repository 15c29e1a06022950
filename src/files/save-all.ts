import { ApiError, AuthenticationError } from '../errors/api.js';
import { VehicleAuctionError } from '../errors/base.js';
import { UnexpectedResponseError } from '../errors/connection.js';
import { FileError, onDisk } from '../errors/file.js';
import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import { thrownMessage } from '../errors/thrown.js';
import { isTransient } from '../following/pace.js';
import type { BinaryReply } from '../ports/caller.js';
import type { KnownOptions } from '../runtime/injected.js';
import { nodeModule } from '../runtime/node-modules.js';
import { notify, type WarnAbout } from '../runtime/user-code.js';
import { type CachedCallOptions, cachedOptions } from './photos.js';
import { removeAbandonedParts, type SavedFile } from './save.js';

const { mkdir, readdir } = nodeModule('node:fs/promises');
const { extname, join } = nodeModule('node:path');

/** Absolute URLs of photos or documents, from replies. */
export type FilesToSave = Iterable<string>;

/** Options of `media.saveAll`. */
export interface SaveAllOptions extends CachedCallOptions {
  /** Downloads at once, 1 to 16; defaults to 4. */
  readonly concurrency?: number | undefined;
  /**
   * Returns the name of a file without extension, which depends on its type: letters, digits, `.`, `_` and `-`. Defaults to
   * the last ids in the URL.
   */
  readonly nameOf?: ((url: string, index: number) => string) | undefined;
  /** Called after each file. Not awaited; its errors are logged. */
  readonly onProgress?: ((progress: SaveProgress) => unknown) | undefined;
}

export const saveAllOptions: KnownOptions<SaveAllOptions> = {
  ...cachedOptions,
  concurrency: true,
  nameOf: true,
  onProgress: true,
};

/** Progress of `media.saveAll`. */
export interface SaveProgress {
  /** Files that are saved, existed already, or failed. */
  readonly done: number;
  readonly total: number;
  readonly failed: number;
  /** Bytes that were saved. */
  readonly bytes: number;
  readonly latest: SavedMedia;
}

/** Result of one file. */
export type SavedMedia =
  | { readonly status: 'saved'; readonly url: string; readonly file: SavedFile }
  /** A file of this name existed; it was not read again. */
  | { readonly status: 'existing'; readonly url: string; readonly path: string }
  | { readonly status: 'failed'; readonly url: string; readonly error: VehicleAuctionError };

/** Functions to download and save a file. */
interface Saving {
  save(url: string, path: (reply: BinaryReply) => string, options: CachedCallOptions): Promise<SavedFile>;
  /** @throws InvalidRequestError for a URL that is not of the service */
  pathOf(url: string): string;
  readonly warn: WarnAbout;
}

const CALL = { call: 'media.saveAll', operation: 'media.saveAll' };

/** As many as a service gives connections for downloads. */
export const MOST_AT_ONCE = 16;

export async function saveAll(
  { save, pathOf, warn }: Saving,
  urls: FilesToSave,
  folder: string,
  { concurrency = 4, nameOf, onProgress, ...limits }: SaveAllOptions,
): Promise<readonly SavedMedia[]> {
  const list = checkedUrls(urls, concurrency);
  const names = fileNames(list, nameOf ?? ((url) => nameIn(pathOf(url))));
  const existing = await onDisk(folder, { ...CALL, outcome: 'not_sent' }, async () => {
    await mkdir(folder, { recursive: true });
    await removeAbandonedParts(folder);
    return new Map((await readdir(folder)).map((name) => [stemOf(name), name]));
  });
  const results = new Map<number, SavedMedia>();
  let failed = 0;
  let bytes = 0;

  const one = async (index: number, url: string): Promise<SavedMedia> => {
    const name = names[index] ?? '';
    if (typeof name !== 'string') return { status: 'failed', url, error: name };
    const there = existing.get(name);
    if (there !== undefined) return { status: 'existing', url, path: join(folder, there) };
    try {
      const path = ({ contentType }: BinaryReply) => join(folder, name + endingOf(contentType));
      return { status: 'saved', url, file: await save(url, path, { lane: 'poll', ...limits }) };
    } catch (error) {
      const failure = failureOfOneFile(error);
      if (failure === undefined) throw error;
      return { status: 'failed', url, error: failure };
    }
  };
  const waiting = list.entries();
  let isOver = false;
  const lane = async () => {
    for (const [index, url] of waiting) {
      if (isOver) return;
      const latest = await one(index, url).catch((error: unknown) => {
        isOver = true;
        throw error;
      });
      results.set(index, latest);
      if (latest.status === 'failed') failed += 1;
      if (latest.status === 'saved') bytes += latest.file.bytes;
      const progress = { done: results.size, total: list.length, failed, bytes, latest };
      notify('onProgress', () => onProgress?.(progress), warn);
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: concurrency }, lane));
  for (const each of lanes) if (each.status === 'rejected') throw each.reason;
  return list.flatMap((_, index) => results.get(index) ?? []);
}

/** An error that concerns one file; undefined for any other error, which ends the run. */
export function failureOfOneFile(error: unknown): VehicleAuctionError | undefined {
  if (!(error instanceof VehicleAuctionError)) return undefined;
  const isOfOne =
    (error instanceof ApiError && error.status !== 401 && !(error instanceof AuthenticationError)) ||
    error instanceof UnexpectedResponseError ||
    (error instanceof FileError && error.reason === 'wrong_path') ||
    (error instanceof InvalidRequestError && error.issues.every(({ path }) => path === 'url')) ||
    isTransient(error);
  return isOfOne ? error : undefined;
}

/** `/events/auc_1/lots/lot_1/media/7` is `lot_1-7`. */
function nameIn(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== 'media' && part !== 'documents');
  return parts.slice(-2).join('-');
}

/** Extensions by stored type, never by a name that others chose. */
const endings: ReadonlyMap<string | undefined, string> = new Map([
  ['image/jpeg', '.jpg'],
  ['image/png', '.png'],
  ['image/webp', '.webp'],
  ['image/gif', '.gif'],
  ['image/heic', '.heic'],
  ['application/pdf', '.pdf'],
]);

function endingOf(contentType = ''): string {
  return endings.get(contentType.split(';')[0]?.trim().toLowerCase()) ?? '.bin';
}

function stemOf(name: string): string {
  const ending = extname(name);
  return ending === '' ? name : name.slice(0, -ending.length);
}

function checkedUrls(urls: FilesToSave, concurrency: number): readonly string[] {
  const issues: InputIssue[] = [];
  const isList = typeof urls !== 'string' && typeof urls?.[Symbol.iterator] === 'function';
  if (!isList) issues.push({ path: 'urls', message: 'must be a list of absolute URLs' });
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= MOST_AT_ONCE)) {
    const message = `must be a whole number from 1 to ${MOST_AT_ONCE}`;
    issues.push({ path: 'options.concurrency', message });
  }
  if (issues.length > 0) throw new InvalidRequestError(issues, CALL);
  return [...new Set(urls)];
}

/** Names that Windows reserves for devices, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** The name of each file, without extension; an error in place of a name that can't be used. */
function fileNames(
  urls: readonly string[],
  nameOf: (url: string, index: number) => string,
): readonly (string | VehicleAuctionError)[] {
  const used = new Set<string>();
  const checked = (url: string, index: number): string => {
    const name = nameOf(url, index);
    if (typeof name !== 'string' || !/^[\w-][\w.-]{0,199}$/.test(name)) {
      throw new Error('needs a file name of letters, digits, ".", "_" or "-"');
    }
    const safe = RESERVED.test(name) ? `_${name}` : name;
    // Windows and macOS don't tell upper from lower case.
    const folded = safe.toLowerCase();
    if (used.has(folded)) throw new Error('must have a unique name, compared in lower case');
    used.add(folded);
    return safe;
  };
  return urls.map((url, index) => {
    try {
      return checked(url, index);
    } catch (error) {
      if (error instanceof VehicleAuctionError) return error;
      const issues = [{ path: `urls.${index}`, message: thrownMessage(error) }];
      return new InvalidRequestError(issues, CALL);
    }
  });
}
