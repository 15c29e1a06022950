import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get, lotOf } from './caller.js';

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

describe('lots of an event', () => {
  const lotsPath = (label: string) => `/api/v1/events/${sandbox.auctions.get(label).id}/lots`;

  // rule: page.catalogue, limit.per-page
  test('pages', async () => {
    const { dealer } = sandbox.credentials;
    const page = async (query: string) => (await get(sandbox, dealer, lotsPath('live-open'), query)).json;
    const first = await page('');
    expect([first.data.length, first.current_page, first.last_page, first.total]).toEqual([25, 1, 2, 40]);
    const second = await page('page=2');
    expect([second.data.length, second.current_page, second.last_page, second.total]).toEqual([15, 2, 2, 40]);
    const ids = [...first.data, ...second.data].map((lot: { id: string }) => lot.id);
    expect(ids).toEqual(sandbox.auctions.get('live-open').lots.map(({ id }) => id));
    const beyond = await page('page=3&per_page=39');
    expect([beyond.data, beyond.current_page, beyond.last_page, beyond.total]).toEqual([[], 3, 2, 40]);
    expect((await page('per_page=100')).data).toHaveLength(40);
  });

  // rule: limit.per-page, limit.search
  test.each([
    ['page=0', 'page'],
    ['page=-1', 'page'],
    ['page=1.5', 'page'],
    ['page=two', 'page'],
    ['page=', 'page'],
    ['per_page=0', 'per_page'],
    ['per_page=101', 'per_page'],
    ['page=1&page=2', 'page'],
    [`search=${'x'.repeat(101)}`, 'search'],
    ['bidder_reference=A', 'bidder_reference'],
  ])('%s is invalid', async (query, field) => {
    const reply = await get(sandbox, sandbox.credentials.dealer, lotsPath('live-open'), query);
    expect([reply.status, Object.getOwnPropertyNames(reply.json.errors)]).toEqual([422, [field]]);
  });

  test('a status that isn’t one', async () => {
    const { dealer } = sandbox.credentials;
    const status = await get(sandbox, dealer, '/api/v1/events', 'status=closed');
    expect([status.status, Object.keys(status.json.errors)]).toEqual([422, ['status']]);
  });

  test('search finds registration, make and model, whatever the case', async () => {
    const { dealer } = sandbox.credentials;
    const all = (await get(sandbox, dealer, lotsPath('live-open'), 'per_page=100')).json.data;
    for (const field of ['registration_number', 'make', 'model'] as const) {
      const wanted: string = all[0][field].toLowerCase().slice(0, 5);
      const query = `search=${encodeURIComponent(wanted)}`;
      const found = (await get(sandbox, dealer, lotsPath('live-open'), query)).json;
      expect(found.data.map((lot: { id: string }) => lot.id)).toContain(all[0].id);
      expect(found.total).toBeLessThan(40);
    }
    expect((await get(sandbox, dealer, lotsPath('live-open'), 'search=zzz')).json).toEqual({
      data: [],
      current_page: 1,
      last_page: 1,
      total: 0,
    });
  });

  // rule: general.3, vehicle.keys
  test('a lot has every field of the text, and the bank’s labels beside the standard keys', async () => {
    const { dealer } = sandbox.credentials;
    const lot = (await get(sandbox, dealer, lotsPath('live-open'))).json.data[0];
    expect(Object.keys(lot).sort()).toEqual(
      [
        ...[
          'vehicle_details',
          'images',
          'documents',
          'id',
          'auction_id',
          'registration_number',
          'make',
          'model',
        ],
        ...[
          'region',
          'vehicle_type',
          'year',
          'starting_price',
          'public_fields',
          'own_amount',
          'bidder_status',
        ],
        ...['channel_status', 'provisional', 'highest_amount'],
      ].sort(),
    );
    expect(lot.id).toMatch(/^lot_/);
    expect(lot.registration_number).toMatch(/^[A-Z]{2}\d{2}[A-Z]{2}\d{4}$/);
    expect(lot).toMatchObject({ provisional: true, own_amount: null });
    const standard = [
      'registration_number',
      'make',
      'model',
      'year',
      'region',
      'vehicle_type',
      'yard',
      'title',
    ];
    for (const key of [...standard, 'bank_reference', 'condition', 'Remarks', 'Remarks (2)']) {
      expect(lot.vehicle_details).toHaveProperty([key]);
    }
    expect(lot.vehicle_details.yard).not.toBe('as per remarks');
    for (const field of Object.values(lot.public_fields)) {
      expect(Object.keys(field as object)).toEqual(['label', 'value']);
    }
  });

  // rule: vehicle.values
  test('values under the bank’s labels keep the type they were saved with, null and empty text too', async () => {
    const { dealer } = sandbox.credentials;
    const lots = (await get(sandbox, dealer, lotsPath('live-open'), 'per_page=100')).json.data;
    const typesOf = (label: string) =>
      new Set(
        lots.map((lot: { vehicle_details: Record<string, unknown> }) => {
          const value = lot.vehicle_details[label];
          return value === null || value === '' ? value : typeof value;
        }),
      );
    expect(typesOf('Odometer (km)')).toEqual(new Set(['number']));
    expect(typesOf('RC Available?')).toEqual(new Set(['boolean']));
    expect(typesOf('Tax / Challan Dues (INR)')).toEqual(new Set(['string']));
    expect(typesOf('Insurance Valid Till')).toEqual(new Set(['string', null]));
    expect(typesOf('Repo Agency')).toEqual(new Set(['string', '']));
    expect(typesOf('yard')).toEqual(new Set(['string', null]));
  });

  // rule: catalogue.shown
  test('a lot is found in its own event only; withdrawn ones nowhere', async () => {
    const { dealer } = sandbox.credentials;
    const { id } = lotOf(sandbox, 'live-open');
    expect((await get(sandbox, dealer, `${lotsPath('live-open')}/${id}`)).json.data.id).toBe(id);
    expect((await get(sandbox, dealer, `${lotsPath('live-closed')}/${id}`)).status).toBe(404);
    sandbox.auctions.withdraw(id);
    expect((await get(sandbox, dealer, `${lotsPath('live-open')}/${id}`)).status).toBe(404);
    expect((await get(sandbox, dealer, `/api/v1/lots/${id}/status`)).status).toBe(404);
    expect((await get(sandbox, dealer, lotsPath('live-open'))).json.total).toBe(39);
  });
});

// rule: page.catalogue, limit.fixed-pages
test('/lots: summaries of live lots, 25 a page', async () => {
  const { dealer } = sandbox.credentials;
  const first = (await get(sandbox, dealer, '/api/v1/lots')).json;
  expect(Object.keys(first)).toEqual(['data', 'current_page', 'last_page', 'total']);
  expect([first.data.length, first.current_page, first.last_page, first.total]).toEqual([25, 1, 4, 90]);
  expect(Object.keys(first.data[0]).sort()).toEqual(
    [
      ...[
        'vehicle_details',
        'images',
        'documents',
        'id',
        'auction_id',
        'title',
        'category',
        'starting_price',
      ],
      ...['status', 'ends_at', 'public_fields'],
    ].sort(),
  );
  expect(first.data[0].status).toBe('live');
  expect((await get(sandbox, dealer, '/api/v1/lots', 'per_page=50')).json.data).toHaveLength(25);
  expect((await get(sandbox, dealer, '/api/v1/lots', 'page=4')).json.data).toHaveLength(15);
});
