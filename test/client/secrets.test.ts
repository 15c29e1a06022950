import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import type { TransportRequest } from '../../src/core/transport/transport.js';
import { signRequest } from '../../src/signing/sign.js';
import { bank, credentials, dealer, rejection, SECRET } from '../support/clients.js';

/** Every way in which the secret could stand in a text. */
const forms = [
  SECRET,
  Buffer.from(SECRET).toString('base64'),
  Buffer.from(SECRET).toString('base64').replace(/=+$/, ''),
  Buffer.from(SECRET).toString('base64url'),
  Buffer.from(SECRET).toString('hex'),
  encodeURIComponent(SECRET),
  JSON.stringify(SECRET).slice(1, -1),
];

function shownBy(value: unknown): string {
  const shown = [
    inspect(value, { showHidden: true, depth: 20, getters: true, maxStringLength: null }),
    inspect(value, { showHidden: true, depth: 20, customInspect: false, maxStringLength: null }),
    JSON.stringify(value) ?? '',
    String(value),
  ];
  try {
    shown.push(inspect(structuredClone(value), { showHidden: true, depth: 20 }));
  } catch (error) {
    shown.push(String(error));
  }
  if (value instanceof Error)
    shown.push(value.stack ?? '', value.cause === undefined ? '' : shownBy(value.cause));
  return shown.join('\n');
}

function nested(depth: number, innermost: Error): Error {
  return depth === 0 ? innermost : new Error(`level ${depth}`, { cause: nested(depth - 1, innermost) });
}

function expectNoSecret(shown: string, ...others: readonly string[]): void {
  for (const form of [...forms, ...others]) expect(shown).not.toContain(form);
}

describe('the signing secret never shows', () => {
  // rule: general.8
  it('in a client, however it is looked at', () => {
    for (const { client } of [dealer([]), bank([])]) {
      expectNoSecret(shownBy(client));
      expectNoSecret(shownBy({ nested: [client] }));
    }
  });

  it('and a client shows who it is instead', () => {
    const { client } = dealer([]);
    expect(inspect(client)).toBe(
      'PartnerClient {"baseUrl":"https://bank.example/api/v1","clientId":"cl_7f3a","keyId":"key_19c2","partnerType":"direct_dealer","dealerId":"D-204"}',
    );
    expect(inspect(bank([]).client)).toContain('BankClient {"baseUrl":"https://bank.example/api/v1"');
  });

  it('in resources and pagers', () => {
    const { client } = dealer([]);
    expectNoSecret(shownBy(client.bids));
    expectNoSecret(shownBy(client.events.list()));
  });

  // rule: general.8
  it.each([
    ['network failure', { fail: 'maybe' as const }],
    [
      '401',
      {
        status: 401,
        json: { success: false, code: 'INVALID_SIGNATURE', message: 'x', data: null, errors: [] },
      },
    ],
    ['garbage', { status: 200, text: '<html>' }],
  ])('in the error of a %s', async (_, step) => {
    const { client } = dealer([step], { maxAttempts: 1 });
    expectNoSecret(shownBy(await rejection(client.events.get('auc_1'))));
  });

  it('in the cause, when an injected transport prints what it was given', async () => {
    let signature = '';
    const base64 = (request: TransportRequest) => Buffer.from(`x${JSON.stringify(request.headers)}`);
    const failures: ((request: TransportRequest) => unknown)[] = [
      (request) => new Error(`could not send ${JSON.stringify(request.headers)}`),
      (request) => Object.assign(new Error('no'), { request }),
      (request) => new Error(`could not send ${JSON.stringify(request.headers).toUpperCase()}`),
      (request) => Object.assign(new Error('no'), { bytes: base64(request) }),
      (request) => Object.assign(new Error('no'), { toJSON: () => request }),
      (request) =>
        Object.defineProperty(new Error('no'), 'request', { get: () => request, enumerable: true }),
      (request) =>
        Object.assign(new Error('no'), { [inspect.custom]: () => JSON.stringify(request.headers) }),
      (request) => nested(12, new Error(JSON.stringify(request.headers))),
      (request) => new AggregateError([new Error(JSON.stringify(request.headers))], 'all failed'),
      (request) => JSON.stringify(request.headers),
      () => new Error(`the secret is ${SECRET}`),
      () => new Error(`the secret is ${Buffer.from(`??${SECRET}!`).toString('base64')}`),
      () =>
        Object.assign(new Error('no'), {
          bytes: Buffer.from(SECRET),
          list: new Uint8Array(Buffer.from(SECRET)),
        }),
      () =>
        Object.defineProperty(new Error('no'), 'message', {
          get: () => {
            throw new Error(SECRET);
          },
        }),
    ];
    for (const fail of failures) {
      const { client } = dealer([], {
        maxAttempts: 1,
        transport: {
          send: (request) => {
            signature = request.headers['X-Signature'] ?? '';
            return Promise.reject(fail(request));
          },
          close: async () => undefined,
        },
      });
      const error = await rejection(client.events.get('auc_1'));
      expect(error).toMatchObject({ name: 'ConnectionError' });
      expect(signature).toMatch(/^[0-9a-f]{64}$/);
      expectNoSecret(shownBy(error).toLowerCase(), signature);
      expectNoSecret(shownBy(error));
    }
  });

  it('but what a harmless cause says stays', async () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' });
    const { client } = dealer([{ fail: 'no', cause }], { maxAttempts: 1 });
    expect(await rejection(client.events.get('auc_1'))).toMatchObject({
      cause: { name: 'Error', message: cause.message, code: 'ECONNREFUSED', stack: cause.stack },
    });
  });

  it('in debug logs, nor does a signature or a body', async () => {
    const lines: string[] = [];
    const log = (message: string, fields?: object) =>
      lines.push(message + inspect(fields, { depth: 20, showHidden: true }));
    let signature = '';
    const { client, transport } = dealer(
      [
        { fail: 'maybe' },
        { status: 200, json: { data: { id: 'auc_1', status: 'live', bid_increment: '1.00', revision: 1 } } },
        { status: 422, json: { message: 'no', errors: { amount: ['no'] } } },
      ],
      { logLevel: 'debug', logger: { error: log, warn: log, info: log, debug: log }, clock: {} },
    );
    await client.events.get('auc_1');
    await rejection(client.bids.submit('lot_1', { amount: '424242.42' }));
    signature = transport.sent[0]?.headers['X-Signature'] ?? '';
    expect(lines.length).toBeGreaterThan(3);
    expectNoSecret(lines.join('\n'), signature, '424242.42');
  });

  it.each([
    ['a newline at its end', `${SECRET}\n`],
    ['a blank', '   '],
    ['nothing', ''],
    ['a control character', `${SECRET.slice(0, 9)}\u0007${SECRET.slice(9)}`],
    ['a space at its start', ` ${SECRET}`],
    ['no string', Buffer.from(SECRET) as unknown as string],
  ])('and a secret that is %s is refused without being shown', (_, signingSecret) => {
    for (const make of [
      () =>
        new PartnerClient({
          environment: 'sandbox',
          baseUrl: 'https://bank.example/api/v1',
          partnerType: 'platform',
          credentials: { ...credentials, signingSecret },
        }),
      () =>
        new BankClient({
          environment: 'sandbox',
          baseUrl: 'https://bank.example/api/v1',
          credentials: { ...credentials, signingSecret },
        }),
      () =>
        signRequest({
          method: 'GET',
          path: '/api/v1/events',
          timestamp: 1,
          nonce: 'n'.repeat(16),
          ...credentials,
          signingSecret,
        }),
    ]) {
      let thrown: unknown;
      try {
        make();
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toMatchObject({
        name: 'ConfigurationError',
        option: expect.stringContaining('signingSecret'),
      });
      expectNoSecret(shownBy(thrown));
    }
  });
});
