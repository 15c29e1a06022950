import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Catalogue, hasTextId, wireTarget } from '../generate/catalogue.js';
import { table } from '../generate/text.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** One rule of the API text. */
export interface Rule {
  /** What a test is tagged with: `// rule: bid.3`. */
  readonly id: string;
  readonly keptBy: 'client' | 'sandbox' | 'both' | 'service';
  /** The rule in one sentence of our own. */
  readonly text: string;
}

/** The rules of one list or table of the API text. */
export interface Section {
  readonly title: string;
  readonly chapter: string;
  readonly rules: readonly Rule[];
}

/** The rules of the API text, in its order. */
export const sections: readonly Section[] = JSON.parse(
  readFileSync(new URL('rules.json', import.meta.url), 'utf8'),
);

/** The files that hold tags for each rule, sorted; under test/ a tag stands on the line above a test or a row. */
export function taggedFiles(): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const name of readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.endsWith('.ts')) continue;
    const path = `test/${name.replaceAll('\\', '/')}`;
    for (const id of new Set(tagsIn(readFileSync(join(root, path), 'utf8'))))
      files.set(id, [...(files.get(id) ?? []), path]);
  }
  return files;
}

/** Ids in the `// rule:` comments of a test file. */
export function tagsIn(text: string): string[] {
  return [...text.matchAll(/^\s*\/\/ rule:(.*)$/gm)].flatMap(([, ids = '']) =>
    ids.split(',').map((id) => id.trim()),
  );
}

/** Tags without a rule, and rules without a test on each required side. */
export function problemsOf(
  all: readonly Section[],
  tagged: ReadonlyMap<string, readonly string[]>,
): string[] {
  const rules = all.flatMap((section) => section.rules);
  const ids = rules.map(({ id }) => id);
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `two rules have the id ${id}`),
    ...[...tagged].flatMap(([id, files]) => (ids.includes(id) ? [] : [`${files.join()}: no rule ${id}`])),
    ...rules.flatMap(({ id, keptBy }) =>
      (['client', 'sandbox'] as const)
        .filter((side) => keptBy === side || keptBy === 'both')
        .filter((side) => !tagged.get(id)?.some((file) => proves(file, side)))
        .map((side) => `${id}: no test of the ${side} has the tag "// rule: ${id}"`),
    ),
  ];
}

/** Tests from end to end prove both sides. */
function proves(file: string, side: 'client' | 'sandbox'): boolean {
  return file.startsWith('test/e2e/') || file.startsWith('test/sandbox/') === (side === 'sandbox');
}

/** `docs/conformance.md`: every rule of the API text, and the test files that prove it. */
export function renderConformance({ methods }: Catalogue): string {
  const tagged = taggedFiles();
  const blocks = [
    '<!-- Generated from tools/conformance/rules.json and the tags in test/ by `npm run generate`; edits are lost. -->',
    '# Conformance',
    INTRODUCTION,
    ...sections.map(
      ({ title, chapter, rules }) =>
        `## ${title}\n\nFrom the chapter "${chapter}".\n\n${table(
          ['Rule', 'Requirement', 'Kept by', 'Tests'],
          rules.map((rule) => rowOf(rule, tagged.get(rule.id) ?? [])),
        )}`,
    ),
    `## Operations\n\n${OPERATIONS}\n\n${table(
      ['Id', 'Method', 'HTTP'],
      methods.map((method) => [
        hasTextId(method.operation.id) ? method.operation.id : '',
        code(method.operation.name),
        code(`${method.operation.method} ${wireTarget(method.operation)}`),
      ]),
    )}`,
  ];
  return `${blocks.join('\n\n')}\n`;
}

const INTRODUCTION = `Each rule of the API text, in our own words, with the test files that prove it. A test names the rules it proves in a comment on the line above it: \`// rule: bid.3\`, or several ids with commas between them. To find the tests of a rule, search for its tag: \`grep -rn "rule:.*bid\\.3\\b" test\`.

A rule is kept by the client, by the sandbox, by both, or by the service alone. \`test/house/conformance.test.ts\` fails if a rule has no test on a side that keeps it, and if a tag names no rule. To add a rule, add it to \`tools/conformance/rules.json\` and tag its tests. Whatever the text leaves open is listed in [open questions](open-questions.md).`;

const OPERATIONS =
  'Each method has a case in `test/wire/cases`, which runs over a real socket and through msw, with every documented reply and every documented code that can reach it. `test/wire/completeness.test.ts` fails if a method has none. Operations that the text lists as not callable are in [planned](reference/planned.md).';

function rowOf({ id, keptBy, text }: Rule, files: readonly string[]): string[] {
  return [code(id), text, keptBy, files.map((file) => code(file.replace(/^test\//, ''))).join(', ')];
}

function code(text: string): string {
  return `\`${text}\``;
}
