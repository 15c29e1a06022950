import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import type { TransportRequest } from '../../src/core/transport/transport.js';
import { refusal } from '../support/bid-replies.js';
import { bank, credentials, dealer, event, loggerOf, rejection, SECRET } from '../support/clients.js';
import { formsOf, shownBy } from '../support/secrecy.js';

const forms = formsOf(SECRET);

function nested(depth: number, innermost: Error): Error {
  return depth === 0 ? innermost : new Error(`level ${depth}`, { cause: nested(depth - 1, innermost) });
}

function expectNoSecret(shown: string, ...others: readonly string[]): void {
  for (const form of [...Object.values(forms), ...others]) expect(shown).not.toContain(form);
}

describe('the signing secret never shows', () => {
  // rule: general.8
  it('in a client, its resources and its lists, however they are looked at', () => {
    for (const { client } of [dealer([]), bank([])]) {
      for (const shown of [client, { nested: [client] }, client.bids, client.events.list()]) {
        expectNoSecret(shownBy(shown));
      }
    }
  });

  it('and a client shows who it is instead', () => {
    const { client } = dealer([]);
    expect(inspect(client)).toBe(
      'PartnerClient {"baseUrl":"https://bank.example/api/v1","clientId":"cl_7f3a","keyId":"key_19c2","partnerType":"direct_dealer","dealerId":"D-204"}',
    );
    expect(inspect(bank([]).client)).toContain('BankClient {"baseUrl":"https://bank.example/api/v1"');
  });

  it.each(Object.entries(forms))('where a reply, a header or a provider repeats it: %s', async (_, form) => {
    const headers = { 'x-echo': form, 'content-type': `image/${form}`, 'content-disposition': form };
    const json = { message: `bad ${form}`, errors: { [`f ${form}`]: [`is ${form}`] } };
    const lines: string[] = [];
    const log = (message: string, fields?: object) => lines.push(message + inspect(fields, { depth: 20 }));
    let asked = 0;
    const steps = [
      { status: 422, json, headers },
      { ...event, headers },
      { status: 200, text: 'x', headers },
      refusal(401, 'KEY_REVOKED'),
    ];
    const { client } = dealer(steps, {
      logLevel: 'debug',
      logger: loggerOf(log),
      credentials: () => {
        asked += 1;
        if (asked > 1) throw new Error(`no key but ${form}`);
        return credentials;
      },
    });
    const get = () => client.events.get('auc_1');
    expectNoSecret(shownBy(await rejection(get())));
    const { headers: shown } = responseOf(await get());
    expect(shown['x-echo']).toContain('[redacted]');
    const { contentType, contentDisposition } = await client.events.media('auc_1', 'lot_1', 1);
    expectNoSecret(JSON.stringify([shown, contentType, contentDisposition]));
    expectNoSecret(shownBy(await rejection(get())) + lines.join());
    expect(asked).toBe(2);
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
      (request) => no({ request, bytes: secret, toJSON: () => request, [inspect.custom]: () => SECRET }),
      (request) => hidden('request', () => request),
      (_, headers) => nested(12, new Error(headers)),
      (_, headers) => new AggregateError([new Error(headers)], 'all failed'),
      (_, headers) => headers,
      () => new Error(`the secret is ${Buffer.from(`??${SECRET}!`).toString('base64')}`),
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
    const { message, stack } = cause;
    const shown = { name: 'Error', message, code: 'ECONNREFUSED', stack };
    expect(await rejection(client.events.get('auc_1'))).toMatchObject({ cause: shown });
  });

  it('in debug logs, nor does a signature or a body', async () => {
    const lines: string[] = [];
    const log = (message: string, fields?: object) =>
      lines.push(message + inspect(fields, { depth: 20, showHidden: true }));
    const { client, transport } = dealer(
      [{ fail: 'maybe' }, event, { status: 422, json: { message: 'no', errors: { amount: ['no'] } } }],
      { logLevel: 'debug', logger: loggerOf(log), clock: {} },
    );
    await client.events.get('auc_1');
    await rejection(client.bids.submit('lot_1', { amount: '424242.42' }));
    const signature = transport.sent[0]?.headers['X-Signature'] ?? '';
    expect(lines.length).toBeGreaterThan(3);
    expectNoSecret(lines.join('\n'), signature, '424242.42');
  });
});
