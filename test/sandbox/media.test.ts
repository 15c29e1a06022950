import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type LotMedia,
  type Sandbox,
  type SandboxCredentials,
  startSandbox,
} from '../../src/sandbox/index.js';
import { get, got, lotOf, signed } from './caller.js';
import { bodyOf, rawExchange, rawRequest, statusOf } from './raw.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

/** A JPEG or a PNG, by its first bytes. */
const isPicture = (bytes: Uint8Array) =>
  ['ffd8ff', '89504e470d0a1a0a'].some((first) => Buffer.from(bytes).toString('hex').startsWith(first));
const eventPath = (label: string) => `/api/v1/events/${sandbox.auctions.get(label).id}`;
const mediaPath = (label: string, lotId: string, mediaId: number | string) =>
  `${eventPath(label)}/lots/${lotId}/media/${mediaId}`;

/** Asks for an absolute URL as it is, signing its path from `/api/v1` on. */
async function fetchUrl(url: string, who: SandboxCredentials = sandbox.credentials.dealer, of = sandbox) {
  const { headers } = signed(of, who, { path: url.slice(url.indexOf('/api/v1')) });
  const response = await of.fetch(new Request(url, { headers }));
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

/** Literally what the text says of files. */
const isEligible = (file: LotMedia) =>
  !file.deleted && !file.quarantined && (file.kind === 'photo' || file.visibility === 'auction');

describe('what a lot lists', () => {
  // rule: catalogue.files
  test('absolute URLs of the files of a lot, in every view of it', async () => {
    const { dealer } = sandbox.credentials;
    const { id, media } = lotOf(sandbox, 'live-open');
    const urls = (kind: LotMedia['kind']) =>
      media
        .filter((file) => file.kind === kind)
        .map(
          (file) =>
            `${sandbox.baseUrl}/events/${sandbox.auctions.get('live-open').id}/lots/${id}/media/${file.id}`,
        );
    const expected = { images: urls('photo'), documents: urls('document') };
    expect([expected.images.length, expected.documents.length]).toEqual([2, 1]);
    expect((await get(sandbox, dealer, `${eventPath('live-open')}/lots`)).json.data[0]).toMatchObject(
      expected,
    );
    expect((await get(sandbox, dealer, `${eventPath('live-open')}/lots/${id}`)).json.data).toMatchObject(
      expected,
    );
    expect((await get(sandbox, dealer, `/api/v1/vehicles/${id}`)).json.data).toMatchObject(expected);
    const summaries = (await get(sandbox, dealer, '/api/v1/lots', 'page=2')).json.data;
    expect(
      summaries.find((lot: { auction_id: string }) => lot.auction_id === sandbox.auctions.get('live-open').id)
        .images.length,
    ).toBeGreaterThan(0);
  });

  // rule: catalogue.files
  test('the files that may be seen, and no others; none is an empty array', async () => {
    const { dealer } = sandbox.credentials;
    const listed = (await get(sandbox, dealer, `${eventPath('live-open')}/lots`, 'per_page=100')).json.data;
    const idsOf = (urls: string[]) => urls.map((url) => Number(/\/media\/(\d+)$/.exec(url)?.[1]));
    const seen = listed.map((lot: { images: string[]; documents: string[] }) => [
      ...idsOf(lot.images),
      ...idsOf(lot.documents),
    ]);
    const { lots } = sandbox.auctions.get('live-open');
    expect(seen.map((ids: number[]) => ids.sort())).toEqual(
      lots.map(({ media }) => media.filter(isEligible).map(({ id }) => id)),
    );
    const files = lots.flatMap(({ media }) => media);
    expect(
      files.filter((file) => file.kind === 'photo' && file.visibility === 'private').length,
    ).toBeGreaterThan(40);
    expect(files.some(({ deleted }) => deleted)).toBe(true);
    expect(files.some(({ quarantined }) => quarantined)).toBe(true);
    expect(files.some(({ kind, visibility }) => kind === 'document' && visibility === 'private')).toBe(true);
    expect(listed[7]).toMatchObject({ images: [], documents: [] });
    expect(listed.filter((lot: { images: string[] }) => lot.images.length > 3)).toEqual([]);
  });

  // rule: vehicle.media-url
  test('the bank’s media_url is a field like any other, and none of them', async () => {
    const { dealer } = sandbox.credentials;
    const [lot] = (await get(sandbox, dealer, `${eventPath('live-open')}/lots`)).json.data;
    expect(lot.vehicle_details.media_url).toBe('https://bank-files.example/vehicle-photos');
    expect(JSON.stringify([lot.images, lot.documents])).not.toContain('bank-files.example');
  });

  test('ids are whole numbers, no two alike in the sandbox', () => {
    const ids = sandbox.auctions
      .list()
      .flatMap(({ lots }) => lots.flatMap(({ media }) => media.map(({ id }) => id)));
    expect(ids.length).toBeGreaterThan(300);
    expect(ids.every(Number.isSafeInteger)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('behind a front controller, its segment stands in the URLs', async () => {
    await using behind = await startSandbox({ clock: 'manual', prefix: '/index.php', rateLimit: false });
    const { dealer } = behind.credentials;
    const event = behind.auctions.get('live-open');
    const lot = (await get(behind, dealer, `/api/v1/events/${event.id}/lots`)).json.data[0];
    expect(lot.images[0]).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/index\.php\/api\/v1\/events\//);
    const { response, bytes } = await fetchUrl(lot.images[0], dealer, behind);
    expect([response.status, isPicture(bytes)]).toEqual([200, true]);
  });
});

describe('a file', () => {
  const fileOf = (kind: LotMedia['kind']) => {
    const { id, media } = lotOf(sandbox, 'live-open');
    const file = media.find((each) => each.kind === kind);
    if (file === undefined) throw new Error(`no ${kind}`);
    return { file, path: mediaPath('live-open', id, file.id) };
  };

  // rule: general.9, catalogue.files
  test('a photo: its bytes, its type, inline, never to be cached', async () => {
    const { response, bytes } = await fetchUrl(sandbox.baseUrl.replace('/api/v1', '') + fileOf('photo').path);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': expect.stringMatching(/^image\/(?:png|jpeg)$/),
      'cache-control': 'private, no-store',
      'content-disposition': 'inline',
      'content-length': String(bytes.length),
      date: 'Sun, 01 Mar 2026 10:00:00 GMT',
    });
    expect(isPicture(bytes)).toBe(true);
  });

  // rule: catalogue.files
  test('a document: attached under its name', async () => {
    const { file, path } = fileOf('document');
    const { response, bytes } = await fetchUrl(sandbox.baseUrl.replace('/api/v1', '') + path);
    expect(response.status).toBe(200);
    expect(file.filename).toMatch(/^[A-Z]{2}\d{2}[A-Z]{2}\d{4}-inspection\.pdf$/);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'cache-control': 'private, no-store',
      'content-disposition': `attachment; filename="${file.filename}"`,
      'content-length': String(bytes.length),
    });
    expect(bytes.toString('latin1')).toMatch(/^%PDF-1\.4\n[\s\S]*%%EOF\n$/);
  });

  test('every URL of an event is good', async () => {
    const { dealer } = sandbox.credentials;
    const lots = (await get(sandbox, dealer, `${eventPath('live-no-grid')}/lots`)).json.data;
    const urls: string[] = lots.flatMap((lot: { images: string[] }) => lot.images);
    for (const url of urls) {
      const { response, bytes } = await fetchUrl(url);
      expect([response.status, isPicture(bytes)]).toEqual([200, true]);
    }
    expect(urls.length).toBeGreaterThan(8);
  });

  test('banks read those of their own lots; results keep theirs', async () => {
    const url = sandbox.baseUrl.replace('/api/v1', '') + fileOf('photo').path;
    expect((await fetchUrl(url, sandbox.credentials.bank)).response.status).toBe(200);
    sandbox.auctions.close('live-open');
    expect((await fetchUrl(url)).response.status).toBe(200);
  });

  test('needs its scope', async () => {
    const { dealer } = sandbox.credentials;
    const { path } = fileOf('photo');
    sandbox.partners.update(dealer.clientId, { scopes: ['vehicles:read', 'documents:read'] });
    const refused = await get(sandbox, dealer, path);
    expect([refused.status, refused.json.code]).toEqual([403, 'SCOPE_DENIED']);
  });
});

describe('404, and no more than a message', () => {
  const expectMissing = async (path: string, who = sandbox.credentials.dealer) => {
    const reply = await get(sandbox, who, path);
    expect([reply.status, Object.keys(reply.json)], path).toEqual([404, ['message']]);
    expect(reply.headers.get('content-type')).toBe('application/json');
  };
  const firstFile = (label: string, index = 0) => {
    const { id, media } = lotOf(sandbox, label, index);
    return { lotId: id, fileId: media[0]?.id ?? 0 };
  };

  test.each(['1', '0', '999999', 'x', '-1', '1.0', '%20'])('an id that names nothing: %s', async (id) => {
    await expectMissing(mediaPath('live-open', lotOf(sandbox, 'live-open').id, id));
  });

  test('an id in another spelling', async () => {
    const { lotId, fileId } = firstFile('live-open');
    for (const id of [`0${fileId}`, `${fileId}.0`, `+${fileId}`, `${fileId}%20`]) {
      await expectMissing(mediaPath('live-open', lotId, id));
    }
  });

  // rule: catalogue.files, code.not-found
  test('deleted, quarantined, not auction-visible', async () => {
    const hidden = sandbox.auctions
      .get('live-open')
      .lots.flatMap(({ id, media }) =>
        media.filter((file) => !isEligible(file)).map((file) => [id, file.id] as const),
      );
    expect(hidden).toHaveLength(4);
    for (const [lotId, fileId] of hidden) {
      await expectMissing(mediaPath('live-open', lotId, fileId));
      await expectMissing(mediaPath('live-open', lotId, fileId), sandbox.credentials.bank);
    }
  });

  test('another lot’s, another event’s', async () => {
    const { lotId, fileId } = firstFile('live-open');
    await expectMissing(mediaPath('live-open', lotOf(sandbox, 'live-open', 1).id, fileId));
    await expectMissing(mediaPath('live-closed', lotId, fileId));
    await expectMissing(mediaPath('live-closed', lotOf(sandbox, 'live-closed').id, fileId));
  });

  // rule: catalogue.files, code.not-found
  test.each(['other-bank', 'unassigned', 'cancelled'])('of a lot that is %s', async (label) => {
    const { lotId, fileId } = firstFile(label);
    await expectMissing(mediaPath(label, lotId, fileId));
    await expectMissing(mediaPath('live-open', lotOf(sandbox, 'live-open').id, fileId));
  });

  test('another bank’s, to a bank', async () => {
    const { lotId, fileId } = firstFile('other-bank');
    await expectMissing(mediaPath('other-bank', lotId, fileId), sandbox.credentials.bank);
  });

  test('withdrawn, or no longer assigned, though the URL was given before', async () => {
    const { lotId, fileId } = firstFile('live-open');
    const path = mediaPath('live-open', lotId, fileId);
    const { clientId } = sandbox.credentials.dealer;
    const { auctions } = sandbox.partners.get(clientId);
    sandbox.partners.update(clientId, { auctions: [] });
    await expectMissing(path);
    sandbox.partners.update(clientId, { auctions });
    expect((await get(sandbox, sandbox.credentials.dealer, path)).status).toBe(200);
    sandbox.auctions.withdraw(lotId);
    await expectMissing(path);
  });
});

describe('bytes over a socket, whole and not', () => {
  const asked = () => {
    const { id, media } = lotOf(sandbox, 'live-open');
    return { path: mediaPath('live-open', id, media[0]?.id ?? 0) };
  };
  const overSocket = () => rawExchange(sandbox, rawRequest(sandbox, sandbox.credentials.dealer, asked()));

  test('whole', async () => {
    const reply = await overSocket();
    expect([statusOf(reply), reply.match(/^content-type:/gim)?.length]).toEqual([200, 1]);
    const file = Buffer.from(bodyOf(reply), 'latin1');
    expect(file).toHaveLength(Number(/content-length: (\d+)/i.exec(reply)?.[1]));
    expect(isPicture(file)).toBe(true);
  });

  test.each([
    [undefined, (length: number) => Math.floor(length / 2)],
    [100, () => 100],
    [1_000_000, (length: number) => length - 1],
  ] as const)('truncate after %s', async (bytes, expected) => {
    sandbox.inject({ operation: 'events.media', fault: 'truncate', ...(bytes !== undefined && { bytes }) });
    const reply = await overSocket();
    const announced = Number(/content-length: (\d+)/i.exec(reply)?.[1]);
    expect([statusOf(reply), bodyOf(reply).length]).toEqual([200, expected(announced)]);
    expect(reply).toMatch(/content-type: image\/(?:png|jpeg)/i);
  });

  test('truncate in process: the body breaks', async () => {
    sandbox.inject({ operation: 'events.media', fault: 'truncate' });
    const { headers } = signed(sandbox, sandbox.credentials.dealer, asked());
    const url = sandbox.baseUrl.replace('/api/v1', '') + asked().path;
    const response = await sandbox.fetch(new Request(url, { headers }));
    expect(response.status).toBe(200);
    await expect(response.arrayBuffer()).rejects.toThrow(TypeError);
  });

  test('dropped, and put in the place of a file: an error, HTML', async () => {
    sandbox.inject({ operation: 'events.media', fault: 'drop_after_commit' });
    expect(await overSocket()).toBe('');
    sandbox.inject({ operation: 'events.media', fault: 'error_after_commit' });
    const failed = await overSocket();
    expect([statusOf(failed), Object.keys(JSON.parse(bodyOf(failed)))]).toEqual([500, ['message']]);
    sandbox.inject({ operation: 'events.media', fault: 'garbage', status: 200, commit: true });
    expect(await overSocket()).toMatch(/content-type: text\/html[\s\S]*<html>/i);
    expect(sandbox.attempts().map(({ status }) => status)).toEqual(['dropped', 500, 200]);
  });
});

test('what was given to one is not changed for the next', async () => {
  const { id, media } = lotOf(sandbox, 'live-open');
  const url = sandbox.baseUrl.replace('/api/v1', '') + mediaPath('live-open', id, media[0]?.id ?? 0);
  const first = await fetchUrl(url);
  const kept = Buffer.from(first.bytes);
  first.bytes.fill(0);
  expect((await fetchUrl(url)).bytes.equals(kept)).toBe(true);
  const unsigned = await got(await sandbox.fetch(new Request(url)));
  expect([unsigned.status, unsigned.json.code]).toEqual([401, 'API_CLIENT_NOT_ACTIVE']);
});
