import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectWith, type Row } from '../consumer/project.js';
import { generatedClients } from './clients.js';
import { lint } from './lint.js';
import { throughPrism } from './prism.js';

/** Checks `openapi.json` with the tools that its readers use. Needs the npm registry and a built package. */

/** Pinned: a new version of a linter finds new things, and this step must not fail by itself. */
const tools = {
  '@hey-api/openapi-ts': '0.95.0',
  '@redocly/cli': '2.77.0',
  '@stoplight/prism-cli': '5.14.2',
  '@stoplight/spectral-cli': '6.16.3',
  '@types/node': '20.19.43',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  typescript: '5.9.3',
};

const checks: Readonly<Record<string, (project: string) => Promise<Row[]>>> = {
  lint,
  'validating proxy': throughPrism,
  'generated clients': generatedClients,
};

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'vehicle-auction-openapi-')));
let begun = performance.now();
try {
  const project = await projectWith(join(scratch, 'tools'), tools);
  finished('install');
  for (const [name, check] of Object.entries(checks)) {
    const rows = await check(project);
    finished(name);
    for (const [what, how] of rows) console.log(`  ${what}: ${how}`);
  }
} finally {
  rmSync(scratch, { recursive: true });
}

function finished(name: string): void {
  const now = performance.now();
  console.log(`${name}: ${((now - begun) / 1000).toFixed(1)} s`);
  begun = now;
}
