import { AsyncLocalStorage } from 'node:async_hooks';
import { type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { AttemptDiagnostics, CallDiagnostics } from '../../src/core/telemetry.js';
import type { LogLevel } from '../../src/ports/logger.js';
import { accepted, dealer, KEY, loggerOf, rejection, SECRET } from '../support/clients.js';

const acceptance = { status: 201, json: accepted() };

const undo: (() => void)[] = [];
afterEach(() => {
  for (const end of undo.splice(0)) end();
});

/** Listens to one of the two channels. */
function listen<C extends object>(name: string, note: (event: string, context: C) => void): void {
  const channel = tracingChannel<C, C>(`vehicle-auction-sdk:${name}`);
  const on = (event: string) => (context: object) => note(`${name} ${event}`, context as C);
  const subscribers: TracingChannelSubscribers<C> = {
    start: on('start'),
    end: on('end'),
    asyncStart: on('asyncStart'),
    asyncEnd: on('asyncEnd'),
    error: on('error'),
  };
  channel.subscribe(subscribers);
  undo.push(() => channel.unsubscribe(subscribers));
}

describe('diagnostics_channel', () => {
  it('tells of every call and attempt, in order, with what they came to', async () => {
    const { client } = dealer([{ status: 503, json: { message: 'x' } }, acceptance]);
    // A01 tells the time before.
    await client.integration.profile();
    const events: string[] = [];
    const calls = new Set<CallDiagnostics>();
    const attempts = new Set<AttemptDiagnostics>();
    listen<CallDiagnostics>('call', (event, context) => {
      events.push(event);
      calls.add(context);
    });
    listen<AttemptDiagnostics>('attempt', (event, context) => {
      events.push(`${event} ${context.attempt}`);
      attempts.add(context);
    });
    await client.bids.submit('lot_1', { amount: '465000' }, { idempotencyKey: KEY });

    expect(events.filter((event) => !event.includes('end'))).toEqual([
      'call start',
      'attempt start 1',
      'attempt asyncStart 1',
      'attempt asyncEnd 1',
      'attempt start 2',
      'attempt asyncStart 2',
      'attempt asyncEnd 2',
      'call asyncStart',
      'call asyncEnd',
    ]);
    const [call, ...others] = calls;
    expect(others).toEqual([]);
    expect(call).toEqual({
      ...{ call: 'bids.submit', operation: 'bids.submit', route: 'POST /lots/{lot}/bids', effect: 'bid' },
      ...{ origin: 'https://bank.example', idempotencyKey: KEY, attempts: 2 },
    });
    expect([...attempts]).toEqual([
      { call, attempt: 1, status: 503, effect: 'unknown' },
      { call, attempt: 2, status: 201, effect: 'done' },
    ]);
  });

  it('tells of a failure with its error and outcome', async () => {
    const seen: [string, CallDiagnostics][] = [];
    listen<CallDiagnostics>('call', (event, context) => void seen.push([event, context]));
    const { client } = dealer([{ status: 404, json: { message: 'x' } }]);
    const error = await rejection(client.events.get('auc_secret'));
    expect(seen.map(([event]) => event)).toEqual(
      expect.arrayContaining(['call error', 'call asyncStart', 'call asyncEnd']),
    );
    const context = seen.at(-1)?.[1];
    expect(context).toMatchObject({ outcome: 'refused', attempts: 1, operation: 'events.get' });
    expect(context?.error).toBe(error);
  });

  it('shows no secret, no signature, no body and no id', async () => {
    const texts: string[] = [];
    const keep = (_: string, context: object) => void texts.push(inspect(context, { depth: 9 }));
    listen<CallDiagnostics>('call', keep);
    listen<AttemptDiagnostics>('attempt', keep);
    const { client, transport } = dealer([acceptance]);
    await client.bids.submit('lot_77', { amount: '465000' });
    const signature = transport.sent[0]?.headers['X-Signature'] ?? '?';
    for (const hidden of [SECRET, signature, 'lot_77', '465000', 'bid_77']) {
      expect(texts.join('\n')).not.toContain(hidden);
    }
  });

  it('carries async context from the start of a call to its transport and its end', async () => {
    const channel = tracingChannel<object, CallDiagnostics>('vehicle-auction-sdk:call');
    const storage = new AsyncLocalStorage<object>();
    channel.start.bindStore(storage, (context) => context);
    undo.push(() => void channel.start.unbindStore(storage));
    let inside: unknown;
    const { client } = dealer([], {
      maxAttempts: 1,
      transport: {
        send: async () => {
          inside = storage.getStore();
          throw new Error('cut');
        },
        close: async () => undefined,
      },
    });
    await rejection(client.events.get('auc_1'));
    expect(inside).toMatchObject({ call: 'events.get' });
    expect(storage.getStore()).toBeUndefined();
  });
});

describe('logging', () => {
  const odd = { status: 201, json: accepted({ replayed: 'odd' }) };

  it.each<[LogLevel, readonly string[]]>([
    ['off', []],
    ['error', []],
    ['warn', ['warn', 'warn']],
    ['info', ['warn', 'warn']],
    ['debug', ['debug', 'warn', 'debug', 'warn']],
  ])('at level %s', async (logLevel, expected) => {
    const lines: string[] = [];
    const to = (name: string) => () => void lines.push(name);
    const logger = { error: to('error'), warn: to('warn'), info: to('info'), debug: to('debug') };
    const { client, clock } = dealer([{ fail: 'maybe' }, odd], { logLevel, logger });
    // A01 tells the time before.
    await client.integration.profile();
    lines.length = 0;
    const call = client.bids.submit('lot_1', { amount: '1' });
    await clock.advance(1_000);
    await call;
    expect(lines).toEqual(expected);
  });

  it('changes no call when the logger throws', async () => {
    const fail = () => {
      throw new Error('disk full');
    };
    const logger = loggerOf(fail);
    const { client } = dealer([odd], { logLevel: 'debug', logger });
    expect(await client.bids.submit('lot_1', { amount: '1' })).toMatchObject({ status: 'accepted' });
  });
});
