import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../../src/errors/local.js';
import { canonicalQuery } from '../../src/signing/query.js';

fc.configureGlobal({ seed: 20260308, numRuns: 300 });

const wellFormed = fc.string({ unit: 'grapheme', maxLength: 12 });
const pairs = fc.uniqueArray(fc.tuple(wellFormed, wellFormed), { selector: ([name]) => name, maxLength: 8 });

/** The order of UTF-8 bytes, from the bytes themselves. */
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('canonicalQuery', () => {
  // rule: canonical.lines
  it.each<[string, Parameters<typeof canonicalQuery>[0], string]>([
    ['nothing', undefined, ''],
    ['no pairs', [], ''],
    ['an empty object', {}, ''],
    ['a space and a plus', { q: 'a b+c' }, 'q=a%20b%2Bc'],
    ['what RFC 3986 reserves', { q: "!'()*" }, 'q=%21%27%28%29%2A'],
    ['what it does not', { q: '-._~' }, 'q=-._~'],
    ['an empty value', { q: '' }, 'q='],
    ['an empty name', [['', 'x']], '=x'],
    ['a name that needs encoding', { 'a b': 1 }, 'a%20b=1'],
    ['numbers, booleans, bigints', { b: true, n: 25, i: 10n }, 'b=true&i=10&n=25'],
    ['left-out values', { page: undefined, per_page: 5 }, 'per_page=5'],
    ['only left-out values', { page: undefined }, ''],
    ['lists, in their order', { a: 'x', s: ['live', 'any'] }, 'a=x&s=live&s=any'],
    ['an empty list', { a: [], b: 1 }, 'b=1'],
    [
      'one name twice, in its order',
      [
        ['s', '2'],
        ['a', '0'],
        ['s', '1'],
      ],
      'a=0&s=2&s=1',
    ],
    ['names, not whole parameters', { 'a.c': 3, 'a-b': 2, a: 1 }, 'a=1&a-b=2&a.c=3'],
    ['upper case first', { b: 1, a: 2, B: 3 }, 'B=3&a=2&b=1'],
    ['names by themselves, not as encoded', { a: 1, 'a!': 2, a0: 3 }, 'a=1&a%21=2&a0=3'],
  ])('%s', (_, query, expected) => {
    expect(canonicalQuery(query)).toBe(expected);
  });

  it('sorts astral names by code point, where UTF-16 would put them before U+FF21', () => {
    expect('\u{1f697}' < '\uff21').toBe(true);
    expect(canonicalQuery({ '\u{1f697}': 1, '\uff21': 2 })).toBe('%EF%BC%A1=2&%F0%9F%9A%97=1');
    expect(canonicalQuery({ 'x\u{1f697}b': 1, 'x\u{1f697}a': 2, 'x\u{1f697}': 3 })).toBe(
      'x%F0%9F%9A%97=3&x%F0%9F%9A%97a=2&x%F0%9F%9A%97b=1',
    );
  });

  // rule: canonical.lines
  it('sorts names as their UTF-8 bytes sort, and loses nothing', () => {
    fc.assert(
      fc.property(pairs, (list) => {
        const text = canonicalQuery(list);
        expect(text).toMatch(/^[A-Za-z0-9\-._~%&=]*$/);
        const decoded =
          text === '' ? [] : text.split('&').map((pair) => pair.split('=').map(decodeURIComponent));
        expect(decoded).toEqual([...list].sort(([a], [b]) => byBytes(a, b)));
      }),
    );
  });

  it('leaves the caller’s list alone', () => {
    const list: [string, string][] = [
      ['b', '1'],
      ['a', '2'],
    ];
    canonicalQuery(list);
    expect(list).toEqual([
      ['b', '1'],
      ['a', '2'],
    ]);
  });

  it.each([{ q: 'a\ud83d' }, { '\udc00': 'x' }, [['q', '\ud83d\ud83d']] as const])(
    'refuses a lone surrogate: %j',
    (query) => {
      expect(() => canonicalQuery(query)).toThrow(InvalidRequestError);
      expect(() => canonicalQuery(query)).toThrow(/^query\..* must be well-formed Unicode/);
    },
  );
});
