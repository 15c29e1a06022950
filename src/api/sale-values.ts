import * as z from 'zod';
import { anyObject, filledText, oneOf } from './common.js';

/** A person or location. Whether text or object is undocumented (unknowns: `party-shapes`). */
export const textOrObject = z.union([z.string(), anyObject]);

/** A person or location in a request. */
export const filledTextOrObject = oneOf([filledText, anyObject], 'must be a non-empty string or an object');

/**
 * A version of terms or payee in a reply. Its type (string or number) is undocumented (unknowns:
 * `policy-version-type`).
 */
export const versionLabel = z.union([z.string(), z.number()]);

/** Money that the service sends as integer paise. */
export const integerPaise = z.int().meta({ money: true });
