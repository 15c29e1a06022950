import { describe, expect, it } from 'vitest';
import { acceptance, LOT, lookup, recordedRejection, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { UNCONNECTED } from '../support/placed-bids.js';
import { processes } from '../support/processes.js';
import type { Step } from '../support/scripted-transport.js';
import { settle } from '../support/virtual-clock.js';
import { record, replayed, rows, unheard } from './desk.js';

/** A function that has its effect once, however often its script is started. */

const parts = ['approve', 'sal_1'] as const;
const moved = refusal(409, 'VERSION_CONFLICT');
const DONE = { id: 'rec_1' };
const SUPERSEDED = { name: 'NotSentError', reason: 'superseded' };
const IN_PROGRESS = { name: 'InDoubtError', reason: 'in_progress', outcome: 'unknown' };

type Bank = ReturnType<Scene['bank']>['client'];

/** Decides a cancellation at a version. */
function decide(client: Bank, idempotencyKey: string, expected_version = 3) {
  const body = { decision: 'approved', reason: 'Agreed', expected_version } as const;
  return client.saleCancellations.decide('sca_1', body, { idempotencyKey, maxAttempts: 1 });
}

const script = (client: Bank, version = 3) => client.runOnce(parts, (key) => decide(client, key, version));

/** The script once, in a process of its own. */
async function started(scene: Scene, steps: readonly Step[], version = 3, store = scene.store) {
  const { client, transport } = scene.bank(steps, { store });
  const result: unknown = await scene.during(script(client, version).catch((error: unknown) => error));
  return { result, transport };
}

const generations = async (scene: Scene) =>
  (await rows(scene.store)).map(({ state, content }) => [JSON.parse(content).once.generation, state]);

/** Two processes on one store; the first has reserved the key, and its function goes on when it is told to. */
async function reserved() {
  const scene = new Scene();
  const world = processes(scene.store);
  const first = scene.bank([record()], { store: world.as('first') });
  let goOn: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const run = (key: string) => held.then(() => decide(first.client, key));
  const stalled = first.client.runOnce(parts, run).catch((error: unknown) => error);
  await settle();
  return { scene, world, first, stalled, goOn, next: { store: world.as('next') } };
}

describe('a function that runs once', () => {
  it('after it was done returns what is on record, though versions moved, and does not run', async () => {
    const scene = new Scene();
    const first = await started(scene, [record()]);
    expect(first.result).toMatchObject(DONE);
    const { client, transport } = scene.bank([]);
    const run = () => expect.unreachable('it ran');
    expect(await scene.during(client.runOnce(parts, run))).toEqual(first.result);
    expect((await started(scene, [], 4)).result).toEqual(first.result);
    expect([transport.sent, await generations(scene)]).toEqual([[], [[1, 'done']]]);
  });

  it.each([
    ['refused', moved],
    ['not sent', UNCONNECTED],
  ])('after it was %s runs again under a key of its own', async (_, step) => {
    const scene = new Scene();
    const first = await started(scene, [step]);
    expect(first.result).toBeInstanceOf(Error);
    const second = await started(scene, [record()], 4);
    expect(second.result).toMatchObject(DONE);
    expect(second.transport.bodies[0]).not.toBe(first.transport.bodies[0]);
    expect((await generations(scene)).map(([generation]) => generation)).toEqual([1, 2]);
  });

  it('in doubt is settled first, with the recorded bytes, and does not run', async () => {
    const scene = new Scene();
    const first = await started(scene, [unheard]);
    const { result, transport } = await started(scene, [replayed()], 4);
    expect(result).toMatchObject(DONE);
    expect(transport.bodies).toEqual(first.transport.bodies);
    expect(await generations(scene)).toEqual([[1, 'done']]);
  });

  it('in doubt that can not be settled is an InDoubtError, and stuck once it is too late to be sent again', async () => {
    const scene = new Scene();
    await started(scene, [unheard]);
    const doubted = await started(scene, [unheard, unheard, unheard], 4);
    expect(doubted.result).toMatchObject({ name: 'InDoubtError', reason: 'in_doubt', outcome: 'unknown' });
    await scene.clock.advance(3_600_001);
    const { result, transport } = await started(scene, [record()], 4);
    expect([result, transport.sent]).toMatchObject([{ name: 'InDoubtError', reason: 'stuck' }, []]);
    expect(await generations(scene)).toEqual([[1, 'stuck']]);
  });

  it('has one key for its parts in each account, and another for other parts', async () => {
    const scene = new Scene();
    const keys: string[] = [];
    for (const [account, name] of [
      ['one', parts],
      ['two', parts],
      ['one', ['approve', 'sal_2']],
      ['one', ['approve,sal_1']],
    ] as const) {
      const run = async (key: string) => {
        keys.push(key);
        throw new Error('no call');
      };
      await rejection(scene.during(scene.bank([], { account }).client.runOnce(name, run)));
    }
    expect(new Set(keys).size).toBe(4);
  });

  it.each([[[]], [['']], [['a', '']], [['a', 5]], ['approve']])('refuses %j as its parts', async (given) => {
    const run = new Scene().bank().client.runOnce(given as readonly string[], () => Promise.resolve());
    expect(await rejection(run)).toMatchObject({ name: 'InvalidRequestError', issues: [{ path: 'parts' }] });
  });
});

describe('a function of runOnce', () => {
  const noCall = { name: 'NotSentError', reason: 'no_call', outcome: 'not_sent' };

  it('that makes no call, or fails before it, is an error, and runs again next time', async () => {
    const broken = new Error('a bug of the script');
    for (const [run, error] of [
      [async () => 5, expect.objectContaining(noCall)],
      [() => Promise.reject(broken), broken],
    ] as const) {
      const scene = new Scene();
      const { client } = scene.bank();
      expect(await rejection(scene.during(client.runOnce<unknown>(parts, run)))).toEqual(error);
      expect(await generations(scene)).toEqual([[1, 'not_sent']]);
      expect((await started(scene, [record()])).result).toMatchObject(DONE);
    }
  });

  it('that makes a second call under its key sends only the first', async () => {
    const scene = new Scene();
    const { client, transport } = scene.bank([record(), record()]);
    const run = (key: string) => decide(client, key).then(() => decide(client, key));
    expect(await rejection(scene.during(client.runOnce(parts, run)))).toMatchObject(noCall);
    expect(transport.sent).toHaveLength(1);
    expect((await started(scene, [])).result).toMatchObject(DONE);
    // Its key is an ordinary one once the function has ended.
    const [row] = await rows(scene.store);
    expect(await scene.during(decide(client, row?.key ?? ''))).toMatchObject(DONE);
  });

  it('whose record can not be read after its call may have had its effect', async () => {
    const scene = new Scene();
    const { client } = scene.bank([record()]);
    scene.store.troubles.push(...Array<undefined>(6).fill(undefined), 'fails');
    const error = { name: 'StoreError', outcome: 'unknown', operation: 'runOnce' };
    expect(await rejection(scene.during(script(client)))).toMatchObject(error);
    expect(await generations(scene)).toEqual([[1, 'done']]);
  });

  it('whose result is not kept is in doubt the second time', async () => {
    const scene = new Scene();
    const { client, transport } = scene.bank([{ status: 200, json: { data: { token: 't' } } }]);
    const write = () =>
      client.runOnce(parts, (idempotencyKey) =>
        client.request({ method: 'POST', path: '/new-things', body: {} }, { idempotencyKey }),
      );
    expect(await scene.during(write())).toEqual({ token: 't' });
    expect(await rejection(scene.during(write()))).toMatchObject({ name: 'InDoubtError', outcome: 'done' });
    expect(transport.sent).toHaveLength(1);
  });
});

describe('a function of runOnce and its call', () => {
  it('that it does not wait for ends before the run does', async () => {
    const scene = new Scene();
    const { client, transport } = scene.bank([record()]);
    let call: Promise<unknown> | undefined;
    const run = async (key: string) => {
      call = decide(client, key);
      return 5;
    };
    expect(await scene.during(client.runOnce(parts, run))).toBe(5);
    expect(await call).toMatchObject(DONE);
    expect([transport.sent.length, await generations(scene)]).toEqual([1, [[1, 'done']]]);
  });

  it('that it does not wait for, and that fails, is in doubt', async () => {
    const scene = new Scene();
    const { client } = scene.bank([unheard]);
    const run = async (key: string) => {
      decide(client, key).catch(() => undefined);
    };
    const error = {
      name: 'InDoubtError',
      outcome: 'unknown',
      message: expect.stringContaining('it is sent'),
    };
    expect(await rejection(scene.during(client.runOnce(parts, run)))).toMatchObject(error);
  });

  it('that it loses by throwing is not sent once the run has ended, or is settled by the next', async () => {
    const scene = new Scene();
    const { client, transport } = scene.bank([record(), record()]);
    let call: Promise<unknown> | undefined;
    const run = async (key: string) => {
      call = decide(client, key).catch((error: unknown) => error);
      throw new Error('too slow');
    };
    expect(await rejection(scene.during(client.runOnce(parts, run)))).toMatchObject({ message: 'too slow' });
    await scene.during(Promise.resolve(call));
    expect(await scene.during(script(client))).toMatchObject(DONE);
    expect(new Set(transport.bodies).size).toBe(1);
  });
});

describe('parts that change after the call', () => {
  it('name the run that they named when it was called', async () => {
    const scene = new Scene();
    const ids = ['1', '2', '3'];
    const { client, transport } = scene.bank(ids.map((id) => record({ id })));
    const names = ['approve', ''];
    const running = ids.map((id) => {
      names[1] = id;
      return client.runOnce(names, (key) => decide(client, key));
    });
    const results = await scene.during(Promise.all(running));
    expect(new Set(results.map(({ id }) => id)).size).toBe(3);
    expect(transport.sent).toHaveLength(3);
    expect((await rows(scene.store)).map(({ once }) => once)).toEqual(
      ids.map((id) => JSON.stringify(['approve', id])),
    );
  });
});

describe('a client that closes', () => {
  const hangs = () => new Promise<never>(() => undefined);

  it('ends a run whose function never ends, and those that wait for it', async () => {
    const scene = new Scene();
    const { client, transport } = scene.bank([record()]);
    const runs = [client.runOnce(parts, hangs), script(client)].map((run) => rejection(run));
    await scene.clock.advance(60_000);
    const closed = client.close({ within: 1_000 });
    await scene.clock.advance(2_000);
    await closed;
    const error = { name: 'AbortedError', reason: 'closed', outcome: 'not_sent', call: 'runOnce' };
    expect(await Promise.all(runs)).toMatchObject([error, error]);
    expect([transport.sent, await generations(scene)]).toEqual([[], [[1, 'not_sent']]]);
  });

  it('reports a run that has made its call as unknown, and the next one returns what it did', async () => {
    const scene = new Scene();
    const { client } = scene.bank([record()]);
    const run = (key: string) => decide(client, key).then(hangs);
    const ended = rejection(client.runOnce(parts, run));
    await scene.clock.advance(1_000);
    const closed = client.close({ within: 0 });
    await scene.clock.advance(2_000);
    await closed;
    expect(await ended).toMatchObject({ name: 'AbortedError', reason: 'closed', outcome: 'unknown' });
    expect((await started(scene, [])).result).toMatchObject(DONE);
  });
});

describe('processes of one script', () => {
  it('that ended after it reserved its key is followed by one that runs under the next', async () => {
    const { scene, world, next } = await reserved();
    const waiting = scene.bank([], next);
    expect(await rejection(scene.during(script(waiting.client)))).toMatchObject(IN_PROGRESS);
    world.end('first');
    expect(await scene.during(script(scene.bank([record()], next).client))).toMatchObject(DONE);
    expect(await generations(scene)).toEqual([
      [1, 'not_sent'],
      [2, 'done'],
    ]);
  });

  it('two at once have one effect: the other is told that it is in progress', async () => {
    const scene = new Scene();
    const world = processes(scene.store);
    const both = ['one', 'two'].map((name) => scene.bank([record()], { store: world.as(name) }));
    const running = both.map(({ client }) => script(client).catch((error: unknown) => error));
    const results = await scene.during(Promise.all(running));
    expect(both.flatMap(({ transport }) => transport.sent)).toHaveLength(1);
    expect(results).toContainEqual(expect.objectContaining(DONE));
    expect(results).toContainEqual(expect.objectContaining(IN_PROGRESS));
  });

  it('two in one process follow each other, and the second has the result of the first', async () => {
    const scene = new Scene();
    const { client, transport } = scene.bank([record()]);
    const [one, two] = await scene.during(Promise.all([script(client), script(client, 4)]));
    expect(two).toEqual(one);
    expect(transport.sent).toHaveLength(1);
  });

  it('a reserved key may be called only by the function that reserved it', async () => {
    const { scene, world, next } = await reserved();
    world.end('first');
    const [row] = await rows(scene.store);
    const { client, transport } = scene.bank([record()], next);
    expect(await rejection(scene.during(decide(client, row?.key ?? '')))).toMatchObject(SUPERSEDED);
    expect(transport.sent).toEqual([]);
  });

  it('a reservation that can not be given back is settled by the next run of its process', async () => {
    const scene = new Scene();
    const { client } = scene.bank([record()]);
    scene.store.troubles.push(undefined, undefined, 'fails');
    expect(await rejection(client.runOnce(parts, async () => 5))).toMatchObject({ reason: 'no_call' });
    expect(await generations(scene)).toEqual([[1, 'ready']]);
    expect(await scene.during(script(client))).toMatchObject(DONE);
    expect((await scene.intents()).map(({ log }) => log)).toEqual([
      ['placed', 'unsent'],
      ['placed', 'placed', 'attempt', 'done'],
    ]);
  });

  it('whose second attempt waits while another process begins the next generation sends nothing more', async () => {
    const scene = new Scene();
    const { client, transport } = scene.bank([UNCONNECTED, record()]);
    // Read, reserved, begun, announced and not sent; the pause is before the second attempt.
    const pause = scene.store.pauseAt(6);
    const body = { decision: 'approved', reason: 'Agreed', expected_version: 3 } as const;
    const run = (idempotencyKey: string) =>
      client.saleCancellations.decide('sca_1', body, { idempotencyKey, maxAttempts: 2 });
    const stalled = client.runOnce(parts, run).catch((error: unknown) => error);
    void scene.clock.advance(60_000);
    await pause.reached;
    expect((await started(scene, [record()])).result).toMatchObject(DONE);
    pause.goOn();
    expect(await scene.during(stalled)).toMatchObject(SUPERSEDED);
    expect(transport.sent).toHaveLength(1);
  });

  it.each(['fails', 'lost'] as const)(
    'a store that %s while a key is reserved keeps the function from running',
    async (trouble) => {
      const scene = new Scene();
      scene.store.troubles.push(undefined, trouble);
      const { result, transport } = await started(scene, [record()]);
      expect(result).toMatchObject({ name: 'StoreError' });
      expect([transport.sent, await rows(scene.store)]).toEqual([[], []]);
    },
  );

  it('a reservation whose commit was not heard of is found, and the function runs', async () => {
    const scene = new Scene();
    scene.store.troubles.push(undefined, 'commits unheard');
    expect((await started(scene, [record()])).result).toMatchObject(DONE);
    expect(await generations(scene)).toEqual([[1, 'done']]);
  });
});

describe('what runOnce did', () => {
  it('under an earlier key stays as it was where that is called without runOnce', async () => {
    const scene = new Scene();
    await started(scene, [moved]);
    await started(scene, [record()], 4);
    const [first] = await rows(scene.store);
    const { client, transport } = scene.bank([record()]);
    expect(await rejection(scene.during(decide(client, first?.key ?? '')))).toMatchObject(SUPERSEDED);
    expect(transport.sent).toEqual([]);
  });
});

describe('a bid that is placed once', () => {
  type Dealer = ReturnType<Scene['dealer']>['client'];
  const calls = {
    place: ({ bids }: Dealer, idempotencyKey: string): Promise<unknown> =>
      bids.place({ lot: LOT, amount: '465000' }, { idempotencyKey, maxAttempts: 1, deadline: 500 }),
    submit: ({ bids }: Dealer, idempotencyKey: string): Promise<unknown> =>
      bids.submit(LOT, { amount: '465000' }, { idempotencyKey, maxAttempts: 1 }),
  };

  async function once(scene: Scene, how: keyof typeof calls, steps: readonly Step[]) {
    const { client, transport } = scene.dealer(steps);
    const running = client.runOnce(['bid', LOT], (key) => calls[how](client, key));
    return { result: await scene.during(running.catch((error: unknown) => error)), lines: transport.lines };
  }

  it.each<[how: keyof typeof calls, step: Step, expected: object]>([
    ['place', acceptance(), { status: 'accepted', receipt: { bid_id: 'bid_77' } }],
    ['place', recordedRejection(), { status: 'rejected' }],
    ['submit', acceptance(), { status: 'accepted', bid_id: 'bid_77' }],
    ['submit', recordedRejection(), { name: 'BidRejectedError' }],
  ])('with %s comes to the same the second time, and nothing more is sent', async (how, step, expected) => {
    const scene = new Scene();
    expect((await once(scene, how, [step])).result).toMatchObject(expected);
    const again = await once(scene, how, [acceptance()]);
    expect(again).toMatchObject({ result: expected, lines: [] });
  });

  it('and left in doubt is looked up first', async () => {
    const scene = new Scene();
    await once(scene, 'place', [unheard]);
    const { key } = await scene.only();
    const found = lookup('accepted', { key, receipt: { bid_id: 'bid_77', status: 'accepted' } });
    const { result, lines } = await once(scene, 'place', [found]);
    expect([result, lines]).toMatchObject([{ status: 'accepted' }, [`GET /bid-requests/${key}`]]);
  });

  it.each(['sent', 'stuck'] as const)(
    'and that stays %s is an InDoubtError the second time',
    async (state) => {
      const scene = new Scene();
      await once(scene, 'place', [state === 'sent' ? unheard : refusal(409, 'IDEMPOTENCY_CONFLICT')]);
      const mute = Array<Step>(4).fill(refusal(403, 'SCOPE_DENIED'));
      const { result } = await once(scene, 'place', mute);
      expect(result).toMatchObject({ name: 'InDoubtError', outcome: 'unknown' });
      expect((await scene.only()).state).toBe(state);
    },
  );

  it('and whose submit failed is not taken for a success where the function swallows that', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([unheard]);
    const run = (key: string) => calls.submit(client, key).catch(() => 'swallowed');
    const error = await rejection(scene.during(client.runOnce(['bid', LOT], run)));
    expect(error).toMatchObject({ name: 'InDoubtError', outcome: 'unknown' });
  });
});

describe('a function that forgets its key', () => {
  const OTHER_KEY = {
    name: 'NotSentError',
    reason: 'other_key',
    outcome: 'not_sent',
    message: expect.stringContaining('{ idempotencyKey: key }'),
  };
  const body = { decision: 'approved', reason: 'Agreed', expected_version: 3 } as const;

  it.each([
    ['no key', {}],
    ['another key', { idempotencyKey: '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f' }],
  ])('(%s) sends nothing, and the next run has its effect once', async (_, options) => {
    const scene = new Scene();
    const { client, transport } = scene.bank([record()]);
    const forgetful = () =>
      client.runOnce(parts, () => client.saleCancellations.decide('sca_1', body, options));
    for (let times = 0; times < 3; times += 1) {
      expect(await rejection(scene.during(forgetful()))).toMatchObject(OTHER_KEY);
    }
    expect(transport.lines).toEqual([]);
    expect(await scene.during(script(client))).toMatchObject(DONE);
    expect(transport.lines).toHaveLength(1);
  });

  it('is told so for bids, and for requests to cancel them before these mark anything', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([]);
    const writes: readonly (() => Promise<unknown>)[] = [
      () => client.bids.place({ lot: LOT, amount: '450000' }),
      () => client.bids.submit(LOT, { amount: '450000' }),
      () => client.bids.requestCancellation('b1', { reason_code: 'mistake', explanation: 'A mistake' }),
      () => client.withOptions({ deadline: 5_000 }).bids.place({ lot: LOT, amount: '450000' }),
    ];
    for (const write of writes) {
      const error = await rejection(scene.during(client.runOnce(parts, write)));
      expect(error).toMatchObject({ name: 'NotSentError', reason: 'other_key' });
    }
    expect(transport.lines).toEqual([]);
  });

  it('or gives it to another client sends nothing', async () => {
    const scene = new Scene();
    const { client } = scene.bank([]);
    const other = scene.bank([record()]);
    const error = await rejection(scene.during(client.runOnce(parts, (key) => decide(other.client, key))));
    expect(error).toMatchObject({ name: 'NotSentError', reason: 'other_key' });
    expect(other.transport.lines).toEqual([]);
  });

  it('may read, run another runOnce, and leave work behind that writes after it has ended', async () => {
    const scene = new Scene();
    const steps = [record(), record({ id: 'rec_2' }), record({ id: 'rec_3' })];
    const { client, transport } = scene.bank(steps);
    let goOn: () => void = () => undefined;
    const over = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let behind: Promise<unknown> | undefined;
    const inner = (key: string) => decide(client, key);
    await scene.during(
      client.runOnce(parts, async (key) => {
        behind = over.then(() => client.saleCancellations.decide('sca_1', body));
        await client.runOnce(['approve', 'sal_2'], inner);
        return decide(client, key);
      }),
    );
    goOn();
    expect(await scene.during(Promise.resolve(behind))).toMatchObject({ id: 'rec_3' });
    expect(transport.lines).toHaveLength(3);
  });
});

describe('a function that calls runOnce with its own parts', () => {
  it('gets an error, and does not wait for itself', async () => {
    const scene = new Scene();
    const { client, transport } = scene.bank([]);
    const nested = (run: () => Promise<unknown>) => client.runOnce(parts, run);
    const derived = client.withOptions({ deadline: 5_000 });
    const calls: readonly (() => Promise<unknown>)[] = [
      () => nested(() => script(client)),
      () => nested(() => script(derived)),
      () => nested(() => client.runOnce(['another'], () => script(client))),
    ];
    for (const call of calls) {
      expect(await rejection(scene.during(call()))).toMatchObject({
        name: 'InvalidRequestError',
        issues: [{ path: 'parts', message: expect.stringContaining('would wait for itself') }],
      });
    }
    expect(transport.lines).toEqual([]);
  });
});

describe('two banks in one store without labels', () => {
  const credentials = { clientId: 'cl_other', keyId: 'k', signingSecret: 'a-secret-of-the-other-bank' };

  it.each([
    ['origin', { baseUrl: 'https://other.example/api/v1' }],
    ['client id', { credentials }],
  ])('(another %s) never get the result of each other', async (_, options) => {
    const scene = new Scene();
    await started(scene, [record()]);
    const other = scene.bank([], options);
    const run = () => expect.unreachable('it ran');
    expect(await rejection(scene.during(other.client.runOnce(parts, run)))).toMatchObject({
      name: 'ConfigurationError',
      option: 'account',
      outcome: 'not_sent',
      message: expect.stringContaining('cl_7f3a at https://bank.example'),
    });
    expect(other.transport.lines).toEqual([]);
  });

  it('nor settle what the other left in doubt', async () => {
    const scene = new Scene();
    await started(scene, [unheard]);
    const other = scene.bank([], { credentials });
    const error = await rejection(scene.during(script(other.client)));
    expect(error).toMatchObject({ name: 'InDoubtError', reason: 'foreign', outcome: 'not_sent' });
    expect(other.transport.lines).toEqual([]);
  });
});

describe('a label or environment that changed, for the same client id at the same service', () => {
  const changes = [
    ['label', { account: 'bank-2' }],
    ['environment', { environment: 'production' }],
  ] as const;
  const again = async (scene: Scene, options: (typeof changes)[number][1], steps: readonly Step[] = []) => {
    const { client, transport } = scene.bank(steps, options);
    const result: unknown = await scene.during(script(client, 4).catch((error: unknown) => error));
    return { result, lines: transport.lines };
  };

  it.each(changes)('(%s) returns what was done under the other, and sends nothing', async (_, options) => {
    const scene = new Scene();
    const { result } = await started(scene, [record()]);
    expect(await again(scene, options)).toEqual({ result, lines: [] });
  });

  it.each(changes)(
    '(%s) runs nothing while the other is in doubt, until that is settled',
    async (_, options) => {
      const scene = new Scene();
      await started(scene, [unheard]);
      const unresolved = [{ account: 'sandbox' }];
      expect(await again(scene, options)).toMatchObject({
        result: { name: 'InDoubtError', outcome: 'unknown', unresolved },
        lines: [],
      });
      const { client, transport } = scene.bank([replayed()], options);
      await scene.during(client.recover({ resend: true }));
      expect(await scene.during(script(client, 4))).toMatchObject(DONE);
      expect(transport.lines).toHaveLength(1);
    },
  );

  it.each(changes)('(%s) runs what had no effect under the other', async (_, options) => {
    const scene = new Scene();
    await started(scene, [moved]);
    expect(await again(scene, options, [record()])).toMatchObject({
      result: DONE,
      lines: [expect.anything()],
    });
  });

  it('is not noticed for another client id', async () => {
    const scene = new Scene();
    await started(scene, [record()]);
    const credentials = { clientId: 'cl_other', keyId: 'k', signingSecret: 'a-secret-of-the-other-bank' };
    const { client, transport } = scene.bank([record()], { account: 'bank-2', credentials });
    expect(await scene.during(script(client))).toMatchObject(DONE);
    expect(transport.lines).toHaveLength(1);
  });

  it('under a profile that can not be read repeats no command, though the service has forgotten its key', async () => {
    const scene = new Scene();
    await scene.during(decide(scene.bank([record()]).client, KEY));
    await scene.clock.advance(7_200_000);
    const { client, transport } = scene.bank([record()], { environment: 'production' });
    expect(await scene.during(decide(client, KEY))).toMatchObject(DONE);
    expect(await rejection(scene.during(decide(client, KEY, 4)))).toMatchObject({
      name: 'IdempotencyConflictError',
      differing: ['expected_version'],
    });
    expect(transport.lines).toEqual([]);
  });

  it.each([
    ['accepted', acceptance()],
    ['rejected', recordedRejection()],
  ])('answers for a bid that was %s under the other', async (status, step) => {
    const scene = new Scene();
    const bid = [{ lot: LOT, amount: '465000' }, { idempotencyKey: KEY }] as const;
    await scene.during(scene.dealer([step]).client.bids.place(...bid));
    const { client, transport } = scene.dealer([], { account: 'bank-2' });
    expect(await scene.during(client.bids.place(...bid))).toMatchObject({ status });
    expect(transport.lines).toEqual([]);
  });

  it.each(['sent', 'stuck'] as const)('keeps back a key that is %s under the other', async (state) => {
    const scene = new Scene();
    await scene.during(rejection(decide(scene.bank([unheard]).client, KEY)));
    if (state === 'stuck') {
      await scene.clock.advance(3_600_001);
      await scene.during(scene.bank([]).client.recover());
    }
    const { client, transport } = scene.bank([record()], { account: 'bank-2' });
    const error = await rejection(scene.during(decide(client, KEY)));
    expect(error).toMatchObject({
      name: 'InDoubtError',
      outcome: 'unknown',
      unresolved: [{ account: 'sandbox' }],
    });
    expect(transport.lines).toEqual([]);
  });
});

describe('a release that an earlier run authorised', () => {
  const release = ['release', 'sal_1'] as const;
  const body = {
    recipient: 'r',
    yard: 'y',
    expires_at: '2026-03-09T06:00:00Z',
    collection_date: '2026-03-05',
  };
  const authorize = (client: Bank) =>
    client.runOnce(release, (idempotencyKey) =>
      client.saleCases.authorizeRelease('sal_1', { ...body, expected_version: 3 }, { idempotencyKey }),
    );

  /** The release is authorised; then the same run, in another process. */
  async function again(steps: readonly Step[]) {
    const scene = new Scene();
    const first = scene.bank([record({ id: 'rel_1', state: 'valid' })]);
    await scene.during(authorize(first.client));
    const warned: string[] = [];
    const warn = (message: string) => warned.push(message);
    const logger = { error: warn, warn, info: () => undefined, debug: () => undefined };
    const { client, transport } = scene.bank(steps, { logger, logLevel: 'warn' });
    const result: unknown = await scene.during(authorize(client).catch((error: unknown) => error));
    return { result, warned, sent: transport.sent.map(({ method, path }) => `${method} ${path}`) };
  }

  it.each(['revoked', 'expired'])('and that is %s now is not returned as valid', async (state) => {
    const { result, sent } = await again([record({ id: 'rel_1', state })]);
    expect(result).toMatchObject({ name: 'NotSentError', reason: 'release_ended', outcome: 'not_sent' });
    expect(String(result)).toContain(`rel_1, which is ${state} now`);
    expect(sent).toEqual(['GET /api/v1/release-authorizations/rel_1']);
  });

  it.each(['valid', 'used', 'another'])('and that is %s now is returned from the record', async (state) => {
    const { result, sent } = await again([record({ id: 'rel_1', state })]);
    expect(result).toMatchObject({ id: 'rel_1', state: 'valid' });
    expect(sent).toHaveLength(1);
  });

  it('and that can not be read is returned from the record, with a warning', async () => {
    const { result, warned } = await again([refusal(403, 'SCOPE_DENIED')]);
    expect(result).toMatchObject({ id: 'rel_1', state: 'valid' });
    expect(warned).toEqual([expect.stringContaining('may be revoked')]);
  });
});
