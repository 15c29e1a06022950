import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { WebhookRefusal } from '../../src/errors/webhook.js';
import {
  type ApprovedSale,
  challengeOf,
  verifyWebhook,
  type WebhookEvent,
} from '../../src/webhooks/index.js';
import { headersFor, nowMs, refusal, saleApproved, secret } from './delivery.js';

fc.configureGlobal({ seed: 20260307, numRuns: 200 });

const options = { secrets: secret, now: nowMs };
const deliver = (body: Uint8Array | string, more: Record<string, string | string[]> = {}) =>
  verifyWebhook(body, { ...headersFor(body), ...more }, options);
const deliverJson = (value: unknown) => deliver(JSON.stringify(value));
const approvedWith = (over: object) => JSON.stringify({ ...saleApproved, ...over });
const { data } = saleApproved;
const { sale } = data;

describe('verifyWebhook', () => {
  // rule: delivery.1, event.envelope, event-state.close-moved, event.other
  it.each([
    saleApproved,
    {
      ...saleApproved,
      type: 'auction.schedule_changed',
      data: { auction_id: 'auc_1', resource_version: 3, effective_close_at: '2026-03-01T10:30:00+05:30' },
    },
    { ...saleApproved, type: 'vehicle.status_changed', data: { sale_id: null, vehicle_status: 'released' } },
    { ...saleApproved, type: 'payment.verified', data: { anything: [1] } },
    { ...saleApproved, type: '__proto__', data: { x: 1 } },
    // An odd optional field loses nothing.
    {
      ...saleApproved,
      data: { ...data, lot_id: null, sale: { ...sale, bid_id: null, winner: 'yes', due_at: 5 } },
    },
  ])('gives the event of a $type as it came', (event) => {
    expect(deliver(JSON.stringify(event), { 'Service-Event-ID': event.id })).toEqual(event);
  });

  it('keeps unknown fields, and keys that mean something to JavaScript, without polluting anything', () => {
    const json = `{"id":"evt_1","type":"sale.approved","schema_version":1,"extra":{"a":1},"__proto__":{"polluted":1},"data":{"__proto__":{"polluted":2},"constructor":3,"resource_version":2,"sale":{"id":"s","state":"approved","amount":"1.00","new":true}}}`;
    const event = deliver(json);
    expect(JSON.stringify(event)).toBe(json);
    expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
  });

  it('tolerates a byte order mark, and reads PHP’s empty list as the empty object it stands for', () => {
    expect(deliver(`\ufeff${JSON.stringify(saleApproved)}`)).toEqual(saleApproved);
    expect(deliverJson({ ...saleApproved, type: 'sale.rejected', data: [] }).data).toEqual({});
  });

  it('gives an event that a switch narrows, types that this version does not know included', () => {
    const readerOf = (event: WebhookEvent) => {
      if (event.type === 'sale.approved') expectTypeOf(event.data.sale).toEqualTypeOf<ApprovedSale>();
      if (event.type === 'payment.verified') expectTypeOf(event.data['any']).toEqualTypeOf<unknown>();
      if (event.type === 'vehicle.status_changed') return event.data.vehicle_status ?? '';
      return event.type === 'auction.schedule_changed' ? event.data.effective_close_at : `${event.type}`;
    };
    expect(readerOf(deliverJson({ ...saleApproved, type: 'future.event', data: {} }))).toBe('future.event');
  });

  // rule: event.envelope, event.shown, version.2, version.3
  it.each<[string, WebhookRefusal, string | Uint8Array]>([
    ['no JSON', 'body_not_json', 'hello'],
    ['invalid UTF-8', 'body_not_json', Buffer.from([0x22, 0xff, 0x22])],
    ['deep without end', 'body_not_json', '['.repeat(100_000)],
    ['deep', 'envelope_invalid', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['null', 'envelope_invalid', 'null'],
    ['a list', 'envelope_invalid', '[]'],
    ['an empty id', 'envelope_invalid', approvedWith({ id: '' })],
    ['an id with decimals', 'envelope_invalid', approvedWith({ id: 5.5 })],
    ['a schema version in words', 'envelope_invalid', approvedWith({ schema_version: 'one' })],
    ['data in text', 'envelope_invalid', approvedWith({ data: '{}' })],
    ['data as a list', 'envelope_invalid', approvedWith({ data: [1] })],
    ['null for a sale', 'payload_invalid', approvedWith({ data: { ...data, sale: null } })],
    [
      'an amount that is not exact',
      'payload_invalid',
      approvedWith({ data: { ...data, sale: { ...sale, amount: 5.125 } } }),
    ],
  ])('refuses %s: %s', (_, reason, body) => {
    expect(refusal(() => deliver(body)).reason).toBe(reason);
  });

  // rule: event.envelope
  it('reads forms that PHP writes as the text says them', () => {
    const written = {
      id: 5,
      schema_version: '1',
      data: { ...data, resource_version: '2', sale: { ...sale, id: 7, amount: 505000 } },
    };
    expect(deliverJson({ ...saleApproved, ...written })).toMatchObject({
      ...{ id: '5', schema_version: 1 },
      data: { resource_version: 2, sale: { id: '7', amount: '505000.00' } },
    });
  });

  it('loses nothing of a signed body that is malformed: it stands on the error, which names the fields', () => {
    const odd = { ...saleApproved, data: { resource_version: 2, sale: { id: 's', amount: 505000.125 } } };
    const error = refusal(() => deliverJson(odd));
    expect(error.body).toEqual(odd);
    expect(error.message).toMatch(/sale\.state.*sale\.amount/);
    expect(error.message).not.toContain('505000');
    expect(refusal(() => deliverJson({ half: 1 })).body).toEqual({ half: 1 });
    expect(refusal(() => deliver('[1]')).message).toContain('the body:');
  });

  // rule: delivery.1
  it.each([
    ['another', 'evt_2'],
    ['empty', ''],
    ['given twice', ['evt_1', 'evt_1']],
    ['joined', 'evt_1, evt_1'],
  ])('refuses an event id header that is %s', (_, value) => {
    const error = refusal(() => deliver(JSON.stringify(saleApproved), { 'service-event-id': value }));
    expect(error.reason).toBe('event_id_mismatch');
    expect(error.body).toBeUndefined();
  });

  // rule: webhook.raw
  it.each([
    ['correctly signed', 'signature_mismatch', 'other', nowMs],
    ['fresh', 'timestamp_too_old', secret, nowMs + 300_001],
  ])('parses nothing that is not %s', (_, reason, key, now) => {
    const judge = () => verifyWebhook('hello', headersFor('hello', key), { secrets: secret, now: now });
    expect(refusal(judge)).toMatchObject({ reason, body: undefined });
  });

  // rule: event.other
  it('returns any JSON payload of an unknown type unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
        const json = JSON.stringify({ id: 'e', type: 'future.event', schema_version: 7, data });
        expect(JSON.stringify(deliver(json))).toBe(json);
      }),
    );
  });
});

describe('challengeOf', () => {
  const verification = { id: 'e', type: 'webhook.endpoint_verification', schema_version: 1 };

  // rule: delivery.6
  it.each([
    ['at the top', { ...verification, challenge: 'c1', data: {} }, 'c1'],
    ['in data', { ...verification, data: { challenge: 'c2' } }, 'c2'],
    ['in both: the top counts', { ...verification, challenge: 'c1', data: { challenge: 'c2' } }, 'c1'],
    ['at the top, data null', { ...verification, challenge: 'c1', data: null }, 'c1'],
    ['at the top, data an empty list', { ...verification, challenge: 'c1', data: [] }, 'c1'],
    ['nowhere', { ...verification, data: {} }, undefined],
    ['as a number', { ...verification, data: { challenge: 5 } }, undefined],
    ['in an event of another type', { ...saleApproved, challenge: 'c1' }, undefined],
  ])('%s', (_, body, challenge) => {
    expect(challengeOf(deliverJson(body))).toBe(challenge);
  });
});
