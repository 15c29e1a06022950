import { describe, expect, it } from 'vitest';
import { Scene } from '../support/bidders.js';
import { credentials, KEY, rejection } from '../support/clients.js';
import { accepted, acknowledged, record, rows, stored, unheard } from './desk.js';

/** For whom a command was recorded: environment and account label are part of its key, origin and client id are facts. */

const body = { status: 'read', external_reference: 'x' } as const;
const another = { ...credentials, clientId: 'cl_other' };
const elsewhere = 'https://elsewhere.example/api/v1';

type Options = NonNullable<Parameters<Scene['dealer']>[1]>;

/** The command again under its key, by another client on the same store. */
async function again(scene: Scene, options: Options, step = record({ id: 'rec_2' })) {
  const { client, transport } = scene.dealer([step], options);
  const call = client.notifications.acknowledge('n_1', body, { idempotencyKey: KEY, maxAttempts: 1 });
  const result = await scene.during(call.catch((error: unknown) => error));
  return { result, transport, client };
}

describe('a command that another client recorded', () => {
  it.each([
    ['at another origin', { baseUrl: elsewhere }],
    ['with another client id', { credentials: another }],
  ] as const)('%s, and done, is never answered from the store', async (_, options) => {
    const scene = new Scene();
    await acknowledged(scene, [record()]);
    const { result, transport } = await again(scene, options);
    expect(result).toMatchObject({ name: 'ConfigurationError', option: 'account', outcome: 'not_sent' });
    expect(transport.sent).toEqual([]);
  });

  it.each([
    ['at another origin', { baseUrl: elsewhere }],
    ['with another client id', { credentials: another }],
  ] as const)('%s, and in doubt, is listed and told of, and never sent again', async (_, options) => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const { result, transport, client } = await again(scene, options);
    expect(result).toMatchObject({
      name: 'InDoubtError',
      reason: 'foreign',
      unresolved: [{ idempotencyKey: KEY }],
    });
    expect(await client.intents.list()).toMatchObject([
      { idempotencyKey: KEY, foreign: true, state: 'sent' },
    ]);
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([
      { status: 'unknown', reason: 'foreign' },
    ]);
    expect(transport.sent).toEqual([]);
    expect(await client.intents.abandon(KEY, 'checked at the other bank')).toMatchObject({
      reason: 'abandoned',
    });
  });

  it('at an origin that is listed as a former one counts as recorded here', async () => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const moved = { baseUrl: elsewhere, formerOrigins: ['https://bank.example/api/v1'] };
    const { client, transport } = scene.dealer([record()], moved);
    expect(await scene.during(client.recover({ resend: true }))).toMatchObject([{ status: 'done' }]);
    expect(transport.sent[0]?.origin).toBe('https://elsewhere.example');
    expect((await again(scene, moved)).result).toMatchObject({ id: 'rec_1' });
  });

  it('with a rotated key of the same client id counts as recorded here', async () => {
    const scene = new Scene();
    await acknowledged(scene, [record()]);
    const rotated = { ...credentials, keyId: 'key_new', signingSecret: 'sk_another_secret_of_some_length' };
    expect((await again(scene, { credentials: rotated })).result).toMatchObject({ id: 'rec_1' });
  });
});

describe('two banks on one store', () => {
  it('with a label each have keys of their own, and never see each other', async () => {
    const scene = new Scene();
    const north = { account: 'north', credentials };
    const south = { account: 'south', baseUrl: elsewhere, credentials: another };
    const one = await again(scene, north, record({ id: 'rec_north' }));
    const two = await again(scene, south, record({ id: 'rec_south' }));
    expect([one.result, two.result]).toMatchObject([{ id: 'rec_north' }, { id: 'rec_south' }]);
    expect((await again(scene, north)).result).toMatchObject({ id: 'rec_north' });
    expect(await two.client.intents.list({ which: 'all' })).toHaveLength(1);
    expect((await stored(scene.store, KEY, 'sandbox/south'))?.state).toBe('done');
    expect(await rows(scene.store)).toEqual([]);
  });

  it('without labels share their keys, so that a second bank is told to use one', async () => {
    const scene = new Scene();
    await again(scene, {});
    const { result } = await again(scene, { baseUrl: elsewhere, credentials: another });
    expect(result).toMatchObject({ name: 'ConfigurationError', option: 'account' });
  });

  it.each(['', 'a b', 'x'.repeat(61), 5])('refuse the label %j', (account) => {
    expect(() => new Scene().dealer([], { account: account as string })).toThrowError(/account/);
  });
});

describe('the environment', () => {
  it('is part of the key: what the sandbox recorded means nothing in production', async () => {
    const scene = new Scene();
    await acknowledged(scene, [record()]);
    const { result, transport } = await again(scene, { environment: 'production' });
    expect(result).toMatchObject({ id: 'rec_2' });
    expect(transport.sent).toHaveLength(1);
  });

  it.each([undefined, 'Sandbox', 'test'])('is required, and %j is none', (environment) => {
    const options = { environment } as unknown as Options;
    expect(() => new Scene().dealer([], options)).toThrowError(/environment/);
  });

  it('production refuses to write without a store, and reads all the same', async () => {
    const scene = new Scene();
    const options = { environment: 'production', store: undefined } as unknown as Options;
    const { client, transport } = scene.dealer([record()], options);
    const error = await rejection(scene.during(client.notifications.acknowledge('n_1', body)));
    expect(error).toMatchObject({ name: 'ConfigurationError', option: 'store', outcome: 'not_sent' });
    expect(await scene.during(client.saleCases.get('sal_1'))).toMatchObject({ id: 'rec_1' });
    expect(transport.lines).toEqual(['GET /sale-cases/sal_1']);
  });

  it('sandbox writes without a store, into memory', async () => {
    const scene = new Scene();
    const options = { store: undefined } as unknown as Options;
    const { client } = scene.dealer([record()], options);
    const call = () => client.notifications.acknowledge('n_1', body, { idempotencyKey: KEY });
    await scene.during(call());
    expect(await scene.during(call())).toMatchObject({ id: 'rec_1' });
  });
});

it('credentials that come from a function are known before a command is recorded', async () => {
  const scene = new Scene();
  await accepted(scene, [record()]);
  const { client } = scene.dealer([record()], { credentials: async () => another });
  const given = { terms_version: 't1', expected_version: 3 };
  const call = client.saleCases.acknowledge('sal_1', given, { idempotencyKey: KEY });
  expect(await rejection(scene.during(call))).toMatchObject({
    name: 'ConfigurationError',
    option: 'account',
  });
});
