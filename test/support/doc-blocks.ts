import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root, textOf } from './sources.js';

export interface DocBlock {
  /** Where it stands: `docs/money.md:12`. */
  readonly place: string;
  readonly page: string;
  /** `ts`, `sh` and the like; empty if the fence names none. */
  readonly language: string;
  /** What stands behind the language: `run`, and what `runBlock` has to know. */
  readonly marks: readonly string[];
  readonly code: string;
}

/** Every block of code in README.md, CONTRIBUTING.md, docs/ and the examples, however it is fenced. */
export function docBlocks(): DocBlock[] {
  return ['README.md', 'CONTRIBUTING.md', ...docPages()].flatMap((page) => {
    const text = textOf(page);
    return [...text.matchAll(/^ *(`{3,}|~{3,})(.*)\n([\s\S]*?)^ *\1 *$/gm)].map((match) => {
      const [language = '', ...marks] = (match[2] ?? '').trim().split(/\s+/);
      const place = `${page}:${text.slice(0, match.index).split('\n').length}`;
      return { place, page, language, marks, code: match[3] ?? '' };
    });
  });
}

/** The pages of docs/ and its cookbook, generated ones of the reference aside, and the READMEs of the examples. */
export function docPages(): string[] {
  const guides = ['docs', 'docs/cookbook'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  );
  const examples = readdirSync(join(root, 'examples'))
    .map((name) => `examples/${name}/README.md`)
    .filter((page) => existsSync(join(root, page)));
  return [...guides, 'examples/README.md', ...examples];
}

/** The anchors of the headings of a page, as renderers of Markdown make them. */
export function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}
