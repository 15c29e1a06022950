import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import type { IntentEvent } from '../../src/intents/content.js';
import type { MutationOptions } from '../../src/ports/caller.js';
import { html, invalidFields, iso, messageOnly, NOW, refusal } from '../support/bid-replies.js';
import { Scene, Wire } from '../support/bidders.js';
import { credentials, KEY, rejection } from '../support/clients.js';
import { MortalClock } from '../support/mortal-clock.js';
import { UNCONNECTED } from '../support/placed-bids.js';
import { processes } from '../support/processes.js';
import type { Step } from '../support/scripted-transport.js';
import { accepted, acknowledged, record, replayed, rows, stored, unheard } from './desk.js';
import * as logs from './logs.js';

/** What commands come to, and what calling one again under its key does. A command has no lookup. */

const REFUSED = refusal(403, 'SCOPE_DENIED');

const thrice = (step: Step) => Array<Step>(3).fill(step);

/** Refusals without a code that are believed once they are repeated. */
const BELIEVED = [400, 404, 405, 409, 410, 412, 415, 419, 422, 423, 428];

describe('what a command comes to within one call', () => {
  type Case = readonly [
    what: string,
    steps: readonly Step[],
    outcome: string,
    state: string,
    requests: number,
  ];
  const twiceBare = (status: number, outcome: string, state: string): Case => {
    return [`turned away twice by a bare ${status}`, thrice(messageOnly(status)), outcome, state, 2];
  };
  const twicePage = (status: number, outcome: string, state: string): Case => {
    return [`turned away twice by the page of a ${status}`, thrice(html(status)), outcome, state, 2];
  };
  const twiceEmpty = (status: number, outcome: string, state: string): Case => {
    return [`turned away twice by an empty ${status}`, thrice({ status, text: '' }), outcome, state, 2];
  };
  const cases: readonly Case[] = [
    ['that is turned away with a documented code', [refusal(403, 'SCOPE_DENIED')], 'refused', 'refused', 1],
    ['whose version is old', [refusal(409, 'VERSION_CONFLICT')], 'refused', 'refused', 1],
    ['whose fields are wrong', [invalidFields()], 'refused', 'refused', 1],
    ['that never leaves', thrice({ fail: 'no' }), 'not_sent', 'not_sent', 3],
    ['that is never answered', thrice(unheard), 'unknown', 'sent', 3],
    ['that fails', thrice(messageOnly(500)), 'unknown', 'sent', 3],
    ['with a success that does not parse', [{ status: 200, json: { data: 5 } }], 'unknown', 'sent', 1],
    ['whose nonce was seen before', thrice(refusal(409, 'NONCE_REPLAYED')), 'unknown', 'sent', 3],
    ['whose timestamp counts as expired', thrice(refusal(401, 'TIMESTAMP_EXPIRED')), 'unknown', 'sent', 2],
    ['whose key is stored for other content', [refusal(409, 'IDEMPOTENCY_CONFLICT')], 'unknown', 'stuck', 1],
    ...BELIEVED.flatMap((status) => [
      twiceBare(status, 'refused', 'refused'),
      twicePage(status, 'refused', 'refused'),
      twiceEmpty(status, 'refused', 'refused'),
    ]),
    ...[401, 402, 403, 406, 431].flatMap((status) => [
      twiceBare(status, 'unknown', 'sent'),
      twicePage(status, 'unknown', 'sent'),
      twiceEmpty(status, 'unknown', 'sent'),
    ]),
    ['turned away by a bare 413, which is not sent again', [messageOnly(413)], 'unknown', 'sent', 1],
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
    const row = await stored(scene.store);
    expect(row?.state).toBe(state);
    expect(row?.parsed.log.filter(({ type }) => type === 'attempt')).toHaveLength(requests);
  });

  it('a command that meets a bare 404 is sent again with the same bytes, and its success counts', async () => {
    const scene = new Scene();
    const { result, transport } = await acknowledged(scene, [messageOnly(404), record()], { maxAttempts: 3 });
    expect(result).toMatchObject({ id: 'rec_1' });
    expect(new Set(transport.bodies).size).toBe(1);
    expect((await stored(scene.store))?.state).toBe('done');
  });
});

describe('the same command again under its key', () => {
  it('after it was done is answered from the store, and nothing is sent', async () => {
    const scene = new Scene();
    const first = await acknowledged(scene, [record({ note: ['kept'] })]);
    const { result, transport } = await acknowledged(scene, []);
    expect(result).toEqual(first.result);
    expect(responseOf(Object(result))).toEqual({
      status: 200,
      headers: {},
      body: undefined,
      requestId: 'req_1',
      serverTime: undefined,
      replayed: true,
      attempts: 1,
      idempotencyKey: KEY,
      timings: { total: 0, queued: 0 },
    });
    expect(transport.sent).toEqual([]);
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

/** A clock of the caller's that fails from some time on. */
class FailingClock extends MortalClock {
  fails = false;

  override monotonic(): number {
    if (this.fails) throw new Error('a bug of the clock');
    return super.monotonic();
  }
}

describe('a command whose record another process changes', () => {
  const options = { idempotencyKey: KEY, maxAttempts: 2 };
  const notice = { status: 'read', external_reference: 'x' } as const;
  const run = ({ client }: ReturnType<Scene['dealer']>, over: MutationOptions = {}) =>
    client.notifications.acknowledge('n_1', notice, { ...options, ...over }).catch((error: unknown) => error);

  it('while it is queued is in progress for another process', async () => {
    const scene = new Scene();
    const world = processes(scene.store);
    const pause = scene.store.pauseAt(2);
    const first = run(scene.dealer([record()], { store: world.as('one') }));
    await pause.reached;
    const other = scene.dealer([record()], { store: world.as('two') });
    expect(await scene.during(run(other))).toMatchObject({ name: 'InDoubtError', reason: 'in_progress' });
    pause.goOn();
    expect(await scene.during(first)).toMatchObject({ id: 'rec_1' });
    expect(other.transport.sent).toEqual([]);
  });

  it('while its reply is missing has the result that the other process got', async () => {
    const scene = new Scene();
    const first = run(scene.dealer([{ hang: true }]), { timeout: 5_000, maxAttempts: 1 });
    await scene.clock.advance(1);
    await scene.during(run(scene.dealer([replayed()])));
    expect(await scene.during(first)).toMatchObject({ id: 'rec_1' });
  });

  it.each<[what: string, event: IntentEvent, told: object, log: string[]]>([
    ['settled', logs.unsent, { reason: 'superseded', outcome: 'not_sent' }, ['placed', 'unsent']],
    ['sent', logs.attempt(1), { reason: 'in_progress', outcome: 'unknown' }, ['placed', 'attempt']],
  ])(
    '(%s) before its first byte sends nothing, says what is known, and leaves the record as it is',
    async (_, event, told, log) => {
      const scene = new Scene();
      const pause = scene.store.pauseAt(2);
      const { client, transport } = scene.dealer([record()]);
      const call = run({ client, transport });
      await pause.reached;
      await scene.append(KEY, event);
      pause.goOn();
      expect(await scene.during(call)).toMatchObject(told);
      expect([transport.sent, (await scene.only()).log]).toEqual([[], log]);
    },
  );

  it('that an earlier process sent stays unknown where a resend has to wait too long for the quota', async () => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const tooMany = { message: 'Too many.', timestamp: iso(NOW) };
    const { client } = scene.dealer([{ status: 429, json: tooMany, headers: { 'retry-after': '50' } }]);
    await rejection(scene.during(client.events.get('auc_1', { maxAttempts: 1 })));
    const resent = client.notifications.acknowledge('n_1', notice, { ...options, deadline: 5_000 });
    expect(await rejection(scene.during(resent))).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
  });

  it('while it is being given up is left as it is', async () => {
    const scene = new Scene();
    const controller = new AbortController();
    const { client, transport } = scene.dealer([record()], { quota: { limit: 1, scope: 'client' } });
    await client.verify().catch(() => undefined);
    const pause = scene.store.pauseAt(2);
    const call = run({ client, transport }, { signal: controller.signal });
    await scene.clock.advance(1);
    controller.abort();
    await pause.reached;
    await scene.append(KEY, logs.attempt(1));
    pause.goOn();
    expect(await scene.during(call)).toMatchObject({ name: 'AbortedError' });
    expect((await scene.only()).log).toEqual(['placed', 'attempt']);
  });

  it('after its first attempt sends nothing more, and does not say that nothing was sent', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([unheard, record()]);
    const pause = scene.store.pauseAt(4);
    const call = run({ client, transport });
    void scene.clock.advance(60_000);
    await pause.reached;
    await scene.append(KEY, logs.attempt(2));
    pause.goOn();
    expect(await scene.during(call)).toMatchObject({ name: 'InDoubtError', reason: 'in_progress' });
    expect(transport.sent).toHaveLength(1);
  });

  it('whose commit waits until it is too late to be resent is not sent', async () => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    await scene.clock.advance(597_000);
    const pause = scene.store.pauseAt(2);
    const { client, transport } = scene.dealer([record()]);
    const call = run({ client, transport }, { maxAttempts: 1 });
    await pause.reached;
    await scene.clock.advance(4_000);
    pause.goOn();
    expect(await scene.during(call)).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
    expect(transport.sent).toEqual([]);
  });
});

it.each([
  ['before it is recorded is not sent', 1, 'not_sent', 0],
  ['after it was recorded may have been sent', 3, 'unknown', 1],
] as const)('a command whose clock fails %s', async (_, nth, outcome, sent) => {
  const scene = new Scene();
  const clock = new FailingClock(scene.clock);
  const { client, transport } = scene.dealer([record()], { clock });
  const pause = scene.store.pauseAt(nth);
  clock.fails = nth === 1;
  const body = { status: 'read', external_reference: 'x' } as const;
  const call = rejection(client.notifications.acknowledge('n_1', body, { idempotencyKey: KEY }));
  if (nth > 1) await pause.reached;
  clock.fails = true;
  pause.goOn();
  expect(await call).toMatchObject({ name: 'ConfigurationError', option: 'clock', outcome });
  expect(transport.sent).toHaveLength(sent);
});

describe('a command whose store loses an answer', () => {
  it.each([
    ['its first attempt', [undefined, 'lost'], 'not_sent', 0],
    ['its first result', [undefined, undefined, 'lost'], 'unknown', 1],
    ['its second result', [undefined, undefined, undefined, undefined, 'lost'], 'unknown', 2],
  ] as const)(
    'to %s is a StoreError, and what was not recorded is not sent',
    async (_, troubles, outcome, sent) => {
      const scene = new Scene();
      scene.store.troubles.push(...troubles);
      const { result, transport } = await acknowledged(scene, [unheard, record()], { maxAttempts: 2 });
      expect(result).toMatchObject({ name: 'StoreError', outcome });
      expect(transport.sent).toHaveLength(sent);
    },
  );
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
    ['with a version: until 301 s before its key may be forgotten', accepted, 55 * MINUTE - 1_000],
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
    expect(transport.sent.filter(({ method }) => method !== 'GET')).toEqual([]);
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

  it('in one client: a third waits for the first although a second one gave up', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }, record()]);
    const acknowledge = (limits: object) =>
      client.notifications.acknowledge('n_1', body, { ...options, ...limits });
    const first = rejection(acknowledge({ timeout: 30_000 }));
    await scene.clock.advance(1);
    await scene.during(rejection(acknowledge({ deadline: 2_000 })));
    const third = acknowledge({});
    await scene.clock.advance(1_000);
    expect(transport.sent).toHaveLength(1);
    await scene.during(first);
    expect(await scene.during(third)).toMatchObject({ id: 'rec_1' });
  });

  it('in one client: what the second waited for the first counts against its deadline', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ hang: true }, { hang: true }]);
    const one = rejection(client.notifications.acknowledge('n_1', body, { ...options, timeout: 5_000 }));
    await scene.clock.advance(1);
    const two = client.notifications.acknowledge('n_1', body, { ...options, deadline: 8_000 });
    expect(await scene.during(rejection(two))).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
    expect(scene.clock.monotonic()).toBeLessThan(10_000);
    await one;
  });

  it('in one client: recover waits for the first no longer than its deadline', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([unheard, { hang: true }]);
    await rejection(scene.during(client.notifications.acknowledge('n_1', body, options)));
    const again = rejection(client.notifications.acknowledge('n_1', body, { ...options, timeout: 30_000 }));
    await scene.clock.advance(1);
    const recovered = await scene.during(client.recover({ resend: true, deadline: 2_000 }));
    expect(recovered).toMatchObject([{ status: 'unknown', reason: 'in_doubt' }]);
    expect(scene.clock.monotonic()).toBeLessThan(5_000);
    await scene.during(again);
  });
});

/** For whom a command was recorded: environment and account label are part of its key, origin and client id are facts. */

type Options = NonNullable<Parameters<Scene['dealer']>[1]>;

const another = { credentials: { ...credentials, clientId: 'cl_other' } };
const elsewhere = { baseUrl: 'https://elsewhere.example/api/v1' };

/** The command, again under its key where it was called before, by another client on the same store. */
const again = (scene: Scene, client: Options, step: Step = record({ id: 'rec_2' })) =>
  acknowledged(scene, [step], {}, { client });

describe.each<[how: string, options: Options]>([
  ['at another origin', elsewhere],
  ['with another client id', another],
  ['with another client id, from a function', { credentials: async () => another.credentials }],
])('a command that was recorded %s', (_, options) => {
  it('and in doubt, is listed and told of, and never sent again', async () => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const { result, transport, client } = await again(scene, options);
    const unresolved = [{ idempotencyKey: KEY }];
    expect(result).toMatchObject({ name: 'InDoubtError', reason: 'foreign', unresolved });
    expect(await client.intents.list().toArray()).toMatchObject([
      { idempotencyKey: KEY, foreign: true, state: 'sent' },
    ]);
    const [recovered] = await scene.during(client.recover({ resend: true }));
    expect([recovered, transport.sent]).toMatchObject([{ status: 'unknown', reason: 'foreign' }, []]);
    expect(await client.intents.abandon(KEY, 'checked there')).toMatchObject({ reason: 'abandoned' });
  });
});

it('a command at an origin that is listed as a former one counts as recorded here', async () => {
  const scene = new Scene();
  await acknowledged(scene, [unheard]);
  const moved = { ...elsewhere, formerOrigins: ['https://bank.example/api/v1'] };
  const { client, transport } = scene.dealer([record()], moved);
  expect(await scene.during(client.recover({ resend: true }))).toMatchObject([{ status: 'done' }]);
  expect(transport.sent[0]?.origin).toBe('https://elsewhere.example');
});

it.each(['', 'a b', 'x'.repeat(61), 5])('the label of a bank can not be %j', (account) => {
  const error = expect.objectContaining({ name: 'ConfigurationError', option: 'account' });
  expect(() => new Scene().dealer([], { account: account as string })).toThrow(error);
});

/** Until a reply has told this process server time, no command is recorded, signed, resent, judged or deleted. */

const PROFILE = 'GET /integration/profile';
const body = { status: 'read', external_reference: 'x' } as const;

const profile = (aheadMs: number): Step => ({
  status: 200,
  json: { data: { client_id: 'cl_7f3a', environment: 'sandbox' }, server_time: iso(NOW + aheadMs) },
});

/** A client whose script answers A01, too. */
function untold(scene: Scene, steps: readonly Step[]) {
  const transport = new Wire(scene.events, steps);
  return { transport, client: scene.dealer([], { transport }).client };
}

describe('the first command of a process', () => {
  it('judges by server time whether it may be resent, though its machine is hours off', async () => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const { client, transport } = untold(scene, [profile(11 * 60_000)]);
    const call = client.notifications.acknowledge('n_1', body, { idempotencyKey: KEY });
    expect(await rejection(scene.during(call))).toMatchObject({ name: 'InDoubtError', reason: 'in_doubt' });
    expect(transport.lines).toEqual([PROFILE]);
  });
});

const versions = async (scene: Scene) =>
  (await rows(scene.store)).map(({ key, version, content }) => [key, version, content]);

describe('where A01 tells no time', () => {
  const refused = { name: 'NotSentError', reason: 'no_server_time', outcome: 'not_sent' };

  type Client = ReturnType<typeof untold>['client'];

  it.each<[what: string, call: (client: Client) => Promise<unknown>]>([
    ['a command', ({ notifications }) => notifications.acknowledge('n_1', body)],
    ['runOnce', (client) => client.runOnce(['a'], () => Promise.resolve())],
    ['recover', (client) => client.recover({ resend: true })],
  ])('%s sends and changes nothing', async (_, call) => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const before = await versions(scene);
    const { client, transport } = untold(scene, Array<Step>(3).fill(messageOnly(403)));
    expect(await rejection(scene.during<unknown>(call(client)))).toMatchObject(refused);
    expect(new Set(transport.lines)).toEqual(new Set([PROFILE]));
    expect(await versions(scene)).toEqual(before);
  });

  it('a command ends with its deadline, as any call', async () => {
    const scene = new Scene();
    const { client } = untold(scene, [{ hang: true }]);
    const late = rejection(client.notifications.acknowledge('n_1', body, { deadline: 5_000 }));
    const error = { name: 'TimeoutError', outcome: 'not_sent', operation: 'A75' };
    expect(await scene.during(late)).toMatchObject(error);
    expect([scene.clock.monotonic() < 6_000, await rows(scene.store)]).toEqual([true, []]);
  });
});
