import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { renderConformance } from '../conformance/conformance.js';
import { renderCommands } from './commands.js';
import { formatted } from './format.js';
import { renderGenerated } from './generated.js';
import { renderPackedLinks } from './links.js';
import { renderLlms } from './llms.js';
import { service } from './load.js';
import { renderOpenApi } from './openapi.js';
import { renderReference } from './reference.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const graphviz = await Graphviz.load();

/** Folders that hold generated files and nothing else. */
const ownedFolders = ['src/generated', 'docs/reference'];

/** Every generated file, by its path from the root. */
export function renderAll(): Map<string, string> {
  const manifest = readFileSync(join(root, 'package.json'), 'utf8');
  const { version, description } = JSON.parse(manifest) as { version: string; description: string };
  const files = new Map([
    ...formatted(renderGenerated(service)),
    ...renderReference(service),
    ['docs/reference/commands.md', renderCommands()],
    ['docs/conformance.md', renderConformance(service)],
    ['openapi.json', renderOpenApi(service, version)],
    ...renderPackedLinks(root),
    ...['life-of-a-bid', 'life-of-a-sale', 'layers'].map((name): [string, string] => [
      `docs/pictures/${name}.svg`,
      graphviz.dot(readFileSync(join(root, `docs/pictures/${name}.dot`), 'utf8')),
    ]),
  ]);
  return files.set('llms.txt', renderLlms(root, description, files));
}

/** Files that differ from what is expected, byte for byte, and files in generated folders that nothing expects. */
export function staleFiles(expected: ReadonlyMap<string, string>, base = root): string[] {
  const found = ownedFolders
    .filter((folder) => existsSync(join(base, folder)))
    .flatMap((folder) => readdirSync(join(base, folder)).map((name) => `${folder}/${name}`));
  const textOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  const paths = [...new Set([...expected.keys(), ...found])];
  return paths.filter((path) => textOf(join(base, path)) !== expected.get(path));
}
