import { afterEach, describe, expect, it, vi } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import type { PartnerClientOptions } from '../../src/client/options.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { credentials, dealer, platform, rejection } from '../support/clients.js';

type Dealer = ReturnType<typeof dealer>['client'];

/** The client as plain JavaScript sees it: the compiler is not there to help. */
interface Untyped {
  bids: { submit(...args: unknown[]): Promise<unknown> };
  events: { lots(...args: unknown[]): { firstPage(): Promise<unknown> } };
}

function untyped(client: Dealer): Untyped {
  return client as unknown as Untyped;
}

describe('input is refused before the network, naming the field and what is allowed', () => {
  const bid = (body: unknown, options?: unknown) => (client: Dealer) =>
    untyped(client).bids.submit('lot_1', body, options);
  const lots = (query: unknown) => (client: Dealer) =>
    untyped(client).events.lots('auc_1', query).firstPage();

  const cases: readonly [
    name: string,
    call: (client: Dealer) => Promise<unknown>,
    path: string,
    allowed: RegExp,
  ][] = [
    ['a missing amount', bid({}), 'amount', /is required .*decimal string/],
    ['no body at all', bid(undefined), 'amount', /is required/],
    [
      "a dealer's bidder_reference",
      bid({ amount: '5', bidder_reference: 'b' }),
      'bidder_reference',
      /left out/,
    ],
    ['a buyer asked for by a dealer', lots({ bidder_reference: 'b' }), 'bidder_reference', /left out/],
    [
      'a timeout of nothing',
      bid({ amount: '5' }, { timeout: 0 }),
      'options.timeout',
      /positive number of milliseconds/,
    ],
    [
      'an endless deadline',
      bid({ amount: '5' }, { deadline: Number.POSITIVE_INFINITY }),
      'options.deadline',
      /positive number/,
    ],
    ['no attempts', bid({ amount: '5' }, { maxAttempts: 0 }), 'options.maxAttempts', /from 1/],
  ];

  it.each(cases)('%s', async (_, call, path, allowed) => {
    const { client, transport } = dealer([]);
    const error = await rejection(call(client));
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      outcome: 'not_sent',
      issues: expect.arrayContaining([{ path, message: expect.stringMatching(allowed) }]),
    });
    expect(String(error)).toContain(path);
    expect(transport.sent).toEqual([]);
  });

  it('names everything that is wrong at once', async () => {
    const { client } = dealer([]);
    const error = await rejection(untyped(client).bids.submit('..', { amount: 5, price: 1 }));
    expect(error).toMatchObject({ issues: [{ path: 'lot' }, { path: 'amount' }, { path: 'price' }] });
  });

  // rule: bid.8
  it('a platform must name the buyer, legally', async () => {
    const { client, transport } = platform([]);
    const submit = client.bids.submit as (lot: string, body: object) => Promise<unknown>;
    for (const bidder_reference of [undefined, '', 'a b', 'x'.repeat(121), 'ü']) {
      const error = await rejection(submit.call(client.bids, 'lot_1', { amount: '5', bidder_reference }));
      expect(error).toMatchObject({ issues: [{ path: 'bidder_reference' }] });
    }
    expect(transport.sent).toEqual([]);
  });

  it('a bid without any dealer id says so', async () => {
    const { client } = dealer([], { dealerId: undefined });
    expect(await rejection(client.bids.submit('lot_1', { amount: '5' }))).toMatchObject({
      issues: [
        {
          path: 'dealer_id',
          message: expect.stringMatching(/^is required: .*dealerId.*VEHICLE_AUCTION_DEALER_ID/),
        },
      ],
    });
  });

  it('takes the largest of everything that is legal', async () => {
    const { client, transport } = platform([{ status: 500, json: { message: 'x' } }]);
    await rejection(
      client.bids.submit(
        'l'.repeat(300),
        { amount: '999999999999.99', bidder_reference: 'x'.repeat(120), dealer_id: 'd'.repeat(32) },
        { maxAttempts: 1 },
      ),
    );
    expect(transport.sent).toHaveLength(1);
  });

  // rule: limit.search
  it('counts characters as people do: 100 of any plane', async () => {
    const { client, transport } = dealer([
      { status: 200, json: { data: [], current_page: 1, last_page: 1, total: 0 } },
    ]);
    await client.events.lots('auc_1', { search: '🚗'.repeat(100) }).firstPage();
    expect(transport.sent[0]?.path).toBe(`/api/v1/events/auc_1/lots?search=${'%F0%9F%9A%97'.repeat(100)}`);
  });
});

describe('options are refused when a client is made, naming the option', () => {
  const base: PartnerClientOptions = {
    environment: 'sandbox',
    baseUrl: 'https://bank.example/api/v1',
    credentials,
    partnerType: 'platform',
  };
  const cases: readonly [name: string, over: object, option: string, problem: RegExp][] = [
    [
      'an unknown partner type',
      { partnerType: 'dealer' },
      'partnerType',
      /direct_dealer, platform, aggregator/,
    ],
    ['33 characters of dealer id', { dealerId: 'd'.repeat(33) }, 'dealerId', /32/],
    ['a negative timeout', { timeout: -1 }, 'timeout', /positive/],
    ['NaN attempts', { maxAttempts: Number.NaN }, 'maxAttempts', /whole number/],
    ['an unknown log level', { logLevel: 'loud' }, 'logLevel', /off, error, warn, info, debug/],
    ['a negative cap', { maxReplyBytes: -1 }, 'maxReplyBytes', /above zero/],
  ];

  // rule: limit.dealer-id
  it.each(cases)('%s', (_, over, option, problem) => {
    expect(() => new PartnerClient({ ...base, ...over })).toThrow(
      expect.objectContaining({
        name: 'ConfigurationError',
        option,
        outcome: 'not_sent',
        message: expect.stringMatching(problem),
      }),
    );
  });
});

describe('what is left out comes from the environment', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('reads every variable', async () => {
    vi.stubEnv('VEHICLE_AUCTION_BASE_URL', 'https://env.example/api/v1');
    vi.stubEnv('VEHICLE_AUCTION_CLIENT_ID', 'cl_env');
    vi.stubEnv('VEHICLE_AUCTION_KEY_ID', 'key_env');
    vi.stubEnv('VEHICLE_AUCTION_SIGNING_SECRET', 'secret of the environment');
    vi.stubEnv('VEHICLE_AUCTION_DEALER_ID', 'D-9');
    expect(
      JSON.parse(JSON.stringify(new PartnerClient({ environment: 'sandbox', partnerType: 'direct_dealer' }))),
    ).toEqual({
      baseUrl: 'https://env.example/api/v1',
      clientId: 'cl_env',
      keyId: 'key_env',
      partnerType: 'direct_dealer',
      dealerId: 'D-9',
    });
    expect(JSON.stringify(new BankClient({ environment: 'sandbox' }))).toContain('cl_env');
  });

  it('names the variable that is missing, and all of the credentials at once', () => {
    vi.stubEnv('VEHICLE_AUCTION_BASE_URL', '');
    expect(() => new BankClient({ environment: 'sandbox' })).toThrow(
      /baseUrl must be given, or VEHICLE_AUCTION_BASE_URL be set/,
    );
    vi.stubEnv('VEHICLE_AUCTION_BASE_URL', 'https://env.example/api/v1');
    const clientId = 'VEHICLE_AUCTION_CLIENT_ID';
    const keyId = 'VEHICLE_AUCTION_KEY_ID';
    const secret = 'VEHICLE_AUCTION_SIGNING_SECRET';
    const missing = (...names: string[]) =>
      `credentials must be given, or ${names.join(' and ')} be set in the environment.`;
    expect(() => new BankClient({ environment: 'sandbox' })).toThrow(missing(clientId, keyId, secret));
    vi.stubEnv(keyId, 'key_env');
    expect(() => new BankClient({ environment: 'sandbox' })).toThrow(missing(clientId, secret));
    vi.stubEnv(clientId, 'cl_env');
    expect(() => new BankClient({ environment: 'sandbox' })).toThrow(missing(secret));
    vi.stubEnv(secret, 'secret of the environment');
    expect(() => new BankClient({ environment: 'sandbox' })).not.toThrow();
  });
});
