import { describe, expect, it } from 'vitest';
import { acceptance, LOT, lookup, recordedRejection, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { rejection } from '../support/clients.js';
import { processes } from '../support/processes.js';
import type { Step } from '../support/scripted-transport.js';
import { Pause } from '../support/spy-store.js';
import { settle } from '../support/virtual-clock.js';
import { record, replayed, rows, unheard } from './desk.js';

/** A function that has its effect once, however often its script is started. */

const parts = ['approve', 'sal_1'] as const;

type Bank = ReturnType<Scene['bank']>['client'];

/** A script of a bank: acknowledges a sale at the version that it finds. */
function script(client: Bank, version = 3, options: object = {}) {
  const run = (idempotencyKey: string) => {
    const body = { decision: 'approved', reason: 'Agreed', expected_version: version } as const;
    return client.saleCancellations.decide('sca_1', body, { idempotencyKey, maxAttempts: 1, ...options });
  };
  return client.runOnce(parts, run);
}

/** The script once, in a process of its own. */
async function started(scene: Scene, steps: readonly Step[], version = 3, store = scene.store) {
  const { client, transport } = scene.bank(steps, { store });
  const result = await scene.during(script(client, version).catch((error: unknown) => error));
  return { result, transport };
}

const generations = async (scene: Scene) =>
  (await rows(scene.store)).map(({ state, content }) => [JSON.parse(content).once.generation, state]);

describe('a function that runs once', () => {
  it('makes its call under a key of its own, and its result is returned', async () => {
    const scene = new Scene();
    const { result, transport } = await started(scene, [record()]);
    expect(result).toMatchObject({ id: 'rec_1' });
    expect(transport.sent).toHaveLength(1);
    expect(await generations(scene)).toEqual([[1, 'done']]);
  });

  it('after it was done returns what is on record, though versions moved, and does not run', async () => {
    const scene = new Scene();
    const first = await started(scene, [record()]);
    const { client, transport } = scene.bank([]);
    let runs = 0;
    const again = client.runOnce(parts, async () => {
      runs += 1;
      return undefined;
    });
    expect(await scene.during(again)).toEqual(first.result);
    expect((await started(scene, [], 4)).result).toEqual(first.result);
    expect([runs, transport.sent.length]).toEqual([0, 0]);
  });

  it.each([
    ['refused', refusal(409, 'VERSION_CONFLICT')],
    ['not sent', { fail: 'no' } as Step],
  ])('after it was %s runs again under a key of its own', async (_, step) => {
    const scene = new Scene();
    const first = await started(scene, [step]);
    expect(first.result).toBeInstanceOf(Error);
    const second = await started(scene, [record()], 4);
    expect(second.result).toMatchObject({ id: 'rec_1' });
    expect(second.transport.bodies[0]).not.toBe(first.transport.bodies[0]);
    expect((await generations(scene)).map(([generation]) => generation)).toEqual([1, 2]);
  });

  it('in doubt is settled first, with the recorded bytes, and does not run', async () => {
    const scene = new Scene();
    const first = await started(scene, [unheard]);
    const { result, transport } = await started(scene, [replayed()], 4);
    expect(result).toMatchObject({ id: 'rec_1' });
    expect(transport.bodies).toEqual(first.transport.bodies);
    expect(await generations(scene)).toEqual([[1, 'done']]);
  });

  it('in doubt that can not be settled is an InDoubtError, and does not run', async () => {
    const scene = new Scene();
    await started(scene, [unheard]);
    const { result } = await started(scene, [unheard, unheard, unheard], 4);
    expect(result).toMatchObject({ name: 'InDoubtError', reason: 'in_doubt', outcome: 'unknown' });
    expect(await generations(scene)).toEqual([[1, 'sent']]);
  });

  it('in doubt for too long to be sent again is stuck, and does not run', async () => {
    const scene = new Scene();
    await started(scene, [unheard]);
    await scene.clock.advance(3_600_001);
    const { result, transport } = await started(scene, [record()], 4);
    expect(result).toMatchObject({ name: 'InDoubtError', reason: 'stuck' });
    expect(transport.sent).toEqual([]);
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
      const { client } = scene.bank([], { account });
      const run = async (key: string) => {
        keys.push(key);
        throw new Error('no call');
      };
      await rejection(scene.during(client.runOnce(name, run)));
    }
    expect(new Set(keys).size).toBe(4);
  });

  it.each([
    [[], 'parts'],
    [[''], 'parts'],
    ['approve', 'parts'],
  ])('refuses %j as its parts', async (given, path) => {
    const { client } = new Scene().bank();
    const run = client.runOnce(given as readonly string[], () => Promise.resolve());
    expect(await rejection(run)).toMatchObject({ name: 'InvalidRequestError', issues: [{ path }] });
  });
});

describe('a function of runOnce', () => {
  const body = { decision: 'approved', reason: 'Agreed', expected_version: 3 } as const;

  it('that makes no call is an error, and runs again next time', async () => {
    const scene = new Scene();
    const { client } = scene.bank();
    expect(await rejection(scene.during(client.runOnce(parts, async () => 5)))).toMatchObject({
      name: 'NotSentError',
      reason: 'no_call',
      outcome: 'not_sent',
    });
    expect((await started(scene, [record()])).result).toMatchObject({ id: 'rec_1' });
  });

  it('that fails before its call throws its own error, and runs again next time', async () => {
    const scene = new Scene();
    const { client } = scene.bank();
    const broken = new Error('a bug of the script');
    expect(await rejection(scene.during(client.runOnce(parts, () => Promise.reject(broken))))).toBe(broken);
    expect(await generations(scene)).toEqual([[1, 'not_sent']]);
    expect((await started(scene, [record()])).result).toMatchObject({ id: 'rec_1' });
  });

  it('that makes a second call under its key sends only the first', async () => {
    const scene = new Scene();
    const { client, transport } = scene.bank([record(), record()]);
    const run = async (idempotencyKey: string) => {
      await client.saleCancellations.decide('sca_1', body, { idempotencyKey });
      return client.saleCancellations.decide('sca_1', body, { idempotencyKey });
    };
    expect(await rejection(scene.during(client.runOnce(parts, run)))).toMatchObject({
      name: 'NotSentError',
      reason: 'no_call',
    });
    expect(transport.sent).toHaveLength(1);
    expect((await started(scene, [])).result).toMatchObject({ id: 'rec_1' });
  });

  it('that swallows the error of its call is not taken for a success', async () => {
    for (const [step, reason] of [
      [unheard, 'in_doubt'],
      [refusal(409, 'VERSION_CONFLICT'), 'in_doubt'],
    ] as const) {
      const scene = new Scene();
      const { client } = scene.bank([step]);
      const run = (idempotencyKey: string) =>
        client.saleCancellations
          .decide('sca_1', body, { idempotencyKey, maxAttempts: 1 })
          .then(() => 'done')
          .catch(() => 'swallowed');
      expect(await rejection(scene.during(client.runOnce(parts, run)))).toMatchObject({
        name: 'InDoubtError',
        reason,
        outcome: step === unheard ? 'unknown' : 'refused',
      });
    }
  });

  it('may read as much as it likes', async () => {
    const scene = new Scene();
    const sale = record({ kind: 'sale_case', resource_version: 3 });
    const { client, transport } = scene.bank([sale, record()]);
    const run = async (idempotencyKey: string) => {
      const { resource_version } = await client.saleCases.get('sal_1');
      const given = { ...body, expected_version: resource_version };
      return client.saleCancellations.decide('sca_1', given, { idempotencyKey });
    };
    expect(await scene.during(client.runOnce(parts, run))).toMatchObject({ id: 'rec_1' });
    expect(transport.lines).toEqual([
      'GET /sale-cases/sal_1',
      'POST /sale-cancellation-requests/sca_1/decisions',
    ]);
  });
});

describe('processes of one script', () => {
  it('that ended after it reserved its key is followed by one that runs under the next', async () => {
    const scene = new Scene();
    const world = processes(scene.store);
    const { client } = scene.bank([], { store: world.as('dead') });
    void client.runOnce(parts, () => new Promise(() => undefined)).catch(() => undefined);
    await settle();
    expect(await generations(scene)).toEqual([[1, 'ready']]);
    const waiting = scene.bank([], { store: world.as('next') });
    expect(await rejection(scene.during(script(waiting.client)))).toMatchObject({
      name: 'InDoubtError',
      reason: 'in_progress',
    });
    world.end('dead');
    const next = scene.bank([record()], { store: world.as('next') });
    expect(await scene.during(script(next.client))).toMatchObject({ id: 'rec_1' });
    expect(await generations(scene)).toEqual([
      [1, 'not_sent'],
      [2, 'done'],
    ]);
  });

  it('that ended after its bytes left is followed by one that sends the same bytes again', async () => {
    const scene = new Scene();
    const world = processes(scene.store);
    const dead = scene.bank([{ hang: true }], { store: world.as('dead') });
    void script(dead.client).catch(() => undefined);
    await settle();
    expect(dead.transport.sent).toHaveLength(1);
    world.end('dead');
    const next = scene.bank([replayed()], { store: world.as('next') });
    expect(await scene.during(script(next.client, 4))).toMatchObject({ id: 'rec_1' });
    expect(next.transport.bodies).toEqual(dead.transport.bodies);
  });

  it('two at once have one effect: the other is told that it is in progress', async () => {
    const scene = new Scene();
    const world = processes(scene.store);
    const [one, two] = ['one', 'two'].map((name) => scene.bank([record()], { store: world.as(name) }));
    if (one === undefined || two === undefined) throw new Error('Two processes');
    const results = await scene.during(
      Promise.all([one, two].map(({ client }) => script(client).catch((error: unknown) => error))),
    );
    expect(one.transport.sent.length + two.transport.sent.length).toBe(1);
    expect(results).toContainEqual(expect.objectContaining({ id: 'rec_1' }));
    expect(results).toContainEqual(expect.objectContaining({ name: 'InDoubtError', reason: 'in_progress' }));
  });

  it('two in one process follow each other, and the second has the result of the first', async () => {
    const scene = new Scene();
    const { client, transport } = scene.bank([record()]);
    const [one, two] = await scene.during(Promise.all([script(client), script(client, 4)]));
    expect(two).toEqual(one);
    expect(transport.sent).toHaveLength(1);
  });

  it('one that stalled sends nothing once another has taken its reservation for abandoned', async () => {
    const scene = new Scene();
    const world = processes(scene.store);
    const slow = scene.bank([record()], { store: world.as('slow') });
    let goOn: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const run = async (idempotencyKey: string) => {
      await held;
      const body = { decision: 'approved', reason: 'Agreed', expected_version: 3 } as const;
      return slow.client.saleCancellations.decide('sca_1', body, { idempotencyKey, maxAttempts: 1 });
    };
    const stalled = rejection(slow.client.runOnce(parts, run));
    await settle();
    world.end('slow');
    const next = scene.bank([record()], { store: world.as('next') });
    await scene.during(script(next.client));
    goOn();
    expect(await scene.during(stalled)).toMatchObject({ name: 'NotSentError', reason: 'superseded' });
    expect(slow.transport.sent).toEqual([]);
    expect(next.transport.sent).toHaveLength(1);
  });

  it('one that stalled right before its first byte sends nothing either', async () => {
    const scene = new Scene();
    const world = processes(scene.store);
    const slow = scene.bank([record()], { store: world.as('slow') });
    const pause = new Pause();
    // Looked up, reserved, the call recorded, and then its attempt.
    scene.store.troubles.push(undefined, undefined, undefined, pause);
    const stalled = rejection(script(slow.client));
    await pause.reached;
    world.end('slow');
    const next = scene.bank([record()], { store: world.as('next') });
    await scene.during(script(next.client));
    pause.goOn();
    expect(await scene.during(stalled)).toMatchObject({ name: 'NotSentError', reason: 'superseded' });
    expect([slow.transport.sent.length, next.transport.sent.length]).toEqual([0, 1]);
  });

  it.each([
    ['fails', 'StoreError'],
    ['lost', 'StoreError'],
  ] as const)(
    'a store that %s while a key is reserved keeps the function from running',
    async (trouble, name) => {
      const scene = new Scene();
      scene.store.troubles.push(undefined, trouble);
      const { result, transport } = await started(scene, [record()]);
      expect(result).toMatchObject({ name });
      expect(transport.sent).toEqual([]);
      expect(await rows(scene.store)).toEqual([]);
    },
  );

  it('a reservation whose commit was not heard of is found, and the function runs', async () => {
    const scene = new Scene();
    scene.store.troubles.push(undefined, 'commits unheard');
    expect((await started(scene, [record()])).result).toMatchObject({ id: 'rec_1' });
    expect(await generations(scene)).toEqual([[1, 'done']]);
  });
});

describe('what runOnce did', () => {
  it('under a reserved key may be called only by the function that reserved it', async () => {
    const scene = new Scene();
    const world = processes(scene.store);
    const dead = scene.bank([], { store: world.as('dead') });
    void dead.client.runOnce(parts, () => new Promise(() => undefined)).catch(() => undefined);
    await settle();
    world.end('dead');
    const [reserved] = await rows(scene.store);
    const { client, transport } = scene.bank([record()], { store: world.as('next') });
    const body = { decision: 'approved', reason: 'Agreed', expected_version: 3 } as const;
    const call = client.saleCancellations.decide('sca_1', body, { idempotencyKey: reserved?.key ?? '' });
    expect(await rejection(scene.during(call))).toMatchObject({ name: 'NotSentError', reason: 'superseded' });
    expect(transport.sent).toEqual([]);
  });

  it('is still known after retention has shrunk its row', async () => {
    const scene = new Scene();
    const first = await started(scene, [record()]);
    await scene.clock.advance(31 * 24 * 3_600_000);
    // Another write lets retention work.
    const { client } = scene.dealer([record(), record()]);
    const body = { status: 'read', external_reference: 'x' } as const;
    await scene.during(client.notifications.acknowledge('n_1', body));
    await scene.during(client.notifications.acknowledge('n_2', body));
    const [row] = await rows(scene.store);
    expect(row?.body).toBeUndefined();
    const { result, transport } = await started(scene, [], 4);
    expect(result).toEqual(first.result);
    expect(transport.sent).toEqual([]);
  });

  it('under an earlier key stays as it was where that is called without runOnce', async () => {
    const scene = new Scene();
    await started(scene, [refusal(409, 'VERSION_CONFLICT')]);
    await started(scene, [record()], 4);
    const [first] = await rows(scene.store);
    const { client, transport } = scene.bank([record()]);
    const body = { decision: 'approved', reason: 'Agreed', expected_version: 3 } as const;
    const call = client.saleCancellations.decide('sca_1', body, { idempotencyKey: first?.key ?? '' });
    expect(await rejection(scene.during(call))).toMatchObject({ name: 'NotSentError', reason: 'superseded' });
    expect(transport.sent).toEqual([]);
  });
});

describe('a bid that is placed once', () => {
  const bid = { lot: LOT, amount: '465000' };
  const place = (client: ReturnType<Scene['dealer']>['client'], options: object = {}) =>
    client.runOnce(['bid', LOT], (idempotencyKey) =>
      client.bids.place(bid, { idempotencyKey, maxAttempts: 1, deadline: 500, ...options }),
    );
  const submit = (client: ReturnType<Scene['dealer']>['client']) =>
    client.runOnce(['bid', LOT], (idempotencyKey) =>
      client.bids.submit(LOT, { amount: '465000' }, { idempotencyKey, maxAttempts: 1 }),
    );

  it('and accepted is returned, and nothing more is sent', async () => {
    const scene = new Scene();
    const first = scene.dealer([acceptance()]);
    expect(await scene.during(place(first.client))).toMatchObject({ status: 'accepted' });
    const { client, transport } = scene.dealer([]);
    expect(await scene.during(place(client))).toMatchObject({
      status: 'accepted',
      receipt: { bid_id: 'bid_77' },
    });
    expect(transport.sent).toEqual([]);
  });

  it('and rejected is returned as an outcome by place, and not placed again', async () => {
    const scene = new Scene();
    const first = scene.dealer([recordedRejection()]);
    expect(await scene.during(place(first.client))).toMatchObject({ status: 'rejected' });
    const { client, transport } = scene.dealer([acceptance()]);
    expect(await scene.during(place(client))).toMatchObject({ status: 'rejected' });
    expect(transport.sent).toEqual([]);
  });

  it('and submitted is returned as its receipt', async () => {
    const scene = new Scene();
    const first = scene.dealer([acceptance()]);
    const receipt = await scene.during(submit(first.client));
    const { client } = scene.dealer([]);
    expect(await scene.during(submit(client))).toEqual(receipt);
  });

  it('and rejected is thrown by submit, and not sent again', async () => {
    const scene = new Scene();
    const first = scene.dealer([recordedRejection()]);
    expect(await scene.during(rejection(submit(first.client)))).toMatchObject({ name: 'BidRejectedError' });
    const { client, transport } = scene.dealer([acceptance()]);
    expect(await scene.during(rejection(submit(client)))).toMatchObject({ name: 'BidRejectedError' });
    expect(transport.sent).toEqual([]);
  });

  it('and whose submit failed is not taken for a success where the function swallows that', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([unheard]);
    const run = (idempotencyKey: string) =>
      client.bids
        .submit(LOT, { amount: '465000' }, { idempotencyKey, maxAttempts: 1 })
        .catch(() => 'swallowed');
    const result = client.runOnce<unknown>(['bid', LOT], run);
    expect(await rejection(scene.during(result))).toMatchObject({ name: 'InDoubtError', outcome: 'unknown' });
  });

  it('and left in doubt is looked up first', async () => {
    const scene = new Scene();
    const first = scene.dealer([unheard]);
    await scene.during(place(first.client));
    const receipt = {
      request_id: 'req_1',
      bid_id: 'bid_77',
      status: 'accepted',
      lot_version: 4,
      replayed: false,
    };
    const { client, transport } = scene.dealer([
      lookup('accepted', { receipt, key: (await scene.only()).key }),
    ]);
    expect(await scene.during(place(client))).toMatchObject({ status: 'accepted' });
    expect(transport.lines).toEqual([`GET /bid-requests/${(await scene.only()).key}`]);
    expect((await scene.only()).state).toBe('accepted');
  });
});
