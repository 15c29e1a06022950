import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { anchorsOf } from '../support/doc-blocks.js';
import { textOf } from '../support/sources.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('every link in a page of the package leads into the package or to a page of its repository', () => {
  const listing = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [packed]: readonly { readonly files: readonly { readonly path: string }[] }[] = JSON.parse(listing);
  const files = packed?.files.map(({ path }) => path) ?? [];
  const pages = files.filter((path) => /^(?!dist\/).*\.(?:md|txt)$/.test(path));
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'llms.txt', 'docs/bank.md']));
  const { url } = JSON.parse(textOf('package.json')).repository;
  const repository = `${url.replace(/^git\+|\.git$/g, '')}/blob/main/`;

  const links = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => ({ page, link })),
  );
  const leadsNowhere = links.filter(({ page, link }) => {
    const [path = '', anchor] = link.replace(repository, '/').split('#');
    if (/^[a-z]+:/.test(path)) return path.includes('/blob/main/');
    const target =
      path === ''
        ? page
        : posix.join(path.startsWith('/') ? '' : posix.dirname(page), path).replace(/^\//, '');
    const isThere = path.startsWith('/')
      ? existsSync(posix.join(root, target))
      : files.some((file) => file === target || file.startsWith(`${target}/`));
    return !isThere || (anchor !== undefined && !anchorsOf(textOf(target)).includes(anchor));
  });
  expect(leadsNowhere).toEqual([]);
});
