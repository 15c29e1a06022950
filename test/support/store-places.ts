import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { newDatabase } from './postgres/shared.js';

/** Where processes keep what they share. */
export type StorePlace = { readonly file: string } | { readonly url: string };

/** Each kind of store, and a new place for one. Files are removed after all tests of a file. */
export function storePlaces(): readonly (readonly [name: string, place: () => Promise<StorePlace>])[] {
  const folder = mkdtempSync(join(tmpdir(), 'vehicle-auction-stores-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  let files = 0;
  return [
    ['SQLite', async () => ({ file: join(folder, `${++files}.db`) })],
    ['Postgres', async () => ({ url: await newDatabase() })],
  ];
}
