import { existsSync, readFileSync } from 'node:fs';

const read = new Map<string, Buffer>();

/** A file of the folder `assets`, which the build copies next to the compiled code; read once. */
export function asset(path: string): Buffer {
  const known = read.get(path);
  if (known !== undefined) return known;
  const content = readFileSync(locate(path));
  read.set(path, content);
  return content;
}

export function hasAsset(path: string): boolean {
  return existsSync(locate(path));
}

function locate(path: string): URL {
  return new URL(`./assets/${path}`, import.meta.url);
}
