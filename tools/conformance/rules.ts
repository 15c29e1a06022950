import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** One rule of the API text. */
export interface Rule {
  /** What a test is tagged with: `// rule: bid.3`. */
  readonly id: string;
  readonly keptBy: 'client' | 'sandbox' | 'both' | 'service';
  /** What it asks for, in one sentence of our own. */
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
  for (const path of testFiles())
    for (const id of new Set(tagsIn(readFileSync(join(root, path), 'utf8'))))
      files.set(id, [...(files.get(id) ?? []), path]);
  return files;
}

/** Ids in the `// rule:` comments of a test file. */
export function tagsIn(text: string): string[] {
  return [...text.matchAll(/^\s*\/\/ rule:(.*)$/gm)].flatMap(([, ids = '']) =>
    ids.split(',').map((id) => id.trim()),
  );
}

function testFiles(): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
    .sort();
}

/** Tags that name no rule, and rules without a test on each side that keeps them. */
export function problemsOf(
  all: readonly Section[],
  tagged: ReadonlyMap<string, readonly string[]>,
): string[] {
  const rules = all.flatMap((section) => section.rules);
  const ids = rules.map(({ id }) => id);
  return [
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `two rules have the id ${id}`),
    ...[...tagged].flatMap(([id, files]) => (ids.includes(id) ? [] : [`${files.join()}: no rule ${id}`])),
    ...rules.flatMap((rule) => missingTests(rule, tagged.get(rule.id) ?? [])),
  ];
}

function missingTests({ id, keptBy }: Rule, files: readonly string[]): string[] {
  const sides = keptBy === 'service' ? [] : keptBy === 'both' ? (['client', 'sandbox'] as const) : [keptBy];
  return sides
    .filter((side) => !files.some((file) => proves(file, side)))
    .map((side) => `${id}: no test of the ${side} has the tag "// rule: ${id}"`);
}

/** Tests from end to end prove both sides. */
function proves(file: string, side: 'client' | 'sandbox'): boolean {
  return file.startsWith('test/e2e/') || file.startsWith('test/sandbox/') === (side === 'sandbox');
}
