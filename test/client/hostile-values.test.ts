import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bidderReference, amount as money } from '../../src/api/common.js';
import { InvalidRequestError } from '../../src/errors/local.js';
import { dealer, KEY, rejection } from '../support/clients.js';
import { callWith, everyMethod, fieldsOf, legalInput, type Method } from './every-method.js';

interface Field extends Method {
  readonly field: string;
}

const fields: readonly Field[] = everyMethod.flatMap((method) =>
  Object.keys(fieldsOf(method)).map((field) => ({ ...method, field })),
);
const inputs = everyMethod.filter((method) => legalInput(method) !== undefined);
const bodies = everyMethod.filter(({ operation }) => operation.body !== undefined);
const writes = everyMethod.filter(({ operation }) => operation.effect !== 'read');
const commands = everyMethod.filter(({ operation }) => operation.effect === 'command');

function named(...names: readonly string[]): readonly Field[] {
  return fields.filter(({ field }) => names.includes(field));
}

/** Expects that none of these values is taken for the field, and that the error says what would be. */
async function expectRefused(
  { field, ...method }: Field,
  values: readonly unknown[],
  allowed: RegExp,
): Promise<void> {
  const taken: string[] = [];
  for (const value of values) {
    const { error, sent } = await callWith(method, { input: { ...legalInput(method), [field]: value } });
    if (sent.length > 0 || !isRefusal(error, field, allowed)) {
      taken.push(`${inspect(value)}: ${inspect(error)}`);
    }
  }
  expect(taken).toEqual([]);
}

/** Whether an error refuses this field, and nothing else, before anything was sent, and says what is allowed. */
function isRefusal(error: unknown, field: string, allowed: RegExp): boolean {
  if (!(error instanceof InvalidRequestError)) return false;
  const { issues, outcome, message } = error;
  return (
    outcome === 'not_sent' &&
    message.includes(`${field} `) &&
    issues.every(({ path }) => path === field) &&
    issues.some((issue) => allowed.test(issue.message))
  );
}

/** Expects that each of these values is sent. */
async function expectTaken({ field, ...method }: Field, values: readonly unknown[]): Promise<void> {
  for (const value of values) {
    const { error, sent } = await callWith(method, { input: { ...legalInput(method), [field]: value } });
    expect([sent.length, String(error)]).toEqual([1, expect.stringContaining('HTTP 404')]);
  }
}

describe('money', () => {
  const all = named('amount', 'received_amount');

  // rule: limit.amount
  it('is every field that is held to be an amount, on both clients', () => {
    const own = fields.filter(({ field, ...method }) => {
      const schema = fieldsOf(method)[field];
      const inner: unknown = Reflect.get(Object(schema), 'unwrap');
      const bare: unknown = typeof inner === 'function' ? inner.call(schema) : schema;
      // What is described is a copy of the schema, with the very same checks.
      return checksOf(bare) === checksOf(money);
    });
    expect(own.map(titleOf)).toEqual(all.map(titleOf));
    expect(all.map(titleOf)).toEqual([
      'platform eligibility.check amount',
      'platform bids.submit amount',
      'platform paymentReports.create amount',
      'platform payments.requestRefund amount',
      'bank saleCases.offer amount',
      'bank paymentReports.decide received_amount',
      'bank payments.allocate amount',
      'bank payments.requestRefund amount',
      'bank bankReceipts.import amount',
    ]);
  });

  // rule: general.1
  it.each(all)('$party $name: $field', async (place) => {
    const numbers = [465000, 465000.5, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, 465000n];
    await expectRefused(place, [465000, 4.5], /, not a number$/);
    await expectRefused(place, [465000n], /, not a bigint; fromPaise\(\) makes one of integer paise$/);
    const others = [null, true, {}, [], ['465000'], Symbol('465000'), () => '465000', new String('465000')];
    await expectRefused(place, [...numbers, ...others, new Date(0)], /^must be a decimal string in INR/);
    const sizes = ['1234567890123', '0000000000001', '1.234', '1.000', '999999999999.999', '9'.repeat(400)];
    const signs = ['-1', '+1', '-0.01', '0', '0.00', '00', '-0', '0.0'];
    const forms = [
      '1e5',
      '1E5',
      '4e-1',
      '0x1F',
      '1,000',
      '4,65,000',
      '1.000,00',
      '1_000',
      '1 000',
      '٤٦٥',
      '１２',
    ];
    const blanks = ['', ' ', ' 1', '1 ', '1\n', '\t1', '1\u00a0', '\ufeff1', '1\0'];
    const texts = [
      'NaN',
      'Infinity',
      'null',
      'undefined',
      'INR 5',
      '₹5',
      '5 INR',
      '5.',
      '.5',
      '.',
      '1.2.3',
      '05',
    ];
    await expectRefused(
      place,
      [...sizes, ...signs, ...forms, ...blanks, ...texts],
      /^must be a positive decimal string in INR with at most 12 integer digits and 2 decimals/,
    );
    await expectRefused(place, ['4,65,000'], /, without grouping commas$/);
    await expectRefused(place, ['1\n', ' 1'], /, without white space$/);
    await expectRefused(place, ['-1', '1e5', 'NaN', '₹5'], /, of digits and a point only$/);
    await expectRefused(place, ['05', '00.5'], /, without leading zeros$/);
    await expectTaken(place, ['0.01', '1', '0.5', '465000.50', '999999999999.99']);
  });
});

describe('keys, versions and names', () => {
  const badKeys = [
    'abc',
    '',
    ` ${KEY}`,
    `${KEY}\n`,
    `{${KEY}}`,
    `urn:uuid:${KEY}`,
    KEY.replaceAll('-', ''),
    KEY.slice(1),
    `${KEY}0`,
    KEY.replace('f', 'g'),
    `${KEY},${KEY}`,
    'two\r\nX-Evil: 1',
    null,
    7,
    {},
    [KEY],
    new String(KEY),
  ];

  // rule: limit.bidder-reference, limit.dealer-id
  it.each(named('idempotency_key'))('$party $name: $field', async (place) => {
    await expectRefused(place, badKeys, /^must be a (?:UUID such as|string)/);
    await expectTaken(place, [KEY.toUpperCase()]);
  });

  it.each(writes)('$party $name: the idempotencyKey of its options', async (method) => {
    const { idempotency_key: _, ...input } = legalInput(method) ?? {};
    const taken: string[] = [];
    for (const idempotencyKey of badKeys) {
      const { error, sent } = await callWith(method, { input, options: { idempotencyKey } });
      const refused = isRefusal(error, 'idempotency_key', /^must be a (?:UUID such as|string)/);
      if (sent.length > 0 || !refused) taken.push(inspect([idempotencyKey, error]));
    }
    expect(taken).toEqual([]);
    const other = KEY.replace('3', '4');
    const { error, sent } = await callWith(method, { options: { idempotencyKey: other } });
    expect([isRefusal(error, 'options.idempotencyKey', /^must equal idempotency_key/), error]).toEqual([
      true,
      error,
    ]);
    expect(sent).toEqual([]);
  });

  it('has a key for every write, and for nothing else', () => {
    expect(named('idempotency_key').map(({ name }) => name)).toEqual(writes.map(({ name }) => name));
    expect(writes).toHaveLength(30);
  });

  it.each(named('expected_version'))('$party $name: $field', async (place) => {
    await expectRefused(place, [-1, -0.5], /^must not be negative|^must be a whole number/);
    await expectRefused(
      place,
      [1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '4', '', 'latest', null, true, 4n, {}, [4]],
      /^must be a whole number/,
    );
    await expectRefused(place, [undefined], /^is required.* the record itself/);
    await expectTaken(place, [0, 1, Number.MAX_SAFE_INTEGER]);
  });

  it.each(named('bidder_reference').filter(mayName))('$party $name: $field', async (place) => {
    const signs = [
      ' ',
      'a b',
      'a.b',
      'a/b',
      'a@b',
      'a+b',
      'a#b',
      'a\\b',
      'a,b',
      'a\n',
      '\0',
      'ü',
      '१',
      '🚗',
      'Ａ',
    ];
    await expectRefused(
      place,
      ['', 'x'.repeat(121), ...signs, '\ud800', '%41'],
      /^must be 1 to 120 letters, digits, "_" or "-"/,
    );
    await expectRefused(place, [null, 7, true, {}, ['buyer-9'], new String('b')], /^must be a string/);
    await expectTaken(place, ['x', 'x'.repeat(120), '-_09Az']);
  });

  it('tries every buyer that can be named', () => {
    expect(fields.filter(({ field, ...method }) => isBuyer(fieldsOf(method)[field])).map(titleOf)).toEqual(
      named('bidder_reference').map(titleOf),
    );
    expect(named('bidder_reference')).toHaveLength(9);
  });

  // rule: bid.8
  it.each(named('bidder_reference').filter((place) => !mayName(place)))(
    '$party $name: no buyer at all',
    async (place) => {
      await expectRefused(place, ['buyer-9', '', null, 7, {}], /^must be left out: only platforms/);
    },
  );

  it.each(named('dealer_id'))('$party $name: $field', async (place) => {
    await expectRefused(place, ['d'.repeat(33), '🚗'.repeat(33)], /^must have at most 32 characters/);
    await expectRefused(place, [''], /^must not be empty/);
    await expectRefused(place, [null, 204, true, {}, ['D-204']], /^must be a string/);
    await expectTaken(place, ['d'.repeat(32), '🚗'.repeat(32)]);
  });

  // rule: bid.8
  it('a direct dealer names no buyer, however', async () => {
    const { client, transport } = dealer([]);
    const plain: { submit(...args: unknown[]): Promise<unknown> } = client.bids;
    for (const bidder_reference of ['buyer-9', '', null, 7]) {
      const error = await rejection(plain.submit('lot_1', { amount: '1', bidder_reference }));
      expect(error).toMatchObject({
        name: 'InvalidRequestError',
        issues: expect.arrayContaining([
          { path: 'bidder_reference', message: expect.stringMatching(/^must be left out/) },
        ]),
      });
    }
    expect(transport.sent).toEqual([]);
  });
});

describe('queries', () => {
  const whole = [1.5, '1', '', null, true, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1n, {}, [1]];

  // rule: limit.per-page, limit.search
  it.each(named('page'))('$party $name: $field', async (place) => {
    await expectRefused(place, whole, /^must be a whole number/);
    await expectRefused(place, [0, -1], /^must be 1 or more/);
    await expectTaken(place, [1, 101, Number.MAX_SAFE_INTEGER]);
  });

  it.each(named('per_page'))('$party $name: $field', async (place) => {
    await expectRefused(place, whole, /^must be a whole number/);
    await expectRefused(place, [0, 101, -1, Number.MAX_SAFE_INTEGER], /^must be from 1 to 100/);
    await expectTaken(place, [1, 100]);
  });

  it.each(named('search'))('$party $name: $field', async (place) => {
    await expectRefused(place, ['x'.repeat(101), '🚗'.repeat(101)], /^must have at most 100 characters/);
    await expectRefused(place, [null, 7, ['Swift'], {}], /^must be a string/);
    await expectTaken(place, ['x'.repeat(100), '🚗'.repeat(100), '%', '&page=2', '\u0000', '../']);
    const { error, sent } = await callWith(place, { input: { search: 'a\ud800' } });
    expect([isRefusal(error, 'query."search"', /^must be well-formed Unicode/), error]).toEqual([
      true,
      error,
    ]);
    expect(sent).toEqual([]);
  });

  it.each(named('status').filter(({ name }) => name === 'events.list'))(
    '$party $name: $field',
    async (place) => {
      const others = ['open', 'LIVE', 'live ', '', 'closed', 'published', null, 1, ['live'], { live: true }];
      await expectRefused(place, others, /^must be one of "all", "upcoming", "live", "over"/);
      await expectTaken(place, ['all', 'upcoming', 'live', 'over', 'active', 'scheduled', 'ended']);
    },
  );

  it.each(named('after'))('$party $name: $field', async (place) => {
    await expectRefused(place, [''], /^must not be empty/);
    await expectRefused(place, [null, 7, {}, ['c']], /^must be a string/);
  });

  it.each(inputs.filter(({ operation }) => operation.query !== undefined))(
    '$party $name: a query that is no object',
    async (method) => {
      for (const input of ['page=1', 1, [], [['page', 1]], null, true, () => ({}), Symbol('query')]) {
        const { error, sent } = await callWith(method, { input });
        expect(error).toMatchObject({
          name: 'InvalidRequestError',
          issues: expect.arrayContaining([{ path: 'query', message: 'must be a plain object' }]),
        });
        expect(sent).toEqual([]);
      }
    },
  );
});

describe('bodies', () => {
  it.each(bodies)('$party $name: a body that is no object', async (method) => {
    const { error: missing } = await callWith(method, { input: {} });
    expect(missing).toMatchObject({ name: 'InvalidRequestError' });
    for (const input of ['{"amount":"1"}', 1, [], [{}], null, true, () => ({}), Symbol('body')]) {
      const { error, sent } = await callWith(method, { input });
      expect(error).toMatchObject({
        name: 'InvalidRequestError',
        issues: expect.arrayContaining([{ path: 'body', message: 'must be a plain object' }]),
      });
      expect(sent).toEqual([]);
    }
  });

  // rule: general.1, state.offer
  it.each(named('currency'))('$party $name: $field', async (place) => {
    const others = ['USD', 'inr', 'INR ', '', '₹', 'EUR', null, 356, true, ['INR'], {}];
    await expectRefused(place, others, /^must be one of "INR"$/);
  });

  const dateTimes = named('client_bid_time', 'due_at', 'valid_until', 'paid_at', 'expires_at', 'occurred_at');
  const dates = named('collection_date', 'value_date');

  it('tries every date', () => {
    const formats = (format: string) =>
      fields.filter(({ field, ...method }) => formatOf(fieldsOf(method)[field]) === format).map(titleOf);
    expect(formats('date-time')).toEqual(dateTimes.map(titleOf));
    expect(formats('date')).toEqual(dates.map(titleOf));
    expect([dateTimes.length, dates.length]).toEqual([6, 2]);
  });

  it.each(dateTimes)('$party $name: $field', async (place) => {
    const zones = ['2026-03-01T10:30:00', '2026-03-01T10:30:00 +05:30', '2026-03-01T10:30:00+0530'];
    const impossible = [
      '2026-02-30T10:30:00Z',
      '2026-02-29T10:30:00Z',
      '2026-13-01T10:30:00Z',
      '2026-00-10T10:30:00Z',
      '2026-04-31T23:59:00+05:30',
      '2026-03-01T25:00:00Z',
      '2026-03-01T10:60:00Z',
      '2026-03-01T10:30:61Z',
      '2026-03-01T10:30:00+25:00',
      '2026-03-01T10:30:00+05:61',
    ];
    const forms = [
      '2026-03-01',
      '2026-03-01 10:30:00Z',
      '2026-3-1T10:30:00Z',
      '01/03/2026',
      'Sun, 01 Mar 2026 10:30:00 GMT',
      '1772431200',
      'now',
      '',
      ' 2026-03-01T10:30:00Z',
      '2026-03-01T10:30:00Z\n',
      '2026-03-01t10:30:00z',
    ];
    await expectRefused(
      place,
      [...zones, ...impossible, ...forms],
      /^must be an ISO 8601 date-time with a zone, such as 2026-03-01T10:30:00\+05:30/,
    );
    await expectRefused(
      place,
      [null, 1_772_431_200_000, new Date(0), {}, ['2026-03-01T10:30:00Z']],
      /^must be a string/,
    );
    await expectTaken(place, [
      '2028-02-29T23:59:59.123456+05:30',
      '2026-03-01T10:30Z',
      '2026-12-31T23:59:59-12:00',
    ]);
  });

  it.each(dates)('$party $name: $field', async (place) => {
    const impossible = ['2026-02-30', '2026-02-29', '2026-13-01', '2026-00-01', '2026-04-31', '2026-03-00'];
    const forms = [
      '2026-3-1',
      '01-03-2026',
      '20260301',
      '2026-03-01T00:00:00Z',
      'today',
      '',
      ' 2026-03-01',
      '2026-03-01\n',
    ];
    await expectRefused(place, [...impossible, ...forms], /^must be a date such as 2026-03-01/);
    await expectRefused(place, [null, 20_260_301, new Date(0), {}], /^must be a string/);
    await expectTaken(place, ['2026-03-01', '2028-02-29']);
  });

  it.each(named('decision').filter(({ name }) => name === 'offers.respond'))(
    '$party $name: $field',
    async (place) => {
      const others = [
        'approved',
        'rejected',
        'ACCEPTED',
        'accept',
        'counter',
        ' accepted',
        '',
        null,
        true,
        1,
        {},
      ];
      await expectRefused(place, others, /^must be one of "accepted", "declined"/);
      await expectTaken(place, ['accepted', 'declined']);
    },
  );

  it.each(named('url'))('$party $name: $field', async (place) => {
    const schemes = [
      'http://example.com/hooks',
      'HTTP://example.com',
      'ftp://example.com',
      '//example.com',
      'wss://example.com',
    ];
    const forms = [
      'example.com',
      '/hooks',
      '',
      ' https://example.com',
      'https://',
      'https://a b',
      'https:example.com',
    ];
    await expectRefused(
      place,
      [...schemes, ...forms, 'javascript:alert(1)'],
      /^must be an https URL such as/,
    );
    await expectRefused(place, [null, 7, {}, new URL('https://example.com')], /^must be a string/);
  });

  it.each(named('content_base64'))('$party $name: $field', async (place) => {
    const broken = [
      '',
      '=',
      '====',
      'aGk',
      'aGk=\n',
      'aG k',
      'aGkh\r\naGkh',
      'a-_=',
      'aGk=aGk=',
      '\ufeffaGk=',
      'aGk=\0',
    ];
    const others = ['data:application/pdf;base64,aGk=', '<file>', 'ü===', 'receipt.pdf'];
    await expectRefused(place, [...broken, ...others], /^must be the base64 of a file that is not empty/);
    const bytes = [Buffer.from('aGk='), new Uint8Array(3), new ArrayBuffer(3), new Blob(['hi'])];
    await expectRefused(place, [...bytes, null, 7, {}, ['aGk=']], /^must be a string/);
  });

  it.each(named('lot_ids'))('$party $name: $field', async (place) => {
    await expectRefused(place, [[]], /^must name at least one lot/);
    await expectRefused(place, [null, 'lot_1', {}, 7, new Set(['lot_1'])], /^must be an array/);
    for (const wrong of ['', 7, null, undefined, {}, ['lot_1']]) {
      const { error, sent } = await callWith(place, { input: { lot_ids: ['lot_1', wrong] } });
      expect(error).toMatchObject({ name: 'InvalidRequestError', issues: [{ path: 'lot_ids.1' }] });
      expect(sent).toEqual([]);
    }
  });
});

describe('fields that nobody knows', () => {
  const strangers = [
    'price',
    'Amount',
    'idempotencyKey',
    'expectedVersion',
    '_method',
    '_token',
    'toString',
    'constructor',
    '',
    ' page',
    'page ',
    'a.b',
    '__proto__',
  ];

  it.each(inputs)('$party $name', async (method) => {
    const known = Object.keys(fieldsOf(method)).join(', ');
    const missed: string[] = [];
    for (const stranger of strangers) {
      const input = Object.defineProperty({ ...legalInput(method) }, stranger, {
        value: 'x',
        enumerable: true,
      });
      const { error, sent } = await callWith(method, { input });
      const refused = expect.objectContaining({
        name: 'InvalidRequestError',
        issues: [{ path: stranger, message: `is not a field here; known fields: ${known}` }],
      });
      if (sent.length > 0 || !refused.asymmetricMatch(error)) missed.push(`${stranger}: ${inspect(error)}`);
    }
    expect(missed).toEqual([]);
  });

  it.each(everyMethod)('$party $name: options', async (method) => {
    for (const option of ['surprise', 'Timeout', 'retries', 'headers', 'idempotency_key', 'constructor']) {
      const { error, sent } = await callWith(method, { options: { [option]: 1 } });
      expect([
        isRefusal(error, `options.${option}`, /^is not an option here; known options: /),
        error,
      ]).toEqual([true, error]);
      expect(sent).toEqual([]);
    }
  });

  it.each(everyMethod)('$party $name: extras that would change what the call is', async (method) => {
    const { body, query, fixedQuery, effect } = method.operation;
    const takesQuery = effect !== 'bid';
    const takesBody = effect === 'command';
    const reserved = ['_method', 'expected_version', 'idempotency_key', '', '__proto__'];
    const inQuery = [...reserved, ...Object.keys({ ...query?.shape, ...fixedQuery })];
    const inBody = [...reserved, ...Object.keys(body?.shape ?? {})];
    for (const [option, taken, names] of [
      ['extraQuery', takesQuery, inQuery],
      ['extraBody', takesBody, inBody],
    ] as const) {
      for (const name of names) {
        const extra = Object.defineProperty({}, name, { value: 'x', enumerable: true });
        const { error, sent } = await callWith(method, { options: { [option]: extra } });
        const path = taken ? `options.${option}.${name}` : `options.${option}`;
        expect(error).toMatchObject({ name: 'InvalidRequestError', outcome: 'not_sent', issues: [{ path }] });
        expect(sent).toEqual([]);
      }
    }
  });
});

/** What writes itself as JSON, as many a decimal or date class does. */
class Money {
  readonly paise = 100;

  toJSON(): string {
    return '1.00';
  }
}

describe('values that JSON would drop, change or choke on', () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const bad: readonly unknown[] = [
    Symbol('x'),
    () => 'x',
    10n,
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    new Date(0),
    new Map([['a', 1]]),
    new Set(['a']),
    new Uint8Array(3),
    new URL('https://example.com'),
    /x/,
    new Error('x'),
    Promise.resolve('x'),
    circle,
    { toJSON: () => 'x' },
    new Money(),
    [undefined],
    [10n],
    { a: { b: [Number.NaN] } },
    { a: Symbol('x') },
    JSON.parse('{"__proto__":{"admin":true}}'),
  ];

  it.each(fields)('$party $name: $field', async ({ field, ...method }) => {
    const missed: string[] = [];
    for (const value of bad) {
      const { error, sent } = await callWith(method, { input: { ...legalInput(method), [field]: value } });
      const where = Reflect.get(Object(error), 'issues')?.map((issue: { path: string }) => issue.path) ?? [];
      const names = where.some((path: string) => path === field || path.startsWith(`${field}.`));
      const others = where.filter((path: string) => path.split('.')[0] !== field);
      if (sent.length > 0 || !names || others.length > 0) missed.push(`${inspect(value)}: ${inspect(error)}`);
    }
    expect(missed).toEqual([]);
  });

  it.each(commands)('$party $name: extraBody', async (method) => {
    for (const value of bad) {
      const { error, sent } = await callWith(method, { options: { extraBody: { note: value } } });
      expect(error).toMatchObject({
        name: 'InvalidRequestError',
        issues: [{ path: expect.stringMatching(/^options\.extraBody\.note\b/) }],
      });
      expect(sent).toEqual([]);
    }
  });
});

function titleOf({ party, name, field }: Field): string {
  return `${party} ${name} ${field}`;
}

function checksOf(schema: unknown): unknown {
  return Reflect.get(Object(Reflect.get(Object(schema), 'def')), 'checks')?.[0];
}

/** In an event, only platforms ask for the standing of a buyer. */
function mayName({ party, name }: Field): boolean {
  return party === 'platform' || !name.startsWith('events.');
}

function isBuyer(schema: unknown): boolean {
  const inner: unknown = Reflect.get(Object(schema), 'unwrap');
  return checksOf(typeof inner === 'function' ? inner.call(schema) : schema) === checksOf(bidderReference);
}

function formatOf(schema: unknown): unknown {
  const inner: unknown = Reflect.get(Object(schema), 'unwrap');
  const bare: unknown = typeof inner === 'function' ? inner.call(schema) : schema;
  const meta: unknown = Reflect.get(Object(bare), 'meta');
  const own = typeof meta === 'function' ? meta.call(bare) : undefined;
  return Reflect.get(Object(own), 'format');
}
