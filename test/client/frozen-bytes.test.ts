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

interface Clients {
  readonly partner: PartnerClient<'platform'>;
  readonly bank: BankClient;
}

interface Scenario {
  /** Begins the call. */
  start(clients: Clients): Promise<unknown>;
  /** Changes everything that the call was given, to something just as legal. */
  mutate(): void;
  /** Method and target on the wire. */
  readonly line: string;
  /** The method that is signed, where it isn't that on the wire. */
  readonly signedAs?: string;
  readonly body: string;
  readonly key?: string;
  readonly reply: unknown;
}

const record = { id: 'rec_1', state: 'completed', resource_version: 9, data: {} };
const command = { data: record, request_id: 'req_1', server_time: '2026-03-02T06:00:00+00:00' };

/** Options that would end a call at once if they were read again. */
const ruinous = {
  idempotencyKey: OTHER_KEY,
  maxAttempts: 1,
  timeout: 1,
  deadline: 1,
  signal: AbortSignal.abort(),
  lane: 'poll',
} as const;

/** Each is made anew: they hold what is mutated. */
const scenarios: readonly (readonly [name: string, make: () => Scenario])[] = [
  [
    'a bid',
    () => {
      const body: Record<string, unknown> = { amount: '465000', bidder_reference: 'buyer-9' };
      const options = { idempotencyKey: KEY };
      return {
        start: ({ partner }) => partner.bids.submit('lot_1', body as never, options),
        mutate: () => {
          Object.assign(body, {
            amount: '999999',
            bidder_reference: 'buyer-1',
            dealer_id: 'D-1',
            idempotency_key: OTHER_KEY,
          });
          Object.assign(options, ruinous);
        },
        line: 'POST /api/v1/lots/lot_1/bids',
        body: `{"amount":"465000","bidder_reference":"buyer-9","dealer_id":"D-204","idempotency_key":"${KEY}"}`,
        key: KEY,
        reply: accepted(),
      };
    },
  ],
  [
    'a bid that answers otherwise whenever it is asked',
    () => {
      let asked = 0;
      const body = {
        get amount() {
          asked += 1;
          return String(asked);
        },
        bidder_reference: 'buyer-9',
        idempotency_key: KEY,
      };
      return {
        start: ({ partner }) => partner.bids.submit('lot_1', body),
        mutate: () => {
          asked += 100;
        },
        line: 'POST /api/v1/lots/lot_1/bids',
        body: `{"amount":"1","bidder_reference":"buyer-9","dealer_id":"D-204","idempotency_key":"${KEY}"}`,
        key: KEY,
        reply: accepted(),
      };
    },
  ],
  [
    'a command with nested values',
    () => {
      const tags = ['a', 'b'];
      const values: Record<string, unknown> = { f_1: tags, f_2: { deep: [{ note: 'x' }] }, f_3: null };
      const body = { title: 'Swift', external_id: 'E-1', schema_version: 3, values };
      const extra = { list: [1, { two: 2 }] };
      const options: Record<string, unknown> = {
        idempotencyKey: KEY,
        extraBody: extra,
        extraQuery: { b: 1, a: 'x' },
      };
      return {
        start: ({ bank }) => bank.inventory.createVehicle(body, options),
        mutate: () => {
          tags.push('c');
          tags[0] = 'z';
          Object(Object(values['f_2']).deep[0]).note = 'y';
          values['f_4'] = 'more';
          delete values['f_3'];
          Object.assign(body, { title: 'Alto', values: {}, idempotency_key: OTHER_KEY });
          extra.list.push(3);
          Object.assign(options['extraQuery'] ?? {}, { c: 2 });
          Object.assign(options, { extraBody: {}, extraQuery: {}, ...ruinous });
        },
        line: 'POST /api/v1/bank/inventory/vehicles?a=x&b=1',
        body: `{"title":"Swift","external_id":"E-1","schema_version":3,"values":{"f_1":["a","b"],"f_2":{"deep":[{"note":"x"}]},"f_3":null},"idempotency_key":"${KEY}","list":[1,{"two":2}]}`,
        key: KEY,
        reply: command,
      };
    },
  ],
  [
    'a tunnelled PATCH with a record in place of the id',
    () => {
      const vehicle = { kind: 'inventory_command', data: { vehicle_id: 'veh_1', inventory_version: 4 } };
      const body: Record<string, unknown> = { values: { f_1: [1, 2] } };
      const options = { idempotencyKey: KEY };
      return {
        start: ({ bank }) => bank.inventory.updateVehicle(vehicle, body, options),
        mutate: () => {
          Object.assign(vehicle.data, { vehicle_id: 'veh_2', inventory_version: 5 });
          Object.assign(vehicle, { kind: 'refund', data: {} });
          Object(body['values']).f_1.push(3);
          Object.assign(body, { title: 'Alto', expected_version: 7, _method: 'DELETE' });
          Object.assign(options, ruinous);
        },
        line: 'POST /api/v1/bank/inventory/vehicles/veh_1',
        signedAs: 'PATCH',
        body: `{"values":{"f_1":[1,2]},"expected_version":4,"idempotency_key":"${KEY}","_method":"PATCH"}`,
        key: KEY,
        reply: command,
      };
    },
  ],
  [
    'a decision on a record',
    () => {
      const sale = { id: 'sale_1', kind: 'sale', resource_version: 4, data: { bid_id: 'bid_1' } };
      const payee = { name: 'Bank', accounts: ['1'] };
      const body = { decision: 'approved', bid_id: 'bid_1', payee_instructions: payee };
      const options = { idempotencyKey: KEY, extraBody: { note: { by: ['me'] } } };
      return {
        start: ({ bank }) => bank.saleCases.decide(sale, body, options),
        mutate: () => {
          Object.assign(sale, { id: 'sale_2', resource_version: 5 });
          payee.accounts.push('2');
          Object.assign(body, { decision: 'rejected', bid_id: 'bid_2', expected_version: 5 });
          options.extraBody.note.by.push('you');
          Object.assign(options, ruinous);
        },
        line: 'POST /api/v1/sale-cases/sale_1/decisions',
        body: `{"decision":"approved","bid_id":"bid_1","payee_instructions":{"name":"Bank","accounts":["1"]},"idempotency_key":"${KEY}","expected_version":4,"note":{"by":["me"]}}`,
        key: KEY,
        reply: command,
      };
    },
  ],
  [
    'a command whose key is made for it',
    () => {
      const body: Record<string, unknown> = { sale_id: 'sale_1', reason_code: 'damage' };
      return {
        start: ({ partner }) => partner.disputes.create(body as never),
        mutate: () => {
          Object.assign(body, { sale_id: 'sale_2', idempotency_key: OTHER_KEY });
        },
        line: 'POST /api/v1/disputes',
        body: '{"sale_id":"sale_1","reason_code":"damage","idempotency_key":"00000000-0000-4000-8000-000000000001"}',
        key: '00000000-0000-4000-8000-000000000001',
        reply: command,
      };
    },
  ],
  [
    'a batch of lots',
    () => {
      const lot_ids = ['lot_1', 'lot_2'];
      const body: Record<string, unknown> = { lot_ids, bidder_reference: 'buyer-9' };
      const options = { maxAttempts: 3 };
      return {
        start: ({ partner }) => partner.lots.statusBatch(body as never, options),
        mutate: () => {
          lot_ids[0] = 'lot_9';
          lot_ids.push('lot_3');
          Object.assign(body, { lot_ids: ['lot_4'], bidder_reference: 'buyer-1' });
          Object.assign(options, { maxAttempts: 1, signal: AbortSignal.abort(), extraQuery: { x: 1 } });
        },
        line: 'POST /api/v1/lots/status-batch',
        body: '{"lot_ids":["lot_1","lot_2"],"bidder_reference":"buyer-9"}',
        reply: { data: [], server_time: '2026-03-02T06:00:00+00:00' },
      };
    },
  ],
  [
    'a page of a list',
    () => {
      const query: Record<string, unknown> = { search: 'a b', bidder_reference: 'buyer-9', per_page: 5 };
      const options: Record<string, unknown> = { extraQuery: { x: 'ü' } };
      return {
        start: ({ partner }) => partner.events.lots('auc_1', query as never, options).firstPage(),
        mutate: () => {
          Object.assign(query, { search: 'c', page: 2 });
          delete query['per_page'];
          Object.assign(options['extraQuery'] ?? {}, { x: 'y', z: 1 });
          Object.assign(options, { extraQuery: {}, maxAttempts: 1, signal: AbortSignal.abort() });
        },
        line: 'GET /api/v1/events/auc_1/lots?bidder_reference=buyer-9&per_page=5&search=a%20b&x=%C3%BC',
        body: '',
        reply: { data: [], current_page: 1, last_page: 1, total: 0 },
      };
    },
  ],
  [
    'a request of an operation without a method',
    () => {
      const partners = ['p_1'];
      const request: Record<string, unknown> = {
        method: 'PUT',
        path: '/bank/auctions/auc_1/assignments',
        query: { dry: true },
        body: { partners, idempotency_key: KEY },
      };
      return {
        start: ({ bank }) => bank.request(request as never),
        mutate: () => {
          partners.push('p_2');
          Object.assign(request['body'] ?? {}, { idempotency_key: OTHER_KEY, _method: 'DELETE' });
          Object.assign(request['query'] ?? {}, { dry: false });
          Object.assign(request, { method: 'GET', path: '/elsewhere', query: {}, body: {} });
        },
        line: 'POST /api/v1/bank/auctions/auc_1/assignments?dry=true',
        signedAs: 'PUT',
        body: `{"idempotency_key":"${KEY}","partners":["p_1"],"_method":"PUT"}`,
        key: KEY,
        reply: { data: {} },
      };
    },
  ],
];

describe('a retry sends the identical bytes under the identical key', () => {
  // rule: convention.3, canonical.fresh, canonical.bytes
  it.each(scenarios)('%s', async (_, make) => {
    const { start, mutate, line, signedAs, body, key, reply } = make();
    const clock = new VirtualClock();
    await using place = await service(async (count) => {
      mutate();
      // So that every attempt has a second of its own.
      await clock.advance(1_000);
      if (count === 1) return 'reset';
      return count === 2 ? { status: 503, json: { message: 'Down.' } } : { status: 200, json: reply };
    });
    const given = { ...credentials };
    const options: ClientOptions = {
      environment: 'sandbox',
      baseUrl: place.baseUrl,
      // A01 is answered beside the server.
      transport: new ToldTime(undiciTransport(), clock),
      credentials: given,
      clock,
      randomness: countingRandomness(1),
      logLevel: 'off',
      quota: { scope: 'client' },
    };
    const partnerOptions = { ...options, partnerType: 'platform', dealerId: 'D-204' } as const;
    await using partner = new PartnerClient(partnerOptions);
    await using bank = new BankClient(options);
    // What clients were made of changes nothing later, either.
    Object.assign(given, { clientId: 'cl_2', keyId: 'key_2', signingSecret: 'another secret of nobody' });
    Object.assign(options, { baseUrl: 'https://evil.example/api/v1', timeout: 1, maxAttempts: 1 });
    Object.assign(partnerOptions, {
      baseUrl: 'https://evil.example/api/v1',
      dealerId: 'D-1',
      partnerType: 'direct_dealer',
    });

    const call = start({ partner, bank });
    mutate();
    await toEnd(call, clock);

    expect(place.arrived).toHaveLength(3);
    for (const { method, target, headers, ...came } of place.arrived) {
      expect(`${method} ${target}`).toBe(line);
      expect(String(came.body)).toBe(body);
      expect(headers['idempotency-key']).toBe(key);
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
      const page = fails / 2;
      return { status: 200, json: { data: [], current_page: page, last_page: 3, total: 60 } };
    });
    await using client = new BankClient({
      environment: 'sandbox',
      baseUrl: place.baseUrl,
      credentials,
      clock,
      randomness: countingRandomness(1),
      logLevel: 'off',
      quota: { scope: 'client' },
    });
    const query: Record<string, unknown> = { search: 'Swift', per_page: 20 };
    const pager = client.events.lots('auc_1', query);
    Object.assign(query, { search: 'Alto', page: 7 });
    const walk = async () => {
      for await (const _ of pager.pages()) Object.assign(query, { search: 'Baleno', per_page: 1 });
    };
    await toEnd(walk(), clock);
    const targets = place.arrived.map(({ target }) => target.slice('/api/v1/events/auc_1/lots?'.length));
    const first = 'per_page=20&search=Swift';
    const [second, third] = ['page=2&per_page=20&search=Swift', 'page=3&per_page=20&search=Swift'];
    expect(targets).toEqual([first, first, second, second, third, third]);
  });
});
