import * as z from 'zod';
import { API_PREFIX, type Format, formats, limits, patterns } from './formats.js';

export { API_PREFIX, limits };

/** Nonces that the service accepts (Authentication, Headers). */
export const noncePattern = patterns.nonce;

/** A request string that must match a format. */
export const text = (check: Format, meta: Readonly<Record<string, unknown>> = {}) =>
  z
    .string({ error: ({ input }) => formats[check](input) ?? 'must be a string' })
    .refine((value) => formats[check](value) === undefined, {
      error: ({ input }) => formats[check](input) ?? '',
    })
    .meta({ check, ...meta });

/** A request integer that must match a format. */
const whole = (check: Format, least: number) =>
  z
    .int({ error: ({ input }) => formats[check](input) ?? 'must be a whole number' })
    .min(least, { error: ({ input }) => formats[check](input) ?? '' })
    .meta({ check });

/** Money the caller sends: positive, at most 12 integer digits and 2 decimals, always a string. */
export const amount = text('amount', { pattern: patterns.amount.source });

/** Money the service sends: a decimal string. */
export const money = text('money', { pattern: patterns.money.source, money: true });

/** Money that one field of the service sends as a JSON number; callers get a decimal string. */
export const numericMoney = z.union([z.string(), z.number()]).meta({ numericMoney: true });

export const uuid = text('uuid', { pattern: patterns.uuid.source, format: 'uuid' });

/** Generated if the caller omits it. */
export const idempotencyKey = uuid
  .describe('UUID of this one intended effect, also sent in the `Idempotency-Key` header.')
  .meta({ filled: 'Defaults to a new UUID.' });

export const bidderReference = text('bidderReference', { pattern: patterns.bidderReference.source });

export const dealerId = text('dealerId', { minLength: 1, maxLength: limits.dealerIdChars });

export const search = text('search', { maxLength: limits.searchChars });

/** Required text with undocumented values. Any non-empty string is accepted. */
export const filledText = text('filled', { minLength: 1 });

/** All money is in INR (What the service does, rule 1). */
export const inr = z.literal('INR').describe('Currency, always `INR`.');

/** Taken from the record if the caller passes one instead of its id. */
export const expectedVersion = whole('version', 0)
  .describe(
    'Version of the record that you decided on. The service refuses the command if the record has changed since.',
  )
  .meta({ hint: 'pass the version you read, or the record itself instead of its id' });

/** A choice of types that the caller sends. */
export const oneOf = <const Options extends readonly [z.ZodType, z.ZodType, ...z.ZodType[]]>(
  options: Options,
  problem: string,
) => z.union(options, { error: problem }).meta({ problem });

/** A request array with at least one item. */
export const filledList = <Item extends z.ZodType>(item: Item, problem: string) =>
  z.array(item).min(1, { error: problem }).meta({ problem });

/** A version of terms. Its type (string or number) is undocumented (unknowns: `policy-version-type`). */
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

/** A reply string with known values. Other values pass through. */
export const openEnum = (...known: readonly [string, ...string[]]) =>
  z.string().meta({ 'x-known-values': known });

/** A request string with known values. Other values are sent unchanged, because the documented set is incomplete. */
export const openChoice = (...known: readonly [string, ...string[]]) =>
  filledText.meta({ 'x-known-values': known });

/** An object with any fields. All keys are kept. */
export const anyObject = z.record(z.string(), z.unknown());

/** An id in a path. It must reach the service as one unchanged segment. */
export const pathId = text('pathId');

/** An integer id in a path. */
export const integerId = z
  .union([z.int().min(0), z.string().regex(patterns.digits)], { error: formats.integerId(undefined) })
  .meta({ check: 'integerId' });
