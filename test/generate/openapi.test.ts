import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { renderOpenApi } from '../../tools/generate/openapi.js';
import { schemaWriter } from '../../tools/generate/openapi-schema.js';
import { SampleRecord, saleSamples } from './api/sale-samples.js';
import { catalogue, catalogueWith } from './samples.js';

const document = JSON.parse(renderOpenApi(catalogue, '1.2.3'));
const { paths, webhooks, components } = document;

describe('a tunnelled operation', () => {
  const operation = paths['/api/v1/samples/{sample}'].post;

  it('stands under post and names its method', () => {
    expect(operation).toMatchObject({ 'x-id': 'A97', 'x-effective-method': 'PATCH' });
    expect(paths['/api/v1/samples/{sample}'].patch).toBeUndefined();
    expect(paths['/api/v1/samples'].post['x-effective-method']).toBeUndefined();
  });

  it('carries the method in its body', () => {
    expect(operation.requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/SaleSamplesRenameBody',
    });
    const { properties, required } = components.schemas.SaleSamplesRenameBody;
    expect(Object.keys(properties)).toEqual(['_method', 'title', 'idempotency_key', 'expected_version']);
    expect(properties._method).toMatchObject({ type: 'string', const: 'PATCH' });
    expect(required).toEqual(['_method', 'title', 'idempotency_key', 'expected_version']);
    expect(components.schemas.SaleSamplesRevokeBody.properties).not.toHaveProperty('_method');
  });
});

describe('two methods of one operation', () => {
  const operation = paths['/api/v1/samples/{sample}'].get;

  it('are one, called after the first', () => {
    expect(operation).toMatchObject({
      operationId: 'saleSamples.get',
      'x-id': 'A73',
      description: 'With `download=1`: Streams one sample. Never cached.',
    });
    expect(operation.parameters).toEqual([
      {
        in: 'path',
        name: 'sample',
        required: true,
        description: 'Sample id.',
        schema: expect.objectContaining({ type: 'string' }),
      },
      {
        in: 'query',
        name: 'download',
        required: false,
        description: '`1`: Streams one sample.',
        schema: { type: 'string', enum: ['1'] },
      },
    ]);
    expect(Object.keys(operation.responses['200'].content)).toEqual(['application/json', '*/*']);
  });

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

describe('a planned operation', () => {
  it('says where it will be, and nothing else', () => {
    expect(paths['/api/v1/changes'].get).toEqual({
      operationId: 'A12',
      tags: ['planned'],
      summary: 'Planned (Later): not callable, and neither its fields nor its scope are shown.',
      'x-id': 'A12',
      'x-status': 'planned',
      'x-group': 'Later',
      parameters: [],
      responses: { default: { description: 'Not shown.' } },
    });
  });

  it('has its path parameters, and its method where it is tunnelled', () => {
    const operation = paths['/api/v1/changes/{change}/parts/{part}'].post;
    expect(operation.parameters.map(({ name }: { name: string }) => name)).toEqual(['change', 'part']);
    expect(operation['x-effective-method']).toBe('PUT');
    expect(operation.requestBody.content['application/json'].schema).toMatchObject({
      properties: { _method: { const: 'PUT' } },
      required: ['_method'],
    });
  });
});

describe('a documented operation', () => {
  it('says so', () => {
    expect(paths['/api/v1/sample-subscriptions'].post).toMatchObject({
      'x-status': 'documented',
      description: expect.stringContaining('lists it as not callable'),
    });
  });
});

describe('an operation', () => {
  it('names its callers where the text does, and nobody where it does not', () => {
    expect(paths['/api/v1/samples'].get['x-actors']).toEqual(['bank', 'partner']);
    expect(paths['/api/v1/sample-bids'].post['x-actors']).toEqual(['partner']);
    expect(paths['/api/v1/sample-labels'].get).not.toHaveProperty('x-actors');
  });

  it('has its notes, and not what only users of the SDK need', () => {
    expect(paths['/api/v1/samples'].post.description).toBe('It is scanned.');
  });

  it('says with a reply what its notes say of the status', () => {
    const { responses } = paths['/api/v1/samples/{sample}'].post;
    expect(responses['409'].description).toBe(
      'NONCE_REPLAYED. A sample that is shown cannot be renamed: 409.',
    );
    expect(responses['429']).toEqual({ $ref: '#/components/responses/Status429' });
  });
});

describe('a bid', () => {
  const { responses } = paths['/api/v1/sample-bids'].post;

  it('tells the first acceptance from its replay', () => {
    expect(responses['201'].description).toContain('for the first time: `replayed` is false');
    expect(responses['200'].description).toContain('`replayed` is true');
    expect(paths['/api/v1/samples'].post.responses['200'].description).toBe('Success.');
  });

  it('is rejected with its record, or turned away as any call is', () => {
    expect(responses['422'].content['application/json'].schema).toEqual({
      anyOf: [
        { $ref: '#/components/schemas/SaleSamplesBidRejection' },
        { $ref: '#/components/schemas/AnyError' },
      ],
    });
    const [envelope, record] = components.schemas.SaleSamplesBidRejection.allOf;
    expect(envelope).toEqual({ $ref: '#/components/schemas/ApplicationError' });
    expect(record).toMatchObject({
      required: ['data'],
      properties: { data: { $ref: '#/components/schemas/SampleData' } },
    });
    expect(responses['404'].content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/AnyError',
    });
  });
});

describe('webhooks', () => {
  it('are posted in the envelope, each type with its payload', () => {
    const { post } = webhooks['sample.data_changed'];
    expect(post).toMatchObject({
      operationId: 'webhooks.sampleDataChanged',
      summary: 'What is recorded of a sample.',
      security: [],
      parameters: [
        { $ref: '#/components/parameters/ServiceTimestamp' },
        { $ref: '#/components/parameters/ServiceSignature' },
        { $ref: '#/components/parameters/ServiceEventId' },
      ],
    });
    expect(post.responses['2XX']).not.toHaveProperty('content');
    expect(post.requestBody.content['application/json'].schema).toEqual({
      $ref: '#/components/schemas/SampleDataChangedEvent',
    });
    const { properties, required } = components.schemas.SampleDataChangedEvent;
    expect(Object.keys(properties)).toEqual(['id', 'type', 'schema_version', 'created_at', 'data']);
    expect(properties.type.const).toBe('sample.data_changed');
    expect(properties.data.$ref).toBe('#/components/schemas/SampleData');
    expect(required).toContain('data');
  });

  it('have any payload where none is shown', () => {
    expect(webhooks['sample.removed'].post.summary).toBe('`sample.removed`; its payload is not shown.');
    expect(components.schemas.SampleRemovedEvent.properties.data).toMatchObject({
      type: 'object',
      additionalProperties: {},
    });
  });

  it('are answered with the challenge where they bring one, wherever it stands', () => {
    const { '2XX': answer } = webhooks['sample.check'].post.responses;
    expect(answer.content['application/json'].schema).toMatchObject({
      required: ['challenge'],
      properties: { challenge: { type: 'string' } },
    });
    const { properties, required } = components.schemas.SampleCheckEvent;
    expect(properties).toHaveProperty('challenge');
    expect(properties.data.properties).toHaveProperty('challenge');
    expect(required).not.toContain('data');
  });

  it('are left out where there are none', () => {
    const bare = JSON.parse(renderOpenApi(catalogueWith({}), '1'));
    expect(bare).not.toHaveProperty('webhooks');
    expect(bare.components).not.toHaveProperty('parameters');
  });
});

describe('schemas', () => {
  it('are open: that unknown fields are refused is the rule of the SDK', () => {
    expect(Object.keys(components.schemas.SaleSamplesBidBody.properties)).toContain('amount');
    expect(JSON.stringify(document)).not.toContain('"additionalProperties":false');
  });

  it('keep what the SDK notes for itself to themselves', () => {
    const text = JSON.stringify(components.schemas);
    for (const word of [
      'filled',
      'Made when left out',
      'hint',
      '"file"',
      '"open"',
      '"section"',
      '"title":"',
    ]) {
      expect(text).not.toContain(word);
    }
    const { write } = schemaWriter(catalogue);
    expect(() => write(z.string().meta({ forgotten: true }))).toThrow(
      '"forgotten" is no keyword of JSON Schema',
    );
  });

  it('say what a note means on the wire', () => {
    const { SaleSamplesUploadBody, SampleLabels, SampleData } = components.schemas;
    expect(SaleSamplesUploadBody.properties.content_base64).toEqual({
      type: 'string',
      description: 'The bytes.',
      contentEncoding: 'base64',
    });
    expect(SampleLabels).toEqual({
      type: 'object',
      description: 'Labels.',
      properties: { anyOf: { type: 'string', description: 'A field named like a keyword.' } },
      additionalProperties: { description: 'A label of the bank.' },
    });
    expect(SampleData.properties.party.anyOf).toEqual([
      { type: 'string' },
      { type: 'object', additionalProperties: {} },
      { type: 'null' },
    ]);
  });

  it("leave zod's own registry as it is", () => {
    expect(SampleRecord.meta()?.id).toBeUndefined();
  });
});

describe('replies of failure', () => {
  it('are shared where an operation has no codes of its own', () => {
    const { responses } = paths['/api/v1/sample-bids'].post;
    expect(responses['401']).toEqual({ $ref: '#/components/responses/Status401' });
    expect(responses['422'].description).toBe('LOT_NOT_LIVE. A missing or invalid field.');
    expect(responses['404'].description).toBe('NOT_FOUND.');
    expect(responses['409'].description).toBe('IDEMPOTENCY_CONFLICT, NONCE_REPLAYED.');
    expect(components.responses.Status409.description).toBe('NONCE_REPLAYED.');
    expect(Object.keys(components.responses.Status429.headers)).toEqual(['Retry-After']);
  });
});
