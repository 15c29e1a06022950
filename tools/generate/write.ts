import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { renderAll, root, staleFiles } from './render.js';

const files = renderAll();
const stale = staleFiles(files);

for (const path of stale) console.log(`stale: ${path}`);
if (process.argv.includes('--check')) {
  if (stale.length > 0) throw new Error('Generated files differ from src/api; run `npm run generate`.');
  console.log(`${files.size} generated files are fresh.`);
} else {
  for (const path of stale) {
    const text = files.get(path);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (text === undefined) rmSync(join(root, path));
    else writeFileSync(join(root, path), text);
  }
  console.log(`${files.size} generated files, ${stale.length} written or removed.`);
}
