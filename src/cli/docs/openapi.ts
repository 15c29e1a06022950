import { createRequire } from 'node:module';

/** A schema of the description, as far as a page shows it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly 'x-known-values'?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

interface Content {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Parameter {
  readonly $ref?: string;
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** One operation of the description. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly 'x-id': string;
  readonly 'x-status': 'callable' | 'documented' | 'planned';
  readonly 'x-scope'?: string;
  readonly 'x-actors'?: readonly string[];
  readonly 'x-effect'?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

/** The parts of `openapi.json` that pages show. */
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Content>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

/** Pages from the `openapi.json` of this package, as plain text. */
export class ApiPages {
  readonly #parts: Description['components'];
  /** Operations with their method and path. */
  readonly operations: readonly { readonly operation: Operation; readonly http: string }[];

  constructor() {
    // By the name of this package, so that the path is the same for the source and the build.
    const description: Description = createRequire(import.meta.url)('vehicle-auction-sdk/openapi.json');
    this.#parts = description.components;
    this.operations = Object.entries(description.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        operation,
        http: `${method.toUpperCase()} ${path}`,
      })),
    );
  }

  get modelNames(): readonly string[] {
    return Object.keys(this.#parts.schemas);
  }

  /** The page of an operation. */
  operation({ operation, http }: ApiPages['operations'][number]): string {
    const { summary, description, parameters = [], requestBody, responses } = operation;
    const status =
      operation['x-status'] === 'callable'
        ? []
        : [`Status: ${operation['x-status']}. It can't be called yet.`];
    const facts = Object.entries({
      Scope: operation['x-scope'],
      For: operation['x-actors']?.map((actor) => `${actor}s`).join(' and '),
      Effect: operation['x-effect'],
    }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
    const [success, errors] = [/^2/, /^[^2]/].map((wanted) =>
      Object.entries(responses).filter(([code]) => wanted.test(code)),
    );
    return paragraphs([
      [operation['x-id'], operation.operationId]
        .filter((name, at, all) => all.indexOf(name) === at)
        .join('  '),
      http,
      [summary, description, ...status].filter((text) => text !== undefined).join('\n'),
      facts.join('\n'),
      fields(
        'Parameters',
        parameters.map((each) => this.#parameter(each)),
      ),
      requestBody && this.#content('Body', requestBody),
      ...(success ?? []).map(([code, reply]) => this.#content(`Reply ${code}`, reply)),
      fields(
        'Errors',
        (errors ?? []).map(([code, reply]) => [code, this.#resolved(reply).description ?? '']),
      ),
    ]);
  }

  schema(name: string): Schema {
    return this.#parts.schemas[name] ?? {};
  }

  /** The page of a model. */
  model(name: string): string {
    const schema = this.schema(name);
    return paragraphs([name, schema.description, this.#fieldsOf('Fields', schema) || typeOf(schema)]);
  }

  #parameter(given: Parameter): Field {
    const { name, in: where, required, schema, description } = this.#resolved(given);
    return [`${name}${required === true ? '' : '?'}`, `${typeOf(schema)}, in the ${where}`, description];
  }

  #content(title: string, given: Content): string {
    const { description, content = {} } = this.#resolved(given);
    const [[type, { schema }] = ['', { schema: {} }]] = Object.entries(content);
    const head = [
      title,
      type === 'application/json' ? '' : type,
      description === 'Success.' ? '' : description,
    ];
    return this.#fieldsOf(head.filter((part) => part).join(': '), schema);
  }

  /** Fields of an object, and of the objects directly in it. */
  #fieldsOf(title: string, given: Schema): string {
    const { properties = {}, required = [], allOf = [] } = this.#resolved(given);
    const own = Object.entries(properties).map(([name, schema]): Field => {
      const mark = required.includes(name) ? '' : '?';
      return [`${name}${mark}`, typeOf(schema), schema.description];
    });
    const inside = Object.values(properties)
      .map((schema) => schema.items ?? schema)
      .filter(({ $ref }) => $ref !== undefined)
      .map((schema) => this.#fieldsOf(referencedName(schema), schema));
    return paragraphs([fields(title, own), ...inside, ...allOf.map((part) => this.#fieldsOf(title, part))]);
  }

  /** Follows a reference. */
  #resolved<T extends Schema | Content | Parameter>(part: T): T {
    const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(part.$ref ?? '') ?? [];
    return Object(this.#parts)[kind]?.[name] ?? part;
  }
}

/** Name, type and meaning. */
type Field = readonly [name: string, type: string, meaning?: string | undefined];

function fields(title: string, rows: readonly Field[]): string {
  const lines = rows.map(
    ([name, type, meaning]) => `  ${name}: ${type}${meaning ? `\n      ${meaning}` : ''}`,
  );
  return lines.length === 0 ? '' : [title, ...lines].join('\n');
}

/** Joins the paragraphs that exist, with an empty line between them. */
function paragraphs(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part).join('\n\n');
}

function referencedName({ $ref = '' }: Schema): string {
  return $ref.split('/').at(-1) ?? '';
}

/** A type as text, such as `'open' | 'closed'` or `Bid[]`. */
function typeOf(schema: Schema): string {
  const { type = 'any value', format, items } = schema;
  if (schema.$ref !== undefined) return referencedName(schema);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const values = schema.enum ?? schema['x-known-values'];
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' | ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  const named = typeof type === 'string' ? type : type.join(' | ');
  return format === undefined ? named : `${named} (${format})`;
}
