import { describe, expect, test } from 'vitest';
import type { LotMedia, SandboxCredentials } from '../../src/sandbox/index.js';
import { dealer, freshSandbox, get, got, lotOf, sandbox, signed } from './caller.js';

freshSandbox();

const read = async (path: string, query = '', who = dealer()) =>
  (await get(sandbox, who, `/api/v1/${path}`, query)).json;
const statusOfRead = async (path: string, who = dealer()) =>
  (await get(sandbox, who, `/api/v1/${path}`)).status;
const eventPath = (label: string) => `events/${sandbox.auctions.get(label).id}`;
const lotsPath = (label: string) => `${eventPath(label)}/lots`;
const pageOf = ({ data, current_page, last_page, total }: { data: unknown[] } & Record<string, unknown>) => [
  ...[data.length, current_page, last_page, total],
];

const summaryKeys = [
  ...['auction_id', 'category', 'documents', 'ends_at', 'id', 'images', 'public_fields', 'starting_price'],
  ...['status', 'title', 'vehicle_details'],
];
const standardKeys = [
  ...['registration_number', 'make', 'model', 'year', 'region', 'vehicle_type', 'yard', 'title'],
  ...['bank_reference', 'condition'],
];

describe('events', () => {
  const labels = (json: { data: { id: string }[] }) =>
    json.data.map(({ id }) => sandbox.auctions.get(id).label).sort();
  const live = ['live-closed', 'live-legacy', 'live-no-grid', 'live-open'];

  // rule: page.catalogue
  test.each([
    [['', 'status=active', 'status=live'], live],
    [['status=upcoming', 'status=scheduled'], ['upcoming']],
    [
      ['status=over', 'status=ended'],
      ['over', 'over-closed'],
    ],
    [['status=all'], [...live, 'over', 'over-closed', 'upcoming']],
  ])('with the query %j are %j', async (queries, expected) => {
    for (const query of queries) {
      const json = await read('events', query);
      expect(Object.keys(json)).toEqual(['data', 'current_page', 'last_page', 'total']);
      expect(labels(json)).toEqual(expected);
    }
  });

  test('are shown literally', async () => {
    const { id } = sandbox.auctions.get('live-open');
    expect(id).toMatch(/^auc_/);
    const data = {
      ...{ id, name: 'Southern Four-Wheeler Sale', reference: 'EVT-0001', distribution_mode: 'syndicated' },
      ...{ bid_type: 'open', status: 'live', timezone: 'Asia/Kolkata', bid_increment: '5000.00' },
      ...{ starts_at: '2026-03-01T13:30:00+05:30', ends_at: '2026-03-01T19:30:00+05:30' },
      ...{ eligible_lots_count: 40, revision: 1 },
    };
    expect(await read(`events/${id}`)).toEqual({ data });
  });

  // rule: event-state.cancelled, catalogue.shown
  test('that are not the caller’s are a 404 or left out', async () => {
    const { bank } = sandbox.credentials;
    for (const label of ['cancelled', 'unassigned', 'other-bank']) {
      expect([label, await statusOfRead(eventPath(label))]).toEqual([label, 404]);
    }
    expect([
      await statusOfRead(eventPath('unassigned'), bank),
      await statusOfRead(eventPath('other-bank'), bank),
    ]).toEqual([200, 404]);
    const none = await get(sandbox, dealer(), '/api/v1/events/auc_none');
    expect([none.status, Object.keys(none.json)]).toEqual([404, ['message']]);
    for (const lot of sandbox.auctions.get('live-legacy').lots) sandbox.auctions.withdraw(lot.id);
    expect(labels(await read('events'))).not.toContain('live-legacy');
  });
});

describe('lots of an event', () => {
  // rule: page.catalogue, limit.per-page
  test('come in pages', async () => {
    const page = (query = '') => read(lotsPath('live-open'), query);
    const [first, second] = [await page(), await page('page=2')];
    expect([pageOf(first), pageOf(second)]).toEqual([
      [25, 1, 2, 40],
      [15, 2, 2, 40],
    ]);
    const ids = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
    expect(ids).toEqual(sandbox.auctions.get('live-open').lots.map(({ id }) => id));
    expect(pageOf(await page('page=3&per_page=39'))).toEqual([0, 3, 2, 40]);
    expect(pageOf(await page('per_page=100'))).toEqual([40, 1, 1, 40]);
  });

  // rule: page.catalogue, limit.fixed-pages
  test('that are live are summed up in pages of 25', async () => {
    const first = await read('lots');
    expect(pageOf(first)).toEqual([25, 1, 4, 90]);
    expect(Object.keys(first)).toEqual(['data', 'current_page', 'last_page', 'total']);
    expect(Object.keys(first.data[0]).sort()).toEqual(summaryKeys);
    expect(first.data[0].status).toBe('live');
    expect(pageOf(await read('lots', 'page=4&per_page=50'))).toEqual([15, 4, 4, 90]);
  });

  // rule: page.results
  test('that are over have the same summary among the results, without a total', async () => {
    const results = await read('results');
    expect(Object.keys(results)).toEqual(['data', 'current_page', 'last_page']);
    expect(Object.keys(results.data[0]).sort()).toEqual(summaryKeys);
    expect(results.data[0]).toMatchObject({ status: 'over', ends_at: '2026-02-27T15:30:00+05:30' });
  });

  // rule: catalogue.summaries
  test('have the same summary as vehicles, without anybody’s standing and what the bank keeps to itself', async () => {
    const { vehicle_details: details, ...listed } = (await read('lots')).data[0];
    const reply = await read(`vehicles/${listed.id}`);
    const { vehicle_details, ...rest } = reply.data;
    expect([Object.keys(reply), rest]).toEqual([['data'], listed]);
    expect(Object.keys(vehicle_details).sort()).toEqual([...standardKeys].sort());
    expect(details).toMatchObject(vehicle_details);
    // The catalogue and the event lot have the bank's labels.
    expect(details).toHaveProperty(['Chassis Number']);
    const inEvent = await read(`events/${listed.auction_id}/lots/${listed.id}`);
    expect(inEvent.data.vehicle_details).toEqual(details);
  });

  // rule: limit.per-page, limit.search
  test.each([
    ['page', ['page=0', 'page=-1', 'page=1.5', 'page=two', 'page=', 'page=1&page=2']],
    ['per_page', ['per_page=0', 'per_page=101']],
    ['search', [`search=${'x'.repeat(101)}`]],
    ['bidder_reference', ['bidder_reference=A']],
  ])('are a 422 for %s: %j', async (field, queries) => {
    for (const query of queries) {
      const { status, json } = await get(sandbox, dealer(), `/api/v1/${lotsPath('live-open')}`, query);
      expect([status, Object.keys(json.errors)]).toEqual([422, [field]]);
    }
    expect(Object.keys((await read('events', 'status=closed')).errors)).toEqual(['status']);
  });

  test('are found by registration, make and model, whatever the case', async () => {
    const [lot] = (await read(lotsPath('live-open'))).data;
    for (const field of ['registration_number', 'make', 'model'] as const) {
      const wanted: string = lot[field].toLowerCase().slice(0, 5);
      const found = await read(lotsPath('live-open'), `search=${encodeURIComponent(wanted)}`);
      expect(found.data.map(({ id }: { id: string }) => id)).toContain(lot.id);
      expect(found.total).toBeLessThan(40);
    }
    expect(pageOf(await read(lotsPath('live-open'), 'search=zzz'))).toEqual([0, 1, 1, 0]);
  });

  // rule: general.3, vehicle.keys
  test('have every field of the text, and the bank’s labels beside the standard keys', async () => {
    const [lot] = (await read(lotsPath('live-open'))).data;
    expect(Object.keys(lot).sort()).toEqual([
      ...['auction_id', 'bidder_status', 'channel_status', 'documents', 'highest_amount', 'id', 'images'],
      ...['make', 'model', 'own_amount', 'provisional', 'public_fields', 'region', 'registration_number'],
      ...['starting_price', 'vehicle_details', 'vehicle_type', 'year'],
    ]);
    expect(lot).toMatchObject({ id: expect.stringMatching(/^lot_/), provisional: true, own_amount: null });
    expect(lot.registration_number).toMatch(/^[A-Z]{2}\d{2}[A-Z]{2}\d{4}$/);
    const details = Object.keys(lot.vehicle_details);
    expect(details).toEqual(expect.arrayContaining([...standardKeys, 'Remarks', 'Remarks (2)']));
    expect(lot.vehicle_details.yard).not.toBe('as per remarks');
    for (const field of Object.values(lot.public_fields))
      expect(Object.keys(field as object)).toEqual(['label', 'value']);
  });

  // rule: vehicle.values
  test('keep the type of values under the bank’s labels, null and empty text too', async () => {
    const lots: { vehicle_details: Record<string, unknown> }[] = (
      await read(lotsPath('live-open'), 'per_page=100')
    ).data;
    const typesOf = (label: string) => {
      const values = lots.map(({ vehicle_details }) => vehicle_details[label]);
      return [
        ...new Set(values.map((value) => (value === null || value === '' ? value : typeof value))),
      ].sort();
    };
    expect(['Odometer (km)', 'RC Available?', 'Tax / Challan Dues (INR)'].flatMap(typesOf)).toEqual([
      'number',
      'boolean',
      'string',
    ]);
    expect([typesOf('Insurance Valid Till'), typesOf('yard'), typesOf('Repo Agency')]).toEqual([
      ...[
        [null, 'string'],
        [null, 'string'],
      ],
      ['', 'string'],
    ]);
  });

  // rule: catalogue.shown
  test('are found in their own event only; withdrawn ones nowhere', async () => {
    const { id } = lotOf(sandbox, 'live-open');
    expect((await read(`${lotsPath('live-open')}/${id}`)).data.id).toBe(id);
    expect(await statusOfRead(`${lotsPath('live-closed')}/${id}`)).toBe(404);
    sandbox.auctions.withdraw(id);
    expect(await statusOfRead(`${lotsPath('live-open')}/${id}`)).toBe(404);
    expect(await statusOfRead(`lots/${id}/status`)).toBe(404);
    expect((await read(lotsPath('live-open'))).total).toBe(39);
  });
});

describe('files of a lot', () => {
  /** A JPEG or a PNG, by its first bytes. */
  const isPicture = (bytes: Uint8Array) =>
    /^(?:ffd8ff|89504e470d0a1a0a)/.test(Buffer.from(bytes).toString('hex'));
  const mediaPath = (label: string, lotId: string, id: number | string) =>
    `/api/v1/${lotsPath(label)}/${lotId}/media/${id}`;
  /** The path of the first file of a kind on the first lot of an auction. */
  const fileOf = (label: string, kind: LotMedia['kind'] = 'photo') => {
    const { id: lotId, media } = lotOf(sandbox, label);
    const file = media.find((each) => each.kind === kind);
    if (file === undefined) throw new Error(`no ${kind}`);
    return { file, lotId, path: mediaPath(label, lotId, file.id) };
  };
  /** Asks for an absolute URL as it is, signing its path from `/api/v1` on. */
  async function fetchUrl(url: string, who: SandboxCredentials = dealer(), of = sandbox) {
    const { headers } = signed(of, who, { path: url.slice(url.indexOf('/api/v1')) });
    const response = await of.fetch(new Request(url, { headers }));
    return { response, bytes: Buffer.from(await response.arrayBuffer()) };
  }
  const fetched = (path: string, who?: SandboxCredentials) =>
    fetchUrl(new URL(path, sandbox.baseUrl).href, who);
  /** Literally what the text says of files. */
  const isEligible = (file: LotMedia) =>
    !file.deleted && !file.quarantined && (file.kind === 'photo' || file.visibility === 'auction');

  // rule: catalogue.files
  test('are listed by absolute URLs in every view of it', async () => {
    const { id, media } = lotOf(sandbox, 'live-open');
    const urls = (kind: LotMedia['kind']) =>
      media
        .filter((file) => file.kind === kind)
        .map((file) => new URL(mediaPath('live-open', id, file.id), sandbox.baseUrl).href);
    const expected = { images: urls('photo'), documents: urls('document') };
    expect([expected.images.length, expected.documents.length]).toEqual([2, 1]);
    expect((await read(lotsPath('live-open'))).data[0]).toMatchObject(expected);
    expect((await read(`${lotsPath('live-open')}/${id}`)).data).toMatchObject(expected);
    expect((await read(`vehicles/${id}`)).data).toMatchObject(expected);
    const summaries = [...(await read('lots')).data, ...(await read('lots', 'page=2')).data];
    const auction = sandbox.auctions.get('live-open').id;
    const isLive = (lot: { auction_id: string }) => lot.auction_id === auction;
    expect(summaries.find(isLive).images).not.toEqual([]);
  });

  // rule: catalogue.files, vehicle.media-url
  test('are those that may be seen, and no others; their ids are unique, and media_url is none of them', async () => {
    const listed: { images: string[]; documents: string[]; vehicle_details: { media_url: string } }[] = (
      await read(lotsPath('live-open'), 'per_page=100')
    ).data;
    const idsOf = (urls: string[]) => urls.map((url) => Number(/\/media\/(\d+)$/.exec(url)?.[1]));
    const { lots } = sandbox.auctions.get('live-open');
    expect(listed.map((lot) => [...idsOf(lot.images), ...idsOf(lot.documents)].sort())).toEqual(
      lots.map(({ media }) => media.filter(isEligible).map(({ id }) => id)),
    );
    const files = lots.flatMap(({ media }) => media);
    const kinds = files.map((file) => `${file.kind} ${file.visibility} ${file.deleted} ${file.quarantined}`);
    expect(new Set(kinds)).toEqual(
      new Set([
        ...['photo private false false', 'photo private true false', 'photo private false true'],
        ...['document auction false false', 'document private false false', 'document auction true false'],
      ]),
    );
    expect(listed[7]).toMatchObject({ images: [], documents: [] });
    const ids = sandbox.auctions
      .list()
      .flatMap((each) => each.lots.flatMap(({ media }) => media.map(({ id }) => id)));
    expect([ids.every(Number.isSafeInteger), new Set(ids).size]).toEqual([true, ids.length]);
    const { media_url } = listed[0]?.vehicle_details ?? {};
    expect(media_url).toMatch(/^https:/);
    expect(JSON.stringify([listed[0]?.images, listed[0]?.documents])).not.toContain(media_url);
  });

  // rule: general.9, catalogue.files
  test('are bytes with their type and length, never cached: photos inline, documents attached', async () => {
    const photo = await fetched(fileOf('live-open').path);
    const { file, path } = fileOf('live-open', 'document');
    const document = await fetched(path);
    for (const [{ response, bytes }, type, disposition] of [
      [photo, /^image\/(?:png|jpeg)$/, 'inline'],
      [document, /^application\/pdf$/, `attachment; filename="${file.filename}"`],
    ] as const) {
      expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([
        200,
        {
          ...{ 'content-type': expect.stringMatching(type), 'content-disposition': disposition },
          ...{ 'cache-control': 'private, no-store', 'content-length': String(bytes.length) },
          date: 'Sun, 01 Mar 2026 10:00:00 GMT',
        },
      ]);
    }
    expect(isPicture(photo.bytes)).toBe(true);
    expect(file.filename).toMatch(/^[A-Z]{2}\d{2}[A-Z]{2}\d{4}-inspection\.pdf$/);
    expect(document.bytes.toString('latin1')).toMatch(/^%PDF-1\.4\n[\s\S]*%%EOF\n$/);
  });

  test('are read by the bank of the lot, after the close too, and need their scope', async () => {
    const { path } = fileOf('live-open');
    expect((await fetched(path, sandbox.credentials.bank)).response.status).toBe(200);
    sandbox.auctions.close('live-open');
    expect((await fetched(path)).response.status).toBe(200);
    expect((await got(await sandbox.fetch(new URL(path, sandbox.baseUrl)))).json.code).toBe(
      'API_CLIENT_NOT_ACTIVE',
    );
    sandbox.partners.update(dealer().clientId, { scopes: ['vehicles:read', 'documents:read'] });
    const refused = await get(sandbox, dealer(), path);
    expect([refused.status, refused.json.code]).toEqual([403, 'SCOPE_DENIED']);
  });

  // rule: catalogue.files, code.not-found
  test('that are not to be seen are a 404 with a message', async () => {
    const { bank } = sandbox.credentials;
    const { lotId, file, path } = fileOf('live-open');
    const wrong = ['1', '0', '999999', 'x', '-1', '%20', `0${file.id}`, `${file.id}.0`, `+${file.id}`];
    const paths = wrong.map((id) => mediaPath('live-open', lotId, id));
    paths.push(mediaPath('live-open', lotOf(sandbox, 'live-open', 1).id, file.id));
    paths.push(mediaPath('live-closed', lotId, file.id));
    for (const label of ['other-bank', 'unassigned', 'cancelled']) {
      const foreign = fileOf(label);
      paths.push(foreign.path, mediaPath('live-open', lotId, foreign.file.id));
    }
    const hidden = sandbox.auctions
      .get('live-open')
      .lots.flatMap(({ id, media }) =>
        media.filter((each) => !isEligible(each)).map((each) => mediaPath('live-open', id, each.id)),
      );
    expect(hidden).toHaveLength(4);
    const asked = [...paths, ...hidden].map((each) => [each, dealer()] as const);
    const byBank = [...hidden, fileOf('other-bank').path].map((each) => [each, bank] as const);
    for (const [each, who] of [...asked, ...byBank]) {
      const reply = await get(sandbox, who, each);
      expect([each, reply.status, Object.keys(reply.json)]).toEqual([each, 404, ['message']]);
    }
    const { auctions } = sandbox.partners.get(dealer().clientId);
    const seen = async () => (await get(sandbox, dealer(), path)).status;
    sandbox.partners.update(dealer().clientId, { auctions: [] });
    expect(await seen()).toBe(404);
    sandbox.partners.update(dealer().clientId, { auctions });
    expect(await seen()).toBe(200);
    sandbox.auctions.withdraw(lotId);
    expect(await seen()).toBe(404);
  });
});
