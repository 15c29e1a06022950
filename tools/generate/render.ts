import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { renderConformance } from '../conformance/conformance.js';
import { formatted } from './format.js';
import { service } from './load.js';
import { renderModels } from './models.js';
import { renderOpenApi } from './openapi.js';
import { renderReference } from './reference.js';
import { renderResources } from './resources.js';
import { renderRoutes } from './routes.js';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const graphviz = await Graphviz.load();

/** Folders that hold generated files and nothing else. */
const ownedFolders = ['src/models', 'src/routes', 'src/resources', 'docs/reference'];

/** Every generated file, by its path from the root. */
export function renderAll(): Map<string, string> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return new Map([
    ...formatted(new Map([...renderModels(service), ...renderRoutes(service), ...renderResources(service)])),
    ...renderReference(service),
    ['docs/conformance.md', renderConformance(service)],
    ['openapi.json', renderOpenApi(service, version)],
    ...['life-of-a-bid', 'life-of-a-sale', 'layers'].map((name): [string, string] => [
      `docs/pictures/${name}.svg`,
      graphviz.dot(readFileSync(join(root, `docs/pictures/${name}.dot`), 'utf8')),
    ]),
  ]);
}

export interface Drift {
  readonly path: string;
  readonly problem: 'missing' | 'stale' | 'orphaned';
}

/** How the files on disk differ from what `expected` holds, byte for byte. */
export function driftFrom(expected: ReadonlyMap<string, string>, base = root): Drift[] {
  const drift: Drift[] = [];
  for (const [path, content] of expected) {
    const place = join(base, path);
    if (!existsSync(place)) drift.push({ path, problem: 'missing' });
    else if (readFileSync(place, 'utf8') !== content) drift.push({ path, problem: 'stale' });
  }
  for (const folder of ownedFolders) {
    if (!existsSync(join(base, folder))) continue;
    for (const name of readdirSync(join(base, folder))) {
      const path = `${folder}/${name}`;
      if (!expected.has(path)) drift.push({ path, problem: 'orphaned' });
    }
  }
  return drift;
}
