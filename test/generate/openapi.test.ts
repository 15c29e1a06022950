import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { renderOpenApi } from '../../tools/generate/openapi.js';
import { schemaWriter } from '../../tools/generate/openapi-schema.js';
import { SampleRecord, saleSamples } from './api/sale-samples.js';
import { catalogue, catalogueWith } from './samples.js';

const document = JSON.parse(renderOpenApi(catalogue, '1.2.3'));

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
    const clash = (path: `/${string}`) => () =>
      renderOpenApi(catalogueWith({ other: { ...revoke, id: 'A95', path } }), '1');
    expect(clash('/samples/{sample}/revocations')).toThrow(
      'saleSamples.other and saleSamples.revoke share post /samples/{sample}/revocations',
    );
    const again = { ...revoke, summary: 'Once more.' };
    expect(() => renderOpenApi(catalogueWith({ again }), '1')).toThrow(
      'saleSamples.again and saleSamples.revoke share',
    );
    // Names of parameters don't tell paths apart, and neither does a method that travels as POST.
    const params = { other: revoke.params.sample };
    const versionFrom = { ...revoke.versionFrom, param: 'other' };
    const renamed = {
      ...revoke,
      id: 'A95',
      path: '/samples/{other}/revocations',
      params,
      versionFrom,
    } as const;
    expect(() => renderOpenApi(catalogueWith({ other: renamed }), '1')).toThrow(
      'share post /samples/{sample}/revoc',
    );
    expect(clash('/samples/{sample}')).toThrow('saleSamples.other and saleSamples.rename share');
    const planned = { id: 'A94', method: 'PUT', path: '/samples/{any}', group: 'Later' } as const;
    expect(() => renderOpenApi(catalogueWith({}, [planned]), '1')).toThrow(
      'A94 and saleSamples.rename share post /samples/{sample}',
    );
  });
});

describe('webhooks', () => {
  it('are left out where there are none', () => {
    const bare = JSON.parse(renderOpenApi(catalogueWith({}), '1'));
    expect(bare).not.toHaveProperty('webhooks');
    expect(bare.components).not.toHaveProperty('parameters');
  });
});

describe('schemas', () => {
  it('are open: that unknown fields are refused is the rule of the SDK', () => {
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
  });

  it('keep what the SDK notes for itself to themselves', () => {
    const { write } = schemaWriter(catalogue);
    expect(() => write(z.string().meta({ forgotten: true }))).toThrow(
      '"forgotten" is no keyword of JSON Schema',
    );
  });

  it("leave zod's own registry as it is", () => {
    expect(SampleRecord.meta()?.id).toBeUndefined();
  });
});
