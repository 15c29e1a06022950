import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ObjectSchema, Schema } from '../../src/api/check.js';
import { type Format, formats } from '../../src/api/formats.js';
import type { Route } from '../../src/api/operation.js';
import { InvalidRequestError } from '../../src/errors/local.js';
import { routes } from '../../src/generated/routes.js';
import { bank, dealer, KEY, platform, rejection } from '../support/clients.js';
import { sampled } from '../support/thorough.js';
import { callWith, everyMethod, legalInput, type Method } from './every-method.js';

/** Spread out by white space: none of these texts holds a blank that matters. */
const words = (text: string) => text.trim().split(/\s+/);

const noText = [null, 7, true, {}, ['x']];
const noWhole = [1.5, '1', '', null, true, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1n, {}, [1]];

/** What is right and what is wrong under each format; the first that is wrong is tried in every field. */
interface Sample {
  readonly refused: readonly unknown[];
  readonly taken: readonly unknown[];
}

const samples: Readonly<Record<Exclude<Format, 'filled' | 'money'>, Sample>> = {
  // rule: general.1, limit.amount
  amount: {
    refused: [
      ...[465000, 0, Number.NaN, 465000n, null, {}, ['465000'], new String('1'), '9'.repeat(400)],
      ...words('1234567890123 0000000000001 1.234 1.000 -1 +1 0 0.00 00 05 00.5 1e5 0x1F 1.000,00 1_000 ₹5'),
      ...['', '1\0', '1\n', 'INR 5', ' 1', '1 000', ...words('٤٦٥ １２ NaN 5. .5 . 1.2.3 4,65,000')],
    ],
    taken: words('0.01 1 0.5 465000.50 999999999999.99'),
  },
  uuid: {
    refused: [
      ...['', ` ${KEY}`, `${KEY}\n`, `{${KEY}}`, `urn:uuid:${KEY}`, KEY.replaceAll('-', '')],
      ...[KEY.slice(1), `${KEY}0`, KEY.replace('f', 'g'), KEY.replace('-', '–'), ...noText, new String(KEY)],
    ],
    taken: [KEY, KEY.toUpperCase()],
  },
  version: { refused: [-1, ...noWhole], taken: [0, 1, Number.MAX_SAFE_INTEGER] },
  // rule: limit.bidder-reference
  bidderReference: {
    refused: [
      ...words('a.b a/b a\\b a,b ü १ 🚗 %41'),
      ...['', ' ', 'a b', 'a\n', '\0', 'x'.repeat(121), ...noText],
    ],
    taken: ['x', 'x'.repeat(120), '-_09Az'],
  },
  // rule: limit.dealer-id
  dealerId: { refused: ['🚗'.repeat(33), '', ...noText], taken: ['d'.repeat(32), '🚗'.repeat(32)] },
  positive: { refused: [0, -1, ...noWhole], taken: [1, 101, Number.MAX_SAFE_INTEGER] },
  // rule: limit.per-page
  perPage: { refused: [101, 0, -1, ...noWhole], taken: [1, 100] },
  // rule: limit.search
  search: {
    refused: ['🚗'.repeat(101), ...noText],
    taken: ['x'.repeat(100), '🚗'.repeat(100), '%', '&page=2', '\u0000', '../'],
  },
  dateTime: {
    refused: [
      ...words('2026-03-01T10:30:00 2026-03-01T10:30:00+0530 2026-02-30T10:30:00Z 2026-13-01T10:30:00Z'),
      ...words('2026-04-31T23:59:00+05:30 2026-03-01T25:00:00Z 2026-03-01T10:60:00Z 2026-03-01T10:30:61Z'),
      ...words('2026-03-01T10:30:00+25:00 2026-03-01T10:30:00+05:61 2026-03-01 2026-03-01t10:30:00z'),
      ...['', ' 2026-03-01T10:30:00Z', '2026-03-01T10:30:00Z\n', '2026-03-01 10:30:00Z', ...noText],
    ],
    taken: words('2028-02-29T23:59:59.123456+05:30 2026-03-01T10:30Z 2026-12-31T23:59:59-12:00'),
  },
  date: {
    refused: [
      ...words('2026-02-30 2026-02-29 2026-13-01 2026-00-01 2026-03-00 2026-3-1 01-03-2026 20260301'),
      ...['2026-03-01T00:00:00Z', '', ' 2026-03-01', '2026-03-01\n', ...noText, new Date(0)],
    ],
    taken: words('2026-03-01 2028-02-29'),
  },
  // rule: delivery.2
  httpsUrl: {
    refused: [
      ...words('http://example.com/hooks ftp://example.com //example.com example.com https://'),
      ...words('https:example.com https://example.com:99999/ javascript:alert(1)//x.y https:///x'),
      ...['', ' https://example.com', 'https://a.example/b c', ...noText, new URL('https://example.com')],
    ],
    taken: words('https://example.com/hooks https://example.com:8443/hooks?tenant=1 HTTPS://example.com/'),
  },
  base64: {
    refused: [
      ...words('= ==== aGk a=== a-_= aGk=aGk= data:application/pdf;base64,aGk= ü==='),
      ...['', 'aGk=\n', 'aG k', 'aGk=\0', `${'aGkh'.repeat(5_000_000)}aG!h`],
      ...[...noText, Buffer.from('aGk='), new Blob(['hi'])],
    ],
    taken: ['aGk=', 'aA==', 'aGkh', 'a+/=', 'aGkh'.repeat(5_000_000)],
  },
  integerId: {
    refused: ['a', '-1', '1.5', '1e3', '01', '+1', '0x1', ' 1', '1 ', '१', 2 ** 53, -1, 1.5, null, {}, [1]],
    taken: [0, 901, '0', '901', '123456789012345678901234567890', Number.MAX_SAFE_INTEGER],
  },
  pathId: {
    refused: [
      ...words('. .. %2e%2e .%2e %2F %252e%252e %00 % a%20b / a/b //evil.example \\ a\\b ? a?b # a#b'),
      ...['', ' ', '\u00a0', '\0', 'a\0', 'a\n', '\na', '\t', 'a\u001b[2J', '\r\nX-Evil: 1', '\u007f'],
      ...['a\u0085b', '\ud800', 'a\udc00b', undefined, null, true, Number.NaN, -1, 1.5, 7n, {}, new Date(0)],
      ...[Symbol('lot_1'), ['lot_1'], () => 'lot_1', new String('lot_1'), { toString: () => 'lot_1' }],
    ],
    taken: ['lot_1', 'a b', 'ü', 'a..b', '...', '{lot}', 'x'.repeat(2_000)],
  },
};

it.each(Object.entries(samples))(
  'A format takes what is right, and says what anything else must be: %s',
  (name, sample) => {
    const problemOf = formats[name as keyof typeof samples];
    for (const value of sample.refused) {
      expect(problemOf(value), inspect(value).slice(0, 99)).toMatch(/^must /);
    }
    for (const value of sample.taken) expect(problemOf(value)).toBeUndefined();
  },
);

interface Field extends Method {
  readonly field: string;
  readonly schema: Schema;
}

function routeOf(method: Method): Route {
  const route = routes.find(({ name }) => name === method.name);
  if (route === undefined) throw new Error(`${method.name} is no route`);
  return route;
}

function inputOf(method: Method): ObjectSchema['fields'] {
  const { query, body } = routeOf(method);
  return { ...query?.fields, ...body?.fields };
}

const fields: readonly Field[] = everyMethod.flatMap((method) =>
  Object.entries(inputOf(method)).map(([field, schema]) => ({
    ...method,
    field,
    schema: typeof schema === 'object' && 'optional' in schema ? schema.optional : schema,
  })),
);

function sampleOf({ schema }: Field): Sample | undefined {
  return Object.entries(samples).find(([format]) => format === schema)?.[1];
}

/** In an event, only platforms ask for the standing of a buyer. */
function isForbidden({ party, name, field }: Field): boolean {
  return field === 'bidder_reference' && party === 'bank' && name.startsWith('events.');
}

/** Whether an error refuses this field, and nothing else, before anything was sent. */
function isRefusal(error: unknown, field: string): boolean {
  if (!(error instanceof InvalidRequestError)) return false;
  return (
    error.outcome === 'not_sent' &&
    error.issues.every(({ path }) => path === field || path.startsWith(`${field}.`))
  );
}

async function expectRefused(
  method: Method,
  field: string,
  given: Parameters<typeof callWith>[1],
): Promise<void> {
  const { error, sent } = await callWith(method, given);
  const title = [method.party, method.name, field, inspect(given)];
  expect([...title, sent.length, isRefusal(error, field), error]).toEqual([...title, 0, true, error]);
}

const withField = (method: Method, field: string, value: unknown) => ({
  input: Object.defineProperty({ ...legalInput(method) }, field, { value, enumerable: true }),
});

describe('a field', () => {
  it.each<[format: Format, fields: readonly string[]]>([
    ['amount', ['amount', 'received_amount']],
    ['bidderReference', ['bidder_reference']],
    ['uuid', ['idempotency_key']],
    ['dateTime', ['client_bid_time', 'due_at', 'valid_until', 'paid_at', 'expires_at', 'occurred_at']],
    ['date', ['collection_date', 'value_date']],
    ['perPage', ['per_page']],
  ])('has the format that its name promises, on both clients: %s', (format, names) => {
    const found = fields.filter(({ schema }) => schema === format);
    expect(found).toEqual(fields.filter(({ field }) => names.includes(field)));
    expect(found).not.toEqual([]);
  });

  it.each(fields.filter((field) => sampleOf(field) !== undefined && !isForbidden(field)))(
    'that breaks its format is refused before anything is sent: $party $name $field',
    async (field) => {
      const { refused = [], taken = [] } = sampleOf(field) ?? {};
      for (const wrong of [refused[0], null]) {
        await expectRefused(field, field.field, withField(field, field.field, wrong));
      }
      const { sent } = await callWith(field, withField(field, field.field, taken[0]));
      expect(sent).toHaveLength(1);
    },
  );

  // rule: bid.8
  it.each(fields.filter(isForbidden))(
    'that only platforms have is refused: $party $name $field',
    async (field) => {
      for (const value of ['buyer-9', '', null, 7]) {
        await expectRefused(field, field.field, withField(field, field.field, value));
      }
    },
  );

  // rule: bid.8
  it('that names the buyer is refused in a bid of a direct dealer, and required in one of a platform', async () => {
    const submit = (client: object, bidder_reference: unknown): Promise<unknown> =>
      Reflect.apply(Reflect.get(client, 'submit'), client, ['lot_1', { amount: '1', bidder_reference }]);
    const issues = expect.arrayContaining([expect.objectContaining({ path: 'bidder_reference' })]);
    const [ofDealer, ofPlatform] = [dealer([]), platform([])];
    for (const buyer of ['buyer-9', '', null, 7]) {
      expect(await rejection(submit(ofDealer.client.bids, buyer))).toMatchObject({ issues });
    }
    for (const buyer of [undefined, '', 'a b', 'x'.repeat(121)]) {
      expect(await rejection(submit(ofPlatform.client.bids, buyer))).toMatchObject({ issues });
    }
    expect([...ofDealer.transport.sent, ...ofPlatform.transport.sent]).toEqual([]);
  });

  // rule: general.1, state.offer, convention.2
  it.each([
    ['currency', ['USD', 'inr', 'INR ', '', null, 356, ['INR']]],
    ['status', ['open', 'LIVE', 'live ', '', null, ['live']]],
    ['decision', ['approved', 'ACCEPTED', ' accepted', '', null, true]],
    ['after', ['', null, 7, {}]],
    ['lot_ids', [[], null, 'lot_1', {}, new Set(['lot_1']), ['lot_1', ''], [7], [null], [['lot_1']]]],
    ['expected_version', [undefined]],
  ] as const)('that takes certain values refuses all others: %s', async (name, values) => {
    const places = fields.filter(
      ({ field, name: method }) =>
        field === name &&
        (name !== 'status' || method === 'events.list') &&
        (name !== 'decision' || method === 'offers.respond'),
    );
    expect(places.length).toBeGreaterThan(0);
    for (const place of places) {
      for (const value of values) await expectRefused(place, name, withField(place, name, value));
    }
  });

  it('that holds a lone surrogate is refused in a query', async () => {
    const [place] = fields.filter(({ field }) => field === 'search');
    if (place === undefined) throw new Error('no search');
    await expectRefused(place, 'query."search"', withField(place, 'search', 'a\ud800'));
  });

  it('that is wrong is named together with everything else that is wrong, and thousands of them in a short text', async () => {
    const { client } = dealer([]);
    const wrong = Reflect.apply(client.bids.submit, client.bids, ['..', { amount: 5, price: 1 }]);
    expect(await rejection(wrong)).toMatchObject({
      issues: [{ path: 'lot' }, { path: 'amount' }, { path: 'price' }],
    });
    const lot_ids = Array.from({ length: 200_000 }, () => '');
    const many = await rejection(client.lots.statusBatch({ lot_ids }));
    expect(many).toBeInstanceOf(InvalidRequestError);
    expect(String(many).length).toBeLessThan(2_000);
  });
});

it('A bid without any dealer id is refused', async () => {
  const { client } = dealer([], { dealerId: undefined });
  const issues = [{ path: 'dealer_id', message: expect.stringContaining('VEHICLE_AUCTION_DEALER_ID') }];
  expect(await rejection(client.bids.submit('lot_1', { amount: '5' }))).toMatchObject({ issues });
});

// rule: limit.batch
it('A hundred and one lots are sent in one batch: the service has the last word', async () => {
  const { client, transport } = dealer([{ status: 200, json: { data: [], server_time: 'T' } }]);
  const lot_ids = Array.from({ length: 101 }, (_, index) => `lot_${index}`);
  expect(await client.lots.statusBatch({ lot_ids })).toEqual([]);
  expect(transport.sent.map(({ body }) => JSON.parse(body ?? ''))).toEqual([{ lot_ids }]);
});

/** What writes itself as JSON, as many a decimal or date class does, or hides what it holds. */
class Money {
  readonly #paise = 100;

  toJSON(): string {
    return String(this.#paise);
  }
}

const circle: Record<string, unknown> = {};
circle['self'] = circle;

/** What JSON would drop, change or choke on. */
const notJson: readonly unknown[] = [
  ...[Symbol('x'), () => 'x', 10n, Number.NaN, Number.NEGATIVE_INFINITY, new Date(0), new Map([['a', 1]])],
  ...[new Set(['a']), new Uint8Array(3), new URL('https://example.com'), /x/, new Error('x')],
  ...[Promise.resolve('x'), circle, { toJSON: () => 'x' }, new Money(), [undefined], [10n]],
  ...[{ a: { b: [Number.NaN] } }, { a: Symbol('x') }, JSON.parse('{"__proto__":{"admin":true}}')],
];

/** What is no plain object, and would silently be an empty one. */
const noObjects: readonly unknown[] = [
  ...['{"amount":"1"}', 1, [], [{}], null, true, () => ({}), Symbol('x'), new Money(), new Map([['a', 1]])],
  ...[new URLSearchParams({ page: '1' }), new FormData(), new Date(0), Buffer.from('{}')],
];

/** A quarter of the values, another one for the next method. */
function sampledFor<T>(method: Method, values: readonly T[]): readonly T[] {
  return sampled(values, 4, everyMethod.indexOf(method));
}

it.each(everyMethod)(
  '$party $name refuses what is no object in place of its input, and options that are none',
  async (method) => {
    const { body, query } = routeOf(method);
    const part = body === undefined ? 'query' : 'body';
    for (const input of (body ?? query) ? sampledFor(method, noObjects) : []) {
      const { error, sent } = await callWith(method, { input });
      const issues = expect.arrayContaining([{ path: part, message: expect.any(String) }]);
      expect([sent.length, error]).toMatchObject([0, { issues }]);
    }
    for (const option of ['surprise', 'Timeout', 'retries', 'headers', 'idempotency_key', 'constructor']) {
      await expectRefused(method, `options.${option}`, { options: { [option]: 1 } });
    }
  },
);

it.each([
  ['options.timeout', { timeout: 0 }],
  ['options.deadline', { deadline: Number.POSITIVE_INFINITY }],
  ['options.maxAttempts', { maxAttempts: 0 }],
  ['options.maxAttempts', { maxAttempts: 1.5 }],
  ['options.lane', { lane: 'first' }],
  ['options.signal', { signal: new AbortController() }],
  ['options', 5],
  ['options', null],
  ['options', new AbortController()],
  ['options', AbortSignal.abort()],
])('Options of a call that cannot work are refused: %s of %s', async (path, options) => {
  const names = ['events.list', 'lots.statusBatch', 'bids.submit', 'disputes.create', 'documents.upload'];
  for (const method of everyMethod.filter(({ name }) => names.includes(name))) {
    const { error, sent } = await callWith(method, { options });
    expect([sent.length, error]).toMatchObject([0, { name: 'InvalidRequestError', issues: [{ path }] }]);
  }
});

it.each(everyMethod.filter((method) => Object.keys(inputOf(method)).length > 0))(
  '$party $name refuses fields that nobody knows, naming the nearest or all that it has',
  async (method) => {
    const known = Object.keys(inputOf(method));
    const some = known.map((name) => `the nearest is ${name}`);
    const message = expect.toSatisfy((text: string) =>
      [...some, known.join(', ')].some((end) => text.endsWith(end)),
    );
    const strangers = words('price Amount idempotencyKey _method toString constructor a.b __proto__');
    for (const path of [...strangers, '', ' page']) {
      const { error, sent } = await callWith(method, withField(method, path, 'x'));
      expect([sent.length, error]).toMatchObject([0, { issues: [{ path, message }] }]);
    }
  },
);

it.each(everyMethod)('$party $name refuses extras that would change what the call is', async (method) => {
  const { body, query, effect, fixedQuery } = routeOf(method);
  const reserved = ['_method', 'expected_version', 'idempotency_key', '', '__proto__'];
  for (const [option, isTaken, known] of [
    ['extraQuery', effect !== 'bid', { ...query?.fields, ...fixedQuery }],
    ['extraBody', effect === 'command', { ...body?.fields }],
  ] as const) {
    for (const name of [...reserved, ...Object.keys(known)]) {
      const extra = Object.defineProperty({}, name, { value: 'x', enumerable: true });
      const { error, sent } = await callWith(method, { options: { [option]: extra } });
      const path = isTaken ? `options.${option}.${name}` : `options.${option}`;
      expect([sent.length, error]).toMatchObject([0, { name: 'InvalidRequestError', issues: [{ path }] }]);
    }
  }
});

it.each(everyMethod)(
  '$party $name refuses what JSON would drop, change or choke on, wherever it is',
  async (method) => {
    // Each field gets some of the values, and each value some field.
    const names = Object.keys(inputOf(method));
    for (const [index, value] of sampledFor(method, [...notJson.entries()])) {
      const field = names[index % names.length];
      if (field === undefined) break;
      await expectRefused(method, field, withField(method, field, value));
    }
    if (routeOf(method).effect !== 'command') return;
    for (const note of sampledFor(method, notJson)) {
      await expectRefused(method, 'options.extraBody.note', { options: { extraBody: { note } } });
    }
  },
);

it('An extra of a query is a string, a number or a boolean; what is undefined is left out', async () => {
  const { client, transport } = bank([{ status: 200, json: { data: {} } }]);
  const get = (extraQuery: object) =>
    Reflect.apply(client.saleCases.get, client.saleCases, ['s', { extraQuery }]);
  for (const a of [{}, Number.NaN, null, [1]]) {
    expect(await rejection(get({ a }))).toMatchObject({ issues: [{ path: 'options.extraQuery.a' }] });
  }
  for (const extraQuery of ['a=1', [], new Map([['a', 1]])]) {
    expect(await rejection(get(Object(extraQuery)))).toMatchObject({
      issues: [{ path: 'options.extraQuery' }],
    });
  }
  await get({ 'dry run': true, none: undefined }).catch(() => undefined);
  expect(transport.sent.map(({ path }) => path)).toEqual(['/api/v1/sale-cases/s?dry%20run=true']);
});

it("An instance of the caller's class with fields of its own is an object like any other", async () => {
  class Fields {
    readonly amount = '465000';
  }
  const { client, transport } = dealer([]);
  await rejection(client.bids.submit('lot_1', new Fields(), { maxAttempts: 1, deadline: 1_000 }));
  expect(transport.sent[0]?.body).toContain('"amount":"465000"');
});

it.each(everyMethod.filter(({ operation }) => operation.effect !== 'read'))(
  '$party $name refuses a key in its options that is none, or another than that of its body',
  async (method) => {
    const { idempotency_key: _, ...input } = legalInput(method) ?? {};
    for (const idempotencyKey of ['abc', '', `${KEY}\n`, null, 7]) {
      await expectRefused(method, 'idempotency_key', { input, options: { idempotencyKey } });
    }
    const other = { idempotencyKey: KEY.replace('3', '4') };
    await expectRefused(method, 'options.idempotencyKey', { options: other });
  },
);
