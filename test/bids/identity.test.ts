import { describe, expect, it } from 'vitest';
import type { PartnerClientOptions } from '../../src/client/options.js';
import { memoryStore } from '../../src/store/memory.js';
import { acceptance, LOT, lookup, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import { BID, KEYED, LOST, placed, SENT, sceneAfter } from '../support/placed-bids.js';

/** Whose a recorded bid is: environment and account keep records apart, origin and client id are facts of a record. */

type Options = Partial<PartnerClientOptions<'direct_dealer'>>;

const strangers = { clientId: 'cl_other', keyId: 'key_9', signingSecret: 'a-secret-of-another-client' };
const moved = { baseUrl: 'https://new.bank.example/api/v1' };
const second = { bid: { amount: '470000' }, options: {} };
const FOREIGN = { name: 'InDoubtError', reason: 'foreign', outcome: 'not_sent' };

describe('an open bid that was recorded under another origin or client id', () => {
  const rows: readonly (readonly [string, Options])[] = [
    ['origin', moved],
    ['prefix of the origin', { baseUrl: 'https://bank.example/v2/api/v1' }],
    ['client id', { credentials: strangers }],
  ];

  it.each(rows)(
    '(%s) must not vanish: it is not sent, and a second bid is not accepted beside it',
    async (_, client) => {
      const scene = await sceneAfter(LOST);
      const again = await placed([acceptance()], { scene, client });
      expect(again).toMatchObject({ outcome: { ...FOREIGN, idempotencyKey: KEY }, lines: [] });
      const other = await placed([acceptance()], { scene, client, ...second });
      const unresolved = [{ idempotencyKey: KEY }];
      expect(other).toMatchObject({ outcome: { ...FOREIGN, unresolved }, lines: [] });
    },
  );

  it.each(rows)('(%s) is listed, and neither recover nor reconcile asks for it', async (_, options) => {
    const scene = await sceneAfter(LOST);
    const { client, transport } = scene.dealer([], options);
    expect(await client.intents.list().toArray()).toMatchObject([
      { idempotencyKey: KEY, foreign: true, state: 'sent' },
    ]);
    const outcomes = [
      ...(await scene.during(client.recover())),
      await scene.during(client.intents.reconcile(KEY)),
    ];
    const foreign = { status: 'unknown', reason: 'foreign', idempotencyKey: KEY };
    expect(outcomes).toMatchObject([foreign, foreign]);
    expect(transport.lines).toEqual([]);
  });
});

describe('a settled bid that was recorded under another origin or client id', () => {
  it.each([
    ['accepted', acceptance()],
    ['refused', refusal(403, 'SCOPE_DENIED')],
  ])("(%s) is a ConfigurationError, never another bank's answer", async (_, step) => {
    const scene = await sceneAfter(step);
    for (const client of [moved, { credentials: strangers }]) {
      const error = { name: 'ConfigurationError', option: 'account', outcome: 'not_sent' };
      expect(await placed([acceptance()], { scene, client })).toMatchObject({ outcome: error, lines: [] });
    }
    const own = acceptance({ bid_id: 'b2', request_id: 'r2' });
    expect((await placed([own], { scene, client: moved, ...second })).status).toBe('accepted');
  });
});

describe('A key in upper case', () => {
  const UPPER = KEY.toUpperCase();

  it('is the bid that was placed in lower case, and the other way round', async () => {
    const scene = await sceneAfter(acceptance());
    const again = await placed([], { scene, options: { idempotencyKey: UPPER } });
    expect(again).toMatchObject({ status: 'accepted', lines: [], intents: [{ key: KEY }] });
    const upper = await placed([acceptance()], { options: { idempotencyKey: UPPER } });
    expect(upper.outcome).toMatchObject({ status: 'accepted', idempotencyKey: KEY });
    expect(await placed([], { scene: upper.scene })).toMatchObject({ status: 'accepted', lines: [] });
  });

  it('is sent in lower case: in bodies, headers and paths', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance(), lookup('accepted')]);
    const body = { amount: '465000', idempotency_key: UPPER };
    await scene.during(client.bids.submit(LOT, body, { idempotencyKey: KEY }));
    await scene.during(client.bids.lookup(UPPER));
    const [bid, asked] = transport.sent;
    expect(bid?.headers).toMatchObject({ 'idempotency-key': KEY });
    expect(JSON.parse(bid?.body ?? '')).toMatchObject({ idempotency_key: KEY });
    expect(asked?.path).toContain(KEY);
  });

  it('names its intent in every method of intents', async () => {
    const scene = await sceneAfter(LOST);
    const { client } = scene.dealer([lookup('accepted')]);
    expect(await client.intents.get(UPPER)).toMatchObject({ idempotencyKey: KEY, state: 'sent' });
    expect(await client.intents.explain(UPPER)).toMatchObject({ idempotencyKey: KEY });
    expect(await scene.during(client.intents.reconcile(UPPER))).toMatchObject({ status: 'accepted' });
    const lost = await sceneAfter(LOST);
    const abandoned = await lost.dealer([]).client.intents.abandon(UPPER, 'the bank has no such bid');
    expect(abandoned).toMatchObject({ status: 'unknown', reason: 'abandoned', idempotencyKey: KEY });
  });

  it('given by runOnce is used by a call that writes it in upper case', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()]);
    const bid = (key: string) =>
      client.bids.submit(LOT, { amount: '465000' }, { idempotencyKey: key.toUpperCase() });
    expect(await scene.during(client.runOnce(['bid', 'x'], bid))).toMatchObject({ status: 'accepted' });
    expect(transport.lines).toEqual([SENT]);
  });

  it('of injected randomness is one key, too', async () => {
    const { outcome } = await placed([acceptance()], {
      ...{ options: {}, client: { randomness: { uuid: () => UPPER } } },
    });
    expect(outcome).toMatchObject({ status: 'accepted', idempotencyKey: KEY });
  });
});

describe('the account label and the environment', () => {
  it.each<[what: string, client: Options, account: string]>([
    ['two banks', { account: 'bank-2', ...moved, credentials: strangers }, 'sandbox/bank-2'],
    ['sandbox and production', { environment: 'production', ...moved, credentials: strangers }, 'production'],
  ])('keep %s apart on one store', async (_, options, account) => {
    const scene = await sceneAfter(LOST);
    const { client } = scene.dealer([acceptance()], options);
    expect(await client.intents.list({ which: 'all' }).toArray()).toEqual([]);
    expect((await scene.during(client.bids.place(BID, KEYED))).status).toBe('accepted');
    expect([(await scene.only()).state, (await scene.only(account)).state]).toEqual(['sent', 'accepted']);
  });
});

describe('a label or environment that changed, for the same client id at the same service', () => {
  const labelled = { account: 'bank-2' };
  const rows: readonly (readonly [string, Options])[] = [
    ['label', labelled],
    ['environment', { environment: 'production' }],
  ];

  it.each(rows)(
    '(%s) blocks a second bid while one is in doubt, and says where it is recorded',
    async (_, client) => {
      const scene = await sceneAfter(LOST);
      const second = await placed([acceptance()], { scene, client, options: {} });
      const unresolved = [{ idempotencyKey: KEY, account: 'sandbox' }];
      expect(second).toMatchObject({ outcome: { reason: 'unresolved_bid', unresolved }, lines: [] });
      expect(String(second.outcome)).toContain('recorded under "sandbox"');
    },
  );

  it.each(rows)('(%s) hides nothing from list, explain, reconcile and recover', async (_, options) => {
    const scene = await sceneAfter(LOST);
    const { client } = scene.dealer([lookup('processing'), lookup('accepted')], options);
    const here = { idempotencyKey: KEY, account: 'sandbox' };
    expect(await client.intents.list().toArray()).toMatchObject([{ ...here, state: 'sent', foreign: false }]);
    expect(await client.intents.get(KEY)).toMatchObject(here);
    const explained = await client.intents.explain(KEY);
    expect(explained).toMatchObject({ ...here, what: expect.stringContaining('recorded under "sandbox"') });
    const looked = await scene.during(client.intents.reconcile(KEY, { deadline: 500 }));
    expect(looked).toMatchObject({ ...here, status: 'unknown' });
    const recovered = await scene.during(client.recover());
    expect(recovered).toMatchObject([{ ...here, status: 'accepted' }]);
    expect((await scene.only()).state).toBe('accepted');
    expect(
      (await placed([acceptance({ bid_id: 'b2', request_id: 'r2' })], { scene, client: options, ...second }))
        .status,
    ).toBe('accepted');
  });

  it('lets a person abandon what another label recorded', async () => {
    const scene = await sceneAfter(LOST);
    const { client } = scene.dealer([acceptance()], labelled);
    expect(await client.intents.abandon(KEY, 'the bank has no such bid')).toMatchObject({
      reason: 'abandoned',
    });
    expect((await scene.during(client.bids.place(BID))).status).toBe('accepted');
  });

  it('is not noticed for another client id: its rows are its own', async () => {
    const scene = await sceneAfter(LOST);
    const options = { ...labelled, credentials: async () => strangers };
    const { client, transport } = scene.dealer([acceptance()], options);
    expect(await scene.during(client.recover())).toEqual([]);
    expect(await client.intents.list().toArray()).toEqual([]);
    expect((await scene.during(client.bids.place(BID))).status).toBe('accepted');
    expect(transport.lines).toEqual([SENT]);
  });

  it('sends at most one of two bids that are placed at once under two labels', async () => {
    const scene = new Scene();
    const one = scene.dealer([acceptance()]);
    const two = scene.dealer([acceptance({ bid_id: 'b2', request_id: 'r2' })], labelled);
    await scene.during(
      Promise.allSettled([one.client.bids.place(BID), two.client.bids.place({ ...BID, amount: '470000' })]),
    );
    expect(
      [...one.transport.lines, ...two.transport.lines].filter((line) => line === SENT).length,
    ).toBeLessThan(2);
  });

  it.each(['first', 'second'])(
    'is asked for again after the insert, when the %s of two was slow',
    async (slow) => {
      const scene = new Scene();
      const options = { first: {}, second: labelled };
      // The insert is committed; the transaction before the first byte waits.
      const pause = scene.store.pauseAt(2);
      const held = scene.dealer([acceptance()], slow === 'first' ? options.first : options.second);
      const holding = held.client.bids.place(BID);
      await pause.reached;
      const quick = scene.dealer([acceptance()], slow === 'first' ? options.second : options.first);
      const blocked = await rejection(scene.during(quick.client.bids.place({ ...BID, amount: '470000' })));
      expect(blocked).toMatchObject({ reason: 'unresolved_bid' });
      pause.goOn();
      expect(await scene.during(holding)).toMatchObject({ status: 'accepted' });
      expect(quick.transport.lines).toEqual([]);
    },
  );
});

describe('without a store', () => {
  it('production refuses every bid before anything is recorded or sent, and still reads', async () => {
    const scene = new Scene();
    const options = { environment: 'production', store: undefined } as const;
    const { client, transport } = scene.dealer([lookup('absent')], options);
    const error = { name: 'ConfigurationError', option: 'store', outcome: 'not_sent' };
    for (const call of [
      () => client.bids.place(BID),
      () => client.bids.submit(LOT, { amount: '1', dealer_id: 'D-204' }),
    ]) {
      expect(await rejection(scene.during<unknown>(call()))).toMatchObject(error);
    }
    expect(transport.lines).toEqual([]);
    expect(await scene.during(client.bids.lookup(KEY))).toMatchObject({ state: 'absent' });
  });

  it('production takes a memory store that is given, with a warning', async () => {
    const warnings: string[] = [];
    const none = () => undefined;
    const warn = (message: string) => void warnings.push(message);
    const logger = { error: none, warn, info: none, debug: none };
    const client = { environment: 'production', store: memoryStore(), logger, logLevel: 'warn' } as const;
    const { status, lines } = await placed([acceptance()], { client });
    expect([status, lines, warnings.length]).toEqual(['accepted', [SENT], 1]);
  });

  it('a sandbox client keeps its bids in memory', async () => {
    const { client } = await placed([acceptance()], { client: { store: undefined } });
    expect(await client.intents.get(KEY)).toMatchObject({ state: 'accepted' });
  });
});
