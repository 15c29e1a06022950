import { inventory } from '../../api/inventory.js';
import type { Answered, Call } from '../http/call.js';
import { isObject } from '../http/checks.js';
import { invalid, notFound, ok, Refusal } from '../http/replies.js';
import { formsOf, type InventoryField, type InventoryForm, vehicleOf } from '../seed/inventory.js';
import type { World } from '../world.js';
import { command } from './engine.js';
import { conflict, type Data, mayHave, type Rec, unfit } from './records.js';

const { createVehicle, updateVehicle, schemas } = inventory.operations;

/** A59, A60, A63: the bank's private inventory. Its vehicles go by private UUIDs, never by the ids of lots. */
export const inventoryOperations: readonly Answered[] = [
  command({
    op: createVehicle,
    // What it is on does not exist yet.
    target: (call, body) => {
      const form = formOf(call, body.schema_version);
      const values = readValues(call, form);
      if (underExternalId(call.world, call.party.bankId, body.external_id)) {
        throw conflict('The bank has a vehicle under this external_id.');
      }
      const { world, party } = call;
      const { external_id, schema_version, title } = body;
      return world.flow.make('inventory_vehicle', 'draft', {
        id: world.ids.uuid(),
        owner: { bankId: party.bankId, partnerId: null },
        data: { external_id, schema_version, title, values: Object.fromEntries(values), lot_id: null },
      });
    },
    makes: 'inventory_command',
    to: 'completed',
    data: ({ on }) => commandData(on),
  }),
  command({
    op: updateVehicle,
    target: ({ world, party, params }) => {
      const vehicle = world.flow.get('inventory_vehicle', params.get('vehicle'));
      if (vehicle === undefined || !mayHave(party, vehicle.owner)) throw new Refusal(notFound());
      return vehicle;
    },
    from: 'draft',
    check: ({ call, on, body, flow }) => {
      const values = readValues(call, formOf(call, on.data['schema_version']));
      on.data['values'] = { ...Object(on.data['values']), ...Object.fromEntries(values) };
      on.data['title'] = body.title ?? on.data['title'];
      flow.touch(on);
    },
    makes: 'inventory_command',
    to: 'completed',
    data: ({ on }) => commandData(on),
  }),
  [
    schemas,
    (call) => {
      const shown = formsOf(call.party.bankId).map(({ bank: _, categories: __, fields, ...form }) => ({
        ...form,
        fields: fields.map(({ field }) => field),
      }));
      return ok(call, shown);
    },
  ],
];

/** A vehicle as the command left it. */
function commandData({ id, state, version, data }: Rec): Data {
  const { external_id, schema_version, title } = data;
  return { vehicle_id: id, inventory_version: version, status: state, external_id, schema_version, title };
}

/** The vehicle that a bank keeps under an id of its own, those in its auctions included. */
function underExternalId(world: World, bankId: string, id: string): Rec | undefined {
  const kept = world.flow.of('inventory_vehicle');
  const found = kept.find(({ owner, data }) => owner.bankId === bankId && data['external_id'] === id);
  if (found !== undefined) return found;
  const lot = [...world.store.lots.values()].find(
    (each) => each.vehicle.details.bank_reference === id && world.store.auctionOf(each).bankId === bankId,
  );
  return lot && vehicleOf(world, lot);
}

function formOf({ party }: Call, schemaVersion: unknown): InventoryForm {
  const found = formsOf(party.bankId).find((form) => form.schema_version === schemaVersion);
  if (found === undefined) throw unfit('schema_version', 'There is no such inventory schema.');
  return found;
}

/**
 * Values by field id, as a body gives them: an object keyed by field id, or a list of entries. Refuses with a 422 that
 * names every field that the form hasn't, or whose value isn't of its type; null is taken for any field. It reads the
 * body itself, for schemas overlook a field that is called `__proto__`.
 */
function readValues({ json }: Call, form: InventoryForm): Map<string, unknown> {
  const given = 'object' in json ? json.object['values'] : undefined;
  const values = new Map<string, unknown>();
  const errors = new Map<string, string[]>();
  for (const [id, value] of entriesOf(given)) {
    const problem = values.has(id) ? 'The field is given twice.' : problemOf(form, id, value);
    values.set(id, value);
    if (problem !== undefined) errors.set(`values.${id}`, [problem]);
  }
  if (errors.size > 0) throw new Refusal(invalid(errors));
  return values;
}

type Entry = readonly [id: string, value: unknown];

function entriesOf(given: unknown): Entry[] {
  if (given === undefined || given === null) return [];
  if (Array.isArray(given)) return given.flatMap(entriesOfItem);
  if (!isObject(given)) throw unfit('values', 'The values must be a list of entries or an object.');
  return Object.entries(given);
}

/** `{ id, value }`, `{ field_id, value }`, or an object keyed by field id. */
function entriesOfItem(item: unknown): Entry[] {
  if (!isObject(item))
    throw unfit('values', 'An entry of the list has id and value, or is keyed by field id.');
  const id = item['field_id'] ?? item['id'];
  const isPair = Object.keys(item).length === 2 && Object.hasOwn(item, 'value') && typeof id === 'string';
  return isPair ? [[id, item['value']]] : Object.entries(item);
}

function problemOf(form: InventoryForm, id: string, value: unknown): string | undefined {
  const field = form.fields.find((each) => each.field.id === id)?.field;
  if (field === undefined) return `The schema ${form.schema_version} has no such field.`;
  if (value === null) return undefined;
  if (field.type === 'choice') {
    const { enum_values: words = [] } = field;
    return words.some((word) => word === value) ? undefined : `The value must be one of ${words.join(', ')}.`;
  }
  const [fits, wanted] = types[field.type];
  return fits(value) ? undefined : `The value must be ${wanted}.`;
}

const types: Readonly<
  Record<
    Exclude<InventoryField['type'], 'choice'>,
    readonly [fits: (value: unknown) => boolean, wanted: string]
  >
> = {
  text: [(value) => typeof value === 'string', 'a text'],
  integer: [(value) => Number.isSafeInteger(value), 'a whole number'],
  number: [(value) => Number.isFinite(value), 'a number'],
  amount: [
    (value) => typeof value === 'string' && /^\d{1,12}(?:\.\d{1,2})?$/.test(value),
    'a decimal string in INR such as "465000.50"',
  ],
  boolean: [(value) => typeof value === 'boolean', 'true or false'],
  date: [(value) => typeof value === 'string' && isCalendarDay(value), 'a date such as 2026-03-01'],
};

/** `Date.parse` rolls the 30th of February over. */
function isCalendarDay(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}
