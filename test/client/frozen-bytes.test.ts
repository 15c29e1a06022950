import { describe, expect, it } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import type { ClientOptions } from '../../src/client/options.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { undiciTransport } from '../../src/core/transport/undici.js';
import { accepted, countingRandomness, credentials, KEY } from '../support/clients.js';
import { ToldTime } from '../support/told-time.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { expectCopies, service, toEnd } from './attempts.js';

const OTHER_KEY = '9e107d9d-372b-4b81-8a0e-5a3b1c2d4e5f';

/** One call, by its method and what it is given: everything in `args` is changed as soon as the call has begun. */
interface Scenario {
  readonly name: string;
  readonly by: 'partner' | 'bank';
  readonly method: string;
  readonly args: () => unknown[];
  /** Method and target on the wire. */
  readonly line: string;
  /** The method that is signed, where it isn't that on the wire. */
  readonly signedAs?: string;
  /** The body that is sent, in its order; the key is in it. */
  readonly body?: object;
  readonly reply: unknown;
}

const record = { id: 'rec_1', state: 'completed', resource_version: 9, data: {} };
const command = { data: record, request_id: 'req_1', server_time: '2026-03-02T06:00:00+00:00' };
const keyed = { idempotencyKey: KEY };
const key = { idempotency_key: KEY };
const bid = { bidder_reference: 'buyer-9', dealer_id: 'D-204', ...key };
const vehicle = { title: 'Swift', external_id: 'E-1', schema_version: 3 };
const values = { f_1: ['a', 'b'], f_2: { deep: [{ note: 'x' }] }, f_3: null };
const dispute = { sale_id: 'sale_1', reason_code: 'damage' };

/** A bid that says another amount whenever it is asked. */
function shifty(): object {
  let asked = 0;
  return {
    get amount() {
      asked += 1;
      return String(asked);
    },
    bidder_reference: 'buyer-9',
    ...key,
  };
}

const scenarios: readonly Scenario[] = [
  {
    name: 'a bid that answers otherwise whenever it is asked',
    by: 'partner',
    method: 'bids.submit',
    args: () => ['lot_1', shifty()],
    line: 'POST /api/v1/lots/lot_1/bids',
    body: { amount: '1', ...bid },
    reply: accepted(),
  },
  {
    name: 'a command with nested values',
    by: 'bank',
    method: 'inventory.createVehicle',
    args: () => [
      { ...vehicle, values },
      { ...keyed, extraBody: { list: [1, { two: 2 }] }, extraQuery: { b: 1, a: 'x' } },
    ],
    line: 'POST /api/v1/bank/inventory/vehicles?a=x&b=1',
    body: { ...vehicle, values, ...key, list: [1, { two: 2 }] },
    reply: command,
  },
  {
    name: 'a tunnelled PATCH with a record in place of the id',
    by: 'bank',
    method: 'inventory.updateVehicle',
    args: () => [
      { kind: 'inventory_command', data: { vehicle_id: 'veh_1', inventory_version: 4 } },
      { values: { f_1: [1, 2] } },
      { ...keyed },
    ],
    line: 'POST /api/v1/bank/inventory/vehicles/veh_1',
    signedAs: 'PATCH',
    body: { values: { f_1: [1, 2] }, expected_version: 4, ...key, _method: 'PATCH' },
    reply: command,
  },
  {
    name: 'a command whose key is made for it',
    by: 'partner',
    method: 'disputes.create',
    args: () => [{ ...dispute }],
    line: 'POST /api/v1/disputes',
    body: { ...dispute, idempotency_key: '00000000-0000-4000-8000-000000000001' },
    reply: command,
  },
  {
    name: 'a batch of lots',
    by: 'partner',
    method: 'lots.statusBatch',
    args: () => [{ lot_ids: ['lot_1', 'lot_2'], bidder_reference: 'buyer-9' }, { maxAttempts: 3 }],
    line: 'POST /api/v1/lots/status-batch',
    body: { lot_ids: ['lot_1', 'lot_2'], bidder_reference: 'buyer-9' },
    reply: { data: [], server_time: '2026-03-02T06:00:00+00:00' },
  },
  {
    name: 'a request of an operation without a method',
    by: 'bank',
    method: 'request',
    args: () => [
      {
        method: 'PUT',
        path: '/bank/auctions/auc_1/assignments',
        query: { dry: true },
        body: { partners: ['p_1'], ...key },
      },
    ],
    line: 'POST /api/v1/bank/auctions/auc_1/assignments?dry=true',
    signedAs: 'PUT',
    body: { ...key, partners: ['p_1'], _method: 'PUT' },
    reply: { data: {} },
  },
];

/** Changes everything that is in an object, however deep, and adds what would end or change a call if it were read again. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null || value instanceof AbortSignal) return;
  for (const [name, inner] of Object.entries(value)) {
    spoil(inner);
    const other = typeof inner === 'string' ? `${inner}9` : typeof inner === 'number' ? inner + 1 : inner;
    Reflect.set(value, name, other);
  }
  if (Array.isArray(value)) value.push('more');
  else Object.assign(value, ruinous);
}

const ruinous = {
  idempotencyKey: OTHER_KEY,
  idempotency_key: OTHER_KEY,
  expected_version: 99,
  page: 7,
  maxAttempts: 1,
  timeout: 1,
  deadline: 1,
  signal: AbortSignal.abort(),
  lane: 'poll',
};

function optionsFor(baseUrl: string, clock: VirtualClock): ClientOptions {
  return {
    environment: 'sandbox',
    baseUrl,
    // A01 is answered beside the server.
    transport: new ToldTime(undiciTransport(), clock),
    credentials: { ...credentials },
    clock,
    randomness: countingRandomness(1),
    logLevel: 'off',
    quota: { scope: 'client' },
  };
}

function start(client: object, method: string, args: readonly unknown[]): Promise<unknown> {
  const [name = '', own] = method.split('.');
  const holder: object = own === undefined ? client : Reflect.get(client, name);
  const result: unknown = Reflect.apply(Reflect.get(holder, own ?? name), holder, args);
  const firstPage: unknown = Reflect.get(Object(result), 'firstPage');
  return Promise.resolve(typeof firstPage === 'function' ? firstPage.call(result) : result);
}

describe('a retry sends the identical bytes under the identical key', () => {
  // rule: convention.3, canonical.fresh, canonical.bytes
  it.each(scenarios)('$name', async ({ by, method, args: make, line, signedAs, body, reply }) => {
    const args = structuredCloneOf(make());
    const clock = new VirtualClock();
    await using place = await service(async (count) => {
      spoil(args);
      // So that every attempt has a second of its own.
      await clock.advance(1_000);
      if (count === 1) return 'reset';
      return count === 2 ? { status: 503, json: { message: 'Down.' } } : { status: 200, json: reply };
    });
    const options = optionsFor(place.baseUrl, clock);
    const partnerOptions = { ...options, partnerType: 'platform', dealerId: 'D-204' } as const;
    await using partner = new PartnerClient(partnerOptions);
    await using bank = new BankClient(options);
    // What clients were made of changes nothing later, either.
    Object.assign(options.credentials ?? {}, { clientId: 'cl_2', signingSecret: 'another secret of nobody' });
    for (const given of [options, partnerOptions]) {
      Object.assign(given, {
        baseUrl: 'https://evil.example/api/v1',
        timeout: 1,
        maxAttempts: 1,
        dealerId: 'D-1',
      });
    }

    const call = start(by === 'bank' ? bank : partner, method, args);
    spoil(args);
    await toEnd(call, clock);

    expect(place.arrived).toHaveLength(3);
    for (const { method: sent, target, headers, body: bytes } of place.arrived) {
      expect(`${sent} ${target}`).toBe(line);
      expect(String(bytes)).toBe(body === undefined ? '' : JSON.stringify(body));
      expect(headers['idempotency-key']).toBe(Reflect.get(body ?? {}, 'idempotency_key'));
      expect(headers['x-client-id']).toBe('cl_7f3a');
    }
    expectCopies(place.arrived, signedAs);
  });

  it('and so does every page of a list that is walked', async () => {
    const clock = new VirtualClock();
    let fails = 0;
    await using place = await service(async () => {
      await clock.advance(1_000);
      fails += 1;
      if (fails % 2 === 1) return 'reset';
      return { status: 200, json: { data: [], current_page: fails / 2, last_page: 3, total: 60 } };
    });
    await using client = new BankClient(optionsFor(place.baseUrl, clock));
    const query: Record<string, unknown> = { search: 'Swift', per_page: 20 };
    const pager = client.events.lots('auc_1', query);
    Object.assign(query, { search: 'Alto', page: 7 });
    const walk = async () => {
      for await (const _ of pager.pages()) Object.assign(query, { search: 'Baleno', per_page: 1 });
    };
    await toEnd(walk(), clock);
    const targets = place.arrived.map(({ target }) => target.slice('/api/v1/events/auc_1/lots?'.length));
    const first = 'per_page=20&search=Swift';
    const [second, third] = [`page=2&${first}`, `page=3&${first}`];
    expect(targets).toEqual([first, first, second, second, third, third]);
  });
});

/** So that no scenario spoils what another one is given; getters stay what they are. */
function structuredCloneOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value) ? [] : {};
  for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    const inner = 'value' in property ? { ...property, value: structuredCloneOf(property.value) } : property;
    Object.defineProperty(copy, name, inner);
  }
  return copy as T;
}
