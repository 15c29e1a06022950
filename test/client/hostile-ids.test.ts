import { createHash, createHmac } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { formats } from '../../src/api/formats.js';
import { resources } from '../../src/api/service.js';
import { routes } from '../../src/routes/all.js';
import { SECRET } from '../support/clients.js';
import { callWith, everyMethod, legalId, legalInput, type Method } from './every-method.js';

const hostileTexts = [
  ...['', ' ', '  ', '\u00a0', '\u2028', '\u3000', '.', '..', '%2e%2e', '%2E', '.%2e', '%2F'],
  ...['..%2f..', '%252e%252e', '%00', '%0d%0a', '%', 'a%20b', '/', 'a/b', '/a', 'a/', '../lots'],
  ...['a/../b', '//evil.example', 'https://evil.example', '\\', 'a\\b', '..\\', '?', 'a?b'],
  ...['a?bidder_reference=x', '#', 'a#b', '\0', 'a\0', '\n', 'a\n', '\na', '\r\nX-Evil: 1', '\t'],
  ...['a\u001b[2J', '\u007f', 'a\u0085b', '\ud800', 'a\udc00b', '\udc00\ud800'],
];

const hostileOthers: readonly unknown[] = [
  ...[undefined, null, true, false, Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5, 7n],
  ...[Symbol('lot_1'), {}, [], ['lot_1'], () => 'lot_1', new String('lot_1')],
  { toString: () => 'lot_1' },
  new Date(0),
  new Map([['id', 'lot_1']]),
  new URL('https://evil.example/lot_1'),
  Buffer.from('lot_1'),
];

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
/** Places of ids that may hold any text; a media id is an integer, and an idempotency key a UUID. */
const idPlaces = places.filter(({ param }) => param !== 'media' && param !== 'idempotency_key');
const recordPlaces = places.filter(({ operation, param }) => operation.versionFrom?.param === param);

/** Expects that all of these are refused in place of an id. */
async function expectRefused(method: Method, param: string, ids: readonly unknown[]): Promise<void> {
  const taken: string[] = [];
  for (const id of ids) {
    const { error, sent } = await callWith(method, { ids: { [param]: id }, ...withoutVersion(method, id) });
    const refused = expect.objectContaining({
      name: 'InvalidRequestError',
      outcome: 'not_sent',
      message: expect.stringContaining(`${param} `),
      issues: [{ path: param, message: expect.stringMatching(/^(?:is required\b|must (?:not )?be )/) }],
    });
    if (sent.length > 0 || !refused.asymmetricMatch(error)) taken.push(`${show(id)}: ${error}`);
  }
  expect(taken).toEqual([]);
}

/** A record brings its version along. */
function withoutVersion(method: Method, id: unknown) {
  const input = legalInput(method);
  if (typeof id !== 'object' || id === null || input === undefined) return {};
  const { expected_version: _, ...unversioned } = input;
  return { input: unversioned };
}

function show(id: unknown): string {
  return inspect(id, { breakLength: Number.POSITIVE_INFINITY });
}

describe('the methods that are tried here', () => {
  it('are all of them', () => {
    const all = resources.flatMap(({ name, operations }) =>
      Object.keys(operations).map((method) => `${name}.${method}`),
    );
    expect([...new Set(everyMethod.map(({ name }) => name))].sort()).toEqual(all.sort());
    expect(places.length).toBeGreaterThan(everyMethod.length / 2);
    expect(recordPlaces.length).toBeGreaterThan(10);
  });

  it('send one request each where everything is legal', async () => {
    // A01 is answered beside every script.
    for (const method of everyMethod.filter(({ name }) => name !== 'integration.profile')) {
      const { error, sent } = await callWith(method);
      expect([method.name, sent.length, Reflect.get(Object(error), 'name')]).toEqual([
        method.name,
        1,
        'NotFoundError',
      ]);
    }
  });
});

describe('a hostile id is refused before anything is sent', () => {
  it('whatever it is, by the rule that every place of an id has', () => {
    for (const id of [...hostileTexts, ...hostileOthers]) {
      expect([id, formats.pathId(id)]).toEqual([id, expect.stringMatching(/^must /)]);
    }
    const rules = new Set(
      idPlaces.map(({ name, param }) => routes.find((route) => route.name === name)?.params?.[param]),
    );
    expect([...rules]).toEqual(['pathId']);
  });

  it.each(places)('$party $name: $param', async ({ param, ...method }) => {
    await expectRefused(method, param, [
      '',
      '..',
      '%2F',
      'a/b',
      '\n',
      '\ud800',
      undefined,
      null,
      {},
      Symbol('id'),
    ]);
  });

  it.each(places.filter(({ param }) => param === 'media'))('$party $name: no media id', async (method) => {
    const ids = ['a', '-1', '1.5', '1e3', '01', '+1', '0x1', ' 1', '1 ', '१', 2 ** 53, 'lot_1'];
    await expectRefused(method, 'media', ids);
  });

  it.each(places.filter(({ param }) => param === 'idempotency_key'))(
    '$party $name: no UUID',
    async (method) => {
      const uuid = '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f';
      const almost = [
        `{${uuid}}`,
        `${uuid}\n`,
        ` ${uuid}`,
        uuid.replaceAll('-', ''),
        uuid.slice(1),
        `${uuid}0`,
      ];
      await expectRefused(method, 'idempotency_key', [
        ...almost,
        uuid.replace('f', 'g'),
        uuid.replace('-', '–'),
      ]);
    },
  );

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

describe('an odd id reaches the service as one segment, signed as it is sent', () => {
  it.each(idPlaces)('$party $name: $param', async ({ param, ...method }) => {
    // Each place gets some of them, and each of them some place.
    const first = places.findIndex((place) => place.name === method.name && place.party === method.party);
    for (let at = first % 6; at < oddIds.length; at += 6) {
      await expectSentAsOneSegment(method, param, oddIds[at] ?? '');
    }
  });

  it.each(places.filter(({ param }) => param === 'media'))('$party $name: any integer', async (method) => {
    for (const id of [0, 901, '0', '901', '123456789012345678901234567890', Number.MAX_SAFE_INTEGER]) {
      await expectSentAsOneSegment(method, 'media', id);
    }
  });

  it.each(places.filter(({ param }) => param === 'idempotency_key'))(
    '$party $name: any case',
    async (method) => {
      await expectSentAsOneSegment(method, 'idempotency_key', '3F0E6D52-9A41-4d0c-8a0e-5a3b1c2d4e5f');
    },
  );
});

async function expectSentAsOneSegment(method: Method, param: string, id: string | number): Promise<void> {
  const { sent } = await callWith(method, { ids: { [param]: id } });
  expect(sent, show(id)).toHaveLength(1);
  const [path = '', query = ''] = (sent[0]?.path ?? '').split('?');
  const segments = path.split('/').map(decodeURIComponent);
  const meant = `/api/v1${method.operation.path}`
    .split('/')
    .map((segment) => /^\{(\w+)\}$/.exec(segment)?.[1] ?? segment)
    .map((name, at, all) =>
      method.params.includes(name) && isParam(method, at, all.length) ? name : `=${name}`,
    );
  expect(segments, show(id)).toEqual(
    meant.map((name) => (name.startsWith('=') ? name.slice(1) : String(name === param ? id : legalId(name)))),
  );
  // No parser on the way makes another path of it.
  expect(new URL(`https://bank.example${path}`).pathname).toBe(path);
  const { 'X-Timestamp': timestamp, 'X-Nonce': nonce, 'X-Signature': signature } = sent[0]?.headers ?? {};
  const digest = createHash('sha256')
    .update(sent[0]?.body ?? '')
    .digest('hex');
  const lines = [method.operation.method, path, query, timestamp, nonce, digest].join('\n');
  expect(signature).toBe(createHmac('sha256', SECRET).update(lines).digest('hex'));
}

/** Whether the segment at this place of a template is a parameter. */
function isParam({ operation }: Method, at: number, length: number): boolean {
  const parts = `/api/v1${operation.path}`.split('/');
  return parts.length === length && /^\{\w+\}$/.test(parts[at] ?? '');
}
