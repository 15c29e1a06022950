import { InvalidRequestError } from '../errors/local.js';

/** Query parameters: pairs in any order (an array, a Map, URLSearchParams), or an object. `undefined` values of an object are left out. */
export type QueryInput =
  | Iterable<readonly [name: string, value: QueryValue]>
  | readonly (readonly [name: string, value: QueryValue])[]
  | Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;

export type QueryValue = string | number | bigint | boolean;

/**
 * The query string that is signed and, letter for letter, sent: parameters sorted by name in UTF-8 byte order,
 * RFC 3986 encoded. Parameters of one name keep their order (unknowns: `query-repeated-names`).
 *
 * @throws InvalidRequestError for text that UTF-8 can't hold (a lone surrogate), and for values that are neither text
 *   nor finite numbers nor booleans.
 */
export function canonicalQuery(query: QueryInput | undefined): string {
  if (query === undefined) return '';
  const pairs = toPairs(query);
  pairs.sort(([a], [b]) => compareUtf8(a, b));
  return pairs.map(([name, value]) => `${encode(name, name)}=${encode(value, name)}`).join('&');
}

function toPairs(query: QueryInput): [name: string, value: string][] {
  if (typeof query !== 'object' || query === null)
    throw invalid('query', 'must be an object or a list of pairs');
  if (isIterable(query)) {
    return Array.from(query, (pair: unknown) => {
      if (!Array.isArray(pair) || typeof pair[0] !== 'string')
        throw invalid('query', 'must hold pairs of name and value');
      return [pair[0], textOf(pair[0], pair[1])];
    });
  }
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) pairs.push([name, textOf(name, item)]);
  }
  return pairs;
}

function isIterable(query: object): query is Iterable<readonly [string, QueryValue]> {
  return Symbol.iterator in query;
}

function textOf(name: string, value: unknown): string {
  const legal =
    typeof value === 'string' ||
    typeof value === 'bigint' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value));
  if (!legal) throw invalid(`query.${JSON.stringify(name)}`, 'must be text, a finite number or a boolean');
  return String(value);
}

/** UTF-8 byte order, which is code point order; `<` on strings compares UTF-16 units and differs above U+FFFF. */
function compareUtf8(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  for (const [index, char] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const difference = (char.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** encodeURIComponent leaves `!'()*` bare; RFC 3986 reserves them. */
function encode(text: string, name: string): string {
  try {
    return encodeURIComponent(text).replace(
      /[!'()*]/g,
      (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch {
    throw invalid(`query.${JSON.stringify(name)}`, 'must be well-formed Unicode, without lone surrogates');
  }
}

function invalid(path: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path, message }]);
}
