/**
 * Rules for request strings and numbers. Each function returns undefined for a valid value, else the problem. They
 * need no schema library, so the runtime can check them.
 */
export type Format = keyof typeof formats;

/** Path prefix that every signed path starts with. */
export const API_PREFIX = '/api/v1';

/** Bounds of the API text's Limits table. */
export const limits = {
  clockDifferenceSeconds: 300,
  dealerIdChars: 32,
  defaultPerPage: 25,
  maxPerPage: 100,
  requestsPerMinute: 120,
  searchChars: 100,
} as const;

/** Portable patterns, also in `openapi.json`. */
export const patterns = {
  amount: /^(?:0|[1-9]\d{0,11})(?:\.\d{1,2})?$/,
  base64: /^[A-Za-z0-9+/]+={0,2}$/,
  bidderReference: /^[A-Za-z0-9_-]{1,120}$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  dateTime: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/,
  digits: /^(?:0|[1-9]\d*)$/,
  money: /^-?\d+(?:\.\d{1,2})?$/,
  nonce: /^[A-Za-z0-9_-]{16,128}$/,
  uuid: /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/,
} as const;

/** A decimal number of big.js. It is recognised by its fields, so every copy and version of big.js will do. */
export interface BigAmount {
  /** Sign, exponent and digits, as big.js keeps them. */
  readonly s: number;
  readonly e: number;
  readonly c: readonly number[];
  /** The number in normal notation, in full. */
  toFixed(): string;
}

/** Money that you give: an INR decimal string such as `465000` or `465000.50`, or a `Big` of big.js. Never a number. */
export type Amount = string | BigAmount;

/** The decimal string of an amount that was given as a `Big`; every other value is returned as it is. */
export function amountText(amount: Amount): string;
export function amountText(value: unknown): unknown;
export function amountText(value: unknown): unknown {
  return isBigAmount(value) ? value.toFixed() : value;
}

function isBigAmount(value: unknown): value is BigAmount {
  if (typeof value !== 'object' || value === null || !('toFixed' in value)) return false;
  return (
    typeof value.toFixed === 'function' &&
    's' in value &&
    'e' in value &&
    'c' in value &&
    Array.isArray(value.c)
  );
}

/** From this value on, doubles cannot represent every paisa. */
export const FIRST_INEXACT = 1e13;

export const formats = {
  amount: amountProblem,
  base64: textRule(
    isBase64,
    'must be the base64 of a file that is not empty: standard alphabet, padded, without line breaks',
  ),
  bidderReference: textRule(like(patterns.bidderReference), 'must be 1 to 120 letters, digits, "_" or "-"'),
  date: textRule((value) => patterns.date.test(value) && isDay(value), 'must be a date such as 2026-03-01'),
  dateTime: textRule(
    (value) => patterns.dateTime.test(value) && isDay(value),
    'must be an ISO 8601 date-time with a zone, such as 2026-03-01T10:30:00+05:30',
  ),
  dealerId: (value: unknown) => filledProblem(value) ?? lengthProblem(value, limits.dealerIdChars),
  filled: filledProblem,
  httpsUrl: textRule(
    (value) => /^https:\/\/[^\s/?#]/i.test(value) && !/\s/.test(value) && URL.canParse(value),
    'must be an https URL such as https://example.com/webhooks',
  ),
  /** An integer id in a path. */
  integerId: (value: unknown) =>
    isWhole(value, 0) || (typeof value === 'string' && patterns.digits.test(value))
      ? undefined
      : 'must be a whole number, as a number or as digits',
  money: (value: unknown) =>
    typeof value === 'string' && patterns.money.test(value) ? undefined : 'must be a decimal string',
  positive: (value: unknown) => wholeProblem(value) ?? (isWhole(value, 1) ? undefined : 'must be 1 or more'),
  pathId: pathIdProblem,
  perPage: (value: unknown) =>
    wholeProblem(value) ??
    (isWhole(value, 1) && value <= limits.maxPerPage ? undefined : `must be from 1 to ${limits.maxPerPage}`),
  search: (value: unknown) =>
    typeof value === 'string' ? lengthProblem(value, limits.searchChars) : 'must be a string',
  uuid: textRule(like(patterns.uuid), 'must be a UUID such as 3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f'),
  version: (value: unknown) =>
    wholeProblem(value) ?? (isWhole(value, 0) ? undefined : 'must not be negative'),
} as const satisfies Readonly<Record<string, (value: unknown) => string | undefined>>;

/** An idempotency key in its one spelling: upper and lower case name the same UUID. Other values are returned as they are. */
export function keyAsSent(key: unknown): unknown {
  return typeof key === 'string' ? key.toLowerCase() : key;
}

/**
 * A text without white space around it; undefined if nothing is left. Many frameworks trim parameters and drop empty ones
 * before the signature is checked, so anything else would be refused as wrongly signed.
 */
export function trimmed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.replace(/^[\s\0\u200b\u200e]+|[\s\0\u200b\u200e]+$/g, '');
  return text === '' ? undefined : text;
}

/**
 * Searches for one invalid character, because matching a large file as a whole backtracks and may exhaust the
 * stack.
 */
function isBase64(value: string): boolean {
  const padding = value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0;
  const digits = value.slice(0, value.length - padding);
  return digits !== '' && value.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(digits);
}

function textRule(isRight: (value: string) => boolean, problem: string) {
  return (value: unknown) => {
    if (typeof value !== 'string') return 'must be a string';
    return isRight(value) ? undefined : problem;
  };
}

function like(pattern: RegExp) {
  return (value: string) => pattern.test(value);
}

function isWhole(value: unknown, least: number): value is number {
  return Number.isSafeInteger(value) && typeof value === 'number' && value >= least;
}

function wholeProblem(value: unknown): string | undefined {
  return isWhole(value, Number.MIN_SAFE_INTEGER) ? undefined : 'must be a whole number';
}

function filledProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  return value === '' ? 'must not be empty' : undefined;
}

/** Counts code points: no other way of counting gives a lower number. */
function lengthProblem(value: unknown, max: number): string | undefined {
  return typeof value === 'string' && [...value].length > max
    ? `must have at most ${max} characters`
    : undefined;
}

const amountRule =
  'must be a positive decimal string in INR with at most 12 integer digits and 2 decimals' as const;

/** Money that the caller sends: positive, at most 12 integer digits and 2 decimals, always a string. */
function amountProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') {
    return `must be a decimal string in INR such as "465000" or "465000.50"${insteadOfText(value)}`;
  }
  if (!patterns.amount.test(value)) return `${amountRule}${mistakeIn(value)}`;
  return /[1-9]/.test(value) ? undefined : `${amountRule}, above zero`;
}

function insteadOfText(value: unknown): string {
  return typeof value === 'bigint' ? ' (fromPaise() makes one of integer paise)' : '';
}

/** Names the common mistake in an invalid amount. */
function mistakeIn(text: string): string {
  if (text.includes(',')) return ', without grouping commas';
  if (/\s/.test(text)) return ', without white space';
  if (/[^\d.]/.test(text)) return ', of digits and a point only';
  if (/\.\d{3}/.test(text)) return ': round it first';
  return /^0\d/.test(text) ? ', without leading zeros' : '';
}

/** `Date.parse` accepts the 30th of February. */
function isDay(text: string): boolean {
  if (Number.isNaN(Date.parse(text))) return false;
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) === day;
}

const illegalInPath = /[%/\\?#]|\p{Cc}|\p{Cs}/u;

/** An id in a path must reach the service as one unchanged segment. */
function pathIdProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.trim() === '') return 'must not be empty or blank';
  return value === '.' || value === '..' || illegalInPath.test(value)
    ? 'must be an id: not ".", "..", and without "%", "/", "\\", "?", "#" or control characters'
    : undefined;
}

/** The decimal string of money that came as a JSON number; undefined if the number is not exactly that. */
export function exactMoney(value: number): string | undefined {
  const decimal = value.toFixed(2);
  return Math.abs(value) < FIRST_INEXACT && Number(decimal) === value ? decimal : undefined;
}
