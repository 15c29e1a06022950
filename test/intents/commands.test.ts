import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import { html, invalidFields, messageOnly, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { UNCONNECTED } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';
import { Pause, type Trouble } from '../support/spy-store.js';
import { accepted, acknowledged, record, replayed, stored, unheard } from './desk.js';

/** What commands come to, and what calling one again under its key does. A command has no lookup. */

const REFUSED = refusal(403, 'SCOPE_DENIED');

const again = (step: Step, times = 3): Step[] => Array.from({ length: times }, () => step);

describe('what a command comes to within one call', () => {
  const cases: readonly (readonly [string, readonly Step[], string, string, number])[] = [
    ['that is turned away with a documented code', [refusal(403, 'SCOPE_DENIED')], 'refused', 'refused', 1],
    ['whose version is old', [refusal(409, 'VERSION_CONFLICT')], 'refused', 'refused', 1],
    ['whose fields are wrong', [invalidFields()], 'refused', 'refused', 1],
    ['that never leaves', again({ fail: 'no' }), 'not_sent', 'not_sent', 3],
    ['that is never answered', again(unheard), 'unknown', 'sent', 3],
    ['that fails', again(messageOnly(500)), 'unknown', 'sent', 3],
    ['answered by something else than the service', [html(404)], 'unknown', 'sent', 1],
    ['with a success that does not parse', [{ status: 200, json: { data: 5 } }], 'unknown', 'sent', 1],
    ['whose nonce was seen before', again(refusal(409, 'NONCE_REPLAYED')), 'unknown', 'sent', 3],
    ['whose timestamp counts as expired', again(refusal(401, 'TIMESTAMP_EXPIRED')), 'unknown', 'sent', 2],
    ['whose key is stored for other content', [refusal(409, 'IDEMPOTENCY_CONFLICT')], 'unknown', 'stuck', 1],
    ...[404, 409, 422].flatMap((status) => [
      [`turned away twice by a bare ${status}`, again(messageOnly(status)), 'refused', 'refused', 2] as const,
    ]),
    ...[401, 402, 403, 405, 413].flatMap((status) => [
      [`turned away twice by a bare ${status}`, again(messageOnly(status)), 'unknown', 'sent', 2] as const,
    ]),
    ['turned away by a bare 400', again(messageOnly(400)), 'unknown', 'sent', 1],
    [
      'turned away by a bare 404, then with a code',
      [messageOnly(404), refusal(403, 'SCOPE_DENIED')],
      'unknown',
      'sent',
      2,
    ],
    ['unheard, then turned away with a code', [unheard, refusal(403, 'SCOPE_DENIED')], 'unknown', 'sent', 2],
    ['unheard, then never leaving', [unheard, { fail: 'no' }, { fail: 'no' }], 'unknown', 'sent', 3],
  ];

  const named = cases.map(([what, ...rest]) => [`${what} is ${rest[2]} after ${rest[3]}`, ...rest] as const);

  it.each(named)('a command %s', async (_, steps, outcome, state, requests) => {
    const scene = new Scene();
    const { result, transport } = await acknowledged(scene, steps, { maxAttempts: 3 });
    expect(result).toMatchObject({ outcome, operation: 'A75', idempotencyKey: KEY });
    expect(transport.sent).toHaveLength(requests);
    expect(new Set(transport.bodies).size).toBe(1);
    expect((await stored(scene.store))?.state).toBe(state);
  });

  it.each([
    ['a bare 404', messageOnly(404)],
    ['a bare 403', messageOnly(403)],
    ['no answer', unheard],
    ['a nonce that was seen before', refusal(409, 'NONCE_REPLAYED')],
    ['an expired timestamp', refusal(401, 'TIMESTAMP_EXPIRED')],
  ])('a command that meets %s is sent again with the same bytes, and its success counts', async (_, step) => {
    const scene = new Scene();
    const { result, transport } = await acknowledged(scene, [step, record()], { maxAttempts: 3 });
    expect(result).toMatchObject({ id: 'rec_1' });
    expect(new Set(transport.bodies).size).toBe(1);
    expect((await stored(scene.store))?.state).toBe('done');
    expect(scene.events).toEqual([
      'commit placed',
      'commit attempt',
      'send POST /notifications/n_1/acknowledgments',
      'commit result',
      'commit attempt',
      'send POST /notifications/n_1/acknowledgments',
      'commit result',
    ]);
  });
});

describe('a store that fails', () => {
  /** In the order of a call: recorded, attempt announced, result recorded. */
  const at = (place: number, trouble: Trouble) => [...Array<undefined>(place).fill(undefined), trouble];

  it.each([
    ['before the command is recorded', at(0, 'fails'), undefined],
    ['while it is recorded, and nobody knows whether it was', at(0, 'lost'), undefined],
    ['before an attempt is announced', at(1, 'fails'), 'not_sent'],
    ['while that is announced, and nobody knows whether it was', at(1, 'lost'), 'not_sent'],
  ])('%s keeps it from leaving', async (_, troubles, state) => {
    const scene = new Scene();
    scene.store.troubles.push(...troubles);
    const { result, transport } = await acknowledged(scene, [record()]);
    expect(result).toMatchObject({
      name: 'StoreError',
      reason: 'unavailable',
      outcome: 'not_sent',
      operation: 'A75',
      idempotencyKey: KEY,
    });
    expect(transport.sent).toEqual([]);
    expect((await stored(scene.store))?.state).toBe(state);
  });

  it.each([0, 1, 2])(
    'to tell of its commit number %i is asked again, and the command goes on',
    async (place) => {
      const scene = new Scene();
      scene.store.troubles.push(...at(place, 'commits unheard'));
      const { result, transport } = await acknowledged(scene, [record()]);
      expect(result).toMatchObject({ id: 'rec_1' });
      expect(transport.sent).toHaveLength(1);
      expect((await stored(scene.store))?.state).toBe('done');
    },
  );

  it.each(['fails', 'lost'] as const)(
    'to record a result (%s) leaves the command unknown, not done',
    async (trouble) => {
      const scene = new Scene();
      scene.store.troubles.push(...at(2, trouble));
      const { result } = await acknowledged(scene, [record()]);
      expect(result).toMatchObject({ name: 'StoreError', outcome: 'unknown' });
      expect((await stored(scene.store))?.state).toBe('sent');
    },
  );
});

describe('the same command again under its key', () => {
  it('after it was done is answered from the store, and nothing is sent', async () => {
    const scene = new Scene();
    const first = await acknowledged(scene, [record({ note: ['kept'] })]);
    const { result, transport } = await acknowledged(scene, []);
    expect(result).toEqual(first.result);
    expect(responseOf(Object(result))).toMatchObject({ replayed: true, idempotencyKey: KEY });
    expect(transport.sent).toEqual([]);
  });

  it('while it is in doubt sends the same bytes, and finds what was carried out', async () => {
    const scene = new Scene();
    const first = await acknowledged(scene, [unheard]);
    const { result, transport } = await acknowledged(scene, [replayed()]);
    expect(responseOf(Object(result))).toMatchObject({ replayed: true, attempts: 1 });
    expect(transport.bodies).toEqual(first.transport.bodies);
    expect((await stored(scene.store))?.state).toBe('done');
  });

  it.each<[before: string, first: Step, second: Step, result: object, state: string]>([
    ['in doubt, and refused now', unheard, REFUSED, { outcome: 'unknown' }, 'sent'],
    ['in doubt, and not leaving now', unheard, UNCONNECTED, { outcome: 'unknown' }, 'sent'],
    ['refused before', REFUSED, record(), { id: 'rec_1' }, 'done'],
    ['not sent before', UNCONNECTED, record(), { id: 'rec_1' }, 'done'],
  ])('(%s) comes to what both attempts prove', async (_, first, second, expected, state) => {
    const scene = new Scene();
    await acknowledged(scene, [first]);
    expect((await acknowledged(scene, [second])).result).toMatchObject(expected);
    expect((await stored(scene.store))?.state).toBe(state);
  });

  it.each([
    ['stuck', () => undefined],
    [
      'abandoned',
      (client: Awaited<ReturnType<typeof acknowledged>>['client']) => client.intents.abandon(KEY, 'checked'),
    ],
  ])('while it is %s sends nothing', async (state, act) => {
    const scene = new Scene();
    const { client } = await acknowledged(scene, [refusal(409, 'IDEMPOTENCY_CONFLICT')]);
    await act(client);
    expect((await stored(scene.store))?.state).toBe(state);
    const { result, transport } = await acknowledged(scene, [record()]);
    expect(result).toMatchObject({ name: 'InDoubtError', reason: 'stuck', outcome: 'unknown' });
    expect(transport.sent).toEqual([]);
  });
});

describe('a key that is used for other content', () => {
  it('names the field that moved and the recorded state, and nothing is sent', async () => {
    const scene = new Scene();
    await accepted(scene, [record()]);
    const { result, transport } = await accepted(scene, [record()], { version: 4 });
    expect(result).toMatchObject({
      name: 'IdempotencyConflictError',
      outcome: 'done',
      codes: ['IDEMPOTENCY_CONFLICT'],
      differing: ['expected_version'],
      recorded: { state: 'done', record: { id: 'rec_1', resource_version: 2 } },
    });
    expect(transport.sent).toEqual([]);
  });

  it.each([
    ['in doubt', unheard, 'unknown', 'sent'],
    ['refused', refusal(403, 'SCOPE_DENIED'), 'refused', 'refused'],
    ['not sent', UNCONNECTED, 'not_sent', 'not_sent'],
  ])('tells that the recorded call is %s', async (_, step, outcome, state) => {
    const scene = new Scene();
    await acknowledged(scene, [step]);
    const { result } = await acknowledged(scene, [record()], {}, { external_reference: 'y' });
    expect(result).toMatchObject({ outcome, differing: ['external_reference'], recorded: { state } });
    expect((await stored(scene.store))?.parsed.log).toHaveLength(3);
  });

  it('names the operation, the path and the query that differ', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([record()]);
    const options = { idempotencyKey: KEY };
    const body = { status: 'read', external_reference: 'x' } as const;
    await scene.during(client.notifications.acknowledge('n_1', body, options));
    const again = { terms_version: 't1', expected_version: 3 };
    for (const [call, differing] of [
      [() => client.notifications.acknowledge('n_2', body, options), ['path']],
      [() => client.notifications.acknowledge('n_1', body, { ...options, extraQuery: { a: 1 } }), ['query']],
      [
        () => client.saleCases.acknowledge('sal_1', again, options),
        ['operation', 'path', 'status', 'external_reference', 'terms_version', 'expected_version'],
      ],
    ] as const) {
      const error = await rejection(scene.during<unknown>(call()));
      expect(error).toMatchObject({ name: 'IdempotencyConflictError', differing });
    }
  });
});

describe('how long a command in doubt may be sent again', () => {
  const MINUTE = 60_000;

  it.each([
    ['with a version: until 300 s before its key may be forgotten', accepted, 55 * MINUTE],
    ['without one: for ten minutes after its first attempt', acknowledged, 10 * MINUTE],
  ])('%s', async (_, call, limitMs) => {
    const early = new Scene();
    await call(early, [unheard]);
    await early.clock.advance(limitMs - 1_000);
    expect((await call(early, [record()])).result).toMatchObject({ id: 'rec_1' });

    const late = new Scene();
    await call(late, [unheard]);
    await late.clock.advance(limitMs + 1_000);
    const { result, transport, client } = await call(late, [record()]);
    expect(result).toMatchObject({
      name: 'InDoubtError',
      reason: 'in_doubt',
      outcome: 'unknown',
      unresolved: [{ idempotencyKey: KEY }],
    });
    expect(await late.during(client.recover({ resend: true }))).toMatchObject([
      { status: 'unknown', reason: 'stuck', path: (await stored(late.store))?.parsed.target?.path },
    ]);
    expect(transport.sent).toEqual([]);
  });

  it('counts from the first attempt, however often it was sent since', async () => {
    const scene = new Scene();
    for (const minutes of [0, 6, 4.1]) {
      await scene.clock.advance(minutes * MINUTE);
      const { transport } = await acknowledged(scene, [unheard]);
      expect(transport.sent).toHaveLength(minutes === 4.1 ? 0 : 1);
    }
  });

  it('is set by keyRetention, which has a least value', async () => {
    const scene = new Scene();
    const options = { client: { keyRetention: 600_000 } };
    await acknowledged(scene, [unheard], {}, options);
    await scene.clock.advance(301_000);
    const { result } = await acknowledged(scene, [record()], {}, options);
    expect(result).toMatchObject({ name: 'InDoubtError' });
    expect(() => scene.dealer([], { keyRetention: 599_999 })).toThrowError(/keyRetention/);
  });
});

describe('two calls of one command at once', () => {
  const body = { status: 'read', external_reference: 'x' } as const;
  const options = { idempotencyKey: KEY, maxAttempts: 1 };

  it('in one client follow each other, and the second is answered from the store', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([record()]);
    const call = () => client.notifications.acknowledge('n_1', body, options);
    const [one, two] = await scene.during(Promise.all([call(), call()]));
    expect(two).toEqual(one);
    expect(transport.sent).toHaveLength(1);
  });

  it('in one client: the second can be aborted while it waits, and its deadline counts', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }]);
    const one = rejection(client.notifications.acknowledge('n_1', body, { ...options, timeout: 30_000 }));
    await scene.clock.advance(1);
    const abort = new AbortController();
    const aborted = rejection(
      client.notifications.acknowledge('n_1', body, { ...options, signal: abort.signal }),
    );
    const late = rejection(client.notifications.acknowledge('n_1', body, { ...options, deadline: 2_000 }));
    abort.abort(new Error('enough'));
    expect(await aborted).toMatchObject({ name: 'AbortedError', outcome: 'unknown', idempotencyKey: KEY });
    expect(await scene.during(late)).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
    expect(scene.clock.monotonic()).toBeLessThan(4_000);
    await scene.during(one);
    expect(transport.sent).toHaveLength(1);
  });

  it('in two processes: one sends, and the other sends nothing while the first is about to', async () => {
    const scene = new Scene();
    const [one, two] = [scene.dealer([record()]), scene.dealer([record()])];
    const results = await scene.during(
      Promise.all(
        [one, two].map(({ client }) =>
          client.notifications.acknowledge('n_1', body, options).catch((error: unknown) => error),
        ),
      ),
    );
    expect(results[0]).toMatchObject({ id: 'rec_1' });
    expect(results[1]).toMatchObject({ name: 'InDoubtError', reason: 'in_progress', outcome: 'unknown' });
    expect([one.transport.sent.length, two.transport.sent.length]).toEqual([1, 0]);
  });

  it('in two processes: one that stalled before its first byte sends nothing once the other has', async () => {
    const scene = new Scene();
    const slow = scene.dealer([record()]);
    const pause = new Pause();
    scene.store.troubles.push(undefined, pause);
    const stalled = slow.client.notifications
      .acknowledge('n_1', body, options)
      .catch((error: unknown) => error);
    await pause.reached;
    // Its row is taken for one that nobody holds any more.
    await scene.store.transaction('sandbox', async (tx) => {
      const row = await tx.intents.get(KEY);
      if (row === undefined) throw new Error('No row');
      const { id: _, version, ownerSilentMs: __, settledSequence: ___, owner: ____, ...kept } = row;
      await tx.intents.update(kept, version, { serverMs: 1, localMs: 1 });
    });
    const { result } = await acknowledged(scene, [record()]);
    expect(result).toMatchObject({ id: 'rec_1' });
    pause.goOn();
    expect(await scene.during(stalled)).toMatchObject({ id: 'rec_1' });
    expect(slow.transport.sent).toEqual([]);
  });
});
