import * as z from 'zod';
import { money } from './common.js';

/** One-line field schemas with type and description. */

/** An optional field. */
export const optional = {
  text: (description: string) => z.string().optional().describe(description),
  int: (description: string) => z.int().optional().describe(description),
  flag: (description: string) => z.boolean().optional().describe(description),
  money: (description: string) => money.optional().describe(description),
  of: <Schema extends z.ZodType>(schema: Schema, description: string) =>
    schema.optional().describe(description),
};

/** An optional, nullable field of a reply. */
export const nullable = {
  text: (description: string) => z.string().nullable().optional().describe(description),
  int: (description: string) => z.int().nullable().optional().describe(description),
  money: (description: string) => money.nullable().optional().describe(description),
  of: <Schema extends z.ZodType>(schema: Schema, description: string) =>
    schema.nullable().optional().describe(description),
};
