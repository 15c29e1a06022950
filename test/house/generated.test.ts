import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { resources } from '../../src/api/service.js';
import { docComment } from '../../tools/generate/emit.js';
import { driftFrom, renderAll } from '../../tools/generate/render.js';
import { typeOf } from '../../tools/generate/schema-type.js';

const files = renderAll();
const scratch = mkdtempSync(join(tmpdir(), 'vehicle-auction-generated-'));
afterAll(() => rmSync(scratch, { recursive: true }));

describe('generated files', () => {
  it('are on disk byte for byte as src/api makes them', () => {
    expect(driftFrom(files)).toEqual([]);
  });

  it('fail when stale, missing or orphaned', () => {
    for (const [path, content] of files) {
      mkdirSync(dirname(join(scratch, path)), { recursive: true });
      writeFileSync(join(scratch, path), content);
    }
    expect(driftFrom(files, scratch)).toEqual([]);
    writeFileSync(join(scratch, 'src/models/bids.ts'), `${files.get('src/models/bids.ts')} `);
    rmSync(join(scratch, 'openapi.json'));
    cpSync(join(scratch, 'docs/reference/lots.md'), join(scratch, 'docs/reference/left-over.md'));
    expect(driftFrom(files, scratch)).toEqual([
      { path: 'src/models/bids.ts', problem: 'stale' },
      { path: 'openapi.json', problem: 'missing' },
      { path: 'docs/reference/left-over.md', problem: 'orphaned' },
    ]);
  });

  it('come out the same twice', () => {
    expect([...renderAll()]).toEqual([...files]);
  });

  it('have a method for every operation of src/api', () => {
    for (const resource of resources) {
      const text = files.get(`src/resources/${resource.name}.ts`) ?? '';
      for (const name of Object.keys(resource.operations))
        expect(text).toMatch(new RegExp(`^ {2}${name}\\(`, 'm'));
    }
  });

  it('hold no comment that could be ended from inside', () => {
    expect(docComment(['ends */ early'])).toBe('/** ends *\\/ early */\n');
  });

  it('never spell a schema that the writer does not know', () => {
    expect(() => typeOf(z.date(), new Set())).toThrow(/kind "date"/);
  });
});

describe('openapi.json', () => {
  const document = JSON.parse(files.get('openapi.json') ?? '{}');

  it('resolves every reference it makes', () => {
    const references = [
      ...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g),
    ].map((match) => match[1] ?? '');
    expect(references.length).toBeGreaterThan(50);
    expect(references.filter((name) => !(name in document.components.schemas))).toEqual([]);
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  it('describes no schema as itself', () => {
    for (const [name, schema] of Object.entries<{ $ref?: string }>(document.components.schemas)) {
      expect(schema.$ref, name).toBeUndefined();
    }
  });

  it('has no bound that only a double has', () => {
    expect(JSON.stringify(document)).not.toContain('9007199254740991');
  });
});
