import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import type { MutationOptions } from '../../src/core/caller.js';
import { fileContent } from '../../src/core/request/body.js';
import type { Transport } from '../../src/core/transport/transport.js';
import { undiciTransport } from '../../src/core/transport/undici.js';
import type { FileContent } from '../../src/ports/file-content.js';
import { bank, countingRandomness, credentials, KEY, rejection } from '../support/clients.js';
import { ToldTime } from '../support/told-time.js';
import { settle, VirtualClock } from '../support/virtual-clock.js';
import { type Answer, expectCopies, expectSigned, service, toEnd } from './attempts.js';

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
  ['grows by a byte', (path) => fs.appendFileSync(path, 'x')],
  ['grows by more than a read', (path) => fs.appendFileSync(path, Buffer.alloc(2 * CHUNK))],
  ['is gone', (path) => fs.rmSync(path)],
];

function overwrite(path: string, at: number): void {
  const file = fs.openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  fs.readSync(file, byte, 0, 1, at);
  fs.writeSync(file, Buffer.from([(byte[0] ?? 0) ^ 0xff]), 0, 1, at);
  fs.closeSync(file);
}

function setUp(baseUrl: string, onNonce: (count: number) => void = () => undefined, transport?: Transport) {
  const clock = new VirtualClock();
  const randomness = countingRandomness(1);
  let nonces = 0;
  const client = new BankClient({
    environment: 'sandbox',
    baseUrl,
    credentials,
    clock,
    // A nonce is made when the file has been digested, and before it is sent.
    randomness: {
      ...randomness,
      nonce: () => {
        nonces += 1;
        // The first one is that of A01.
        if (nonces > 1) onNonce(nonces - 1);
        return randomness.nonce();
      },
    },
    logLevel: 'off',
    quota: { scope: 'client' },
    // A01 is answered beside the server.
    transport: new ToldTime(transport ?? undiciTransport(), clock),
  });
  const upload = (content_base64: string | FileContent, options: MutationOptions = {}, filename = 'a.pdf') =>
    client.documents.upload(
      { sale_id: 'sale_1', purpose: 'payment_evidence', filename, content_base64 },
      { idempotencyKey: KEY, ...options },
    );
  return { client, clock, upload };
}

/** Whether this process holds a file open; unknown where the system doesn't tell. */
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

async function closed(path: string): Promise<void> {
  while (isOpen(path)) await settle();
}

describe('a file in a body', () => {
  // rule: header.content-sha256
  it.each([1, 2, 3, CHUNK - 1, CHUNK, CHUNK + 1, CHUNK + 2, 2 * CHUNK, MEDIUM])(
    'of %i bytes makes the same request as its base64',
    async (bytes) => {
      await using place = await service(() => uploaded);
      // Two clients, because one would answer the same call from its store.
      const [first, second] = [setUp(place.baseUrl), setUp(place.baseUrl)];
      await using _ = first.client;
      await using __ = second.client;
      const path = fileOf(bytes);
      await first.upload(contentOf(bytes).toString('base64'));
      await second.upload(fileContent(path));
      const [text, file] = place.arrived;
      expect(place.arrived).toHaveLength(2);
      expect(file?.body.equals(text?.body ?? Buffer.alloc(0))).toBe(true);
      for (const name of ['content-length', 'content-type', 'x-content-sha256', 'idempotency-key']) {
        expect([name, file?.headers[name]]).toEqual([name, text?.headers[name]]);
      }
      expect(file?.headers['content-length']).toBe(String(text?.body.length));
      expect(file?.headers['transfer-encoding']).toBeUndefined();
      expect(JSON.parse(String(file?.body)).content_base64).toBe(contentOf(bytes).toString('base64'));
      for (const one of place.arrived) expectSigned(one);
      await closed(path);
    },
  );

  it('stands where its field is, whatever the other fields say', async () => {
    await using place = await service(() => uploaded);
    const path = fileOf(7);
    const base64 = contentOf(7).toString('base64');
    const field = '"content_base64":"RklMRQ=="';
    const marks = ['RklMRQ==', field, JSON.stringify(field).slice(1, -1), '","content_base64":"'];
    for (const mark of marks) {
      const [first, second] = [setUp(place.baseUrl), setUp(place.baseUrl)];
      await using _ = first.client;
      await using __ = second.client;
      const options = { extraBody: { nested: { content_base64: 'RklMRQ==', mark } } };
      await first.upload(base64, options, mark);
      await second.upload(fileContent(path), options, mark);
      const [text, file] = place.arrived.slice(-2);
      expect(String(file?.body)).toBe(String(text?.body));
      expect(JSON.parse(String(file?.body))).toMatchObject({
        filename: mark,
        content_base64: base64,
        nested: { mark },
      });
    }
  });

  it.each([3, MEDIUM])('of %i bytes is resent byte for byte', async (bytes) => {
    let tick: () => Promise<void> = async () => undefined;
    await using place = await service(async (count) => {
      await tick();
      if (count === 1) return 'reset';
      return count === 2 ? { status: 503, json: { message: 'Down.' } } : uploaded;
    });
    const { client, clock, upload } = setUp(place.baseUrl);
    await using _ = client;
    tick = () => clock.advance(1_000);
    const path = fileOf(bytes, `resent-${bytes}`);
    await toEnd(upload(fileContent(path)), clock);
    expect(place.arrived).toHaveLength(3);
    expect(JSON.parse(String(place.arrived[2]?.body)).content_base64).toBe(
      contentOf(bytes).toString('base64'),
    );
    expectCopies(place.arrived);
    await closed(path);
  });

  it('is resent from its beginning where the connection broke in its middle', async () => {
    let begun = 0;
    await using place = await service(
      () => uploaded,
      (req) => {
        begun += 1;
        if (begun === 1) req.socket.resetAndDestroy();
      },
    );
    const { client, clock, upload } = setUp(place.baseUrl);
    await using _ = client;
    const path = fileOf(MEDIUM, 'broken');
    await toEnd(upload(fileContent(path)), clock);
    expect(place.arrived.map(({ complete }) => complete)).toEqual([false, true]);
    const sent = JSON.parse(String(place.arrived[1]?.body)).content_base64;
    expect(createHash('sha256').update(sent).digest('hex')).toBe(
      createHash('sha256').update(contentOf(MEDIUM).toString('base64')).digest('hex'),
    );
    await closed(path);
  });

  it('is the one that was named when the call began', async () => {
    await using place = await service(() => uploaded);
    const { client, upload } = setUp(place.baseUrl);
    await using _ = client;
    const content = fileContent(fileOf(10, 'named'));
    const other = fileOf(20, 'other');
    const call = upload(content);
    Reflect.set(content, 'path', other);
    await call;
    expect(JSON.parse(String(place.arrived[0]?.body)).content_base64).toBe(contentOf(10).toString('base64'));
  });
});

describe('a file that changes never completes a request', () => {
  const sizes = [100, CHUNK, MEDIUM];

  it.each(changes)('before it is sent: it %s', async (_name, change) => {
    const path = fileOf(MEDIUM, 'changing');
    await using place = await service(() => uploaded);
    const { client, upload } = setUp(place.baseUrl, () => change(path));
    await using _ = client;
    expect(await rejection(upload(fileContent(path)))).toMatchObject({
      name: 'ConnectionError',
      reason: 'body_unreadable',
      outcome: 'not_sent',
      operation: 'A72',
      attempts: 1,
      idempotencyKey: KEY,
    });
    await place.quiet();
    expect(place.arrived.filter(({ complete }) => complete)).toEqual([]);
    await closed(path);
  });

  it.each(changes)(
    'whatever carries it: no transport ever has all of the bytes where it %s',
    async (_name, change) => {
      for (const bytes of sizes) {
        const path = fileOf(bytes, 'changing');
        let announced = 0;
        let given = 0;
        const transport: Transport = {
          async send({ body, bodyLength }) {
            announced = bodyLength;
            change(path);
            if (body === undefined || body instanceof Uint8Array)
              throw new Error('A body to be read was expected');
            for await (const chunk of body) given += chunk.length;
            throw new Error('The body came to an end');
          },
          close: async () => undefined,
        };
        const { upload } = setUp('https://bank.example/api/v1', () => undefined, transport);
        expect(await rejection(upload(fileContent(path)))).toMatchObject({
          outcome: 'not_sent',
          attempts: 1,
        });
        expect(announced).toBeGreaterThan(bytes);
        expect(given).toBeLessThan(announced);
        await closed(path);
      }
    },
  );

  it.each(changes)('between attempts: it %s', async (_name, change) => {
    const path = fileOf(CHUNK, 'changing');
    await using place = await service((count) => {
      if (count > 1) return uploaded;
      change(path);
      return 'reset';
    });
    const { client, clock, upload } = setUp(place.baseUrl);
    await using _ = client;
    expect(await rejection(toEnd(upload(fileContent(path)), clock))).toMatchObject({
      name: 'ConnectionError',
      reason: 'body_unreadable',
      outcome: 'unknown',
      attempts: 2,
      idempotencyKey: KEY,
    });
    await place.quiet();
    expect(place.arrived.filter(({ complete }) => complete)).toHaveLength(1);
    await closed(path);
  });

  // Where it is gone, the bytes that are still being read are the old ones: nothing has changed for the reader.
  // rule: header.content-sha256
  it.each(
    changes.filter(([name]) => name !== 'is gone' && name !== 'holds something else of the same length'),
  )('while it is sent: it %s', async (_name, change) => {
    const path = fileOf(LARGE, 'changing-large');
    await using place = await service(
      () => uploaded,
      () => change(path),
    );
    const { client, upload } = setUp(place.baseUrl);
    await using _ = client;
    const error = await rejection(upload(fileContent(path)));
    expect(error).toMatchObject({
      name: 'ConnectionError',
      outcome: 'not_sent',
      attempts: 1,
      message: expect.stringContaining('changed while it was being sent'),
    });
    await place.quiet();
    expect(place.arrived.map(({ complete }) => complete)).toEqual([false]);
    await closed(path);
  });
});

describe('a file that cannot be read is refused before the network', () => {
  const cases: readonly (readonly [what: string, pathOf: () => string, why: RegExp])[] = [
    ['missing', () => join(folder, 'no-such-file'), /ENOENT/],
    ['in a missing folder', () => join(folder, 'no', 'such', 'folder'), /ENOENT/],
    ['a folder', () => folder, /not a regular file/],
    ['empty', () => fileOf(0, 'empty'), /empty/],
    ['below a file', () => join(fileOf(3, 'leaf'), 'x'), /ENOTDIR/],
    ['named with a NUL', () => `${folder}/a\0b`, /null bytes/],
    ['without a name', () => '', /at a path/],
    ['named by a number', () => JSON.parse('7'), /at a path/],
    ['named by nothing', () => JSON.parse('null'), /at a path/],
    ['named by an object', () => JSON.parse('{}'), /at a path/],
  ];

  it.each(cases)('%s', async (_, pathOf, why) => {
    await using place = await service(() => uploaded);
    const { client, upload } = setUp(place.baseUrl);
    await using _client = client;
    const error = await rejection(upload(fileContent(pathOf())));
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      outcome: 'not_sent',
      operation: 'A72',
      issues: [{ path: 'content_base64', message: expect.stringMatching(why) }],
    });
    expect(place.connections.count).toBe(0);
  });

  it('as are other things that are wrong, without reading it', async () => {
    await using place = await service(() => uploaded);
    const { client, upload } = setUp(place.baseUrl);
    await using _ = client;
    const error = await rejection(upload(fileContent(join(folder, 'no-such-file')), {}, ''));
    expect(error).toMatchObject({ issues: [{ path: 'filename' }] });
    expect(place.connections.count).toBe(0);
  });
});

describe('a file where none belongs', () => {
  const release = { yard: 'Y1', expires_at: '2026-03-20T18:00:00Z', collection_date: '2026-03-18' };
  const upload = { sale_id: 's', purpose: 'payment_evidence', filename: 'a.pdf', content_base64: 'aGk=' };
  const vehicle = { title: 'x', external_id: 'x', schema_version: 1 };
  const version = { expected_version: 4 };

  it('is never named by JSON that came from elsewhere', async () => {
    const { client, transport } = bank([]);
    const forged = JSON.parse('{"kind":"file_content","path":"/etc/passwd"}');
    const call = client.documents.upload({ ...upload, content_base64: forged });
    expect(await rejection(call)).toMatchObject({ issues: [{ path: 'content_base64' }] });
    expect(transport.sent).toEqual([]);
  });

  it.each<[where: string, method: string, args: (file: unknown) => unknown[]]>([
    ['a text', 'documents.upload', (file) => [{ ...upload, filename: file }]],
    ['an extra', 'documents.upload', (file) => [upload, { extraBody: { second: file } }]],
    ['a list of an extra', 'documents.upload', (file) => [upload, { extraBody: { more: [file] } }]],
    [
      'a field of objects',
      'saleCases.authorizeRelease',
      (file) => ['s', { ...release, recipient: file, ...version }],
    ],
    ['values of inventory', 'inventory.createVehicle', (file) => [{ ...vehicle, values: { f_1: file } }]],
  ])('never becomes its path: in %s', async (_, method, args) => {
    const { client, transport } = bank([]);
    const [resource = '', name = ''] = method.split('.');
    const holder: object = Reflect.get(client, resource);
    const call: Promise<unknown> = Reflect.apply(
      Reflect.get(holder, name),
      holder,
      args(fileContent(fileOf(3))),
    );
    expect(await rejection(call)).toMatchObject({ name: 'InvalidRequestError', outcome: 'not_sent' });
    expect(transport.sent).toEqual([]);
  });

  it('never becomes its path: in any request', async () => {
    const { client, transport } = bank([]);
    const body = { file: fileContent(fileOf(3)) };
    const call = client.request({ method: 'POST', path: '/report-exports', body });
    expect(await rejection(call)).toMatchObject({ name: 'InvalidRequestError', outcome: 'not_sent' });
    expect(transport.sent).toEqual([]);
  });
});

describe('an abort', () => {
  it('while a file is being read ends the call at once, with nothing sent', async () => {
    await using place = await service(() => uploaded);
    const { client, upload } = setUp(place.baseUrl);
    await using _ = client;
    await client.integration.profile();
    const path = fileOf(LARGE, 'aborted');
    const abort = new AbortController();
    const failed = rejection(upload(fileContent(path), { signal: abort.signal }));
    abort.abort(new Error('enough'));
    expect(await failed).toMatchObject({
      name: 'AbortedError',
      outcome: 'not_sent',
      message: expect.stringContaining('while a file was being read'),
      cause: { message: 'enough' },
    });
    expect(place.connections.count).toBe(0);
    await closed(path);
    expect(place.connections.count).toBe(0);
  });

  it('while a file is being sent leaves the request incomplete, and the file closed', async () => {
    const abort = new AbortController();
    await using place = await service(
      () => uploaded,
      () => abort.abort(new Error('enough')),
    );
    const { client, upload } = setUp(place.baseUrl);
    await using _ = client;
    const path = fileOf(LARGE, 'aborted-late');
    expect(await rejection(upload(fileContent(path), { signal: abort.signal }))).toMatchObject({
      name: 'AbortedError',
      attempts: 1,
      cause: { message: 'enough' },
    });
    await place.quiet();
    expect(place.arrived.map(({ complete }) => complete)).toEqual([false]);
    await closed(path);
  });
});
