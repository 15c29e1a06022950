import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { handlerOf } from '../../src/sandbox/handlers/all.js';
import { type Catalogue, callName, type Method } from './catalogue.js';
import { furtherTests } from './conformance/operations.js';
import type { Keeper, Places, Rule, Section } from './conformance/rule.js';
import { sections } from './conformance-rules.js';
import { anchor, table } from './markdown.js';
import { kebab } from './names.js';
import { hasTextId, targetOf } from './wire.js';

/** `docs/conformance.md`: every operation and rule of the API text, its code and its tests. */
export function renderConformance({ methods, planned }: Catalogue): string {
  checkKnown(methods);
  const blocks = [
    '<!-- Generated from src/api and tools/generate/conformance-rules.ts by `npm run generate`; edits are lost. -->',
    '# Conformance',
    INTRODUCTION,
    READING,
    contents(),
    `## Operations\n\n${OPERATIONS}\n\n${operationTable(methods)}`,
    `## Planned operations\n\n${plannedText(planned.length)}\n\n${table(
      ['Id', 'HTTP', 'Group'],
      planned.map(({ id, method, path, group }) => [id, code(`${method} ${path}`), group]),
    )}`,
    ...sections.map(sectionText),
  ];
  return `${blocks.join('\n\n')}\n`;
}

const INTRODUCTION = `This page leads from each operation and each rule of the API text to the code that keeps it and to the tests that would fail if it did not. It stays true by a test, ${test('test/house/conformance.test.ts', 'docs/conformance.md')}, which fails where a path, a declaration or a test that is named here is not there, and where an operation or a numbered rule is missing.`;

const READING = `Rules are told in other words than the text's. Behind each stands who keeps it: the client, the sandbox, both, or the service alone, where neither has anything to do. Code is \`file#declaration\`; tests are \`file > title\`, the outer titles first, and behind the title of a table of cases the literal that stands in its row. Cases of \`test/wire/cases\` and rows of \`test/wire/codes.ts\` are run by ${list(
  [
    test('test/wire/operations-suite.ts', '%s by a %s, %s'),
    test('test/wire/operations-suite.ts', '%s by a %s reads every reply'),
    test('test/wire/codes-suite.ts', '%s by a %s'),
  ],
)}, over a real socket and through msw. What the text leaves open stands in [open questions](open-questions.md).`;

const OPERATIONS = `Every method of the clients, with its data, its wire case (which every row of the table of codes that can reach it goes through too) and further tests. The sandbox answers them all; A13, which the text lists as not callable, where its variant \`webhook-operative\` is \`on\`. That none is forgotten: ${list(
  [
    test('test/wire/completeness.test.ts', 'are one for every operation of the API as data, and none beside'),
    test('test/api/service.test.ts', 'has every operation of the text, as the text has it'),
  ],
)}.`;

function plannedText(count: number): string {
  return `The text lists these ${count} as not callable. They have no method; they stand in \`src/api/planned.ts#plannedOperations\` and, as \`x-status: planned\`, in \`openapi.json\`. Tests: ${list(
    [
      test('test/api/service.test.ts', 'plans what the text lists as not callable'),
      test('test/house/openapi.test.ts', 'has every planned operation, and tells nothing of it'),
      test('test/client/request.test.ts', 'signs and sends a planned operation, and resolves with its data'),
    ],
  )}.`;
}

/** @throws Error for tests of a method that there isn't. */
function checkKnown(methods: readonly Method[]): void {
  const names = methods.map(callName);
  const strangers = Object.keys(furtherTests).filter((name) => !names.includes(name));
  if (strangers.length > 0)
    throw new Error(`Tests are listed for ${strangers.join(', ')}, which is no method`);
}

function contents(): string {
  const titles = ['Operations', 'Planned operations', ...sections.map(({ title }) => title)];
  return titles.map((title) => `[${title}](#${anchor(title).replaceAll(' ', '-')})`).join(' · ');
}

function operationTable(methods: readonly Method[]): string {
  const cases = wireCases();
  const rows = methods.map((method) => {
    const { resource, operation } = method;
    const name = callName(method);
    const wire = cases.get(name);
    if (wire === undefined) throw new Error(`No wire case has ${name}`);
    handlerOf(operation); // throws for what the sandbox doesn't answer
    return [
      hasTextId(operation.id) ? operation.id : '',
      code(name),
      code(`${operation.method} ${targetOf(operation)}`),
      code(`src/api/${kebab(resource.name)}.ts#${resource.name}.operations.${method.name}`),
      test(wire, name),
      refs(furtherTests[name] ?? {}, test).join('<br>'),
    ];
  });
  return table(['Id', 'Method', 'HTTP', 'Code', 'Wire test', 'Further tests'], rows);
}

/** Where the wire tests have each method. */
function wireCases(): ReadonlyMap<string, string> {
  const folder = 'test/wire/cases';
  const base = fileURLToPath(new URL(`../../${folder}/`, import.meta.url));
  return new Map(
    readdirSync(base).flatMap((file) =>
      [...readFileSync(base + file, 'utf8').matchAll(/^ +operation: '([\w.]+)',$/gm)].map(
        ([, name = '']) => [name, `${folder}/${file}`] as const,
      ),
    ),
  );
}

function sectionText({ title, chapter, rules }: Section): string {
  return `## ${title}\n\nOf the chapter "${chapter}".\n\n${rules.map(ruleText).join('\n')}`;
}

const keepers: Readonly<Record<Keeper, string>> = {
  client: 'Client',
  sandbox: 'Sandbox',
  'client and sandbox': 'Client and sandbox',
  service: 'The service alone',
};

function ruleText({ label, text, kept, code: places = {}, tests = {} }: Rule): string {
  const lines = [`- **${label}.** ${text} *${keepers[kept]}.*`];
  const declarations = refs(places, (file, name) => code(`${file}#${name}`));
  const titles = refs(tests, test);
  if (declarations.length > 0) lines.push(`  - Code: ${list(declarations)}`);
  if (titles.length > 0) lines.push(`  - Tests: ${list(titles)}`);
  return lines.join('\n');
}

function refs(places: Places, show: (file: string, name: string) => string): string[] {
  return Object.entries(places).flatMap(([file, names]) => [names].flat().map((name) => show(file, name)));
}

function test(file: string, title: string): string {
  return code(`${file} > ${title}`);
}

function code(text: string): string {
  const mark = text.includes('`') ? '``' : '`';
  return `${mark}${text}${mark}`;
}

function list(items: readonly string[]): string {
  return items.join(', ');
}
