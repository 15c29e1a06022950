import type { VersionSource } from '../../src/api/operation.js';
import { callName, inputType, isPartnerTyped, type Method } from './catalogue.js';
import { call } from './emit.js';
import { methodDoc, recordDoc } from './method-docs.js';
import { camel } from './names.js';
import { fieldsOf, mayBeLeftOut, type Spelling, typeOf } from './schema-type.js';
import { isPaged } from './wire.js';

/** What the methods of a file mention, and so must import. */
export interface Mentions extends Spelling {
  readonly catalogue: Spelling['catalogue'];
  /** Types of `core/caller`. */
  readonly core: Set<string>;
  /** Pager classes, with what makes them and where. */
  readonly pagers: Map<string, Pagers>;
}

interface Pagers {
  readonly maker: string;
  readonly from: string;
}

const optionTypes = { read: 'CallOptions', bid: 'BidOptions', command: 'MutationOptions' } as const;

/** The type by which a record stands in for its id. */
const recordTypes: Readonly<Record<VersionSource['field'], string>> = {
  resource_version: 'VersionedRecord',
  inventory_version: 'VersionedVehicle',
};

/** A method with its docs; a versioned command with an overload that takes the record in place of its id. */
export function renderMethod(method: Method, mentions: Mentions): string {
  const { name, operation } = method;
  const { returns, callee, caller } = renderTarget(method, mentions);
  const parameters = parametersOf(method, mentions);
  const body = call(
    `return ${callee}`,
    [...caller, callName(method), argumentOf(method), 'options'],
    ';',
    '    ',
  );
  const declare = (doc: string, list: readonly string[], end: string) =>
    `${doc}${call(name, list, `: ${returns}${end}`, '  ')}`;
  const { versionFrom } = operation;
  if (versionFrom === undefined) {
    return `${declare(methodDoc(method), spell(parameters, 'id', true), ' {')}${body}  }\n`;
  }
  mentions.core.add('Unversioned').add(recordTypes[versionFrom.field]);
  return [
    declare(methodDoc(method), spell(parameters, 'id', false), ';'),
    declare(recordDoc(method, versionFrom), spell(parameters, 'record', false), ';'),
    declare('', spell(parameters, 'either', true), ' {'),
    body,
    '  }\n',
  ].join('');
}

/** How the record of a versioned command is given. */
type Given = 'id' | 'record' | 'either';

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly optional: boolean;
  /** What it is where the record is passed, and where either is; as with the id when left out. */
  readonly withRecord?: { readonly type: string; readonly either: string; readonly optional: boolean };
}

/** Defaults stand where there is code; a declaration of an overload has a question mark instead. */
function spell(parameters: readonly Parameter[], given: Given, isCode: boolean): string[] {
  return parameters.map(({ name, type: plain, optional: byDefault, withRecord }) => {
    const special = given === 'id' ? undefined : withRecord;
    const type = (given === 'either' ? special?.either : special?.type) ?? plain;
    const optional = special?.optional ?? byDefault;
    if (name === 'options' || (optional && !isCode)) return `${name}?: ${type}`;
    return `${name}: ${type}${optional ? ' = {}' : ''}`;
  });
}

function parametersOf(method: Method, mentions: Mentions): Parameter[] {
  const { operation } = method;
  const { versionFrom } = operation;
  const parameters = Object.entries(operation.params ?? {}).map(([param, schema]): Parameter => {
    const plain = { name: camel(param), type: typeOf(schema, mentions), optional: false };
    if (param !== versionFrom?.param) return plain;
    const type = recordTypes[versionFrom.field];
    return { ...plain, withRecord: { type, either: `${plain.type} | ${type}`, optional: false } };
  });
  if (operation.query !== undefined) {
    const type = inputType(method, 'query');
    mentions.used.add(type);
    const fields = fieldsOf(operation.query);
    parameters.push({ name: 'query', type, optional: fields.every(([, field]) => mayBeLeftOut(field)) });
  }
  if (operation.body !== undefined) {
    const name = inputType(method, 'body');
    mentions.used.add(name);
    const needed = fieldsOf(operation.body).filter(([, field]) => !mayBeLeftOut(field));
    const type = `${name}${isPartnerTyped(method) ? '<P>' : ''}`;
    const unversioned = `Unversioned<${type}>`;
    const rest = needed.filter(([field]) => field !== 'expected_version');
    parameters.push({
      name: 'body',
      type,
      optional: needed.length === 0,
      ...(versionFrom !== undefined && {
        withRecord: { type: unversioned, either: unversioned, optional: rest.length === 0 },
      }),
    });
  }
  const options = optionTypes[operation.effect];
  mentions.core.add(options);
  return [...parameters, { name: 'options', type: options, optional: true }];
}

/** What is handed to the caller port, by where it travels. */
function argumentOf({ operation }: Method): string {
  const path = Object.keys(operation.params ?? {}).map((param) =>
    camel(param) === param ? param : `${param}: ${camel(param)}`,
  );
  const parts = [
    ...(path.length === 0 ? [] : [`path: { ${path.join(', ')} }`]),
    ...(operation.query === undefined ? [] : ['query']),
    ...(operation.body === undefined ? [] : ['body']),
  ];
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}

interface Target {
  readonly returns: string;
  readonly callee: string;
  /** What comes before the operation: the caller port, where a pager makes the calls. */
  readonly caller: readonly string[];
}

function renderTarget({ operation }: Method, mentions: Mentions): Target {
  const { id, envelope, reply } = operation;
  if (envelope === 'binary') mentions.core.add('BinaryReply');
  else if (reply === undefined) throw new Error(`${id} needs the schema of its JSON reply`);
  const type = reply === undefined ? 'BinaryReply' : typeOf(reply, mentions);
  if (!isPaged(operation)) {
    return { returns: `Promise<${type}>`, callee: `this.#call<${type}>`, caller: [] };
  }
  const cursor = envelope === 'cursor_page';
  const pager = cursor ? 'CursorPager' : 'Pager';
  const maker = cursor ? 'cursorPagerOf' : 'pagerOf';
  mentions.pagers.set(pager, { maker, from: cursor ? '../paging/cursor-pager.js' : '../paging/pager.js' });
  return { returns: `${pager}<${type}>`, callee: `${maker}<${type}>`, caller: ['this.#call'] };
}
