import type { InventorySchema } from '../generated/inventory.js';
import { isAmount } from '../money/paise.js';

/** A field of a vehicle in an inventory schema. */
export interface SchemaField {
  /** Stays the same when the field is renamed. */
  readonly id: string;
  /** Undefined if the service names none. */
  readonly label: string | undefined;
  /** The service's word, such as `text`, `integer` or `choice`; undefined if it sends none. */
  readonly type: string | undefined;
  /** Allowed values; undefined if the service lists none. */
  readonly choices: readonly string[] | undefined;
  /** Whether the bank requires a value; undefined if the service does not say. */
  readonly required: boolean | undefined;
}

/**
 * Reads the fields of an inventory schema (A63), whose shape is undocumented: a list of entries, or an object keyed by id.
 * Entries without an id are left out; you can still read `schema.fields`.
 */
export function readSchemaFields(schema: Pick<InventorySchema, 'fields'>): readonly SchemaField[] {
  const { fields = [] } = schema;
  const isList = (given: unknown): given is readonly unknown[] => Array.isArray(given);
  const entries = isList(fields)
    ? fields.map((entry) => [undefined, entry] as const)
    : Object.entries(fields);
  return entries.flatMap(([key, entry]) => {
    const given: Readonly<Record<string, unknown>> = Object(entry);
    const id = nonEmptyText(given['id']) ?? nonEmptyText(given['field_id']) ?? key;
    if (id === undefined) return [];
    const { required } = given;
    return [
      {
        id,
        label: nonEmptyText(given['label']) ?? nonEmptyText(given['name']),
        type: nonEmptyText(given['type']),
        choices: choicesIn(given),
        required: typeof required === 'boolean' ? required : undefined,
      },
    ];
  });
}

/** Names under which services list the allowed values of a field. */
const CHOICES = ['enum_values', 'enum', 'options', 'choices', 'values'] as const;

function choicesIn(given: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  const list = CHOICES.map((name) => given[name]).find(Array.isArray);
  // Values of another form are not compared.
  return list?.every((value) => typeof value === 'string') === true ? list : undefined;
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A value as it is sent, or why it can't be. */
export type CheckedValue = { readonly value: unknown } | { readonly problem: string };

const SHOWN = 10;

const SPREADSHEET_ERROR = /^#(?:REF!|N\/A|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!)$/;

/**
 * Checks a value against its field. Text of a file is converted to the type of the field; nothing else is. A type that this
 * package does not know is not checked.
 */
export function checkedValue({ type, choices }: SchemaField, given: unknown): CheckedValue {
  if (given === null) return { value: null };
  if (typeof given === 'string' && SPREADSHEET_ERROR.test(given)) {
    return { problem: 'is a spreadsheet error: replace it with a value' };
  }
  if (choices !== undefined) {
    if (choices.some((choice) => choice === given)) return { value: given };
    const listed = choices.slice(0, SHOWN).map((choice) => JSON.stringify(choice));
    const more = choices.length > SHOWN ? `, and ${choices.length - SHOWN} more` : '';
    return { problem: `must be one of ${listed.join(', ')}${more}` };
  }
  return checks[type ?? '']?.(given) ?? { value: given };
}

const checks: Readonly<Record<string, (given: unknown) => CheckedValue>> = {
  text: (given) => (typeof given === 'string' ? { value: given } : { problem: 'must be a text' }),
  integer: (given) => {
    const value = numberIn(given);
    return Number.isSafeInteger(value) ? { value } : { problem: 'must be a whole number, of digits only' };
  },
  number: (given) => {
    const value = numberIn(given);
    return value === undefined ? { problem: 'must be a number, without separators or units' } : { value };
  },
  amount: (given) =>
    isAmount(given)
      ? { value: String(given) }
      : { problem: 'must be an INR decimal string such as "465000" or "465000.50", without separators' },
  boolean: (given) => {
    if (typeof given === 'boolean') return { value: given };
    const word = typeof given === 'string' ? given.toLowerCase() : undefined;
    return word === 'true' || word === 'false'
      ? { value: word === 'true' }
      : { problem: 'must be true or false' };
  },
  date: (given) => (isDay(given) ? { value: given } : { problem: 'must be a date such as 2026-03-01' }),
};

/** A finite number, or plain decimal text of one. */
function numberIn(given: unknown): number | undefined {
  if (typeof given === 'number') return Number.isFinite(given) ? given : undefined;
  return typeof given === 'string' && /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?$/.test(given)
    ? Number(given)
    : undefined;
}

function isDay(given: unknown): boolean {
  if (typeof given !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(given)) return false;
  const time = Date.parse(`${given}T00:00:00Z`);
  // Some runtimes accept the 30th of February.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(given);
}
