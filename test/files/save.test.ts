import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BinaryReply, type Caller, fileStream } from '../../src/core/caller.js';
import { Documents } from '../../src/files/documents.js';
import { Files } from '../../src/files/files.js';
import { type ExpectedFile, saveTo } from '../../src/files/save.js';
import { apiError, brokenLine, testPace } from '../following/support.js';
import { rejection } from '../support/clients.js';
import { VirtualClock } from '../support/virtual-clock.js';

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

/** Files over a caller that answers with this, or fails with it. */
function files(answer: BinaryReply | Error) {
  const signals: (AbortSignal | undefined)[] = [];
  const call = (async (_route: unknown, _input: unknown, options?: { signal?: AbortSignal }) => {
    signals.push(options?.signal);
    if (answer instanceof Error) throw answer;
    return answer;
  }) as Caller;
  return { files: new Files(call, address), signals };
}

describe('saving a download', () => {
  it('saves it whole, tells its size and digest, and leaves nothing else', async () => {
    const path = join(folder, 'photo.jpg');
    await writeFile(path, 'an older one');
    const saved = await files(reply()).files.save(URL_OF_PHOTO, path);
    expect(saved).toEqual({
      path,
      bytes: content.length,
      sha256: digest.toString('hex'),
      contentType: 'image/jpeg',
    });
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
    const error = await rejection(saveTo(reply(over), path, 'files.save', expected));
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
    expect(await rejection(saveTo(reply({}, true), path, 'files.save'))).toMatchObject({
      name: 'ConnectionError',
    });
    expect(await readdir(folder)).toEqual(['photo.jpg']);
    expect(await readFile(path, 'utf8')).toBe('an older one');
  });
});

describe('re-serving a download', () => {
  it('gives a Fetch handler a private, inert response', async () => {
    const response = await files(
      reply({ contentType: 'text/html\r\nx: y', contentDisposition: undefined }),
    ).files.serve(URL_OF_PHOTO);
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
    expect((await files(error).files.serve(URL_OF_PHOTO)).status).toBe(status);
  });

  it('refuses a URL that is not of the service, and answers nothing', async () => {
    const served = files(reply());
    expect(await rejection(served.files.serve('https://elsewhere.example/x'))).toMatchObject({
      name: 'InvalidRequestError',
    });
    expect(served.signals).toEqual([]);
  });

  it('answers a Node request, and ends the download when the browser goes away', async () => {
    const endless = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(content),
    });
    const whole = files(reply());
    const broken = files(reply({ stream: fileStream(endless), contentLength: undefined }));
    let ended: Promise<unknown> = Promise.resolve();
    const server = createServer((request, response) => {
      const served = request.url === '/whole' ? whole.files : broken.files;
      ended = served.serve(URL_OF_PHOTO, response);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/whole`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(content);
      await new Promise<void>((resolve) => {
        const request = get(`http://127.0.0.1:${port}/endless`, (response) => {
          response.once('data', () => {
            request.destroy();
            resolve();
          });
        });
        request.on('error', () => undefined);
      });
      await expect.poll(() => broken.signals[0]?.aborted).toBe(true);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      void ended;
    }
  });
});

describe('documents', () => {
  it('uploads and waits for the scan in one call', async () => {
    const states = ['awaiting_scan', 'awaiting_scan', 'ready'];
    const call = (async () => ({ id: 'doc_1', state: states.shift(), resource_version: 1 })) as Caller;
    const clock = new VirtualClock();
    const documents = new Documents(call, testPace(clock).pace);
    const body = { sale_id: 'sal_1', purpose: 'payment_evidence', filename: 'a.pdf', content_base64: 'AAAA' };
    const uploaded = documents.upload(body, { waitUntilReady: true });
    await clock.advance(5_000);
    expect(await uploaded).toMatchObject({ id: 'doc_1', state: 'ready' });
  });
});
