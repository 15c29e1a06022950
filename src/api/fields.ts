import * as z from 'zod';
import { money } from './common.js';

/** Fields in one line: what they hold, and what they mean. */

/** A field that may be left out. */
export const optional = {
  text: (description: string) => z.string().optional().describe(description),
  int: (description: string) => z.int().optional().describe(description),
  flag: (description: string) => z.boolean().optional().describe(description),
  money: (description: string) => money.optional().describe(description),
  of: <Schema extends z.ZodType>(schema: Schema, description: string) =>
    schema.optional().describe(description),
};

/** A field of a reply that may be left out, or null. */
export const nullable = {
  text: (description: string) => z.string().nullable().optional().describe(description),
  int: (description: string) => z.int().nullable().optional().describe(description),
  money: (description: string) => money.nullable().optional().describe(description),
  of: <Schema extends z.ZodType>(schema: Schema, description: string) =>
    schema.nullable().optional().describe(description),
};
