import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { responseOf } from '../../src/core/reply/reply.js';
import type { Variants } from '../../src/sandbox/index.js';
import { choices } from '../../src/sandbox/variants.js';
import { isDeployed, type Stage, stage } from './stage.js';

/** What a client makes of each choice. */
type Scenes = { readonly [Row in keyof Variants]: { readonly [Choice in Variants[Row]]: unknown } };

interface Scene {
  readonly play: (world: Stage) => Promise<unknown>;
  readonly outcomes: Readonly<Record<string, unknown>>;
}

const lotIn = ({ sandbox }: Stage, label = 'live-open') => {
  const [lot] = sandbox.auctions.get(label).lots;
  if (lot === undefined) throw new Error('no lots');
  return lot;
};

/** The sale of a lot that the dealer won; the bank has yet to decide it. */
async function pendingSale(world: Stage) {
  const lot = lotIn(world);
  await world.dealer.bids.submit(lot.id, { amount: lot.startingPrice });
  world.sandbox.auctions.close('live-open');
  const [sale] = await world.bank.saleCases.list().toArray();
  if (sale === undefined) throw new Error('no sale');
  return sale;
}

const approval = (bid_id: string | undefined) => ({
  decision: 'approved',
  bid_id: bid_id ?? '',
  reason: 'Above the reserve',
  terms_version: 'T1',
  due_at: '2026-03-09T18:00:00+05:30',
  payee_instructions: 'NEFT to account 0042',
});

/** Class and facts of what a call is rejected with; the data of one that succeeds. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  const [settled] = await Promise.allSettled([call]);
  if (settled?.status === 'fulfilled') return 'done';
  const { name, status, code } = settled?.reason ?? {};
  return [name, status, code];
}

const refusedBy = (change: object) => (world: Stage) => {
  world.sandbox.partners.update(world.sandbox.credentials.dealer.clientId, change);
  return outcomeOf(world.dealer.integration.profile());
};

const scenes: { readonly [Row in keyof Variants]: Scene & { readonly outcomes: Scenes[Row] } } = {
  'bank-unavailable-status': {
    play: refusedBy({ bankSubscription: false }),
    outcomes: {
      '402': ['PermissionError', 402, 'BANK_UNAVAILABLE'],
      '403': ['PermissionError', 403, 'BANK_UNAVAILABLE'],
    },
  },
  'inactive-client-status': {
    play: refusedBy({ active: false }),
    outcomes: {
      '401': ['AuthenticationError', 401, 'API_CLIENT_NOT_ACTIVE'],
      '403': ['AuthenticationError', 403, 'API_CLIENT_NOT_ACTIVE'],
    },
  },
  'wrong-actor-code': {
    play: ({ dealer }) => outcomeOf(dealer.request({ method: 'GET', path: '/bank/inventory/schemas' })),
    outcomes: {
      'scope-denied': ['PermissionError', 403, 'SCOPE_DENIED'],
      'bank-access-denied': ['PermissionError', 403, 'BANK_ACCESS_DENIED'],
      message: ['PermissionError', 403, undefined],
      'not-found': ['NotFoundError', 404, undefined],
    },
  },
  'idempotency-conflict-message': {
    play: async (world) => {
      const { id, startingPrice } = lotIn(world);
      const receipt = await world.dealer.bids.submit(id, { amount: startingPrice });
      const { idempotencyKey = '' } = responseOf(receipt);
      const amount = (Number(startingPrice) + 5_000).toFixed(2);
      return outcomeOf(world.forgetful.bids.submit(id, { amount }, { idempotencyKey }));
    },
    outcomes: {
      code: ['IdempotencyConflictError', 409, 'IDEMPOTENCY_CONFLICT'],
      message: ['IdempotencyConflictError', 409, 'IDEMPOTENCY_CONFLICT'],
    },
  },
  'key-in-flight': {
    play: async (world) => {
      const { sandbox, dealer, forgetful } = world;
      const { id, startingPrice } = lotIn(world);
      await forgetful.verify();
      await dealer.verify();
      const before = sandbox.attempts().length;
      const idempotencyKey = randomUUID();
      sandbox.inject({ fault: 'delay', ms: 5_000, operation: 'bids.submit' });
      const first = dealer.bids.submit(id, { amount: startingPrice }, { idempotencyKey });
      while (sandbox.attempts()[before]?.fault !== 'delay') {
        await new Promise((resolve) => setImmediate(resolve));
      }
      const copy = sandbox.attempts().length;
      const second = outcomeOf(forgetful.bids.submit(id, { amount: startingPrice }, { idempotencyKey }));
      while (typeof sandbox.attempts()[copy]?.status !== 'number') {
        await new Promise((resolve) => setImmediate(resolve));
      }
      sandbox.clock.advance(5_000);
      return [await outcomeOf(first), await second, sandbox.ledger().length];
    },
    outcomes: {
      'carried-out': ['done', 'done', 1],
      // The message alone makes it a conflict, which the client never resends.
      refused: ['done', ['IdempotencyConflictError', 409, 'IDEMPOTENCY_CONFLICT'], 1],
    },
  },
  'key-retention': {
    play: async (world) => {
      const { id, startingPrice } = lotIn(world);
      const receipt = await world.dealer.bids.submit(id, { amount: startingPrice });
      world.sandbox.clock.advance(86_400_000);
      return (await world.dealer.bids.lookup(responseOf(receipt).idempotencyKey ?? '')).state;
    },
    outcomes: { forever: 'accepted', 'a-day': 'absent' },
  },
  'lookup-unknown-key': {
    play: ({ dealer }) => outcomeOf(dealer.bids.lookup(randomUUID())),
    outcomes: { absent: 'done', 'not-found': ['NotFoundError', 404, undefined] },
  },
  'expected-version-conflict': {
    play: async (world) => {
      const { bank } = world;
      const { id, data, resource_version } = await pendingSale(world);
      const stale = { ...approval(data?.bid_id), expected_version: (resource_version ?? 0) + 1 };
      return outcomeOf(bank.saleCases.decide(id, stale));
    },
    outcomes: {
      '409': ['VersionConflictError', 409, undefined],
      '412': ['VersionConflictError', 412, undefined],
      '422': ['VersionConflictError', 422, undefined],
      // A framework sends the message alone.
      code: ['VersionConflictError', 409, isDeployed ? undefined : 'VERSION_CONFLICT'],
    },
  },
  'new-record-version': {
    play: async (world) => {
      const { bank } = world;
      const sale = await pendingSale(world);
      const terms = { amount: '400000', currency: 'INR', terms_version: 'T2', reason: 'More' } as const;
      await bank.saleCases.offer(sale, { ...terms, valid_until: '2026-03-02T18:00:00+05:30' });
      // With the version that was read before the first offer.
      return outcomeOf(bank.saleCases.offer(sale, { ...terms, valid_until: '2026-03-03T18:00:00+05:30' }));
    },
    outcomes: { moves: ['VersionConflictError', 409, undefined], stays: 'done' },
  },
  'decision-values': {
    play: async (world) => {
      const { id, resource_version = 0 } = await pendingSale(world);
      const body = { decision: 'rejected', reason: 'Too low', expected_version: resource_version };
      return outcomeOf(world.bank.request({ method: 'POST', path: `/sale-cases/${id}/decisions`, body }));
    },
    outcomes: { shown: ['ValidationError', 422, undefined], 'rejected-too': 'done' },
  },
  'second-approver-reply': {
    play: async (world) => {
      const sale = await pendingSale(world);
      return (await world.bank.saleCases.decide(sale, approval(sale.data?.bid_id))).state;
    },
    outcomes: { 'one-approver': 'approved', 'two-approvers': 'pending_bank_approval' },
  },
  'late-bid-extension': {
    play: async (world) => {
      const { id, startingPrice } = lotIn(world);
      const { closesAt } = world.sandbox.auctions.get('live-open');
      world.sandbox.clock.advanceTo(closesAt - 60_000);
      const receipt = await world.dealer.bids.submit(id, { amount: startingPrice });
      return Date.parse(receipt.effective_close_at ?? '') - closesAt;
    },
    outcomes: { none: 0, 'late-bids-extend': 60_000 },
  },
  'unknown-fields': {
    play: async (world) => {
      const { id, startingPrice } = lotIn(world);
      const { bid_id } = await world.dealer.bids.submit(id, { amount: startingPrice });
      const asked = { reason_code: 'SLIP', explanation: 'One zero too many' };
      const extraBody = { campaign: 'spring' };
      return outcomeOf(world.dealer.bids.requestCancellation(bid_id, asked, { extraBody }));
    },
    outcomes: { ignored: 'done', refused: ['ValidationError', 422, undefined] },
  },
  'unstated-checks': {
    play: async (world) => {
      const sale = await pendingSale(world);
      const late = { ...approval(sale.data?.bid_id), due_at: '2026-02-01T10:00:00Z' };
      const refused = await outcomeOf(world.bank.saleCases.decide(sale, late));
      const current = await world.bank.saleCases.get(sale.id);
      if (current.state !== 'approved')
        await world.bank.saleCases.decide(current, approval(sale.data?.bid_id));
      const acknowledge = async () =>
        world.dealer.saleCases.acknowledge(await world.dealer.saleCases.get(sale.id), {
          terms_version: 'T1',
        });
      await acknowledge();
      return [refused, await outcomeOf(acknowledge())];
    },
    outcomes: {
      refused: [
        ['ValidationError', 422, undefined],
        ['ConflictError', 409, undefined],
      ],
      passed: ['done', 'done'],
    },
  },
  'webhook-operative': {
    play: async ({ bank }) => {
      const body = { name: 'desk', url: 'https://bank.example/hooks', events: ['sale.approved'] };
      const made = outcomeOf(bank.request({ method: 'POST', path: '/webhook-subscriptions', body }));
      return [await made, (await bank.integration.capabilities()).webhooks?.['enabled']];
    },
    outcomes: { off: [['NotFoundError', 404, undefined], false], on: ['done', true] },
  },
};

describe.each(Object.entries(scenes))('the variant %s', (row, { play, outcomes }: Scene) => {
  it('has a scene for each of its choices', () => {
    expect(Object.keys(outcomes).sort()).toEqual([...choices[row as keyof Variants]].sort());
  });

  it.each(Object.entries(outcomes))('%s makes a client see its own outcome', async (choice, outcome) => {
    await using world = await stage('', { variants: { [row]: choice } });
    expect(await play(world)).toEqual(outcome);
  });
});
