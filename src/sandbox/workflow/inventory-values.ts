import type { Call } from '../call.js';
import { invalid, Refusal } from '../replies.js';
import type { FieldType, InventoryField, InventoryForm } from '../seed/inventory.js';
import { unfit } from './commands.js';

/**
 * Values by field id, as a body gives them: an object keyed by field id, or a list of entries. Refuses with a 422 that
 * names every field that the form hasn't, or whose value isn't of its type; null is taken for any field. It reads the
 * body itself, for schemas overlook a field that is called `__proto__`.
 */
export function readValues(call: Call, form: InventoryForm): Map<string, unknown> {
  const given = 'object' in call.json ? call.json.object['values'] : undefined;
  const { variants } = call.world.settings;
  const values = new Map<string, unknown>();
  const errors = new Map<string, string[]>();
  for (const [id, value] of entriesOf(given, variants['inventory-values-form'])) {
    const field = form.fields.find((each) => each.id === id);
    const problem = values.has(id)
      ? 'The field is given twice.'
      : field === undefined
        ? `The schema ${form.schemaVersion} has no such field.`
        : variants['inventory-value-types'] === 'checked' && !fits(field, value)
          ? `The value must be ${wanted(field)}.`
          : undefined;
    values.set(id, value);
    if (problem !== undefined) errors.set(`values.${id}`, [problem]);
  }
  if (errors.size > 0) throw new Refusal(invalid(errors));
  return values;
}

/** Refuses, where the row `inventory-required-fields` has it so, what lacks a field that its form requires. */
export function mustBeFilled(call: Call, form: InventoryForm, values: ReadonlyMap<string, unknown>): void {
  if (call.world.settings.variants['inventory-required-fields'] !== 'enforced') return;
  const lacking = form.fields.filter(({ id, required }) => required && (values.get(id) ?? null) === null);
  const errors = new Map(lacking.map(({ id }) => [`values.${id}`, ['The schema requires the field.']]));
  if (errors.size > 0) throw new Refusal(invalid(errors));
}

type Entry = readonly [id: string, value: unknown];

function entriesOf(given: unknown, form: 'both' | 'object' | 'array'): Entry[] {
  if (given === undefined) return [];
  if (Array.isArray(given)) {
    if (form === 'object') throw unfit('values', 'The values must be an object keyed by field id.');
    return given.flatMap(entriesOfItem);
  }
  if (form === 'array' || !isObject(given)) throw unfit('values', 'The values must be a list of entries.');
  return Object.entries(given);
}

/** `{ id, value }`, `{ field_id, value }`, or an object keyed by field id. */
function entriesOfItem(item: unknown): Entry[] {
  if (!isObject(item)) {
    throw unfit('values', 'An entry of the list has id and value, or is keyed by field id.');
  }
  const id = item['field_id'] ?? item['id'];
  const isPair = Object.keys(item).length === 2 && Object.hasOwn(item, 'value') && typeof id === 'string';
  return isPair ? [[id, item['value']]] : Object.entries(item);
}

function fits({ type, options }: InventoryField, value: unknown): boolean {
  if (value === null) return true;
  return type === 'choice' ? options.some((option) => option === value) : shapes[type](value);
}

function wanted({ type, options }: InventoryField): string {
  return type === 'choice' ? `one of ${options.join(', ')}` : words[type];
}

type PlainType = Exclude<FieldType, 'choice'>;

const shapes: Readonly<Record<PlainType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => Number.isFinite(value),
  amount: (value) => typeof value === 'string' && /^(?:0|[1-9]\d{0,11})(?:\.\d{1,2})?$/.test(value),
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && isCalendarDay(value),
};

const words: Readonly<Record<PlainType, string>> = {
  text: 'a text',
  integer: 'a whole number',
  number: 'a number',
  amount: 'a decimal string in INR such as "465000.50"',
  boolean: 'true or false',
  date: 'a date such as 2026-03-01',
};

/** `Date.parse` rolls the 30th of February over. */
function isCalendarDay(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
