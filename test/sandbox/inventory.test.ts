import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxCredentials, SandboxOptions } from '../../src/sandbox/index.js';
import { bid, get, lotOf, onManualClock, send } from './caller.js';
import { all, heldToItsKey } from './funds.js';
import { approvedLot, command, done, inventoryOf } from './workflow.js';

let sandbox: Sandbox;
let bank: SandboxCredentials;
const start = async (variants: SandboxOptions['variants'] = {}) => {
  sandbox = await onManualClock({ variants });
  bank = sandbox.credentials.bank;
};
beforeEach(() => start());
afterEach(() => sandbox.close());
const restart = async (variants: SandboxOptions['variants']) => {
  await sandbox.close();
  await start(variants);
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;
const vehicles = '/api/v1/bank/inventory/vehicles';
const schemas = '/api/v1/bank/inventory/schemas';
const swift = {
  title: 'Swift VXI 2019',
  external_id: 'LN-90017',
  schema_version: 'vehicles-4',
  values: { fld_1001: 'KA25MB1187', fld_1041: 'Petrol', fld_1042: 48_200 },
};
const create = (change: Record<string, unknown> = {}, who = bank) =>
  command(sandbox, who, vehicles, { ...swift, ...change });

/** A PATCH as it travels: a POST that names its method in the body, signed as a PATCH. */
function patch(vehicle: string, content: Record<string, unknown>, who = bank) {
  const body = { idempotency_key: randomUUID(), _method: 'PATCH', ...content };
  return send(sandbox, who, {
    path: `${vehicles}/${vehicle}`,
    body,
    headers: { 'Idempotency-Key': String(body.idempotency_key) },
    sign: { method: 'PATCH' },
  });
}
const everything = async () => ({ ...(await all(sandbox, [])), inventory: inventoryOf(sandbox).list() });

/** Sends what must be refused, and proves that it changed nothing. */
async function refused(sending: () => Promise<{ status: number; json: unknown }>) {
  const before = await everything();
  const got = await sending();
  expect(await everything()).toEqual(before);
  return got;
}

describe('A59', () => {
  // rule: state.inventory-command
  it('makes a draft, literally, once under its key', async () => {
    const made = await heldToItsKey(sandbox, bank, vehicles, swift);
    expect(made).toEqual({
      id: expect.stringMatching(/^inv_/),
      kind: 'inventory_command',
      state: 'completed',
      resource_version: 1,
      data: {
        vehicle_id: expect.stringMatching(uuid),
        inventory_version: 1,
        status: 'draft',
        external_id: 'LN-90017',
        schema_version: 'vehicles-4',
        title: 'Swift VXI 2019',
      },
      created_at: '2026-03-01T10:00:00.000Z',
      updated_at: '2026-03-01T10:00:00.000Z',
    });
    expect(inventoryOf(sandbox).list()).toEqual([
      {
        vehicleId: made.data.vehicle_id,
        externalId: 'LN-90017',
        title: 'Swift VXI 2019',
        schemaVersion: 'vehicles-4',
        values: { fld_1001: 'KA25MB1187', fld_1041: 'Petrol', fld_1042: 48_200 },
        status: 'draft',
        inventoryVersion: 1,
        lotId: null,
      },
    ]);
    expect(sandbox.ledger().at(-1)).toMatchObject({ operation: 'A59', recordId: made.id });
  });

  it('puts nothing into an auction, and into nobody’s inbox', async () => {
    const { seen } = await all(sandbox, [], ['/api/v1/events', '/api/v1/lots']);
    await done(create());
    expect((await all(sandbox, [], ['/api/v1/events', '/api/v1/lots'])).seen).toEqual(seen);
  });

  it('gives every vehicle an id of its own, which is no lot and no vehicle of the catalogue', async () => {
    const first = (await done(create())).data.vehicle_id;
    const second = (await done(create({ external_id: 'LN-90018' }))).data.vehicle_id;
    expect(first).not.toBe(second);
    const { dealer } = sandbox.credentials;
    const offered = await bid(sandbox, dealer, first, { amount: '100000.00' });
    expect([offered.status, offered.json]).toEqual([404, { message: 'Not found.' }]);
    for (const path of [`/api/v1/vehicles/${first}`, `/api/v1/lots/${first}/status`]) {
      expect((await get(sandbox, dealer, path)).status).toBe(404);
    }
  });

  it('finds the id of the bank taken: by a draft, and by a vehicle in an auction', async () => {
    await done(create());
    const lot = lotOf(sandbox, 'live-open').id;
    const event = sandbox.auctions.get('live-open').id;
    const { data } = (await get(sandbox, bank, `/api/v1/events/${event}/lots/${lot}`)).json;
    const inAuction: string = data.vehicle_details.bank_reference;
    expect((await create({ external_id: inAuction })).status).toBe(409);
    expect(inventoryOf(sandbox).ofLot(lot).externalId).toBe(inAuction);
    for (const external_id of ['LN-90017', inAuction]) {
      const got = await refused(() => create({ external_id, title: 'Another' }));
      expect([got.status, got.json]).toEqual([
        409,
        { message: 'The bank has a vehicle under this external_id.' },
      ]);
    }
  });

  it('lets another bank use the same id, and keeps the two apart', async () => {
    const { otherBank } = sandbox.credentials;
    const own = await done(create());
    const theirs = await done(create({ schema_version: 'stock-1', values: {} }, otherBank));
    expect(theirs.data.vehicle_id).not.toBe(own.data.vehicle_id);
    for (const [vehicle, who] of [
      [own.data.vehicle_id, otherBank],
      [theirs.data.vehicle_id, bank],
    ]) {
      const got = await refused(() => patch(vehicle, { title: 'Mine', expected_version: 1 }, who));
      expect([got.status, got.json]).toEqual([404, { message: 'Not found.' }]);
    }
  });
});

describe('A60', () => {
  let id: string;
  beforeEach(async () => {
    id = (await done(create())).data.vehicle_id;
  });

  // rule: state.inventory-command, version.4
  it('merges what is given and keeps the rest, literally', async () => {
    sandbox.clock.advance(1_000);
    const got = await patch(id, { values: { fld_1042: 48_950, fld_1057: 2 }, expected_version: 1 });
    expect([got.status, got.json]).toEqual([
      200,
      {
        data: {
          id: expect.stringMatching(/^inv_/),
          kind: 'inventory_command',
          state: 'completed',
          resource_version: 1,
          data: {
            vehicle_id: id,
            inventory_version: 2,
            status: 'draft',
            external_id: 'LN-90017',
            schema_version: 'vehicles-4',
            title: 'Swift VXI 2019',
          },
          created_at: '2026-03-01T10:00:01.000Z',
          updated_at: '2026-03-01T10:00:01.000Z',
        },
        request_id: expect.stringMatching(/^req_/),
        server_time: '2026-03-01T10:00:01.000Z',
      },
    ]);
    expect(inventoryOf(sandbox).get(id)).toMatchObject({
      title: 'Swift VXI 2019',
      inventoryVersion: 2,
      values: { fld_1001: 'KA25MB1187', fld_1041: 'Petrol', fld_1042: 48_950, fld_1057: 2 },
    });
    expect(sandbox.ledger().at(-1)).toMatchObject({ operation: 'A60', recordId: got.json.data.id });
  });

  it('takes a title alone, and null, and an empty text, as they are', async () => {
    const { values } = inventoryOf(sandbox).get(id);
    expect((await done(patch(id, { title: 'Swift, 2019', expected_version: 1 }))).data.title).toBe(
      'Swift, 2019',
    );
    expect(inventoryOf(sandbox).get(id)).toMatchObject({ title: 'Swift, 2019', values });
    await done(patch(id, { values: { fld_1001: '', fld_1042: null }, expected_version: 2 }));
    expect(inventoryOf(sandbox).get(id).values).toEqual({ fld_1001: '', fld_1041: 'Petrol', fld_1042: null });
  });

  // rule: state.inventory-command, code.inventory-conflict
  it.each(['ready', 'published'] as const)('is a conflict on a vehicle that is %s', async (status) => {
    const { resource_version } = sandbox.actors.set(id, status);
    for (const expected_version of [1, resource_version]) {
      const got = await refused(() => patch(id, { title: 'Too late', expected_version }));
      expect([got.status, Object.keys(got.json as object)]).toEqual([409, ['message']]);
    }
    expect(sandbox.actors.set(id, 'draft')).toMatchObject({ state: 'draft', resource_version: 3 });
    expect((await done(patch(id, { title: 'In time', expected_version: 3 }))).data).toMatchObject({
      inventory_version: 4,
      title: 'In time',
    });
  });

  it('keeps nothing of values of which one is wrong', async () => {
    const values = { fld_1042: 1, fld_1057: 'two' };
    const got = await refused(() => patch(id, { values, expected_version: 1 }));
    expect(got.status).toBe(422);
  });

  // rule: code.not-found
  it('knows private ids only: a lot, an id of the bank, and what there isn’t are a 404', async () => {
    const lot = lotOf(sandbox, 'live-open').id;
    for (const other of [lot, randomUUID(), 'LN-90017', 'constructor']) {
      const got = await refused(() => patch(other, { title: 'x', expected_version: 1 }));
      expect([got.status, got.json]).toEqual([404, { message: 'Not found.' }]);
    }
  });

  it('never changes what is in an auction', async () => {
    const { vehicleId, status } = inventoryOf(sandbox).ofLot(lotOf(sandbox, 'live-open').id);
    expect(status).toBe('published');
    const got = await refused(() => patch(vehicleId, { title: 'x', expected_version: 1 }));
    expect(got.status).toBe(409);
  });

  // rule: convention.4
  it('comes as a POST that is signed as a PATCH, and in no other way', async () => {
    const body = { title: 'x', expected_version: 1, idempotency_key: randomUUID() };
    const headers = { 'Idempotency-Key': body.idempotency_key };
    const path = `${vehicles}/${id}`;
    const before = inventoryOf(sandbox).get(id);
    const answers = [
      // Without its method in the body it is a POST, of which there is none here.
      [{ body }, 404],
      [{ body: { ...body, _method: 'patch' } }, 404],
      [{ body: { ...body, _method: 'PUT' }, sign: { method: 'PUT' } }, 404],
      [{ body: { ...body, _method: 'PATCH' } }, 401],
      [{ method: 'PATCH', body, sign: { method: 'PATCH' } }, 405],
      [{ method: 'PATCH', body: { ...body, _method: 'PATCH' }, sign: { method: 'PATCH' } }, 405],
    ] as const;
    for (const [sent, status] of answers) {
      expect([sent, (await send(sandbox, bank, { path, headers, ...sent })).status]).toEqual([sent, status]);
    }
    expect(inventoryOf(sandbox).get(id)).toEqual(before);
    const first = { _method: 'PATCH', ...body };
    const sent = { path, headers, body: first, sign: { method: 'PATCH' } };
    expect((await send(sandbox, bank, sent)).status).toBe(200);
  });
});

describe('A63', () => {
  // rule: version.2
  it('shows the bank its schemas, every field with its id, label and type', async () => {
    const { status, json } = await get(sandbox, bank, schemas);
    expect(status).toBe(200);
    expect(Object.keys(json)).toEqual(['data', 'server_time']);
    const [cars, commercial, ...others] = json.data;
    expect(others).toEqual([]);
    expect([cars.schema_version, cars.name, cars.version]).toEqual([
      'vehicles-4',
      'Cars and two-wheelers',
      4,
    ]);
    expect([commercial.schema_version, commercial.version]).toEqual(['commercial-2', 2]);
    expect(cars.fields.map(({ id }: { id: string }) => id)).toEqual([
      'fld_1001',
      'fld_1002',
      'fld_1003',
      'fld_1004',
      'fld_1041',
      'fld_1042',
      'fld_1057',
      'fld_1060',
      'fld_2001',
      'fld_2002',
      'fld_2003',
      'fld_2004',
      'fld_2005',
      'fld_2006',
      'fld_2007',
    ]);
    expect(cars.fields[4]).toEqual({
      id: 'fld_1041',
      label: 'Fuel',
      type: 'choice',
      required: false,
      private: false,
      enum_values: ['Petrol', 'Diesel', 'CNG', 'Electric'],
    });
    expect(cars.fields[8]).toEqual({
      id: 'fld_2001',
      label: 'Chassis Number',
      type: 'text',
      required: true,
      private: true,
    });
  });

  it('uses the field ids that the catalogue shows', async () => {
    const lot = (await get(sandbox, sandbox.credentials.dealer, '/api/v1/lots')).json.data[0];
    const { fields } = (await get(sandbox, bank, schemas)).json.data[0];
    for (const [id, { label }] of Object.entries<{ label: string }>(lot.public_fields)) {
      expect(fields).toContainEqual(expect.objectContaining({ id, label, private: false }));
    }
  });

  it('shows another bank its own', async () => {
    const { data } = (await get(sandbox, sandbox.credentials.otherBank, schemas)).json;
    expect(data.map(({ schema_version }: { schema_version: string }) => schema_version)).toEqual(['stock-1']);
  });

  it('is refused to partners, whatever their scopes', async () => {
    const { dealer } = sandbox.credentials;
    const { scopes } = sandbox.partners.get(dealer.clientId);
    sandbox.partners.update(dealer.clientId, { scopes: [...scopes, 'inventory-schema:read'] });
    const got = await get(sandbox, dealer, schemas);
    expect([got.status, got.json.code]).toEqual([403, 'SCOPE_DENIED']);
  });
});

describe('the hand on the inventory', () => {
  it('knows the vehicle of a lot under one id, the same for the same seed', async () => {
    const lot = lotOf(sandbox, 'live-open').id;
    const first = inventoryOf(sandbox).ofLot(lot);
    expect(first.vehicleId).toMatch(uuid);
    expect(inventoryOf(sandbox).ofLot(lot)).toEqual(first);
    expect(inventoryOf(sandbox).get(first.vehicleId)).toEqual(first);
    inventoryOf(sandbox).ofLot(lotOf(sandbox, 'live-closed').id);
    await restart({});
    inventoryOf(sandbox).ofLot(lotOf(sandbox, 'live-closed').id);
    expect(inventoryOf(sandbox).ofLot(lot).vehicleId).toBe(first.vehicleId);
  });

  it('keeps by the schemas what is in the auctions', async () => {
    const shown = new Map<string, { id: string; type: string; enum_values?: string[] }>();
    for (const schema of (await get(sandbox, bank, schemas)).json.data) {
      for (const field of schema.fields) shown.set(field.id, field);
    }
    for (const lot of sandbox.auctions.get('live-open').lots) {
      const { schemaVersion, values } = inventoryOf(sandbox).ofLot(lot.id);
      const external_id = `copy of ${lot.id}`;
      expect(Object.keys(values as object).every((id) => shown.has(id))).toBe(true);
      await done(create({ schema_version: schemaVersion, values, external_id }));
    }
  });

  it('throws on what there isn’t, and on a vehicle that is sold', async () => {
    const { lotId } = await approvedLot(sandbox);
    const { vehicleId } = inventoryOf(sandbox).ofLot(lotId);
    expect(() => sandbox.actors.set(vehicleId, 'draft')).toThrow(/is sold/);
    expect(inventoryOf(sandbox).list()).toEqual([]);
    expect(() => inventoryOf(sandbox).get('none')).toThrow(RangeError);
    expect(() => inventoryOf(sandbox).ofLot('lot_none')).toThrow(RangeError);
    expect(() => sandbox.actors.set(vehicleId, 'sold')).toThrow(/it can become nothing/);
  });

  it('gives copies: what a test does to them stays outside', async () => {
    const id = (await done(create())).data.vehicle_id;
    Object.assign(inventoryOf(sandbox).get(id).values as object, { fld_1041: 'Diesel' });
    expect(inventoryOf(sandbox).get(id).values).toMatchObject({ fld_1041: 'Petrol' });
  });
});

// rule: code.inventory-conflict

it.each([
  ['409', [409, []]],
  ['412', [412, []]],
  ['422', [422, ['expected_version']]],
  ['code', [409, ['VERSION_CONFLICT']]],
] as const)(
  'expected-version-conflict: %s holds for an old inventory_version too',
  async (choice, expected) => {
    await restart({ 'expected-version-conflict': choice });
    const { vehicle_id: id } = (await done(create())).data;
    const { status, json } = await refused(() => patch(id, { title: 'Other', expected_version: 2 }));
    const errors = json as { errors?: Record<string, unknown> | string[] };
    const named = Array.isArray(errors.errors) ? errors.errors : Object.keys(errors.errors ?? {});
    expect([status, named]).toEqual(expected);
  },
);
