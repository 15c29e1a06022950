import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packedLinks } from './links.js';

/** `llms.txt`: what the package is, and each page of its documentation in a sentence. */
export function renderLlms(
  root: string,
  description: string,
  generated: ReadonlyMap<string, string>,
): string {
  const { isPacked, linkTo } = packedLinks(root);
  const textOf = (page: string) => generated.get(page) ?? readFileSync(join(root, page), 'utf8');
  const pagesIn = (folder: string) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`);
  const reference = [...generated.keys()].filter((path) => path.startsWith('docs/reference/'));
  const examples = readdirSync(join(root, 'examples'))
    .map((name) => `examples/${name}/README.md`)
    .filter((page) => existsSync(join(root, page)));
  const sections: readonly (readonly [title: string, pages: readonly string[]])[] = [
    ['Guides', pagesIn('docs').filter((page) => page !== 'docs/conformance.md')],
    ['Cookbook', pagesIn('docs/cookbook')],
    ['Examples', examples],
    ['Optional', reference],
  ];
  const lists = sections.map(([title, pages]) => {
    const lines = pages
      .toSorted()
      .map((page) => linkLine(isPacked(page) ? page : linkTo(page), textOf(page)));
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return `# vehicle-auction-sdk\n\n> ${description}\n\n${lists.join('\n')}`;
}

/** A summary of fewer characters than these takes another sentence. */
const SHORT = 50;

/** A page by its title, a link to it, and the first sentences after the title. */
function linkLine(page: string, text: string): string {
  const [, title = page, rest = ''] = /^# (.+)\n\n?([\s\S]*)/m.exec(text) ?? [];
  // A paragraph that is a link leads back to an index.
  const paragraph = rest.split(/\n\n/).find((each) => !/^\[[^\]]*\]\([^)]*\)\.$/.test(each)) ?? '';
  const plain = paragraph.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ');
  if (!/^[A-Z`“]/.test(plain)) return `- [${title}](${page})`;
  let summary = '';
  for (const [sentence] of plain.matchAll(/.+?[.:](?= |$) ?/g)) {
    if (summary.length < SHORT) summary += sentence;
  }
  const shown = summary.trim().replace(/:$/, '.');
  return `- [${title}](${page})${shown === '' ? '' : `: ${shown}`}`;
}
