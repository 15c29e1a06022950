import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { driftFrom, renderAll, root } from './render.js';

const files = renderAll();
const drift = driftFrom(files);

if (process.argv.includes('--check')) {
  for (const { path, problem } of drift) console.error(`${problem}: ${path}`);
  if (drift.length > 0) {
    console.error('Generated files differ from src/api; run `npm run generate`.');
    process.exitCode = 1;
  } else {
    console.log(`${files.size} generated files are fresh.`);
  }
} else {
  for (const { path, problem } of drift) {
    const text = files.get(path);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (text === undefined) rmSync(join(root, path));
    else writeFileSync(join(root, path), text);
    console.log(`${problem}: ${path}`);
  }
  console.log(`${files.size} generated files, ${drift.length} written or removed.`);
}
