import type { Actor, Operation, Resource, VersionSource } from '../../src/api/operation.js';
import {
  type Catalogue,
  DOCUMENTED_ONLY,
  hasTextId,
  inputType,
  isPaged,
  isPartnerTyped,
  type Method,
  methodsOf,
  sourceOf,
} from './catalogue.js';
import { descriptionOf, mayBeLeftOut, schemaFields, typeOf } from './schema-type.js';
import { camel, capitalise, docComment, quoted } from './text.js';

/** The classes of a resource: one for what both actors may call, a subclass for what only one of them may call. */
export function renderClasses(resource: Resource, catalogue: Catalogue): string[] {
  return classesOf(resource).map((own) => renderClass(own, catalogue));
}

function renderClass(own: ResourceClass, catalogue: Catalogue): string {
  const { resource, audience, base } = own;
  const generic = own.partnerTyped ? '<P extends PartnerType = PartnerType>' : '';
  const heritage = base === undefined ? '' : ` extends ${base}`;
  const who = audience === 'both' ? '' : ` As a ${audience} calls it.`;
  const id = own.methods.map(({ operation }) => operation.id).find(hasTextId);
  const lookup = id && `To look up an id, such as ${id}: \`npx vehicle-auction-sdk docs ${id}\`.`;
  return `${docComment([resource.summary + who, lookup])}export class ${own.name}${generic}${heritage} {
  readonly #call: Caller;

  /** @internal */
  constructor(call: Caller) {
${base === undefined ? '' : '    super(call);\n'}    this.#call = call;
  }

${own.methods.map((method) => renderMethod(method, catalogue)).join('\n')}}
`;
}

/** Who may call a method. */
type Audience = 'both' | Actor;

function audienceOf({ operation }: Method): Audience {
  const [only, other] = operation.actors ?? [];
  return only === undefined || other !== undefined ? 'both' : only;
}

/** One class of a resource: what both actors may call, or what only one of them may call. */
type ResourceClass = ReturnType<typeof classesOf>[number];

/** The classes of a resource, the shared one first. If it has only one, that has the plain name, whoever may call it. */
export function classesOf(resource: Resource) {
  const methods = methodsOf(resource);
  const audiences = (['both', 'partner', 'bank'] as const).filter((audience) =>
    methods.some((method) => audienceOf(method) === audience),
  );
  const plain = capitalise(resource.name);
  return audiences.map((audience) => {
    const own = methods.filter((method) => audienceOf(method) === audience);
    const alone = audience === 'both' || audiences.length === 1;
    return {
      name: alone ? plain : capitalise(audience) + plain,
      resource,
      audience,
      methods: own,
      /** The class that it extends. */
      base: !alone && audiences.includes('both') ? plain : undefined,
      /** Whether its bids depend on the kind of partner. */
      partnerTyped: own.some(isPartnerTyped),
    };
  });
}

const optionTypes = { read: 'CallOptions', bid: 'BidOptions', command: 'MutationOptions' } as const;

/** The type by which a record replaces its id. */
const recordTypes: Readonly<Record<VersionSource['field'], string>> = {
  resource_version: 'VersionedRecord',
  inventory_version: 'VersionedVehicle',
};

/** A method with its docs. A versioned command takes the record in place of its id, and then needs no version. */
function renderMethod(method: Method, catalogue: Catalogue): string {
  const { name, operation } = method;
  const { params = {}, query, body, versionFrom, effect } = operation;
  const { returns, callee } = resultOf(method, catalogue);
  const optionType = optionTypes[effect];
  const options = `options?: ${optionType}`;
  const parameters = Object.entries(params).map(([param, schema]) => {
    const type = param === versionFrom?.param ? capitalise(camel(param)) : typeOf(schema, catalogue);
    return `${camel(param)}: ${type}`;
  });
  if (query !== undefined)
    parameters.push(`query: ${typeOfInput('query')}${noneNeeded(query) ? ' = {}' : ''}`);
  const doc = methodDoc(operation);
  const render = (generic: string, inputs: readonly string[]) =>
    `${doc}${name}${generic}(${[...parameters, ...inputs].join(', ')}): ${returns} {
return ${callee}, ${argumentOf(operation)}, options);\n}\n`;
  if (body === undefined) return render('', [options]);
  const bodyType = typeOfInput('body');
  if (versionFrom === undefined)
    return render('', [`body: ${bodyType}${noneNeeded(body) ? ' = {}' : ''}`, options]);
  const record = recordTypes[versionFrom.field];
  const given = capitalise(camel(versionFrom.param));
  const generic = `<${given} extends string | ${record}>`;
  // With the record, a body that needs nothing else may be left out altogether.
  const bodyOnly = !noneNeeded(body, 'expected_version');
  return bodyOnly
    ? render(generic, [`body: BodyFor<${given}, ${bodyType}>`, options])
    : render(generic, [`...[body = {}, options]: InputFor<${given}, ${bodyType}>`]);

  function typeOfInput(part: 'query' | 'body'): string {
    const type = inputType(method, part);
    return part === 'body' && isPartnerTyped(method) ? `${type}<P>` : type;
  }
}

/** Whether every field of an input may be left out, but for one. */
function noneNeeded(input: NonNullable<Operation['body']>, but?: string): boolean {
  return schemaFields(input).every(([name, field]) => name === but || mayBeLeftOut(field));
}

/** What is handed to the caller port, by where it travels. */
function argumentOf({ params = {}, query, body }: Operation): string {
  const path = Object.keys(params).map((param) =>
    camel(param) === param ? param : `${param}: ${camel(param)}`,
  );
  const parts = [
    ...(path.length === 0 ? [] : [`path: { ${path.join(', ')} }`]),
    ...(query === undefined ? [] : ['query']),
    ...(body === undefined ? [] : ['body']),
  ];
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

/** What a method returns, and the beginning of the call that makes it. */
function resultOf({ operation }: Method, catalogue: Catalogue): { returns: string; callee: string } {
  const { id, name, envelope, reply } = operation;
  if (envelope !== 'binary' && reply === undefined)
    throw new Error(`${id} needs the schema of its JSON reply`);
  const type = reply === undefined ? 'BinaryReply' : typeOf(reply, catalogue);
  if (!isPaged(operation)) return { returns: `Promise<${type}>`, callee: `this.#call<${type}>(${name}` };
  const pager = envelope === 'cursor_page' ? 'CursorPager' : 'Pager';
  const maker = envelope === 'cursor_page' ? 'cursorPager' : 'pager';
  return { returns: `${pager}<${type}>`, callee: `this.#call.${maker}<${type}>(${name}` };
}

/** Codes that every command, or every call that names a record, can meet; not worth a line each time. */
const commonplace: readonly string[] = ['NOT_FOUND', 'IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT'];

function methodDoc(operation: Operation): string {
  const { params = {}, query, body, effect, refusals, versionFrom } = operation;
  const own = refusals.filter((code) => !commonplace.includes(code));
  const key = effect === 'read' ? '' : '; the idempotency key';
  return docComment(
    [
      operation.summary,
      ...(operation.availability === 'documented' ? [DOCUMENTED_ONLY] : []),
      isPaged(operation) ? 'Returns a pager: nothing is sent until you iterate it.' : undefined,
      ...(operation.notes ?? []),
      ...(operation.hints ?? []),
      own.length === 0 ? undefined : `Specific codes: ${quoted(own)}.`,
      `API: ${sourceOf(operation)}, scope \`${operation.scope}\`; "${operation.section}".`,
      ...Object.entries(params).map(([param, schema]) => {
        const alternative =
          param === versionFrom?.param
            ? ` Or the record as it was read or returned: its id, and its \`${versionFrom.field}\` as \`expected_version\`.`
            : '';
        return `@param ${camel(param)} ${descriptionOf(schema) ?? ''}${alternative}`;
      }),
      query && `@param query What to ask for: ${fieldNames(query)}.`,
      body && `@param body What to send: ${fieldNames(body)}.`,
      `@param options Signal, timeout, deadline, attempts and lane of this call${key}.`,
    ],
    '  ',
  );
}

function fieldNames(schema: NonNullable<Operation['body']>): string {
  return quoted(schemaFields(schema).map(([name]) => name));
}
