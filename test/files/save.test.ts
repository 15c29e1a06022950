import { createHash } from 'node:crypto';
import { EventEmitter, getEventListeners } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileStream } from '../../src/core/caller.js';
import { Media } from '../../src/files/media.js';
import { type ExpectedFile, saveTo } from '../../src/files/save.js';
import type { BinaryReply, Caller, CallInput, CallOptions } from '../../src/ports/caller.js';
import { systemClock } from '../../src/runtime/timers.js';
import { apiError, brokenLine } from '../following/support.js';
import { rejection } from '../support/clients.js';
import { failingWays, loggedOf, warnings } from '../support/failing-callbacks.js';
import { listen } from '../support/loopback.js';

const URL_OF_PHOTO = 'https://bank.example/api/v1/events/auc_1/lots/lot_1/media/7';
const address = { origin: 'https://bank.example', prefix: '' };
const content = Buffer.from('the bytes of a photo');
const digest = createHash('sha256').update(content).digest();

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'save-'));
});

afterEach(() => rm(folder, { recursive: true }));

function reply(over: Partial<BinaryReply> = {}, fails = false): BinaryReply {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(content.subarray(0, 8));
      if (fails) return controller.error(brokenLine());
      controller.enqueue(content.subarray(8));
      controller.close();
    },
  });
  return {
    stream: fileStream(stream),
    contentType: 'image/jpeg',
    contentLength: content.length,
    contentDisposition: 'inline',
    ...over,
  };
}

/** Media over a service that answers each of its photos by itself, and what it was asked. */
function service(answers: Readonly<Record<string, BinaryReply | Error>> = {}) {
  const asked: string[] = [];
  const options: CallOptions[] = [];
  let atOnce = 0;
  let most = 0;
  const call = (async (_: unknown, { path }: CallInput, given: CallOptions = {}) => {
    const id = String(path?.['media']);
    asked.push(id);
    options.push(given);
    atOnce += 1;
    most = Math.max(most, atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    atOnce -= 1;
    const answer = answers[id] ?? reply();
    if (answer instanceof Error) throw answer;
    return answer;
  }) as Caller;
  const { lines, logger } = warnings();
  const media = new Media(call, address, {
    account: async () => 'https://bank.example client-1',
    clock: systemClock,
    warn: (message, fields) => logger.warn(message, fields()),
    isIdle: () => true,
    closing: new AbortController().signal,
  });
  return { media, asked, options, warned: lines, most: () => most };
}

describe('saving a download', () => {
  it('saves it whole, tells its size and digest, and leaves nothing else', async () => {
    const path = join(folder, 'photo.jpg');
    await writeFile(path, 'an older one');
    const saved = await service().media.save(URL_OF_PHOTO, path);
    const sha256 = digest.toString('hex');
    expect(saved).toEqual({ path, bytes: content.length, sha256, contentType: 'image/jpeg' });
    expect(await readFile(path)).toEqual(content);
    expect(await readdir(folder)).toEqual(['photo.jpg']);
  });

  it.each<[string, Partial<BinaryReply>, ExpectedFile]>([
    ['fewer bytes than the reply announced', { contentLength: 21 }, {}],
    ['more bytes than the reply announced', { contentLength: 3 }, {}],
    ['another size than its metadata', {}, { bytes: 19 }],
    ['another digest than its metadata, in hex', {}, { digest: 'ab'.repeat(32) }],
    ['another digest than its metadata, in base64', {}, { digest: Buffer.alloc(32).toString('base64') }],
  ])('saves no file that has %s', async (_, over, expected) => {
    const path = join(folder, 'photo.jpg');
    const error = await rejection(saveTo(reply(over), path, 'media.save', expected));
    expect(error).toMatchObject({ name: 'UnexpectedResponseError', reason: 'contradiction' });
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    digest.toString('hex'),
    digest.toString('base64'),
    `sha256:${digest.toString('hex').toUpperCase()}`,
    'odd',
  ])('accepts the digest %s', async (spelt) => {
    const path = join(folder, 'photo.jpg');
    expect(await saveTo(reply(), path, 'documents.save', { digest: spelt })).toMatchObject({ path });
  });

  it('keeps the older file and leaves no part of the new one where the line breaks', async () => {
    const path = join(folder, 'photo.jpg');
    await writeFile(path, 'an older one');
    const error = await rejection(saveTo(reply({}, true), path, 'media.save'));
    expect(error).toMatchObject({ name: 'ConnectionError' });
    expect(await readdir(folder)).toEqual(['photo.jpg']);
    expect(await readFile(path, 'utf8')).toBe('an older one');
  });
});

describe('an error of the file system', () => {
  const cases: readonly [string, (folder: string) => string, string][] = [
    ['a folder that does not exist', (path) => join(path, 'none', 'photo.jpg'), 'not_found'],
    ['a folder that is a file', (path) => join(path, 'file', 'photo.jpg'), 'not_found'],
    ['a path that is a folder', (path) => path, 'wrong_path'],
    ['a name that is too long', (path) => join(path, 'n'.repeat(300)), 'wrong_path'],
  ];
  it.each(cases)('is named with what to do: %s', async (_, pathIn, reason) => {
    await writeFile(join(folder, 'file'), '');
    const path = pathIn(folder);
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(content),
      pull: (controller) => controller.close(),
      cancel: () => {
        isCancelled = true;
      },
    });
    const { media } = service({ 7: reply({ stream: fileStream(stream), contentLength: undefined }) });
    const error = await rejection(media.save(URL_OF_PHOTO, path));
    const message = expect.stringContaining(path);
    expect(error).toMatchObject({ name: 'FileError', reason, path, message, call: 'media.save' });
    expect(error).toMatchObject({
      nextStep: expect.stringMatching(/path/),
      cause: { code: expect.stringMatching(/^E/) },
    });
    // A reply that is not read would keep its connection.
    expect(isCancelled || reason === 'wrong_path').toBe(true);
    expect(await readdir(folder)).toEqual(['file']);
  });

  it('ends saveAll where it concerns the folder, before anything is sent', async () => {
    await writeFile(join(folder, 'file'), '');
    const { media, asked } = service();
    for (const path of [join(folder, 'file'), join(folder, 'file', 'photos')]) {
      const error = await rejection(media.saveAll([URL_OF_PHOTO], path));
      expect(error).toMatchObject({ name: 'FileError', outcome: 'not_sent', call: 'media.saveAll', path });
    }
    expect(asked).toEqual([]);
  });

  it.each([undefined, 7, '', 'a\0b', new URL('file:///tmp/photo.jpg'), Buffer.from('x')])(
    'a path %s is refused before anything is sent',
    async (path) => {
      const { media, asked } = service();
      for (const name of ['save', 'saveAll'] as const) {
        const given = name === 'save' ? URL_OF_PHOTO : [URL_OF_PHOTO];
        const error = await rejection(Reflect.apply(media[name], media, [given, path]));
        expect(error).toMatchObject({
          name: 'InvalidRequestError',
          issues: [{ message: expect.stringContaining('path as text') }],
        });
      }
      expect(asked).toEqual([]);
    },
  );
});

describe('re-serving a download', () => {
  it('gives a Fetch handler a private, inert response', async () => {
    const odd = reply({ contentType: 'text/html\r\nx: y', contentDisposition: undefined });
    const response = await service({ 7: odd }).media.serve(URL_OF_PHOTO);
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'content-length': String(content.length),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(content);
  });

  it.each([
    [404, apiError(404)],
    [503, apiError(429)],
    [502, apiError(500)],
    [502, brokenLine()],
  ])('answers %i for what fails', async (status, error) => {
    expect((await service({ 7: error }).media.serve(URL_OF_PHOTO)).status).toBe(status);
  });

  it('refuses a URL that is not of the service, and answers nothing', async () => {
    const { media, asked } = service();
    const error = await rejection(media.serve('https://elsewhere.example/x'));
    expect(error).toMatchObject({ name: 'InvalidRequestError' });
    expect(asked).toEqual([]);
  });

  it('answers a Node request, and ends the download when the browser goes away', async () => {
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(content),
    });
    const stream = fileStream(endless);
    const { media, options } = service({ endless: reply({ stream, contentLength: undefined }) });
    const server = createServer((request, response) => {
      media.serve(URL_OF_PHOTO.replace('/7', request.url ?? ''), response).catch(() => undefined);
    });
    await using place = await listen(server);
    const answer = await fetch(`http://127.0.0.1:${place.port}/7`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(content);
    const gone = new AbortController();
    const broken = await fetch(`http://127.0.0.1:${place.port}/endless`, { signal: gone.signal });
    expect((await broken.body?.getReader().read())?.done).toBe(false);
    gone.abort();
    await expect.poll(() => options.at(-1)?.signal?.aborted).toBe(true);
  });
});

describe('a slow browser', () => {
  /** A response whose buffer is full after every chunk, and how many listeners it has. */
  class SlowResponse extends EventEmitter {
    headersSent = false;
    readonly written: Uint8Array[] = [];
    most = 0;
    isDestroyed = false;
    writeHead() {
      this.headersSent = true;
    }
    write(chunk: Uint8Array) {
      this.written.push(chunk);
      setImmediate(() => {
        this.most = Math.max(this.most, this.left);
        this.emit('drain');
      });
      return false;
    }
    end() {}
    destroy() {
      this.isDestroyed = true;
    }
    get left() {
      return this.listenerCount('drain') + this.listenerCount('close');
    }
  }

  it('leaves no listener behind, on the response or on the signal of the caller, however often it pauses', async () => {
    const chunks = 50;
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let sent = 0; sent < chunks; sent += 1) controller.enqueue(content);
        controller.close();
      },
    });
    const { media } = service({ 7: reply({ stream: fileStream(pieces), contentLength: undefined }) });
    const response = new SlowResponse();
    const { signal } = new AbortController();
    await media.serve(URL_OF_PHOTO, response, { signal });
    expect(response.written).toHaveLength(chunks);
    expect([response.most, response.left]).toEqual([2, 0]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('saving many files', () => {
  const urls = Array.from({ length: 40 }, (_, n) => URL_OF_PHOTO.replace('/7', `/${n}`));

  it('saves each under a name of its ids and type, a few at a time, in the poll lane, with progress', async () => {
    const { media, asked, options, most } = service({ 3: reply({ contentType: 'image/png; a=b' }) });
    const into = join(folder, 'new', 'photos');
    const progress: number[] = [];
    const saved = await media.saveAll(urls, into, { onProgress: ({ done }) => progress.push(done) });
    expect(saved.map(({ url }) => url)).toEqual(urls);
    expect(saved.every(({ status }) => status === 'saved')).toBe(true);
    const names = urls.map((_, n) => `lot_1-${n}.${n === 3 ? 'png' : 'jpg'}`);
    expect((await readdir(into)).sort()).toEqual(names.sort());
    expect([asked.length, most()]).toEqual([40, 4]);
    expect(new Set(options.map(({ lane }) => lane))).toEqual(new Set(['poll']));
    expect(progress).toEqual(urls.map((_, n) => n + 1));
  });

  it.each(failingWays)(
    'goes on although onProgress %s, which is logged with its stack',
    async (way, onProgress) => {
      const { media, warned } = service();
      const saved = await media.saveAll(urls.slice(0, 3), folder, { onProgress });
      expect(saved.map(({ status }) => status)).toEqual(['saved', 'saved', 'saved']);
      expect(warned).toEqual(loggedOf(way, 'onProgress', 3));
    },
  );

  it('reads no file again that is there, so the same call goes on after a crash', async () => {
    await writeFile(join(folder, 'lot_1-0.jpg'), content);
    const { media, asked } = service();
    const saved = await media.saveAll(urls.slice(0, 2), folder);
    expect(saved).toMatchObject([
      { status: 'existing', path: join(folder, 'lot_1-0.jpg') },
      { status: 'saved' },
    ]);
    expect(asked).toEqual(['1']);
  });

  it('removes what killed processes of this host left half written, and nothing else', async () => {
    let breakOff: () => void = () => undefined;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(content);
        breakOff = () => controller.error(brokenLine());
      },
    });
    const saving = rejection(saveTo(reply({ stream: fileStream(stream) }), join(folder, 'x'), 'media.save'));
    await expect.poll(() => readdir(folder)).toHaveLength(1);
    const [own = ''] = await readdir(folder);
    const [host = '', pid, token = '', random] = own.slice(1).split('-');
    const other = token.replace(/./g, '0');
    const elsewhere = `.00000000-2147483646-${other}-${random}`;
    const abandoned = [`.${host}-2147483646-${other}-${random}`, `.${host}-${pid}-${other}-${random}`];
    for (const name of [...abandoned, elsewhere, '.other.part']) await writeFile(join(folder, name), '');
    await service().media.saveAll([], folder);
    expect((await readdir(folder)).sort()).toEqual([own, elsewhere, '.other.part'].sort());
    breakOff();
    await saving;
  });

  it('returns a failure of one file as its result, and throws what would fail for all', async () => {
    const { media } = service({ 1: apiError(404), 2: reply({ contentLength: 3 }) });
    const saved = await media.saveAll(urls.slice(0, 4), folder);
    expect(saved.map(({ status }) => status)).toEqual(['saved', 'failed', 'failed', 'saved']);
    expect(saved[1]).toMatchObject({ error: { status: 404 } });
    const { media: locked, asked } = service(Object.fromEntries(urls.map((_, n) => [n, apiError(401)])));
    expect(await rejection(locked.saveAll(urls, join(folder, 'none')))).toMatchObject({ status: 401 });
    expect(asked).toHaveLength(4);
    expect(await readdir(join(folder, 'none'))).toEqual([]);
  });

  const throwing = () => {
    throw new TypeError('no lot');
  };
  it.each<[string, unknown, unknown]>([
    ['a URL of a stranger', 'https://elsewhere.example/api/v1/x', undefined],
    ['a URL of bids', 'https://bank.example/api/v1/bids', undefined],
    ['a URL that is none', undefined, undefined],
    ['a name that leaves the folder', urls[1], () => '../photo'],
    ['a name that is hidden', urls[1], () => '.photo'],
    ['a name that is no text', urls[1], () => 7],
    ['a name that another file has', urls[1], () => 'LOT_1-0'],
    ['a function of names that fails', urls[1], throwing],
  ])('%s is the failure of that file only', async (_, url, nameOf) => {
    const { media, asked } = service();
    const ownName = (each: string) => each.split('/').slice(-1)[0]?.replace(/^/, 'lot_1-');
    const options = nameOf && {
      nameOf: (each: string) => (each === url ? Reflect.apply(Object(nameOf), null, [each]) : ownName(each)),
    };
    const saved: unknown = await Reflect.apply(media.saveAll, media, [
      [urls[0], url, urls[2]],
      folder,
      options,
    ]);
    const failure = { status: 'failed', url, error: { name: 'InvalidRequestError', outcome: 'not_sent' } };
    expect(saved).toMatchObject([{ status: 'saved' }, failure, { status: 'saved' }]);
    expect(asked).toEqual(['0', '2']);
  });

  it.each([400, 402, 403, 404, 405, 410, 422, 429, 500])(
    'a file that is answered %i does not end the others',
    async (status) => {
      const { media } = service({ 1: apiError(status) });
      const saved = await media.saveAll(urls.slice(0, 3), folder);
      expect(saved.map((each) => each.status)).toEqual(['saved', 'failed', 'saved']);
    },
  );

  it('names no file by a type that is a member of every object, or as a device of Windows', async () => {
    const types = ['constructor', '__proto__', 'toString; charset=x'];
    const { media } = service(Object.fromEntries(types.map((contentType, n) => [n, reply({ contentType })])));
    await media.saveAll(urls.slice(0, 3), folder);
    expect((await readdir(folder)).sort()).toEqual(['lot_1-0.bin', 'lot_1-1.bin', 'lot_1-2.bin']);
    const names = ['CON', 'aux.front', 'Lpt1', 'console', 'com10', 'nul-1'];
    const into = join(folder, 'devices');
    await service().media.saveAll(urls.slice(0, 6), into, { nameOf: (_, index) => names[index] ?? '' });
    const saved = ['_CON.jpg', '_aux.front.jpg', '_Lpt1.jpg', 'com10.jpg', 'console.jpg', 'nul-1.jpg'];
    expect((await readdir(into)).sort()).toEqual(saved.sort());
  });

  it.each<[string, unknown, object]>([
    ['what is no list', urls[0], {}],
    ['no downloads at once', urls, { concurrency: 0 }],
    ['more downloads at once than there are connections', urls, { concurrency: 17 }],
  ])('refuses %s before anything is sent', async (_, given, options) => {
    const { media, asked } = service();
    const error = await rejection(Reflect.apply(media.saveAll, media, [given, folder, options]));
    expect(error).toMatchObject({ name: 'InvalidRequestError' });
    expect(asked).toEqual([]);
  });
});
