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

  it.each<
    [what: string, body: z.ZodObject, whole: object, field: string, taken: unknown[], refused: unknown[]]
  >([
    [
      'inventory values',
      create,
      vehicle,
      'values',
      [{}, { f_9: null }, [], [{ id: 'f_9' }]],
      ['f_9', 9, null],
    ],
    ['a schema version', create, vehicle, 'schema_version', ['2026-1', 3], ['', null]],
    ['event types', subscribe, subscription, 'events', [['sale.approved', 'sale.reopened']], [[]]],
    ['a cursor', query, {}, 'after', ['c1'], ['', null, 7]],
    ['a limit without a known maximum', query, {}, 'limit', [1, 100_000], [0, -1, 1.5, '50', null]],
  ])('take %s in every form that the text leaves open', (_, body, whole, field, taken, refused) => {
    for (const value of taken) expect(faults(body, { ...whole, [field]: value })).toEqual([]);
    for (const value of refused) expect(faults(body, { ...whole, [field]: value })).toEqual([field]);
  });
});
