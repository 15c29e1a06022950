import { InvalidRequestError } from '../errors/local.js';

/** Query parameters: pairs in any order (an array, a Map, URLSearchParams), or an object. Properties that are `undefined` are left out. */
export type QueryInput =
  | Iterable<readonly [name: string, value: QueryValue]>
  | readonly (readonly [name: string, value: QueryValue])[]
  | Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;

export type QueryValue = string | number | bigint | boolean;

/**
 * The canonical query string. The same characters are signed and sent. Parameters are sorted by name in UTF-8 byte
 * order and encoded per RFC 3986. Parameters with the same name keep their order (unknowns: `query-repeated-names`).
 *
 * @throws InvalidRequestError for text that UTF-8 can't hold (a lone surrogate), and for a value that is not text, a
 *   finite number or a boolean.
 */
export function canonicalQuery(query: QueryInput | undefined): string {
  if (query === undefined) return '';
  const pairs = toPairs(query);
  pairs.sort(([a], [b]) => compareUtf8(a, b));
  return pairs.map(([name, value]) => `${encode(name, name)}=${encode(value, name)}`).join('&');
}

function toPairs(query: QueryInput): [name: string, value: string][] {
  if (typeof query !== 'object' || query === null)
    throw invalidQuery('query', 'must be an object or a list of pairs');
  if (isIterable(query)) {
    return Array.from(query, (pair: unknown) => {
      if (!Array.isArray(pair) || typeof pair[0] !== 'string')
        throw invalidQuery('query', 'must hold pairs of name and value');
      return [pair[0], parameterText(pair[0], pair[1])];
    });
  }
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const item of Array.isArray(value) ? value : [value]) pairs.push([name, parameterText(name, item)]);
  }
  return pairs;
}

function isIterable(query: object): query is Iterable<readonly [string, QueryValue]> {
  return Symbol.iterator in query;
}

function parameterText(name: string, value: unknown): string {
  const legal =
    typeof value === 'string' ||
    typeof value === 'bigint' ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value));
  if (!legal)
    throw invalidQuery(`query.${JSON.stringify(name)}`, 'must be text, a finite number or a boolean');
  return String(value);
}

/** Compares in UTF-8 byte order, which is code point order. `<` compares UTF-16 units, which sort differently above U+FFFF. */
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

/** `encodeURIComponent` does not escape `!'()*`, which RFC 3986 reserves. */
function encode(text: string, name: string): string {
  try {
    return encodeURIComponent(text).replace(
      /[!'()*]/g,
      (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch {
    throw invalidQuery(
      `query.${JSON.stringify(name)}`,
      'must be well-formed Unicode, without lone surrogates',
    );
  }
}

function invalidQuery(path: string, message: string): InvalidRequestError {
  return new InvalidRequestError([{ path, message }]);
}
