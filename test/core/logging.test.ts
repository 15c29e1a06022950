import { PassThrough } from 'node:stream';
import { createConsola } from 'consola';
import pino from 'pino';
import { afterEach, describe, expect, it, vi } from 'vitest';
import winston from 'winston';
import { leveled } from '../../src/core/log.js';
import type { Logger, LogLevel } from '../../src/ports/logger.js';
import { accepted, dealer, KEY, loggerOf, rejection, SECRET } from '../support/clients.js';

const denied = {
  status: 403,
  json: { success: false, code: 'SCOPE_DENIED', message: 'bids:write', errors: [] },
};
const undocumented = { status: 201, json: accepted({ replayed: 'odd' }) };

describe('Log lines', () => {
  it.each<[LogLevel, readonly string[]]>([
    ['off', []],
    ['error', []],
    ['warn', ['warn', 'warn']],
    ['info', ['warn', 'warn', 'info']],
    ['debug', ['debug', 'warn', 'debug', 'warn', 'info']],
  ])('at level %s', async (logLevel, expected) => {
    const lines: string[] = [];
    const to = (name: string) => () => void lines.push(name);
    const logger = { error: to('error'), warn: to('warn'), info: to('info'), debug: to('debug') };
    const { client, clock } = dealer([{ fail: 'maybe' }, undocumented], { logLevel, logger });
    // A01 states the time.
    await client.integration.profile();
    lines.length = 0;
    const call = client.bids.submit('lot_1', { amount: '1' });
    await clock.advance(1_000);
    await call;
    expect(lines).toEqual(expected);
  });

  it('have no bidi, zero-width or control characters, wherever the service put them', () => {
    const lines: unknown[] = [];
    const log = leveled(
      loggerOf((_, fields) => lines.push(fields)),
      'warn',
    );
    const error = new Error('kept as it is');
    log.warn('x', () => ({
      reason: 'no\u202egnp.exe\u200b\u001b[2J',
      of: [{ lot: 'a\u2066b' }],
      error,
      wait: 5,
    }));
    expect(lines).toEqual([{ reason: 'nognp.exe[2J', of: [{ lot: 'ab' }], error, wait: 5 }]);
  });

  it('change no call when the logger throws', async () => {
    const fail = () => {
      throw new Error('disk full');
    };
    const { client } = dealer([undocumented], { logLevel: 'debug', logger: loggerOf(fail) });
    expect(await client.bids.submit('lot_1', { amount: '1' })).toMatchObject({ status: 'accepted' });
  });

  it('name their fields the same at every level', async () => {
    const lines: (readonly [string, object | undefined])[] = [];
    const logger = loggerOf((message, fields) => void lines.push([message, fields]));
    const { client } = dealer([denied], { logLevel: 'debug', logger });
    await client.integration.profile();
    lines.length = 0;
    await rejection(client.bids.submit('lot_1', { amount: '1' }, { idempotencyKey: KEY }));
    const call = { call: 'bids.submit', operation: 'bids.submit', idempotencyKey: KEY, outcome: 'refused' };
    expect(lines).toMatchObject([
      ['Request', { ...call, attempt: 1, status: 403 }],
      ['Call failed', { ...call, attempt: 1, reason: 'permission', codes: ['SCOPE_DENIED'] }],
      ['bids.submit: refused', { ...call, reason: 'permission' }],
    ]);
  });
});

describe('The level', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('comes from VEHICLE_AUCTION_LOG unless the option is given', async () => {
    vi.stubEnv('VEHICLE_AUCTION_LOG', 'debug');
    const lines: string[] = [];
    const logger = loggerOf((message) => void lines.push(message));
    const spoken = dealer([], { logger, logLevel: undefined });
    await spoken.client.integration.profile();
    expect(lines).toEqual(['Request']);
    const quiet = dealer([], { logger, logLevel: 'warn' });
    await quiet.client.integration.profile();
    expect(lines).toEqual(['Request']);
  });

  it('is refused where the variable holds no level', () => {
    vi.stubEnv('VEHICLE_AUCTION_LOG', 'loud');
    expect(() => dealer([], { logLevel: undefined })).toThrow(
      'VEHICLE_AUCTION_LOG must be one of off, error, warn, info, debug, not "loud"',
    );
  });
});

/** The lines that a logger wrote to this stream as JSON. */
function jsonLines() {
  const stream = new PassThrough();
  const texts: string[] = [];
  stream.on('data', (chunk) => texts.push(...String(chunk).split('\n').filter(Boolean)));
  return { stream, parsed: (): unknown[] => texts.map((text) => JSON.parse(text)) };
}

const { stream, parsed } = jsonLines();

/** Each of these packages, as its own documentation makes a logger; the types must fit without a cast. */
const packages: Readonly<Record<string, () => { readonly logger: Logger; readonly lines: () => unknown[] }>> =
  {
    pino: () => ({ logger: pino({ level: 'debug' }, stream), lines: parsed }),
    'a child of pino': () => ({
      logger: pino({ level: 'debug' }, stream).child({ bank: 'a' }),
      lines: parsed,
    }),
    winston: () => ({
      logger: winston.createLogger({
        ...{ level: 'debug', format: winston.format.json() },
        transports: [new winston.transports.Stream({ stream })],
      }),
      lines: parsed,
    }),
    consola: () => {
      const lines: unknown[] = [];
      const reporter = {
        log: ({ args: [message, fields] }: { args: unknown[] }) => {
          lines.push({ message, ...Object(fields) });
        },
      };
      return { logger: createConsola({ level: 5, reporters: [reporter] }), lines: () => lines };
    },
    console: () => {
      const lines: unknown[] = [];
      const keep = (message: unknown, fields: unknown) => void lines.push({ message, ...Object(fields) });
      vi.spyOn(console, 'info').mockImplementation(keep);
      vi.spyOn(console, 'debug').mockImplementation(() => undefined);
      return { logger: console, lines: () => lines };
    },
  };

describe.each(Object.entries(packages))('A logger of %s', (_, make) => {
  afterEach(() => vi.restoreAllMocks());

  it('gets the message and every field', async () => {
    const { logger, lines } = make();
    const { client } = dealer([{ status: 201, json: accepted() }], { logger, logLevel: 'info' });
    await client.bids.submit('lot_1', { amount: '1' }, { idempotencyKey: KEY });
    await new Promise((resolve) => setImmediate(resolve));
    const line = lines().at(-1);
    const message = Reflect.get(Object(line), 'msg') ?? Reflect.get(Object(line), 'message');
    expect(message).toBe('bids.submit: accepted');
    expect(line).toMatchObject({ call: 'bids.submit', outcome: 'accepted', idempotencyKey: KEY });
  });
});

it('bunyan, which takes the fields first, too, is recognised by its methods', () => {
  const calls: unknown[][] = [];
  const write = (...args: unknown[]) => void calls.push(args);
  const bunyan = {
    ...{ error: write, warn: write, info: write, debug: write },
    ...{ child: () => bunyan, addSerializers: () => undefined },
  };
  leveled(bunyan, 'info').info('said', () => ({ call: 'x' }));
  expect(calls).toEqual([[{ call: 'x' }, 'said']]);
});

describe('An error in a log line', () => {
  it('is complete as JSON: its name, fields and causes, and no secret', async () => {
    const cause = Object.assign(new Error(`connect failed with ${SECRET}`), { code: 'ECONNREFUSED' });
    const { client } = dealer([{ fail: 'no', cause }], { maxAttempts: 1 });
    const error = await rejection(client.events.get('auc_1'));
    const text = JSON.stringify({ error });
    expect(JSON.parse(text)).toMatchObject({
      error: {
        ...{ name: 'ConnectionError', outcome: 'not_sent', call: 'events.get', attempts: 1 },
        message: expect.stringContaining('events.get'),
        cause: { name: 'Error', code: 'ECONNREFUSED', message: 'connect failed with [redacted]' },
      },
    });
    expect(text).not.toContain(SECRET);
  });
});
