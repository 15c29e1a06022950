import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import { fileContent } from '../../src/core/request/file-body.js';
import type { Transport } from '../../src/core/transport/transport.js';
import type { MutationOptions } from '../../src/ports/caller.js';
import type { FileContent } from '../../src/ports/file-content.js';
import { bank, countingRandomness, KEY, rejection } from '../support/clients.js';
import { ToldTime } from '../support/told-time.js';
import { settle, VirtualClock } from '../support/virtual-clock.js';
import { type Answer, expectCopies, expectSigned, optionsFor, service, toEnd } from './attempts.js';

const KIB = 1024;
/** What one read of the file takes; a multiple of 3. */
const CHUNK = 48 * KIB;
const MEDIUM = KIB * KIB + 2;
/** More than sockets hold between a client and a service that doesn't read. */
const LARGE = 24 * KIB * KIB;

const uploaded: Answer = {
  status: 200,
  json: {
    data: { id: 'doc_1', kind: 'document', state: 'awaiting_scan', resource_version: 1 },
    request_id: 'req_1',
    server_time: '2026-03-02T06:00:00+00:00',
  },
};

let folder = '';
beforeAll(() => {
  folder = fs.mkdtempSync(join(tmpdir(), 'upload-'));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** A file of so many bytes, none of which tells where it ends. */
function fileOf(bytes: number, name = `file-${bytes}`): string {
  const path = join(folder, name);
  fs.writeFileSync(path, contentOf(bytes));
  return path;
}

function contentOf(bytes: number): Buffer {
  return Buffer.alloc(bytes, pattern);
}

/** Of no length that a chunk or a page of memory has. */
const pattern = Buffer.from(Array.from({ length: 65_521 }, (_, at) => (at * 31 + (at >> 8) * 7) & 0xff));

/** What happens to the file, each of them in place. */
const changes: readonly (readonly [name: string, change: (path: string) => void])[] = [
  ['holds something else of the same length', (path) => overwrite(path, 0)],
  ['differs in its last byte', (path) => overwrite(path, fs.statSync(path).size - 1)],
  ['is cut short by a byte', (path) => fs.truncateSync(path, fs.statSync(path).size - 1)],
  ['is cut short by half', (path) => fs.truncateSync(path, fs.statSync(path).size >> 1)],
  ['is emptied', (path) => fs.truncateSync(path, 0)],
  ['grows by a byte', grow],
  ['grows by more than a read', (path) => fs.appendFileSync(path, Buffer.alloc(2 * CHUNK))],
  ['is gone', (path) => fs.rmSync(path)],
];

function grow(path: string): void {
  fs.appendFileSync(path, 'x');
}

function overwrite(path: string, at: number): void {
  const file = fs.openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  fs.readSync(file, byte, 0, 1, at);
  fs.writeSync(file, Buffer.from([(byte[0] ?? 0) ^ 0xff]), 0, 1, at);
  fs.closeSync(file);
}

interface Play {
  readonly answer?: Parameters<typeof service>[0];
  readonly begun?: Parameters<typeof service>[1];
  /** When the file has been digested, and before it is sent: a nonce is made. The first one is that of A01. */
  readonly digested?: () => void;
}

/** A service, and a client that uploads to it. */
async function stage({ answer = () => uploaded, begun, digested }: Play = {}) {
  const place = await service(answer, begun);
  const clock = new VirtualClock();
  const randomness = countingRandomness(1);
  let nonces = 0;
  const nonce = () => {
    nonces += 1;
    if (nonces === 2) digested?.();
    return randomness.nonce();
  };
  const client = new BankClient({
    ...optionsFor(place.baseUrl, clock),
    randomness: { ...randomness, nonce },
  });
  const upload = (
    content_base64: string | FileContent,
    options: MutationOptions = {},
    filename = 'a.pdf',
  ) => {
    const body = { sale_id: 'sale_1', purpose: 'payment_evidence', filename, content_base64 };
    return toEnd(client.documents.upload(body, { idempotencyKey: KEY, ...options }), clock);
  };
  const end = async () => {
    await client.close();
    await place[Symbol.asyncDispose]();
  };
  return { place, client, clock, upload, [Symbol.asyncDispose]: end };
}

/** The request with a file, and the request with its base64. */
async function twins(bytes: number, options: MutationOptions = {}, filename = 'a.pdf') {
  // Two clients, because one would answer the same call from its store.
  await using first = await stage();
  await using second = await stage();
  const path = fileOf(bytes);
  await first.upload(contentOf(bytes).toString('base64'), options, filename);
  await second.upload(fileContent(path), options, filename);
  await closed(path);
  const [[text], [file]] = [first.place.arrived, second.place.arrived];
  if (text === undefined || file === undefined) throw new Error('Nothing was sent');
  return { text, file };
}

/** Resolves when this process doesn't hold a file open; at once where the system doesn't tell. */
async function closed(path: string): Promise<void> {
  while (isOpen(path)) await settle();
}

function isOpen(path: string): boolean {
  const held = '/proc/self/fd';
  if (!fs.existsSync(held)) return false;
  return fs.readdirSync(held).some((fd) => {
    try {
      return fs.readlinkSync(join(held, fd)).startsWith(path);
    } catch {
      return false;
    }
  });
}

function contentIn(body: Buffer | undefined): unknown {
  return JSON.parse(String(body)).content_base64;
}

describe('a file in a body', () => {
  // rule: header.content-sha256
  it.each([1, 2, 3, CHUNK - 1, CHUNK, CHUNK + 1, CHUNK + 2, 2 * CHUNK, MEDIUM])(
    'of %i bytes makes the same request as its base64',
    async (bytes) => {
      const { text, file } = await twins(bytes);
      expect(file.body.equals(text.body)).toBe(true);
      for (const name of ['content-length', 'content-type', 'x-content-sha256', 'idempotency-key']) {
        expect([name, file.headers[name]]).toEqual([name, text.headers[name]]);
      }
      expect(file.headers['transfer-encoding']).toBeUndefined();
      expect(contentIn(file.body)).toBe(contentOf(bytes).toString('base64'));
      for (const one of [text, file]) expectSigned(one);
    },
  );

  const field = '"content_base64":"RklMRQ=="';
  it.each(['RklMRQ==', field, JSON.stringify(field).slice(1, -1), '","content_base64":"'])(
    'stands where its field is, although other fields say %s',
    async (mark) => {
      const extraBody = { nested: { content_base64: 'RklMRQ==', mark } };
      const { text, file } = await twins(7, { extraBody }, mark);
      expect(String(file.body)).toBe(String(text.body));
      const content_base64 = contentOf(7).toString('base64');
      expect(JSON.parse(String(file.body))).toMatchObject({
        filename: mark,
        content_base64,
        nested: { mark },
      });
    },
  );

  it('is resent from its beginning, byte for byte, also where a connection broke in its middle', async () => {
    let begun = 0;
    let tick: () => Promise<void> = async () => undefined;
    await using at = await stage({
      begun: (req) => void (++begun === 1 && req.socket.resetAndDestroy()),
      answer: async (count) => {
        await tick();
        return count === 1 ? { status: 503, json: { message: 'Down.' } } : uploaded;
      },
    });
    tick = () => at.clock.advance(1_000);
    const path = fileOf(MEDIUM, 'resent');
    await at.upload(fileContent(path));
    const { arrived } = at.place;
    expect(arrived.map(({ complete }) => complete)).toEqual([false, true, true]);
    expectCopies(arrived.slice(1));
    expect(contentIn(arrived[2]?.body) === contentOf(MEDIUM).toString('base64')).toBe(true);
    await closed(path);
  });

  it('is the one that was named when the call began', async () => {
    await using at = await stage();
    const content = fileContent(fileOf(10, 'named'));
    const call = at.upload(content);
    Reflect.set(content, 'path', fileOf(20, 'other'));
    await call;
    expect(contentIn(at.place.arrived[0]?.body)).toBe(contentOf(10).toString('base64'));
  });
});

describe('a file that changes never completes a request', () => {
  it.each(changes)('no transport ever has all of its bytes where it %s', async (_name, change) => {
    for (const bytes of [100, CHUNK, MEDIUM]) {
      const path = fileOf(bytes, 'changing');
      let announced = 0;
      let given = 0;
      const transport: Transport = {
        async send({ body, bodyLength }) {
          announced = bodyLength;
          change(path);
          if (body === undefined || body instanceof Uint8Array) throw new Error('Expected a body to be read');
          for await (const chunk of body) given += chunk.length;
          throw new Error('The body came to an end');
        },
        close: async () => undefined,
      };
      const { client } = bank([], { transport: new ToldTime(transport, new VirtualClock()) });
      const body = { sale_id: 's', purpose: 'p', filename: 'f', content_base64: fileContent(path) };
      const error = await rejection(client.documents.upload(body));
      expect(error).toMatchObject({ outcome: 'not_sent', attempts: 1 });
      expect(announced).toBeGreaterThan(bytes);
      expect(given).toBeLessThan(announced);
      await closed(path);
    }
  });

  const failure = {
    name: 'ConnectionError',
    reason: 'body_unreadable',
    operation: 'A72',
    idempotencyKey: KEY,
  };

  it.each([
    ['before it is sent, and nothing was sent', 'not_sent', 0],
    ['between attempts, and the first one stays in doubt', 'unknown', 1],
  ])('is unreadable where it changes %s', async (_, outcome, complete) => {
    const path = fileOf(MEDIUM, 'changing');
    const change = () => grow(path);
    const answer = () => {
      change();
      return 'reset' as const;
    };
    await using at = await stage(complete === 0 ? { digested: change } : { answer });
    const error = await rejection(at.upload(fileContent(path)));
    expect(error).toMatchObject({ ...failure, outcome, attempts: complete + 1 });
    await at.place.quiet();
    expect(at.place.arrived.filter((one) => one.complete)).toHaveLength(complete);
  });

  // Where it is gone, the bytes that are still being read are the old ones: nothing has changed for the reader.
  // rule: header.content-sha256
  it.each(changes.filter(([name]) => /last byte|by half|grows by a byte/.test(name)))(
    'while it is sent: it %s',
    async (_name, change) => {
      const path = fileOf(LARGE, 'changing-large');
      await using at = await stage({ begun: () => change(path) });
      expect(await rejection(at.upload(fileContent(path)))).toMatchObject({
        ...failure,
        outcome: 'not_sent',
        attempts: 1,
        message: expect.stringContaining('changed while it was being sent'),
      });
      await at.place.quiet();
      expect(at.place.arrived.map(({ complete }) => complete)).toEqual([false]);
      await closed(path);
    },
  );
});

describe('a file that cannot be read is refused before the network', () => {
  it.each<[what: string, pathOf: () => unknown, why: RegExp]>([
    ['missing', () => join(folder, 'no-such-file'), /ENOENT/],
    ['a folder', () => folder, /not a regular file/],
    ['a device that never ends', () => '/dev/zero', /not a regular file/],
    ['empty', () => fileOf(0, 'empty'), /empty/],
    ['below a file', () => join(fileOf(3, 'leaf'), 'x'), /ENOTDIR/],
    ['named with a NUL', () => `${folder}/a\0b`, /null bytes/],
    ['without a name', () => '', /at a path/],
    ['named by a number', () => 7, /at a path/],
    ['named by nothing', () => null, /at a path/],
  ])('%s', async (_, pathOf, why) => {
    await using at = await stage();
    const content: FileContent = Reflect.apply(fileContent, undefined, [pathOf()]);
    expect(await rejection(at.upload(content))).toMatchObject({
      name: 'InvalidRequestError',
      outcome: 'not_sent',
      operation: 'A72',
      issues: [{ path: 'content_base64', message: expect.stringMatching(why) }],
    });
    expect(at.place.connections.count).toBe(0);
  });

  it.skipIf(process.platform === 'win32')('a pipe, which is not waited for', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await using at = await stage();
    const error = await rejection(at.upload(fileContent(pipe)));
    expect(error).toMatchObject({ issues: [{ path: 'content_base64' }] });
  });

  it('and not read at all where something else is wrong', async () => {
    await using at = await stage();
    const error = await rejection(at.upload(fileContent(join(folder, 'no-such-file')), {}, ''));
    expect(error).toMatchObject({ issues: [{ path: 'filename' }] });
  });
});

describe('a file where none belongs', () => {
  const release = { yard: 'Y1', expires_at: '2026-03-20T18:00:00Z', collection_date: '2026-03-18' };
  const upload = { sale_id: 's', purpose: 'payment_evidence', filename: 'a.pdf', content_base64: 'aGk=' };
  const vehicle = { title: 'x', external_id: 'x', schema_version: 1 };
  const exports = { method: 'POST', path: '/report-exports' };
  const forged = JSON.parse('{"kind":"file_content","path":"/etc/passwd"}');
  const authorize = (recipient: unknown) => ['s', { ...release, recipient, expected_version: 4 }];

  it.each<[where: string, method: string, args: (file: unknown) => unknown[]]>([
    ['JSON that came from elsewhere', 'documents.upload', () => [{ ...upload, content_base64: forged }]],
    ['a text', 'documents.upload', (file) => [{ ...upload, filename: file }]],
    ['an extra', 'documents.upload', (file) => [upload, { extraBody: { second: file } }]],
    ['a list of an extra', 'documents.upload', (file) => [upload, { extraBody: { more: [file] } }]],
    ['a field of objects', 'saleCases.authorizeRelease', authorize],
    ['values of inventory', 'inventory.createVehicle', (file) => [{ ...vehicle, values: { f_1: file } }]],
    ['any request', 'request', (file) => [{ ...exports, body: { file } }]],
  ])('is never read, and never becomes its path: in %s', async (_, method, args) => {
    const { client, transport } = bank([]);
    const [resource = '', name] = method.split('.');
    const holder: object = name === undefined ? client : Reflect.get(client, resource);
    const call: Promise<unknown> = Reflect.apply(
      Reflect.get(holder, name ?? resource),
      holder,
      args(fileContent(fileOf(3))),
    );
    expect(await rejection(call)).toMatchObject({ name: 'InvalidRequestError', outcome: 'not_sent' });
    expect(transport.sent).toEqual([]);
  });
});

describe('an abort', () => {
  it('while a file is being read ends the call at once, with nothing sent', async () => {
    await using at = await stage();
    await at.client.integration.profile();
    const path = fileOf(LARGE, 'aborted');
    const abort = new AbortController();
    const failed = rejection(at.upload(fileContent(path), { signal: abort.signal }));
    abort.abort(new Error('enough'));
    expect(await failed).toMatchObject({
      name: 'AbortedError',
      outcome: 'not_sent',
      message: expect.stringContaining('while a file was being read'),
      cause: { message: 'enough' },
    });
    await closed(path);
    expect(at.place.connections.count).toBe(0);
  });

  it('while a file is being sent leaves the request incomplete, and the file closed', async () => {
    const abort = new AbortController();
    await using at = await stage({ begun: () => abort.abort(new Error('enough')) });
    const path = fileOf(LARGE, 'aborted-late');
    const error = await rejection(at.upload(fileContent(path), { signal: abort.signal }));
    expect(error).toMatchObject({ name: 'AbortedError', attempts: 1, cause: { message: 'enough' } });
    await at.place.quiet();
    expect(at.place.arrived.map(({ complete }) => complete)).toEqual([false]);
    await closed(path);
  });
});
