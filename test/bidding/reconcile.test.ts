import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/intents/entry.js';
import type { IntentState } from '../../src/intents/intent.js';
import { namespaceOf } from '../../src/intents/intent.js';
import {
  acceptance,
  bidDetail,
  LOT,
  lookup,
  NOW,
  recordedRejection,
  refusal,
} from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

const bid = { lot: LOT, amount: '465000', intentId: KEY };
const asked = `GET /bid-requests/${KEY}`;
const short = { maxAttempts: 1, deadline: 500 };
const unheard: Step = { fail: 'maybe' };
const command = { status: 'read', external_reference: 'x' } as const;

/** A journal in which a bid came to something. */
async function bidAfter(step: Step) {
  const scene = new Scene();
  const { client } = scene.dealer([step]);
  const placed = await scene.during(client.bidding.place(bid, short));
  scene.events.length = 0;
  return { scene, placed };
}

/** A journal whose maker died with these entries. */
async function left(entries: readonly Entry[], state: IntentState) {
  const { scene } = await bidAfter(unheard);
  const { intent } = await scene.journal.only();
  const crashed = new Scene();
  await crashed.journal.create(intent, { entries, state }, { owner: 'gone', ttlMs: 1 }, { exclusive: false });
  await crashed.clock.advance(1_000);
  return crashed;
}

describe('reconcile', () => {
  it.each([
    ['accepted', acceptance()],
    ['rejected', recordedRejection()],
    ['refused', refusal(403, 'SCOPE_DENIED')],
    ['not_sent', { fail: 'no' } as Step],
  ])('answers what is settled (%s) from the journal, with no request', async (status, step) => {
    const { scene, placed } = await bidAfter(step);
    const { client, transport } = scene.dealer();
    const outcome = await scene.during(client.bidding.reconcile(KEY));
    expect(outcome.status).toBe(status);
    if (status !== 'not_sent') expect(outcome).toEqual(placed);
    expect(transport.sent).toEqual([]);
    expect(scene.events).toEqual([]);
  });

  it('answers what is settled at once, also while somebody holds it', async () => {
    const { scene } = await bidAfter(acceptance());
    const { intent } = await scene.journal.only();
    await scene.journal.claim(
      { namespace: namespaceOf(intent.account), key: KEY },
      { owner: 'b', ttlMs: 60_000 },
    );
    const { client } = scene.dealer();
    const before = scene.clock.monotonic();
    expect((await scene.during(client.bidding.reconcile(KEY))).status).toBe('accepted');
    expect(scene.clock.monotonic()).toBe(before);
  });

  it('looks for what is in doubt, twice at the most, and never sends it', async () => {
    const { scene } = await bidAfter(unheard);
    const { client, transport } = scene.dealer(Array<Step>(9).fill(lookup('absent')));
    expect((await scene.during(client.bidding.reconcile(KEY))).status).toBe('unknown');
    expect(transport.lines).toEqual([asked, asked]);
    expect(await scene.journal.only()).not.toHaveProperty('lease');
  });

  it('settles it, durably', async () => {
    const { scene } = await bidAfter(unheard);
    const receipt = { bid_id: 'bid_7', status: 'accepted' };
    const { client, transport } = scene.dealer([lookup('accepted', { receipt })]);
    const outcome = await scene.during(client.bidding.reconcile(KEY));
    expect(outcome).toMatchObject({ status: 'accepted', bidId: 'bid_7', attempts: 1 });
    expect(scene.events).toEqual([`send ${asked}`, 'append accepted [look]']);
    expect(await scene.during(client.bidding.reconcile(KEY))).toEqual(outcome);
    expect(transport.sent).toHaveLength(1);
  });

  it('finds a process dead in the middle of an attempt: in doubt, and looked for', async () => {
    const attempt = {
      type: 'attempt',
      attempt: 1,
      at: NOW,
      timestamp: NOW / 1000,
      nonce: 'n',
      keyId: 'k',
    } as const;
    const scene = await left([attempt], 'unknown');
    const { client, transport } = scene.dealer([
      lookup('rejected', { receipt: { bid_id: 'bid_78' } }),
      bidDetail(),
    ]);
    expect(await scene.during(client.bidding.reconcile(KEY))).toMatchObject({
      status: 'rejected',
      codes: ['BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID'],
    });
    expect(transport.lines).toEqual([asked, 'GET /bids/bid_78']);
  });

  it('finds it prepared, and nothing sent: not sent, with no request', async () => {
    const scene = await left([], 'prepared');
    const { client, transport } = scene.dealer();
    expect(await scene.during(client.bidding.reconcile(KEY))).toEqual({
      status: 'not_sent',
      call: 'bidding.place',
      lot: LOT,
      amount: '465000',
      idempotencyKey: KEY,
      codes: [],
      replayed: false,
      attempts: 0,
      what: 'Nothing of this bid was sent (found prepared, with no attempt, after its process had gone).',
      nextStep: 'If it is still wanted, place the same bid again under its key (as intentId).',
    });
    expect(transport.sent).toEqual([]);
    expect((await scene.journal.only()).state).toBe('not_sent');
  });

  it('finds one that was to be placed again, and was not: it is what it was before', async () => {
    const refused: Entry[] = [
      { type: 'attempt', attempt: 1, at: NOW, timestamp: 1, nonce: 'n', keyId: 'k' },
      {
        type: 'end',
        attempt: 1,
        at: NOW,
        effect: 'refused',
        reason: 'HTTP 403',
        status: 403,
        codes: ['EMD_EXPIRED'],
      },
      { type: 'word', word: 'renewed', at: NOW, reason: 'placed again', placeBy: NOW + 1 },
    ];
    const scene = await left(refused, 'prepared');
    const { client, transport } = scene.dealer();
    expect(await scene.during(client.bidding.reconcile(KEY))).toMatchObject({
      status: 'refused',
      codes: ['EMD_EXPIRED'],
    });
    expect(transport.sent).toEqual([]);
    expect((await scene.journal.only()).state).toBe('refused');
  });

  it('tells a quarantined one as it is, with no request', async () => {
    const { scene, placed } = await bidAfter(refusal(409, 'IDEMPOTENCY_CONFLICT'));
    const { client, transport } = scene.dealer();
    expect(await scene.during(client.bidding.reconcile(KEY))).toEqual({ ...placed, what: placed.what });
    expect(transport.sent).toEqual([]);
  });

  describe('a key that the journal does not know', () => {
    const reconciled = async (...steps: Step[]) => {
      const scene = new Scene();
      const { client, transport } = scene.dealer(steps);
      const outcome = await scene.during(client.bidding.reconcile(KEY));
      expect(await scene.journal.all()).toEqual([]);
      return { outcome, lines: transport.lines };
    };

    it('is looked up all the same: accepted', async () => {
      const receipt = { bid_id: 'bid_7', status: 'accepted' };
      const { outcome, lines } = await reconciled(lookup('accepted', { receipt }));
      expect(outcome).toMatchObject({ status: 'accepted', bidId: 'bid_7', attempts: 0, receipt });
      expect(lines).toEqual([asked]);
    });

    it('rejected, with every code', async () => {
      const { outcome } = await reconciled(
        lookup('rejected', { receipt: { bid_id: 'bid_78' } }),
        bidDetail(),
      );
      expect(outcome).toMatchObject({
        status: 'rejected',
        codes: ['BID_BELOW_MINIMUM', 'BID_OFF_OPENING_GRID'],
      });
    });

    it('absent is not conclusive: another process may have sent it a moment ago', async () => {
      const { outcome } = await reconciled(lookup('absent', { at: NOW + 500 }));
      expect(outcome).toMatchObject({
        status: 'unknown',
        attempts: 0,
        evidence: { kind: 'absent', conclusive: false, observedAt: NOW + 500, fenceAt: NOW + 301_000 },
        what: 'This bid may or may not have been recorded (the journal has no record of this key). The service has no record of it yet; a copy that is still on its way could be let in.',
      });
    });

    it('processing, and no answer', async () => {
      expect((await reconciled(lookup('processing'))).outcome).toMatchObject({
        status: 'unknown',
        evidence: { kind: 'processing', observedAt: NOW },
      });
      expect((await reconciled(refusal(404, 'NOT_FOUND'))).outcome).toMatchObject({
        status: 'unknown',
        evidence: { kind: 'lookup_failed', reason: 'HTTP 404 NOT_FOUND' },
      });
    });
  });

  it('one that another process is at work on is waited for, and told from the journal', async () => {
    const scene = new Scene();
    const one = scene.dealer([{ hang: true }, lookup('accepted')]);
    const placing = one.client.bidding.place(bid, { maxAttempts: 1, timeout: 3_000 });
    await scene.clock.advance(1);
    const two = scene.dealer();
    const outcome = await scene.during(two.client.bidding.reconcile(KEY));
    expect(outcome.status).toBe('accepted');
    expect(two.transport.sent).toEqual([]);
    await placing;
  });

  it('one that another process stays at work on: told as far as it is known, by the deadline', async () => {
    const scene = new Scene();
    const one = scene.dealer([{ hang: true }]);
    const placing = one.client.bidding.place(bid, { maxAttempts: 1, timeout: 60_000, deadline: 60_000 });
    await scene.clock.advance(1);
    const two = scene.dealer();
    expect(await scene.during(two.client.bidding.reconcile(KEY, { deadline: 2_000 }))).toMatchObject({
      status: 'unknown',
      attempts: 1,
      nextStep: 'Another call or process is at work on it: ask again when it has finished.',
    });
    expect(two.transport.sent).toEqual([]);
    expect(scene.clock.monotonic()).toBeLessThan(4_000);
    await scene.during(placing);
  });

  it('one that this client stays at work on: the same', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([{ hang: true }]);
    const placing = client.bidding.place(bid, { maxAttempts: 1, timeout: 60_000, deadline: 60_000 });
    await scene.clock.advance(1);
    expect(await scene.during(client.bidding.reconcile(KEY, { deadline: 2_000 }))).toMatchObject({
      status: 'unknown',
      nextStep: 'Another call or process is at work on it: ask again when it has finished.',
    });
    await scene.during(placing);
  });

  it.each(['', 'x', '3f0e6d52-9a41-4d0c-8a0e', 7, undefined])('refuses %j, which is no key', async (key) => {
    const scene = new Scene();
    const { client, transport } = scene.dealer();
    expect(await rejection(scene.during(client.bidding.reconcile(key as string)))).toMatchObject({
      name: 'InvalidRequestError',
      call: 'bidding.reconcile',
      issues: [{ path: 'key', message: 'must be the idempotency key (UUID) of a bid' }],
    });
    expect(transport.sent).toEqual([]);
  });

  it('refuses the key of a command', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([unheard]);
    await rejection(
      scene.during(client.notifications.acknowledge('n_1', command, { idempotencyKey: KEY, maxAttempts: 1 })),
    );
    expect(await rejection(scene.during(client.bidding.reconcile(KEY)))).toMatchObject({
      name: 'InvalidRequestError',
      issues: [{ path: 'key' }],
    });
    expect(transport.sent).toHaveLength(1);
  });

  it('tells of a journal that can not be read', async () => {
    const { scene } = await bidAfter(unheard);
    scene.journal.trouble({ method: 'find', error: new Error('boom') });
    const { client } = scene.dealer();
    expect(await rejection(scene.during(client.bidding.reconcile(KEY)))).toMatchObject({
      name: 'JournalError',
      fault: 'unavailable',
    });
  });
});

describe('abandon', () => {
  it('stops tracking a bid in doubt; it stays on record, with the word', async () => {
    const { scene } = await bidAfter(unheard);
    const { client, transport } = scene.dealer();
    expect(await scene.during(client.bidding.abandon(KEY, 'the buyer has gone'))).toEqual({
      status: 'unknown',
      call: 'bidding.place',
      lot: LOT,
      amount: '465000',
      idempotencyKey: KEY,
      codes: [],
      replayed: false,
      attempts: 1,
      evidence: { kind: 'lookup_failed', reason: 'ConnectionError' },
      abandoned: { reason: 'the buyer has gone' },
      what: 'This bid was abandoned while its outcome was unknown.',
      nextStep: 'Nothing tracks it any more; bidding.reconcile(key) still looks for it.',
    });
    const stored = await scene.journal.only();
    expect(stored.state).toBe('abandoned');
    expect(stored.entries.at(-1)).toEqual({
      type: 'word',
      word: 'abandoned',
      at: scene.clock.now(),
      reason: 'the buyer has gone',
    });
    expect(stored).not.toHaveProperty('lease');
    expect(transport.sent).toEqual([]);
    expect(await client.intents.list()).toEqual([]);
  });

  it('ends a quarantine', async () => {
    const { scene } = await bidAfter(refusal(409, 'IDEMPOTENCY_CONFLICT'));
    const { client } = scene.dealer();
    const outcome = await scene.during(
      client.bidding.abandon(KEY, 'the bank says that it is of another system'),
    );
    expect(outcome).not.toHaveProperty('quarantined');
    expect((await scene.journal.only()).state).toBe('abandoned');
  });

  it('is overridden by what a later look finds', async () => {
    for (const [found, status] of [
      ['accepted', 'accepted'],
      ['rejected', 'rejected'],
    ] as const) {
      const { scene } = await bidAfter(unheard);
      const { client, transport } = scene.dealer([lookup(found, { receipt: { errors: ['LOT_NOT_LIVE'] } })]);
      await scene.during(client.bidding.abandon(KEY, 'gone'));
      expect((await scene.during(client.bidding.reconcile(KEY))).status).toBe(status);
      expect((await scene.journal.only()).state).toBe(status);
      expect(transport.lines).toEqual([asked]);
    }
  });

  it('stands where a later look finds nothing', async () => {
    const { scene } = await bidAfter(unheard);
    const { client, transport } = scene.dealer([lookup('absent')]);
    await scene.during(client.bidding.abandon(KEY, 'gone'));
    expect(await scene.during(client.bidding.reconcile(KEY))).toMatchObject({
      status: 'unknown',
      what: 'This bid was abandoned while its outcome was unknown.',
      evidence: { kind: 'absent' },
    });
    expect(transport.lines).toEqual([asked]);
    expect((await scene.journal.only()).state).toBe('abandoned');
  });

  const attempt = async (step: Step, key: unknown, reason: unknown) => {
    const { scene } = await bidAfter(step);
    const before = await scene.journal.all();
    const { client } = scene.dealer();
    const error = await rejection(scene.during(client.bidding.abandon(key as string, reason as string)));
    expect(await scene.journal.all()).toEqual(before);
    return error;
  };

  it.each(['', '   ', undefined, 7])('wants a reason; %j is none', async (reason) => {
    expect(await attempt(unheard, KEY, reason)).toMatchObject({
      name: 'InvalidRequestError',
      call: 'bidding.abandon',
      issues: [{ path: 'reason', message: 'must say why, for whoever reads the record' }],
    });
  });

  it.each([
    ['accepted', acceptance()],
    ['rejected', recordedRejection()],
    ['refused', refusal(403, 'SCOPE_DENIED')],
    ['not_sent', { fail: 'no' } as Step],
  ])('refuses what is settled (%s), for it is no longer tracked', async (state, step) => {
    expect(await attempt(step, KEY, 'x')).toMatchObject({
      issues: [{ path: 'key', message: `must be of an unresolved intent; this one is ${state}` }],
    });
  });

  it('refuses a key that nobody knows, one that is no UUID, and the second word', async () => {
    expect(await attempt(unheard, '11111111-1111-4111-8111-111111111111', 'x')).toMatchObject({
      issues: [{ path: 'key', message: 'must be one that the journal knows' }],
    });
    expect(await attempt(unheard, 'x', 'x')).toMatchObject({ issues: [{ path: 'key' }] });
    const { scene } = await bidAfter(unheard);
    const { client } = scene.dealer();
    await scene.during(client.bidding.abandon(KEY, 'x'));
    expect(await rejection(scene.during(client.bidding.abandon(KEY, 'x')))).toMatchObject({
      issues: [{ message: 'must be of an unresolved intent; this one is abandoned' }],
    });
  });

  it('refuses one that this client or another process is at work on, at once', async () => {
    const scene = new Scene();
    const one = scene.dealer([{ hang: true }]);
    const two = scene.dealer();
    const placing = one.client.bidding.place(bid, { maxAttempts: 1, timeout: 20_000 });
    await scene.clock.advance(1);
    for (const { client } of [one, two]) {
      const error = await rejection(client.bidding.abandon(KEY, 'x'));
      expect(error).toMatchObject({
        issues: [{ path: 'key', message: 'must not be one that a call or a process is at work on' }],
      });
    }
    await scene.during(placing);
    // And can be once that has finished.
    expect((await one.client.bidding.abandon(KEY, 'x')).status).toBe('unknown');
  });

  it('leaves commands to intents.abandon', async () => {
    const scene = new Scene();
    const { client } = scene.dealer([unheard]);
    await rejection(
      scene.during(client.notifications.acknowledge('n_1', command, { idempotencyKey: KEY, maxAttempts: 1 })),
    );
    expect(await rejection(scene.during(client.bidding.abandon(KEY, 'x')))).toMatchObject({
      issues: [{ path: 'key', message: 'must be of a bid; for commands there is intents.abandon' }],
    });
    expect((await scene.journal.only()).state).toBe('unknown');
    expect(await scene.during(client.intents.abandon(KEY, 'seen in the inbox'))).toMatchObject({
      status: 'unknown',
      operation: 'A75',
    });
    expect((await scene.journal.only()).state).toBe('abandoned');
  });

  it('is told where it can not be written', async () => {
    const { scene } = await bidAfter(unheard);
    scene.journal.trouble({ method: 'append' });
    const { client } = scene.dealer();
    expect(await rejection(scene.during(client.bidding.abandon(KEY, 'x')))).toMatchObject({
      name: 'JournalError',
    });
    const { intent, state } = await scene.journal.only();
    expect(state).toBe('unknown');
    const id = { namespace: namespaceOf(intent.account), key: KEY };
    expect((await scene.journal.claim(id, { owner: 'other', ttlMs: 1 })).kind).toBe('claimed');
  });
});
