import { nodeModule } from '../runtime/node-modules.js';
import { systemClock } from '../runtime/timers.js';
import { sha256Hex } from '../signing/signer.js';
import { type CachedFile, type CacheOptions, cacheLimits, type MediaCache } from './media-cache.js';
import { partIn, removeAbandonedParts } from './save.js';

const { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } = nodeModule('node:fs/promises');
const { join } = nodeModule('node:path');

/**
 * Creates a cache of photos and documents in a folder, which may be shared by processes of one machine and survives a restart.
 *
 * Each photo or document is a file with its digest. Files are renamed into place once they are complete, and damaged ones count as
 * absent. With several processes the folder may exceed `maxBytes` by a sixteenth for each.
 *
 * @param folder Folder for this cache only; created, for this user only, if it does not exist.
 * @throws InvalidRequestError for limits that are not numbers above zero.
 */
export function diskCache(folder: string, options: CacheOptions): MediaCache {
  const { maxBytes, maxAge } = cacheLimits('diskCache', options);
  const disk = new CacheFolder(folder, maxBytes);
  return { maxAge, get: (key) => disk.get(key), put: (key, photo) => disk.put(key, photo) };
}

/** Names of files are digests of keys: no key can leave the folder. */
const NAME = /^[0-9a-f]{64}\.photo$/;

class CacheFolder {
  readonly #folder: string;
  readonly #maxBytes: number;
  #prepared: Promise<void> | undefined;
  /** Bytes that this process wrote since it last looked at the folder; undefined before the first look. */
  #written: number | undefined;
  #trimming: Promise<void> | undefined;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  async get(key: string): Promise<CachedFile | undefined> {
    const path = this.#pathOf(key);
    const file = await readFile(path).catch(absent);
    if (file === undefined) return undefined;
    const photo = photoIn(file, key);
    if (photo === undefined) await rm(path, { force: true });
    // The time of its last use, by which old ones are removed.
    else await utimes(path, new Date(), new Date(systemClock.now())).catch(() => undefined);
    return photo;
  }

  async put(key: string, photo: CachedFile): Promise<void> {
    const file = encodedFile(key, photo);
    if (file.length > this.#maxBytes) return;
    this.#prepared ??= this.#prepare();
    await this.#prepared.catch((error: unknown) => {
      this.#prepared = undefined;
      throw error;
    });
    const part = partIn(this.#folder);
    try {
      await writeFile(part, file, { flag: 'wx', mode: 0o600 });
      await rename(part, this.#pathOf(key));
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
    await this.#grown(file.length);
  }

  #pathOf(key: string): string {
    return join(this.#folder, `${sha256Hex(key)}.photo`);
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await removeAbandonedParts(this.#folder);
  }

  async #grown(bytes: number): Promise<void> {
    const isDue = this.#written === undefined || this.#written + bytes > this.#maxBytes / 16;
    this.#written = isDue ? 0 : (this.#written ?? 0) + bytes;
    if (!isDue) return;
    const trimming = (this.#trimming ?? Promise.resolve()).then(() => this.#trim());
    this.#trimming = trimming.catch(() => undefined);
    await trimming;
  }

  /** Removes the files that were used longest ago, so that there is room until the next look. */
  async #trim(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => NAME.test(name));
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        const found = await stat(path).catch(absent);
        return found === undefined ? [] : [{ path, size: found.size, usedAt: found.mtimeMs }];
      }),
    );
    const oldestFirst = files.flat().sort((one, other) => one.usedAt - other.usedAt);
    let size = oldestFirst.reduce((sum, file) => sum + file.size, 0);
    for (const file of oldestFirst) {
      if (size <= (this.#maxBytes * 15) / 16) return;
      await rm(file.path, { force: true });
      size -= file.size;
    }
  }
}

function absent(error: unknown): undefined {
  if (Object(error).code !== 'ENOENT') throw error;
}

/** A line of JSON with the facts of the photo, and its bytes. */
function encodedFile(key: string, { bytes, contentType, contentDisposition, storedAt }: CachedFile): Buffer {
  const facts = {
    key,
    contentType,
    contentDisposition,
    storedAt,
    bytes: bytes.length,
    sha256: sha256Hex(bytes),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(facts)}\n`), bytes]);
}

/** The photo in a file; undefined if the file is damaged, or of another key. */
function photoIn(file: Buffer, key: string): CachedFile | undefined {
  const end = file.indexOf('\n');
  const facts = factsIn(file.toString('utf8', 0, Math.max(0, end)));
  const bytes = file.subarray(end + 1);
  if (facts['key'] !== key || facts['bytes'] !== bytes.length || facts['sha256'] !== sha256Hex(bytes)) {
    return undefined;
  }
  const { contentType, contentDisposition, storedAt } = facts;
  if (typeof contentType !== 'string' || typeof storedAt !== 'number') return undefined;
  return {
    bytes,
    contentType,
    storedAt,
    ...(typeof contentDisposition === 'string' && { contentDisposition }),
  };
}

function factsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
