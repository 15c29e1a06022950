import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { ObjectSchema, Schema } from '../../src/api/check.js';
import { type Format, formats } from '../../src/api/formats.js';
import type { Route } from '../../src/api/operation.js';
import { InvalidRequestError } from '../../src/errors/local.js';
import { routes } from '../../src/routes/all.js';
import { dealer, KEY, rejection } from '../support/clients.js';
import { callWith, everyMethod, legalInput, type Method } from './every-method.js';

/** What is wrong with texts and numbers of each format, by what the error says, and what is right. */
interface Sample {
  readonly refused: readonly (readonly [says: RegExp, values: readonly unknown[]])[];
  readonly taken: readonly unknown[];
}

const noText = (...more: readonly unknown[]) =>
  [/^must be a string/, [null, 7, true, {}, ['x'], ...more]] as const;
const noWhole = [
  /^must be a whole number/,
  [1.5, '1', '', null, true, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1n, {}, [1]],
] as const;

/** Spread out by white space: none of these texts holds a blank that matters. */
const words = (text: string) => text.trim().split(/\s+/);

const samples: Readonly<Record<Exclude<Format, 'filled' | 'integerId' | 'money' | 'pathId'>, Sample>> = {
  // rule: general.1, limit.amount
  amount: {
    refused: [
      [/, not a number$/, [465000, 465000.5, 0, -1, Number.NaN, Number.POSITIVE_INFINITY]],
      [/, not a bigint; fromPaise\(\) makes one of integer paise$/, [465000n]],
      [
        /^must be a decimal string in INR/,
        [null, true, {}, [], ['465000'], Symbol('1'), () => '1', new String('1'), new Date(0)],
      ],
      [
        /^must be a positive decimal string in INR with at most 12 integer digits and 2 decimals/,
        [
          ...words(
            '1234567890123 0000000000001 1.234 1.000 999999999999.999 -1 +1 -0.01 0 0.00 00 -0 0.0 1e5 4e-1',
          ),
          ...words('0x1F 1.000,00 1_000 ٤٦٥ １２ NaN Infinity null undefined ₹5 5. .5 . 1.2.3'),
          ...['9'.repeat(400), '', '1\0', 'INR 5', '\ufeff1'],
        ],
      ],
      [/, without grouping commas$/, words('4,65,000 1,000')],
      [/, without white space$/, ['1\n', ' 1', '1 ', '\t1', '1 000']],
      [/, of digits and a point only$/, words('-1 1e5 NaN ₹5')],
      [/, without leading zeros$/, words('05 00.5')],
    ],
    taken: words('0.01 1 0.5 465000.50 999999999999.99'),
  },
  uuid: {
    refused: [
      [
        /^must be a UUID such as/,
        [
          ...[
            'abc',
            '',
            ` ${KEY}`,
            `${KEY}\n`,
            `{${KEY}}`,
            `urn:uuid:${KEY}`,
            KEY.replaceAll('-', ''),
            KEY.slice(1),
          ],
          ...[`${KEY}0`, KEY.replace('f', 'g'), `${KEY},${KEY}`, 'two\r\nX-Evil: 1'],
        ],
      ],
      noText(new String(KEY)),
    ],
    taken: [KEY, KEY.toUpperCase()],
  },
  version: { refused: [noWhole, [/^must not be negative/, [-1]]], taken: [0, 1, Number.MAX_SAFE_INTEGER] },
  // rule: limit.bidder-reference
  bidderReference: {
    refused: [
      [
        /^must be 1 to 120 letters, digits, "_" or "-"/,
        [
          ...[...words('a.b a/b a@b a+b a#b a\\b a,b ü १ 🚗 Ａ %41'), '', ' ', 'a b', 'a\n', '\0'],
          ...['\ud800', 'x'.repeat(121)],
        ],
      ],
      noText(new String('b')),
    ],
    taken: ['x', 'x'.repeat(120), '-_09Az'],
  },
  // rule: limit.dealer-id
  dealerId: {
    refused: [
      [/^must have at most 32 characters/, ['d'.repeat(33), '🚗'.repeat(33)]],
      [/^must not be empty/, ['']],
      noText(),
    ],
    taken: ['d'.repeat(32), '🚗'.repeat(32)],
  },
  positive: { refused: [noWhole, [/^must be 1 or more/, [0, -1]]], taken: [1, 101, Number.MAX_SAFE_INTEGER] },
  // rule: limit.per-page
  perPage: { refused: [noWhole, [/^must be from 1 to 100/, [0, 101, -1]]], taken: [1, 100] },
  // rule: limit.search
  search: {
    refused: [[/^must have at most 100 characters/, ['x'.repeat(101), '🚗'.repeat(101)]], noText()],
    taken: ['x'.repeat(100), '🚗'.repeat(100), '%', '&page=2', '\u0000', '../'],
  },
  dateTime: {
    refused: [
      [
        /^must be an ISO 8601 date-time with a zone, such as 2026-03-01T10:30:00\+05:30/,
        [
          ...words('2026-03-01T10:30:00 2026-03-01T10:30:00+0530 2026-02-30T10:30:00Z 2026-02-29T10:30:00Z'),
          ...words(
            '2026-13-01T10:30:00Z 2026-00-10T10:30:00Z 2026-04-31T23:59:00+05:30 2026-03-01T25:00:00Z',
          ),
          ...words(
            '2026-03-01T10:60:00Z 2026-03-01T10:30:61Z 2026-03-01T10:30:00+25:00 2026-03-01T10:30:00+05:61',
          ),
          ...words('2026-03-01 2026-3-1T10:30:00Z 01/03/2026 1772431200 now 2026-03-01t10:30:00z'),
          ...['', ' 2026-03-01T10:30:00Z', '2026-03-01T10:30:00Z\n', '2026-03-01 10:30:00Z'],
        ],
      ],
      noText(new Date(0), 1_772_431_200_000),
    ],
    taken: words('2028-02-29T23:59:59.123456+05:30 2026-03-01T10:30Z 2026-12-31T23:59:59-12:00'),
  },
  date: {
    refused: [
      [
        /^must be a date such as 2026-03-01/,
        [
          ...words(
            '2026-02-30 2026-02-29 2026-13-01 2026-00-01 2026-04-31 2026-03-00 2026-3-1 01-03-2026 20260301',
          ),
          ...words('2026-03-01T00:00:00Z today'),
          ...['', ' 2026-03-01', '2026-03-01\n'],
        ],
      ],
      noText(new Date(0)),
    ],
    taken: words('2026-03-01 2028-02-29'),
  },
  httpsUrl: {
    refused: [
      [
        /^must be an https URL such as/,
        [
          ...words(
            'http://example.com/hooks HTTP://example.com ftp://example.com //example.com wss://example.com',
          ),
          ...words('example.com /hooks https:// https:example.com javascript:alert(1)'),
          ...['', ' https://example.com', 'https://a b'],
        ],
      ],
      noText(new URL('https://example.com')),
    ],
    taken: ['https://example.com/hooks'],
  },
  base64: {
    refused: [
      [
        /^must be the base64 of a file that is not empty/,
        [
          ...words('= ==== aGk a-_= aGk=aGk= data:application/pdf;base64,aGk= <file> ü=== receipt.pdf'),
          ...['', 'aGk=\n', 'aG k', 'aGkh\r\naGkh', 'aGk=\0', '\ufeffaGk='],
        ],
      ],
      noText(Buffer.from('aGk='), new Uint8Array(3), new ArrayBuffer(3), new Blob(['hi'])),
    ],
    taken: ['aGk='],
  },
};

describe('a value of a format', () => {
  it.each(Object.entries(samples))(
    'is refused with what it must be, or taken: %s',
    (format, { refused, taken }) => {
      const problemOf = formats[format as keyof typeof samples];
      for (const [says, values] of refused) {
        for (const value of values)
          expect([value, problemOf(value)]).toEqual([value, expect.stringMatching(says)]);
      }
      for (const value of taken) expect([value, problemOf(value)]).toEqual([value, undefined]);
    },
  );
});

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
  return typeof schema === 'string'
    ? Object.entries(samples).find(([format]) => format === schema)?.[1]
    : undefined;
}

/** In an event, only platforms ask for the standing of a buyer. */
function isForbidden({ party, name, field }: Field): boolean {
  return field === 'bidder_reference' && party === 'bank' && name.startsWith('events.');
}

/** Whether an error refuses this field, and nothing else, before anything was sent, and says what is allowed. */
function isRefusal(error: unknown, field: string, says: RegExp): boolean {
  if (!(error instanceof InvalidRequestError)) return false;
  const { issues, outcome, message } = error;
  return (
    outcome === 'not_sent' &&
    message.includes(`${field} `) &&
    issues.every(({ path }) => path === field) &&
    issues.some((issue) => says.test(issue.message))
  );
}

async function expectRefused(method: Method, field: string, value: unknown, says: RegExp): Promise<void> {
  const { error, sent } = await callWith(method, { input: { ...legalInput(method), [field]: value } });
  const title = [method.party, method.name, field, inspect(value)];
  expect([...title, sent.length, isRefusal(error, field, says), error]).toEqual([...title, 0, true, error]);
}

describe('a field', () => {
  it('has the format that its name promises, on both clients', () => {
    const names = (format: Format) =>
      fields
        .filter(({ schema }) => schema === format)
        .map(({ party, name, field }) => `${party} ${name} ${field}`);
    expect(names('amount')).toEqual([
      ...['platform eligibility.check amount', 'platform bids.submit amount'],
      ...['platform paymentReports.create amount', 'platform payments.requestRefund amount'],
      ...['bank saleCases.offer amount', 'bank paymentReports.decide received_amount'],
      ...['bank payments.allocate amount', 'bank payments.requestRefund amount'],
      ...['bank bankReceipts.import amount'],
    ]);
    const byName = (...wanted: readonly string[]) =>
      fields
        .filter(({ field }) => wanted.includes(field))
        .map(({ party, name, field }) => `${party} ${name} ${field}`);
    expect(names('bidderReference')).toEqual(byName('bidder_reference'));
    expect(names('uuid')).toEqual(byName('idempotency_key'));
    expect(names('dateTime')).toEqual(
      byName('client_bid_time', 'due_at', 'valid_until', 'paid_at', 'expires_at', 'occurred_at'),
    );
    expect(names('date')).toEqual(byName('collection_date', 'value_date'));
    expect(names('perPage')).toEqual(byName('per_page'));
  });

  it('has a key for every write, and for nothing else', () => {
    const writes = everyMethod.filter(({ operation }) => operation.effect !== 'read');
    const keyed = fields.filter(({ field }) => field === 'idempotency_key');
    expect(keyed.map(({ name }) => name)).toEqual(writes.map(({ name }) => name));
    expect(writes.length).toBeGreaterThan(20);
  });

  it.each(fields.filter((field) => sampleOf(field) !== undefined && !isForbidden(field)))(
    'that breaks its format is refused before anything is sent: $party $name $field',
    async (field) => {
      for (const [says, values] of sampleOf(field)?.refused ?? []) {
        await expectRefused(field, field.field, values[0], says);
      }
      const [taken] = sampleOf(field)?.taken ?? [];
      const { sent } = await callWith(field, { input: { ...legalInput(field), [field.field]: taken } });
      expect(sent).toHaveLength(1);
    },
  );

  // rule: bid.8
  it.each(fields.filter(isForbidden))(
    'that only platforms have is refused: $party $name $field',
    async (field) => {
      for (const value of ['buyer-9', '', null, 7]) {
        await expectRefused(field, field.field, value, /^must be left out: only platforms/);
      }
    },
  );

  // rule: bid.8
  it('that names a buyer is refused in a bid of a direct dealer, whatever it holds', async () => {
    const { client, transport } = dealer([]);
    const plain: { submit(...args: unknown[]): Promise<unknown> } = client.bids;
    for (const bidder_reference of ['buyer-9', '', null, 7]) {
      const error = await rejection(plain.submit('lot_1', { amount: '1', bidder_reference }));
      const message = expect.stringMatching(/^must be left out/);
      expect(error).toMatchObject({
        issues: expect.arrayContaining([{ path: 'bidder_reference', message }]),
      });
    }
    expect(transport.sent).toEqual([]);
  });

  // rule: general.1, state.offer
  it.each([
    ['currency', /^must be one of "INR"$/, ['USD', 'inr', 'INR ', '', null, 356, ['INR']]],
    [
      'status',
      /^must be one of "all", "upcoming", "live", "over"/,
      ['open', 'LIVE', 'live ', '', null, ['live']],
    ],
    [
      'decision',
      /^must be one of "accepted", "declined"/,
      ['approved', 'ACCEPTED', ' accepted', '', null, true],
    ],
    ['after', /^must (?:not be empty|be a string)/, ['', null, 7, {}]],
    ['lot_ids', /^must (?:name at least one lot|be an array)/, [[], null, 'lot_1', {}, new Set(['lot_1'])]],
    ['expected_version', /^is required.* the record itself/, [undefined]],
  ] as const)('that takes certain values refuses all others: %s', async (name, says, values) => {
    const places = fields.filter(
      ({ field, name: method }) =>
        field === name &&
        (name !== 'status' || method === 'events.list') &&
        (name !== 'decision' || method === 'offers.respond'),
    );
    expect(places.length).toBeGreaterThan(0);
    for (const place of places) for (const value of values) await expectRefused(place, name, value, says);
  });

  it('that lists lots names the item that is wrong', async () => {
    for (const place of fields.filter(({ field }) => field === 'lot_ids')) {
      for (const wrong of ['', 7, null, undefined, {}, ['lot_1']]) {
        const { error, sent } = await callWith(place, { input: { lot_ids: ['lot_1', wrong] } });
        expect([sent.length, error]).toMatchObject([0, { issues: [{ path: 'lot_ids.1' }] }]);
      }
    }
  });

  it('that holds a lone surrogate is refused in a query', async () => {
    const [place] = fields.filter(({ field }) => field === 'search');
    if (place === undefined) throw new Error('no search');
    const { error, sent } = await callWith(place, { input: { search: 'a\ud800' } });
    expect([sent.length, isRefusal(error, 'query."search"', /^must be well-formed Unicode/)]).toEqual([
      0,
      true,
    ]);
  });
});

/** What writes itself as JSON, as many a decimal or date class does. */
class Money {
  readonly paise = 100;

  toJSON(): string {
    return '1.00';
  }
}

const circle: Record<string, unknown> = {};
circle['self'] = circle;

/** What JSON would drop, change or choke on. */
const notJson: readonly unknown[] = [
  ...[Symbol('x'), () => 'x', 10n, Number.NaN, Number.NEGATIVE_INFINITY, new Date(0), new Map([['a', 1]])],
  ...[
    new Set(['a']),
    new Uint8Array(3),
    new URL('https://example.com'),
    /x/,
    new Error('x'),
    Promise.resolve('x'),
  ],
  ...[circle, { toJSON: () => 'x' }, new Money(), [undefined], [10n], { a: { b: [Number.NaN] } }],
  ...[{ a: Symbol('x') }, JSON.parse('{"__proto__":{"admin":true}}')],
];

it.each(everyMethod)(
  '$party $name refuses what is no object in place of its body or query, and options that it has not',
  async (method) => {
    const { body, query } = routeOf(method);
    const part = body === undefined ? 'query' : 'body';
    const inputs =
      (body ?? query) ? ['{"amount":"1"}', 1, [], [{}], null, true, () => ({}), Symbol('x')] : [];
    for (const input of inputs) {
      const { error, sent } = await callWith(method, { input });
      const issue = { path: part, message: 'must be a plain object' };
      expect([sent.length, error]).toMatchObject([0, { issues: expect.arrayContaining([issue]) }]);
    }
    for (const option of ['surprise', 'Timeout', 'retries', 'headers', 'idempotency_key', 'constructor']) {
      const { error, sent } = await callWith(method, { options: { [option]: 1 } });
      const isKnown = isRefusal(error, `options.${option}`, /^is not an option here; known options: /);
      expect([option, sent.length, isKnown]).toEqual([option, 0, true]);
    }
  },
);

it.each(everyMethod.filter((method) => Object.keys(inputOf(method)).length > 0))(
  '$party $name refuses fields that nobody knows, naming those that it has',
  async (method) => {
    const message = `is not a field here; known fields: ${Object.keys(inputOf(method)).join(', ')}`;
    for (const stranger of [
      ...words('price Amount idempotencyKey _method toString constructor a.b __proto__'),
      '',
      ' page',
    ]) {
      const input = Object.defineProperty({ ...legalInput(method) }, stranger, {
        value: 'x',
        enumerable: true,
      });
      const { error, sent } = await callWith(method, { input });
      expect([stranger, sent.length, error]).toMatchObject([
        stranger,
        0,
        { issues: [{ path: stranger, message }] },
      ]);
    }
  },
);

it.each(everyMethod)('$party $name refuses extras that would change what the call is', async (method) => {
  const { body, query, effect } = routeOf(method);
  const reserved = ['_method', 'expected_version', 'idempotency_key', '', '__proto__'];
  for (const [option, isTaken, known] of [
    ['extraQuery', effect !== 'bid', { ...query?.fields, ...routeOf(method).fixedQuery }],
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
    for (const [index, value] of notJson.entries()) {
      const field = names[index % names.length];
      if (field === undefined) break;
      const { error, sent } = await callWith(method, { input: { ...legalInput(method), [field]: value } });
      const paths: string[] =
        Reflect.get(Object(error), 'issues')?.map(({ path }: { path: string }) => path) ?? [];
      const title = [field, inspect(value)];
      const isNamed = paths.length > 0 && paths.every((path) => path.split('.')[0] === field);
      expect([...title, sent.length, isNamed]).toEqual([...title, 0, true]);
    }
    if (routeOf(method).effect !== 'command') return;
    for (const value of notJson) {
      const { error, sent } = await callWith(method, { options: { extraBody: { note: value } } });
      const path = expect.stringMatching(/^options\.extraBody\.note\b/);
      expect([sent.length, error]).toMatchObject([0, { issues: [{ path }] }]);
    }
  },
);

it.each(everyMethod.filter(({ operation }) => operation.effect !== 'read'))(
  '$party $name refuses a key in its options that is none, or another than that of its body',
  async (method) => {
    const { idempotency_key: _, ...input } = legalInput(method) ?? {};
    for (const idempotencyKey of ['abc', '', `${KEY}\n`, null, 7]) {
      const { error, sent } = await callWith(method, { input, options: { idempotencyKey } });
      expect([sent.length, isRefusal(error, 'idempotency_key', /^must be a (?:UUID|string)/)]).toEqual([
        0,
        true,
      ]);
    }
    const other = KEY.replace('3', '4');
    const { error, sent } = await callWith(method, { options: { idempotencyKey: other } });
    const says = /^must equal idempotency_key/;
    expect([sent.length, isRefusal(error, 'options.idempotencyKey', says)]).toEqual([0, true]);
  },
);
