import { FIRST_INEXACT, type Format, formats } from './formats.js';

/**
 * What a value has to be, as plain data: the same as the zod schemas of the description, which need not be loaded to
 * check with it. Made by `schemaOf`.
 */
export type Schema =
  | 'string'
  | 'number'
  | 'int'
  | 'boolean'
  | 'unknown'
  | 'paise'
  | 'numericMoney'
  | Format
  | { readonly values: readonly (string | boolean)[] }
  | { readonly list: Schema; readonly empty?: string }
  | { readonly map: Schema }
  | { readonly either: readonly Schema[]; readonly problem?: string }
  | { readonly optional: Schema }
  | { readonly nullable: Schema }
  | ObjectSchema;

export interface ObjectSchema {
  readonly fields: Readonly<Record<string, Schema>>;
  /** What further fields of an input may hold; without it there may be none. Replies can always have further fields. */
  readonly rest?: Schema;
  /** Where a field that is missing from an input can be given as well. */
  readonly hints?: Readonly<Record<string, string>>;
}

/** What is wrong with one value inside another. */
export interface Issue {
  readonly path: readonly PropertyKey[];
  /** "must be …", "is required …" or "is not a field here …". */
  readonly problem: string;
  /**
   * In an optional field, and not money. One odd optional field must not make a whole page, or an accepted
   * bid, unreadable; identity, state, version and money are never guessed at.
   */
  readonly tolerable: boolean;
}

export interface Checked {
  /** The value: a reply is put right in place, an input is copied in the order of its schema. */
  readonly value: unknown;
  readonly issues: readonly Issue[];
}

/**
 * Checks a reply: unknown fields and values stay, whatever their names. An empty PHP array where an object may be empty
 * becomes `{}`, and money that came as a JSON number becomes a decimal string.
 */
export function checkReply(schema: Schema, value: unknown): Checked {
  const issues: Found[] = [];
  const check = replies.get(schema) ?? built(replies, schema, true);
  return { value: check(value, issues), issues };
}

/** Checks what a caller gives: strict, and copied field by field. */
export function checkInput(schema: Schema, value: unknown): Checked {
  const issues: Found[] = [];
  const check = inputs.get(schema) ?? built(inputs, schema, false);
  return { value: check(value, issues), issues };
}

const replies = new Map<Schema, Check>();
const inputs = new Map<Schema, Check>();

/** Built at the first use of each schema: building all of them would slow the import down. */
function built(known: Map<Schema, Check>, schema: Schema, isReply: boolean): Check {
  const check = build(schema, isReply);
  known.set(schema, check);
  return check;
}

/** Returns the value, put right or copied, and adds what is wrong with it. */
type Check = (value: unknown, issues: Found[]) => unknown;

interface Found extends Issue {
  readonly path: PropertyKey[];
  tolerable: boolean;
  /** The object that holds the field has judged it. */
  judged: boolean;
  readonly isMoney: boolean;
}

function build(schema: Schema, isReply: boolean): Check {
  if (typeof schema === 'string') return leaf(schema, isReply);
  if ('values' in schema) return oneOf(schema.values);
  if ('list' in schema) return list(build(schema.list, isReply), schema.empty, isReply);
  if ('map' in schema) return map(build(schema.map, isReply), isReply);
  if ('optional' in schema) return except(undefined, build(schema.optional, isReply));
  if ('nullable' in schema) return except(null, build(schema.nullable, isReply));
  if ('fields' in schema) return isReply ? openObject(schema) : strictObject(schema);
  return either(
    schema.either.map((option) => build(option, isReply)),
    schema.problem,
  );
}

const numbers: Readonly<Record<string, (value: unknown) => boolean>> = {
  number: Number.isFinite,
  int: Number.isSafeInteger,
  paise: Number.isSafeInteger,
};

function leaf(kind: Extract<Schema, string>, isReply: boolean): Check {
  if (kind === 'unknown') return (value) => value;
  if (kind === 'numericMoney') {
    return (value, issues) => {
      if (typeof value === 'string') return value;
      if (typeof value === 'number') return isReply ? moneyText(value) : value;
      return wrong(issues, value, 'must be money', true);
    };
  }
  if (kind === 'string' || kind === 'boolean') {
    return (value, issues) => (typeof value === kind ? value : wrong(issues, value, `must be a ${kind}`));
  }
  const isNumber = numbers[kind];
  if (isNumber !== undefined) {
    const problem = kind === 'number' ? 'must be a number' : 'must be an int';
    const isMoney = kind === 'paise';
    return (value, issues) => (isNumber(value) ? value : wrong(issues, value, problem, false, isMoney));
  }
  const problemOf: (value: unknown) => string | undefined = formats[kind as Format];
  const isMoney = kind === 'money';
  return (value, issues) => {
    const problem = problemOf(value);
    return problem === undefined ? value : wrong(issues, value, problem, true, isMoney);
  };
}

function wrong(issues: Found[], value: unknown, problem: string, isRule = false, isMoney = false): unknown {
  const missing = isRule && problem !== 'must be a string' ? `is required and ${problem}` : 'is required';
  issues.push({
    path: [],
    problem: value === undefined ? missing : problem,
    tolerable: false,
    judged: false,
    isMoney,
  });
  return value;
}

/** Puts a key before the path of what was found since `from`. */
function under(key: PropertyKey, issues: readonly Found[], from: number): void {
  for (let index = from; index < issues.length; index += 1) issues[index]?.path.unshift(key);
}

function except(exempt: null | undefined, check: Check): Check {
  return (value, issues) => (value === exempt ? value : check(value, issues));
}

function oneOf(values: readonly (string | boolean)[]): Check {
  const problem = `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`;
  return (value, issues) => (values.some((one) => one === value) ? value : wrong(issues, value, problem));
}

function list(check: Check, empty: string | undefined, isReply: boolean): Check {
  return (value, issues) => {
    if (!Array.isArray(value)) return wrong(issues, value, 'must be an array');
    const items: unknown[] = isReply ? value : [...value];
    for (let index = 0; index < items.length; index += 1) {
      const item = items[index];
      const found = issues.length;
      const checked = check(item, issues);
      if (issues.length > found) under(index, issues, found);
      if (checked !== item) items[index] = checked;
    }
    if (empty !== undefined && items.length === 0) wrong(issues, items, empty);
    return items;
  };
}

function map(check: Check, isReply: boolean): Check {
  return (value, issues) => {
    if (isReply && isEmptyArray(value)) return {};
    if (!isPlain(value)) return wrong(issues, value, 'must be an object');
    for (const key of Object.keys(value)) {
      const item = value[key];
      const found = issues.length;
      const checked = check(item, issues);
      if (issues.length > found) under(key, issues, found);
      if (checked !== item) define(value, key, checked);
    }
    return value;
  };
}

function either(options: readonly Check[], problem = 'is none of the types that it can have'): Check {
  return (value, issues) => {
    for (const option of options) {
      const found: Found[] = [];
      const checked = option(value, found);
      if (found.length === 0) return checked;
    }
    return wrong(issues, value, problem, problem.startsWith('must'));
  };
}

function openObject({ fields }: ObjectSchema): Check {
  const checks = Object.entries(fields).map(([name, schema]) => ({
    name,
    check: build(schema, true),
    plainType: plainTypeOf(schema),
    isOptional: isOptional(schema),
  }));
  // An object with a required field is never empty, so an array in its place is an error and stays one.
  const mayBeEmpty = checks.every((field) => field.isOptional);
  return (value, issues) => {
    if (mayBeEmpty && isEmptyArray(value)) return {};
    if (!isObject(value)) return wrong(issues, value, 'must be an object');
    for (const { name, check, plainType, isOptional } of checks) {
      const item = value[name];
      // Most fields of a page are texts.
      if (typeof item === plainType) continue;
      const found = issues.length;
      const checked = check(item, issues);
      if (issues.length > found) {
        under(name, issues, found);
        judge(isOptional, issues, found);
      }
      if (checked !== item && Object.hasOwn(value, name)) value[name] = checked;
    }
    return value;
  };
}

/** The type of which every value is right as it is; undefined where there is none. */
function plainTypeOf(schema: Schema): 'string' | 'boolean' | undefined {
  if (typeof schema === 'string') return schema === 'string' || schema === 'boolean' ? schema : undefined;
  if ('optional' in schema) return plainTypeOf(schema.optional);
  return 'nullable' in schema ? plainTypeOf(schema.nullable) : undefined;
}

/** A required field makes sense only with its fellows, so the innermost object decides. */
function judge(optional: boolean, issues: readonly Found[], from: number): void {
  for (const issue of issues.slice(from)) {
    if (issue.judged) continue;
    issue.judged = true;
    issue.tolerable = optional && !issue.isMoney;
  }
}

function strictObject({ fields, rest, hints = {} }: ObjectSchema): Check {
  const checks = Object.entries(fields).map(([name, schema]) => [name, build(schema, false)] as const);
  const checkRest = rest === undefined ? undefined : build(rest, false);
  const known = new Set(Object.keys(fields));
  return (given, issues) => {
    if (!isObject(given)) return wrong(issues, given, 'must be an object');
    const value: Record<string, unknown> = {};
    const take = (name: string, check: Check) => {
      const found = issues.length;
      const checked = check(given[name], issues);
      if (issues.length > found) under(name, issues, found);
      if (checked !== undefined) value[name] = checked;
    };
    for (const [name, check] of checks) {
      const hint = given[name] === undefined ? hints[name] : undefined;
      take(name, hint === undefined ? check : hinted(check, hint));
    }
    for (const name of Object.keys(given)) {
      if (known.has(name)) continue;
      if (checkRest !== undefined && name !== '__proto__') take(name, checkRest);
      else {
        wrong(issues, null, `is not a field here; known fields: ${[...known].join(', ')}`);
        under(name, issues, issues.length - 1);
      }
    }
    return value;
  };
}

/** A check of a missing value that says where else it can be given. */
function hinted(check: Check, hint: string): Check {
  return (value, issues) => {
    const found: Found[] = [];
    const checked = check(value, found);
    if (found.length > 0) wrong(issues, null, `is required: ${hint}`);
    return checked;
  };
}

function isOptional(schema: Schema): boolean {
  return typeof schema === 'object' && 'optional' in schema;
}

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** An object of JSON, which is no array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Not a Map, Date or other class instance, which JSON would write as `{}` or a string. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(Object(prototype)) === null;
}

/** Defined, not assigned: a label `__proto__` stays a label. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
}

/**
 * Decimal text of money that came as a JSON number: the decimal that stood in the JSON text. One that isn't money
 * passes as text, for an accepted bid must not fail over it.
 */
function moneyText(value: number): string {
  const decimal = value.toFixed(2);
  if (Math.abs(value) < FIRST_INEXACT && Number(decimal) === value) return decimal;
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

/**
 * Whether a value can be taken for the fields that it holds: a plain object, or an instance of a class of the
 * caller's with fields of its own. Objects such as maps, forms, search parameters and signals keep what they hold to
 * themselves, and would silently be sent as nothing.
 */
export function isFields(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Object.prototype.toString.call(value) !== '[object Object]') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(Object(prototype)) === null;
  return isPlain || Object.keys(value).length > 0;
}
