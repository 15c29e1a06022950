import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { documents } from '../../src/api/documents.js';
import { inventory } from '../../src/api/inventory.js';
import { notifications } from '../../src/api/notifications.js';
import { webhookSubscriptions } from '../../src/api/webhook-subscriptions.js';
import { winnerUpdates } from '../../src/api/winner-updates.js';

const KEY = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';

const create = inventory.operations.createVehicle.body;
const update = inventory.operations.updateVehicle.body;
const upload = documents.operations.upload.body;
const acknowledge = notifications.operations.acknowledge.body;
const subscribe = webhookSubscriptions.operations.create.body;
const { query } = winnerUpdates.operations.list;

const vehicle = {
  title: 'Swift',
  external_id: 'E-1',
  schema_version: 3,
  values: { f_9: 'x' },
  idempotency_key: KEY,
};
const change = { title: 'Swift', values: { f_9: null }, expected_version: 2, idempotency_key: KEY };
const file = {
  sale_id: 'sale_1',
  purpose: 'payment_evidence',
  filename: 'receipt.pdf',
  content_base64: 'aGk=',
  idempotency_key: KEY,
};
const ack = { status: 'read', external_reference: 'T-1', idempotency_key: KEY };
const subscription = {
  name: 'Wins',
  url: 'https://example.com/webhooks',
  events: ['sale.approved'],
  idempotency_key: KEY,
};

/** Where a schema finds fault with a value; nothing where it takes it. */
function faults(schema: z.ZodObject, value: object): string[] {
  const { error } = schema.safeParse(value);
  return [...new Set((error?.issues ?? []).map(({ path }) => path.join('.')))];
}

describe('bodies', () => {
  it.each([
    ['A59', create, vehicle, []],
    ['A60', update, change, ['title', 'values']],
    ['A72', upload, file, []],
    ['A75', acknowledge, ack, ['external_reference']],
    ['A13', subscribe, subscription, []],
  ] as const)(
    '%s takes all its fields, refuses others, and needs what it needs',
    (_id, body, whole, optional) => {
      expect(faults(body, whole)).toEqual([]);
      expect(body.safeParse({ ...whole, _method: 'PATCH' }).error?.issues[0]?.code).toBe('unrecognized_keys');
      for (const [name, value] of Object.entries(whole)) {
        const { [name]: _, ...rest } = whole as Record<string, unknown>;
        expect(faults(body, rest), name).toEqual(
          (optional as readonly string[]).includes(name) ? [] : [name],
        );
        if (typeof value === 'string') expect(faults(body, { ...whole, [name]: '' }), name).toEqual([name]);
      }
    },
  );

  it('take inventory values by field id, or as a list', () => {
    for (const values of [{}, { f_9: null, f_10: ['a'] }, [], [{ id: 'f_9' }]]) {
      expect(faults(create, { ...vehicle, values })).toEqual([]);
    }
    for (const values of ['f_9', 9, null]) expect(faults(create, { ...vehicle, values })).toEqual(['values']);
  });

  it('take a schema version as text or number', () => {
    for (const schema_version of ['2026-1', 3])
      expect(faults(create, { ...vehicle, schema_version })).toEqual([]);
    for (const schema_version of ['', null]) {
      expect(faults(create, { ...vehicle, schema_version })).toEqual(['schema_version']);
    }
  });

  it('take event types that are not shown, but none that is empty, and not none', () => {
    expect(faults(subscribe, { ...subscription, events: ['sale.approved', 'sale.reopened'] })).toEqual([]);
    expect(faults(subscribe, { ...subscription, events: [] })).toEqual(['events']);
    expect(faults(subscribe, { ...subscription, events: ['sale.approved', ''] })).toEqual(['events.1']);
  });

  it('keep what the generator and the messages need to know of a field', () => {
    expect(upload.shape.content_base64.meta()).toMatchObject({ file: true, description: expect.any(String) });
    expect(update.shape.expected_version.meta()).toMatchObject({
      hint: expect.any(String),
      description: expect.stringContaining('inventory_version'),
    });
    expect(subscribe.shape.url.meta()).toMatchObject({ format: 'uri' });
    expect(acknowledge.shape.status.meta()).toMatchObject({ 'x-known-values': ['read'] });
  });
});

describe('winner updates', () => {
  it('are asked for by a cursor and a limit without a known maximum', () => {
    for (const good of [{}, { after: 'c1' }, { limit: 1 }, { after: 'c1', limit: 100_000 }]) {
      expect(faults(query, good)).toEqual([]);
    }
    for (const limit of [0, -1, 1.5, '50', null]) expect(faults(query, { limit })).toEqual(['limit']);
    for (const after of ['', null, 7]) expect(faults(query, { after })).toEqual(['after']);
  });
});
