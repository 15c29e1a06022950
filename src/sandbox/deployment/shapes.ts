import { isObject } from '../http/wire.js';
import type { Habits } from './habits.js';

type Json = Readonly<Record<string, unknown>>;

/** Writes documented JSON with the types of a deployment. `url` rewrites texts that are URLs of the service. */
export function withTypes(json: unknown, habits: Habits, url: (text: string) => string): unknown {
  const written = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return listOf(value, name);
    if (isObject(value)) return objectOf(value, name);
    if (typeof value === 'string') return textOf(value, name);
    if (typeof value === 'number') return writtenNumber(value, name, habits);
    return typeof value === 'boolean' && habits.booleans === 'number' ? Number(value) : value;
  };
  const listOf = (items: readonly unknown[], name: string) => {
    if (items.length === 0) return habits.emptyLists === 'null' ? null : items;
    const each = items.map((item) => written(item, name));
    if (habits.lists === 'list' || ownLists.has(name)) return each;
    return Object.fromEntries(each.map((item, index) => [String(index + 1), item]));
  };
  const objectOf = (object: Json, name: string) => {
    const entries = Object.entries(object);
    if (entries.length === 0) return emptyObjects[habits.emptyObjects];
    if (savedObjects.has(name)) return object;
    return Object.fromEntries(entries.map(([field, value]) => [field, written(value, field)]));
  };
  const textOf = (text: string, name: string) => {
    if (isMoney(name) && moneyText.test(text)) return moneyOf(text, name, habits.money);
    if (isId(name) && idText.test(text)) return habits.ids === 'number' ? Number(text) : text;
    return momentText.test(text) ? writtenMoment(text, habits.timestamps) : url(text);
  };
  return written(json, '');
}

function moneyOf(text: string, name: string, choice: Habits['money']): string | number {
  const isNumber = choice === 'number' || (choice === 'mixed' && name === 'amount');
  if (isNumber) return Number(text);
  return choice === 'text' ? text : `${text.padEnd(text.indexOf('.') + 3, '0')}00`;
}

function writtenNumber(value: number, name: string, { integers, pageNumbers }: Habits): number | string {
  if (!Number.isSafeInteger(value) || isMoney(name) || name === 'status') return value;
  return (pageNames.has(name) ? pageNumbers : integers) === 'text' ? String(value) : value;
}

function writtenMoment(text: string, choice: Habits['timestamps']): string {
  const ms = Date.parse(text);
  if (choice === 'documented' || Number.isNaN(ms)) return text;
  const utc = new Date(ms).toISOString();
  return choice === 'database' ? utc.slice(0, 19).replace('T', ' ') : utc.replace('Z', '000Z');
}

/** `amount_paise` is an integer, not a decimal amount. */
function isMoney(name: string): boolean {
  return name.endsWith('amount') || otherMoney.has(name);
}

/** References of other systems that end in `_id` stay texts. */
function isId(name: string): boolean {
  return (name === 'id' || name.endsWith('_id') || name === 'next_cursor') && !name.startsWith('external_');
}

const otherMoney = new Set([
  'bid_increment',
  'buyer_limit',
  'excess',
  'remaining',
  'starting_price',
  'verified_credits',
]);
const pageNames = new Set(['current_page', 'from', 'last_page', 'per_page', 'to', 'total']);
/** Lists that the framework builds itself, and never filters. */
const ownLists = new Set(['links']);
/** Fields that a bank saved keep their types. */
const savedObjects = new Set(['vehicle_details', 'public_fields']);
const emptyObjects = { object: {}, list: [], null: null } as const;

const moneyText = /^\d{1,15}(?:\.\d{1,2})?$/;
const idText = /^[1-9]\d{0,14}$/;
/** A time with finer fractions, from the hook `reply`, stays as it is. */
const momentText = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:Z|[+-]\d{2}:\d{2})$/;
