import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { packedLinks } from '../../tools/generate/links.js';

/** The site of the documentation: every page of the repository where it stands. `npm run docs` builds it. */

const root = join(import.meta.dirname, '../..');

/** Address of the files of the repository, as pages link to what is not in the package. */
const repository = packedLinks(root).linkTo('');

/** What pages link to and is no page. */
const files = ['examples', 'docs/telemetry', 'docs/unknowns.json', 'openapi.json', 'LICENSE'];

/** Pages whose tables need the width of the outline on the right. */
const wide = ['docs/reference/README.md', 'docs/open-questions.md', 'docs/conformance.md'];

/** A hammer and its block, drawn on the page, so that no server has to have the file. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#3451b2"/>
<g fill="#fff"><g transform="rotate(45 16 13)"><rect x="10" y="4" width="12" height="9" rx="1.5"/><rect x="14.5" y="13" width="3" height="14" rx="1.5"/></g><rect x="5" y="25" width="14" height="3" rx="1.5"/></g></svg>`;

export default defineConfig({
  title: 'vehicle-auction-sdk',
  description: 'A typed TypeScript SDK for the vehicle auction bidding and post-auction workflow API.',
  lang: 'en-IN',
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }],
  ],
  transformPageData: ({ filePath, frontmatter }) => {
    if (wide.includes(filePath)) frontmatter['aside'] = false;
  },
  srcDir: '..',
  srcExclude: ['**/node_modules/**', 'bench/**', 'dist/**', 'site/**', 'src/**', 'test/**', 'tools/**'],
  outDir: join(root, 'site'),
  cacheDir: join(root, 'node_modules/.cache/vitepress'),
  rewrites: (page) => indexed(page),
  cleanUrls: true,
  // tools/site.ts checks every link of the built site, also those to files that are no pages.
  ignoreDeadLinks: true,
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
  markdown: {
    linkify: false,
    // As on GitHub, so that an anchor leads to the same heading in both places.
    anchor: {
      slugify: (heading) =>
        heading
          .toLowerCase()
          .replace(/[^\p{L}\p{N}_ -]/gu, '')
          .replaceAll(' ', '-'),
    },
    config: (markdown) => {
      markdown.core.ruler.push('index pages', ({ tokens }) => {
        const links = tokens
          .flatMap(({ children }) => children ?? [])
          .filter(({ type }) => type === 'link_open');
        for (const link of links) link.attrSet('href', indexed(link.attrGet('href') ?? ''));
      });
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Dealer platform', link: '/docs/dealer-platform' },
      { text: 'Aggregator', link: '/docs/aggregator' },
      { text: 'Bank', link: '/docs/bank' },
      { text: 'Cookbook', link: '/docs/cookbook/' },
      { text: 'Reference', link: '/docs/reference/' },
    ],
    sidebar: [
      group('Begin', { '/': 'What it is', '/docs/getting-started': 'Getting started' }),
      group('Your role', {
        '/docs/dealer-platform': 'Dealer platform',
        '/docs/aggregator': 'Aggregator',
        '/docs/bank': 'Bank',
        '/examples/': 'Examples',
      }),
      group('Bid', {
        '/docs/bidding': 'Bidding',
        '/docs/bulk': 'Many bids',
        '/docs/recovery': 'Recovery',
        '/docs/stores': 'Stores',
        '/docs/many-processes': 'Several banks and processes',
        '/docs/engines': 'Engines',
      }),
      group('After the auction', {
        '/docs/commands': 'Commands',
        '/docs/approvals': 'Approvals',
        '/docs/inventory': 'Inventory',
        '/docs/files': 'Files',
      }),
      group('Follow', { '/docs/following': 'Lots, winners, waits', '/docs/webhooks': 'Webhooks' }),
      group('Understand', {
        '/docs/calls': 'Calls',
        '/docs/errors': 'Errors',
        '/docs/quota': 'Quota',
        '/docs/time': 'Time',
        '/docs/money': 'Money',
        '/docs/paging': 'Lists',
        '/docs/tolerance': 'Tolerance',
        '/docs/signing': 'Signing',
        '/docs/performance': 'Performance',
        '/docs/pictures/': 'Pictures',
      }),
      group('Operate', {
        '/docs/cli': 'On a terminal',
        '/docs/runbook': 'Runbook',
        '/docs/telemetry': 'Traces and metrics',
      }),
      group('Test', {
        '/docs/testing': 'Your integration',
        '/docs/sandbox': 'Sandbox',
        '/docs/sandbox-recipes': 'Recipes',
      }),
      group('Look up', {
        '/docs/cookbook/': 'Cookbook',
        '/docs/reference/': 'Operations',
        '/docs/reference/commands': 'Commands of the terminal',
        '/docs/reference/codes': 'Codes',
        '/docs/open-questions': 'Open questions',
        '/docs/glossary': 'Glossary',
      }),
      group('Review', {
        '/docs/assurance': 'Assurance',
        '/docs/security-model': 'Security model',
        '/docs/conformance': 'Conformance',
        '/docs/architecture': 'Architecture',
        '/CONTRIBUTING': 'Contributing',
        '/CHANGELOG': 'Changelog',
      }),
    ],
  },
  buildEnd: ({ outDir }) => {
    const filter = (path: string) => !/node_modules|\.md$/.test(path);
    for (const file of files) cpSync(join(root, file), join(outDir, file), { recursive: true, filter });
    const llms = readFileSync(join(root, 'llms.txt'), 'utf8');
    writeFileSync(join(outDir, 'llms.txt'), llms.replaceAll(repository, ''));
    for (const [, page = ''] of llms.replaceAll(repository, '').matchAll(/\]\(([^)]*)\)/g))
      cpSync(join(root, page), join(outDir, page));
  },
});

/** A README is the index of its folder. Links to pages that the package lacks lead to the repository, and here to the page. */
function indexed(link: string): string {
  const page = link.startsWith(repository) ? `/${link.slice(repository.length)}` : link;
  return /^https?:/.test(page) ? page : page.replace(/README\.md(?=$|#)/, 'index.md');
}

function group(text: string, pages: Readonly<Record<string, string>>) {
  const items = Object.entries(pages).map(([link, title]) => ({ text: title, link }));
  return { text, collapsed: false, items };
}
