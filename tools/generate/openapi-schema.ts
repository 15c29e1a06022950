import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Catalogue } from './catalogue.js';

/** JSON, as the document is written. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What is the same whatever the operations are: headers, shapes of errors, descriptions of statuses, parameters of deliveries. */
export const fixed: {
  readonly servers: Json;
  readonly security: Json;
  readonly securitySchemes: Json;
  readonly errorSchemas: Readonly<Record<string, Json>>;
  readonly webhookTag: { readonly name: string; readonly description: string };
  readonly deliveryParameters: Readonly<Record<string, Json>>;
  readonly headers: Readonly<Record<'idempotencyKey' | 'replayed' | 'retryAfter', Json>>;
  /** What a status of failure means on any call, and one of success on a bid. */
  readonly statuses: Readonly<Record<number, string>>;
  readonly bidStatuses: Readonly<Record<number, string>>;
  readonly challengeAnswer: Json;
} = JSON.parse(readFileSync(new URL('openapi-fixed.json', import.meta.url), 'utf8'));

/** What an operation was sent and answered in the sandbox, by its name (`npm run examples`). */
export const examples: Readonly<Record<string, { readonly request?: Json; readonly reply: Json }>> =
  JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8'));

/** How to call the service, for readers who have the document and nothing else. */
export const about = readFileSync(new URL('openapi-about.md', import.meta.url), 'utf8').trim();

/** What a schema of the document says; any other note on a schema is the SDK's own. */
const keywords = new Set(
  'id $ref allOf anyOf oneOf const enum type format pattern minimum maximum exclusiveMinimum minLength maxLength minItems items properties required additionalProperties description contentEncoding x-known-values'.split(
    ' ',
  ),
);

export interface SchemaWriter {
  /** Named schemas: the models at first. */
  readonly components: Record<string, Json>;
  /** A schema as JSON Schema 2020-12; a model is a reference to its component. */
  write(schema: z.ZodType): Json;
  /** A component of its own, such as a body; `extra` fields come first and are required. Returns the reference. */
  component(name: string, schema: z.ZodObject, extra?: Readonly<Record<string, Json>>): Json;
  /** The same, of a schema that is written already. */
  add(name: string, written: Json): Json;
}

export function schemaWriter({ models }: Pick<Catalogue, 'models'>): SchemaWriter {
  const names = new Map<unknown, string>(models.map(({ name, schema }) => [schema, name]));
  const registry = new NamedRegistry(names);
  const written = (schema: z.ZodType) => {
    const {
      $schema: _,
      $defs,
      id: __,
      ...root
    } = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      metadata: registry,
      override: ({ jsonSchema }) => tidy(jsonSchema),
    });
    // A model that its own fields lead back to is among the definitions, too.
    const own = $defs?.[names.get(schema) ?? ''] ?? root;
    return JSON.parse(JSON.stringify(own).replaceAll('"#/$defs/', '"#/components/schemas/'));
  };
  const components = Object.fromEntries(models.map(({ name, schema }) => [name, written(schema)]));
  const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const add = (name: string, schema: Json) => {
    components[name] = schema;
    return reference(name);
  };
  return {
    components,
    add,
    write(schema) {
      const name = names.get(schema);
      return name === undefined ? written(schema) : reference(name);
    },
    component(name, schema, extra = {}) {
      const { properties, required = [], ...rest } = written(schema);
      const all = [...Object.keys(extra), ...required];
      return add(name, { ...rest, properties: { ...extra, ...properties }, required: all });
    },
  };
}

/** The notes on every schema as zod keeps them, with the names of models as ids; zod's own registry stays as it is. */
class NamedRegistry extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  readonly #names: ReadonlyMap<unknown, string>;

  constructor(names: ReadonlyMap<unknown, string>) {
    super();
    this.#names = names;
  }

  override get<S extends z.core.$ZodType>(schema: S): z.core.$replace<z.core.GlobalMeta, S> | undefined {
    const notes = z.globalRegistry.get(schema);
    const id = this.#names.get(schema);
    return id === undefined ? notes : { ...notes, id };
  }
}

/** Takes out what zod and the SDK add, and puts in what the SDK notes of a schema for the document. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  // zod bounds integers by what a double holds; the service has no such bound.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // The SDK refuses fields that it doesn't know; that the service does is not said.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  // A title would become the name of a type in other languages.
  if (schema.title !== undefined && schema.type === 'object') schema.description ??= schema.title;
  if (schema['file'] === true) schema['contentEncoding'] = 'base64';
  if (typeof schema['open'] === 'string') schema.additionalProperties = { description: schema['open'] };
  // A union inside a union is one union.
  if (schema.anyOf !== undefined) schema.anyOf = schema.anyOf.flatMap((member) => member.anyOf ?? [member]);
  for (const key of Object.keys(schema)) if (!keywords.has(key)) delete schema[key];
}
