import { describe, expect, it } from 'vitest';
import type { PartnerClient } from '../../src/client/partner-client.js';
import { acceptance, LOT, lookup, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { credentials, KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

/** One intent belongs to one account: keys rotate under it, another client id is another account. */

const bid = { lot: LOT, amount: '465000', intentId: KEY };
const short = { maxAttempts: 1, deadline: 500 };
const unheard: Step = { fail: 'maybe' };
const rotated = { clientId: 'cl_7f3a', keyId: 'key_2', signingSecret: 'another-secret-of-the-same-client' };
const strangers = { clientId: 'cl_other', keyId: 'key_9', signingSecret: 'a-secret-of-another-client' };

describe('a key that rotates in the middle of an intent', () => {
  it('signs the next attempt, with the same bytes; both are on record', async () => {
    const scene = new Scene();
    const given = [credentials, rotated];
    const { client, transport } = scene.dealer(
      [unheard, refusal(401, 'KEY_REVOKED'), acceptance({ replayed: true }, 200)],
      {
        credentials: () => given.shift() ?? rotated,
      },
    );
    const outcome = await scene.during(client.bidding.place(bid));
    expect(outcome).toMatchObject({ status: 'accepted', attempts: 3, replayed: true });
    expect(new Set(transport.bodies).size).toBe(1);
    expect(transport.sent.map(({ headers }) => headers['X-Key-ID'])).toEqual([
      'key_19c2',
      'key_19c2',
      'key_2',
    ]);
    const { entries, intent } = await scene.journal.only();
    expect(entries.flatMap((entry) => (entry.type === 'attempt' ? [entry.keyId] : []))).toEqual([
      'key_19c2',
      'key_19c2',
      'key_2',
    ]);
    expect(intent.account.clientId).toBe('cl_7f3a');
  });

  it('is still the same account in the next process', async () => {
    const scene = new Scene();
    const one = scene.dealer([unheard]);
    await scene.during(one.client.bidding.place(bid, short));
    const two = scene.dealer([lookup('accepted')], { credentials: rotated });
    expect((await scene.during(two.client.bidding.place(bid))).status).toBe('accepted');
  });

  it('that is revoked and not replaced: refused, and it may be placed again', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([refusal(401, 'KEY_REVOKED')]);
    expect(await scene.during(client.bidding.place(bid))).toMatchObject({
      status: 'refused',
      codes: ['KEY_REVOKED'],
    });
  });
});

describe('a client id that has changed', () => {
  const reason =
    'This key belongs to an intent of client cl_7f3a in environment sandbox; under other credentials the service would take it for another one.';
  const quarantined = {
    status: 'unknown',
    call: 'bidding.place',
    lot: LOT,
    amount: '465000',
    idempotencyKey: KEY,
    codes: [],
    replayed: false,
    attempts: 0,
    quarantined: { reason },
    what: reason,
    nextStep: 'Settle it with a client that has its credentials, or give the new bid a key of its own.',
  };

  it.each([
    ['in doubt', unheard],
    ['accepted', acceptance()],
    ['refused', refusal(403, 'SCOPE_DENIED')],
  ])('quarantines the bid (%s): nothing is sent, nothing is asked, nothing is written', async (_, step) => {
    const scene = new Scene();
    const one = scene.dealer([step]);
    await scene.during(one.client.bidding.place(bid, short));
    const before = await scene.journal.all();
    const two = scene.dealer([], { credentials: strangers });
    expect(await scene.during(two.client.bidding.place(bid))).toEqual(quarantined);
    expect(await scene.during(two.client.bidding.reconcile(KEY))).toEqual(quarantined);
    expect(two.transport.sent).toEqual([]);
    expect(await scene.journal.all()).toEqual(before);
  });

  it('does so for another environment of the same client', async () => {
    const scene = new Scene();
    const one = scene.dealer([unheard]);
    await scene.during(one.client.bidding.place(bid, short));
    const two = scene.dealer([], { environment: 'production' });
    expect(await scene.during(two.client.bidding.place(bid))).toMatchObject({ quarantined: { reason } });
  });

  it('is no matter for another service', async () => {
    const scene = new Scene();
    const one = scene.dealer([unheard]);
    await scene.during(one.client.bidding.place(bid, short));
    const two = scene.dealer([acceptance()], {
      baseUrl: 'https://other-bank.example/api/v1',
      credentials: strangers,
    });
    expect((await scene.during(two.client.bidding.place(bid))).status).toBe('accepted');
    expect((await scene.journal.all()).map(({ state }) => state)).toEqual(['unknown', 'accepted']);
  });

  it('is refused in the middle of a call', async () => {
    const scene = new Scene();
    const given = [credentials, strangers];
    const { client, transport } = scene.dealer([refusal(401, 'KEY_REVOKED')], {
      credentials: () => given.shift() ?? strangers,
    });
    expect(await scene.during(client.bidding.place(bid))).toMatchObject({ status: 'refused' });
    expect(transport.sent).toHaveLength(1);
  });

  it('refuses a command under the key', async () => {
    const scene = new Scene();
    const acknowledgment = { status: 'read', external_reference: 'x' } as const;
    const one = scene.dealer([unheard]);
    await rejection(
      scene.during(
        one.client.notifications.acknowledge('n_1', acknowledgment, { idempotencyKey: KEY, maxAttempts: 1 }),
      ),
    );
    const two = scene.dealer([], { credentials: strangers });
    const error = await rejection(
      scene.during(two.client.notifications.acknowledge('n_1', acknowledgment, { idempotencyKey: KEY })),
    );
    expect(error).toMatchObject({
      name: 'InDoubtError',
      outcome: 'not_sent',
      idempotencyKey: KEY,
      operation: 'A75',
    });
    expect(String(error)).toContain(`${reason} Nothing was sent.`);
    expect(two.transport.sent).toEqual([]);
  });
});

describe('credentials from a function', () => {
  it('that fails: the caller is told, and nothing is sent or written', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()], {
      credentials: () => Promise.reject(new Error('the vault is sealed')),
    });
    const bad = { name: 'ConfigurationError', option: 'credentials', outcome: 'not_sent' };
    for (const call of [
      () => client.bidding.place(bid),
      () => client.bidding.place({ lot: LOT, amount: '1' }),
      () => client.bidding.reconcile(KEY),
      () => client.recover(),
      () => client.intents.list(),
      () => client.notifications.acknowledge('n_1', { status: 'read', external_reference: 'x' }),
    ]) {
      const error = await rejection(scene.during<unknown>(call()));
      expect(error).toMatchObject({ ...bad, cause: { message: 'the vault is sealed' } });
    }
    expect(transport.sent).toEqual([]);
    expect(await scene.journal.all()).toEqual([]);
  });

  it('that shows its secret in its error: it is withheld', async () => {
    const scene = new Scene();
    let asked = 0;
    const { client } = scene.dealer([refusal(403, 'x')], {
      credentials: () => {
        asked += 1;
        if (asked > 1) throw new Error(`no ${credentials.signingSecret}`);
        return credentials;
      },
    });
    await scene.during(client.bidding.place(bid));
    // Held from then on: what fails later is another client's.
    expect(asked).toBe(1);
    expect((await scene.during(client.bidding.reconcile(KEY))).status).toBe('refused');
  });

  it('that hangs: not sent by the deadline, and asked anew by the next call', async () => {
    const scene = new Scene();
    let asked = 0;
    const { client, transport } = scene.dealer([acceptance()], {
      credentials: () => {
        asked += 1;
        return asked === 1 ? new Promise(() => undefined) : credentials;
      },
    });
    const first = { lot: LOT, amount: '1' };
    expect(await scene.during(client.bidding.place(first, { deadline: 1_000 }))).toMatchObject({
      status: 'not_sent',
    });
    expect(transport.sent).toEqual([]);
    expect((await scene.during(client.bidding.place(first))).status).toBe('accepted');
    expect(asked).toBe(2);
  });

  it('that hangs, for a command: the error says what was waited for', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([], { credentials: () => new Promise(() => undefined) });
    const call = client.notifications.acknowledge(
      'n_1',
      { status: 'read', external_reference: 'x' },
      { deadline: 1_000 },
    );
    const error = await rejection(scene.during(call));
    expect(error).toMatchObject({ name: 'TimeoutError', outcome: 'not_sent' });
    expect(String(error)).toContain('while it waited for credentials');
  });

  it.each<[string, (client: PartnerClient<'direct_dealer'>) => Promise<unknown>]>([
    ['recover', (client) => client.recover()],
    ['intents.list', (client) => client.intents.list()],
    ['intents.explain', (client) => client.intents.explain(KEY)],
    ['intents.abandon', (client) => client.intents.abandon(KEY, 'It is not wanted.')],
    ['bidding.reconcile', (client) => client.bidding.reconcile(KEY)],
  ])('that hangs: %s gives up after half a minute, and the next call asks anew', async (_, use) => {
    const scene = new Scene();
    const acceptedBid = scene.dealer([{ fail: 'maybe' }]).client.bidding;
    await scene.during(
      acceptedBid.place({ lot: LOT, amount: '1', intentId: KEY }, { maxAttempts: 1, deadline: 500 }),
    );
    let asked = 0;
    const { client } = scene.dealer([], {
      credentials: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
    });
    const error = await rejection(scene.during(use(client)));
    expect(error).toMatchObject({ name: 'ConfigurationError', option: 'credentials' });
    expect(String(error)).toContain('has not answered for 30 s');
    await rejection(scene.during(use(client)));
    expect(asked).toBe(2);
  });
});
