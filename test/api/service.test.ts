import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Operation } from '../../src/api/operation.js';
import { plannedOperations } from '../../src/api/planned.js';
import { scopes } from '../../src/api/scopes.js';
import { resources } from '../../src/api/service.js';
import { listedRows, methodRows as rows } from '../support/text-operations.js';

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

const words = (text: string) => text.trim().split(/\s+/);

const methods: readonly (readonly [name: string, operation: Operation])[] = resources.flatMap(
  ({ name, operations }) =>
    Object.entries(operations).map(([method, operation]): [string, Operation] => [
      `${name}.${method}`,
      operation,
    ]),
);

describe('the service as data', () => {
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
    expect(plannedOperations.map(({ id, method, path }) => [id, method, path])).toEqual(listedRows);
  });

  it('leaves no id of the text out, and makes none up', () => {
    const numbered = [...rows.map(([, id = '']) => id), ...listedRows.map(([id = '']) => id)].filter((id) =>
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
    expect(new Set(addresses).size).toBe(methods.length);
    const fixed = methods.flatMap(([name, { fixedQuery }]) => (fixedQuery ? [[name, fixedQuery]] : []));
    expect(fixed).toEqual([['documents.download', { download: '1' }]]);
  });
});

describe.each(methods)('%s', (_name, operation) => {
  const { id, method, params = {}, query, body, effect } = operation;

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
