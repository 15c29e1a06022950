import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Every TypeScript file under a folder, by its path from the root. */
export function sourcesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => posix.join(entry.parentPath.slice(root.length).replaceAll('\\', '/'), entry.name))
    .sort();
}

export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** What a file imports, types included: relative ones as paths from the root, packages by name. */
export function importsOf(path: string): string[] {
  return ts
    .preProcessFile(textOf(path), true, true)
    .importedFiles.map(({ fileName }) =>
      fileName.startsWith('.') ? posix.join(dirname(path), fileName).replace(/\.js$/, '.ts') : fileName,
    );
}
