import { InvalidRequestError } from '../errors/local.js';

/** Query parameters: pairs in any order, or an object. `undefined` values are left out. */
export type QueryInput =
  | readonly (readonly [name: string, value: QueryValue])[]
  | Readonly<Record<string, QueryValue | readonly QueryValue[] | undefined>>;

export type QueryValue = string | number | bigint | boolean;

/**
 * The query string that is signed and, letter for letter, sent: parameters sorted by name in UTF-8 byte order,
 * RFC 3986 encoded. Parameters of one name keep their order (unknowns: `query-repeated-names`).
 *
 * @throws InvalidRequestError for text that UTF-8 can't hold (a lone surrogate).
 */
export function canonicalQuery(query: QueryInput | undefined): string {
  if (query === undefined) return '';
  const pairs = toPairs(query);
  if (pairs.length > 1) pairs.sort(([a], [b]) => compareUtf8(a, b));
  return pairs.map(([name, value]) => `${encode(name, name)}=${encode(value, name)}`).join('&');
}

function toPairs(query: QueryInput): [name: string, value: string][] {
  if (isPairs(query)) return query.map(([name, value]) => [name, String(value)]);
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const item of typeof value === 'object' ? value : [value]) pairs.push([name, String(item)]);
  }
  return pairs;
}

function isPairs(query: QueryInput): query is readonly (readonly [string, QueryValue])[] {
  return Array.isArray(query);
}

/** UTF-8 byte order, which is code point order; `<` on strings compares UTF-16 units and differs above U+FFFF. */
function compareUtf8(a: string, b: string): number {
  if (isAscii(a) && isAscii(b)) return a < b ? -1 : a > b ? 1 : 0;
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

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** encodeURIComponent leaves `!'()*` bare; RFC 3986 reserves them. */
function encode(text: string, name: string): string {
  try {
    return encodeURIComponent(text).replace(
      /[!'()*]/g,
      (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  } catch {
    throw new InvalidRequestError([
      {
        path: `query.${JSON.stringify(name)}`,
        message: 'must be well-formed Unicode, without lone surrogates',
      },
    ]);
  }
}
