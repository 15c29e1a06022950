import { type InputIssue, InvalidRequestError } from '../errors/local.js';
import type { InventoryCreateVehicleBody, InventorySchema } from '../generated/inventory.js';
import { checkedValue, readSchemaFields, type SchemaField } from './schema.js';
import type { ImportOptions, UnreadableVehicle, VehicleFileRow, VehicleRow, VehicleSource } from './types.js';

export const IMPORT = { call: 'inventory.import', operation: 'inventory.import' } as const;

/** Labels in a message. */
const SHOWN = 40;

/** A row with the vehicle that it describes, or with what is wrong with it. */
export interface CheckedRow {
  readonly position: number;
  readonly line?: number;
  readonly externalId?: string;
  readonly title?: string;
  readonly body?: InventoryCreateVehicleBody;
  readonly issues: readonly InputIssue[];
}

type Read = { readonly line?: number; readonly values?: VehicleRow; readonly issues: readonly InputIssue[] };

/** Reads all rows. They are copied, because a source may reuse one object. @throws what the source throws */
export async function readRows(source: VehicleSource): Promise<readonly Read[]> {
  const isFile = Object(source).isVehicleFile === true;
  const rows: Read[] = [];
  for await (const row of source) {
    const given: unknown = row;
    if (isFile) rows.push(ofFile(row as VehicleFileRow | UnreadableVehicle));
    else if (typeof given === 'object' && given !== null && !Array.isArray(given)) {
      rows.push({ values: { ...given }, issues: [] });
    } else rows.push({ issues: [{ path: 'row', message: 'must be an object of values by column' }] });
  }
  return rows;
}

function ofFile(row: VehicleFileRow | UnreadableVehicle): Read {
  const line = row.line === undefined ? {} : { line: row.line };
  return 'issues' in row ? { ...line, issues: row.issues } : { ...line, values: row.values, issues: [] };
}

/** The meaning of a column. */
type Target = { readonly field: SchemaField } | 'external_id' | 'title' | 'ignored';

/** Checks every row against a schema. @throws InvalidRequestError for columns that no field fits */
export function checkRows(
  rows: readonly Read[],
  schema: InventorySchema,
  map: ImportOptions['map'] = {},
): readonly CheckedRow[] {
  const targets = targetsOf(rows, readSchemaFields(schema), map);
  const seen = new Map<string, number>();
  return rows.map((row, index) => {
    const position = index + 1;
    const facts = { position, ...(row.line !== undefined && { line: row.line }) };
    if (row.values === undefined) return { ...facts, issues: row.issues };
    const { externalId, title, values, issues } = vehicleIn(row.values, targets);
    const earlier = seen.get(externalId ?? '');
    if (externalId !== undefined) {
      if (earlier === undefined) seen.set(externalId, position);
      else issues.push({ path: 'external_id', message: `repeats that of row ${earlier}` });
    }
    const named = {
      ...facts,
      ...(externalId !== undefined && { externalId }),
      ...(title !== undefined && { title }),
    };
    if (issues.length > 0 || externalId === undefined || title === undefined) return { ...named, issues };
    const { schema_version } = schema;
    return { ...named, issues, body: { title, external_id: externalId, schema_version, values } };
  });
}

function vehicleIn(row: VehicleRow, targets: ReadonlyMap<string, Target>) {
  const issues: InputIssue[] = [];
  const named: { external_id?: string; title?: string } = {};
  const values = new Map<string, unknown>();
  for (const [column, given] of Object.entries(row)) {
    const target = targets.get(column);
    if (target === undefined || target === 'ignored' || given === undefined || given === '') continue;
    if (target === 'external_id' || target === 'title') {
      if (typeof given === 'string') named[target] = given;
      else issues.push({ path: column, message: 'must be a text' });
      continue;
    }
    const checked = checkedValue(target.field, given);
    if ('problem' in checked) issues.push({ path: column, message: checked.problem });
    else values.set(target.field.id, checked.value);
  }
  for (const name of ['external_id', 'title'] as const) {
    const column = [...targets].find(([, target]) => target === name)?.[0] ?? name;
    if (named[name] === undefined && !issues.some(({ path }) => path === column)) {
      issues.push({ path: column, message: 'is missing' });
    }
  }
  return { externalId: named.external_id, title: named.title, values: Object.fromEntries(values), issues };
}

function targetsOf(
  rows: readonly Read[],
  fields: readonly SchemaField[],
  map: NonNullable<ImportOptions['map']>,
): ReadonlyMap<string, Target> {
  const columns = new Set(rows.flatMap(({ values }) => Object.keys(values ?? {})));
  const issues: InputIssue[] = [];
  const targets = new Map<string, Target>();
  for (const column of Object.keys(map)) {
    if (!columns.has(column))
      issues.push({ path: `options.map.${column}`, message: 'names a column that no row has' });
  }
  for (const column of columns) {
    const isMapped = Object.hasOwn(map, column);
    const name = isMapped ? map[column] : column;
    const found = name === null ? 'ignored' : columnTarget(String(name), fields, isMapped);
    const path = isMapped ? `options.map.${column}` : column;
    if (typeof found === 'object' && 'problem' in found) issues.push({ path, message: found.problem });
    else if ([...targets.values()].some((other) => found !== 'ignored' && isSameTarget(other, found))) {
      issues.push({ path, message: `holds the same as another column: ${JSON.stringify(name)}` });
    } else targets.set(column, found);
  }
  if (issues.length === 0 || columns.size === 0) return targets;
  throw new InvalidRequestError(issues, { ...IMPORT, nextStep: mapAdvice(fields) });
}

/** What a column can be mapped to, with the labels of the schema. */
function mapAdvice(fields: readonly SchemaField[]): string {
  const names = fields.map(({ id, label }) => JSON.stringify(label ?? id));
  const more = names.length > SHOWN ? `, and ${names.length - SHOWN} more` : '';
  const labels = names.length === 0 ? '' : ` (${names.slice(0, SHOWN).join(', ')}${more})`;
  return `Name the columns in \`map\`: external_id, title, null to ignore one, or the label or id of a field${labels}.`;
}

function columnTarget(
  name: string,
  fields: readonly SchemaField[],
  isMapped: boolean,
): Target | { readonly problem: string } {
  if (name === 'external_id' || name === 'title') return name;
  const byId = fields.find(({ id }) => id === name);
  if (byId !== undefined) return { field: byId };
  const plain = plainName(name);
  const [field, ...others] = fields.filter(({ label }) => label !== undefined && plainName(label) === plain);
  if (others.length > 0) return { problem: 'fits several fields of the schema: map it to the id of one' };
  if (field !== undefined) return { field };
  // A schema without readable fields can't say what is wrong.
  if (isMapped && fields.length === 0) {
    return {
      field: { id: name, label: undefined, type: undefined, choices: undefined, required: undefined },
    };
  }
  return {
    problem: isMapped
      ? `is mapped to ${JSON.stringify(name)}, which the schema does not have`
      : 'fits no field of the schema',
  };
}

function isSameTarget(one: Target, other: Target): boolean {
  if (typeof one === 'object' && typeof other === 'object') return one.field.id === other.field.id;
  return one === other;
}

/** A name without its case, spaces and the punctuation by which headers differ from labels, such as `engine_no`. */
function plainName(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]+/g, '');
}
