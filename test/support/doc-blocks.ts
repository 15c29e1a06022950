import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, textOf } from './sources.js';

export interface DocBlock {
  /** Where it stands: `docs/money.md:12`. */
  readonly place: string;
  readonly code: string;
  /** False for plain JavaScript, which runs as it stands. */
  readonly typed: boolean;
  /** True for blocks marked `run`: they end by themselves and need nothing but the package. */
  readonly runs: boolean;
}

/** Every block of code in README.md, docs/ and the examples, but for those marked `ignore` (signatures in the reference). */
export function docBlocks(): DocBlock[] {
  const pages = ['README.md', ...docPages()];
  return pages.flatMap((page) => {
    const text = textOf(page);
    return [...text.matchAll(/^```(ts|js)( [a-z]+)?\n([\s\S]*?)^```$/gm)]
      .filter((match) => match[2] !== ' ignore')
      .map((match) => ({
        place: `${page}:${text.slice(0, match.index).split('\n').length}`,
        code: match[3] ?? '',
        typed: match[1] === 'ts',
        runs: match[2] === ' run',
      }));
  });
}

/** The pages of docs/, generated ones of the reference aside, and the README of every example. */
export function docPages(): string[] {
  const guides = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`);
  const examples = readdirSync(join(root, 'examples'))
    .map((name) => `examples/${name}/README.md`)
    .filter((page) => existsSync(join(root, page)));
  return [...guides, ...examples];
}
