import { describe, expect, it } from 'vitest';
import { Scene } from '../support/bidders.js';
import { credentials, KEY } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';
import { acknowledged, record, rows, stored, unheard } from './desk.js';

/** For whom a command was recorded: environment and account label are part of its key, origin and client id are facts. */

type Options = NonNullable<Parameters<Scene['dealer']>[1]>;

const another = { credentials: { ...credentials, clientId: 'cl_other' } };
const elsewhere = { baseUrl: 'https://elsewhere.example/api/v1' };
const CONFIGURATION = { name: 'ConfigurationError', option: 'account', outcome: 'not_sent' };

/** The command, again under its key where it was called before, by another client on the same store. */
const again = (scene: Scene, client: Options, step: Step = record({ id: 'rec_2' })) =>
  acknowledged(scene, [step], {}, { client });

describe.each<[how: string, options: Options]>([
  ['at another origin', elsewhere],
  ['with another client id', another],
  ['with another client id, from a function', { credentials: async () => another.credentials }],
])('a command that was recorded %s', (_, options) => {
  it('and done, is never answered from the store', async () => {
    const scene = new Scene();
    await acknowledged(scene, [record()]);
    const { result, transport } = await again(scene, options);
    expect([result, transport.sent]).toMatchObject([CONFIGURATION, []]);
  });

  it('and in doubt, is listed and told of, and never sent again', async () => {
    const scene = new Scene();
    await acknowledged(scene, [unheard]);
    const { result, transport, client } = await again(scene, options);
    const unresolved = [{ idempotencyKey: KEY }];
    expect(result).toMatchObject({ name: 'InDoubtError', reason: 'foreign', unresolved });
    expect(await client.intents.list()).toMatchObject([
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

it('a command under a rotated key of the same client id counts as recorded here', async () => {
  const scene = new Scene();
  await acknowledged(scene, [record()]);
  const rotated = { ...credentials, keyId: 'key_new', signingSecret: 'sk_another_secret_of_some_length' };
  expect((await again(scene, { credentials: rotated })).result).toMatchObject({ id: 'rec_1' });
});

describe('two banks on one store', () => {
  it('with a label each have keys of their own, and never see each other', async () => {
    const scene = new Scene();
    const north = { account: 'north' };
    const one = await again(scene, north, record({ id: 'rec_north' }));
    const south = { account: 'south', ...elsewhere, ...another };
    const two = await again(scene, south, record({ id: 'rec_south' }));
    expect([one.result, two.result]).toMatchObject([{ id: 'rec_north' }, { id: 'rec_south' }]);
    expect((await again(scene, north)).result).toMatchObject({ id: 'rec_north' });
    expect(await two.client.intents.list({ which: 'all' })).toHaveLength(1);
    expect((await stored(scene.store, KEY, 'sandbox/south'))?.state).toBe('done');
    expect(await rows(scene.store)).toEqual([]);
  });

  it.each(['', 'a b', 'x'.repeat(61), 5])('refuse the label %j', (account) => {
    expect(() => new Scene().dealer([], { account: account as string })).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', option: 'account' }),
    );
  });
});

it('what the sandbox recorded means nothing in production', async () => {
  const scene = new Scene();
  await acknowledged(scene, [record()]);
  const { result, transport } = await again(scene, { environment: 'production' });
  expect([result, transport.sent.length]).toMatchObject([{ id: 'rec_2' }, 1]);
});

it('production refuses a command without a store', async () => {
  const options = { environment: 'production', store: undefined } as unknown as Options;
  const { result, transport } = await again(new Scene(), options);
  const error = { name: 'ConfigurationError', option: 'store', outcome: 'not_sent' };
  expect([result, transport.sent]).toMatchObject([error, []]);
});
