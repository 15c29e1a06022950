import { describe, expect, it } from 'vitest';
import { attachment } from '../../src/sandbox/http/replies.js';
import type { ScannedFile } from '../../src/sandbox/index.js';
import { type Got, get, sha256, signed } from './caller.js';
import { aDay, type Story, saleAfter, saleAfterIn, told } from './story.js';

const base64 = (content: string | Uint8Array) => Buffer.from(content).toString('base64');
/** Uploads a document, and gives its id. */
const upload = async (story: Story, change: Record<string, unknown> = {}): Promise<string> =>
  (await story.do('upload', change)).id;
const metadata = (story: Story, id: string) => story.read(`documents/${id}`);
const state = async (story: Story, id: string) => (await metadata(story, id)).state;
const download = ({ sandbox, sold }: Story, id: string, query = 'download=1'): Promise<Got> =>
  get(sandbox, sold.who, `/api/v1/documents/${id}`, query);
const scanned = ({ sandbox }: Story, ms = 1_000) => sandbox.clock.advance(ms);

// rule: state.document
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
  ['a name of 255 characters', Buffer.from('x'), '\u{1f697}'.repeat(255), 'application/octet-stream'],
])('the media type is told of %s', async (_, content, filename, mime) => {
  const story = await saleAfter();
  const { data } = await story.do('upload', { filename, content_base64: base64(content) });
  expect(data).toMatchObject({ filename, mime, bytes: content.length, digest: sha256(content) });
});

// rule: state.document
it('a document is ready once it is scanned, and not given out before', async () => {
  const story = await saleAfterIn({ scan: 60_000, prefix: '/index.php' });
  const id = await upload(story, { purpose: 'identity' });
  scanned(story, 59_999);
  const waiting = await metadata(story, id);
  expect(waiting).toMatchObject({ state: 'awaiting_scan', resource_version: 1 });
  expect(waiting.data.download_url).toBeNull();
  expect(told(await download(story, id))).toEqual([409, ['message']]);
  scanned(story, 1);
  expect(await metadata(story, id)).toEqual({
    ...waiting,
    state: 'ready',
    resource_version: 2,
    updated_at: '2026-03-01T10:01:00.000Z',
    data: { ...waiting.data, download_url: `${story.sandbox.baseUrl}/documents/${id}?download=1` },
  });
  expect((await download(story, id)).status).toBe(200);
});

// rule: state.document, notification.evidence
it('a scan waits while the scanner is down, and goes on when it is back', async () => {
  const story = await saleAfter();
  story.sandbox.scanner.pause();
  const early = await upload(story);
  scanned(story, aDay);
  const late = await upload(story);
  expect(await state(story, early)).toBe('awaiting_scan');
  story.sandbox.scanner.resume();
  expect([await state(story, early), await state(story, late)]).toEqual(['ready', 'awaiting_scan']);
  scanned(story);
  expect(await state(story, late)).toBe('ready');
  story.sandbox.scanner.pause();
  story.sandbox.scanner.resume();
  expect(await metadata(story, early)).toMatchObject({
    resource_version: 2,
    updated_at: '2026-03-02T10:00:00.000Z',
  });
});

it('a download gives the bytes back, not to be kept, and names the file safely', async () => {
  const story = await saleAfter();
  const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, at) => (at * 7) % 256));
  const filename = 'रसीद "1"; a=b.bin';
  const id = await upload(story, { filename, content_base64: base64(bytes) });
  scanned(story);
  const { target, headers } = signed(story.sandbox, story.sold.who, {
    path: `/api/v1/documents/${id}`,
    query: 'download=1',
  });
  const response = await fetch(story.sandbox.baseUrl.replace(/\/api\/v1$/, '') + target, { headers });
  expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': '1000',
    'cache-control': 'private, no-store',
    'content-disposition': attachment(filename),
  });
});

it.each([
  ['slip.pdf', 'attachment; filename="slip.pdf"'],
  ['my slip (2).pdf', 'attachment; filename="my slip (2).pdf"'],
  ['a"b\\c.pdf', `attachment; filename="a_b_c.pdf"; filename*=UTF-8''a%22b%5Cc.pdf`],
  ['50%.pdf', `attachment; filename="50_.pdf"; filename*=UTF-8''50%25.pdf`],
  ['रसीद.pdf', `attachment; filename="____.pdf"; filename*=UTF-8''%E0%A4%B0%E0%A4%B8%E0%A5%80%E0%A4%A6.pdf`],
  ['a\r\nX: 1', `attachment; filename="a__X: 1"; filename*=UTF-8''a%0D%0AX%3A%201`],
  ['\ud800', `attachment; filename="_"; filename*=UTF-8''%EF%BF%BD`],
  ['😀', `attachment; filename="_"; filename*=UTF-8''%F0%9F%98%80`],
])('the name %j can stand in a header', (filename, header) => {
  expect(attachment(filename)).toBe(header);
  expect(() => new Headers({ 'Content-Disposition': attachment(filename) })).not.toThrow();
});

// rule: code.not-found
it('access is checked on every download', async () => {
  const story = await saleAfter();
  const { bank, platform, rival } = story.sandbox.credentials;
  const id = await upload(story);
  scanned(story);
  const as = (who: typeof bank) => get(story.sandbox, who, `/api/v1/documents/${id}`, 'download=1');
  for (const who of [bank, story.sold.who]) expect((await as(who)).status).toBe(200);
  for (const who of [platform, rival]) expect(told(await as(who))).toEqual([404, ['message']]);
});

describe('the scanner', () => {
  // rule: state.document
  it('finds a file unclean, which is then given to nobody, whatever is found later', async () => {
    const story = await saleAfter();
    story.sandbox.scanner.finds('unclean');
    const id = await upload(story);
    scanned(story);
    const rejected = await metadata(story, id);
    expect(rejected).toMatchObject({ state: 'rejected', resource_version: 2, data: { download_url: null } });
    expect(told(await download(story, id))).toEqual([409, ['message']]);
    story.sandbox.scanner.finds('clean');
    story.sandbox.scanner.pause();
    story.sandbox.scanner.resume();
    scanned(story, aDay);
    expect(await metadata(story, id)).toEqual(rejected);
  });

  it('judges file by file, and sees of a file what there is to see', async () => {
    const story = await saleAfter();
    const seen: ScannedFile[] = [];
    story.sandbox.scanner.finds((file) => {
      seen.push(file);
      return file.filename.includes('macro') ? 'unclean' : 'clean';
    });
    const bad = await upload(story, { filename: 'macro.pdf' });
    const good = await upload(story, { purpose: 'identity' });
    scanned(story);
    expect([await state(story, bad), await state(story, good)]).toEqual(['rejected', 'ready']);
    const [, { content, ...rest } = { content: new Uint8Array() }] = seen;
    expect([rest, Buffer.from(content).toString()]).toEqual([
      {
        documentId: good,
        saleId: story.sold.saleId,
        purpose: 'identity',
        filename: 'slip.pdf',
        mime: 'application/pdf',
      },
      'abc',
    ]);
  });

  // rule: notification.evidence
  it('passes nothing that is not found clean', async () => {
    const story = await saleAfter();
    // @ts-expect-error no such finding
    story.sandbox.scanner.finds(() => 'perhaps');
    const id = await upload(story);
    scanned(story);
    expect(await state(story, id)).toBe('rejected');
    // @ts-expect-error no such finding
    expect(() => story.sandbox.scanner.finds('perhaps')).toThrow(RangeError);
  });

  const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
  it.each([
    ['by itself', eicar, 'rejected'],
    ['inside a file', `%PDF-1.7\n${eicar}\n%%EOF`, 'rejected'],
    ['in part only', eicar.slice(0, -1), 'ready'],
  ])(
    'goes by the test signature of virus scanners where nothing else is said, %s',
    async (_, content, found) => {
      const story = await saleAfter();
      story.sandbox.scanner.finds('unclean');
      story.sandbox.scanner.finds();
      const id = await upload(story, { content_base64: base64(content) });
      scanned(story);
      expect(await state(story, id)).toBe(found);
    },
  );
});

it('the scanner judges every scan by what it finds when it ends, those too that waited while it was down', async () => {
  const story = await saleAfter();
  const { scanner } = story.sandbox;
  const early = await upload(story);
  scanner.finds('unclean');
  scanned(story);
  scanner.pause();
  const late = await upload(story);
  scanned(story, 60_000);
  scanner.finds('clean');
  scanner.resume();
  expect([await state(story, early), await state(story, late)]).toEqual(['rejected', 'ready']);
});
