import { AsyncLocalStorage } from 'node:async_hooks';
import { type TracingChannelSubscribers, tracingChannel } from 'node:diagnostics_channel';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { PartnerClientOptions } from '../../src/client/options.js';
import type {
  AttemptDiagnostics,
  CallDiagnostics,
  OutcomeEvent,
  RequestEvent,
  ResponseEvent,
} from '../../src/core/telemetry.js';
import { ConfigurationError } from '../../src/errors/local.js';
import { lookup, NOW } from '../support/bid-replies.js';
import { accepted, dealer, KEY, loggerOf, rejection, SECRET } from '../support/clients.js';
import { failingWays } from '../support/failing-callbacks.js';
import type { Step } from '../support/scripted-transport.js';

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
      { call, attempt: 2, status: 201, effect: 'done', requestId: 'req_1' },
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

describe('Hooks', () => {
  function hooked(steps: readonly Step[], options: Partial<PartnerClientOptions<'direct_dealer'>> = {}) {
    const events: (RequestEvent | ResponseEvent | OutcomeEvent)[] = [];
    const keep = (event: RequestEvent | ResponseEvent | OutcomeEvent) => void events.push(event);
    const made = dealer(steps, { onRequest: keep, onResponse: keep, onOutcome: keep, ...options });
    return { ...made, events };
  }
  const named = { call: 'bids.submit', operation: 'bids.submit', idempotencyKey: KEY };
  const request = { ...named, route: 'POST /lots/{lot}/bids', effect: 'bid', origin: 'https://bank.example' };

  it('see each request, its result, and the outcome of the call', async () => {
    const { client, clock, events } = hooked([{ fail: 'maybe' }, acceptance]);
    await client.integration.profile();
    events.length = 0;
    const call = client.bids.submit('lot_1', { amount: '465000' }, { idempotencyKey: KEY });
    await clock.advance(1_000);
    await call;
    expect(events).toEqual([
      { ...request, attempt: 1 },
      { ...request, attempt: 1, outcome: 'unknown', reason: 'connection: scripted failure', duration: 0 },
      { ...request, attempt: 2 },
      expect.objectContaining({
        ...request,
        attempt: 2,
        status: 201,
        outcome: 'done',
        reason: 'HTTP 201',
      }),
      { ...named, outcome: 'accepted', duration: expect.any(Number) },
    ]);
  });

  it('see the reason of a command that failed, and of a bid that was placed', async () => {
    const refused = { status: 403, json: { success: false, code: 'SCOPE_DENIED', message: 'x', errors: [] } };
    const { client, events } = hooked([refused, acceptance]);
    await rejection(
      client.saleCases.acknowledge(
        { id: 'sale_1', resource_version: 3 },
        { terms_version: 'v1' },
        { idempotencyKey: KEY },
      ),
    );
    await client.bids.place({ lot: 'lot_1', amount: '465000' });
    expect(events.filter((event) => 'outcome' in event && !('attempt' in event))).toEqual([
      expect.objectContaining({
        call: 'saleCases.acknowledge',
        operation: 'A23',
        outcome: 'refused',
        reason: 'permission',
      }),
      expect.objectContaining({ call: 'bids.place', operation: 'bids.submit', outcome: 'accepted' }),
    ]);
  });

  it.each(failingWays)('that %s change nothing, and see events that they cannot change', async (_, fail) => {
    const hook = (event: object) => {
      Reflect.set(event, 'idempotencyKey', 'another');
      expect(Object.isFrozen(event)).toBe(true);
      return fail();
    };
    const logger = loggerOf(() => undefined);
    const { client, transport } = hooked([acceptance], {
      ...{ onRequest: hook, onResponse: hook, onOutcome: hook, logger },
    });
    const accepted = await client.bids.submit('lot_1', { amount: '465000' }, { idempotencyKey: KEY });
    expect(accepted).toMatchObject({ status: 'accepted' });
    expect(transport.sent[0]?.headers).toMatchObject({ 'idempotency-key': KEY });
  });

  it('of a derived client see its own calls only', async () => {
    const { client, events } = hooked([acceptance]);
    const other: unknown[] = [];
    const quiet = client.withOptions({
      ...{ onRequest: () => undefined, onResponse: () => undefined },
      onOutcome: (event) => void other.push(event),
    });
    await quiet.bids.submit('lot_1', { amount: '465000' });
    expect(other).toHaveLength(1);
    expect(events.filter((event) => 'route' in event && event.route === request.route)).toEqual([]);
  });

  it('must be functions', () => {
    const onOutcome: unknown = 'x';
    expect(() => dealer([], Object({ onOutcome }))).toThrow(ConfigurationError);
  });

  it('see how recovery settled what was in doubt', async () => {
    const { client, clock, events } = hooked([{ fail: 'maybe' }, lookup('accepted', { at: NOW + 5_000 })]);
    const call = client.bids.submit('lot_1', { amount: '465000' }, { idempotencyKey: KEY, maxAttempts: 1 });
    await rejection(call);
    events.length = 0;
    await clock.advance(5_000);
    await client.recover();
    expect(events.at(-1)).toEqual({ ...named, call: 'recover', outcome: 'accepted', duration: 5_000 });
  });
});
