import { describe, expect, it } from 'vitest';
import { acceptance, LOT, lookup, NOW, recordedRejection, refusal } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { KEY, rejection } from '../support/clients.js';
import type { Step } from '../support/scripted-transport.js';

/** A new bid over one that nobody knows the outcome of would outbid oneself. */

const OTHER = '11111111-1111-4111-8111-111111111111';
const first = { lot: LOT, amount: '465000', intentId: KEY };
const second = { lot: LOT, amount: '470000', intentId: OTHER };
const unheard: Step = { fail: 'maybe' };
const short = { maxAttempts: 1, deadline: 500 };

async function doubted(step: Step = unheard) {
  const scene = new Scene();
  const { client } = scene.dealer([step]);
  await scene.during(client.bidding.place(first, short));
  return scene;
}

describe('while an earlier bid of the same buyer on the lot is in doubt', () => {
  it('a new one is refused with its facts, and nothing is sent or written', async () => {
    const scene = await doubted();
    const { client, transport } = scene.dealer([acceptance()]);
    const error = await rejection(scene.during(client.bidding.place(second)));
    expect(error).toMatchObject({
      name: 'InDoubtError',
      outcome: 'not_sent',
      operation: 'bids.submit',
      call: 'bidding.place',
      attempts: 0,
      idempotencyKey: OTHER,
      unresolved: [{ idempotencyKey: KEY, operation: 'bids.submit', lot: LOT, amount: '465000' }],
    });
    expect(String(error)).toBe(
      `InDoubtError: bidding.place (bids.submit): An earlier bid of 465000 on lot ${LOT} is unresolved (key ${KEY}); were it accepted after all, this one would outbid it. Nothing of this one was sent. Reconcile the earlier one by its key first (bidding.reconcile). Or abandon it (bidding.abandon), or place this one with the option overInDoubt: then you may outbid yourself.`,
    );
    expect(transport.sent).toEqual([]);
    expect(await scene.journal.only()).toMatchObject({ intent: { key: KEY } });
  });

  it('one of the same amount, too; and one without a key', async () => {
    const scene = await doubted();
    const { client, transport } = scene.dealer();
    for (const bid of [
      { ...second, amount: '465000' },
      { lot: LOT, amount: '470000' },
    ]) {
      expect(await rejection(scene.during(client.bidding.place(bid)))).toMatchObject({
        name: 'InDoubtError',
      });
    }
    expect(transport.sent).toEqual([]);
  });

  it('one of another process over the same journal, too', async () => {
    const scene = new Scene();
    const one = scene.dealer([{ hang: true }]);
    const two = scene.dealer([acceptance()]);
    const slow = one.client.bidding.place(first, { maxAttempts: 1, timeout: 30_000 });
    await scene.clock.advance(1);
    expect(await rejection(scene.during(two.client.bidding.place(second)))).toMatchObject({
      name: 'InDoubtError',
    });
    expect(two.transport.sent).toEqual([]);
    await scene.during(slow);
  });

  it('one in quarantine blocks as well', async () => {
    const scene = await doubted(refusal(409, 'IDEMPOTENCY_CONFLICT'));
    const { client } = scene.dealer();
    expect(await rejection(scene.during(client.bidding.place(second)))).toMatchObject({
      name: 'InDoubtError',
    });
  });

  it('overInDoubt lets it through', async () => {
    const scene = await doubted();
    const { client, transport } = scene.dealer([acceptance()]);
    expect(await scene.during(client.bidding.place(second, { overInDoubt: true }))).toMatchObject({
      status: 'accepted',
      idempotencyKey: OTHER,
    });
    expect(transport.lines).toEqual([`POST /lots/${LOT}/bids`]);
    expect((await scene.journal.all()).map(({ state }) => state)).toEqual(['unknown', 'accepted']);
  });

  it('another lot, another dealer, and another account are let through', async () => {
    const scene = await doubted();
    const { client } = scene.dealer([acceptance(), acceptance()]);
    expect((await scene.during(client.bidding.place({ ...second, lot: 'lot_2' }))).status).toBe('accepted');
    const third = { ...second, intentId: '22222222-2222-4222-8222-222222222222', dealerId: 'D-9' };
    expect((await scene.during(client.bidding.place(third))).status).toBe('accepted');
    const elsewhere = scene.dealer([acceptance()], { environment: 'production' });
    expect((await scene.during(elsewhere.client.bidding.place({ lot: LOT, amount: '1' }))).status).toBe(
      'accepted',
    );
  });

  it('of a platform, another buyer is let through, and the same is not', async () => {
    const scene = new Scene();
    const one = scene.platform([unheard]);
    await scene.during(one.client.bidding.place({ ...first, bidderReference: 'a' }, short));
    const { client } = scene.platform([acceptance()]);
    expect((await scene.during(client.bidding.place({ ...second, bidderReference: 'b' }))).status).toBe(
      'accepted',
    );
    const again = { lot: LOT, amount: '480000', bidderReference: 'a' };
    const error = await rejection(scene.during(client.bidding.place(again)));
    expect(error).toMatchObject({
      name: 'InDoubtError',
      unresolved: [{ idempotencyKey: KEY, lot: LOT, amount: '465000', bidderReference: 'a' }],
    });
    expect(String(error)).toContain(`An earlier bid of 465000 for a on lot ${LOT}`);
  });

  it('all of them are told', async () => {
    const scene = await doubted();
    const { client } = scene.dealer([unheard]);
    await scene.during(client.bidding.place(second, { ...short, overInDoubt: true }));
    const error = await rejection(scene.during(client.bidding.place({ lot: LOT, amount: '480000' })));
    expect(error).toMatchObject({ unresolved: [{ amount: '465000' }, { amount: '470000' }] });
    expect(String(error)).toContain(`(key ${KEY} and 1 more)`);
  });

  it('reconciling or abandoning it lets new bids through', async () => {
    const reconciled = await doubted();
    const one = reconciled.dealer([
      lookup('rejected', { receipt: { errors: ['LOT_NOT_LIVE'] } }),
      acceptance(),
    ]);
    await reconciled.during(one.client.bidding.reconcile(KEY));
    expect((await reconciled.during(one.client.bidding.place(second))).status).toBe('accepted');

    const abandoned = await doubted();
    const two = abandoned.dealer([acceptance()]);
    await abandoned.during(two.client.bidding.abandon(KEY, 'the buyer took it on himself'));
    expect((await abandoned.during(two.client.bidding.place(second))).status).toBe('accepted');
  });

  it('the same bid itself is no twin', async () => {
    const scene = await doubted();
    const { client } = scene.dealer([lookup('accepted')]);
    expect((await scene.during(client.bidding.place(first))).status).toBe('accepted');
  });
});

describe('what is settled does not stand against a new bid', () => {
  it.each([
    ['accepted', acceptance()],
    ['rejected', recordedRejection()],
    ['refused', refusal(403, 'SCOPE_DENIED')],
    ['not sent', { fail: 'no' } as Step],
  ])('%s', async (_, step) => {
    const scene = await doubted(step);
    const { client } = scene.dealer([acceptance()]);
    expect((await scene.during(client.bidding.place(second))).status).toBe('accepted');
  });
});

describe('a bid that is placed again', () => {
  /** One that was refused; and then another, on the same lot, of which nothing was heard. */
  async function refusedThenDoubted() {
    const scene = await doubted(refusal(403, 'SCOPE_DENIED'));
    const { client } = scene.dealer([unheard]);
    await scene.during(client.bidding.place(second, short));
    return scene;
  }

  it('is refused while another one has come into doubt meanwhile, and is what it was', async () => {
    const scene = await refusedThenDoubted();
    const { client, transport } = scene.dealer([acceptance()]);
    expect(await rejection(scene.during(client.bidding.place(first)))).toMatchObject({
      name: 'InDoubtError',
      outcome: 'not_sent',
      idempotencyKey: KEY,
      unresolved: [{ idempotencyKey: OTHER, amount: '470000' }],
    });
    expect(transport.sent).toEqual([]);
    expect((await scene.journal.all()).map(({ state }) => state)).toEqual(['refused', 'unknown']);
  });

  it('goes out over it where the caller says so', async () => {
    const scene = await refusedThenDoubted();
    const { client } = scene.dealer([acceptance()]);
    expect((await scene.during(client.bidding.place(first, { overInDoubt: true }))).status).toBe('accepted');
  });

  it('stands against others from the moment that it is placed again', async () => {
    const scene = await doubted(refusal(403, 'SCOPE_DENIED'));
    const one = scene.dealer([acceptance(), { hang: true }], { quota: { limit: 1, scope: 'client' } });
    await scene.during(one.client.bidding.place({ lot: 'lot_0', amount: '1' }));
    const queued = one.client.bidding.place(first, { maxAttempts: 1, timeout: 1_000 });
    await scene.clock.advance(1);
    const two = scene.dealer([acceptance()]);
    expect(await rejection(scene.during(two.client.bidding.place(second)))).toMatchObject({
      name: 'InDoubtError',
    });
    expect(two.transport.sent).toEqual([]);
    await scene.during(queued);
  });

  it('two that are placed again at the same time: at the most one goes out', async () => {
    const scene = await doubted(refusal(403, 'SCOPE_DENIED'));
    const both = scene.dealer([refusal(403, 'SCOPE_DENIED')]);
    await scene.during(both.client.bidding.place(second, short));
    const one = scene.dealer([{ hang: true }]);
    const two = scene.dealer([{ hang: true }]);
    const slow = { maxAttempts: 1, timeout: 2_000, deadline: 3_000 };
    const results = await scene.during(
      Promise.allSettled([one.client.bidding.place(first, slow), two.client.bidding.place(second, slow)]),
    );
    expect(one.transport.bodies.length + two.transport.bodies.length).toBeLessThanOrEqual(1);
    expect(results.filter(({ status }) => status === 'rejected').length).toBeGreaterThanOrEqual(1);
  });
});

describe('what a process that is gone had prepared, and never sent', () => {
  /** A journal with a prepared intent in it, whose maker holds it for so long. */
  async function prepared(leaseMs: number) {
    const scene = new Scene();
    const { client } = scene.dealer([unheard]);
    await scene.during(client.bidding.place(first, short));
    const { intent } = await scene.journal.only();
    const left = new Scene();
    await left.journal.create(
      intent,
      { entries: [], state: 'prepared' },
      { owner: 'gone', ttlMs: leaseMs },
      {
        exclusive: true,
      },
    );
    left.events.length = 0;
    return left;
  }

  it('does not stand against a new bid, and is on record as never sent', async () => {
    const scene = await prepared(1_000);
    await scene.clock.advance(1_000);
    const { client } = scene.dealer([acceptance()]);
    expect((await scene.during(client.bidding.place(second))).status).toBe('accepted');
    const [old] = await scene.journal.all();
    expect(old).toMatchObject({
      state: 'not_sent',
      entries: [{ type: 'word', word: 'never_sent', at: NOW + 1_000 }],
    });
    expect(old).not.toHaveProperty('lease');
  });

  it('does while its maker may still be alive', async () => {
    const scene = await prepared(60_000);
    const { client, transport } = scene.dealer([acceptance()]);
    expect(await rejection(scene.during(client.bidding.place(second)))).toMatchObject({
      name: 'InDoubtError',
    });
    expect(transport.sent).toEqual([]);
    expect((await scene.journal.only()).state).toBe('prepared');
  });

  it('does where it left between two looks', async () => {
    const scene = await prepared(1_000);
    await scene.clock.advance(1_000);
    const { intent } = await scene.journal.only();
    let open: () => void = () => undefined;
    scene.journal.trouble({ method: 'claim', until: new Promise<void>((resolve) => (open = resolve)) });
    const { client, transport } = scene.dealer([acceptance()]);
    const placing = rejection(client.bidding.place(second));
    await scene.clock.advance(1);
    const id = { namespace: JSON.stringify(['https://bank.example', 'sandbox', 'cl_7f3a']), key: intent.key };
    const claimed = await scene.journal.claim(id, { owner: 'quick', ttlMs: 10 });
    if (claimed.kind !== 'claimed') throw new Error('not claimed');
    const attempt = { type: 'attempt', attempt: 1, at: NOW, timestamp: 1, nonce: 'n', keyId: 'k' } as const;
    await scene.journal.append(id, claimed.held.fence, { entries: [attempt], state: 'unknown' });
    await scene.journal.release(id, claimed.held.fence);
    open();
    expect(await scene.during(placing)).toMatchObject({ name: 'InDoubtError' });
    expect(transport.sent).toEqual([]);
    expect(await scene.journal.only()).toMatchObject({ state: 'unknown', entries: [attempt] });
  });

  it('is another matter than what this client itself has prepared, and is about to send', async () => {
    const scene = new Scene();
    const { client, transport } = scene.dealer([acceptance(), acceptance()], {
      quota: { limit: 1, scope: 'client' },
    });
    await scene.during(client.bidding.place({ lot: 'lot_0', amount: '1' }));
    const queued = client.bidding.place(first);
    await scene.clock.advance(1);
    expect((await scene.journal.all())[1]?.state).toBe('prepared');
    expect(await rejection(client.bidding.place(second))).toMatchObject({ name: 'InDoubtError' });
    expect((await scene.during(queued)).status).toBe('accepted');
    expect(transport.sent).toHaveLength(2);
  });
});

it('commands know no twins', async () => {
  const scene = new Scene();
  const { client } = scene.dealer([
    unheard,
    { status: 200, json: { data: { id: 'pr_1' }, request_id: 'r' } },
  ]);
  const report = {
    sale_id: 's',
    amount: '1.00',
    currency: 'INR' as const,
    method: 'bank_transfer' as const,
    utr: 'u',
    paid_at: '2026-03-02T06:00:00Z',
    external_reference: 'x',
    evidence_id: 'e',
  };
  await rejection(scene.during(client.paymentReports.create(report, { maxAttempts: 1 })));
  await rejection(scene.during(client.paymentReports.create(report, { maxAttempts: 1 })));
  expect((await scene.journal.all()).length).toBe(2);
});
