import { readFileSync } from 'node:fs';

const read = new Map<string, Buffer>();

/** A file of the folder `assets`, which the build copies next to the compiled code; read once. */
export function asset(path: string): Buffer {
  const known = read.get(path);
  if (known !== undefined) return known;
  const content = readFileSync(new URL(`./assets/${path}`, import.meta.url));
  read.set(path, content);
  return content;
}
