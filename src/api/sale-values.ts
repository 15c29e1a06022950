import * as z from 'zod';
import { anyObject, filledText, oneOf } from './common.js';

/** Who or where: a text or an object, which of them is undocumented (unknowns: `party-shapes`). */
export const textOrObject = z.union([z.string(), anyObject]);

/** The same as the caller sends it. */
export const filledTextOrObject = oneOf(
  [filledText, anyObject],
  'must be a text that is not empty, or an object',
);

/** A version of terms or payee in a reply: string or number is undocumented (unknowns: `policy-version-type`). */
export const versionLabel = z.union([z.string(), z.number()]);

/** Money that the service sends as integer paise. */
export const integerPaise = z.int().meta({ money: true });
