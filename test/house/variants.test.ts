import { describe, expect, it } from 'vitest';
import { unknowns } from '../../src/api/unknowns.js';
import { choices } from '../../src/sandbox/variants.js';
import { sourcesUnder, textOf } from '../support/sources.js';

/** Rows that leave the sandbox nothing to choose, and why. */
const withoutChoice: Readonly<Record<string, string>> = {
  'record-kinds': 'kinds and states that nobody has seen are choices of the rows about each of them',
  'request-time-forms': 'what is taken is judged by the schemas of the API, which client and sandbox share',
  'inventory-version-source': 'no read of inventory is described, so there is none to answer otherwise',
  'unversioned-resend':
    'how long a key is remembered is a choice of `key-retention` and of the fault `forget`',
  'webhook-verify-call': 'without a path and a body there is no call to answer',
};

const rows = unknowns.map(({ id }) => id);
const code = sourcesUnder('src/sandbox')
  .filter((file) => !/^src\/sandbox\/variants(?:\.ts$|\/)/.test(file))
  .map(textOf)
  .join('\n');
const tests = sourcesUnder('test/sandbox').map(textOf);

/** Whether a test file names both the row and the choice. */
function isExercised(row: string, choice: string): boolean {
  return tests.some((text) => text.includes(`'${row}'`) && text.includes(`'${choice}'`));
}

describe('what the API text leaves open', () => {
  it('is a choice of the sandbox, row by row, or says why not', () => {
    const open = rows.filter((row) => !Object.hasOwn(choices, row) && !Object.hasOwn(withoutChoice, row));
    expect(open).toEqual([]);
  });

  it('has no choice and no reason for a row that is not there, nor both', () => {
    const named = [...Object.keys(choices), ...Object.keys(withoutChoice)];
    expect(named.filter((row) => !rows.includes(row))).toEqual([]);
    expect(new Set(named).size).toBe(named.length);
    expect(new Set(rows).size).toBe(rows.length);
  });

  it('is asked for in the code of the sandbox', () => {
    expect(Object.keys(choices).filter((row) => !code.includes(`'${row}'`))).toEqual([]);
  });

  it('is tried in a test, every choice but the default', () => {
    const untried = Object.entries(choices).flatMap(([row, [, ...others]]) =>
      others.filter((choice) => !isExercised(row, choice)).map((choice) => `${row}: ${choice}`),
    );
    expect(untried).toEqual([]);
  });

  it('has its choices in plain words, each once', () => {
    for (const [row, all] of Object.entries<readonly string[]>(choices)) {
      expect(new Set(all).size, row).toBe(all.length);
      for (const choice of all) expect(choice, row).toMatch(/^[a-zA-Z0-9]+(?:[-_][a-zA-Z0-9]+)*$/);
    }
  });

  it('is ordered alike: the choices of one area as the rows are', () => {
    for (const file of sourcesUnder('src/sandbox/variants')) {
      const keys = [...textOf(file).matchAll(/^ {2}'([a-z0-9-]+)':/gm)].map(([, row = '']) => row);
      expect(keys, file).toEqual(rows.filter((row) => keys.includes(row)));
    }
  });
});
