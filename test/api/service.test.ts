import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Operation } from '../../src/api/operation.js';
import { plannedOperations } from '../../src/api/planned.js';
import { scopes } from '../../src/api/scopes.js';
import { resources } from '../../src/api/service.js';
import { routes } from '../../src/routes/all.js';
import { plannedRows, methodRows as rows } from '../support/text-operations.js';

// The facts below are the API text's, copied; nothing of them is read from src/api.

const listedScopes = `
catalogue:read vehicles:read bids:write bids:read results:read sales:read sales:approve
sales:acknowledge sales:cancel-request sales:cancel-approve webhooks:manage integration:read
eligibility:read bids:cancel-request bids:cancel-read bids:cancel-approve lot-status:read
offers:write offers:respond payments:read payments:report payments:verify payments:allocate
receipts:import documents:read documents:write refunds:request refunds:approve refunds:read
disputes:write disputes:read release:approve release:read release:revoke collection:confirm
transfer:write transfer:read inventory:write inventory-schema:read notifications:read
notifications:acknowledge
`;

/** Body fields by operation, without `_method`. */
const bodies: Readonly<Record<string, string>> = {
  'bids.submit': 'dealer_id amount idempotency_key bidder_reference client_bid_time',
  A07: 'reason_code explanation idempotency_key',
  A09: 'decision reason idempotency_key expected_version',
  A11: 'lot_ids bidder_reference',
  A13: 'name url events idempotency_key',
  A22: 'decision bid_id reason terms_version due_at payee_instructions idempotency_key expected_version offer_id',
  A23: 'terms_version idempotency_key expected_version',
  A24: 'amount currency terms_version valid_until reason expected_version idempotency_key',
  A25: 'decision terms_version reason expected_version idempotency_key',
  A26: 'reason_code explanation expected_version idempotency_key',
  A27: 'decision reason expected_version idempotency_key',
  A36: 'sale_id amount currency method utr paid_at external_reference evidence_id idempotency_key',
  A38: 'decision reason bank_receipt_id bank_account_reference received_amount currency idempotency_key expected_version',
  A42: 'sale_id bank_account_reference utr external_transaction_id amount currency value_date evidence_id idempotency_key',
  A45: 'sale_id amount idempotency_key expected_version',
  A47: 'amount reason expected_version idempotency_key',
  A48: 'decision reason expected_version idempotency_key',
  A50: 'sale_id reason_code explanation evidence_id idempotency_key',
  A52: 'recipient yard expires_at collection_date idempotency_key expected_version',
  A54: 'reason idempotency_key expected_version',
  A56: 'collector vehicle_identity evidence_id idempotency_key expected_version',
  A57: 'status responsible_party reason evidence_id document_checklist occurred_at idempotency_key expected_version',
  A59: 'title external_id schema_version values idempotency_key',
  A60: 'title values expected_version idempotency_key',
  A72: 'sale_id purpose filename content_base64 idempotency_key',
  A75: 'status external_reference idempotency_key',
};

/** Query fields by operation. */
const queries: Readonly<Record<string, string>> = {
  'events.list': 'status page per_page',
  'events.lots': 'page per_page search bidder_reference',
  'events.lot': 'bidder_reference',
  'lots.list': 'page',
  'results.list': 'page',
  'bids.list': 'page bidder_reference',
  'winnerUpdates.list': 'after limit',
  A03: 'lot_id bidder_reference amount',
  A08: 'page',
  A20: 'page',
  A74: 'page',
};

/** Where the version comes from: path parameter, kind of its record, field. */
const versions: Readonly<Record<string, string>> = {
  A09: 'request cancellation resource_version',
  A22: 'sale sale resource_version',
  A23: 'sale sale resource_version',
  A24: 'sale sale resource_version',
  A25: 'offer offer resource_version',
  A26: 'sale sale resource_version',
  A27: 'request sale_cancellation resource_version',
  A38: 'report payment_report resource_version',
  A45: 'payment payment resource_version',
  A47: 'payment payment resource_version',
  A48: 'request refund_request resource_version',
  A52: 'sale sale resource_version',
  A54: 'release release resource_version',
  A56: 'release release resource_version',
  A57: 'sale sale resource_version',
  A60: 'vehicle inventory_command inventory_version',
};

const words = (text: string) => text.trim().split(/\s+/);
const fields = (schema: z.ZodObject | undefined) => Object.keys(schema?.shape ?? {}).sort();

const methods: readonly (readonly [name: string, operation: Operation])[] = resources.flatMap(
  ({ name, operations }) =>
    Object.entries(operations).map(([method, operation]): [string, Operation] => [
      `${name}.${method}`,
      operation,
    ]),
);

describe('the service as data', () => {
  it('has the resources in the order of the reference', () => {
    expect(resources.map(({ name }) => name)).toEqual([
      'integration',
      'eligibility',
      'events',
      'lots',
      'vehicles',
      'results',
      'bids',
      'bidCancellations',
      'winnerUpdates',
      'saleCases',
      'offers',
      'saleCancellations',
      'paymentReports',
      'payments',
      'bankReceipts',
      'refundRequests',
      'refunds',
      'disputes',
      'releases',
      'inventory',
      'documents',
      'notifications',
      'webhookSubscriptions',
    ]);
  });

  it('has 57 methods for 56 operations, and 40 planned ones beside them', () => {
    expect(rows).toHaveLength(57);
    expect(methods).toHaveLength(57);
    expect(new Set(methods.map(([, { id }]) => id)).size).toBe(56);
    expect(plannedOperations).toHaveLength(40);
    const ids = [...new Set(methods.map(([, { id }]) => id)), ...plannedOperations.map(({ id }) => id)];
    expect(new Set(ids).size).toBe(96);
  });

  it('has every operation of the text, as the text has it', () => {
    const found = methods.map(([name, { id, method, path, scope, actors }]) =>
      // The text names no actor for submitting a bid, but describes only partners as bidding.
      [name, id, method, path, scope, id === 'bids.submit' ? '-' : (actors?.join(',') ?? '-')].join(' '),
    );
    expect(found.sort()).toEqual(rows.map((row) => row.join(' ')).sort());
    expect(methods.find(([name]) => name === 'bids.submit')?.[1].actors).toEqual(['partner']);
  });

  // rule: delivery.4, version.6
  it('plans what the text lists as not callable', () => {
    expect(plannedOperations.map(({ id, method, path }) => [id, method, path])).toEqual(plannedRows);
  });

  it('leaves no id of the text out, and makes none up', () => {
    const numbered = [...rows.map(([, id = '']) => id), ...plannedRows.map(([id = '']) => id)].filter((id) =>
      /^A\d\d$/.test(id),
    );
    const expected = Array.from({ length: 86 }, (_, index) => `A${String(index + 1).padStart(2, '0')}`);
    expect([...new Set(numbered)].sort()).toEqual(expected.filter((id) => id !== 'A04'));
  });

  // rule: convention.5
  it('knows every scope, and uses each one', () => {
    const listed = words(listedScopes);
    expect(scopes).toEqual(listed);
    expect([...new Set(methods.map(([, { scope }]) => scope))].sort()).toEqual([...listed].sort());
  });

  it('tells two operations at one address apart by their fixed query only', () => {
    const addresses = methods.map(
      ([, { method, path, fixedQuery }]) => `${method} ${path} ${JSON.stringify(fixedQuery ?? {})}`,
    );
    expect(new Set(addresses).size).toBe(57);
    const fixed = methods.flatMap(([name, { fixedQuery }]) => (fixedQuery ? [[name, fixedQuery]] : []));
    expect(fixed).toEqual([['documents.download', { download: '1' }]]);
  });

  it('names every route as its caller knows it', () => {
    expect(routes.map(({ name, id }) => [name, id])).toEqual(methods.map(([name, { id }]) => [name, id]));
  });
});

describe.each(methods)('%s', (_name, operation) => {
  const { id, method, path, params = {}, query, body, effect, versionFrom } = operation;

  it('has a parameter for each place of its path', () => {
    const places = [...path.matchAll(/\{([^}]*)\}/g)].map(([, place]) => place);
    expect(Object.keys(params)).toEqual(places);
    expect(path).toMatch(/^(?:\/(?:[a-z-]+|\{[a-z_]+\}))+$/);
  });

  // rule: state.payment-report, limit.fixed-pages
  it('takes the fields that the text shows, and no others', () => {
    expect(fields(body)).toEqual(
      words(bodies[id] ?? '')
        .filter(Boolean)
        .sort(),
    );
    expect(fields(query)).toEqual(
      words(queries[id] ?? '')
        .filter(Boolean)
        .sort(),
    );
    for (const schema of [body, query]) {
      if (schema === undefined) continue;
      const codes = schema.safeParse({ not_a_field: 1 }).error?.issues.map(({ code }) => code);
      expect(codes).toContain('unrecognized_keys');
    }
  });

  it('has a body and an effect that go with its HTTP method', () => {
    const expected = id === 'bids.submit' ? 'bid' : method === 'GET' || id === 'A11' ? 'read' : 'command';
    expect(effect).toBe(expected);
    expect(body !== undefined).toBe(method !== 'GET');
    expect(operation.success).toEqual(effect === 'bid' ? [201, 200] : id === 'A13' ? [200, 201] : [200]);
    expect(operation.availability).toBe(id === 'A13' ? 'documented' : 'callable');
  });

  // rule: convention.2
  it('carries an idempotency key where it changes something, and nowhere else', () => {
    expect('idempotency_key' in (body?.shape ?? {})).toBe(effect !== 'read');
    for (const code of ['IDEMPOTENCY_KEY_REQUIRED', 'IDEMPOTENCY_CONFLICT'] as const) {
      expect(operation.refusals.includes(code)).toBe(effect !== 'read');
    }
  });

  // rule: convention.2
  it('says where its version comes from exactly where it has one', () => {
    expect(versionFrom !== undefined).toBe('expected_version' in (body?.shape ?? {}));
    const source = versionFrom && `${versionFrom.param} ${versionFrom.kind} ${versionFrom.field}`;
    expect(source).toBe(versions[id]);
    if (versionFrom !== undefined) expect(Object.keys(params)).toContain(versionFrom.param);
  });

  it('has a reply schema unless it returns bytes', () => {
    expect(operation.reply === undefined).toBe(operation.envelope === 'binary');
    // What A13 returns isn't shown, so nothing is expected of it.
    if (effect === 'command') expect(operation.envelope).toBe(id === 'A13' ? 'whole' : 'command');
  });

  it('describes itself and its input in lines that any document can hold', () => {
    const inputs = [
      ...Object.values(params),
      ...Object.values(query?.shape ?? {}),
      ...Object.values(body?.shape ?? {}),
    ];
    const described = inputs.map((schema) => descriptionOf(schema));
    for (const text of [operation.summary, ...(operation.notes ?? []), ...described]) {
      expect(text).toMatch(/^[^|\n]+\.$/);
    }
  });
});

describe('reply models', () => {
  const models = replyModels();

  it.each([...models])('%# describe every field and say what they are', (schema) => {
    expect(schema.meta()).toMatchObject({ title: expect.any(String), section: expect.any(String) });
    for (const [name, field] of Object.entries(schema.shape)) {
      expect(descriptionOf(field), name).toMatch(/^[^|\n]+\.$/);
    }
  });

  it('are there to be looked at', () => {
    expect(models.size).toBeGreaterThan(35);
  });

  it('keep unknown fields and values', () => {
    for (const schema of models) expect(schema.def.catchall).not.toBeInstanceOf(z.ZodNever);
  });
});

/** Every object schema with a title that a reply holds, however deep. */
function replyModels(): Set<z.ZodObject> {
  const found = new Set<z.ZodObject>();
  const visit = (schema: unknown): void => {
    if (schema instanceof z.ZodObject) {
      if (schema.meta()?.title !== undefined) found.add(schema);
      for (const field of Object.values(schema.shape)) visit(field);
    } else if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) visit(schema.unwrap());
    else if (schema instanceof z.ZodArray) visit(schema.element);
    else if (schema instanceof z.ZodRecord) visit(schema.valueType);
    else if (schema instanceof z.ZodUnion) for (const option of schema.options) visit(option);
  };
  for (const [, { reply, rejection }] of methods) for (const schema of [reply, rejection]) visit(schema);
  return found;
}

function descriptionOf(schema: unknown): string | undefined {
  if (!(schema instanceof z.ZodType)) return undefined;
  const own = schema.meta()?.description;
  if (own !== undefined) return own;
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? descriptionOf(schema.unwrap())
    : undefined;
}
