import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileContent, isFileContent } from '../../src/core/request/file-body.js';
import { Documents } from '../../src/files/documents.js';
import { removeUploadFile, type UploadSource, withContent } from '../../src/files/upload.js';
import type { Caller } from '../../src/ports/caller.js';
import { apiError, brokenLine, testPace } from '../following/support.js';
import { record } from '../intents/desk.js';
import { Scene } from '../support/bidders.js';
import { rejection } from '../support/clients.js';
import { never } from '../support/failing-callbacks.js';
import { deferred } from '../support/loopback.js';
import { inRealTime, VirtualClock } from '../support/virtual-clock.js';

const MEGABYTE = 1024 * 1024;
const small = Buffer.from('the bytes of a bank slip');
const large = Buffer.alloc(4 * MEGABYTE + 7, 'a line of a scanned page\n');

const reading = (signal?: AbortSignal, clock = new VirtualClock()) => ({ signal, clock });

const body = { sale_id: 'sal_1', purpose: 'payment_evidence', filename: 'slip.pdf' };

let folder: string;
let outerTmp: string | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upload-'));
  outerTmp = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
});

afterEach(async () => {
  if (outerTmp === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = outerTmp;
  await rm(folder, { recursive: true });
});

/** What the call was given, read as the call reads it: the bytes, and whether they came from a file. */
async function uploaded(content: UploadSource, over: object = {}) {
  let sent: { readonly bytes: Buffer; readonly fromFile: boolean; readonly filename: string } | undefined;
  await withContent({ ...body, ...over, content }, reading(), async ({ content_base64, filename }) => {
    const bytes = isFileContent(content_base64)
      ? await readFile(content_base64.path)
      : Buffer.from(content_base64, 'base64');
    sent = { bytes, fromFile: isFileContent(content_base64), filename };
  });
  return sent;
}

function webStream(bytes: Buffer): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 65_536) controller.enqueue(bytes.subarray(at, at + 65_536));
      controller.close();
    },
  });
}

const sources: readonly (readonly [name: string, of: (bytes: Buffer) => UploadSource])[] = [
  ['a Buffer', (bytes) => bytes],
  ['a Uint8Array', (bytes) => new Uint8Array(bytes)],
  ['a Blob', (bytes) => new Blob([new Uint8Array(bytes)])],
  ['a File', (bytes) => new File([new Uint8Array(bytes)], 'of the browser.pdf')],
  ['a web stream', webStream],
  ['an ArrayBuffer', (bytes) => new Uint8Array(bytes).buffer],
  ['a DataView', (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)],
  ['a Uint8Array of another realm', (bytes) => runInNewContext('new Uint8Array(bytes)', { bytes })],
  ['a Response', (bytes) => new Response(new Uint8Array(bytes))],
  ['a list of chunks', (bytes) => [bytes.subarray(0, 5), bytes.subarray(5)]],
  ['a Node stream', (bytes) => Readable.from([bytes.subarray(0, 5), bytes.subarray(5)])],
];

describe('the content of an upload', () => {
  it.each(sources)('is sent byte for byte from %s, through a file only where it is large', async (_, of) => {
    expect(await uploaded(of(small))).toEqual({ bytes: small, fromFile: false, filename: 'slip.pdf' });
    const sent = await uploaded(of(large));
    expect(sent?.fromFile).toBe(true);
    expect(sent?.bytes.equals(large)).toBe(true);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is the file itself for a path', async () => {
    const path = join(folder, 'slip.pdf');
    await writeFile(path, small);
    expect(await uploaded(fileContent(path))).toMatchObject({ bytes: small, fromFile: true });
    expect(await readdir(folder)).toEqual(['slip.pdf']);
  });

  it('is the file itself for its URL', async () => {
    const path = join(folder, 'slip 100%.pdf');
    await writeFile(path, small);
    expect(await uploaded(pathToFileURL(path))).toMatchObject({ bytes: small, fromFile: true });
    expect(await uploaded(fileContent(pathToFileURL(path)))).toMatchObject({ bytes: small, fromFile: true });
  });

  it.each(['/etc/hostname', 'file:///etc/hostname', 'c2xpcA=='])(
    'is never text, which could come from a browser and name a file of this machine: %s',
    async (text) => {
      const error = await rejection(uploaded(Object(text).valueOf()));
      const message = expect.stringMatching(/fileContent\(path\).*content_base64/);
      expect(error).toMatchObject({
        name: 'InvalidRequestError',
        issues: [{ path: 'body.content', message }],
      });
    },
  );

  it('that needs a temporary file where none can be written fails as an error of the file system', async () => {
    process.env['TMPDIR'] = join(folder, 'none');
    const error = await rejection(uploaded(large));
    expect(error).toMatchObject({
      name: 'FileError',
      reason: 'not_found',
      outcome: 'not_sent',
      operation: 'A72',
    });
  });

  it('has the name of a File where none is given', async () => {
    const file = new File(['x'], 'of the browser.pdf');
    expect(await uploaded(file, { filename: undefined })).toMatchObject({ filename: 'of the browser.pdf' });
  });

  it('leaves no temporary file where the upload fails or the stream breaks', async () => {
    const failing = withContent({ ...body, content: large }, reading(), async () => {
      throw apiError(422);
    });
    expect(await rejection(failing)).toMatchObject({ status: 422 });
    async function* breaking() {
      yield large;
      throw new Error('the browser went away');
    }
    expect(await rejection(uploaded(breaking()))).toMatchObject({
      name: 'InvalidRequestError',
      outcome: 'not_sent',
      issues: [{ path: 'body.content' }],
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('stays in its temporary file while the outcome is not known, so that it can be sent again', async () => {
    const failing = withContent({ ...body, content: large }, reading(), async () => {
      throw brokenLine();
    });
    expect(await rejection(failing)).toMatchObject({ outcome: 'unknown' });
    const [kept = ''] = await readdir(folder);
    expect((await readFile(join(folder, kept, 'content'))).equals(large)).toBe(true);
  });

  it('is removed from its temporary file once recover() has settled the upload', async () => {
    const scene = new Scene();
    const first = scene.bank([{ fail: 'maybe' }]).client;
    const upload = first.documents.upload({ ...body, content: large }, { maxAttempts: 1 });
    expect(await rejection(inRealTime(upload))).toMatchObject({ outcome: 'unknown' });
    expect(await readdir(folder)).toHaveLength(1);
    const { client } = scene.bank([record({ kind: 'document', state: 'awaiting_scan' })]);
    expect(await inRealTime(client.recover())).toMatchObject([{ status: 'unknown' }]);
    expect(await readdir(folder)).toHaveLength(1);
    expect(await inRealTime(client.recover({ resend: true }))).toMatchObject([{ status: 'done' }]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is removed by a later upload a week after nobody has settled it, and the file of a user never is', async () => {
    const failing = withContent({ ...body, content: large }, reading(), async () => {
      throw brokenLine();
    });
    await rejection(failing);
    const [old = ''] = await readdir(folder);
    await uploaded(large);
    expect(await readdir(folder)).toEqual([old]);
    const eightDaysAgo = (Date.now() - 8 * 86_400_000) / 1_000;
    await utimes(join(folder, old), eightDaysAgo, eightDaysAgo);
    await writeFile(join(folder, 'slip.pdf'), small);
    await utimes(join(folder, 'slip.pdf'), eightDaysAgo, eightDaysAgo);
    await removeUploadFile(join(folder, 'slip.pdf'));
    await uploaded(large);
    expect(await readdir(folder)).toEqual(['slip.pdf']);
  });

  it('that hangs ends with an error that names it, and leaves no file', async () => {
    const clock = new VirtualClock();
    const { promise: begun, resolve: begin } = deferred();
    async function* hanging() {
      yield large;
      begin();
      yield await never;
    }
    const sent = withContent(
      { ...body, content: hanging() },
      reading(undefined, clock),
      async () => undefined,
    );
    const failed = rejection(sent);
    await begun;
    await clock.advance(60_000);
    const error = {
      name: 'CallbackTimeoutError',
      callback: 'body.content',
      limit: 60_000,
      outcome: 'not_sent',
    };
    expect(await failed).toMatchObject({ ...error, call: 'documents.upload' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('is refused where it does not consist of bytes', async () => {
    const others = [
      Readable.from(['text']),
      Object('text'),
      'text',
      7,
      null,
      true,
      {},
      new URL('https://x.example'),
      [1],
    ];
    for (const content of others) {
      const error = await rejection(uploaded(content as UploadSource));
      expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ path: 'body.content' }] });
    }
  });

  it('is no longer read once the signal fires, although the stream hangs', async () => {
    const controller = new AbortController();
    const hanging = new ReadableStream<Uint8Array>();
    const sent = withContent(
      { ...body, content: hanging },
      reading(controller.signal),
      async (whole) => whole,
    );
    controller.abort();
    expect(await sent).toMatchObject({ content_base64: '' });
  });
});

describe('documents.upload', () => {
  it('takes a stream and waits for the scan in one call', async () => {
    const states = ['awaiting_scan', 'awaiting_scan', 'ready'];
    const sent: unknown[] = [];
    const call = (async (_: unknown, input: { readonly body?: unknown }) => {
      if (input.body !== undefined) sent.push(input.body);
      return { id: 'doc_1', state: states.shift(), resource_version: 1 };
    }) as Caller;
    const clock = new VirtualClock();
    const documents = new Documents(call, testPace(clock).pace, {
      clock,
      account: async () => 'a',
      warn: () => undefined,
    });
    const ready = documents.upload({ ...body, content: webStream(small) }, { waitUntilReady: true });
    let isOver = false;
    ready.finally(() => {
      isOver = true;
    });
    while (!isOver) await clock.advance(1_000);
    expect(await ready).toMatchObject({ id: 'doc_1', state: 'ready' });
    expect(sent).toEqual([{ ...body, content_base64: small.toString('base64') }]);
  });
});
