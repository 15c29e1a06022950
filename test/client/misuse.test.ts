import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import type { Transport } from '../../src/core/transport/transport.js';
import { accepted, credentials, dealer, KEY, rejection } from '../support/clients.js';
import { root } from '../support/sources.js';
import { ToldTime } from '../support/told-time.js';
import { VirtualClock } from '../support/virtual-clock.js';

const base = {
  environment: 'sandbox' as const,
  baseUrl: 'https://bank.example/api/v1',
  credentials,
  partnerType: 'direct_dealer' as const,
};

function silent(): void {}

function fails(): never {
  throw new Error('fails');
}

describe('misuse is told, not swallowed', () => {
  it('a forgotten await ends the process, as Node does with any unhandled rejection', async () => {
    const code = `
      import { PartnerClient } from 'vehicle-auction-sdk';
      const auction = new PartnerClient(${JSON.stringify(base)});
      auction.bids.submit('lot_1', { amount: 5 });
    `;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: root });
    expect(await rejection(run)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('InvalidRequestError'),
    });
  });

  it("an error's stack leads back to the caller's line", async () => {
    const { client } = dealer([{ status: 404, json: { message: 'Not found.' } }]);
    async function whereTheCallerStands() {
      return await client.events.get('auc_1');
    }
    expect(await rejection(whereTheCallerStands())).toMatchObject({
      stack: expect.stringContaining('whereTheCallerStands'),
    });
  });

  it.each([
    [{ timeOut: 5 }, 'options.timeOut'],
    [{ idempotencykey: KEY }, 'options.idempotencykey'],
    [5, 'options'],
    [null, 'options'],
    [{ signal: new AbortController() }, 'options.signal'],
  ])('call options %o', async (options, path) => {
    const { client, transport } = dealer([{ status: 201, json: accepted() }]);
    const submit = client.bids.submit.bind(client.bids) as (...args: unknown[]) => Promise<unknown>;
    expect(await rejection(submit('lot_1', { amount: '1' }, options))).toMatchObject({
      name: 'InvalidRequestError',
      issues: [{ path }],
    });
    expect(transport.sent).toEqual([]);
  });

  it.each([
    [{ idempotency_key: null, amount: '1' }, undefined],
    [{ amount: '1' }, { idempotencyKey: null }],
  ])('a null key is no key to make up: %o, %o', async (body, options) => {
    const { client, transport } = dealer([{ status: 201, json: accepted() }]);
    const submit = client.bids.submit.bind(client.bids) as (...args: unknown[]) => Promise<unknown>;
    expect(await rejection(submit('lot_1', body, options))).toMatchObject({
      issues: [{ path: 'idempotency_key' }],
    });
    expect(transport.sent).toEqual([]);
  });

  it.each(['live', ['live'], 5])('a query that is %o', async (query) => {
    const { client } = dealer([]);
    const list = client.events.list.bind(client.events) as (query: unknown) => {
      firstPage(): Promise<unknown>;
    };
    expect(await rejection(list(query).firstPage())).toMatchObject({
      issues: [{ path: 'query', message: 'must be a plain object' }],
    });
  });

  it.each([5, { max: 1 }, { limit: '1' }, { limit: -1 }])('toArray(%o)', async (options) => {
    const toArray = dealer([]).client.events.list();
    expect(
      await rejection((toArray.toArray as (options: unknown) => Promise<unknown>).call(toArray, options)),
    ).toMatchObject({
      issues: [{ path: 'limit' }],
    });
  });

  it('thousands of bad items make a message that can be read', async () => {
    const { client } = dealer([]);
    const error = await rejection(
      client.lots.statusBatch({ lot_ids: Array.from({ length: 200_000 }, () => '') }),
    );
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      message: expect.stringContaining('and 199980 more'),
    });
    expect(String(error).length).toBeLessThan(2_000);
  });

  it.each([
    [undefined, 'options'],
    [null, 'options'],
    [{ ...base, timeoutMs: 5 }, 'timeoutMs'],
    [{ ...base, credentials: null }, 'credentials'],
    [{ ...base, credentials: 'secret' }, 'credentials'],
    [{ ...base, transport: {} }, 'transport'],
    [{ ...base, logger: { log: () => undefined } }, 'logger'],
    [{ ...base, clock: 5 }, 'clock'],
    [{ ...base, clock: { now: 5 } }, 'clock'],
    [{ ...base, randomness: { uuid: 'x' } }, 'randomness'],
    [{ ...base, baseUrl: ' https://bank.example/api/v1' }, 'baseUrl'],
    [{ ...base, dealerId: 'D-204\n' }, 'dealerId'],
  ])('client options %o', (options, option) => {
    const make = () => new PartnerClient(options as unknown as typeof base);
    expect(make).toThrow(expect.objectContaining({ name: 'ConfigurationError', option }));
  });

  it('suggests an address that could be right', () => {
    expect(() => new BankClient({ ...base, baseUrl: 'https://bank.example/api/v2' } as never)).toThrow(
      /partnerType is not an option/,
    );
    const { partnerType: _, ...bank } = base;
    expect(() => new BankClient({ ...bank, baseUrl: 'https://bank.example/api/v2' })).toThrow(
      'as in https://bank.example/api/v1',
    );
  });

  it("a bank doesn't ask for a buyer", async () => {
    const { partnerType: _, ...bank } = base;
    const client = new BankClient(bank);
    expect(await rejection(client.events.lot('a', 'l', { bidder_reference: 'b' }))).toMatchObject({
      issues: [{ path: 'bidder_reference' }],
    });
  });

  it('a nonce that fails in the middle takes nothing back: the first attempt stays in doubt', async () => {
    let nonces = 0;
    const nonce = () => {
      nonces += 1;
      // One for A01, one for the first attempt.
      if (nonces > 2) throw new Error('no entropy');
      return 'n'.repeat(16);
    };
    const { client, clock } = dealer([{ fail: 'maybe' }], { randomness: { nonce, fraction: () => 0 } });
    const failed = rejection(client.bids.submit('lot_1', { amount: '1' }, { idempotencyKey: KEY }));
    await clock.advance(1);
    expect(await failed).toMatchObject({
      name: 'ConfigurationError',
      outcome: 'unknown',
      idempotencyKey: KEY,
      attempts: 2,
      cause: { message: 'no entropy' },
      nextStep: expect.stringContaining(`intents.reconcile("${KEY}")`),
    });
  });

  it('a transport that throws at once, or returns no promise, fails like any other', async () => {
    for (const send of [
      () => {
        throw new Error('sync');
      },
      () => undefined,
    ]) {
      const { client, clock } = dealer([], {
        maxAttempts: 1,
        transport: told({ send: send as never, close: async () => undefined }),
      });
      expect(await rejection(client.bids.submit('lot_1', { amount: '1' }))).toMatchObject({
        name: 'ConnectionError',
        outcome: 'unknown',
      });
      expect(clock.pending).toEqual([]);
    }
  });

  it('a clock that fails once something was sent hides nothing', async () => {
    for (const failsAt of [2, 3, 4]) {
      let reads = 0;
      const now = () => {
        reads += 1;
        if (reads >= failsAt) throw new Error('clock lost');
        return 1_772_431_200_000;
      };
      const { client } = dealer([{ status: 201, json: accepted() }], { clock: { monotonic: now } });
      expect(
        await rejection(client.bids.submit('lot_1', { amount: '1' }, { idempotencyKey: KEY })),
      ).toMatchObject({
        name: 'ConfigurationError',
        outcome: expect.stringMatching(/unknown|not_sent/),
        idempotencyKey: KEY,
      });
    }
  });

  it.each([
    { status: 201 },
    { status: '201', headers: {}, body: [], discard: silent },
    { status: 201, headers: {}, body: [], discard: 5 },
    {
      status: 201,
      headers: {},
      body: {
        [Symbol.asyncIterator]: fails,
      },
      discard: fails,
    },
  ])('a reply that is none: %o', async (reply) => {
    const { client } = dealer([], {
      maxAttempts: 1,
      transport: told({ send: async () => reply as never, close: async () => undefined }),
    });
    expect(await rejection(client.bids.submit('lot_1', { amount: '1' }))).toMatchObject({
      name: 'ConnectionError',
      outcome: 'unknown',
    });
  });

  it.each([
    new Proxy(
      {},
      {
        getPrototypeOf: () => {
          throw new Error('trap');
        },
      },
    ),
    Object.assign(new Error('x'), {
      errors: new Proxy([], {
        get: () => {
          throw new Error('trap');
        },
      }),
    }),
  ])('a cause that cannot be read', async (cause) => {
    const { client } = dealer([{ fail: 'maybe', cause }], { maxAttempts: 1 });
    expect(await rejection(client.bids.submit('lot_1', { amount: '1' }))).toMatchObject({
      name: 'ConnectionError',
      outcome: 'unknown',
    });
  });

  it('a transport that writes into the body changes no later attempt', async () => {
    const sent: string[] = [];
    const { client, clock } = dealer([], {
      transport: told({
        send: async ({ body }) => {
          if (!(body instanceof Uint8Array)) throw new Error('A body in memory was expected');
          sent.push(String(Buffer.from(body)));
          body.fill(32);
          throw new Error('cut');
        },
        close: async () => undefined,
      }),
    });
    const failed = rejection(client.bids.submit('lot_1', { amount: '1' }));
    await clock.advance(1);
    await failed;
    expect(new Set(sent).size).toBe(1);
  });
});

/** The first write reads A01, which is not what these transports are about. */
function told(transport: Transport): Transport {
  return new ToldTime(transport, new VirtualClock());
}
