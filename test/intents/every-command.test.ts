import { expect, it } from 'vitest';
import { contentOf } from '../../src/intents/content.js';
import { everyMethod, legalId, legalInput, type Method } from '../client/every-method.js';
import { messageOnly, NOW } from '../support/bid-replies.js';
import { type Actor, Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';
import { record, rows, unheard } from './desk.js';

/** Every write is on record before it leaves, without its resource knowing. */

const named = (effect: string) =>
  everyMethod
    .filter(({ operation }) => operation.effect === effect)
    .map((method) => [`${method.party} ${method.name}`, method] as const);

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

it.each(named('command'))(
  '%s is on record before it leaves, and so is what came of it',
  async (_, method) => {
    const scene = new Scene();
    const { client, transport } = actorOf(scene, method, [record()]);
    await scene.during(call(client, method));
    const [sent] = transport.sent;
    expect(scene.events).toEqual([
      'commit placed',
      'commit attempt',
      `send POST ${sent?.path.replace('/api/v1', '')}`,
      'commit result',
    ]);
    const [row] = await rows(scene.store);
    if (row === undefined) throw new Error('No row');
    expect(row).toMatchObject({ state: 'done', key: JSON.parse(sent?.body ?? '').idempotency_key });
    expect(JSON.parse(row.body ?? '')).toEqual({ text: sent?.body });
    const { identity, target, log } = contentOf(row);
    expect(identity).toEqual({ origin: 'https://bank.example', clientId: 'cl_7f3a' });
    expect(target).toEqual({
      operation: method.operation.id,
      method: method.operation.method,
      path: sent?.path,
      query: '',
      sha256: sent?.headers['X-Content-SHA256'],
      length: Buffer.byteLength(sent?.body ?? ''),
      versioned: 'expected_version' in JSON.parse(sent?.body ?? ''),
    });
    expect(log).toMatchObject([
      { type: 'placed', at: NOW },
      { type: 'attempt', n: 1, nonce: sent?.headers['X-Nonce'], keyId: 'key_19c2' },
      { type: 'result', n: 1, effect: 'done', status: 200 },
    ]);
  },
);

it.each(named('read'))('%s, a read, is not on record', async (_, method) => {
  const scene = new Scene();
  const { client } = actorOf(scene, method, [messageOnly(404)]);
  await scene.during(call(client, method)).catch(() => undefined);
  expect(scene.events.filter((event) => !event.startsWith('send'))).toEqual([]);
});

it('a raw write is on record under the name request, with its query; a raw read is not', async () => {
  const scene = new Scene();
  const { client, transport } = scene.dealer([unheard, { status: 200, json: { data: [] } }]);
  const request = {
    method: 'PUT',
    path: '/new-things/a b',
    query: { b: 2, a: 'x y' },
    body: { note: 'n', expected_version: 1 },
  } as const;
  expect(await rejection(scene.during(client.request(request, { maxAttempts: 1 })))).toMatchObject({
    outcome: 'unknown',
  });
  await scene.during(client.request({ method: 'GET', path: '/new-things' }));
  const found = await rows(scene.store);
  expect(found.map((row) => contentOf(row).target)).toMatchObject([
    { method: 'PUT', path: '/api/v1/new-things/a%20b', query: 'a=x%20y&b=2', versioned: true },
  ]);
  expect(await client.intents.list().toArray()).toMatchObject([{ operation: 'request', call: 'request' }]);
  const body: { text: string } = JSON.parse(found[0]?.body ?? '');
  expect(body.text).toBe(transport.sent[0]?.body);
  expect(JSON.parse(body.text)).toMatchObject({ note: 'n', _method: 'PUT' });
});

it('the secret of a new webhook subscription is for its caller and not for the store', async () => {
  const scene = new Scene();
  const { client } = scene.dealer([{ status: 201, json: { id: 'sub_1', secret: 'whsec_very-secret' } }]);
  const subscription = { name: 'Wins', url: 'https://example.com/h', events: ['sale.approved'] };
  expect(await scene.during(client.webhookSubscriptions.create(subscription))).toMatchObject({
    secret: 'whsec_very-secret',
  });
  const found = await rows(scene.store);
  expect(found).toMatchObject([{ state: 'done' }]);
  expect(found[0]?.content).not.toContain('whsec_very-secret');
});

it('the result of a raw write may be a secret, so it is not kept', async () => {
  const scene = new Scene();
  const { client } = scene.dealer([{ status: 200, json: { data: { access_token: 'very-secret' } } }]);
  const request = { method: 'POST', path: '/oauth/token', body: {} } as const;
  expect(await scene.during(client.request(request))).toEqual({ access_token: 'very-secret' });
  const lost = scene.dealer([unheard]).client.request(request, { maxAttempts: 1 });
  await rejection(scene.during(lost));
  const { client: next } = scene.dealer([{ status: 200, json: { data: { access_token: 'very-secret' } } }]);
  await scene.during(next.recover({ resend: true }));
  const found = await rows(scene.store);
  expect(found).toMatchObject([{ state: 'done' }, { state: 'done' }]);
  expect(found.map(({ content }) => content).join()).not.toContain('very-secret');
});

it('a raw write that was done goes to the service again under its key, while that is safe', async () => {
  const scene = new Scene();
  const done: Step = { status: 200, json: { data: { id: 'x' } } };
  const { client, transport } = scene.dealer([done, done, done]);
  const request = { method: 'POST', path: '/new-things', body: {} } as const;
  const call = () => scene.during(client.request(request, { idempotencyKey: KEY }));
  for (const _ of [1, 2]) expect(await call()).toEqual({ id: 'x' });
  expect(await scene.only()).toMatchObject({ log: ['placed', 'attempt', 'done', 'attempt', 'done'] });
  await scene.clock.advance(601_000);
  expect(await rejection(call())).toMatchObject({
    name: 'InDoubtError',
    reason: 'in_doubt',
    outcome: 'done',
  });
  expect(transport.sent).toHaveLength(2);
});
