import { exactMoney } from './formats.js';

// Values that replies and webhooks may hold in place of what the API text says. PHP and JSON libraries write them; each is read
// exactly or not at all. `docs/tolerance.md` lists the rows.

/** The schemas of values that have tolerated forms; `page` is the whole body of a list. */
type Kind = 'money' | 'int' | 'number' | 'string' | 'boolean' | 'list' | 'object' | 'absent' | 'page';

interface Tolerance {
  /** The kind of value that the API text says. */
  readonly instead: Kind;
  /** What the service writes, for log lines and docs. */
  readonly written: string;
  /** The value as the text says it; undefined where this row does not apply, or the value would not be exact. */
  read(value: unknown): unknown;
}

/** Stands for a field that is not there. */
export const ABSENT = Symbol('absent');

/** Every tolerated form, by its name. */
export const tolerances = {
  money_as_number: {
    instead: 'money',
    written: 'money as a JSON number',
    read: (value) => (typeof value === 'number' ? exactMoney(value) : undefined),
  },
  money_with_more_zeros: {
    instead: 'money',
    written: 'money with more than two decimals, all of them zero',
    read: (value) =>
      typeof value === 'string' && /^-?\d+\.\d{2}0+$/.test(value)
        ? value.replace(/(\.\d\d)0+$/, '$1')
        : undefined,
  },
  integer_as_text: {
    instead: 'int',
    written: 'an integer as text',
    read: (value) => {
      const isWhole = typeof value === 'string' && /^-?(?:0|[1-9]\d*)$/.test(value);
      return isWhole && Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
    },
  },
  number_as_text: {
    instead: 'number',
    written: 'a number as text',
    read: (value) => {
      const isNumber = typeof value === 'string' && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value);
      return isNumber && value.length <= 15 ? Number(value) : undefined;
    },
  },
  text_as_integer: {
    instead: 'string',
    written: 'an id or another text as an integer',
    read: (value) => (Number.isSafeInteger(value) ? String(value) : undefined),
  },
  flag_as_number: {
    instead: 'boolean',
    written: 'true and false as 1 and 0',
    read: (value) => (value === 1 || value === '1' ? true : value === 0 || value === '0' ? false : undefined),
  },
  flag_as_text: {
    instead: 'boolean',
    written: 'true and false as text',
    read: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  },
  list_by_index: {
    instead: 'list',
    written: 'a list as an object whose keys are its indexes',
    read: (value) =>
      isObject(value) && Object.keys(value).every(isIndex) ? Object.values(value) : undefined,
  },
  list_as_null: {
    instead: 'list',
    written: 'an empty list as null',
    read: (value) => (value === null ? [] : undefined),
  },
  object_as_list: {
    instead: 'object',
    written: 'an empty object as an empty list',
    read: (value) => (Array.isArray(value) && value.length === 0 ? {} : undefined),
  },
  object_as_null: {
    instead: 'object',
    written: 'an empty object as null',
    read: (value) => (value === null ? {} : undefined),
  },
  absent_as_null: {
    instead: 'absent',
    written: 'null for a field that may be left out',
    read: (value) => (value === null ? ABSENT : undefined),
  },
  page_in_meta: {
    instead: 'page',
    written: 'the page numbers or the cursor of a list in `meta`',
    read: (value) => {
      if (!isObject(value) || !('meta' in value) || !isObject(value.meta)) return undefined;
      const { meta } = value;
      const isThere = ['current_page', 'next_cursor'].some((name) => name in meta && !(name in value));
      return isThere ? { ...meta, ...value } : undefined;
    },
  },
} as const satisfies Readonly<Record<string, Tolerance>>;

/** Name of a tolerated form. */
export type ToleranceName = keyof typeof tolerances;

const rows = Object.entries(tolerances) as readonly (readonly [ToleranceName, Tolerance])[];

/** A value in a form that is tolerated, read. */
export interface Tolerated {
  readonly name: ToleranceName;
  readonly value: unknown;
}

/** Reads a value that is not as the API text says; undefined where no form is tolerated. */
export function tolerated(kind: Kind, value: unknown): Tolerated | undefined {
  for (const [name, { instead, read }] of rows) {
    const found = instead === kind ? read(value) : undefined;
    if (found !== undefined) return { name, value: found };
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isIndex(key: string): boolean {
  return /^(?:0|[1-9]\d{0,8})$/.test(key);
}
