import * as z from 'zod';
import { openEnum } from './common.js';
import { optional } from './fields.js';

interface RecordFacts<Data extends z.ZodObject> {
  /** Wire value of `kind`. */
  readonly kind: string;
  /** Documented states. Others pass through. */
  readonly states?: readonly [string, ...string[]];
  readonly data: Data;
  /** Noun phrase with article, such as `a sale`. */
  readonly what: string;
  /** Use of `resource_version`. Omitted if no command sends it. */
  readonly version?: string;
}

/**
 * The schema of a workflow record (Resources, Workflow record). `data` may come as an empty array if nothing is
 * recorded, so it is optional, and so is every field in it.
 */
/** Description of `resource_version` of records that commands send as `expected_version`. */
export const sentVersion = 'Version of this record; commands on it send it as `expected_version`.';

export function workflowRecord<Data extends z.ZodObject>({
  kind,
  states,
  data,
  what,
  version = 'Version of this record; no command sends it.',
}: RecordFacts<Data>) {
  const state = states === undefined ? z.string() : openEnum(...states);
  return z
    .object({
      id: z.string().describe(`Id of ${what}.`),
      kind: optional.of(openEnum(kind), 'Kind of record.'),
      state: state.describe(
        states === undefined
          ? 'State of the record; the values are undocumented.'
          : 'State of the record; unknown states pass through.',
      ),
      resource_version: z.int().describe(version),
      data: optional.of(data, 'Data of the record.'),
      created_at: optional.text('Creation, ISO 8601.'),
      updated_at: optional.text('Last change, ISO 8601.'),
    })
    .meta({
      title: `${what.charAt(0).toUpperCase()}${what.slice(1)}, as a workflow record.`,
      section: 'Workflow record',
    });
}
