import { describe, expect, it } from 'vitest';
import { accepted, bank, dealer, KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

const record = (kind: string, over: object = {}) => ({
  id: `${kind}_1`,
  kind,
  state: 'pending',
  resource_version: 7,
  data: {},
  ...over,
});
const done = (kind: string): Step => ({ status: 200, json: { data: record(kind), request_id: 'req_1' } });
const page: Step = { status: 200, json: { data: { items: [], current_page: 1, last_page: 1, total: 0 } } };
const reason = { reason_code: 'mistake', explanation: 'Typo' };

describe('extraBody and extraQuery', () => {
  it('are merged in behind the known fields, signed and sent', async () => {
    const { client, transport } = dealer([done('cancellation')]);
    const evidence = { ids: ['doc_1', 2, null, true], note: 'é' };
    await client.bids.requestCancellation('bid_1', reason, {
      idempotencyKey: KEY,
      extraBody: { evidence, left_out: undefined },
      extraQuery: { 'dry run': true },
    });
    const [sent] = transport.sent;
    expect(sent?.path).toBe('/api/v1/bids/bid_1/cancellation-requests?dry%20run=true');
    expect(sent?.body).toBe(
      `{"reason_code":"mistake","explanation":"Typo","idempotency_key":"${KEY}","evidence":{"ids":["doc_1",2,null,true],"note":"é"}}`,
    );
  });

  it('stand on every page of a list, sorted among the known parameters', async () => {
    const { client, transport } = bank([
      { status: 200, json: { data: { items: [], current_page: 1, last_page: 2, total: 0 } } },
      page,
    ]);
    await client.bidCancellations.list({}, { extraQuery: { bid_id: 'bid_1', state: 'pending' } }).toArray();
    expect(transport.sent.map(({ path }) => path)).toEqual([
      '/api/v1/bid-cancellation-requests?bid_id=bid_1&state=pending',
      '/api/v1/bid-cancellation-requests?bid_id=bid_1&page=2&state=pending',
    ]);
  });

  // rule: convention.4
  it('come before _method, which stays last', async () => {
    const { client, transport } = bank([done('inventory_command')]);
    await client.inventory.updateVehicle(
      'veh_1',
      { title: 'Swift', expected_version: 3 },
      { idempotencyKey: KEY, extraBody: { colour: 'red' } },
    );
    expect(transport.sent[0]?.body).toBe(
      `{"title":"Swift","expected_version":3,"idempotency_key":"${KEY}","colour":"red","_method":"PATCH"}`,
    );
  });

  const wrong: readonly [name: string, options: object, says: RegExp][] = [
    ['a known field', { extraBody: { explanation: 'x' } }, /extraBody\.explanation is a known field/],
    ['_method', { extraBody: { _method: 'PUT' } }, /extraBody\._method is never an extra/],
    ['a version', { extraBody: { expected_version: 1 } }, /extraBody\.expected_version is never an extra/],
    ['the key', { extraBody: { idempotency_key: KEY } }, /extraBody\.idempotency_key is never an extra/],
    ['_method in the query', { extraQuery: { _method: 'PUT' } }, /extraQuery\._method is never an extra/],
    ['a name of nothing', { extraQuery: { '': 1 } }, /extraQuery\. must have a name/],
    [
      'an object in the query',
      { extraQuery: { a: {} } },
      /extraQuery\.a must be a string, a number or a boolean/,
    ],
    ['NaN in the query', { extraQuery: { a: Number.NaN } }, /extraQuery\.a must be a string/],
    [
      'a function',
      { extraBody: { a: { b: () => 1 } } },
      /extraBody\.a\.b must be JSON, which has no function/,
    ],
    ['a date', { extraBody: { a: new Date(0) } }, /extraBody\.a must be JSON/],
    [
      'a hole in an array',
      { extraBody: { a: [undefined] } },
      /extraBody\.a\.0 must be JSON, which has no undefined/,
    ],
    ['NaN', { extraBody: { a: Number.NaN } }, /extraBody\.a must be a finite number/],
    ['an array', { extraBody: [] }, /extraBody must be a plain object/],
    ['a string', { extraQuery: 'a=1' }, /extraQuery must be a plain object/],
  ];
  it.each(wrong)('refuse %s', async (_, options, says) => {
    const { client, transport } = dealer([]);
    const error = await rejection(client.bids.requestCancellation('bid_1', reason, options));
    expect(error).toMatchObject({ name: 'InvalidRequestError', outcome: 'not_sent' });
    expect(String(error)).toMatch(says);
    expect(transport.sent).toEqual([]);
  });

  it('refuse circles', async () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    const { client } = dealer([]);
    const error = await rejection(client.bids.requestCancellation('bid_1', reason, { extraBody: circle }));
    expect(String(error)).toMatch(/nested deeper than 64 levels/);
  });

  it('refuse a known query parameter, given or not', async () => {
    const { client } = bank([]);
    const pager = client.bidCancellations.list({}, { extraQuery: { page: 2 } });
    expect(String(await rejection(pager.firstPage()))).toMatch(/extraQuery\.page is a known field/);
    const download = client.documents.download('doc_1', { extraQuery: { download: '0' } });
    expect(String(await rejection(download))).toMatch(/extraQuery\.download is a known field/);
  });

  it.each(['extraBody', 'extraQuery'])('are refused on bids: %s', async (name) => {
    const { client, transport } = dealer([{ status: 201, json: accepted() }]);
    const error = await rejection(client.bids.submit('lot_1', { amount: '1' }, { [name]: { a: 1 } }));
    expect(String(error)).toMatch(/is refused on bids/);
    expect(transport.sent).toEqual([]);
  });
});

describe('a record in place of an id', () => {
  // rule: convention.2, version.3
  it('gives id and version', async () => {
    const { client, transport } = bank([done('cancellation')]);
    await client.bidCancellations.decide(
      record('cancellation'),
      { decision: 'approved' },
      { idempotencyKey: KEY },
    );
    expect(transport.sent[0]?.path).toBe('/api/v1/bid-cancellation-requests/cancellation_1/decisions');
    expect(transport.sent[0]?.body).toBe(
      `{"decision":"approved","idempotency_key":"${KEY}","expected_version":7}`,
    );
  });

  // rule: version.4
  it('gives the inventory version of the vehicle, not that of the command', async () => {
    const { client, transport } = bank([done('inventory_command')]);
    const command = record('inventory_command', { data: { vehicle_id: 'veh_9', inventory_version: 3 } });
    await client.inventory.updateVehicle(command, { title: 'Swift' });
    expect(transport.sent[0]?.path).toBe('/api/v1/bank/inventory/vehicles/veh_9');
    expect(JSON.parse(transport.sent[0]?.body ?? '')).toMatchObject({ expected_version: 3 });
  });

  // rule: version.3
  it('may repeat its version, and takes no other', async () => {
    const { client } = bank([done('cancellation')]);
    const cancellation = record('cancellation');
    await client.bidCancellations.decide(cancellation, { decision: 'approved', expected_version: 7 });
    const other = client.bidCancellations.decide(cancellation, { decision: 'approved', expected_version: 6 });
    expect(String(await rejection(other))).toMatch(/expected_version must equal the version of the record/);
  });

  it('may be of a kind that is not known', async () => {
    const { client, transport } = bank([done('cancellation')]);
    await client.bidCancellations.decide(record('bid_cancellation_v2'), { decision: 'approved' });
    expect(transport.sent).toHaveLength(1);
  });

  const wrong: readonly [name: string, given: object, says: RegExp][] = [
    [
      'of another kind',
      record('payment'),
      /request must be the id or the record of a cancellation, not a record of kind "payment"/,
    ],
    ['without a version', { id: 'x' }, /request must be an id, or a record that has id and resource_version/],
    ['without an id', { resource_version: 1 }, /request must be an id, or a record/],
    ['with a version that is text', { id: 'x', resource_version: '1' }, /request must be an id, or a record/],
    ['with a hostile id', record('cancellation', { id: '..' }), /request must be an id: not "\."/],
    ['that is an array', [], /request must be an id, or a record/],
  ];
  it.each(wrong)('is refused %s', async (_, given, says) => {
    const { client, transport } = bank([]);
    const call = client.bidCancellations.decide(given as { id: string; resource_version: number }, {
      decision: 'approved',
    });
    const error = await rejection(call);
    expect(error).toMatchObject({ name: 'InvalidRequestError' });
    expect(String(error)).toMatch(says);
    expect(String(error)).not.toMatch(/expected_version/);
    expect(transport.sent).toEqual([]);
  });

  // rule: convention.2
  it('is asked for, or the version, where neither is given', async () => {
    const { client } = bank([]);
    const call = client.bidCancellations.decide('can_1', JSON.parse('{"decision":"approved"}'));
    expect(String(await rejection(call))).toMatch(
      /expected_version is required: give the version you read, or the record itself in place of its id/,
    );
  });

  it('is no id where no version is sent', async () => {
    const { client } = bank([]);
    const get = client.saleCases.get(record('sale') as unknown as string);
    expect(String(await rejection(get))).toMatch(/sale must be an id: pass its \.id/);
  });
});
