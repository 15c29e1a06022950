import { existsSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { callName } from '../../tools/generate/catalogue.js';
import { service } from '../../tools/generate/load.js';
import { hasTextId } from '../../tools/generate/wire.js';
import { root, textOf } from '../support/sources.js';
import { codeRows, codesOfTheText } from '../wire/codes.js';
import { type ConformancePage, type PageRule, readPage } from './conformance-page.js';
import { declares } from './declarations.js';
import { hasTitle } from './titles.js';

const page = textOf('docs/conformance.md');

/** How many rules each list of the API text has. */
const numbered = {
  'General rules': 9,
  Conventions: 5,
  'Bid rules': 9,
  'Delivery model': 6,
  'Error shapes': 3,
  Versioning: 6,
};

/** How many entries what has no numbers has: rows of tables, and bullets. */
const named = {
  Pagination: 5,
  'Workflow states': 16,
  'Catalogue rules': 4,
  Headers: 6,
  'Canonical string rules': 4,
  'Access checks': 8,
  Notifications: 4,
  Codes: 22,
  Limits: 13,
};

/** Everything that is wrong with a page. */
function problemsOf(text: string): string[] {
  const read = readPage(text);
  return [...unresolved(text, read), ...ofOperations(read), ...ofRules(read)];
}

function unresolved(text: string, { spans }: ConformancePage): string[] {
  const links = [...text.matchAll(/\]\(([^)#]+)[^)]*\)/g)].map(([, target = '']) => join('docs', target));
  const places = spans.filter((span) => /^(?:src|test|tools|docs|bench|examples)\//.test(span));
  return [...new Set([...links, ...places])]
    .filter((place) => !resolves(place))
    .map((place) => `no ${place}`);
}

/** What was looked for before, and whether it was there. */
const known = new Map<string, boolean>();

function resolves(place: string): boolean {
  const found = known.get(place) ?? isThere(place);
  known.set(place, found);
  return found;
}

/** `path`, `path#declaration` or `path > title > …`. */
function isThere(place: string): boolean {
  const [path = '', ...titles] = place.split(' > ');
  const [file = '', symbol] = path.split('#');
  if (!existsSync(join(root, file))) return false;
  if (symbol !== undefined) return declares(parsed(file), symbol);
  if (titles.length === 0) return true;
  // Rows and cases are data; suites beside them run every one.
  if (file === 'test/wire/codes.ts') return codeRows.some(({ name }) => name === titles.join(' > '));
  if (file.startsWith('test/wire/cases/')) return casesIn(file).has(titles.join(' > '));
  return hasTitle(parsed(file), titles);
}

const files = new Map<string, ts.SourceFile>();

function parsed(path: string): ts.SourceFile {
  const before = files.get(path);
  if (before !== undefined) return before;
  const file = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.ES2022, true);
  files.set(path, file);
  return file;
}

/** What the wire cases of a file call: the literals of `operation`. */
function casesIn(path: string): Set<string> {
  const cases = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (
      ts.isPropertyAssignment(node) &&
      node.name.getText() === 'operation' &&
      ts.isStringLiteral(node.initializer)
    )
      cases.add(node.initializer.text);
    ts.forEachChild(node, visit);
  };
  visit(parsed(path));
  return cases;
}

function ofOperations({ operations, planned }: ConformancePage): string[] {
  const expected = service.methods.map((method) => {
    const { id, method: verb, path } = method.operation;
    return `${hasTextId(id) ? id : ''} ${callName(method)} ${verb} ${path}`;
  });
  const found = operations.map(({ Id, Method, HTTP = '' }) => `${Id} ${Method} ${HTTP.split('?')[0]}`);
  const unproved = operations
    .filter(({ Method, Code = '', 'Wire test': wire = '' }) => {
      const [resource = '', name = ''] = Method?.split('.') ?? [];
      return !Code.endsWith(`#${resource}.operations.${name}`) || !wire.endsWith(` > ${Method}`);
    })
    .map(({ Method }) => `${Method}: not its code or wire test`);
  const plannedText = (all: readonly { id: string; method: string; path: string }[]) =>
    all.map(({ id, method, path }) => `${id} ${method} ${path}`);
  return [
    ...differences(expected, found),
    ...unproved,
    ...differences(
      plannedText(service.planned),
      planned.map(({ Id, HTTP }) => `${Id} ${HTTP}`),
    ),
  ];
}

function ofRules({ sections }: ConformancePage): string[] {
  const labels = (title: string) => (sections.get(title) ?? []).map(({ label }) => label);
  const numbers = Object.entries(numbered).flatMap(([title, count]) => {
    const expected = Array.from({ length: count }, (_, index) => String(index + 1));
    return differences(expected, labels(title)).map((problem) => `${title}: ${problem}`);
  });
  const counts = Object.entries(named).flatMap(([title, count]) =>
    new Set(labels(title)).size === count ? [] : [`${title}: not ${count} entries`],
  );
  const codes = labels('Codes').join();
  const missing = codesOfTheText.filter((code) => code !== 'NOT_FOUND' && !codes.includes(`\`${code}\``));
  const unkept = [...sections].flatMap(([title, rules]) =>
    rules.filter((rule) => !isKept(rule)).map(({ label }) => `${title}, ${label}: not kept or not tested`),
  );
  return [...numbers, ...counts, ...missing.map((code) => `Codes: no ${code}`), ...unkept];
}

/** Whether who keeps a rule does so by code, and is tested for it. */
function isKept({ keeper, code, tests }: PageRule): boolean {
  if (keeper === 'The service alone') return true;
  if (!/^(Client|Sandbox|Client and sandbox)$/.test(keeper)) return false;
  // A whole day, end to end, proves both.
  const proves = (what: string, places: RegExp) =>
    !keeper.toLowerCase().includes(what) || tests.some((test) => places.test(test));
  return (
    code.length > 0 &&
    tests.length > 0 &&
    proves('sandbox', /^test\/(?:sandbox|e2e)\//) &&
    proves('client', /^test\/(?!sandbox\/)/)
  );
}

/** What one list lacks, and what it has too much or too often. */
function differences(expected: readonly string[], found: readonly string[]): string[] {
  const twice = found.filter((one, index) => found.indexOf(one) !== index);
  return [
    ...expected.filter((one) => !found.includes(one)).map((one) => `missing: ${one}`),
    ...found.filter((one) => !expected.includes(one)).map((one) => `unknown: ${one}`),
    ...twice.map((one) => `twice: ${one}`),
  ];
}

describe('docs/conformance.md', () => {
  it('names every operation and rule, and only code and tests that are there', () => {
    expect(problemsOf(page)).toEqual([]);
  });

  it('is read as it is meant', () => {
    const { spans, operations, planned, sections } = readPage(page);
    expect([operations.length, planned.length, sections.size]).toEqual([57, 40, 23]);
    const rules = [...sections.values()].flat();
    expect(rules.length).toBeGreaterThan(130);
    expect(spans.filter((span) => / > /.test(span)).length).toBeGreaterThan(400);
    expect(spans.filter((span) => span.includes('#')).length).toBeGreaterThan(300);
    // Nothing that looks like code or a test is overlooked.
    for (const { label, code, tests } of rules) {
      for (const span of code) expect(span, label).toMatch(/^src\/[\w/.-]+\.ts#[\w.]+$/);
      for (const span of tests) expect(span, label).toMatch(/^test\/[\w/.-]+\.ts > ./);
    }
  });

  it('says of each rule who keeps it', () => {
    for (const rules of readPage(page).sections.values())
      for (const { label, keeper } of rules) expect([label, keeper]).not.toContain('');
  });
});

describe('a page that is spoilt', () => {
  const swap = (from: string, to: string) => (text: string) => {
    expect(text).toContain(from);
    return text.replace(from, to);
  };
  /** The page without the first line that is meant. */
  const cut = (isMeant: (line: string) => boolean) => (text: string) => {
    const line = text.split('\n').find(isMeant);
    return swap(`${line}\n`, '')(text);
  };

  it.each<[what: string, spoil: (text: string) => string, problem: string]>([
    ['a path', swap('paise.ts#toPaise`', 'paisa.ts#toPaise`'), 'no src/money/paisa.ts#toPaise'],
    ['a declaration', swap('paise.ts#toPaise`', 'paise.ts#toPaisa`'), 'no src/money/paise.ts#toPaisa'],
    [
      'an import for a declaration',
      swap('paise.ts#toPaise`', 'paise.ts#InvalidRequestError`'),
      'no src/money/paise.ts#InvalidRequestError',
    ],
    [
      'a member of a class',
      swap('#BidRejectedError.receipt`', '#BidRejectedError.records`'),
      'no src/errors/api.ts#BidRejectedError.records',
    ],
    [
      'a property',
      swap('#saleCases.operations.decide`', '#saleCases.operations.decided`'),
      'no src/api/sale-cases.ts#saleCases.operations.decided',
    ],
    [
      'a title',
      swap('> toPaise > reads %s`', '> toPaise > reads %d`'),
      'no test/money/paise.test.ts > toPaise > reads %d',
    ],
    [
      'a title under another one',
      swap('> toPaise > reads %s`', '> fromPaise > reads %s`'),
      'no test/money/paise.test.ts > fromPaise > reads %s',
    ],
    [
      'a title with a code span in it',
      swap('> freezes by `dispute-freezes`, at %s``', '> freezes by `dispute-freeze`, at %s``'),
      'no test/sandbox/disputes.test.ts > freezes by `dispute-freeze`, at %s',
    ],
    [
      'a row of a table',
      swap('401 and its codes > %s > an unknown client`', '401 and its codes > %s > a client of mine`'),
      'no test/sandbox/access.test.ts > 401 and its codes > %s > a client of mine',
    ],
    [
      'a row of another table of the file',
      swap('401 and its codes > %s > an unknown client`', '401 and its codes > %s > no KYB`'),
      'no test/sandbox/access.test.ts > 401 and its codes > %s > no KYB',
    ],
    [
      'a wire case',
      swap('cases/sale.ts > saleCases.get`', 'cases/bids.ts > saleCases.get`'),
      'no test/wire/cases/bids.ts > saleCases.get',
    ],
    [
      'a row of codes',
      swap('> 401 INVALID_NONCE`', '> 403 INVALID_NONCE`'),
      'no test/wire/codes.ts > 403 INVALID_NONCE',
    ],
    ['a link', swap('(open-questions.md)', '(questions.md)'), 'no docs/questions.md'],
  ])('is told by %s that is not there', (_, spoil, problem) => {
    expect(problemsOf(spoil(page))).toContain(problem);
  });

  it.each<[what: string, spoil: (text: string) => string, problem: string]>([
    [
      'a method',
      cut((line) => line.startsWith('| A22 |')),
      'missing: A22 saleCases.decide POST /sale-cases/{sale}/decisions',
    ],
    [
      'the code of a method',
      swap('#saleCases.operations.decide` | ', '#saleCases.operations.get` | '),
      'saleCases.decide: not its code or wire test',
    ],
    [
      'a planned operation',
      cut((line) => line.startsWith('| A44 |')),
      'missing: A44 GET /reconciliations/{reconciliation}',
    ],
    ['a rule', cut((line) => line.startsWith('- **9.**')), 'General rules: missing: 9'],
    ['a row of limits', cut((line) => line.startsWith('- **Mail retries.**')), 'Limits: not 13 entries'],
    ['a code', swap(', `KEY_REVOKED`.**', '.**'), 'Codes: no KEY_REVOKED'],
    [
      'the code of a rule',
      cut((line) => line.startsWith('  - Code: ')),
      'General rules, 1: not kept or not tested',
    ],
    [
      'the tests of a rule',
      cut((line) => line.startsWith('  - Tests: ')),
      'General rules, 1: not kept or not tested',
    ],
    [
      'a test of the sandbox that keeps a rule too',
      swap(', `test/sandbox/bid-rules.test.ts > paise are exact where floating point is not`', ''),
      'General rules, 1: not kept or not tested',
    ],
    ['who keeps a rule', swap(' *Client and sandbox.*', ''), 'General rules, 1: not kept or not tested'],
  ])('is told by the lack of %s', (_, spoil, problem) => {
    expect(problemsOf(spoil(page))).toContain(problem);
  });
});
