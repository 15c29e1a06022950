import type { Operation, VersionSource } from '../../src/api/operation.js';
import { inputType, isPartnerTyped, type Method } from './catalogue.js';
import { docComment } from './emit.js';
import { camel, capitalise, quoted } from './names.js';
import { descriptionOf, fieldsOf, mayBeLeftOut, type Spelling, typeOf } from './schema-type.js';
import { DOCUMENTED_ONLY, isPaged, sourceOf } from './wire.js';

/** What the methods of a file mention, and so must import. */
export interface Mentions extends Spelling {
  /** Types of `core/caller`. */
  readonly core: Set<string>;
  /** Pager classes, with what makes them and where. */
  readonly pagers: Map<string, { readonly maker: string; readonly from: string }>;
}

const optionTypes = { read: 'CallOptions', bid: 'BidOptions', command: 'MutationOptions' } as const;

/** The type by which a record replaces its id. */
const recordTypes: Readonly<Record<VersionSource['field'], string>> = {
  resource_version: 'VersionedRecord',
  inventory_version: 'VersionedVehicle',
};

/** A method with its docs. A versioned command takes the record in place of its id, and then needs no version. */
export function renderMethod(method: Method, mentions: Mentions): string {
  const { name, operation } = method;
  const { params = {}, query, body, versionFrom, effect } = operation;
  const { returns, callee } = targetOf(method, mentions);
  const optionType = optionTypes[effect];
  mentions.core.add(optionType);
  const options = `options?: ${optionType}`;
  const parameters = Object.entries(params).map(([param, schema]) => {
    const type = param === versionFrom?.param ? capitalise(camel(param)) : typeOf(schema, mentions);
    return `${camel(param)}: ${type}`;
  });
  if (query !== undefined)
    parameters.push(`query: ${typeOfInput('query')}${noneNeeded(query) ? ' = {}' : ''}`);
  const call = (rest: string) => `return ${callee}, ${argumentOf(operation)}, ${rest});`;
  const doc = methodDoc(operation);
  if (body === undefined)
    return `${doc}${name}(${[...parameters, options].join(', ')}): ${returns} {\n${call('options')}\n}\n`;
  const bodyType = typeOfInput('body');
  if (versionFrom === undefined) {
    const input = `body: ${bodyType}${noneNeeded(body) ? ' = {}' : ''}`;
    return `${doc}${name}(${[...parameters, input, options].join(', ')}): ${returns} {\n${call('options')}\n}\n`;
  }
  const record = recordTypes[versionFrom.field];
  const given = capitalise(camel(versionFrom.param));
  const head = `${doc}${name}<${given} extends string | ${record}>`;
  mentions.core.add(record);
  if (!noneNeeded(body, 'expected_version')) {
    mentions.core.add('BodyFor');
    const input = `body: BodyFor<${given}, ${bodyType}>`;
    return `${head}(${[...parameters, input, options].join(', ')}): ${returns} {\n${call('options')}\n}\n`;
  }
  // With the record, the body may be left out altogether.
  mentions.core.add('InputFor');
  const rest = `...[body = {}, options]: InputFor<${given}, ${bodyType}>`;
  return `${head}(${[...parameters, rest].join(', ')}): ${returns} {\n${call('options')}\n}\n`;

  function typeOfInput(part: 'query' | 'body'): string {
    const type = inputType(method, part);
    mentions.used.add(type);
    return part === 'body' && isPartnerTyped(method) ? `${type}<P>` : type;
  }
}

/** Whether every field of an input may be left out, but for one. */
function noneNeeded(input: NonNullable<Operation['body']>, but?: string): boolean {
  return fieldsOf(input).every(([name, field]) => name === but || mayBeLeftOut(field));
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
function targetOf({ operation }: Method, mentions: Mentions): { returns: string; callee: string } {
  const { id, name, envelope, reply } = operation;
  if (envelope === 'binary') mentions.core.add('BinaryReply');
  else if (reply === undefined) throw new Error(`${id} needs the schema of its JSON reply`);
  const type = reply === undefined ? 'BinaryReply' : typeOf(reply, mentions);
  if (!isPaged(operation)) return { returns: `Promise<${type}>`, callee: `this.#call<${type}>(${name}` };
  const cursor = envelope === 'cursor_page';
  const pager = cursor ? 'CursorPager' : 'Pager';
  const maker = cursor ? 'cursorPagerOf' : 'pagerOf';
  mentions.pagers.set(pager, { maker, from: cursor ? '../paging/cursor-pager.js' : '../paging/pager.js' });
  return { returns: `${pager}<${type}>`, callee: `${maker}<${type}>(this.#call, ${name}` };
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
      isPaged(operation) ? 'Returns a pager: nothing is sent before it is walked.' : undefined,
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
  return quoted(fieldsOf(schema).map(([name]) => name));
}
