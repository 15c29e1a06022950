import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/index.js';
import { get, lotOf, plus } from './caller.js';
import { approval, approvedLot, command, done, picture, type SoldLot, saleOf, wonLot } from './workflow.js';

let sandbox: Sandbox;
let sold: SoldLot;
beforeEach(async () => {
  sandbox = await startSandbox({ clock: 'manual', startAt: '2026-03-01T10:00:00Z', rateLimit: false });
});
afterEach(() => sandbox.close());

const offered = {
  amount: '310000.50',
  currency: 'INR',
  terms_version: 'T7',
  valid_until: '2026-03-02T15:30:00+05:30',
  reason: 'Below the reserve',
};
/** When it lapses: a day after the start. */
const day = 86_400_000;

/** Offers on the sale at its current version. */
async function offer(change: Record<string, unknown> = {}, who = sandbox.credentials.bank) {
  const { resource_version } = await saleOf(sandbox, sold.saleId);
  return command(sandbox, who, `/api/v1/sale-cases/${sold.saleId}/offers`, {
    ...offered,
    expected_version: resource_version,
    ...change,
  });
}
const answer = (id: string, change: Record<string, unknown> = {}, who = sold.who) =>
  command(sandbox, who, `/api/v1/offers/${id}/responses`, {
    decision: 'accepted',
    terms_version: 'T7',
    expected_version: 1,
    ...change,
  });
/** Approves the sale at its current version. */
const approve = async (change: Record<string, unknown> = {}) =>
  command(sandbox, sandbox.credentials.bank, `/api/v1/sale-cases/${sold.saleId}/decisions`, {
    ...(await approval(sandbox, sold)),
    terms_version: 'T7',
    ...change,
  });
const active = async () => (await saleOf(sandbox, sold.saleId)).data.active_offer;
const types = async (who = sold.who) =>
  (await get(sandbox, who, '/api/v1/notifications')).json.data.map(({ type }: { type: string }) => type);
const around = () => [`/api/v1/sale-cases/${sold.saleId}`, `/api/v1/lots/${sold.lotId}/status`];

describe('A24, an offer', () => {
  beforeEach(async () => {
    sold = await wonLot(sandbox);
  });

  // rule: state.offer
  it('is made, literally', async () => {
    const { bank } = sandbox.credentials;
    const before = await saleOf(sandbox, sold.saleId);
    sandbox.clock.advance(1_000);
    const body = { expected_version: 1, idempotency_key: randomUUID() };
    const got = await offer(body);
    expect(got.status).toBe(200);
    expect(got.json).toEqual({
      data: {
        id: expect.stringMatching(/^off_/),
        kind: 'offer',
        state: 'open',
        resource_version: 1,
        data: offered,
        created_at: '2026-03-01T10:00:01.000Z',
        updated_at: '2026-03-01T10:00:01.000Z',
      },
      request_id: expect.stringMatching(/^req_/),
      server_time: '2026-03-01T10:00:01.000Z',
    });
    const after = await saleOf(sandbox, sold.saleId);
    expect(after).toEqual({
      ...before,
      resource_version: 2,
      updated_at: '2026-03-01T10:00:01.000Z',
      data: { ...before.data, active_offer: { ...got.json.data, sale_id: sold.saleId } },
    });
    expect([after.state, after.data.amount]).toEqual(['pending_bank_approval', sold.amount]);
    expect(sandbox.ledger().filter(({ operation }) => operation === 'A24')).toEqual([
      {
        kind: 'offer',
        operation: 'A24',
        call: 'saleCases.offer',
        recordId: got.json.data.id,
        idempotencyKey: body.idempotency_key,
        clientId: bank.clientId,
        saleId: sold.saleId,
        lotId: sold.lotId,
        bidId: sold.bidId,
        amount: '310000.50',
        at: Date.parse('2026-03-01T10:00:01Z'),
      },
    ]);
  });

  // rule: state.offer
  it('may come without a reason, and leaves the bid as it is', async () => {
    const bid = await get(sandbox, sold.who, `/api/v1/bids/${sold.bidId}`);
    expect((await done(offer({ reason: undefined }))).data.reason).toBeNull();
    expect((await get(sandbox, sold.who, `/api/v1/bids/${sold.bidId}`)).json).toEqual(bid.json);
  });

  it.each([
    ['a withdrawn vehicle', () => sandbox.auctions.withdraw(sold.lotId)],
    ['a cancelled auction', () => sandbox.auctions.cancel('live-open')],
  ])('is refused on %s', async (_, spoil) => {
    spoil();
    const got = await offer();
    expect([got.status, got.json.message]).toEqual([
      409,
      'The vehicle of this sale is not available any more.',
    ]);
    expect(await active()).toBeNull();
  });

  // rule: state.offer
  it.each(['open', 'accepted'])('supersedes an earlier one that is %s', async (state) => {
    const first = await done(offer());
    if (state === 'accepted') await done(answer(first.id));
    const second = await done(offer({ amount: '320000.00' }));
    expect(await active()).toMatchObject({ id: second.id, state: 'open', data: { amount: '320000.00' } });
    const version = state === 'accepted' ? 3 : 2;
    expect((await answer(first.id)).json.message).toMatch(/version/);
    const late = await answer(first.id, { expected_version: version });
    expect([late.status, late.json.message]).toEqual([409, 'The offer is not open: it is superseded.']);
    expect((await types()).slice(0, 2)).toEqual(['offer.made', 'offer.superseded']);
    const approved = await approve({ offer_id: first.id });
    expect([approved.status, approved.json.message]).toEqual([
      409,
      'The offer on this sale is not answered yet.',
    ]);
  });
});

it('A24 tells the buyer nothing of the bids of others', async () => {
  const { rival } = sandbox.credentials;
  const { id, startingPrice } = lotOf(sandbox, 'live-open');
  const theirs = plus(startingPrice, 5_000);
  const { bidId } = sandbox.actors.rival.bid(id, theirs);
  sold = await wonLot(sandbox, { amount: plus(startingPrice, 10_000) });
  const made = await done(offer());
  await done(answer(made.id));
  for (const path of [...around(), '/api/v1/sale-cases', '/api/v1/notifications']) {
    const { status, text } = await get(sandbox, sold.who, path);
    expect(status).toBe(200);
    for (const secret of [theirs, bidId, rival.clientId, rival.dealerId ?? '?']) {
      expect(text, path).not.toContain(secret);
    }
  }
});

it('A24 comes too late once the sale is decided', async () => {
  sold = await approvedLot(sandbox);
  const before = await picture(sandbox, around());
  const got = await offer();
  expect([got.status, got.json.message]).toEqual([409, 'The sale is decided already.']);
  expect(await picture(sandbox, around())).toEqual(before);
});

describe('A25, the answer', () => {
  let id: string;
  beforeEach(async () => {
    sold = await wonLot(sandbox);
    id = (await done(offer())).id;
  });

  // rule: general.4, state.offer
  it.each(['accepted', 'declined'])('%s, literally', async (decision) => {
    sandbox.clock.advance(60_000);
    const got = await answer(id, { decision, reason: 'As agreed by phone' });
    expect(got.status).toBe(200);
    expect(got.json).toEqual({
      data: {
        id,
        kind: 'offer',
        state: decision,
        resource_version: 2,
        data: { ...offered, decision },
        created_at: '2026-03-01T10:00:00.000Z',
        updated_at: '2026-03-01T10:01:00.000Z',
      },
      request_id: expect.stringMatching(/^req_/),
      server_time: '2026-03-01T10:01:00.000Z',
    });
    expect(await saleOf(sandbox, sold.saleId)).toMatchObject({
      state: 'pending_bank_approval',
      resource_version: 3,
      data: { amount: sold.amount },
    });
    const shown = decision === 'accepted' ? { ...got.json.data, sale_id: sold.saleId } : null;
    expect(await active()).toEqual(shown);
    for (const who of [sold.who, sandbox.credentials.bank]) {
      expect(await types(who)).toEqual([`offer.${decision}`, 'offer.made']);
    }
  });

  // rule: state.offer
  it('comes in time until the very moment that the offer lapses', async () => {
    sandbox.clock.advance(day - 1);
    await done(answer(id));
    expect((await active()).state).toBe('accepted');
  });

  // rule: state.offer
  it('comes too late from then on: the offer lapses by itself', async () => {
    const version = (await saleOf(sandbox, sold.saleId)).resource_version;
    sandbox.clock.advance(day + 5_000);
    expect(await active()).toBeNull();
    expect(await saleOf(sandbox, sold.saleId)).toMatchObject({
      resource_version: version + 1,
      updated_at: '2026-03-02T10:00:00.000Z',
    });
    const before = await picture(sandbox, around());
    const late = await answer(id, { expected_version: 2 });
    expect([late.status, late.json.message]).toEqual([409, 'The offer is not open: it is expired.']);
    expect(await picture(sandbox, around())).toEqual(before);
    expect(await types()).toEqual(['offer.expired', 'offer.made']);
    const notices = (await get(sandbox, sold.who, '/api/v1/notifications')).json.data;
    expect(notices[0].created_at).toBe('2026-03-02T10:00:00.000Z');
    expect((await approve({ terms_version: 'T1' })).json.data).toMatchObject({
      state: 'approved',
      data: { amount: sold.amount },
    });
  });

  it.each(['accepted', 'declined', 'superseded'])('%s is for good: no lapse later', async (end) => {
    if (end === 'superseded') await done(offer({ valid_until: '2026-03-05T10:00:00Z' }));
    else await done(answer(id, { decision: end }));
    const before = await picture(sandbox, around());
    sandbox.clock.advance(day);
    expect(await picture(sandbox, around())).toEqual(before);
  });

  it('does not accept what the bank can not sell any more, and declines it still', async () => {
    const request = await done(
      command(sandbox, sold.who, `/api/v1/bids/${sold.bidId}/cancellation-requests`, { reason_code: 'R' }),
    );
    const decision = { decision: 'approved', expected_version: 1 };
    const url = `/api/v1/bid-cancellation-requests/${request.id}/decisions`;
    await done(command(sandbox, sandbox.credentials.bank, url, decision));
    const before = await picture(sandbox, around());
    const got = await answer(id);
    expect([got.status, got.json.message]).toEqual([409, 'The bid of this sale is cancelled.']);
    expect(await picture(sandbox, around())).toEqual(before);
    expect((await done(answer(id, { decision: 'declined' }))).state).toBe('declined');
  });
});

describe('A22 where there is an offer', () => {
  let id: string;
  beforeEach(async () => {
    sold = await wonLot(sandbox);
    id = (await done(offer())).id;
  });

  // rule: state.offer
  it('makes the negotiated amount the sale’s', async () => {
    await done(answer(id));
    const sale = await done(approve({ offer_id: id }));
    expect(sale).toMatchObject({ state: 'approved', data: { amount: '310000.50', terms_version: 'T7' } });
    expect(await active()).toMatchObject({ id, state: 'accepted' });
  });

  it('takes the amount of the bid where it was declined', async () => {
    await done(answer(id, { decision: 'declined' }));
    expect((await approve({ offer_id: id })).status).toBe(422);
    expect((await done(approve())).data.amount).toBe(sold.amount);
  });

  // rule: state.sale
  it.each([
    ['no offer', {}, 422, 'offer_id'],
    ['another offer', { offer_id: 'off_other' }, 422, 'offer_id'],
    ['other terms', { offer_id: 'this', terms_version: 'T8' }, 422, 'terms_version'],
  ] as const)('refuses %s', async (_, change, status, field) => {
    await done(answer(id));
    const before = await picture(sandbox, around());
    const named = 'offer_id' in change && change.offer_id === 'this' ? { ...change, offer_id: id } : change;
    const got = await approve(named);
    expect([got.status, Object.keys(got.json.errors)]).toEqual([status, [field]]);
    expect(await picture(sandbox, around())).toEqual(before);
  });

  // rule: state.sale
  it('refuses an accepted offer from the moment it lapses on, until another one is accepted', async () => {
    await done(answer(id));
    sandbox.clock.advance(day);
    expect((await active()).state).toBe('accepted');
    const got = await approve({ offer_id: id });
    expect([got.status, got.json.message]).toEqual([409, 'The accepted offer has lapsed.']);
    const next = await done(offer({ valid_until: '2026-03-03T10:00:00Z' }));
    await done(answer(next.id));
    expect((await done(approve({ offer_id: next.id }))).state).toBe('approved');
  });

  // rule: version.3
  it('counts the version that offer and answer have moved', async () => {
    await done(answer(id));
    for (const expected_version of [1, 2]) {
      expect((await approve({ offer_id: id, expected_version })).status).toBe(409);
    }
    expect((await done(approve({ offer_id: id, expected_version: 3 }))).resource_version).toBe(4);
  });
});
