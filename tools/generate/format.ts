import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

const HEADER = '// Generated from src/api by `npm run generate`; edits are lost.\n';

/** TypeScript as Biome lays it out, with the settings of this repository, and without the imports that nothing uses. */
export function formatted(files: ReadonlyMap<string, string>): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'vehicle-auction-format-'));
  try {
    for (const [path, text] of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { formatter, javascript } = JSON.parse(readFileSync(join(root, 'biome.json'), 'utf8'));
    writeFileSync(join(folder, 'biome.json'), JSON.stringify({ root: true, formatter, javascript }));
    const biome = (...args: string[]) =>
      execFileSync(join(root, 'node_modules/.bin/biome'), [...args, '--write', '.'], {
        cwd: folder,
        stdio: 'pipe',
      });
    biome('lint', '--only=correctness/noUnusedImports', '--unsafe');
    biome('format');
    return new Map(
      [...files.keys()].map((path) => [path, `${HEADER}\n${readFileSync(join(folder, path), 'utf8')}`]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
