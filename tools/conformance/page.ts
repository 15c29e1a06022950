import type { Catalogue } from '../generate/catalogue.js';
import { hasTextId, targetOf } from '../generate/catalogue.js';
import { table } from '../generate/markdown.js';
import { type Rule, sections, taggedFiles } from './rules.js';

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
          ['Rule', 'What it asks for', 'Kept by', 'Tests'],
          rules.map((rule) => rowOf(rule, tagged.get(rule.id) ?? [])),
        )}`,
    ),
    `## Operations\n\n${OPERATIONS}\n\n${table(
      ['Id', 'Method', 'HTTP'],
      methods.map((method) => [
        hasTextId(method.operation.id) ? method.operation.id : '',
        code(method.operation.name),
        code(`${method.operation.method} ${targetOf(method.operation)}`),
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
