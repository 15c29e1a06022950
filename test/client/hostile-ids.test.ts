import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { resources } from '../../src/api/service.js';
import { routes } from '../../src/generated/routes.js';
import { bank, rejection } from '../support/clients.js';
import { arrivedOf, expectSigned } from './attempts.js';
import { callWith, everyMethod, legalId, legalInput, type Method } from './every-method.js';

/** Nobody would choose them, but nothing is wrong with them: they are one segment. */
const oddIds = [
  ...['a b', 'ü', '名前', '🚗', 'a..b', '..a', 'a..', '...', '~', '-', '_', 'a:b', '@', 'a@b', '+'],
  ...['a+b', 'a;b', ';', 'a=b', 'a&b', 'a,b', "a'b", '"', 'a(b)*!', '$&', '$1', '{lot}'],
  ...['{event}', '[0]', '<b>', '|^`', 'a\u2028b', 'a\u00a0b', 'constructor', '__proto__'],
  ...['undefined', 'x'.repeat(2_000)],
];

interface Place extends Method {
  readonly param: string;
}

const places: Place[] = everyMethod.flatMap((method) => method.params.map((param) => ({ ...method, param })));
const recordPlaces = places.filter(({ operation, param }) => operation.versionFrom?.param === param);

/** Expects that all of these are refused in place of an id. */
async function expectRefused(method: Method, param: string, ids: readonly unknown[]): Promise<void> {
  for (const id of ids) {
    const { error, sent } = await callWith(method, { ids: { [param]: id }, ...withoutVersion(method, id) });
    expect([inspect(id), sent.length, error]).toMatchObject([
      inspect(id),
      0,
      { name: 'InvalidRequestError', outcome: 'not_sent', issues: [{ path: param }] },
    ]);
  }
}

/** A record brings its version along. */
function withoutVersion(method: Method, id: unknown) {
  const input = legalInput(method);
  if (typeof id !== 'object' || id === null || input === undefined) return {};
  const { expected_version: _, ...unversioned } = input;
  return { input: unversioned };
}

describe('the methods that are tried here', () => {
  it('are all of them', () => {
    const all = resources.flatMap(({ name, operations }) =>
      Object.keys(operations).map((method) => `${name}.${method}`),
    );
    expect([...new Set(everyMethod.map(({ name }) => name))].sort()).toEqual(all.sort());
    expect(recordPlaces.length).toBeGreaterThan(10);
  });

  it('hold every id to the format that it has', () => {
    for (const { name, param } of places) {
      const format = routes.find((route) => route.name === name)?.params?.[param];
      const expected = param === 'media' ? 'integerId' : param === 'idempotency_key' ? 'uuid' : 'pathId';
      expect([name, param, format]).toEqual([name, param, expected]);
    }
  });
});

describe('a hostile id is refused before anything is sent', () => {
  it.each(places)('$party $name: $param', async ({ param, ...method }) => {
    const ids = ['', '..', '%2F', 'a/b', '\n', '\ud800', undefined, null, {}, Symbol('id')];
    await expectRefused(method, param, ids);
  });

  // rule: version.3
  it.each(recordPlaces)('$party $name: inside a record in place of $param', async ({ param, ...method }) => {
    const inData = method.operation.versionFrom?.field === 'inventory_version';
    const recordOf = (id: unknown, version: unknown) =>
      inData
        ? { data: { vehicle_id: id, inventory_version: version } }
        : { id, resource_version: version, data: {} };
    const kind = method.operation.versionFrom?.kind === 'refund' ? 'sale' : 'refund';
    await expectRefused(method, param, [
      ...['', '..', 'a/b', '\n', undefined, 7n, {}].map((id) => recordOf(id, 4)),
      ...[undefined, null, '4', 1.5, Number.NaN, 2 ** 53, 4n, {}].map((version) => recordOf('a_1', version)),
      { ...recordOf('a_1', 4), kind },
      [recordOf('a_1', 4)],
    ]);
  });
});

// rule: version.3
it('A record in place of an id may repeat its version and be of an unknown kind; with another version it is refused', async () => {
  const record = { id: 'can_1', kind: 'cancellation_v2', state: 'pending', resource_version: 7, data: {} };
  const { client, transport } = bank([{ status: 200, json: { data: record, request_id: 'req_1' } }]);
  const decide = (expected_version: number) =>
    client.bidCancellations.decide(record, { decision: 'approved', expected_version });
  expect(await rejection(decide(6))).toMatchObject({ issues: [{ path: 'expected_version' }] });
  expect(transport.sent).toEqual([]);
  await decide(7);
  expect(transport.sent).toHaveLength(1);
});

describe('an odd id reaches the service as one segment, signed as it is sent', () => {
  it.each(places)('$party $name: $param', async ({ param, ...method }) => {
    if (param === 'media') return expectSentAsOneSegment(method, param, '901');
    if (param === 'idempotency_key') {
      return expectSentAsOneSegment(method, param, '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f');
    }
    // Each place gets some of them, and each of them some place.
    const first = places.findIndex((place) => place.name === method.name && place.party === method.party);
    for (let at = first % 6; at < oddIds.length; at += 6) {
      await expectSentAsOneSegment(method, param, oddIds[at] ?? '');
    }
  });
});

async function expectSentAsOneSegment(method: Method, param: string, id: string): Promise<void> {
  const { sent } = await callWith(method, { ids: { [param]: id } });
  const [path = ''] = (sent[0]?.path ?? '').split('?');
  const meant = `/api/v1${method.operation.path}`.split('/').map((segment) => {
    const [, name] = /^\{(\w+)\}$/.exec(segment) ?? [];
    return name === undefined ? segment : String(name === param ? id : legalId(name));
  });
  expect(path.split('/').map(decodeURIComponent)).toEqual(meant);
  // No parser on the way makes another path of it.
  expect(new URL(`https://bank.example${path}`).pathname).toBe(path);
  expectSigned(arrivedOf(sent[0]), method.operation.method);
}
