import * as z from 'zod';

/** Path prefix that every signed path starts with. */
export const API_PREFIX = '/api/v1';

/** Bounds of the API text's Limits table that more than one place needs; the others stand in the schemas below. */
export const limits = {
  clockDifferenceSeconds: 300,
  dealerIdChars: 32,
  defaultPerPage: 25,
  maxPerPage: 100,
  requestsPerMinute: 120,
  searchChars: 100,
} as const;

/** A nonce as the service accepts it (Authentication, Headers). */
export const noncePattern = /^[A-Za-z0-9_-]{16,128}$/;

/** Up to `max` characters, counted as code points: whoever counts otherwise counts more. */
const text = (max: number) =>
  z
    .string()
    .refine((value) => [...value].length <= max, { error: `must have at most ${max} characters` })
    .meta({ maxLength: max });

const amountShape = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,2})?$/;

/** Money the caller sends: positive, at most 12 integer digits and 2 decimals, always a string. */
export const amount = z
  .string({
    error: ({ input }) =>
      `must be a decimal string in INR such as "465000" or "465000.50"${insteadOf(input)}`,
  })
  .regex(amountShape, {
    abort: true,
    error: ({ input }) =>
      `must be a positive decimal string in INR with at most 12 integer digits and 2 decimals${oddityOf(String(input))}`,
  })
  // Apart from the shape: other languages' patterns have no look-ahead.
  .refine((text) => /[1-9]/.test(text), {
    error:
      'must be a positive decimal string in INR with at most 12 integer digits and 2 decimals, above zero',
  });

/** What came in place of a text. */
function insteadOf(input: unknown): string {
  if (typeof input === 'bigint') return ', not a bigint; fromPaise() makes one of integer paise';
  return typeof input === 'number' ? ', not a number' : '';
}

/** What is odd about a text that is no amount, where it is a usual oddity. */
function oddityOf(text: string): string {
  if (text.includes(',')) return ', without grouping commas';
  if (/\s/.test(text)) return ', without white space';
  if (/[^\d.]/.test(text)) return ', of digits and a point only';
  if (/^0\d/.test(text)) return ', without leading zeros';
  return '';
}

/** Money the service sends: a decimal string. */
export const money = z
  .string()
  .regex(/^-?\d+(?:\.\d{1,2})?$/, { error: 'must be a decimal string' })
  .meta({ money: true });

/** Money that the service sends as a JSON number in one place; it reaches the caller as a decimal string. */
export const numericMoney = z.union([z.string(), z.number()]).meta({ numericMoney: true });

export const uuid = z
  .string()
  .regex(/^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/, {
    error: 'must be a UUID such as 3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f',
  })
  .meta({ format: 'uuid' });

/** Filled in where the caller gives none. */
export const idempotencyKey = uuid
  .describe('UUID of this one intended effect; sent in the `Idempotency-Key` header too.')
  .meta({ filled: 'Made when left out.' });

export const bidderReference = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,120}$/, { error: 'must be 1 to 120 letters, digits, "_" or "-"' });

export const dealerId = text(limits.dealerIdChars).min(1, { error: 'must not be empty' });

export const search = text(limits.searchChars);

/** Text that a command needs; its values are not shown, so anything but nothing passes. */
export const filledText = z.string().min(1, { error: 'must not be empty' });

/** All money is in INR (What the service does, rule 1). */
export const inr = z.literal('INR').describe('`INR`: all money is in it.');

/** Taken from the record where one is passed in place of its id. */
export const expectedVersion = z
  .int({ error: 'must be a whole number' })
  .min(0, { error: 'must not be negative' })
  .describe('Version of the record that the command is about; refused where the record has moved on since.')
  .meta({ hint: 'give the version you read, or the record itself in place of its id' });

/** A version of terms as the service gives it: string or number is not shown (unknowns: `policy-version-type`). */
export const termsVersion = z.union([z.string().min(1, { error: 'must not be empty' }), z.number()], {
  error: 'must be the terms_version that the service gave',
});

const zonedDateTimeShape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

/** A calendar day, as the caller sends it. */
export const calendarDate = z
  .string()
  .refine(
    (text) => /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && isCalendarDay(text),
    {
      error: 'must be a date such as 2026-03-01',
    },
  )
  .meta({ format: 'date' });

/** `Date.parse` rolls the 30th of February over. */
function isCalendarDay(text: string): boolean {
  const day = text.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) === day;
}

/** A date-time with a zone, as the caller sends it. */
export const zonedDateTime = z
  .string()
  .refine((text) => zonedDateTimeShape.test(text) && !Number.isNaN(Date.parse(text)) && isCalendarDay(text), {
    error: 'must be an ISO 8601 date-time with a zone, such as 2026-03-01T10:30:00+05:30',
  })
  .meta({ format: 'date-time' });

export const page = z
  .int({ error: 'must be a whole number' })
  .min(1, { error: 'must be 1 or more' })
  .describe('Page number, from 1.');

export const perPage = z
  .int({ error: 'must be a whole number' })
  .min(1, { error: 'must be from 1 to 100' })
  .max(limits.maxPerPage, { error: 'must be from 1 to 100' })
  .describe('Items per page, 1 to 100; 25 when left out.');

/** A string whose known values are listed; the service may send others, and they pass through. */
export const openEnum = (...known: readonly [string, ...string[]]) =>
  z.string().meta({ 'x-known-values': known });

/** A string that the caller sends: some values are shown, the set isn't complete, so others are sent as they are. */
export const openChoice = (...known: readonly [string, ...string[]]) =>
  filledText.meta({ 'x-known-values': known });

/** An object of whatever the service sends; every key survives. */
export const anyObject = z.record(z.string(), z.unknown());

const illegalInPath = /[%/\\?#]|\p{Cc}|\p{Cs}/u;

/** An id in a path: it must reach the service as one segment, unchanged. */
export const pathId = z
  .string({ error: 'must be a string' })
  .refine((id) => id.trim() !== '', { error: 'must not be empty or blank' })
  .refine((id) => id !== '.' && id !== '..' && !illegalInPath.test(id), {
    error: 'must be an id: not ".", "..", and without "%", "/", "\\", "?", "#" or control characters',
  });

const wholeNumber = { error: 'must be a whole number, as a number or as digits' };

/** An integer id in a path. */
export const integerId = z.union(
  [z.int(wholeNumber).min(0, wholeNumber), z.string().regex(/^(?:0|[1-9]\d*)$/, wholeNumber)],
  wholeNumber,
);
