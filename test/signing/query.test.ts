import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
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
    ['astral names by code point', { '\u{1f697}': 1, '\uff21': 2 }, '%EF%BC%A1=2&%F0%9F%9A%97=1'],
    ['a name before a longer one', { 'x\u{1f697}a': 1, 'x\u{1f697}': 2 }, 'x%F0%9F%9A%97=2&x%F0%9F%9A%97a=1'],
  ])('%s', (_, query, expected) => {
    expect(canonicalQuery(query)).toBe(expected);
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

  it('leaves the list of the caller alone', () => {
    const list = Object.freeze([['b', '1'] as const, ['a', '2'] as const]);
    expect(canonicalQuery(list)).toBe('a=2&b=1');
  });

  it.each<[unknown, string]>([
    [null, 'query'],
    ['page=2', 'query'],
    [[7], 'query'],
    [['page=2'], 'query'],
    [[[7, 'x']], 'query'],
    [{ page: null }, 'query."page"'],
    [{ page: Number.NaN }, 'query."page"'],
    [{ page: {} }, 'query."page"'],
    [{ page: [1, Number.POSITIVE_INFINITY] }, 'query."page"'],
    [[['page', undefined]], 'query."page"'],
    [{ q: 'a\ud83d' }, 'query."q"'],
    [[['\udc00', 'x']], 'query."\\udc00"'],
  ])('refuses %j', (query, path) => {
    const write = () => Reflect.apply(canonicalQuery, undefined, [query]);
    const issues = [{ path, message: expect.stringMatching(/^must \w/) }];
    expect(write).toThrow(expect.objectContaining({ name: 'InvalidRequestError', issues }));
  });
});
