import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import { readVehicles, writeImport } from '../../src/csv/index.js';
import { VehicleAuctionError } from '../../src/errors/base.js';
import type { ImportOptions, ImportRun, VehicleSource } from '../../src/inventory/types.js';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { memoryStore } from '../../src/store/memory.js';
import { rejection, thrownBy } from '../support/clients.js';
import { failingWays, loggedOf, warnings } from '../support/failing-callbacks.js';

let sandbox: Sandbox;
let folder: string;
const clients: BankClient[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({ rateLimit: false });
  folder = await mkdtemp(join(tmpdir(), 'import-'));
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

afterAll(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true });
});

/** A bank's client over a new store, unless it is given one. */
function bankOf(over: Partial<ConstructorParameters<typeof BankClient>[0]> = {}): BankClient {
  const client = new BankClient({
    baseUrl: sandbox.baseUrl,
    environment: 'sandbox',
    credentials: sandbox.credentials.bank,
    quota: { limit: Number.POSITIVE_INFINITY },
    store: memoryStore(),
    logLevel: 'off',
    ...over,
  });
  clients.push(client);
  return client;
}

let numbers = 0;
/** An id that no test has used. */
const nextId = () => `REPO-${++numbers}`;

const row = (over: object = {}) => ({
  external_id: nextId(),
  title: 'Maruti Swift VXi',
  'Registration Number': 'MH12AB1234',
  Year: '2019',
  Fuel: 'Petrol',
  ...over,
});

const cars = { schema: 'vehicles-4' } as const;

const created = () => sandbox.records('inventory_vehicle').filter(({ state }) => state === 'draft');
const vehicleOf = (id: string) => created().filter(({ data }) => data['external_id'] === id);

async function done(run: ImportRun) {
  const results = await run.toArray();
  return { results, statuses: results.map(({ status }) => status), summary: await run.summary };
}

const imported = (source: VehicleSource, options: ImportOptions = cars) =>
  done(bankOf().inventory.import(source, options));

describe('an import of vehicles', () => {
  it('finds fields by label or id, converts text to their types, and returns what an update needs', async () => {
    const bank = bankOf();
    const given = row({
      fld_1042: '41000',
      'rc available?': 'true',
      'Reserve Price (INR)': '465000',
      Make: '',
    });
    const { results, summary } = await done(bank.inventory.import([given], cars));
    const [vehicle] = vehicleOf(given.external_id);
    expect(vehicle?.data['values']).toEqual({
      ...{ fld_1001: 'MH12AB1234', fld_1004: 2019, fld_1041: 'Petrol' },
      ...{ fld_1042: 41000, fld_2005: true, fld_2007: '465000' },
    });
    expect(results).toMatchObject([
      { status: 'created', position: 1, externalId: given.external_id, vehicleId: vehicle?.id },
    ]);
    expect(summary).toMatchObject({ rows: 1, counts: { created: 1, invalid: 0 }, isComplete: true });
    const { vehicleId = '', inventoryVersion = 0 } = results[0] ?? {};
    await bank.inventory.updateVehicle(vehicleId, { title: 'Swift', expected_version: inventoryVersion });
    expect(vehicleOf(given.external_id)[0]?.data['title']).toBe('Swift');
  });

  it('maps columns by name, and leaves out those that are mapped to null', async () => {
    const id = nextId();
    const map = {
      'Ref No': 'external_id',
      Vehicle: 'title',
      Odo: 'Odometer (km)',
      Fuel: 'fld_1041',
      Remarks: null,
    };
    const given = { 'Ref No': id, Vehicle: 'Swift', Odo: 12, Fuel: 'CNG', Remarks: 'scratched' };
    expect((await imported([given], { ...cars, map })).statuses).toEqual(['created']);
    expect(vehicleOf(id)[0]?.data).toMatchObject({
      title: 'Swift',
      values: { fld_1042: 12, fld_1041: 'CNG' },
    });
  });

  it('creates each vehicle once, however often it is run, and sends nothing for those that exist', async () => {
    const store = memoryStore();
    const rows = [row(), row(), row()];
    const first = await done(bankOf({ store }).inventory.import(rows.slice(0, 2), cars));
    expect(first.statuses).toEqual(['created', 'created']);
    const sent = sandbox.attempts().length;
    const again = await done(bankOf({ store }).inventory.import(rows, cars));
    expect(again.statuses).toEqual(['existing', 'existing', 'created']);
    expect(again.results[0]?.vehicleId).toBe(first.results[0]?.vehicleId);
    expect(again.summary.isComplete).toBe(true);
    // The profile, the schemas and one vehicle.
    expect(sandbox.attempts().length - sent).toBe(3);
    for (const { external_id } of rows) expect(vehicleOf(external_id)).toHaveLength(1);
  });

  it('finds vehicles of a store that was lost by the replies of the service, and creates none again', async () => {
    const rows = [row(), row()];
    await imported(rows.slice(0, 1));
    expect((await imported(rows)).statuses).toEqual(['existing', 'created']);
    for (const { external_id } of rows) expect(vehicleOf(external_id)).toHaveLength(1);
  });

  it('settles a vehicle whose reply was lost in the next run, with the same bytes', async () => {
    const store = memoryStore();
    const given = row();
    sandbox.inject({ operation: 'A59', fault: 'drop_after_commit', times: 3 });
    const lost = await done(bankOf({ store }).inventory.import([given], { ...cars, maxAttempts: 3 }));
    expect(lost.statuses).toEqual(['unknown']);
    expect(lost.summary.isComplete).toBe(false);
    const found = await done(bankOf({ store }).inventory.import([given], cars));
    expect(found.statuses).toEqual(['existing']);
    expect(vehicleOf(given.external_id)).toHaveLength(1);
  });

  it('creates a vehicle in doubt once a person has abandoned it, and not before', async () => {
    const store = memoryStore();
    const given = row();
    sandbox.inject({ operation: 'A59', fault: 'drop_before_commit', times: 1 });
    const bank = bankOf({ store });
    const [lost] = (await done(bank.inventory.import([given], { ...cars, maxAttempts: 1 }))).results;
    const key = lost?.error instanceof VehicleAuctionError ? (lost.error.idempotencyKey ?? '') : '';
    expect(lost?.status).toBe('unknown');
    await bank.intents.abandon(key, 'The bank has no such vehicle');
    expect(vehicleOf(given.external_id)).toEqual([]);
    expect((await done(bank.inventory.import([given], cars))).statuses).toEqual(['created']);
    expect((await done(bank.inventory.import([given], cars))).statuses).toEqual(['existing']);
  });

  it('names every wrong value by its column as written, and then sends nothing', async () => {
    const bad = row({ Year: '2,019', Fuel: 'petrol', title: '', 'RC Available?': 'yes' });
    const { results, summary } = await imported([row(), bad, { ...row(), external_id: bad.external_id }]);
    expect(results.map(({ status }) => status)).toEqual(['not_sent', 'invalid', 'invalid']);
    expect(results[1]?.issues?.map(({ path }) => path)).toEqual(['Year', 'Fuel', 'RC Available?', 'title']);
    expect(results[1]?.what).toContain('Fuel must be one of "Petrol", "Diesel", "CNG", "Electric"');
    expect(results[2]?.what).toContain('external_id repeats that of row 2');
    expect(summary).toMatchObject({ isComplete: false, stopped: { reason: 'invalid' } });
    expect(vehicleOf(bad.external_id)).toEqual([]);
  });

  it('sends the other rows where invalid ones are only to be reported', async () => {
    const rows = [row({ Year: 'old' }), row()];
    const { statuses, summary } = await imported(rows, { ...cars, onInvalid: 'report' });
    expect(statuses).toEqual(['invalid', 'created']);
    expect(summary).toMatchObject({ isComplete: false, counts: { invalid: 1, created: 1 } });
  });

  it('checks every row in a dry run, and sends nothing', async () => {
    const before = created().length;
    const { statuses, summary } = await imported([row(), row({ Year: 'old' })], { ...cars, dryRun: true });
    expect(statuses).toEqual(['checked', 'invalid']);
    expect(summary).toMatchObject({ isComplete: false, counts: { checked: 1, invalid: 1 } });
    expect(created()).toHaveLength(before);
  });

  it.each<[string, object, ImportOptions, string]>([
    ['a column that fits no field', { Colour: 'red' }, {}, 'Colour'],
    [
      'a target that the schema does not have',
      { Colour: 'red' },
      { map: { Colour: 'Paint' } },
      'options.map.Colour',
    ],
    ['a column that no row has', {}, { map: { Color: null } }, 'options.map.Color'],
    ['two columns of one field', { fld_1004: 2019 }, {}, 'fld_1004'],
  ])('is refused before anything is sent for %s', async (_, more, options, path) => {
    const run = bankOf().inventory.import([row(more)], { ...cars, ...options });
    const error = await rejection(run.toArray());
    expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [expect.objectContaining({ path })] });
    expect(await run.summary).toMatchObject({
      rows: 0,
      isComplete: false,
      stopped: { reason: 'failure', error },
    });
  });

  it('reads columns that differ from a label by case, spaces or punctuation only', async () => {
    const { Year: _, ...rest } = row();
    const { statuses } = await imported([{ ...rest, year: 2019, engine_no: 'E1' }], cars);
    expect(statuses).toEqual(['created']);
  });

  it('lists the labels of the schema where a column fits none', async () => {
    const error = await rejection(
      bankOf()
        .inventory.import([row({ Colour: 'red' })], cars)
        .toArray(),
    );
    expect(String(error)).toContain('"Registration Number", "Make", "Model", "Year"');
  });

  it.each<[unknown, string]>([
    [undefined, '"vehicles-4", "commercial-2"'],
    ['vehicles-5', '"vehicles-4", "commercial-2"'],
  ])('needs one schema of the bank: %s', async (schema, listed) => {
    const options = Object.fromEntries(schema === undefined ? [] : [['schema', schema]]);
    const error = await rejection(bankOf().inventory.import([row()], options).toArray());
    expect(String(error)).toContain(listed);
  });

  it('sends values by id unchecked for a schema without readable fields, if they are mapped', async () => {
    const bank = bankOf();
    const schema = { schema_version: 'vehicles-4' };
    const given = { external_id: nextId(), title: 'Swift', Year: 2019 };
    const run = bank.inventory.import([given], { schema, map: { Year: 'fld_1004' } });
    expect((await done(run)).statuses).toEqual(['created']);
  });

  it.each<[string, unknown, object]>([
    ['rows that are a path', 'stock.csv', {}],
    ['no rows', undefined, {}],
    ['too many at once', [], { concurrency: 17 }],
    ['a map of numbers', [], { map: { Year: 1004 } }],
    ['another onInvalid', [], { onInvalid: 'skip' }],
    ['a schema that is none', [], { schema: true }],
  ])('refuses %s at once', (_, rows, options) => {
    const { inventory } = bankOf();
    const error = thrownBy(() => Reflect.apply(inventory.import, inventory, [rows, options]));
    expect(error).toMatchObject({ name: 'InvalidRequestError' });
  });

  it('reports rows that are no objects', async () => {
    const run = Reflect.apply(Reflect.get(bankOf().inventory, 'import'), bankOf().inventory, [
      [7, row()],
      cars,
    ]);
    expect((await done(run)).statuses).toEqual(['invalid', 'not_sent']);
  });
});

describe('an import that is interrupted', () => {
  it('by its signal sends nothing more, and says so for each row', async () => {
    const stopped = new AbortController();
    const rows = Array.from({ length: 6 }, () => row());
    const onProgress = () => stopped.abort();
    const run = bankOf().inventory.import(rows, {
      ...cars,
      concurrency: 1,
      signal: stopped.signal,
      onProgress,
    });
    const { statuses, summary } = await done(run);
    expect(statuses).toEqual(['created', ...Array(5).fill('not_sent')]);
    expect(summary).toMatchObject({ isComplete: false, stopped: { reason: 'signal' } });
  });

  it('by its source ends with that error', async () => {
    async function* broken() {
      yield row();
      throw new Error('the source broke');
    }
    const run = bankOf().inventory.import(broken(), cars);
    expect(await rejection(run.toArray())).toMatchObject({ message: 'the source broke' });
    expect(await run.summary).toMatchObject({ stopped: { reason: 'failure', what: 'the source broke' } });
  });

  it('by a refusal of the client is stopped, and nothing more is sent', async () => {
    const rows = [row(), row(), row()];
    const bank = bankOf();
    const [schema] = await bank.inventory.schemas();
    sandbox.inject({ operation: 'A59', fault: 'refuse', code: 'SCOPE_DENIED' });
    const { statuses, summary } = await done(bank.inventory.import(rows, { schema, concurrency: 1 }));
    expect(statuses).toEqual(['refused', 'not_sent', 'not_sent']);
    expect(summary).toMatchObject({ stopped: { reason: 'failure', error: { name: 'PermissionError' } } });
  });

  it('by the service for one vehicle goes on with the others', async () => {
    const taken = row();
    const other = { external_id: taken.external_id, title: 'T', schema_version: 'vehicles-4', values: {} };
    await bankOf().inventory.createVehicle(other);
    const { statuses, results, summary } = await imported([row(), taken, row()]);
    expect(statuses).toEqual(['created', 'refused', 'created']);
    expect(results[1]?.what).toContain('external_id');
    expect(summary).toMatchObject({ isComplete: false, counts: { refused: 1 } });
  });

  it.each(failingWays)('never by an onProgress that %s, which is logged', async (way, onProgress) => {
    const { lines, logger } = warnings();
    const run = bankOf({ logger, logLevel: 'warn' }).inventory.import([row(), row()], {
      ...cars,
      onProgress,
    });
    expect((await done(run)).statuses).toEqual(['created', 'created']);
    expect(lines).toEqual(loggedOf(way, 'onProgress', 2));
  });
});

describe('files of an import', () => {
  const header = 'Ref No;Vehicle;Year;Fuel';
  const map = { 'Ref No': 'external_id', Vehicle: 'title' };

  it('CSV is read with any header and written with a result for each line', async () => {
    const ids = [nextId(), nextId()];
    const text = `${header}\r\n${ids[0]};"Swift; 2019";2019;CNG\r\n\r\n${ids[1]};=HYPERLINK();2020;\r\n`;
    const path = join(folder, 'stock.csv');
    await writeFile(path, text);
    const target = join(folder, 'result.csv');
    const run = bankOf().inventory.import(readVehicles(path), { ...cars, map });
    expect(await writeImport(run, target)).toBe(2);
    const lines = (await readFile(target, 'utf8')).trimEnd().split('\r\n');
    expect(lines[0]).toBe('line,external_id,title,status,vehicle_id,inventory_version,codes,what,next_step');
    expect(lines[1]).toMatch(new RegExp(`^2,${ids[0]},"Swift; 2019",created,[0-9a-f-]{36},1,,`));
    expect(lines[2]).toMatch(new RegExp(`^4,${ids[1]},'=HYPERLINK\\(\\),created,`));
    expect((await stat(target)).mode & 0o777).toBe(0o600);
  });

  it('JSON lines keep the types of values, and name lines that are no objects', async () => {
    const id = nextId();
    const text = `{"external_id":"${id}","title":"Swift","Year":2019}\n\n{"external_id":\n[1]\n`;
    const options = { ...cars, onInvalid: 'report' } as const;
    const target = join(folder, 'result.jsonl');
    const run = bankOf().inventory.import(readVehicles([text], { format: 'jsonl' }), options);
    await writeImport(run, target);
    const results = (await readFile(target, 'utf8'))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results.map(({ line, status }) => [line, status])).toEqual([
      [1, 'created'],
      [3, 'invalid'],
      [4, 'invalid'],
    ]);
    expect(results[0]).toMatchObject({ external_id: id, vehicle_id: vehicleOf(id)[0]?.id, codes: [] });
  });

  it('name a row with too few cells, and one with too many, by its line', async () => {
    const text = `${header}\n${nextId()};Swift\n${nextId()};Swift;2019;CNG;more\n`;
    const { results } = await imported(readVehicles([text]), { ...cars, map });
    expect(results).toMatchObject([
      { line: 2, status: 'invalid', what: 'row has 2 cells, and the header has 4.' },
      { line: 3, status: 'invalid' },
    ]);
  });

  it.each<[string, string, object]>([
    ['is empty', '', {}],
    ['has a header only', header, {}],
    ['has a column without a name', 'a;;b\n1;2;3', {}],
    ['has a column twice', 'a;a\n1;2', {}],
    ['has a quote that is never closed', 'a,b\n"1,2', {}],
    ['has more rows than allowed', 'a\n1\n2', { maxRows: 1 }],
  ])('are refused if the file %s', async (_, text, options) => {
    const run = bankOf().inventory.import(readVehicles([text], options), cars);
    expect(await rejection(run.toArray())).toMatchObject({
      name: 'InvalidRequestError',
      call: 'readVehicles',
    });
  });

  it.each([{ format: 'xml' }, { maxRows: 0 }])('are not read with the options %j', (options) => {
    const error = thrownBy(() => Reflect.apply(readVehicles, undefined, ['x.csv', options]));
    expect(error).toMatchObject({ name: 'ConfigurationError', call: 'readVehicles' });
  });

  it('keep the earlier result whole until the new one is, and lose what killed processes left', async () => {
    const target = join(folder, 'kept.csv');
    await writeFile(target, 'an earlier one');
    await writeFile(`${target}.2147483646.tmp`, 'half');
    let seen = '';
    const onProgress = async () => {
      seen ||= await readFile(target, 'utf8');
    };
    await writeImport(bankOf().inventory.import([row()], { ...cars, onProgress }), target);
    expect(seen).toBe('an earlier one');
    expect((await readFile(target, 'utf8')).split('\r\n')).toHaveLength(3);
    expect((await readdir(folder)).filter((name) => name.startsWith('kept.csv'))).toEqual(['kept.csv']);
  });

  it('stop the import if they can not be written', async () => {
    const run = bankOf().inventory.import(
      Array.from({ length: 30 }, () => row()),
      { ...cars, concurrency: 1 },
    );
    const error = await rejection(writeImport(run, join(folder, 'none', 'result.csv')));
    expect(error).toMatchObject({ name: 'ConfigurationError', call: 'writeImport' });
    expect((await run.summary).counts.not_sent).toBeGreaterThan(0);
  });
});
