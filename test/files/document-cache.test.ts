import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Route } from '../../src/api/operation.js';
import { fileStream } from '../../src/core/caller.js';
import { diskCache } from '../../src/files/disk-cache.js';
import { Documents } from '../../src/files/documents.js';
import { type CachedFile, type MediaCache, memoryCache } from '../../src/files/media-cache.js';
import type { BinaryReply, Caller, CallInput } from '../../src/ports/caller.js';
import { systemClock } from '../../src/runtime/timers.js';
import { apiError, testPace } from '../following/support.js';
import { rejection } from '../support/clients.js';
import { VirtualClock } from '../support/virtual-clock.js';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'documents-'));
});

afterEach(() => rm(folder, { recursive: true }));

const digestOf = (content: string) => createHash('sha256').update(content).digest('hex');
const textOf = async ({ stream }: BinaryReply) => new Response(stream).text();

/** A service with one document, and what it was asked. */
class Archive {
  readonly asked: string[] = [];
  content = 'NEFT, UTR 1';
  state = 'ready';
  digest: string | undefined = digestOf(this.content);
  /** What it sends in place of the content. */
  sent: string | undefined;
  /** What metadata reads fail with. */
  refusal: Error | undefined;

  replace(content: string): void {
    this.content = content;
    this.digest = digestOf(content);
  }

  documents(account = 'bank.example client-1'): Documents {
    const call = (async ({ envelope }: Route, { path }: CallInput) => {
      const kind = envelope === 'binary' ? 'file' : 'metadata';
      this.asked.push(kind);
      await null;
      if (this.refusal !== undefined) throw this.refusal;
      if (kind === 'metadata') {
        const data = {
          bytes: this.content.length,
          ...(this.digest !== undefined && { digest: this.digest }),
        };
        return { id: String(path?.['document']), state: this.state, resource_version: 1, data };
      }
      if (this.state !== 'ready') throw apiError(409);
      const bytes = new TextEncoder().encode(this.sent ?? this.content);
      const stream = fileStream(new Response(bytes).body ?? new ReadableStream());
      return {
        stream,
        contentType: 'text/plain',
        contentLength: undefined,
        contentDisposition: 'attachment',
      };
    }) as Caller;
    const { pace } = testPace(new VirtualClock());
    const ports = { account: async () => account, clock: systemClock, warn: () => undefined };
    return new Documents(call, pace, ports);
  }

  /** What was asked since the last time. */
  news(): string[] {
    return this.asked.splice(0);
  }
}

describe('a document in a cache', () => {
  it.each([
    ['memoryCache', () => memoryCache({ maxBytes: 1_000 })],
    ['diskCache', () => diskCache(join(folder, 'cache'), { maxBytes: 10_000 })],
  ])('is fetched once for save and download, and its metadata is read each time: %s', async (_, cacheOf) => {
    const archive = new Archive();
    const documents = archive.documents();
    const inner = cacheOf();
    const written: unknown[] = [];
    const cache: MediaCache = {
      maxAge: inner.maxAge,
      get: (key) => inner.get(key),
      put: (key, file) => {
        const put = inner.put(key, file);
        written.push(put);
        return put;
      },
    };
    const path = join(folder, 'slip.txt');
    const saved = await documents.save('doc_1', path, { cache });
    expect(archive.news()).toEqual(['metadata', 'file']);
    expect(saved).toMatchObject({ sha256: archive.digest, contentType: 'text/plain' });
    // Until then, others are answered from the download.
    await Promise.all(written);
    const again = await documents.save('doc_1', path, { cache });
    expect([again, await readFile(path, 'utf8')]).toEqual([saved, 'NEFT, UTR 1']);
    const opened = await documents.download({ id: 'doc_1' }, { cache });
    expect([await textOf(opened), opened.contentDisposition]).toEqual(['NEFT, UTR 1', 'attachment']);
    expect(archive.news()).toEqual(['metadata', 'metadata']);
  });

  it('is not given out once the service refuses its metadata or reports another state', async () => {
    const archive = new Archive();
    const documents = archive.documents();
    const cache = memoryCache({ maxBytes: 1_000 });
    await textOf(await documents.download('doc_1', { cache }));
    archive.refusal = apiError(404);
    for (const refused of [
      documents.download('doc_1', { cache }),
      documents.save('doc_1', join(folder, 'x'), { cache }),
    ]) {
      expect(await rejection(refused)).toMatchObject({ status: 404 });
    }
    archive.refusal = undefined;
    archive.state = 'quarantined';
    archive.news();
    expect(await rejection(documents.download('doc_1', { cache }))).toMatchObject({ status: 409 });
    expect(archive.news()).toEqual(['metadata', 'file']);
  });

  it('is fetched again with another digest, for another account, and without a digest that can be compared', async () => {
    const archive = new Archive();
    const cache = memoryCache({ maxBytes: 1_000 });
    const read = async (documents = archive.documents()) =>
      textOf(await documents.download('doc_1', { cache }));
    await read();
    archive.replace('NEFT, UTR 2');
    expect(await read()).toBe('NEFT, UTR 2');
    await read(archive.documents('bank.example client-2'));
    archive.news();
    archive.digest = 'md5:0123';
    await read();
    await read();
    archive.digest = undefined;
    await read();
    expect(archive.news()).toEqual(['metadata', 'file', 'metadata', 'file', 'metadata', 'file']);
  });

  it('is never kept if it differs from its metadata, and a damaged entry is fetched again', async () => {
    const archive = new Archive();
    const entries = new Map<string, CachedFile>();
    const cache: MediaCache = {
      maxAge: 60_000,
      get: (key) => entries.get(key),
      put: (key, file) => entries.set(key, file),
    };
    archive.sent = 'NEFT, UTR 9';
    const documents = archive.documents();
    const refused = await rejection(documents.download('doc_1', { cache }));
    expect(refused).toMatchObject({ name: 'UnexpectedResponseError', reason: 'contradiction' });
    expect(entries.size).toBe(0);
    archive.sent = undefined;
    await textOf(await documents.download('doc_1', { cache }));
    const [[key, file] = ['', undefined]] = entries;
    if (file === undefined) throw new Error('not cached');
    expect(key).toContain('client-1');
    entries.set(key, { ...file, bytes: new TextEncoder().encode('tampered!!!') });
    archive.news();
    expect(await textOf(await documents.download('doc_1', { cache }))).toBe('NEFT, UTR 1');
    expect(archive.news()).toEqual(['metadata', 'file']);
  });

  it('is fetched once for all who ask at the same time', async () => {
    const archive = new Archive();
    const documents = archive.documents();
    const cache = memoryCache({ maxBytes: 1_000 });
    const all = await Promise.all(
      Array.from({ length: 5 }, async () => textOf(await documents.download('doc_1', { cache }))),
    );
    expect(new Set(all)).toEqual(new Set(['NEFT, UTR 1']));
    expect(archive.news().filter((kind) => kind === 'file')).toHaveLength(1);
  });

  it('costs one request as before without a cache', async () => {
    const archive = new Archive();
    await textOf(await archive.documents().download('doc_1'));
    expect(archive.news()).toEqual(['file']);
    const wrong = archive.documents().download('doc_1', { cache: {} as MediaCache });
    expect(await rejection(wrong)).toMatchObject({ issues: [{ path: 'options.cache' }] });
  });
});
