import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

interface Manifest {
  readonly files: readonly string[];
  readonly repository: { readonly url: string };
}

/** A link of a page to a file of the repository, relative or at the repository's address. */
const link = /\]\((?:https:\/\/[^/)]+\/[^/)]+\/vehicle-auction-sdk\/blob\/main\/)?([^):#]+)(#[^)]*)?\)/g;

/**
 * The pages of the package whose links lead to pages that are not in it. Those links lead to the repository that
 * package.json names, so that they also work in `node_modules`.
 */
export function renderPackedLinks(root: string): [path: string, text: string][] {
  const { linkTo, isPacked } = packedLinks(root);
  const pages = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /^(?:docs|examples)\/.*\.md$|^[A-Z]+\.md$/.test(path) && isPacked(path))
    .filter((path) => !path.includes('node_modules/'));
  return pages.flatMap((page): [string, string][] => {
    const text = readFileSync(join(root, page), 'utf8');
    const folder = posix.dirname(page);
    const linked = text.replace(link, (given, path: string, anchor = '') => {
      const target = given.startsWith('](https:') ? path : posix.join(folder, path);
      if (!existsSync(join(root, target))) return given;
      const from = isPacked(target) ? posix.relative(folder, target) : linkTo(target);
      return given.startsWith('](https:') || !isPacked(target) ? `](${from}${anchor})` : given;
    });
    return linked.includes(linkTo('')) ? [[page, linked]] : [];
  });
}

/** How a page of the package links to a file of the repository. */
export function packedLinks(root: string) {
  const manifest: Manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const repository = manifest.repository.url.replace(/^git\+|\.git$/g, '');
  const isPacked = (path: string) =>
    manifest.files.reduce(
      (packed, entry) =>
        entry.startsWith('!') ? packed && !isIn(path, entry.slice(1)) : packed || isIn(path, entry),
      ['README.md', 'LICENSE'].includes(path),
    );
  return { isPacked, linkTo: (path: string) => `${repository}/blob/main/${path}` };
}

/** Whether a path is an entry of `files` in package.json, or inside of it. */
function isIn(path: string, entry: string): boolean {
  const pattern = entry.replace(/[.]/g, '\\.').replace(/\*/g, '[^/]*');
  return new RegExp(`^${pattern}(?:/|$)`).test(path);
}
