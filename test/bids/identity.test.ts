import { describe, expect, it } from 'vitest';
import type { PartnerClientOptions } from '../../src/client/options.js';
import { memoryStore } from '../../src/store/memory.js';
import { acceptance, LOT, lookup, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { credentials, KEY, rejection } from '../support/clients.js';
import { ASKED, BID, KEYED, LOST, placedBefore, SENT } from '../support/placed-bids.js';
import type { Step } from '../support/scripted-transport.js';

/** Whose a recorded bid is: environment and account keep records apart, origin and client id are facts of a record. */

type Options = Partial<PartnerClientOptions<'direct_dealer'>>;

const strangers = { clientId: 'cl_other', keyId: 'key_9', signingSecret: 'a-secret-of-another-client' };
const moved = 'https://new.bank.example/api/v1';
const second = { lot: LOT, amount: '470000' };

describe('an open bid that was recorded under another origin or client id', () => {
  const rows: readonly (readonly [string, Options])[] = [
    ['origin', { baseUrl: moved }],
    ['prefix of the origin', { baseUrl: 'https://bank.example/v2/api/v1' }],
    ['client id', { credentials: strangers }],
  ];

  it.each(rows)('(%s) is an InDoubtError under its key, and is not sent', async (_, options) => {
    const { scene } = await placedBefore([LOST]);
    const { client, transport } = scene.dealer([acceptance()], options);
    expect(await rejection(scene.during(client.bids.place(BID, KEYED)))).toMatchObject({
      name: 'InDoubtError',
      reason: 'foreign',
      outcome: 'not_sent',
      idempotencyKey: KEY,
    });
    expect(transport.lines).toEqual([]);
  });

  it.each(rows)('(%s) blocks a new bid on its lot, so that no second one is accepted', async (_, options) => {
    const { scene } = await placedBefore([LOST]);
    const { client, transport } = scene.dealer([acceptance()], options);
    expect(await rejection(scene.during(client.bids.place(second)))).toMatchObject({
      name: 'InDoubtError',
      reason: 'foreign',
      unresolved: [{ idempotencyKey: KEY }],
    });
    expect(transport.lines).toEqual([]);
  });

  it.each(rows)('(%s) is listed, and neither recover nor reconcile asks for it', async (_, options) => {
    const { scene } = await placedBefore([LOST]);
    const { client, transport } = scene.dealer([], options);
    expect(await client.intents.list()).toMatchObject([
      { idempotencyKey: KEY, foreign: true, state: 'sent' },
    ]);
    for (const [outcome] of [
      await scene.during(client.recover()),
      [await scene.during(client.intents.reconcile(KEY))],
    ]) {
      expect(outcome).toMatchObject({ status: 'unknown', reason: 'foreign', idempotencyKey: KEY });
    }
    expect(transport.lines).toEqual([]);
  });

  it('is its own under formerOrigins', async () => {
    const { scene } = await placedBefore([LOST]);
    const options = { baseUrl: moved, formerOrigins: ['https://bank.example/api/v1'] };
    const { client, transport } = scene.dealer([lookup('accepted'), acceptance()], options);
    expect(await scene.during(client.bids.place(BID, KEYED))).toMatchObject({ status: 'accepted' });
    expect(transport.lines).toEqual([ASKED]);
    expect((await scene.during(client.bids.place(second))).status).toBe('accepted');
  });

  it('lets new bids through once it is abandoned', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client } = scene.dealer([acceptance()], { baseUrl: moved });
    await client.intents.abandon(KEY, 'the old address is gone');
    expect((await scene.during(client.bids.place(second))).status).toBe('accepted');
  });
});

describe('a settled bid that was recorded under another origin or client id', () => {
  it.each([
    ['accepted', acceptance()],
    ['refused', refusal(403, 'SCOPE_DENIED')],
  ])("(%s) is a ConfigurationError, never another bank's answer", async (_, step) => {
    const { scene } = await placedBefore([step]);
    for (const options of [{ baseUrl: moved }, { credentials: strangers }]) {
      const { client, transport } = scene.dealer([acceptance()], options);
      expect(await rejection(scene.during(client.bids.place(BID, KEYED)))).toMatchObject({
        name: 'ConfigurationError',
        option: 'account',
        outcome: 'not_sent',
      });
      expect(transport.lines).toEqual([]);
    }
  });

  it('is not in the way of a new bid on its lot', async () => {
    const { scene } = await placedBefore([acceptance()]);
    const { client } = scene.dealer([acceptance({ bid_id: 'b2', request_id: 'r2' })], { baseUrl: moved });
    expect((await scene.during(client.bids.place(second))).status).toBe('accepted');
  });
});

describe('the account label', () => {
  it('keeps two banks apart on one store: keys, bids, halt', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client } = scene.dealer([acceptance()], {
      account: 'bank-2',
      baseUrl: moved,
      credentials: strangers,
    });
    expect(await client.intents.list({ which: 'all' })).toEqual([]);
    expect(await scene.during(client.bids.place(BID, KEYED))).toMatchObject({ status: 'accepted' });
    expect((await scene.only('sandbox')).state).toBe('sent');
    expect((await scene.only('sandbox/bank-2')).state).toBe('accepted');
  });
});

describe('a rotated key', () => {
  const rotated = { ...credentials, keyId: 'key_2', signingSecret: 'another-secret-of-the-same-client' };

  it('signs the next attempt with the same bytes, and both keys are on record', async () => {
    const scene = new Scene();
    const given = [credentials, rotated];
    const { client, transport } = scene.dealer(
      [LOST, refusal(401, 'KEY_REVOKED'), acceptance({ replayed: true }, 200)],
      {
        credentials: () => given.shift() ?? rotated,
      },
    );
    expect(await scene.during(client.bids.place(BID, KEYED))).toMatchObject({
      status: 'accepted',
      attempts: 3,
    });
    expect(new Set(transport.bodies).size).toBe(1);
    const { content } = await scene.only();
    expect(content.log.flatMap((event) => (event.type === 'attempt' ? [event.keyId] : []))).toEqual([
      'key_19c2',
      'key_19c2',
      'key_2',
    ]);
  });

  it('is the same client in the next process', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client } = scene.dealer([lookup('accepted')], { credentials: rotated });
    expect((await scene.during(client.bids.place(BID, KEYED))).status).toBe('accepted');
  });
});

describe('credentials from a function', () => {
  it('that fails are a ConfigurationError, and nothing is recorded or sent', async () => {
    const scene = new Scene();
    const vault = () => Promise.reject(new Error('the vault is sealed'));
    const { client, transport } = scene.dealer([acceptance()], { credentials: vault });
    expect(await rejection(scene.during(client.bids.place(BID)))).toMatchObject({
      name: 'ConfigurationError',
      option: 'credentials',
      outcome: 'not_sent',
      cause: { message: 'the vault is sealed' },
    });
    expect([transport.lines, await scene.intents()]).toEqual([[], []]);
  });

  it('that hang leave the bid unsent at the deadline, and are asked for again by the next call', async () => {
    const scene = new Scene();
    let asked = 0;
    const { client } = scene.dealer([acceptance()], {
      credentials: () => {
        asked += 1;
        return asked === 1 ? new Promise(() => undefined) : credentials;
      },
    });
    const first = await scene.during(client.bids.place(BID, { deadline: 1_000 }));
    expect(first).toMatchObject({ status: 'not_sent', attempts: 0 });
    expect((await scene.during(client.bids.place(BID))).status).toBe('accepted');
  });
});

describe('the environment', () => {
  const options = (given: object): Options => given as Options;

  it.each([undefined, 'Sandbox', 'prod', '', 7])('%j is a ConfigurationError', (environment) => {
    expect(() => new Scene().dealer([], options({ environment }))).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', option: 'environment' }),
    );
  });

  it('keeps the records of the two apart', async () => {
    const { scene } = await placedBefore([LOST]);
    const { client } = scene.dealer([acceptance()], { environment: 'production' });
    expect((await scene.during(client.bids.place(BID, KEYED))).status).toBe('accepted');
    expect((await scene.only('production')).state).toBe('accepted');
  });
});

describe('production without a store', () => {
  it('refuses every bid before anything is recorded or sent', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()], {
      environment: 'production',
      store: undefined,
    });
    for (const call of [
      () => client.bids.place(BID),
      () => client.bids.submit(LOT, { amount: '1', dealer_id: 'D-204' }),
    ]) {
      expect(await rejection(scene.during<unknown>(call()))).toMatchObject({
        name: 'ConfigurationError',
        option: 'store',
        outcome: 'not_sent',
      });
    }
    expect(transport.lines).toEqual([]);
  });

  it('still reads', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([lookup('absent')], { environment: 'production', store: undefined });
    expect(await scene.during(client.bids.lookup(KEY))).toMatchObject({ state: 'absent' });
  });

  it('takes a memory store that is given, with a warning', async () => {
    const scene = new Scene();
    const warnings: string[] = [];
    const logger = {
      error: () => undefined,
      warn: (message: string) => void warnings.push(message),
      info: () => undefined,
      debug: () => undefined,
    };
    const steps: Step[] = [acceptance()];
    const production = { environment: 'production', store: memoryStore(), logger, logLevel: 'warn' } as const;
    const { client, transport } = scene.dealer(steps, production);
    expect((await scene.during(client.bids.place(BID))).status).toBe('accepted');
    expect(transport.lines).toEqual([SENT]);
    expect(warnings).toHaveLength(1);
  });

  it('a sandbox client without a store keeps its bids in memory', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([acceptance()], { store: undefined });
    await scene.during(client.bids.place(BID, KEYED));
    expect(await client.intents.get(KEY)).toMatchObject({ state: 'accepted' });
  });
});
