/** One request and its reply. It has no headers, so it holds no credential and no signature. */
export interface Exchange {
  /** Method and path with query, such as `GET /events?status=active`, and the body of a POST. */
  readonly request: string;
  readonly status: number;
  /** The JSON of a success; undefined for an error. */
  readonly body: unknown;
  readonly codes: readonly string[];
  readonly message: string | undefined;
  /** Fields that a validation reply names. */
  readonly fields: readonly string[];
}

/** The answer of a command: `taken`, or the status of its refusal. */
export function answerOf({ status }: Exchange): string {
  return status === 200 ? 'taken' : String(status);
}

/** The value at a dotted path; undefined if there is none. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, name) => (isRecord(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
      value,
    );
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A list; undefined for anything else. Some frameworks write a list with gaps as an object with numbers for names. */
export function asList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  return isNumbered(value) ? Object.values(value) : undefined;
}

/** The list of a reply; undefined for another reply. */
export function listOf(exchange: Exchange | undefined): readonly unknown[] | undefined {
  const data = at(exchange?.body, 'data');
  return asList(data) ?? asList(at(data, 'items'));
}

/** The last page that a list states, on whichever level, as a number or its digits. */
export function lastPageOf(exchange: Exchange | undefined): number | undefined {
  const stated = at(exchange?.body, 'last_page') ?? at(exchange?.body, 'data.last_page');
  if (typeof stated === 'number') return stated;
  return typeof stated === 'string' && /^\d+$/.test(stated) ? Number(stated) : undefined;
}

function isNumbered(value: unknown): value is Readonly<Record<string, unknown>> {
  const names = isRecord(value) ? Object.keys(value) : [];
  return names.length > 0 && names.every((name) => /^\d+$/.test(name));
}

/** The records of a list reply; none of another reply. */
export function itemsOf(exchange: Exchange | undefined): readonly Readonly<Record<string, unknown>>[] {
  return (listOf(exchange) ?? []).filter(isRecord);
}

/** The text at a path; undefined for anything else. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = at(value, path);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** JSON type of a value, with `integer` for whole numbers; `absent` for undefined. */
export function typeName(value: unknown): string {
  if (value === undefined) return 'absent';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Names of the fields, sorted. */
export function keysOf(value: Readonly<Record<string, unknown>>): string {
  return Object.keys(value).sort().join(', ');
}

/** The same structure with the type of each value in its place: evidence shows no business data. */
export function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (!isRecord(value)) return typeName(value);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}
