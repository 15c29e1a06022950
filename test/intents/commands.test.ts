import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/response-info.js';
import { JournalError } from '../../src/errors/journal.js';
import { everyMethod, legalId, legalInput, type Method } from '../client/every-method.js';
import { acceptance, messageOnly, NOW, refusal } from '../support/bid-replies.js';
import { type Actor, Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

/** Commands are on record before they leave, without their resources knowing. */

const commands = everyMethod.filter(({ operation }) => operation.effect === 'command');
const reads = everyMethod.filter(({ operation }) => operation.effect === 'read');

const unheard: Step = { fail: 'maybe' };

function record(over: object = {}): Step {
  const data = {
    id: 'rec_1',
    kind: 'a_kind',
    state: 'a_state',
    resource_version: 2,
    data: { vehicle_id: 'v', inventory_version: 1, status: 'completed' },
    created_at: '2026-03-02T06:00:00+00:00',
    updated_at: '2026-03-02T06:00:00+00:00',
    ...over,
  };
  return { status: 200, json: { data, request_id: 'req_1', server_time: '2026-03-02T06:00:00+00:00' } };
}

function actorOf(scene: Scene, { party }: Method, steps: readonly Step[]): Actor<object> {
  return party === 'platform' ? scene.platform(steps) : scene.bank(steps);
}

/** Calls a method with everything legal. */
function call(client: object, wanted: Method, options: object = {}): Promise<unknown> {
  const [resource = '', method = ''] = wanted.name.split('.');
  const on: object = Reflect.get(client, resource);
  const take: (...args: unknown[]) => unknown = Reflect.get(on, method);
  const takesInput = wanted.operation.query !== undefined || wanted.operation.body !== undefined;
  const args = [...wanted.params.map(legalId), ...(takesInput ? [legalInput(wanted)] : []), options];
  const result = take.apply(on, args);
  const firstPage: unknown = Reflect.get(Object(result), 'firstPage');
  return Promise.resolve(typeof firstPage === 'function' ? firstPage.call(result) : result);
}

const named = (methods: readonly Method[]) =>
  methods.map((method) => [`${method.party} ${method.name}`, method] as const);

describe('every command', () => {
  it.each(named(commands))(
    '%s: is on record before it leaves, and so is what came of it',
    async (_, method) => {
      const scene = new Scene();
      const { client, transport } = actorOf(scene, method, [record()]);
      await scene.during(call(client, method));
      const [sent] = transport.sent;
      expect(scene.events).toEqual([
        'create unknown [attempt]',
        `send POST ${sent?.path.replace('/api/v1', '')}`,
        'append done [end]',
      ]);
      const { intent, entries, state } = await scene.journal.only();
      expect(state).toBe('done');
      expect(intent).toMatchObject({
        key: JSON.parse(sent?.body ?? '').idempotency_key,
        account: { origin: 'https://bank.example', environment: 'sandbox', clientId: 'cl_7f3a' },
        operation: method.operation.id,
        method: method.operation.method,
        path: sent?.path,
        query: '',
        body: { sha256: sent?.headers['X-Content-SHA256'], length: sent?.body?.length },
        createdAt: NOW,
      });
      expect(intent).not.toHaveProperty('bid');
      expect(intent.body).not.toHaveProperty('text');
      expect(entries).toMatchObject([
        { type: 'attempt', attempt: 1, nonce: sent?.headers['X-Nonce'], keyId: 'key_19c2' },
        { type: 'end', effect: 'done', status: 200, reason: 'HTTP 200' },
      ]);
    },
  );

  it.each(named(commands))(
    '%s: stays on record with its bytes where nothing was heard',
    async (_, method) => {
      const scene = new Scene();
      const { client, transport } = actorOf(scene, method, [unheard]);
      const error = await rejection(scene.during(call(client, method, { maxAttempts: 1 })));
      expect(error).toMatchObject({
        name: 'ConnectionError',
        outcome: 'unknown',
        operation: method.operation.id,
      });
      const { intent, state } = await scene.journal.only();
      expect([state, intent.body.text]).toEqual(['unknown', transport.sent[0]?.body]);
    },
  );
});

it.each(named(reads))('%s, a read, is not on record', async (_, method) => {
  const scene = new Scene();
  const { client } = actorOf(scene, method, [messageOnly(404)]);
  await rejection(scene.during(call(client, method)));
  expect(scene.events.filter((event) => !event.startsWith('send'))).toEqual([]);
  expect(await scene.journal.all()).toEqual([]);
});

it('the bare bids.submit is not on record', async () => {
  const scene = new Scene();
  const { client } = scene.dealer([acceptance()]);
  await scene.during(client.bids.submit('lot_1', { amount: '1' }));
  expect(await scene.journal.all()).toEqual([]);
});

const acknowledgment = { status: 'read', external_reference: 'x' } as const;

/** One call of A75 under the key, in a process of its own. */
async function acknowledged(scene: Scene, steps: readonly Step[], options: object = {}, over: object = {}) {
  const { client, transport } = scene.dealer(steps);
  const result = await scene.during(
    client.notifications
      .acknowledge('n_1', { ...acknowledgment, ...over }, { idempotencyKey: KEY, maxAttempts: 1, ...options })
      .catch((error: unknown) => error),
  );
  return { result, transport };
}

describe('a command', () => {
  it('keeps what the service returned', async () => {
    const scene = new Scene();
    await acknowledged(scene, [record({ note: ['kept'] })]);
    const { entries } = await scene.journal.only();
    expect(entries[1]).toEqual({
      type: 'end',
      attempt: 1,
      at: NOW,
      effect: 'done',
      reason: 'HTTP 200',
      status: 200,
      requestId: 'req_1',
      record: {
        id: 'rec_1',
        kind: 'a_kind',
        state: 'a_state',
        resource_version: 2,
        data: { vehicle_id: 'v', inventory_version: 1, status: 'completed' },
        created_at: '2026-03-02T06:00:00+00:00',
        updated_at: '2026-03-02T06:00:00+00:00',
        note: ['kept'],
      },
    });
  });

  it.each([
    ['refused', refusal(403, 'SCOPE_DENIED'), 'PermissionError', 'refused'],
    ['turned away as in conflict', refusal(409, 'VERSION_CONFLICT'), 'VersionConflictError', 'refused'],
    ['not sent', { fail: 'no' } as Step, 'ConnectionError', 'not_sent'],
    ['in doubt', unheard, 'ConnectionError', 'unknown'],
    ['failed', messageOnly(500), 'ServerError', 'unknown'],
    [
      'in conflict under its key',
      refusal(409, 'IDEMPOTENCY_CONFLICT'),
      'IdempotencyConflictError',
      'unknown',
    ],
  ])('%s: its caller has the same error as without a journal', async (_, step, name, outcome) => {
    const scene = new Scene();
    const { result } = await acknowledged(scene, [step]);
    expect(result).toMatchObject({
      name,
      outcome,
      operation: 'A75',
      call: 'notifications.acknowledge',
      attempts: 1,
      idempotencyKey: KEY,
    });
    const states = { refused: 'refused', not_sent: 'not_sent', unknown: 'unknown' } as const;
    const expected =
      name === 'IdempotencyConflictError' ? 'quarantined' : states[outcome as keyof typeof states];
    expect((await scene.journal.only()).state).toBe(expected);
  });

  it('is sent again within its call, each attempt on record before it leaves', async () => {
    const scene = new Scene();
    const { result, transport } = await acknowledged(scene, [unheard, messageOnly(503), record()], {
      maxAttempts: 3,
    });
    expect(result).toMatchObject({ id: 'rec_1' });
    expect(new Set(transport.bodies).size).toBe(1);
    const sent = 'send POST /notifications/n_1/acknowledgments';
    expect(scene.events).toEqual([
      'create unknown [attempt]',
      sent,
      'append unknown [end attempt]',
      sent,
      'append unknown [end attempt]',
      sent,
      'append done [end]',
    ]);
  });

  it('is not sent where the journal can not be written', async () => {
    const full = new JournalError({ fault: 'full', what: 'The disk is full.', nextStep: 'Make room.' });
    for (const method of ['create', 'find'] as const) {
      const scene = new Scene();
      scene.journal.trouble({ method, error: full });
      const { result, transport } = await acknowledged(scene, [record()]);
      expect(result).toMatchObject({
        name: 'JournalError',
        fault: 'full',
        outcome: 'not_sent',
        operation: 'A75',
        idempotencyKey: KEY,
      });
      expect(transport.sent).toEqual([]);
    }
  });

  it('whose first attempt is in doubt stays so where the second can not be written down', async () => {
    const scene = new Scene();
    scene.journal.trouble({ method: 'append' });
    const { result, transport } = await acknowledged(scene, [unheard, record()], { maxAttempts: 2 });
    expect(result).toMatchObject({ name: 'JournalError', outcome: 'unknown', attempts: 1 });
    expect(transport.sent).toHaveLength(1);
  });

  it('that was carried out is returned though that can not be written down', async () => {
    const scene = new Scene();
    scene.journal.trouble({ method: 'append' });
    const { result } = await acknowledged(scene, [record()]);
    expect(result).toMatchObject({ id: 'rec_1' });
  });

  it('sends and holds the very bytes of whatever text', async () => {
    const scene = new Scene();
    const text = 'ä₹🚗 \u0000 \u2028 "\\ ​';
    const { transport } = await acknowledged(scene, [unheard], {}, { external_reference: text });
    const { intent } = await scene.journal.only();
    expect(intent.body.text).toBe(transport.sent[0]?.body);
    const bytes = Buffer.from(intent.body.text ?? '', 'utf8');
    expect(intent.body).toMatchObject({
      sha256: createHash('sha256').update(bytes).digest('hex'),
      length: bytes.length,
    });
  });
});

describe('the same command again under its key', () => {
  it('in doubt: the same bytes are sent, and what was carried out is found', async () => {
    const scene = new Scene();
    const first = await acknowledged(scene, [unheard]);
    const replayed = { ...record(), headers: { 'idempotent-replayed': 'true' } };
    const again = await acknowledged(scene, [replayed]);
    expect(responseOf(again.result as object)).toMatchObject({
      replayed: true,
      attempts: 1,
      idempotencyKey: KEY,
    });
    expect(again.transport.bodies).toEqual(first.transport.bodies);
    const { state, entries } = await scene.journal.only();
    expect(state).toBe('done');
    expect(entries.map((entry) => ('attempt' in entry ? entry.attempt : undefined))).toEqual([1, 1, 2, 2]);
  });

  it('in doubt: a refusal of the second does not settle the first', async () => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const { result } = await acknowledged(scene, [refusal(403, 'SCOPE_DENIED')]);
    expect(result).toMatchObject({ name: 'PermissionError', outcome: 'unknown' });
    expect((await scene.journal.only()).state).toBe('unknown');
    const unsent = await acknowledged(scene, [{ fail: 'no' }]);
    expect(unsent.result).toMatchObject({ name: 'ConnectionError', outcome: 'unknown' });
  });

  it('carried out: sent again for its record; a refusal does not undo it', async () => {
    const scene = new Scene();
    await acknowledged(scene, [record()]);
    const again = await acknowledged(scene, [record({ resource_version: 3 })]);
    expect(again.result).toMatchObject({ resource_version: 3 });
    const refused = await acknowledged(scene, [refusal(403, 'SCOPE_DENIED')]);
    expect(refused.result).toMatchObject({ outcome: 'unknown' });
    expect((await scene.journal.only()).state).toBe('done');
  });

  it('refused: sent again', async () => {
    const scene = new Scene();
    await acknowledged(scene, [refusal(403, 'SCOPE_DENIED')]);
    expect((await acknowledged(scene, [record()])).result).toMatchObject({ id: 'rec_1' });
    expect((await scene.journal.only()).state).toBe('done');
  });

  it.each([
    ['in doubt', unheard],
    ['carried out', record()],
    ['refused', refusal(403, 'SCOPE_DENIED')],
  ])('%s: other bytes are refused here', async (_, step) => {
    const scene = new Scene();
    await acknowledged(scene, [step]);
    const before = await scene.journal.all();
    const { result, transport } = await acknowledged(scene, [record()], {}, { external_reference: 'y' });
    expect(result).toMatchObject({
      name: 'IdempotencyConflictError',
      outcome: 'not_sent',
      codes: ['IDEMPOTENCY_CONFLICT'],
      idempotencyKey: KEY,
      operation: 'A75',
    });
    expect(String(result)).toContain('The journal holds other content under this key. Nothing was sent.');
    expect(transport.sent).toEqual([]);
    expect(await scene.journal.all()).toEqual(before);
  });

  it('of another path, or with a query: refused here as well', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([unheard]);
    const options = { idempotencyKey: KEY, maxAttempts: 1 };
    await rejection(scene.during(client.notifications.acknowledge('n_1', acknowledgment, options)));
    for (const [id, more] of [
      ['n_2', {}],
      ['n_1', { extraQuery: { a: 1 } }],
    ] as const) {
      const error = await rejection(
        scene.during(client.notifications.acknowledge(id, acknowledgment, { ...options, ...more })),
      );
      expect(error).toMatchObject({ name: 'IdempotencyConflictError' });
    }
    expect(transport.sent).toHaveLength(1);
  });

  describe('when the service may have forgotten the key', () => {
    const HOUR = 3_600_000;

    async function hourLater(step: Step, ms = HOUR + 1) {
      const scene = new Scene();
      await acknowledged(scene, [step]);
      await scene.clock.advance(ms);
      const again = await acknowledged(scene, [record({ resource_version: 9 })]);
      return { ...again, scene };
    }

    it('at the end of the horizon it is still sent', async () => {
      const { result, transport } = await hourLater(unheard, HOUR);
      expect(result).toMatchObject({ resource_version: 9 });
      expect(transport.sent).toHaveLength(1);
    });

    it('in doubt: not sent, for it could be carried out twice', async () => {
      const { result, transport, scene } = await hourLater(unheard);
      expect(result).toMatchObject({
        name: 'InDoubtError',
        outcome: 'unknown',
        operation: 'A75',
        idempotencyKey: KEY,
        unresolved: [{ idempotencyKey: KEY, operation: 'A75' }],
      });
      expect(String(result)).toContain(
        'This command was sent more than 60 minutes ago and was left unknown, so its effect is not known. It was not sent again',
      );
      expect(transport.sent).toEqual([]);
      expect((await scene.journal.only()).state).toBe('unknown');
    });

    it('quarantined, and abandoned: not sent either', async () => {
      const quarantined = await hourLater(refusal(409, 'IDEMPOTENCY_CONFLICT'));
      expect(quarantined.result).toMatchObject({ name: 'InDoubtError', outcome: 'unknown' });
      expect(quarantined.transport.sent).toEqual([]);

      const scene = new Scene();
      await acknowledged(scene, [unheard]);
      await scene.during(scene.dealer().client.intents.abandon(KEY, 'seen'));
      await scene.clock.advance(HOUR + 1);
      const abandoned = await acknowledged(scene, [record()]);
      expect(abandoned.result).toMatchObject({ name: 'InDoubtError' });
      expect(abandoned.transport.sent).toEqual([]);
    });

    it('carried out: answered from the journal', async () => {
      const { result, transport } = await hourLater(record({ resource_version: 2 }));
      expect(result).toMatchObject({ id: 'rec_1', resource_version: 2 });
      expect(responseOf(result as object)).toMatchObject({
        status: 200,
        requestId: 'req_1',
        replayed: true,
        attempts: 1,
        idempotencyKey: KEY,
      });
      expect(transport.sent).toEqual([]);
    });

    it.each([
      ['refused', refusal(403, 'SCOPE_DENIED')],
      ['not sent', { fail: 'no' } as Step],
    ])('%s: sent, for nothing of it is on record there', async (_, step) => {
      const { result, transport } = await hourLater(step);
      expect(result).toMatchObject({ resource_version: 9 });
      expect(transport.sent).toHaveLength(1);
    });

    it('is counted from the first attempt, however late the last one was', async () => {
      const scene = new Scene();
      await acknowledged(scene, [unheard]);
      await scene.clock.advance(HOUR - 1_000);
      await acknowledged(scene, [unheard]);
      await scene.clock.advance(2_000);
      const { result, transport } = await acknowledged(scene, [record()]);
      expect(result).toMatchObject({ name: 'InDoubtError' });
      expect(transport.sent).toEqual([]);
    });

    it('has a length of its own', async () => {
      const scene = new Scene();
      const { client, transport } = scene.dealer([unheard, record()], { horizon: 5_000 });
      const options = { idempotencyKey: KEY, maxAttempts: 1 };
      await rejection(scene.during(client.notifications.acknowledge('n_1', acknowledgment, options)));
      await scene.clock.advance(5_001);
      const error = await rejection(
        scene.during(client.notifications.acknowledge('n_1', acknowledgment, options)),
      );
      expect(error).toMatchObject({ name: 'InDoubtError' });
      expect(transport.sent).toHaveLength(1);
    });

    it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '1h'])('%j is no such length', (horizon) => {
      expect(() => new Scene().dealer([], { horizon: horizon as number })).toThrowError(
        /horizon must be a positive/,
      );
    });
  });
});

describe('two calls of one command at once', () => {
  const options = { idempotencyKey: KEY, maxAttempts: 1 };

  it('in one client: one after the other', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }, record()]);
    const one = client.notifications
      .acknowledge('n_1', acknowledgment, { ...options, timeout: 3_000 })
      .catch((e: unknown) => e);
    const two = client.notifications.acknowledge('n_1', acknowledgment, options);
    await scene.clock.advance(1_000);
    expect(transport.sent).toHaveLength(1);
    expect(await scene.during(two)).toMatchObject({ id: 'rec_1' });
    expect(await one).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
    expect((await scene.journal.only()).state).toBe('done');
  });

  it('in one client: who waits can be aborted, and runs out of time; nothing of it is sent', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }]);
    const one = rejection(
      client.notifications.acknowledge('n_1', acknowledgment, { ...options, timeout: 30_000 }),
    );
    await scene.clock.advance(1);
    const abort = new AbortController();
    const aborted = rejection(
      client.notifications.acknowledge('n_1', acknowledgment, { ...options, signal: abort.signal }),
    );
    const late = rejection(
      client.notifications.acknowledge('n_1', acknowledgment, { ...options, deadline: 2_000 }),
    );
    abort.abort(new Error('enough'));
    const error = await aborted;
    expect(error).toMatchObject({
      name: 'AbortedError',
      outcome: 'unknown',
      operation: 'A75',
      idempotencyKey: KEY,
      cause: new Error('enough'),
    });
    expect(String(error)).toContain('while another call was at work under its key');
    const timeout = await scene.during(late);
    expect(timeout).toMatchObject({ name: 'TimeoutError', outcome: 'unknown' });
    expect(String(timeout)).toContain(
      'took longer than 2000 ms, and ended while another call was at work under its key',
    );
    expect(scene.clock.monotonic()).toBeLessThan(4_000);
    await scene.during(one);
    expect(transport.sent).toHaveLength(1);
  });

  it('in one client: the time that it waits counts', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ hang: true }, { hang: true }]);
    void rejection(client.notifications.acknowledge('n_1', acknowledgment, { ...options, timeout: 3_000 }));
    await scene.clock.advance(1);
    const two = rejection(
      client.notifications.acknowledge('n_1', acknowledgment, { ...options, deadline: 5_000 }),
    );
    await scene.during(two);
    expect(scene.clock.monotonic()).toBeLessThanOrEqual(6_000);
  });

  it('in two processes that race for the key: one sends, and the other is answered behind it', async () => {
    const scene = new Scene();
    const one = scene.dealer([record()]);
    const two = scene.dealer([record({ resource_version: 3 })]);
    const call_ = ({ client }: typeof one) =>
      client.notifications.acknowledge('n_1', acknowledgment, options);
    const results = await scene.during(Promise.all([call_(one), call_(two)]));
    expect(results.map(({ id }) => id)).toEqual(['rec_1', 'rec_1']);
    const { entries, state } = await scene.journal.only();
    expect(state).toBe('done');
    expect(entries.filter(({ type }) => type === 'attempt').length).toBe(2);
    expect(scene.events.filter((event) => event.startsWith('create'))).toEqual([
      'create unknown [attempt]',
      'create (exists) unknown [attempt]',
    ]);
  });
});

describe('a raw call', () => {
  it('is on record like any command, under its own name', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([unheard]);
    const request = {
      method: 'PUT',
      path: '/new-things/a%20b',
      query: { b: 2, a: 'x y' },
      body: { note: 'n' },
    } as const;
    const error = await rejection(
      scene.during(client.request({ ...request, path: '/new-things/a b' }, { maxAttempts: 1 })),
    );
    expect(error).toMatchObject({ outcome: 'unknown' });
    const { intent, state } = await scene.journal.only();
    expect(state).toBe('unknown');
    expect(intent).toMatchObject({
      operation: 'request',
      method: 'PUT',
      path: '/api/v1/new-things/a%20b',
      query: 'a=x%20y&b=2',
      body: { text: transport.sent[0]?.body },
    });
    expect(JSON.parse(intent.body.text ?? '')).toMatchObject({ note: 'n', _method: 'PUT' });
  });

  it('of a read is not on record', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ status: 200, json: { data: [] } }]);
    await scene.during(client.request({ method: 'GET', path: '/new-things' }));
    expect(await scene.journal.all()).toEqual([]);
  });

  it('is done without what it returned, for that may be a secret; so it is never answered from the journal', async () => {
    const scene = new Scene();
    const reply: Step = { status: 200, json: { data: { access_token: 'very-secret' } } };
    const { client, transport } = scene.dealer([reply, reply]);
    const request = { method: 'POST', path: '/oauth/token', body: {} } as const;
    expect(await scene.during(client.request(request, { idempotencyKey: KEY }))).toEqual({
      access_token: 'very-secret',
    });
    expect(JSON.stringify(await scene.journal.all())).not.toContain('very-secret');
    expect((await scene.journal.only()).state).toBe('done');
    await scene.clock.advance(3_600_001);
    const error = await rejection(scene.during(client.request(request, { idempotencyKey: KEY })));
    expect(error).toMatchObject({ name: 'InDoubtError', outcome: 'unknown', unresolved: [] });
    expect(String(error)).toContain(
      'was carried out; what it returned is not on record. It was not sent again',
    );
    expect(transport.sent).toHaveLength(1);
  });
});

it('a new webhook subscription: its secret is for the caller, not for the journal', async () => {
  const scene = new Scene();
  const { client } = scene.dealer([{ status: 201, json: { id: 'sub_1', secret: 'whsec_very-secret' } }]);
  const result = await scene.during(
    client.webhookSubscriptions.create({
      name: 'Wins',
      url: 'https://example.com/h',
      events: ['sale.approved'],
    }),
  );
  expect(result).toMatchObject({ secret: 'whsec_very-secret' });
  const stored = await scene.journal.only();
  expect(stored.state).toBe('done');
  expect(JSON.stringify(stored)).not.toContain('whsec_very-secret');
});
