import { execFile } from 'node:child_process';
import { inspect, promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { type Transport, TransportFailure } from '../../src/core/transport/transport.js';
import { credentials, dealer, event, KEY, loggerOf, rejection, SECRET } from '../support/clients.js';
import { root } from '../support/sources.js';
import { ToldTime } from '../support/told-time.js';
import { settle, VirtualClock } from '../support/virtual-clock.js';

/** A transport that does this; the first write reads A01, which is answered beside it. */
function transportOf(send: (request: Parameters<Transport['send']>[0]) => unknown): Transport {
  const close = async () => undefined;
  return new ToldTime({ send: send as Transport['send'], close }, new VirtualClock());
}

function submit({ client }: ReturnType<typeof dealer>, options: object = {}): Promise<unknown> {
  return rejection(client.bids.submit('lot_1', { amount: '1' }, { idempotencyKey: KEY, ...options }));
}

function fails(): never {
  throw new Error('It fails');
}

const silent = () => undefined;
const once = { maxAttempts: 1 };

describe('a transport', () => {
  const reply = { status: 201, headers: {}, body: [], discard: silent };
  const unreadable = { [Symbol.asyncIterator]: fails };
  it.each<[string, () => unknown]>([
    ['throws at once', fails],
    ['returns no promise', silent],
    ['replies without headers', async () => ({ status: 201 })],
    ['replies with a status that is text', async () => ({ ...reply, status: '201' })],
    ['replies with nothing that discards', async () => ({ ...reply, discard: 5 })],
    ['replies with a body that fails', async () => ({ ...reply, body: unreadable, discard: fails })],
  ])('that %s leaves a bid in doubt, and no timer behind', async (_, send) => {
    const stage = dealer([], { ...once, transport: transportOf(send) });
    expect(await submit(stage)).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
    expect(stage.clock.pending).toEqual([]);
  });

  it.each([
    ['', new Proxy({}, { getPrototypeOf: fails })],
    [' within', Object.assign(new Error('x'), { errors: new Proxy([], { get: fails }) })],
  ])('may fail with a cause that cannot be read%s', async (_, cause) => {
    const error = await submit(dealer([{ fail: 'maybe', cause }], once));
    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
  });

  it('that writes into the body changes no later attempt', async () => {
    const sent: string[] = [];
    const stage = dealer([], {
      transport: transportOf(async ({ body }) => {
        if (!(body instanceof Uint8Array)) throw new Error('A body in memory was expected');
        sent.push(String(Buffer.from(body)));
        body.fill(32);
        throw new Error('cut');
      }),
    });
    const failed = submit(stage, { maxAttempts: 2 });
    await stage.clock.advance(10_000);
    await failed;
    expect(sent).toEqual([sent[0], sent[0]]);
  });

  it('of another copy of this package is understood: its failure is known by its class', async () => {
    vi.resetModules();
    const other = await import('../../src/core/transport/transport.js');
    const foreign = new other.TransportFailure('no', new Error('refused'));
    expect(other.TransportFailure).not.toBe(TransportFailure);
    expect(foreign).toBeInstanceOf(TransportFailure);
    expect(new Error('x')).not.toBeInstanceOf(TransportFailure);
    const stage = dealer([], { ...once, transport: transportOf(() => Promise.reject(foreign)) });
    expect(await submit(stage)).toMatchObject({ outcome: 'not_sent' });
  });
});

describe('a clock', () => {
  it('that fails before anything is sent sent nothing; one that fails after that leaves the bid in doubt', async () => {
    expect(await submit(dealer([], { clock: { monotonic: fails } }))).toMatchObject({ outcome: 'not_sent' });
    let works = true;
    const now = () => Date.parse('2026-03-02T06:00:00Z');
    const clock = { now, monotonic: () => (works ? 0 : fails()), after: () => silent };
    const transport = transportOf(async () => {
      works = false;
      throw new Error('cut');
    });
    const error = await submit(dealer([], { clock, transport }));
    expect(error).toMatchObject({ name: 'ConfigurationError', outcome: 'unknown', idempotencyKey: KEY });
  });

  it('that fails just before the first byte leaves no timer behind', async () => {
    let works = true;
    const timers = new Set<object>();
    const after = () => {
      const timer = {};
      timers.add(timer);
      return () => void timers.delete(timer);
    };
    const nonce = () => {
      works = false;
      return 'nonce-000000000001';
    };
    const clock = { monotonic: () => (works ? 0 : fails()), after };
    const stage = dealer([], { clock, randomness: { nonce } });
    expect(await submit(stage)).toMatchObject({ name: 'ConfigurationError' });
    expect(stage.transport.sent).toEqual([]);
    expect(timers.size).toBe(0);
  });
});

describe('randomness', () => {
  it('that fails for the second attempt takes nothing back: the first one stays in doubt', async () => {
    let nonces = 0;
    // One for A01, one for the first attempt.
    const nonce = () => (++nonces > 2 ? fails() : 'n'.repeat(16));
    const stage = dealer([{ fail: 'maybe' }], { randomness: { nonce, fraction: () => 0 } });
    const failed = submit(stage);
    await stage.clock.advance(1);
    expect(await failed).toMatchObject({
      name: 'ConfigurationError',
      outcome: 'unknown',
      idempotencyKey: KEY,
      attempts: 2,
      cause: { message: 'It fails' },
      nextStep: expect.stringContaining(`intents.reconcile("${KEY}")`),
    });
  });

  it('during which a signal fires lets nothing out', async () => {
    const abort = new AbortController();
    const nonce = () => {
      abort.abort();
      return 'nonce-000000000001';
    };
    const stage = dealer([], { randomness: { nonce } });
    const error = await submit(stage, { signal: abort.signal });
    expect(error).toMatchObject({ name: 'AbortedError', outcome: 'not_sent' });
    expect(stage.transport.sent).toEqual([]);
  });
});

describe('a logger', () => {
  it('that fails later ends no process', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const logger = loggerOf(async () => fails());
    await dealer([event], { logger, logLevel: 'debug' }).client.events.get('auc_1');
    await settle();
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('is told of an odd value without its name, where that shows the secret', async () => {
    const lines: string[] = [];
    const logger = loggerOf((message, fields) => void lines.push(message + inspect(fields, { depth: 9 })));
    const public_fields = { [SECRET]: 5, ['k'.repeat(9_999)]: 5 };
    const odd = { data: { id: 'b', auction_id: 'a', starting_price: '1.00', public_fields } };
    await dealer([{ status: 200, json: odd }], { logger, logLevel: 'warn' }).client.events.lot('a', 'b');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain(SECRET);
    expect(lines[0]?.length).toBeLessThan(2_000);
  });
});

it('What a hostile reply says is bounded in a message, and on one line', async () => {
  const names = Array.from({ length: 5_000 }, (_, index) => `CODE_${index}`);
  const errors = Object.fromEntries(names.map((name) => [name, ['No.'.repeat(99)]]));
  const message = `a\nb${'x'.repeat(5_000)}`;
  for (const json of [{ message }, { message, errors }, { success: false, code: 'A', errors: names }]) {
    const error = String(await submit(dealer([{ status: 422, json }])));
    expect(error.length).toBeLessThan(4_000);
    expect(error).not.toContain('\n');
  }
});

describe('an error', () => {
  it('that nobody awaits ends the process, as Node does with any unhandled rejection', async () => {
    const options = { environment: 'sandbox', baseUrl: 'https://bank.example/api/v1', credentials };
    const code = `
      import { PartnerClient } from 'vehicle-auction-sdk';
      const auction = new PartnerClient(${JSON.stringify({ ...options, partnerType: 'direct_dealer' })});
      auction.bids.submit('lot_1', { amount: 5 });
    `;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd: root });
    const stderr = expect.stringContaining('InvalidRequestError');
    expect(await rejection(run)).toMatchObject({ code: 1, stderr });
  });

  it("has a stack that leads back to the caller's line, and no stack in its JSON", async () => {
    const denied = { success: false, code: 'SCOPE_DENIED', message: 'bids:write', errors: [] };
    const { client } = dealer([{ status: 403, json: denied }]);
    async function whereTheCallerStands() {
      return await client.events.get('auc_1');
    }
    const error = await rejection(whereTheCallerStands());
    expect(error).toMatchObject({ stack: expect.stringContaining('whereTheCallerStands') });
    const json = JSON.parse(JSON.stringify(error));
    const said = { code: 'SCOPE_DENIED', serviceMessage: 'bids:write', outcome: 'refused' };
    expect(json).toMatchObject({ name: 'PermissionError', call: 'events.get', ...said });
    expect(json).not.toHaveProperty('stack');
  });
});

it.each([5, { max: 1 }, { limit: '1' }, { limit: -1 }])('A pager refuses toArray(%o)', async (options) => {
  const list = dealer([]).client.events.list();
  const call: Promise<unknown> = Reflect.apply(list.toArray, list, [options]);
  expect(await rejection(call)).toMatchObject({ issues: [{ path: 'limit' }] });
});
