import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { renderAll, staleFiles } from '../../tools/generate/render.js';

const files = renderAll();
const scratch = mkdtempSync(join(tmpdir(), 'vehicle-auction-generated-'));
afterAll(() => rmSync(scratch, { recursive: true }));

describe('generated files', () => {
  it('are on disk byte for byte as src/api makes them', () => {
    expect(staleFiles(files)).toEqual([]);
  });

  it('fail when stale, missing or orphaned', () => {
    for (const [path, content] of files) {
      mkdirSync(dirname(join(scratch, path)), { recursive: true });
      writeFileSync(join(scratch, path), content);
    }
    expect(staleFiles(files, scratch)).toEqual([]);
    writeFileSync(join(scratch, 'src/generated/bids.ts'), `${files.get('src/generated/bids.ts')} `);
    rmSync(join(scratch, 'openapi.json'));
    cpSync(join(scratch, 'docs/reference/lots.md'), join(scratch, 'docs/reference/left-over.md'));
    expect(staleFiles(files, scratch)).toEqual([
      'src/generated/bids.ts',
      'openapi.json',
      'docs/reference/left-over.md',
    ]);
  });

  it('come out the same twice', () => {
    expect([...renderAll()]).toEqual([...files]);
  });
});
