import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import type { TransportRequest } from '../../src/core/transport/transport.js';
import { refusal } from '../support/bid-replies.js';
import { bank, dealer, rejection, SECRET } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

const event = { data: { id: 'auc_1', status: 'live', bid_increment: '1.00', revision: 1 } };

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
  it.each<[string, Step]>([
    ['network failure', { fail: 'maybe' }],
    ['401', refusal(401, 'INVALID_SIGNATURE')],
    ['garbage', { status: 200, text: '<html>' }],
  ])('in the error of a %s', async (_, step) => {
    const { client } = dealer([step], { maxAttempts: 1 });
    expectNoSecret(shownBy(await rejection(client.events.get('auc_1'))));
  });

  it('in an error or a header where a reply echoes it', async () => {
    const encoded = Buffer.from(SECRET).toString('base64');
    const headers = { 'x-echo': encoded };
    const { client } = dealer([
      { status: 422, json: { message: `bad ${encoded}`, errors: { [encoded]: [encoded] } }, headers },
      { status: 200, json: event, headers },
    ]);
    expectNoSecret(shownBy(await rejection(client.events.get('auc_1'))));
    expect(responseOf(await client.events.get('auc_1')).headers['x-echo']).toMatch(/^\[redacted\].?==$/);
  });

  it('in the cause, when an injected transport prints what it was given', async () => {
    let signature = '';
    const no = (more: object) => Object.assign(new Error('no'), more);
    const hidden = (name: string, get: () => unknown) =>
      Object.defineProperty(new Error('no'), name, { get, enumerable: true });
    const secret = Buffer.from(SECRET);
    const failures: ((request: TransportRequest, headers: string) => unknown)[] = [
      (_, headers) => new Error(`could not send ${headers}`),
      (_, headers) => new Error(`could not send ${headers.toUpperCase()}`),
      (request) => no({ request }),
      (_, headers) => no({ bytes: Buffer.from(`x${headers}`) }),
      (request) => no({ toJSON: () => request }),
      (request) => hidden('request', () => request),
      (_, headers) => no({ [inspect.custom]: () => headers }),
      (_, headers) => nested(12, new Error(headers)),
      (_, headers) => new AggregateError([new Error(headers)], 'all failed'),
      (_, headers) => headers,
      () => new Error(`the secret is ${SECRET}`),
      () => new Error(`the secret is ${Buffer.from(`??${SECRET}!`).toString('base64')}`),
      () => no({ bytes: secret, list: new Uint8Array(secret) }),
      () => hidden('message', () => nested(0, new Error(SECRET))),
    ];
    for (const fail of failures) {
      const { client } = dealer([], {
        maxAttempts: 1,
        transport: {
          send: (request) => {
            signature = request.headers['X-Signature'] ?? '';
            return Promise.reject(fail(request, JSON.stringify(request.headers)));
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
        { status: 200, json: event },
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
});
