import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { PlannedOperation } from '../../src/api/planned.js';
import { renderOpenApi } from '../../tools/generate/openapi.js';
import { schemaWriter } from '../../tools/generate/openapi-schema.js';
import { catalogue, catalogueWith, saleSamples, samples } from './samples.js';

describe('two methods of one operation', () => {
  it('leave a query that only one of them has optional', () => {
    const get = {
      ...saleSamples.operations.get,
      query: z.strictObject({ part: z.string().describe('Part.') }),
    };
    const { parameters } = JSON.parse(renderOpenApi(catalogueWith({ get }), '1'))['paths'][
      '/api/v1/samples/{sample}'
    ].get;
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'part', required: false }));
  });

  it('are told from two operations in one place, which there cannot be', () => {
    const { revoke } = saleSamples.operations;
    const rendering =
      (others: Parameters<typeof catalogueWith>[0], planned: readonly PlannedOperation[] = []) =>
      () =>
        renderOpenApi(catalogueWith(others, planned), '1');
    const place = 'share post /api/v1/samples/{sample}/revocations';
    expect(rendering({ other: { ...revoke, id: 'A95' } })).toThrow(place);
    expect(rendering({ again: { ...revoke, summary: 'Once more.' } })).toThrow(place);
    // A method that travels as POST doesn't tell them apart.
    expect(rendering({ other: { ...revoke, id: 'A95', path: '/samples/{sample}' } })).toThrow('share post');
    const planned = { id: 'A94', method: 'PUT', path: '/samples/{sample}', group: 'Later' } as const;
    expect(rendering({}, [planned])).toThrow('Two operations share');
  });
});

describe('schemas', () => {
  it('keep what the SDK notes for itself to themselves', () => {
    const { write } = schemaWriter(catalogue);
    expect(write(z.string().meta({ own: true, section: 'Bids' }))).toEqual({ type: 'string' });
  });

  it("leave zod's own registry as it is", () => {
    expect(samples.SampleRecord.meta()?.id).toBeUndefined();
  });
});
