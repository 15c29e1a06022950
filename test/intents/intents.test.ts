import { describe, expect, it } from 'vitest';
import {
  acceptance,
  html,
  LOT,
  lookup,
  lotStatus,
  NOW,
  recordedRejection,
  refusal,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

/** What is on record, for people: lists, timelines, and the word that ends an intent. */

const unheard: Step = { fail: 'maybe' };
const once = { maxAttempts: 1 };
const OTHER = '11111111-1111-4111-8111-111111111111';
const bid = { lot: LOT, amount: '465000', intentId: KEY };
const acknowledgment = { status: 'read', external_reference: 'x' } as const;

describe('intents.list', () => {
  /** An accepted bid, a bid in doubt, and a command in doubt. */
  async function three() {
    const scene = new Scene();
    const { client } = scene.platform([acceptance(), unheard]);
    await scene.during(client.bidding.place({ ...bid, bidderReference: 'a' }));
    const second = {
      lot: 'lot_2',
      amount: '1.50',
      bidderReference: 'b',
      intentId: OTHER,
      placeBy: NOW + 9_000,
    };
    await scene.during(client.bidding.place(second, { ...once, deadline: 500 }));
    await rejection(scene.during(client.notifications.acknowledge('n_1', acknowledgment, once)));
    return { scene, client };
  }

  const accepted = {
    idempotencyKey: KEY,
    operation: 'bids.submit',
    call: 'bidding.place',
    path: `/api/v1/lots/${LOT}/bids`,
    state: 'accepted',
    createdAt: NOW,
    attempts: 1,
    lot: LOT,
    amount: '465000',
    placeBy: NOW + 120_000,
    bidderReference: 'a',
  };
  const doubted = {
    idempotencyKey: OTHER,
    operation: 'bids.submit',
    call: 'bidding.place',
    path: '/api/v1/lots/lot_2/bids',
    state: 'unknown',
    createdAt: NOW,
    attempts: 1,
    lot: 'lot_2',
    amount: '1.50',
    placeBy: NOW + 9_000,
    bidderReference: 'b',
  };
  const command = {
    idempotencyKey: '00000000-0000-4000-8000-000000000001',
    operation: 'A75',
    call: 'notifications.acknowledge',
    path: '/api/v1/notifications/n_1/acknowledgments',
    state: 'unknown',
    createdAt: NOW,
    attempts: 1,
  };

  it('shows the unresolved ones, the oldest first', async () => {
    const { client } = await three();
    expect(await client.intents.list()).toEqual([doubted, command]);
    expect(await client.intents.list({ which: 'open' })).toEqual([doubted, command]);
  });

  it('shows settled ones, or all, where it is asked for', async () => {
    const { client } = await three();
    expect(await client.intents.list({ which: 'settled' })).toEqual([accepted]);
    expect(await client.intents.list({ which: 'all' })).toEqual([accepted, doubted, command]);
  });

  it('shows those of this account only', async () => {
    const { scene } = await three();
    expect(
      await scene.platform([], { environment: 'production' }).client.intents.list({ which: 'all' }),
    ).toEqual([]);
    expect(await scene.platform().client.intents.list({ which: 'all' })).toHaveLength(3);
  });

  it('shows the deadline that a bid has by now', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([refusal(403, 'x'), unheard]);
    await scene.during(client.bidding.place(bid));
    await scene.during(client.bidding.place({ ...bid, placeBy: NOW + 7_000 }, { ...once, deadline: 500 }));
    expect(await client.intents.list()).toMatchObject([
      { state: 'unknown', attempts: 2, placeBy: NOW + 7_000 },
    ]);
  });

  it('tells of a journal that can not be read', async () => {
    const { scene, client } = await three();
    scene.journal.trouble({ method: 'list' });
    expect(await rejection(client.intents.list())).toMatchObject({ name: 'JournalError' });
  });
});

describe('intents.explain', () => {
  it('is a timeline of a bid, with what is known and what is allowed next', async () => {
    const scene = new Scene();
    const { client } = scene.platform([
      unheard,
      html(403),
      lookup('absent', { at: NOW + 100 }),
      lotStatus(NOW + 60_000),
      acceptance({ replayed: true }, 200),
    ]);
    await scene.during(
      client.bidding.place({ ...bid, bidderReference: 'buyer-9', placeBy: NOW + 60_000 }, { maxAttempts: 3 }),
    );
    expect(await client.intents.explain(KEY)).toBe(`bidding.place (bids.submit) ${KEY}: accepted
  as client cl_7f3a, dealer D-204 at https://bank.example
  bid of 465000 INR on lot ${LOT} for buyer-9, to be sent by 2026-03-02T06:01:00.000Z server time
  ${(await scene.journal.only()).intent.body.length} bytes, SHA-256 ${(await scene.journal.only()).intent.body.sha256}
2026-03-02T06:00:00.000Z  written down
2026-03-02T06:00:00.000Z  attempt 1 leaves: stamped 2026-03-02T06:00:00.000Z, key key_19c2, nonce nonce-000000000001
2026-03-02T06:00:00.000Z  attempt 1 ends: in doubt (connection: scripted failure)
2026-03-02T06:00:00.000Z  attempt 2 leaves: stamped 2026-03-02T06:00:00.000Z, key key_19c2, nonce nonce-000000000002
2026-03-02T06:00:00.000Z  attempt 2 ends: in doubt (HTTP 403, not in the service's own JSON)
2026-03-02T06:00:00.000Z  look (A06): absent, observed 2026-03-02T06:00:00.100Z server time
2026-03-02T06:00:00.000Z  look (A10): open, observed 2026-03-02T06:00:00.000Z server time
2026-03-02T06:00:00.000Z  attempt 3 leaves: stamped 2026-03-02T06:00:00.000Z, key key_19c2, nonce nonce-000000000005
2026-03-02T06:00:00.000Z  attempt 3 ends: carried out (HTTP 200, request req_1, bid bid_77), from the record of its key
=> The service accepted this bid.
=> A standing is provisional: follow the lot, and wait for the sale to be approved.`);
  });

  it('tells of refusals, words, failed looks and attempts without an end', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([refusal(403, 'EMD_EXPIRED'), { hang: true }]);
    await scene.during(client.bidding.place(bid));
    await scene.clock.advance(1_000);
    const slow = client.bidding.place(
      { ...bid, placeBy: NOW + 9_000 },
      { ...once, timeout: 30_000, deadline: 60_000 },
    );
    await scene.clock.advance(500);
    const told = await client.intents.explain(KEY);
    expect(told.split('\n').slice(5)).toEqual([
      '2026-03-02T06:00:00.000Z  attempt 1 leaves: stamped 2026-03-02T06:00:00.000Z, key key_19c2, nonce nonce-000000000001',
      '2026-03-02T06:00:00.000Z  attempt 1 ends: refused, nothing recorded (HTTP 403 EMD_EXPIRED, request req_3)',
      '2026-03-02T06:00:01.000Z  renewed: placed again, until 2026-03-02T06:00:09.000Z server time',
      '2026-03-02T06:00:01.000Z  attempt 2 leaves: stamped 2026-03-02T06:00:01.000Z, key key_19c2, nonce nonce-000000000002',
      '(no end is known of attempt 2: it is in doubt)',
      expect.stringMatching(
        /^now: process \d+ on \S+ \([0-9a-f]{8}\) is at work on it for at most \d+ ms more$/,
      ),
      '=> This bid may or may not have been recorded. Nobody could look it up yet.',
      '=> Another call or process is at work on it: ask again when it has finished.',
    ]);
    await scene.during(slow);
    await scene.during(client.bidding.abandon(KEY, 'the buyer has gone'));
    const ended = await client.intents.explain(KEY);
    expect(ended).toContain(`bidding.place (bids.submit) ${KEY}: abandoned\n`);
    expect(ended).toContain('  look (A06): failed (ConnectionError)\n');
    expect(ended).toContain('  abandoned: the buyer has gone\n');
    expect(ended).not.toContain('at work');
  });

  it('tells a rejection, what was withdrawn, and what never left', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([
      recordedRejection(['BID_BELOW_MINIMUM', 'LOT_NOT_LIVE']),
      { fail: 'no' },
    ]);
    await scene.during(client.bidding.place(bid));
    expect(await client.intents.explain(KEY)).toContain(
      'attempt 1 ends: rejected (HTTP 422 BID_BELOW_MINIMUM LOT_NOT_LIVE, request req_2, bid bid_78)',
    );
    await scene.during(client.bidding.place({ ...bid, intentId: OTHER }, once));
    expect(await client.intents.explain(OTHER)).toContain(
      'attempt 1 ends: nothing of it left (connection: scripted failure)',
    );
  });

  it('is one of a command as well, by the name of its method', async () => {
    const scene = new Scene();
    const { client } = scene.bank([unheard]);
    const options = { ...once, idempotencyKey: KEY };
    await rejection(
      scene.during(client.releases.revoke('rel_1', { reason: 'Hold', expected_version: 3 }, options)),
    );
    const told = (await client.intents.explain(KEY)).split('\n');
    expect(told[0]).toBe(`releases.revoke (A54) ${KEY}: unknown`);
    expect(told[1]).toBe('  as client cl_7f3a at https://bank.example');
    expect(told.slice(-2)).toEqual([
      '=> This command may or may not have taken effect (connection: scripted failure).',
      '=> Recover it with recover({ resend: true }), which sends the same bytes under the same key; or read the record that it was to change.',
    ]);
  });

  it('shows a deadline that no Date can hold, as journals of earlier versions have it', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([acceptance()]);
    await scene.during(client.bidding.place(bid));
    const { intent, entries, state } = await scene.journal.only();
    const far = { ...intent, key: OTHER, bid: { lot: LOT, amount: '1', placeBy: Number.MAX_SAFE_INTEGER } };
    const lease = { owner: 'earlier', ttlMs: 1 };
    await scene.journal.create(far, { entries, state }, lease, { exclusive: false });
    expect(await client.intents.explain(OTHER)).toContain('to be sent by 9007199254740991 ms server time');
  });

  it('of another account: shown, and said to be no matter of this client', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([unheard]);
    await scene.during(client.bidding.place(bid, { ...once, deadline: 500 }));
    const stranger = scene.dealer([], { environment: 'production' });
    const told = await stranger.client.intents.explain(KEY);
    expect(told).toContain('  as client cl_7f3a, dealer D-204 at https://bank.example');
    expect(told.split('\n').at(-1)).toBe(
      '=> It belongs to another account: only a client with its credentials can settle it.',
    );
  });

  it('of a key that nobody knows: refused', async () => {
    const scene = new Scene();
    expect(await rejection(scene.dealer().client.intents.explain(KEY))).toMatchObject({
      name: 'InvalidRequestError',
      call: 'intents.explain',
      issues: [{ path: 'key', message: 'must be one that the journal (spy) knows' }],
    });
  });
});

describe('intents.abandon', () => {
  it('ends a command in doubt, by a word that stays', async () => {
    const scene = new Scene();
    const { client } = scene.bank([unheard]);
    const options = { ...once, idempotencyKey: KEY };
    await rejection(
      scene.during(client.releases.revoke('rel_1', { reason: 'Hold', expected_version: 3 }, options)),
    );
    expect(await client.intents.abandon(KEY, 'read: it is revoked')).toMatchObject({
      status: 'unknown',
      idempotencyKey: KEY,
      operation: 'A54',
      what: 'This command was abandoned while its effect was unknown.',
      nextStep: 'Nothing tracks it any more.',
    });
    expect(await client.intents.list()).toEqual([]);
    expect(await scene.during(client.intents.recover({ resend: true }))).toEqual([]);
    expect((await scene.journal.only()).entries.at(-1)).toMatchObject({
      word: 'abandoned',
      reason: 'read: it is revoked',
    });
    expect(await rejection(client.intents.abandon(KEY, 'x'))).toMatchObject({
      call: 'intents.abandon',
      issues: [{ path: 'key', message: 'must be of an unresolved intent; this one is abandoned' }],
    });
  });

  it('ends a bid in doubt as well', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([unheard]);
    await scene.during(client.bidding.place(bid, { ...once, deadline: 500 }));
    expect(await client.intents.abandon(KEY, 'gone')).toMatchObject({ status: 'unknown', attempts: 1 });
    expect((await scene.journal.only()).state).toBe('abandoned');
  });
});

describe('a client that is closed', () => {
  it('lets what is under way finish, then closes its journal; and takes nothing new', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([{ hang: true }, lookup('accepted')]);
    const placing = client.bidding.place(bid, { ...once, timeout: 2_000 });
    await scene.clock.advance(10);
    const closing = client.close();
    await scene.clock.advance(10);
    expect(scene.journal.closed).toBe(0);
    const closed = { name: 'AbortedError', outcome: 'not_sent' };
    for (const call of [
      () => client.bidding.place({ lot: LOT, amount: '1' }),
      () => client.bidding.reconcile(KEY),
      () => client.bidding.abandon(KEY, 'x'),
      () => client.bidding.quote({ lot: LOT, event: 'a' }),
      () => client.recover(),
      () => client.intents.list(),
      () => client.intents.explain(KEY),
      () => client.intents.abandon(KEY, 'x'),
      () => client.notifications.acknowledge('n_1', acknowledgment),
    ]) {
      expect(await rejection(call())).toMatchObject(closed);
    }
    // The bid still goes its way: it is looked for after its timeout.
    expect((await scene.during(placing)).status).toBe('accepted');
    await scene.during(closing);
    expect(scene.journal.closed).toBe(1);
    expect(transport.sent).toHaveLength(2);
  });

  it('closes the journal once, however many were derived from it', async () => {
    const scene = new Scene();
    const { client } = scene.dealer();
    const derived = client.withOptions({ timeout: 1_000 });
    await derived.close();
    await client.close();
    expect(scene.journal.closed).toBe(1);
    expect(await rejection(client.recover())).toMatchObject({ name: 'AbortedError' });
  });
});

describe('a derived client', () => {
  it('shares journal and account, with limits of its own', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([
      unheard,
      unheard,
      refusal(403, 'x'),
      refusal(403, 'x'),
      refusal(403, 'x'),
      refusal(403, 'x'),
    ]);
    const derived = client.withOptions({ maxAttempts: 2 });
    const outcome = await scene.during(derived.bidding.place(bid));
    expect(outcome).toMatchObject({ status: 'unknown', attempts: 2 });
    expect(transport.bodies).toHaveLength(2);
    expect(await client.intents.list()).toMatchObject([{ idempotencyKey: KEY }]);
    expect(await rejection(scene.during(client.bidding.place({ lot: LOT, amount: '1' })))).toMatchObject({
      name: 'InDoubtError',
    });
  });
});

describe('a client without a journal', () => {
  it('keeps intents in memory, as long as it lives', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance()], { journal: undefined });
    const first = await scene.during(client.bidding.place(bid));
    expect(await scene.during(client.bidding.place(bid))).toEqual(first);
    expect(transport.sent).toHaveLength(1);
    expect(await client.intents.list({ which: 'all' })).toHaveLength(1);
    expect(await scene.journal.all()).toEqual([]);
  });

  it.each([
    ['null', null],
    ['a path', './bids.journal'],
    ['one without all methods', { create: () => undefined }],
  ])('is refused with a journal that is none: %s', (_, journal) => {
    expect(() => new Scene().dealer([], { journal: journal as never })).toThrowError(/journal must/);
  });
});
