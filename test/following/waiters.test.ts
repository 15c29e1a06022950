import { describe, expect, it } from 'vitest';
import type { Caller } from '../../src/core/caller.js';
import type { WaitError } from '../../src/errors/local.js';
import { Documents } from '../../src/files/documents.js';
import type { WaitOptions } from '../../src/following/wait.js';
import {
  BankPaymentReports,
  BankSaleCases,
  PartnerPaymentReports,
  PartnerSaleCases,
  Refunds,
} from '../../src/following/waiters.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { testPace } from './support.js';

type Pace = ReturnType<typeof testPace>['pace'];
type Waiter = (call: Caller, pace: Pace, options?: WaitOptions) => Promise<object>;

/** Lets a waiter read these records, one after the other, the last one again and again. */
async function waited(waiter: Waiter, records: readonly object[], options?: WaitOptions) {
  const clock = new VirtualClock();
  const operations = new Set<string>();
  let reads = 0;
  const call = (async (route: { readonly id: string }) => {
    operations.add(route.id);
    reads += 1;
    return { id: 'rec_1', resource_version: 1, ...records[Math.min(reads, records.length) - 1] };
  }) as Caller;
  let outcome: object | undefined;
  waiter(call, testPace(clock).pace, options).then(
    (value) => {
      outcome = value;
    },
    (error: WaitError) => {
      outcome = { reason: error.reason, state: error.state };
    },
  );
  while (outcome === undefined) await clock.advance(1_000);
  return { outcome, reads, operations: [...operations] };
}

const states = (...names: readonly string[]) => names.map((state) => ({ state }));

const waiters: readonly (readonly [
  name: string,
  waiter: Waiter,
  before: readonly string[],
  reached: string,
  ended: readonly string[],
])[] = [
  [
    'saleCases.waitUntilApproved of a partner',
    (call, pace, options) => new PartnerSaleCases(call, pace).waitUntilApproved('sal_1', options),
    ['provisional'],
    'approved',
    ['rejected', 'cancelled'],
  ],
  [
    'saleCases.waitUntilApproved of a bank',
    (call, pace, options) => new BankSaleCases(call, pace).waitUntilApproved('sal_1', options),
    ['provisional'],
    'approved',
    ['rejected', 'cancelled'],
  ],
  [
    'saleCases.waitUntilTransferred of a partner',
    (call, pace, options) => new PartnerSaleCases(call, pace).waitUntilTransferred('sal_1', options),
    ['not_started', 'submitted', 'pending_documents', 'pending-documents'],
    'completed',
    ['rejected'],
  ],
  [
    'saleCases.waitUntilTransferred of a bank',
    (call, pace, options) => new BankSaleCases(call, pace).waitUntilTransferred('sal_1', options),
    ['not_started'],
    'completed',
    ['rejected'],
  ],
  [
    'paymentReports.waitUntilVerified of a partner',
    (call, pace, options) => new PartnerPaymentReports(call, pace).waitUntilVerified('rep_1', options),
    ['reported_pending_verification'],
    'verified',
    [],
  ],
  [
    'paymentReports.waitUntilVerified of a bank',
    (call, pace, options) => new BankPaymentReports(call, pace).waitUntilVerified('rep_1', options),
    ['reported_pending_verification'],
    'verified',
    [],
  ],
  [
    'refunds.waitUntilCompleted',
    (call, pace, options) => new Refunds(call, pace).waitUntilCompleted('ref_1', options),
    ['requested', 'approved_pending_execution', 'processing'],
    'succeeded',
    ['failed'],
  ],
  [
    'documents.waitUntilReady',
    (call, pace, options) => new Documents(call, pace).waitUntilReady('doc_1', options),
    ['awaiting_scan'],
    'ready',
    [],
  ],
];

describe.each(waiters)('%s', (_, waiter, before, reached, ended) => {
  it('waits through every state before, and returns the record', async () => {
    const { outcome, reads } = await waited(waiter, states(...before.slice(0, 1), reached));
    expect([outcome, reads]).toEqual([expect.objectContaining({ state: reached }), 2]);
    for (const state of before.slice(1)) {
      expect((await waited(waiter, states(state, reached))).outcome).toMatchObject({ state: reached });
    }
  });

  it('ends at a state after which it can not come, and at one that the API does not describe', async () => {
    for (const state of ended) {
      expect((await waited(waiter, states(...before.slice(0, 1), state))).outcome).toEqual({
        reason: 'ended',
        state,
      });
    }
    const odd = await waited(waiter, states(...before.slice(0, 1), 'under_investigation'));
    expect(odd.outcome).toEqual({ reason: 'unknown_state', state: 'under_investigation' });
  });

  it('ends with its deadline', async () => {
    const { outcome } = await waited(waiter, states(...before.slice(0, 1)), { deadline: 60_000 });
    expect(outcome).toEqual({ reason: 'deadline', state: before[0] });
  });
});

describe('saleCases.waitUntilPaid', () => {
  const paid: Waiter = (call, pace, options) =>
    new PartnerSaleCases(call, pace).waitUntilPaid('sal_1', options);
  const dues = (...amounts: readonly string[]) => amounts.map((remaining) => ({ remaining }));

  it('waits until nothing remains, however that is spelt', async () => {
    for (const none of ['0', '0.00']) {
      const { outcome, reads, operations } = await waited(paid, dues('465000.00', '0.01', none));
      expect([outcome, reads, operations]).toEqual([
        expect.objectContaining({ remaining: none }),
        3,
        ['A34'],
      ]);
    }
  });

  it('ends with its deadline while something remains', async () => {
    const { outcome } = await waited(paid, dues('0.01'), { deadline: 60_000 });
    expect(outcome).toMatchObject({ reason: 'deadline' });
  });
});

describe('saleCases.waitUntilOfferAnswered, which reads the sale', () => {
  const offer = (state: string, over: object = {}) => ({
    state: 'provisional',
    data: {
      active_offer: {
        id: 'ofr_1',
        state,
        resource_version: 2,
        data: { amount: '470000.00', terms_version: 'T4', valid_until: '2026-03-02T10:00:00Z' },
        ...over,
      },
    },
  });
  const answered: Waiter = (call, pace, options) =>
    new BankSaleCases(call, pace).waitUntilOfferAnswered('sal_1', options);
  const of =
    (id: string): Waiter =>
    (call, pace) =>
      new BankSaleCases(call, pace).waitUntilOfferAnswered('sal_1', { offer: id });

  it.each(['accepted', 'declined'])('returns the offer once it is %s', async (state) => {
    const { outcome, operations } = await waited(answered, [offer('open'), offer(state)]);
    expect([outcome, operations]).toEqual([expect.objectContaining({ id: 'ofr_1', state }), ['A21']]);
  });

  it('ends where the sale no longer has the offer', async () => {
    const gone = { state: 'provisional', data: { active_offer: null } };
    for (const later of [gone, offer('open', { id: 'ofr_2' })]) {
      expect((await waited(answered, [offer('open'), later])).outcome).toMatchObject({ reason: 'ended' });
    }
    expect((await waited(of('ofr_9'), [offer('open')])).outcome).toMatchObject({ reason: 'ended' });
  });

  it('ends at a state or a shape that it can not read', async () => {
    for (const odd of [offer('paused'), offer('open', { resource_version: 'x' })]) {
      expect((await waited(answered, [offer('open'), odd])).outcome).toMatchObject({
        reason: 'unknown_state',
      });
    }
  });
});
