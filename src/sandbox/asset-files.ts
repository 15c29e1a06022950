import { existsSync, readFileSync } from 'node:fs';

/**
 * Reads a file of the folder `assets`; undefined if there is none. The build puts the files themselves in place of this module, so
 * that a bundled program has them, too.
 */
export function readAsset(path: string): Buffer | undefined {
  const file = new URL(`./assets/${path}`, import.meta.url);
  return existsSync(file) ? readFileSync(file) : undefined;
}
