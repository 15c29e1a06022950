import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get, sha256, signed } from './caller.js';
import { all, base64, uploadBody } from './funds.js';
import { approvedLot, command, done, type SoldLot, wonLot } from './workflow.js';

let sandbox: Sandbox;
let sold: SoldLot;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
  sold = await approvedLot(sandbox);
});
afterEach(() => sandbox.close());

const uploads = '/api/v1/document-uploads';
const upload = (change: Record<string, unknown> = {}, who = sold.who) =>
  command(sandbox, who, uploads, uploadBody(sold, change));
const metadata = (id: string, who = sold.who) => get(sandbox, who, `/api/v1/documents/${id}`);
const download = (id: string, who = sold.who) => get(sandbox, who, `/api/v1/documents/${id}`, 'download=1');

describe('A72', () => {
  // rule: state.document
  it('records a document, literally, and nothing but it', async () => {
    const { seen } = await all(sandbox, []);
    const { status, json } = await upload({ filename: 'note.txt', content_base64: 'YWJj' });
    expect(status).toBe(200);
    expect(json).toEqual({
      data: {
        id: expect.stringMatching(/^doc_[0-9a-f]{12}$/),
        kind: 'document',
        state: 'awaiting_scan',
        resource_version: 1,
        data: {
          sale_id: sold.saleId,
          purpose: 'payment_evidence',
          filename: 'note.txt',
          mime: 'text/plain',
          bytes: 3,
          digest: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
        },
        created_at: '2026-03-01T10:00:00.000Z',
        updated_at: '2026-03-01T10:00:00.000Z',
      },
      request_id: expect.any(String),
      server_time: '2026-03-01T10:00:00.000Z',
    });
    expect((await all(sandbox, [])).seen).toEqual(seen);
    expect(sandbox.ledger().at(-1)).toMatchObject({
      kind: 'document',
      operation: 'A72',
      recordId: json.data.id,
      saleId: sold.saleId,
      lotId: sold.lotId,
    });
  });

  it('takes documents of a sale that is not decided yet, and of any purpose', async () => {
    const pending = await wonLot(sandbox, { label: 'live-closed' });
    const body = uploadBody(pending, { purpose: 'identity' });
    const { data } = await done(command(sandbox, pending.who, uploads, body));
    expect(data).toMatchObject({ sale_id: pending.saleId, purpose: 'identity' });
  });

  it.each([
    ['a PDF, whatever it is called', Buffer.from('%PDF-1.7\n'), 'scan.png', 'application/pdf'],
    ['a PNG', Buffer.from('89504e470d0a1a0a0000', 'hex'), 'a', 'image/png'],
    ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), 'a.txt', 'image/jpeg'],
    ['not quite a PNG', Buffer.from('89504e470d0a1a0b0000', 'hex'), 'a', 'application/octet-stream'],
    ['shorter than what tells a PDF', Buffer.from('%PDF'), 'a', 'application/octet-stream'],
    ['a photo of another kind', Buffer.from('RIFF'), 'van.WebP', 'image/webp'],
    ['a table', Buffer.from('a,b'), 'statement.2026.csv', 'text/csv'],
    ['an unknown ending', Buffer.from('x'), 'a.exe', 'application/octet-stream'],
    ['an ending that only objects have', Buffer.from('x'), 'a.constructor', 'application/octet-stream'],
  ])('tells the media type of %s', async (_, content, filename, mime) => {
    const { data } = await done(upload({ filename, content_base64: base64(content) }));
    expect(data).toMatchObject({ filename, mime, bytes: content.length, digest: sha256(content) });
  });

  it('takes a name of 255 characters', async () => {
    expect((await upload({ filename: '\u{1f697}'.repeat(255) })).status).toBe(200);
  });
});

describe('the scan', () => {
  // rule: state.document
  it('takes its time and finds the file clean', async () => {
    const { id } = await done(upload());
    sandbox.clock.advance(999);
    const waiting = (await metadata(id)).json;
    expect(waiting.data).toMatchObject({ state: 'awaiting_scan', resource_version: 1 });
    expect(waiting.data.data.download_url).toBeNull();
    sandbox.clock.advance(1);
    expect((await metadata(id)).json).toEqual({
      data: {
        ...waiting.data,
        state: 'ready',
        resource_version: 2,
        updated_at: '2026-03-01T10:00:01.000Z',
        data: {
          ...waiting.data.data,
          download_url: `${sandbox.baseUrl}/documents/${id}?download=1`,
        },
      },
      server_time: '2026-03-01T10:00:01.000Z',
    });
  });

  // rule: state.document, notification.evidence
  it('waits while the scanner is down, and goes on when it is back', async () => {
    sandbox.scanner.pause();
    const { id: early } = await done(upload());
    sandbox.clock.advance(86_400_000);
    const { id: late } = await done(upload());
    const state = async (id: string) => (await metadata(id)).json.data.state;
    expect(await state(early)).toBe('awaiting_scan');
    expect((await download(early)).status).toBe(409);
    sandbox.scanner.resume();
    expect([await state(early), await state(late)]).toEqual(['ready', 'awaiting_scan']);
    expect((await metadata(early)).json.data).toMatchObject({
      resource_version: 2,
      updated_at: '2026-03-02T10:00:00.000Z',
    });
    sandbox.clock.advance(1_000);
    expect(await state(late)).toBe('ready');
    sandbox.scanner.pause();
    sandbox.scanner.resume();
    expect((await metadata(early)).json.data.resource_version).toBe(2);
  });

  it('leaves an address that has the front-controller segment, where there is one', async () => {
    await using behind = await startSandbox({ clock: 'manual', rateLimit: false, prefix: '/index.php' });
    const other = await approvedLot(behind);
    const { id } = await done(command(behind, other.who, uploads, uploadBody(other)));
    behind.clock.advance(1_000);
    const { data } = (await get(behind, other.who, `/api/v1/documents/${id}`)).json;
    const { origin } = new URL(behind.baseUrl);
    expect(data.data.download_url).toBe(`${origin}/index.php/api/v1/documents/${id}?download=1`);
  });

  it('takes as long as the sandbox was told', async () => {
    await using slow = await startSandbox({ clock: 'manual', rateLimit: false, scanMs: 60_000 });
    const other = await approvedLot(slow);
    const { id } = await done(command(slow, other.who, uploads, uploadBody(other)));
    const state = async () => (await get(slow, other.who, `/api/v1/documents/${id}`)).json.data.state;
    slow.clock.advance(59_999);
    expect(await state()).toBe('awaiting_scan');
    slow.clock.advance(1);
    expect(await state()).toBe('ready');
  });
});

describe('A73 with download=1', () => {
  const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, at) => (at * 7) % 256));

  it('gives the bytes back, not to be kept', async () => {
    const { id } = await done(upload({ filename: 'slip.bin', content_base64: base64(bytes) }));
    sandbox.clock.advance(1_000);
    const response = await fetchBytes(id);
    expect(response.body.equals(bytes)).toBe(true);
    expect(response.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '1000',
      'cache-control': 'private, no-store',
      'content-disposition': 'attachment; filename="slip.bin"',
    });
  });

  it('names the file safely, whatever it is called', async () => {
    const { id } = await done(upload({ filename: 'रसीद "1"; a=b.pdf' }));
    sandbox.clock.advance(1_000);
    const { headers } = await fetchBytes(id);
    expect(headers['content-disposition']).toBe(
      'attachment; filename="____ _1_; a=b.pdf"; filename*=UTF-8\'\'%E0%A4%B0%E0%A4%B8%E0%A5%80%E0%A4%A6%20%221%22%3B%20a%3Db.pdf',
    );
  });

  // rule: state.document
  it('is refused before the scan with a message', async () => {
    const { id } = await done(upload());
    const early = await download(id);
    expect([early.status, Object.keys(early.json)]).toEqual([409, ['message']]);
    sandbox.clock.advance(1_000);
    expect((await download(id)).status).toBe(200);
  });

  it.each(['download=0', 'download=2', 'download=1&download=1', 'page=1'])(
    'is the metadata with the query %s',
    async (query) => {
      const { id } = await done(upload());
      sandbox.clock.advance(1_000);
      const { status, json } = await get(sandbox, sold.who, `/api/v1/documents/${id}`, query);
      expect([status, json.data.id]).toEqual([200, id]);
    },
  );

  async function fetchBytes(id: string) {
    const { bank } = sandbox.credentials;
    const { target, headers } = signed(sandbox, bank, {
      path: `/api/v1/documents/${id}`,
      query: 'download=1',
    });
    const response = await fetch(sandbox.baseUrl.replace(/\/api\/v1$/, '') + target, { headers });
    expect(response.status).toBe(200);
    return {
      body: Buffer.from(await response.arrayBuffer()),
      headers: Object.fromEntries(response.headers),
    };
  }
});

describe('who sees a document', () => {
  // rule: code.not-found
  it("is the sale's bank and its partner, whoever of them uploaded it", async () => {
    const { bank, dealer, platform, rival } = sandbox.credentials;
    for (const uploader of [bank, dealer]) {
      const { id } = await done(upload({}, uploader));
      sandbox.clock.advance(1_000);
      for (const who of [bank, dealer]) {
        expect([(await metadata(id, who)).status, (await download(id, who)).status]).toEqual([200, 200]);
      }
      for (const who of [platform, rival]) {
        for (const hidden of [await metadata(id, who), await download(id, who)]) {
          expect([hidden.status, hidden.json]).toEqual([404, { message: 'Not found.' }]);
        }
      }
    }
    for (const none of [await metadata('doc_000000000000'), await download('doc_000000000000')]) {
      expect([none.status, none.json]).toEqual([404, { message: 'Not found.' }]);
    }
  });

  it('is looked at on every download', async () => {
    const { id } = await done(upload());
    sandbox.clock.advance(1_000);
    expect((await download(id)).status).toBe(200);
    const { scopes } = sandbox.partners.get(sold.who.clientId);
    sandbox.partners.update(sold.who.clientId, {
      scopes: scopes.filter((scope) => scope !== 'documents:read'),
    });
    for (const denied of [await metadata(id), await download(id)]) {
      expect([denied.status, denied.json.code]).toEqual([403, 'SCOPE_DENIED']);
    }
  });
});
