import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from './generate/render.js';

/** Fails if a link on the built site leads to no file, or to no anchor of a page. */

const site = join(root, 'site');
const pages = readdirSync(site, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  // An HTML file of an example is a copy, and no page.
  .filter((path) => path.endsWith('.html') && !existsSync(join(root, path)));
const htmlOf = new Map(pages.map((page) => [page, readFileSync(join(site, page), 'utf8')]));

const broken = [...htmlOf].flatMap(([page, html]) =>
  [...html.matchAll(/ (?:href|src)="([^"]+)"/g)]
    .map(([, link = '']) => link.replaceAll('&amp;', '&'))
    .filter((link) => !/^(?:[a-z]+:|\/\/)/.test(link) && !leadsSomewhere(page, link))
    .map((link) => `${page} links to ${link}`),
);
for (const problem of new Set(broken)) console.error(problem);
if (broken.length > 0) throw new Error('The site has dead links.');
console.log(`${pages.length} pages without a dead link or anchor are in site/.`);

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor = ''] = link.split('#').map(decodeURIComponent);
  const target =
    path === '' ? page : posix.join('/', path.startsWith('/') ? '' : posix.dirname(page), path).slice(1);
  const file = [target, `${target}.html`, posix.join(target, 'index.html')].find((each) =>
    statSync(join(site, each), { throwIfNoEntry: false })?.isFile(),
  );
  if (file === undefined) return false;
  const html = htmlOf.get(file);
  return anchor === '' || html === undefined || html.includes(` id="${anchor}"`);
}
