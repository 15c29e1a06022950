import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { shownPayloads, webhookEnvelope } from '../../src/api/webhook-events.js';
import { verifyWebhook } from '../../src/webhooks/index.js';
import { headersFor, nowMs, refusal, saleApproved, secret } from './delivery.js';

/** A delivery of each described type with every field that its description requires, and no other. */
const deliveries = [
  saleApproved,
  {
    ...saleApproved,
    type: 'auction.schedule_changed',
    data: { auction_id: 'auc_1', resource_version: 2, effective_close_at: '2026-01-01T02:00:00+00:00' },
  },
  { ...saleApproved, type: 'vehicle.status_changed', data: {} },
  { ...saleApproved, type: 'webhook.endpoint_verification', data: { challenge: 'c' } },
];

/** Every field of a description, with whether it is required all the way up. */
function fieldsOf(
  schema: z.ZodType,
  path: readonly string[] = [],
  required = true,
): (readonly [string, boolean])[] {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([name, field]) => {
    if (!(field instanceof z.ZodType)) throw new TypeError(`${name} is no schema`);
    const isRequired = required && !(field instanceof z.ZodOptional);
    const at = [...path, name];
    return [[at.join('.'), isRequired] as const, ...fieldsOf(field, at, isRequired)];
  });
}

function without(value: unknown, [name = '', ...rest]: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, inner]) => {
    if (key !== name) return [[key, inner]];
    return rest.length === 0 ? [] : [[key, without(inner, rest)]];
  });
  return Object.fromEntries(entries);
}

function verified(event: unknown): unknown {
  const body = JSON.stringify(event);
  return verifyWebhook(body, headersFor(body), { secrets: secret, now: nowMs });
}

it('Every described event type has a delivery here', () => {
  expect(deliveries.map(({ type }) => type).sort()).toEqual(Object.keys(shownPayloads).sort());
});

describe.each(deliveries)('a signed $type', (delivery) => {
  const payload = Object.entries(shownPayloads).find(([type]) => type === delivery.type)?.[1];
  const inData = payload === undefined ? [] : fieldsOf(payload, ['data']);
  const fields = [...fieldsOf(webhookEnvelope), ...inData].filter(([path]) => path !== 'type');

  it.each(fields)(
    'without %s is refused exactly where the description requires it: %s',
    (path, isRequired) => {
      const event = without(delivery, path.split('.'));
      // A verification is certain of its challenge only (unknowns: `webhook-verification-shape`).
      const mayLackData = path === 'data' && delivery.type === 'webhook.endpoint_verification';
      if (isRequired && !mayLackData) {
        expect(refusal(() => verified(event)).reason).toMatch(/^(envelope|payload)_invalid$/);
      } else {
        expect(verified(event)).toMatchObject({ type: delivery.type });
      }
    },
  );
});
