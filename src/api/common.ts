import * as z from 'zod';
import { API_PREFIX, type Format, formats, limits, patterns } from './formats.js';

export { API_PREFIX, limits };

/** A nonce as the service accepts it (Authentication, Headers). */
export const noncePattern = patterns.nonce;

/** A text that the caller sends under the rule of a format. */
export const text = (check: Format, meta: Readonly<Record<string, unknown>> = {}) =>
  z
    .string({ error: ({ input }) => formats[check](input) ?? 'must be a string' })
    .refine((value) => formats[check](value) === undefined, {
      error: ({ input }) => formats[check](input) ?? '',
    })
    .meta({ check, ...meta });

/** A whole number that the caller sends under the rule of a format. */
const whole = (check: Format, least: number) =>
  z
    .int({ error: ({ input }) => formats[check](input) ?? 'must be a whole number' })
    .min(least, { error: ({ input }) => formats[check](input) ?? '' })
    .meta({ check });

/** Money the caller sends: positive, at most 12 integer digits and 2 decimals, always a string. */
export const amount = text('amount', { pattern: patterns.amount.source });

/** Money the service sends: a decimal string. */
export const money = text('money', { pattern: patterns.money.source, money: true });

/** Money that the service sends as a JSON number in one place; it reaches the caller as a decimal string. */
export const numericMoney = z.union([z.string(), z.number()]).meta({ numericMoney: true });

export const uuid = text('uuid', { pattern: patterns.uuid.source, format: 'uuid' });

/** Filled in where the caller gives none. */
export const idempotencyKey = uuid
  .describe('UUID of this one intended effect; sent in the `Idempotency-Key` header too.')
  .meta({ filled: 'Made when left out.' });

export const bidderReference = text('bidderReference', { pattern: patterns.bidderReference.source });

export const dealerId = text('dealerId', { minLength: 1, maxLength: limits.dealerIdChars });

export const search = text('search', { maxLength: limits.searchChars });

/** Text that a command needs; its values are undocumented, so anything but nothing passes. */
export const filledText = text('filled', { minLength: 1 });

/** All money is in INR (What the service does, rule 1). */
export const inr = z.literal('INR').describe('`INR`: all money is in it.');

/** Taken from the record where one is passed in place of its id. */
export const expectedVersion = whole('version', 0)
  .describe('Version of the record that the command is about; refused where the record has moved on since.')
  .meta({ hint: 'give the version you read, or the record itself in place of its id' });

/** A choice of types that the caller sends. */
export const oneOf = <const Options extends readonly [z.ZodType, z.ZodType, ...z.ZodType[]]>(
  options: Options,
  problem: string,
) => z.union(options, { error: problem }).meta({ problem });

/** An array that the caller sends with at least one item. */
export const filledList = <Item extends z.ZodType>(item: Item, problem: string) =>
  z.array(item).min(1, { error: problem }).meta({ problem });

/** A version of terms as the service gives it: string or number is undocumented (unknowns: `policy-version-type`). */
export const termsVersion = oneOf(
  [filledText, z.number()],
  'must be the terms_version that the service gave',
);

/** A calendar day, as the caller sends it. */
export const calendarDate = text('date', { format: 'date' });

/** A date-time with a zone, as the caller sends it. */
export const zonedDateTime = text('dateTime', { format: 'date-time' });

/** A count that the caller sends. */
export const positive = whole('positive', 1);

export const page = positive.describe('Page number, from 1.');

export const perPage = whole('perPage', 1)
  .max(limits.maxPerPage, { error: formats.perPage(0) })
  .describe('Items per page, 1 to 100; defaults to 25.');

/** A string whose known values are listed; the service may send others, and they pass through. */
export const openEnum = (...known: readonly [string, ...string[]]) =>
  z.string().meta({ 'x-known-values': known });

/** A string that the caller sends: some values are shown, the set isn't complete, so others are sent as they are. */
export const openChoice = (...known: readonly [string, ...string[]]) =>
  filledText.meta({ 'x-known-values': known });

/** An object of whatever the service sends; every key survives. */
export const anyObject = z.record(z.string(), z.unknown());

/** An id in a path: it must reach the service as one segment, unchanged. */
export const pathId = text('pathId');

/** An integer id in a path. */
export const integerId = z
  .union([z.int().min(0), z.string().regex(patterns.digits)], { error: formats.integerId(undefined) })
  .meta({ check: 'integerId' });
