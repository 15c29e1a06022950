import { z } from 'zod';
import type { Catalogue } from './catalogue.js';
import type { Json } from './openapi-fixed.js';

/** What the SDK notes on a schema for itself, and what no reader of the document should see. */
const ownMeta = [
  'filled',
  'hint',
  'id',
  'file',
  'check',
  'money',
  'problem',
  'numericMoney',
  'open',
  'partnerBid',
  'platformOnly',
  'section',
] as const;

/** Keywords that schemas are written with; anything else on one is a note that was forgotten above. */
const keywords = new Set(
  '$ref allOf anyOf oneOf const enum type format pattern minimum maximum exclusiveMinimum minLength maxLength minItems items properties required additionalProperties propertyNames description contentEncoding'.split(
    ' ',
  ),
);

export interface SchemaWriter {
  /** Named schemas, as they came up. */
  readonly components: Record<string, Json>;
  /** A schema as JSON Schema 2020-12, with named ones moved to `components`. */
  write(schema: z.ZodType): Json;
  /** A component of its own, such as a body; `extra` fields come first and are required. Returns the reference. */
  component(name: string, schema: z.ZodObject, extra?: Readonly<Record<string, Json>>): Json;
  /** The same, of a schema that is written already. */
  add(name: string, written: Json): Json;
}

export function schemaWriter({ models }: Pick<Catalogue, 'models'>): SchemaWriter {
  const registry = new NamedRegistry(new Map(models.map(({ name, schema }) => [schema, name])));
  const components: Record<string, Json> = {};

  function write(schema: z.ZodType): Json {
    const {
      $schema: _,
      $defs,
      ...root
    } = z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: 'any',
      metadata: registry,
      override: ({ jsonSchema }) => tidy(jsonSchema),
    });
    for (const [name, definition] of Object.entries($defs ?? {})) components[name] = relocated(definition);
    const name = registry.nameOf(schema);
    if (name === undefined) return relocated(root);
    if ($defs === undefined || !(name in $defs)) components[name] = relocated(root);
    return { $ref: `#/components/schemas/${name}` };
  }

  function add(name: string, written: Json): Json {
    components[name] = written;
    return { $ref: `#/components/schemas/${name}` };
  }

  return {
    components,
    write,
    add,
    component(name, schema, extra = {}) {
      const written = write(schema) as {
        readonly properties?: Record<string, Json>;
        readonly required?: Json[];
      };
      return add(name, {
        ...written,
        properties: { ...extra, ...written.properties },
        required: [...Object.keys(extra), ...(written.required ?? [])],
      });
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

  nameOf(schema: unknown): string | undefined {
    return this.#names.get(schema);
  }

  override get<S extends z.core.$ZodType>(schema: S): z.core.$replace<z.core.GlobalMeta, S> | undefined {
    const notes = z.globalRegistry.get(schema);
    const id = this.nameOf(schema);
    return id === undefined ? notes : { ...notes, id };
  }
}

/** @throws Error for a note that is neither JSON Schema nor known as one of ours. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  // zod bounds integers by what a double holds; the service has no such bound.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // The SDK refuses fields that it doesn't know; that the service does is not said.
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  // A title would become the name of a type in other languages.
  if (schema.title !== undefined && schema.type === 'object') schema.description ??= schema.title;
  delete schema.title;
  if (schema['file'] === true) schema['contentEncoding'] = 'base64';
  if (typeof schema['open'] === 'string') schema.additionalProperties = { description: schema['open'] };
  for (const key of ownMeta) delete schema[key];
  const strange = Object.keys(schema).find((key) => !keywords.has(key) && !key.startsWith('x-'));
  if (strange !== undefined) throw new Error(`"${strange}" is no keyword of JSON Schema that is used here`);
}

/** What zod wrote, with references to `components`, and without what says nothing. */
function relocated(schema: unknown): Json {
  return simple(JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')));
}

function simple(json: Json): Json {
  if (isList(json)) return json.map(simple);
  if (!isObject(json)) return json;
  const kept: Record<string, Json> = {};
  for (const [key, value] of Object.entries(json)) {
    // Keys of JSON objects are strings.
    if (key === 'propertyNames' && JSON.stringify(value) === '{"type":"string"}') continue;
    kept[key] = key === 'anyOf' && isList(value) ? value.map(simple).flatMap(membersOf) : simple(value);
  }
  return kept;
}

/** A union inside a union is one union. */
function membersOf(member: Json): readonly Json[] {
  if (!isObject(member)) return [member];
  const { anyOf, ...rest } = member;
  return anyOf !== undefined && isList(anyOf) && Object.keys(rest).length === 0 ? anyOf : [member];
}

type JsonObject = { readonly [key: string]: Json };

function isObject(json: Json): json is JsonObject {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function isList(json: Json): json is readonly Json[] {
  return Array.isArray(json);
}
