import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { verifySignature } from '../../src/webhooks/index.js';
import { headersFor, nowMs, refusal, secret, timestamp } from './delivery.js';

const options = { secrets: secret, nowMs };
const good = { ...headersFor('{}'), 'Service-Event-ID': 'evt_1' };
const entries = Object.entries(good);
const lower = Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
const incoming: IncomingHttpHeaders = { host: 'x', 'set-cookie': ['a', 'b'], ...lower };

describe('headers', () => {
  it.each([
    ['a plain object', good],
    ['in lower case', lower],
    ['in upper case', Object.fromEntries(entries.map(([name, value]) => [name.toUpperCase(), value]))],
    ['IncomingHttpHeaders', incoming],
    ['without a prototype', Object.assign(Object.create(null), good)],
    ['each as a list of one', Object.fromEntries(entries.map(([name, value]) => [name, [value]]))],
    ['Headers', new Headers(good)],
    ['a Map', new Map(entries)],
    ['pairs', entries],
    ['with undefined beside them', { ...good, 'service-signature': undefined, other: undefined }],
  ])('may be %s', (_, headers) => {
    expect(verifySignature('{}', headers, options)).toEqual({ secretIndex: 0, timestamp, eventId: 'evt_1' });
  });

  it('need no event id', () => {
    expect(verifySignature('{}', headersFor('{}'), options)).not.toHaveProperty('eventId');
  });

  it('repeated in Headers are refused', () => {
    const headers = new Headers(good);
    headers.append('Service-Timestamp', String(timestamp));
    expect(refusal(() => verifySignature('{}', headers, options)).reason).toBe('TIMESTAMP_MALFORMED');
  });

  it.each([undefined, null, 'Service-Signature: v1=', 5, [], {}])('of %s are none', (headers) => {
    // @ts-expect-error what untyped callers pass
    expect(refusal(() => verifySignature('{}', headers, options)).reason).toBe('TIMESTAMP_MISSING');
  });

  it('on the prototype count for nothing', () => {
    expect(refusal(() => verifySignature('{}', Object.create(good), options)).reason).toBe(
      'TIMESTAMP_MISSING',
    );
  });
});
