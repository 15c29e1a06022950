import type { z } from 'zod';
import { docComment } from './emit.js';
import { meaningOf } from './schema-type.js';

/** What a field means, and where the API text has it. */
export function fieldDoc(owner: string, name: string, schema: z.ZodType, section: string): string {
  const meaning = meaningOf(schema);
  if (meaning === undefined) throw new Error(`${owner}.${name} has no description`);
  return docComment([`${meaning} (API: ${section})`], '  ');
}
