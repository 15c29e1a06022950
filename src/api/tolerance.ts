import { exactMoney } from './formats.js';

// Undocumented forms of values in replies and webhooks, as PHP and JSON libraries write them. Each is converted exactly
// or not at all. `docs/tolerance.md` lists the rows.

/** Kinds of values with tolerated forms. A page kind is the whole body of a list; `body` is the text of any body. */
type Kind =
  | 'money'
  | 'int'
  | 'number'
  | 'string'
  | 'boolean'
  | 'list'
  | 'object'
  | 'absent'
  | 'page'
  | 'numbered_page'
  | 'workflow_page'
  | 'body';

interface Tolerance {
  /** The documented kind of the value. */
  readonly instead: Kind;
  /** The form that the service writes, for log lines and docs. */
  readonly written: string;
  /** Returns the documented form; undefined if this row does not apply or the value would not be exact. */
  read(value: unknown): unknown;
}

/** Placeholder for an absent field. */
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
  list_by_id: {
    instead: 'list',
    written: 'a list as an object whose keys are the ids of its records',
    read: (value) => {
      const isById =
        isObject(value) && Object.entries(value).every(([key, record]) => isRecordOf(key, record));
      return isById ? Object.values(value) : undefined;
    },
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
  page_in_data: {
    instead: 'numbered_page',
    written: 'a whole page inside `data`',
    read: (value) => {
      const data = propertyOf(value, 'data');
      const items = isList(data) ? undefined : (listIn(data, 'data') ?? listIn(data, 'items'));
      if (!isObject(value) || !isObject(data) || items === undefined) return undefined;
      return { ...data, ...value, data: items };
    },
  },
  page_in_meta: {
    instead: 'page',
    written: 'the page numbers or the cursor of a list in `meta` or `pagination`',
    read: (value) => {
      const holder = pageNumbersIn(value);
      return isObject(value) && holder !== undefined ? { ...holder, ...value } : undefined;
    },
  },
  page_outside_data: {
    instead: 'workflow_page',
    written: 'a page of records whose items or page numbers are elsewhere than in `data`',
    read: workflowPage,
  },
  php_warnings: {
    instead: 'body',
    written: 'warnings of PHP before the JSON',
    read: (text) => (typeof text === 'string' && PHP_WARNING.test(text) ? fromJson(text) : undefined),
  },
} as const satisfies Readonly<Record<string, Tolerance>>;

const PHP_WARNING =
  /^(?:<br \/>\s*)?(?:<b>)?(?:PHP )?(?:Warning|Notice|Deprecated|Strict Standards)(?:<\/b>)?:\s/;

/** Maximum number of characters of warnings to skip. */
const WARNINGS_CAP = 10_000;

/** The text from the first line that begins like JSON. */
function fromJson(text: string): string | undefined {
  const start = /\n[{[]/.exec(text.slice(0, WARNINGS_CAP))?.index;
  return start === undefined ? undefined : text.slice(start + 1);
}

/** Name of a tolerated form. */
export type ToleranceName = keyof typeof tolerances;

const rows = Object.entries(tolerances) as readonly (readonly [ToleranceName, Tolerance])[];

/** A value that was read in a tolerated form. */
export interface Tolerated {
  readonly name: ToleranceName;
  readonly value: unknown;
}

/** Reads a value in a tolerated form; undefined if none applies. */
export function tolerated(kind: Kind, value: unknown): Tolerated | undefined {
  for (const [name, { instead, read }] of rows) {
    const found = instead === kind ? read(value) : undefined;
    if (found !== undefined) return { name, value: found };
  }
  return undefined;
}

function workflowPage(value: unknown): unknown {
  if (!isObject(value)) return undefined;
  const data = propertyOf(value, 'data');
  const fields = isObject(data) && !isList(data) ? data : {};
  const documented = propertyOf(fields, 'items');
  const items = documented ?? (isList(data) ? data : data === null ? [] : listIn(data, 'data'));
  if (items === undefined) return undefined;
  const holders = [fields, pageNumbersIn(fields), value, pageNumbersIn(value)];
  const numbers = holders.find((holder) => holder !== undefined && 'current_page' in holder);
  if (documented !== undefined && (numbers === undefined || numbers === fields)) return undefined;
  const [current_page, last_page, total] = ['current_page', 'last_page', 'total'].map((name) =>
    propertyOf(numbers, name),
  );
  return { ...value, data: { ...fields, current_page, last_page, total, items } };
}

function propertyOf(value: unknown, name: string): unknown {
  return isObject(value) ? Reflect.get(value, name) : undefined;
}

/** Whether a value is a list, or an object in place of one. */
function isList(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return entries.length > 0 && entries.every(([key, record]) => isIndex(key) || isRecordOf(key, record));
}

function listIn(value: unknown, name: string): unknown {
  const list = propertyOf(value, name);
  return isList(list) ? list : undefined;
}

/** The object with the page numbers or the cursor of a page that has none itself. */
function pageNumbersIn(page: unknown): object | undefined {
  if (!isObject(page)) return undefined;
  const holders = ['meta', 'pagination'].map((name) => propertyOf(page, name)).filter(isObject);
  return holders.find((holder) =>
    ['current_page', 'next_cursor'].some((name) => name in holder && !(name in page)),
  );
}

/** Whether a record has the id that it is stored under. */
function isRecordOf(key: string, record: unknown): boolean {
  const ids = ['id', 'lot_id', 'public_id'].map((name) => propertyOf(record, name));
  return ids.some((id) => (typeof id === 'string' || typeof id === 'number') && String(id) === key);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isIndex(key: string): boolean {
  return /^(?:0|[1-9]\d{0,8})$/.test(key);
}
