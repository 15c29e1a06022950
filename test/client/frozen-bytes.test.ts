import { describe, expect, it } from 'vitest';
import { BankClient } from '../../src/client/bank-client.js';
import { PartnerClient } from '../../src/client/partner-client.js';
import { accepted, KEY } from '../support/clients.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { expectCopies, optionsFor, service, toEnd } from './attempts.js';

const OTHER_KEY = '9e107d9d-372b-4b81-8a0e-5a3b1c2d4e5f';

/** One call: everything in `args` is changed as soon as the call has begun. */
interface Scenario {
  readonly name: string;
  /** `resource.method` of the client of a platform or a bank. */
  readonly call: `${'platform' | 'bank'} ${string}`;
  readonly args: () => unknown[];
  /** Method and target on the wire. */
  readonly line: string;
  /** The method that is signed, where it isn't that on the wire. */
  readonly signedAs?: string;
  /** The body that is sent, in its order; the key is in it. */
  readonly body: object;
  readonly reply?: unknown;
}

const record = { id: 'rec_1', state: 'completed', resource_version: 9, data: {} };
const command = { data: record, request_id: 'req_1', server_time: '2026-03-02T06:00:00+00:00' };
const key = { idempotency_key: KEY };
const made = { idempotency_key: '00000000-0000-4000-8000-000000000001' };
const bid = { bidder_reference: 'buyer-9', dealer_id: 'D-204', ...key };
const vehicle = { title: 'Swift', external_id: 'E-1', schema_version: 3 };
const values = { f_1: ['a', 'b'], f_2: { deep: [{ note: 'x' }] }, f_3: null };
const dispute = { sale_id: 'sale_1', reason_code: 'damage' };
const vehicleRecord = { kind: 'inventory_command', data: { vehicle_id: 'veh_1', inventory_version: 4 } };
const assignments = '/bank/auctions/auc_1/assignments';
const extras = { extraBody: { list: [1, { two: 2 }] }, extraQuery: { b: 1, a: 'x' } };

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
    call: 'platform bids.submit',
    args: () => ['lot_1', shifty()],
    line: 'POST /api/v1/lots/lot_1/bids',
    body: { amount: '1', ...bid },
    reply: accepted(),
  },
  {
    name: 'a command with nested values',
    call: 'bank inventory.createVehicle',
    args: () =>
      structuredClone([
        { ...vehicle, values },
        { idempotencyKey: KEY, ...extras },
      ]),
    line: 'POST /api/v1/bank/inventory/vehicles?a=x&b=1',
    body: { ...vehicle, values, ...key, ...extras.extraBody },
  },
  {
    name: 'a tunnelled PATCH with a record in place of the id',
    call: 'bank inventory.updateVehicle',
    args: () => structuredClone([vehicleRecord, { values: { f_1: [1, 2] } }, { idempotencyKey: KEY }]),
    line: 'POST /api/v1/bank/inventory/vehicles/veh_1',
    signedAs: 'PATCH',
    body: { values: { f_1: [1, 2] }, expected_version: 4, ...key, _method: 'PATCH' },
  },
  {
    name: 'a command whose key is made for it',
    call: 'platform disputes.create',
    args: () => [{ ...dispute }],
    line: 'POST /api/v1/disputes',
    body: { ...dispute, ...made },
  },
  {
    name: 'a request of an operation without a method',
    call: 'bank request',
    args: () => [
      { method: 'PUT', path: assignments, query: { dry: true }, body: { partners: ['p_1'], ...key } },
    ],
    line: `POST /api/v1${assignments}?dry=true`,
    signedAs: 'PUT',
    body: { ...key, partners: ['p_1'], _method: 'PUT' },
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

function start(client: object, method: string, args: readonly unknown[]): Promise<unknown> {
  const [name = '', own] = method.split('.');
  const holder: object = own === undefined ? client : Reflect.get(client, name);
  const result: unknown = Reflect.apply(Reflect.get(holder, own ?? name), holder, args);
  const firstPage: unknown = Reflect.get(Object(result), 'firstPage');
  return Promise.resolve(typeof firstPage === 'function' ? firstPage.call(result) : result);
}

describe('a retry sends the identical bytes under the identical key', () => {
  // rule: convention.3, canonical.fresh, canonical.bytes
  it.each(scenarios)('$name', async ({ call: name, args: make, line, signedAs, body, reply = command }) => {
    const args = make();
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
      const baseUrl = 'https://evil.example/api/v1';
      Object.assign(given, { baseUrl, timeout: 1, maxAttempts: 1, dealerId: 'D-1' });
    }

    const [party, method = ''] = name.split(' ');
    const call = start(party === 'bank' ? bank : partner, method, args);
    spoil(args);
    await toEnd(call, clock);

    expect(place.arrived).toHaveLength(3);
    for (const { method: sent, target, headers, body: bytes } of place.arrived) {
      expect(`${sent} ${target}`).toBe(line);
      expect(String(bytes)).toBe(JSON.stringify(body));
      expect(headers['idempotency-key']).toBe(Reflect.get(body, 'idempotency_key'));
      expect(headers['x-client-id']).toBe('cl_7f3a');
    }
    expectCopies(place.arrived, signedAs);
  });
});
