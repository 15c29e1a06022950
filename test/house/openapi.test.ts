import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { textOf } from '../support/sources.js';
import { methodRows, plannedRows } from '../support/text-operations.js';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly required: boolean }[];
  readonly [key: string]: unknown;
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly webhooks: Record<string, Record<string, Operation>>;
  readonly components: Record<string, Record<string, Json>>;
  readonly [key: string]: unknown;
}

const text = textOf('openapi.json');
const document: Document = JSON.parse(text);
const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
);

const lineOfRow = (id = '', method = '', path = '') =>
  `${/^A\d+$/.test(id) ? `${id} ` : ''}${method} ${path}`;

/** Every operation that has a method, and the method by which it is signed: from the API text. */
const listed = [...new Set(methodRows.map(([, id, method, path]) => lineOfRow(id, method, path)))];

const planned = plannedRows.map(([id, method, path]) => lineOfRow(id, method, path));

/** Every type of event, from the API text, by hand. */
const eventTypes = `
sale.approved auction.schedule_changed vehicle.status_changed
sale.rejected sale.acknowledged payment.reported payment.verified payment.allocated sale.payment_status_changed
release.authorized release.revoked vehicle.collected
webhook.endpoint_verification
`
  .trim()
  .split(/\s+/);

/** Named schemas, parameters and responses that a part of the document leads to. */
function reachableFrom(part: unknown, found = new Set<string>()): Set<string> {
  for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
    const place = `${kind}/${name}`;
    if (found.has(place)) continue;
    found.add(place);
    reachableFrom(document.components[kind]?.[name], found);
  }
  return found;
}

/** Every value under a key, wherever it stands. */
function valuesOf(key: string, json: unknown): unknown[] {
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(key, value),
  ]);
}

/** An operation of the document, as a line of the lists above. */
function lineOf({ path, verb, operation }: (typeof operations)[number]): string {
  const method = String(operation['x-effective-method'] ?? verb.toUpperCase());
  return lineOfRow(String(operation['x-id']), method, path.replace('/api/v1', ''));
}

function isPlanned({ operation }: (typeof operations)[number]): boolean {
  return operation['x-status'] === 'planned';
}

describe('openapi.json', () => {
  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(JSON.parse(text));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(document['openapi']).toMatch(/^3\.1\./);
  });

  it('resolves every reference that it makes', () => {
    const references = [...text.matchAll(/"\$ref": "#\/components\/([^"/]+)\/([^"/]+)"/g)];
    expect(references.length).toBeGreaterThan(300);
    expect(references.length).toBe(text.match(/"\$ref"/g)?.length);
    for (const [reference, kind = '', name = ''] of references)
      expect(document.components[kind], reference).toHaveProperty(name);
  });

  it('has no component that nothing leads to', () => {
    const reachable = reachableFrom([document.paths, document.webhooks]);
    const { securitySchemes: _, ...referenced } = document.components;
    const places = Object.entries(referenced).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `${kind}/${name}`),
    );
    expect(reachable.size).toBeGreaterThan(80);
    expect(places.filter((place) => !reachable.has(place))).toEqual([]);
  });

  it('has every type of event, in its envelope, signed in headers of its own', () => {
    expect(eventTypes).toHaveLength(13);
    expect(Object.keys(document.webhooks).sort()).toEqual([...eventTypes].sort());
    const headers = Object.values(document.components['parameters'] ?? {}).map(
      (header) => Object(header).name,
    );
    expect(headers).toEqual(['Service-Timestamp', 'Service-Signature', 'Service-Event-ID']);
    for (const [type, { post }] of Object.entries(document.webhooks)) {
      expect(post, type).toMatchObject({ security: [], responses: { '2XX': expect.anything() } });
      expect(post?.parameters, type).toHaveLength(3);
      const name = /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(post?.['requestBody']))?.[1] ?? '';
      expect(document.components['schemas']?.[name], type).toMatchObject({
        properties: { id: { type: 'string' }, type: { const: type }, data: expect.anything() },
      });
    }
    const challenged = { content: { 'application/json': { schema: { required: ['challenge'] } } } };
    const { post } = document.webhooks['webhook.endpoint_verification'] ?? {};
    expect(post).toMatchObject({ responses: { '2XX': challenged } });
  });

  it('has no pattern that other languages cannot read', () => {
    const patterns = valuesOf('pattern', document).filter((value) => typeof value === 'string');
    expect(patterns.length).toBeGreaterThan(5);
    expect(patterns.filter((pattern) => /\(\?<?[=!]/.test(pattern))).toEqual([]);
  });

  it('refuses no field of a body that the text does not name', () => {
    expect(valuesOf('additionalProperties', document)).not.toContain(false);
  });

  it('tells a rejected bid by its record, and A60 on a vehicle that is no draft by 409', () => {
    const submit = document.paths['/api/v1/lots/{lot}/bids']?.['post'];
    expect([...reachableFrom(Object(submit?.['responses'])['422'])]).toContain('schemas/RejectedBid');
    const update = document.paths['/api/v1/bank/inventory/vehicles/{vehicle}']?.['post'];
    expect(Object(update?.['responses'])['409'].description).toMatch(/ready or published/);
  });

  it('describes a bid that succeeds as accepted, and its receipt as open', () => {
    const submit = document.paths['/api/v1/lots/{lot}/bids']?.['post'];
    for (const status of ['200', '201']) {
      const { schema } = Object(submit?.['responses'])[status].content['application/json'];
      expect(schema.properties.data.allOf).toMatchObject([
        { $ref: '#/components/schemas/BidReceipt' },
        { properties: { status: { const: 'accepted' } }, required: ['status'] },
      ]);
    }
    expect(document.components['schemas']?.['BidReceipt']).toMatchObject({
      properties: { status: { type: 'string', 'x-known-values': ['accepted', 'rejected'] } },
    });
  });

  it('describes an operation by its scope, unless it is planned', () => {
    for (const entry of operations) {
      const { operation } = entry;
      if (!isPlanned(entry))
        expect(operation['description']).toMatch(`Requires the scope \`${operation['x-scope']}\``);
      else expect(operation['description']).toMatch(/undocumented/);
    }
  });

  it('calls every operation by a name of its own', () => {
    const delivered = Object.values(document.webhooks).flatMap((verbs) => Object.values(verbs));
    const ids = [...operations.map(({ operation }) => operation), ...delivered].map((one) => one.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(undefined);
  });

  it('has every operation with a method, under what it is signed as', () => {
    const callable = operations.filter((entry) => !isPlanned(entry)).map(lineOf);
    expect(callable.sort()).toEqual([...listed].sort());
  });

  // rule: version.6
  it('has every planned operation, and tells nothing of it', () => {
    const found = operations.filter(isPlanned);
    expect(found.map(lineOf).sort()).toEqual([...planned].sort());
    for (const { operation } of found) {
      expect(operation['x-scope']).toBeUndefined();
      expect(Object.keys(Object(operation['responses']))).toEqual(['2XX', '4XX', 'default']);
      expect([...reachableFrom(Object(operation['responses'])['2XX'])]).toEqual([]);
      expect(Object(operation['responses'])['2XX'].content).toBeUndefined();
    }
  });

  it('uses no method that the host blocks', () => {
    expect([...new Set(operations.map(({ verb }) => verb))].sort()).toEqual(['get', 'post']);
  });

  it('declares every parameter of every path, and no others', () => {
    for (const { path, verb, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
      const required = named.map((name) => ({ name, required: true }));
      expect([verb, path, declared]).toMatchObject([verb, path, required]);
    }
  });

  it('asks for the idempotency key twice wherever something is changed', () => {
    for (const { operation } of operations.filter(({ operation }) =>
      /bid|command/.test(String(operation['x-effect'])),
    )) {
      expect(operation.parameters.map(({ name }) => name)).toContain('Idempotency-Key');
      const reference = /"#\/components\/schemas\/(\w+)"/.exec(JSON.stringify(operation['requestBody']))?.[1];
      expect(document.components['schemas']?.[reference ?? ''], operation.operationId).toMatchObject({
        required: expect.arrayContaining(['idempotency_key']),
      });
    }
  });

  it('describes no schema as itself, and bounds no number by what a double holds', () => {
    for (const [name, schema] of Object.entries(document.components['schemas'] ?? {})) {
      expect(schema, name).not.toHaveProperty('$ref');
    }
    expect(text).not.toContain('9007199254740991');
    expect(text).not.toContain('$defs');
  });
});
