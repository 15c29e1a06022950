import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogueOf } from '../../tools/generate/catalogue.js';
import { renderModels } from '../../tools/generate/models.js';
import { renderResources } from '../../tools/generate/resources.js';
import { catalogue, catalogueWith, saleSamples } from './samples.js';

describe('classes', () => {
  it('have the plain name where there is but one, and stand on no other client', () => {
    const { decide } = saleSamples.operations;
    const only = { ...catalogue, resources: [{ ...saleSamples, operations: { decide } }] };
    const files = renderResources(only);
    expect(files.get('src/resources/sale-samples.ts')).toContain('\nexport class SaleSamples {\n');
    expect(files.get('src/resources/bank.ts')).toContain('readonly saleSamples: SaleSamples;');
    expect(files.get('src/resources/partner.ts')).not.toContain('saleSamples');
  });
});

describe('models', () => {
  it('are refused without descriptions, a title or a section', () => {
    const { revoke } = saleSamples.operations;
    const { versionFrom: _, ...nameless } = { ...revoke, body: z.strictObject({ note: z.string() }) };
    expect(() => renderModels(catalogueWith({ revoke: nameless }))).toThrow(
      'SaleSamplesRevokeBody.note has no description',
    );
    const Untitled = z.object({});
    const untitled = catalogueOf({ a: { Untitled } }, [], []);
    expect(() => renderModels(untitled)).toThrow('Untitled needs a title and a section');
  });

  it('of a module without any are no file', () => {
    const { get } = saleSamples.operations;
    const bare = { ...catalogue, modules: [], resources: [{ ...saleSamples, operations: { get } }] };
    expect([...renderModels(bare).keys()]).toEqual([]);
  });
});
