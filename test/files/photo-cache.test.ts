import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fileStream } from '../../src/core/caller.js';
import type { Transport, TransportReply, TransportRequest } from '../../src/core/transport/transport.js';
import { diskCache } from '../../src/files/disk-cache.js';
import { Media } from '../../src/files/media.js';
import { type CachedFile, type MediaCache, memoryCache } from '../../src/files/media-cache.js';
import type { BinaryReply, Caller, CallInput, CallOptions } from '../../src/ports/caller.js';
import { memoryStore } from '../../src/store/memory.js';
import { apiError } from '../following/support.js';
import { credentials, platformWith, rejection } from '../support/clients.js';
import { failingWays, warnings } from '../support/failing-callbacks.js';
import { SmallService } from '../support/small-service.js';
import { VirtualClock } from '../support/virtual-clock.js';

const HOST = 'https://bank.example';
const urlOf = (media: number | string, lot = 'lot_1') =>
  `${HOST}/api/v1/events/auc_1/lots/${lot}/media/${media}`;
const EVIDENCE = `${HOST}/api/v1/documents/doc_1?download=1`;
const content = Buffer.from('the bytes of a photo');

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'photos-'));
});

// A cache may still remove a temporary file.
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

interface Answer {
  readonly type?: string;
  readonly disposition?: string;
  readonly bytes?: Uint8Array;
  /** Announced length, if it is not that of the bytes. */
  readonly length?: number;
}

/** Media over a service that answers in its own time, and what it was asked. */
function service({
  account = 'client-1',
  clock = new VirtualClock(),
  answer = () => ({}),
}: {
  readonly account?: string;
  readonly clock?: VirtualClock;
  readonly answer?: (id: string) => Answer | Error | Promise<Answer>;
} = {}) {
  const asked: string[] = [];
  const options: CallOptions[] = [];
  const call = (async (_: unknown, { path }: CallInput, given: CallOptions = {}): Promise<BinaryReply> => {
    const id = String(path?.['media'] ?? path?.['document']);
    asked.push(id);
    options.push(given);
    const aborted = new Promise<never>((_, reject) => {
      given.signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
    const found = await Promise.race([answer(id), aborted]);
    if (found instanceof Error) throw found;
    const { type = 'image/jpeg', disposition = 'inline', bytes = content, length = bytes.length } = found;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.subarray(0, 5));
        controller.enqueue(bytes.subarray(5));
        controller.close();
      },
    });
    return {
      stream: fileStream(body),
      contentType: type,
      contentLength: length,
      contentDisposition: disposition,
    };
  }) as Caller;
  const { lines, logger } = warnings();
  const media = new Media(
    call,
    { origin: HOST, prefix: '' },
    {
      account: async () => account,
      clock,
      warn: (message, fields) => logger.warn(message, fields()),
      isIdle: () => true,
      closing: new AbortController().signal,
    },
  );
  return { media, asked, options, clock, warned: lines };
}

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

const caches: readonly (readonly [string, () => MediaCache])[] = [
  ['memory', () => memoryCache({ maxBytes: 1_000_000 })],
  ['disk', () => diskCache(join(folder, 'cache'), { maxBytes: 1_000_000 })],
];

describe.each(caches)('a photo served through a cache in %s', (_, newCache) => {
  it('costs one request, however many browsers ask for it at once and afterwards', async () => {
    const { media, asked, options } = service();
    const cache = newCache();
    const serve = () => media.serve(urlOf(7), undefined, { cache });
    const atOnce = await Promise.all(Array.from({ length: 40 }, serve));
    for (const response of [...atOnce, await serve()]) {
      expect(response.headers.get('content-type')).toBe('image/jpeg');
      expect(response.headers.get('content-length')).toBe(String(content.length));
      expect(await bytesOf(response)).toEqual(content);
    }
    expect(asked).toEqual(['7']);
    expect(options[0]).toMatchObject({ lane: 'poll', deadline: 300_000 });
  });

  it('is another one for another lot, media id or account', async () => {
    const cache = newCache();
    const one = service();
    const other = service({ account: 'client-2' });
    for (const { media } of [one, other, one, other]) {
      await media.serve(urlOf(7), undefined, { cache });
      await media.serve(urlOf(8), undefined, { cache });
      await media.serve(urlOf(7, 'lot_2'), undefined, { cache });
    }
    expect([one.asked, other.asked]).toEqual([
      ['7', '8', '7'],
      ['7', '8', '7'],
    ]);
  });

  it('is not kept after an error, which all who asked get', async () => {
    let isThere = false;
    const { media, asked } = service({ answer: () => (isThere ? {} : apiError(404)) });
    const cache = newCache();
    const serve = () => media.serve(urlOf(7), undefined, { cache });
    const failed = await Promise.all([serve(), serve()]);
    expect(failed.map(({ status }) => status)).toEqual([404, 404]);
    isThere = true;
    expect((await serve()).status).toBe(200);
    expect(asked).toHaveLength(2);
  });

  it('is not kept if it was cut off', async () => {
    let length = 100;
    const { media, asked } = service({ answer: () => ({ length }) });
    const cache = newCache();
    expect((await media.serve(urlOf(7), undefined, { cache })).status).toBe(502);
    length = content.length;
    expect((await media.serve(urlOf(7), undefined, { cache })).status).toBe(200);
    expect(asked).toHaveLength(2);
  });

  it('is saved from the cache, one or many', async () => {
    const { media, asked } = service();
    const cache = newCache();
    await media.serve(urlOf(7), undefined, { cache });
    const path = join(folder, 'photo.jpg');
    expect(await media.save(urlOf(7), path, { cache })).toMatchObject({ bytes: content.length });
    expect(await readFile(path)).toEqual(content);
    await media.saveAll([urlOf(7), urlOf(8)], join(folder, 'all'), { cache });
    expect((await readdir(join(folder, 'all'))).sort()).toEqual(['lot_1-7.jpg', 'lot_1-8.jpg']);
    expect(asked).toEqual(['7', '8']);
  });
});

it('A cached photo is fetched again once it is older than maxAge, by the clock of the client', async () => {
  const { media, asked, clock } = service();
  const cache = memoryCache({ maxBytes: 1_000_000 });
  const serve = () => media.serve(urlOf(7), undefined, { cache });
  await serve();
  clock.setWall(clock.now() + 86_400_000);
  await serve();
  expect(asked).toHaveLength(1);
  clock.setWall(clock.now() + 1);
  await serve();
  expect(asked).toHaveLength(2);
  // A clock that was two days ahead.
  clock.setWall(clock.now() - 2 * 86_400_000);
  await serve();
  expect(asked).toHaveLength(3);
});

describe('documents', () => {
  it.each<[string, string, Answer]>([
    ['a document of a lot', urlOf(7), { disposition: 'attachment; filename="a.jpg"' }],
    ['a file of a lot that is no image', urlOf(7), { type: 'application/pdf' }],
    ['evidence, although it is an image', EVIDENCE, {}],
  ])('are fetched every time, so that access is checked: %s', async (_, url, answer) => {
    const { media, asked } = service({ answer: () => answer });
    const cache = memoryCache({ maxBytes: 1_000_000 });
    const options = { cache, cacheControl: 'private, max-age=86400' };
    for (let time = 1; time <= 2; time += 1) {
      const responses = await Promise.all([
        media.serve(url, undefined, options),
        media.serve(url, undefined, options),
      ]);
      for (const response of responses) {
        expect(await bytesOf(response)).toEqual(content);
        expect(response.headers.get('cache-control')).toBe('private, no-store');
      }
      expect(new Set(asked).size).toBe(1);
      expect(asked.length).toBeGreaterThanOrEqual(2 * time);
    }
  });

  it('end with the signal of the caller while they are read', async () => {
    const pdf = { type: 'application/pdf' };
    const { media, options } = service({ answer: () => pdf });
    const gone = new AbortController();
    const cache = memoryCache({ maxBytes: 1_000_000 });
    await media.serve(urlOf(7), undefined, { cache, signal: gone.signal });
    gone.abort();
    expect(options[0]?.signal?.aborted).toBe(true);
  });
});

describe('Cache-Control for the browser', () => {
  it.each<[string | undefined, string]>([
    [undefined, 'private, no-store'],
    ['private, max-age=86400', 'private, max-age=86400'],
  ])('of a photo is the choice of the owner: %s gives %s', async (cacheControl, expected) => {
    for (const cache of [undefined, memoryCache({ maxBytes: 1_000_000 })]) {
      const response = await service().media.serve(urlOf(7), undefined, { cache, cacheControl });
      expect(response.headers.get('cache-control')).toBe(expected);
    }
  });

  it('can hold no line break', async () => {
    const { media, asked } = service();
    const call = media.serve(urlOf(7), undefined, { cacheControl: 'private\r\nset-cookie: a=b' });
    const issues = [expect.objectContaining({ path: 'options.cacheControl' })];
    expect(await rejection(call)).toMatchObject({ name: 'InvalidRequestError', issues });
    expect(asked).toEqual([]);
  });
});

describe('a browser that goes away', () => {
  function waiting() {
    let reply: () => void = () => undefined;
    const replied = new Promise<Answer>((resolve) => {
      reply = () => resolve({});
    });
    return { ...service({ answer: () => replied }), reply, cache: memoryCache({ maxBytes: 1_000_000 }) };
  }

  it('does not end the request that others wait for', async () => {
    const { media, asked, options, reply, cache } = waiting();
    const gone = new AbortController();
    const first = rejection(media.save(urlOf(7), join(folder, 'x'), { cache, signal: gone.signal }));
    const second = media.serve(urlOf(7), undefined, { cache });
    await expect.poll(() => asked).toHaveLength(1);
    gone.abort(new Error('the browser left'));
    expect(await first).toMatchObject({ name: 'AbortedError', cause: { message: 'the browser left' } });
    expect(options[0]?.signal?.aborted).toBe(false);
    reply();
    expect(await bytesOf(await second)).toEqual(content);
  });

  it('ends the request if nobody else waits for it, and the next one starts afresh', async () => {
    const { media, asked, options, reply, cache } = waiting();
    const gone = new AbortController();
    const first = rejection(media.save(urlOf(7), join(folder, 'x'), { cache, signal: gone.signal }));
    await expect.poll(() => asked).toHaveLength(1);
    gone.abort();
    const next = media.serve(urlOf(7), undefined, { cache });
    await first;
    expect(options[0]?.signal?.aborted).toBe(true);
    reply();
    expect(await bytesOf(await next)).toEqual(content);
    expect(asked).toHaveLength(2);
  });
});

describe('a cache that goes wrong', () => {
  it.each(failingWays)('is logged when it %s, and the photo is fetched', async (_, fail) => {
    for (const broken of ['get', 'put'] as const) {
      const { media, asked, clock, warned } = service();
      const cache: MediaCache = { maxAge: 1_000, get: () => undefined, put: () => undefined, [broken]: fail };
      const serving = media.serve(urlOf(7), undefined, { cache });
      await clock.advance(10_000);
      expect(await bytesOf(await serving)).toEqual(content);
      await expect
        .poll(() => warned.map(([message]) => message))
        .toEqual([expect.stringContaining('media cache')]);
      expect(asked).toEqual(['7']);
    }
  });

  it('is refused if it is no cache', async () => {
    const { media, asked } = service();
    for (const cache of [{}, 'folder', null]) {
      const serving = Reflect.apply(media.serve, media, [urlOf(7), undefined, { cache }]);
      expect(await rejection(serving)).toMatchObject({ name: 'InvalidRequestError' });
    }
    expect(asked).toEqual([]);
  });

  it('is left out for a file that is larger than 16 MB, which arrives whole', async () => {
    const bytes = Buffer.alloc(16 * 1024 * 1024 + 3, 7);
    for (const length of [bytes.length, undefined]) {
      const large = { bytes, ...(length !== undefined && { length }) };
      const { media, asked } = service({ answer: () => large });
      const cache = memoryCache({ maxBytes: 1_000_000_000 });
      for (let time = 1; time <= 2; time += 1) {
        const response = await media.serve(urlOf(7), undefined, { cache });
        expect((await bytesOf(response)).equals(bytes)).toBe(true);
        expect(asked).toHaveLength(time);
      }
    }
  });
});

const photoOf = (size: number): CachedFile => ({
  bytes: Buffer.alloc(size, 1),
  contentType: 'image/png',
  contentDisposition: 'inline',
  storedAt: 5,
});

describe('a cache in memory', () => {
  it('stays within its size: what was used longest ago goes first', async () => {
    const cache = memoryCache({ maxBytes: 100 });
    for (const key of ['a', 'b', 'c']) cache.put(key, photoOf(33));
    cache.get('a');
    cache.put('d', photoOf(33));
    cache.put('e', photoOf(101));
    cache.put('d', photoOf(30));
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key) !== undefined)).toEqual(['a', 'c', 'd']);
  });
});

describe('a cache on disk', () => {
  const files = async () => (await readdir(folder)).filter((name) => name.endsWith('.photo'));

  it('survives a restart, for this user only, and its names come from no key', async () => {
    await diskCache(folder, { maxBytes: 10_000 }).put('../../etc/x', photoOf(10));
    expect(await diskCache(folder, { maxBytes: 10_000 }).get('../../etc/x')).toEqual(photoOf(10));
    const [name = ''] = await readdir(folder);
    expect(name).toMatch(/^[0-9a-f]{64}\.photo$/);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  });

  it.each<[string, (file: Buffer) => Buffer]>([
    ['is empty', () => Buffer.alloc(0)],
    ['was cut off in its facts', (file) => file.subarray(0, 20)],
    ['was cut off in its bytes', (file) => file.subarray(0, -1)],
    ['has more bytes', (file) => Buffer.concat([file, Buffer.from('x')])],
    ['has another byte', (file) => Buffer.concat([file.subarray(0, -1), Buffer.from('x')])],
    ['is of another key', (file) => Buffer.from(file.toString('latin1').replace('"key":"a"', '"key":"b"'))],
    ['has facts of another kind', (file) => Buffer.from(file.toString('latin1').replace(/^.*\n/, 'null\n'))],
    ['has no type', (file) => Buffer.from(file.toString('latin1').replace('"image/png"', '7'))],
  ])('has nothing where a file %s, and removes it', async (_, damage) => {
    const cache = diskCache(folder, { maxBytes: 10_000 });
    await cache.put('a', photoOf(10));
    const [name = ''] = await files();
    await writeFile(join(folder, name), damage(await readFile(join(folder, name))));
    expect(await cache.get('a')).toBeUndefined();
    expect(await files()).toEqual([]);
    await cache.put('a', photoOf(10));
    expect(await cache.get('a')).toEqual(photoOf(10));
  });

  it('stays within its size, also after a restart: what was used longest ago goes first', async () => {
    const maxBytes = 20_000;
    const keys = Array.from({ length: 40 }, (_, n) => `key-${n}`);
    for (const key of keys) {
      const cache = diskCache(folder, { maxBytes });
      await cache.put(key, photoOf(1_000));
      // File systems tell times apart that are some ms apart at best.
      for (const [age, name] of (await files()).entries()) {
        const path = join(folder, name);
        const { mtimeMs } = await stat(path);
        if (mtimeMs > 1e12) await utimes(path, 0, keys.indexOf(key) + age / 100);
      }
      await cache.get('key-0');
      const sizes = await Promise.all((await files()).map((name) => stat(join(folder, name))));
      expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(maxBytes);
    }
    const cache = diskCache(folder, { maxBytes });
    const kept = await Promise.all(keys.map(async (key) => ((await cache.get(key)) ? [key] : [])));
    expect(kept.flat()).toContain('key-0');
    expect(kept.flat()).toContain('key-39');
    expect(kept.flat()).not.toContain('key-1');
    expect(kept.flat().length).toBeGreaterThan(10);
  });

  it('stays within its size while many are written at once', async () => {
    const cache = diskCache(folder, { maxBytes: 20_000 });
    await Promise.all(Array.from({ length: 60 }, (_, n) => cache.put(`key-${n}`, photoOf(1_000))));
    const sizes = await Promise.all((await files()).map((name) => stat(join(folder, name))));
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(20_000);
    expect((await readdir(folder)).length).toBe(sizes.length);
  });

  it('does not keep a photo that is larger than all of it', async () => {
    const cache = diskCache(folder, { maxBytes: 500 });
    await cache.put('a', photoOf(501));
    expect(await cache.get('a')).toBeUndefined();
  });

  it.each([
    { maxBytes: 0 },
    { maxBytes: 1.5 },
    {},
    { maxBytes: 1, maxAge: 0 },
    { maxBytes: 1, maxAge: 'x' },
    null,
  ])('refuses the limits %j, and so does one in memory', (options) => {
    for (const [create, given] of [
      [diskCache, [folder, options]],
      [memoryCache, [options]],
    ] as const) {
      expect(() => Reflect.apply(create, undefined, given)).toThrow(
        expect.objectContaining({ name: 'InvalidRequestError' }),
      );
    }
  });
});

/** A page of lots with photos, and the service of the page, whose replies take 100 ms. */
class PhotoService extends SmallService {
  override async send(request: TransportRequest): Promise<TransportReply> {
    if (!request.path.includes('/media/')) return super.send(request);
    this.arrived.push({ line: `GET ${request.path}`, at: this.clock.monotonic(), key: undefined });
    await new Promise<void>((resolve) => {
      this.clock.after(100, resolve);
    });
    const headers = { 'content-type': 'image/jpeg', 'content-disposition': 'inline' };
    const body = (async function* () {
      yield content;
    })();
    return { status: 200, headers, body, discard: () => undefined };
  }

  constructor(readonly clock: VirtualClock) {
    super(clock);
  }

  get photos(): readonly string[] {
    return this.arrived.flatMap(({ line }) =>
      line.includes('/media/') ? [line.split('/lots/')[1] ?? ''] : [],
    );
  }
}

const lots = Array.from({ length: 30 }, (_, lot) => ({
  images: Array.from({ length: 8 }, (_, photo) => urlOf(photo, `lot_${lot}`)),
}));

function page() {
  const clock = new VirtualClock();
  const bank = new PhotoService(clock);
  const transport: Transport = bank;
  const client = platformWith({
    baseUrl: `${HOST}/api/v1`,
    environment: 'sandbox',
    credentials,
    transport,
    clock,
    store: memoryStore(),
    logLevel: 'off',
  });
  return { clock, bank, client, cache: memoryCache({ maxBytes: 1_000_000 }) };
}

describe('a page of 30 lots with 8 photos each', () => {
  it('is in the cache after 240 requests, most visible first, and costs none afterwards', async () => {
    const { clock, bank, client, cache } = page();
    const progress: number[] = [];
    const filling = client.media.prefetch(lots, { cache, onProgress: ({ done }) => progress.push(done) });
    // A watch or another poll goes at once: a third of what polls may use stays free.
    await clock.advance(30_000);
    expect(client.quota.state().available.poll).toBeGreaterThan(28);
    const looked = clock.monotonic();
    void client.events.get('auc_1', { lane: 'poll' }).catch(() => undefined);
    await clock.advance(100);
    expect(bank.arrived.find(({ line }) => line === 'GET /events/auc_1')?.at).toBe(looked);
    await clock.advance(270_000);
    expect(await filling).toEqual({ fetched: 240, cached: 0, failed: [] });
    expect(progress).toEqual(Array.from({ length: 240 }, (_, n) => n + 1));
    expect(bank.photos).toHaveLength(240);
    const visible = (photo: number) => Array.from({ length: 30 }, (_, lot) => `lot_${lot}/media/${photo}`);
    expect(bank.photos.slice(0, 30)).toEqual(visible(0));
    expect(bank.photos.slice(30, 60)).toEqual(visible(1));
    expect(await client.media.prefetch(lots, { cache })).toEqual({ fetched: 0, cached: 240, failed: [] });
    for (const url of lots.flatMap(({ images }) => images)) {
      expect((await client.media.serve(url, undefined, { cache })).status).toBe(200);
    }
    expect(bank.photos).toHaveLength(240);
  });

  it('costs one request a photo when 40 browsers open it at once, and a bid meanwhile leaves within a second', async () => {
    const { clock, bank, client, cache } = page();
    const urls = lots.flatMap(({ images }) => images);
    const opened = Array.from({ length: 40 }, () =>
      urls.map((url) => client.media.serve(url, undefined, { cache })),
    );
    await clock.advance(1_000);
    const placedAt = clock.monotonic();
    const bid = client.bids.place({ lot: 'lot_3', amount: '465000', bidderReference: 'buyer-1' });
    await clock.advance(2_000);
    expect(await bid).toMatchObject({ status: 'accepted' });
    const left = bank.arrived.find(({ line }) => line.startsWith('POST'))?.at ?? Number.NaN;
    expect(left - placedAt).toBeLessThan(1_000);
    await clock.advance(200_000);
    for (const response of (await Promise.all(opened.flat())).values()) expect(response.status).toBe(200);
    expect(bank.photos).toHaveLength(240);
    expect(new Set(bank.photos).size).toBe(240);
  });

  it('is prefetched only when the cache has written every photo, so a program may exit afterwards', async () => {
    const { media } = service();
    const kept = new Map<string, CachedFile>();
    const writes: (() => void)[] = [];
    const cache: MediaCache = {
      maxAge: 60_000,
      get: (key) => kept.get(key),
      put: (key, photo) =>
        new Promise<void>((resolve) => {
          writes.push(() => resolve(void kept.set(key, photo)));
        }),
    };
    let atEnd: number | undefined;
    const [lot = { images: [] }] = lots;
    const filling = media.prefetch([lot], { cache, perLot: 2 }).then((summary) => {
      atEnd = kept.size;
      return summary;
    });
    await vi.waitFor(() => expect(writes).toHaveLength(2));
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    expect(atEnd).toBeUndefined();
    for (const write of writes) write();
    expect(await filling).toEqual({ fetched: 2, cached: 0, failed: [] });
    expect(atEnd).toBe(2);
  });

  it('is limited per lot, and one that failed is named while the others arrive', async () => {
    const isGone = (id: string) => id === '1';
    const { media, asked } = service({ answer: (id) => (isGone(id) ? apiError(404) : {}) });
    const cache = memoryCache({ maxBytes: 1_000_000 });
    const [lot = { images: [] }] = lots;
    const summary = await media.prefetch([lot, { images: undefined }, lot], { cache, perLot: 3 });
    const error = expect.objectContaining({ status: 404 });
    expect(summary).toEqual({ fetched: 2, cached: 0, failed: [{ url: lot.images[1], error }] });
    expect(asked).toEqual(['0', '1', '2']);
  });

  it('goes on past a URL that is not of the service', async () => {
    const { media, asked } = service();
    const cache = memoryCache({ maxBytes: 1_000_000 });
    const [{ images } = { images: [] }] = lots;
    const given = [{ images: ['https://elsewhere.example/x', ...images] }];
    const { fetched, failed } = await media.prefetch(given, { cache, perLot: 2 });
    expect([fetched, asked.length]).toEqual([1, 1]);
    expect(failed).toMatchObject([{ url: given[0]?.images[0], error: { name: 'InvalidRequestError' } }]);
  });

  it('ends at an error that concerns every photo', async () => {
    const { media, asked } = service({ answer: () => apiError(401) });
    const cache = memoryCache({ maxBytes: 1_000_000 });
    expect(await rejection(media.prefetch(lots, { cache }))).toMatchObject({ status: 401 });
    expect(asked).toHaveLength(4);
  });

  it.each<[string, unknown, object]>([
    ['no list', 'lot_1', {}],
    ['nothing', undefined, {}],
    ['no photos at once', lots, { concurrency: 0 }],
    ['a number of photos that is none', lots, { perLot: Number.NaN }],
  ])('refuses %s before anything is sent', async (_, given, options) => {
    const { media, asked } = service();
    const cache = memoryCache({ maxBytes: 1_000_000 });
    const filling = Reflect.apply(media.prefetch, media, [given, { cache, ...options }]);
    expect(await rejection(filling)).toMatchObject({ name: 'InvalidRequestError' });
    expect(asked).toEqual([]);
  });
});
