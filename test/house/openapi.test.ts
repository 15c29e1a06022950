import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { textOf } from '../support/sources.js';

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

async function isValid(candidate: unknown): Promise<boolean> {
  const { valid } = await new Validator().validate(JSON.parse(JSON.stringify(candidate)));
  return valid;
}

/** The document with one place changed. */
function spoilt(change: (copy: Document) => void): Document {
  const copy: Document = JSON.parse(text);
  change(copy);
  return copy;
}

/** Every operation that has a method, and the method by which it is signed: from the API text, by hand. */
const listed = `
GET /events
GET /events/{event}
GET /events/{event}/lots
GET /events/{event}/lots/{lot}
GET /events/{event}/lots/{lot}/media/{media}
GET /lots
GET /vehicles/{vehicle}
GET /results
POST /lots/{lot}/bids
GET /bids
GET /winner-updates
A01 GET /integration/profile
A02 GET /integration/capabilities
A03 GET /bidding-eligibility
A05 GET /bids/{bid}
A06 GET /bid-requests/{idempotency_key}
A07 POST /bids/{bid}/cancellation-requests
A08 GET /bid-cancellation-requests
A09 POST /bid-cancellation-requests/{request}/decisions
A10 GET /lots/{lot}/status
A11 POST /lots/status-batch
A13 POST /webhook-subscriptions
A20 GET /sale-cases
A21 GET /sale-cases/{sale}
A22 POST /sale-cases/{sale}/decisions
A23 POST /sale-cases/{sale}/acknowledgments
A24 POST /sale-cases/{sale}/offers
A25 POST /offers/{offer}/responses
A26 POST /sale-cases/{sale}/cancellation-requests
A27 POST /sale-cancellation-requests/{request}/decisions
A34 GET /sale-cases/{sale}/payment-dues
A36 POST /payment-reports
A37 GET /payment-reports/{report}
A38 POST /payment-reports/{report}/decisions
A40 GET /payments/{payment}
A42 POST /bank-receipts/imports
A45 POST /payments/{payment}/allocations
A46 GET /sale-cases/{sale}/receipts
A47 POST /payments/{payment}/refund-requests
A48 POST /refund-requests/{request}/decisions
A49 GET /refunds/{refund}
A50 POST /disputes
A51 GET /disputes/{dispute}
A52 POST /sale-cases/{sale}/release-authorizations
A53 GET /release-authorizations/{release}
A54 POST /release-authorizations/{release}/revocations
A56 POST /release-authorizations/{release}/collections
A57 POST /sale-cases/{sale}/transfer-updates
A58 GET /sale-cases/{sale}/transfer-status
A59 POST /bank/inventory/vehicles
A60 PATCH /bank/inventory/vehicles/{vehicle}
A63 GET /bank/inventory/schemas
A72 POST /document-uploads
A73 GET /documents/{document}
A74 GET /notifications
A75 POST /notifications/{notification}/acknowledgments
`
  .trim()
  .split('\n');

const planned = `
A12 GET /changes
A14 GET /webhook-subscriptions
A15 PATCH /webhook-subscriptions/{subscription}
A16 GET /webhook-deliveries
A17 POST /webhook-deliveries/{delivery}/replay
A18 POST /webhook-subscriptions/{subscription}/test
A19 POST /realtime/sessions
A28 GET /deposits
A29 POST /deposits
A30 POST /deposits/{deposit}/refund-requests
A31 GET /buying-power
A32 POST /buyer-limit-requests
A33 POST /buyer-limit-requests/{request}/decisions
A35 POST /sale-cases/{sale}/payment-orders
A39 POST /payment-reports/{report}/verification-attempts
A41 POST /provider-webhooks/{provider}/{connection}
A43 POST /reconciliations
A44 GET /reconciliations/{reconciliation}
A55 POST /sale-cases/{sale}/collection-appointments
A61 POST /bank/inventory/vehicles/{vehicle}/status-transitions
A62 POST /bank/inventory/imports
A64 POST /bank/auctions
A65 POST /bank/auctions/{auction}/lots
A66 PUT /bank/auctions/{auction}/assignments
A67 POST /bank/auctions/{auction}/publications
A68 POST /bank/auctions/{auction}/transitions
A69 POST /bank/auctions/{auction}/extensions
A70 POST /bank/partners
A71 POST /bank/partners/{partner}/transitions
A76 GET /audit-events
A77 POST /report-exports
A78 GET /operations/{operation}
A79 POST /lots/{lot}/proxy-bid-instructions
A80 POST /proxy-bid-instructions/{instruction}/revocations
A81 POST /risk-review-jobs
A82 POST /valuation-jobs
A83 POST /vehicle-check-jobs
A84 POST /oauth/token
A85 POST /api-clients/{client}/key-rotations
A86 POST /integration-acknowledgments
`
  .trim()
  .split('\n');

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
  const id = String(operation['x-id']);
  const method = operation['x-effective-method'] ?? verb.toUpperCase();
  return `${/^A\d+$/.test(id) ? `${id} ` : ''}${method} ${path.replace('/api/v1', '')}`;
}

function isPlanned({ operation }: (typeof operations)[number]): boolean {
  return operation['x-status'] === 'planned';
}

describe('openapi.json', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await isValid(document)).toBe(true);
    expect(document['openapi']).toMatch(/^3\.1\./);
  });

  it.each<[what: string, change: (copy: Document) => void]>([
    ['a parameter in no place', (copy) => Reflect.set(first(copy).parameters[0] ?? {}, 'in', 'nowhere')],
    ['an operation without replies', (copy) => Reflect.set(first(copy), 'responses', 'none')],
    ['a document without a title', (copy) => Reflect.deleteProperty(Object(copy['info']), 'title')],
  ])('would not be with %s', async (_, change) => {
    expect(await isValid(spoilt(change))).toBe(false);
  });

  it('resolves every reference that it makes', () => {
    const references = [...text.matchAll(/"\$ref": "#\/components\/([^"/]+)\/([^"/]+)"/g)];
    expect(references.length).toBeGreaterThan(300);
    expect(references.length).toBe(text.match(/"\$ref"/g)?.length);
    const open = references.filter(
      ([, kind = '', name = '']) => !(name in (document.components[kind] ?? {})),
    );
    expect(open.map(([reference]) => reference)).toEqual([]);
  });

  it('has no component that nothing leads to', () => {
    const reachable = reachableFrom([document.paths, document.webhooks]);
    const { securitySchemes: _, ...referenced } = document.components;
    const idle = Object.entries(referenced).flatMap(([kind, named]) =>
      Object.keys(named)
        .map((name) => `${kind}/${name}`)
        .filter((place) => !reachable.has(place)),
    );
    expect(reachable.size).toBeGreaterThan(80);
    expect(idle).toEqual([]);
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
    expect(document.webhooks['webhook.endpoint_verification']?.['post']).toMatchObject({
      responses: {
        '2XX': { content: { 'application/json': { schema: { required: ['challenge'] } } } },
      },
    });
  });

  it('has no pattern that other languages cannot read', () => {
    const patterns = valuesOf('pattern', document).filter((value) => typeof value === 'string');
    expect(patterns.length).toBeGreaterThan(5);
    expect(patterns.filter((pattern) => /\(\?<?[=!]/.test(pattern))).toEqual([]);
  });

  it('names callers where the text does', () => {
    const callers = (path: string) => operations.find((entry) => entry.path === path)?.operation['x-actors'];
    expect(callers('/api/v1/bids/{bid}')).toEqual(['bank', 'partner']);
    expect(callers('/api/v1/bank/inventory/schemas')).toEqual(['bank']);
    expect(callers('/api/v1/events')).toBeUndefined();
    expect(callers('/api/v1/winner-updates')).toBeUndefined();
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

  it('tells how to sign, whole', () => {
    const { description } = Object(document['info']);
    for (const fact of [
      'six lines',
      '`PATCH` or `PUT`',
      '`/api/v1`',
      'RFC 3986',
      'SHA-256',
      'HMAC-SHA256',
      '300 seconds',
      '`Idempotency-Key`',
    ]) {
      expect(description).toContain(fact);
    }
    expect(description.match(/^\d\. /gm)).toHaveLength(6);
  });

  it('calls every operation by a name of its own', () => {
    const delivered = Object.values(document.webhooks).flatMap((verbs) => Object.values(verbs));
    const ids = [...operations.map(({ operation }) => operation), ...delivered].map((one) => one.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).not.toContain(undefined);
  });

  it('has every operation with a method, under what it is signed as', () => {
    expect(listed).toHaveLength(56);
    expect(
      operations
        .filter((entry) => !isPlanned(entry))
        .map(lineOf)
        .sort(),
    ).toEqual([...listed].sort());
  });

  it('has every planned operation, and tells nothing of it', () => {
    expect(planned).toHaveLength(40);
    const found = operations.filter(isPlanned);
    expect(found.map(lineOf).sort()).toEqual([...planned].sort());
    for (const { operation } of found) {
      expect(operation['x-scope']).toBeUndefined();
      expect(Object.keys(Object(operation['responses']))).toEqual(['default']);
    }
  });

  it('says what is not callable', () => {
    const open = operations.filter(({ operation }) => operation['x-status'] !== 'callable');
    expect(open.filter((entry) => !isPlanned(entry)).map(lineOf)).toEqual([
      'A13 POST /webhook-subscriptions',
    ]);
  });

  it('uses no method that the host blocks', () => {
    expect([...new Set(operations.map(({ verb }) => verb))].sort()).toEqual(['get', 'post']);
  });

  it('declares every parameter of every path, and no others', () => {
    for (const { path, verb, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect(
        declared.map(({ name }) => name),
        `${verb} ${path}`,
      ).toEqual(named);
      expect(declared.every(({ required }) => required)).toBe(true);
    }
  });

  it('tells paths apart by more than the names of their parameters', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, '{}'));
    expect(new Set(shapes).size).toBe(shapes.length);
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

function first({ paths }: Document): Operation {
  const operation = paths['/api/v1/bids/{bid}']?.['get'];
  if (operation === undefined) throw new Error('The document has no A05');
  return operation;
}
