import { describe, expect, it } from 'vitest';
import type { WaitError } from '../../src/errors/local.js';
import { Documents } from '../../src/files/documents.js';
import type { Pace } from '../../src/following/pace.js';
import { Refunds, withReportWaits, withSaleWaits } from '../../src/following/waiters.js';
import { BankPaymentReports } from '../../src/generated/payment-reports.js';
import { PartnerSaleCases } from '../../src/generated/sale-cases.js';
import { callerOf } from '../../src/paging/caller.js';
import type { Call, Caller } from '../../src/ports/caller.js';
import { VirtualClock } from '../support/virtual-clock.js';
import { apiError, testPace } from './support.js';

/** Makes the calls of a resource with their waits. Both actors have the same ones. */
type Resource = (call: Caller, pace: Pace) => object;

const saleCases: Resource = (call, pace) => withSaleWaits(new PartnerSaleCases(call), pace);
const paymentReports: Resource = (call, pace) => withReportWaits(new BankPaymentReports(call), pace);

/** Lets a wait of a resource read these records, one after the other, the last one again and again. */
async function waited(
  resource: Resource,
  method: string,
  records: readonly object[],
  options: object = { deadline: 60_000 },
) {
  const clock = new VirtualClock();
  const operations = new Set<string>();
  let reads = 0;
  const call = callerOf((async (route: { readonly id: string }) => {
    operations.add(route.id);
    reads += 1;
    const record = records[Math.min(reads, records.length) - 1];
    if (record instanceof Error) throw record;
    return { id: 'rec_1', resource_version: 1, ...record };
  }) as Call);
  const calls = resource(call, testPace(clock).pace);
  const waiting: Promise<object> = Reflect.apply(Reflect.get(calls, method), calls, ['rec_1', options]);
  let outcome: object | undefined;
  waiting
    .catch(({ reason, state }: WaitError) => ({ reason, state }))
    .then((end) => {
      outcome = end;
    });
  while (outcome === undefined) await clock.advance(1_000);
  return { outcome, reads, operations: [...operations] };
}

const transfers = ['not_started', 'submitted', 'pending_documents', 'pending-documents'];
const refunds = ['requested', 'approved_pending_execution', 'processing'];
const reports = ['reported_pending_verification'];

describe.each<[method: string, Resource, string[], reached: string, ended: string[], operation: string]>([
  ['waitUntilApproved', saleCases, ['provisional'], 'approved', ['rejected', 'cancelled'], 'A21'],
  ['waitUntilTransferred', saleCases, transfers, 'completed', ['rejected'], 'A58'],
  ['waitUntilVerified', paymentReports, reports, 'verified', [], 'A37'],
  ['waitUntilCompleted', (call, pace) => new Refunds(call, pace), refunds, 'succeeded', ['failed'], 'A49'],
  [
    'waitUntilReady',
    (call, pace) => new Documents(call, pace, { ...pace, account: async () => 'a' }),
    ['awaiting_scan'],
    'ready',
    [],
    'A73',
  ],
])('%s', (method, resource, before, reached, ended, operation) => {
  it('waits through every state before, and returns the record', async () => {
    for (const state of before) {
      const { outcome, reads, operations } = await waited(resource, method, [{ state }, { state: reached }]);
      expect([outcome, reads, operations]).toEqual([
        expect.objectContaining({ state: reached }),
        2,
        [operation],
      ]);
    }
  });

  it('ends after a state that leads nowhere, after one that the API does not describe, and at its deadline', async () => {
    const ends = [
      ...ended.map((state) => ({ reason: 'ended', state })),
      { reason: 'unknown_state', state: 'under_investigation' },
      { reason: 'deadline', state: before[0] },
    ];
    for (const { reason, state } of ends) {
      const { outcome } = await waited(resource, method, [{ state: before[0] }, { state }]);
      expect(outcome).toEqual({ reason, state });
    }
  });
});

describe('waitUntilPaid', () => {
  const nothing = { due_amount: '0.00', remaining: '0.00' };
  const due = (remaining: string, over: object = {}) => ({ due_amount: '465000.00', remaining, ...over });
  const approved = { state: 'approved' };

  it.each(['0', '0.00'])('waits until nothing remains, spelt %s, and reads the sale once', async (none) => {
    const records = [due('465000.00'), approved, due('0.01'), due(none)];
    const { outcome, reads, operations } = await waited(saleCases, 'waitUntilPaid', records);
    expect([outcome, reads, operations]).toEqual([
      expect.objectContaining({ remaining: none }),
      4,
      ['A34', 'A21'],
    ]);
  });

  // Dues and sale alternate, because the sale is read while nothing is due.
  const unapproved = [nothing, { state: 'provisional' }];

  it('waits for the approval of a sale of which nothing is due yet, then for its payment', async () => {
    const records = [...unapproved, ...unapproved, due('465000.00', { resource_version: 2 }), approved];
    const { outcome, reads, operations } = await waited(saleCases, 'waitUntilPaid', [
      ...records,
      due('0.00', { resource_version: 2 }),
    ]);
    expect([outcome, reads]).toEqual([expect.objectContaining({ due_amount: '465000.00' }), 7]);
    expect(operations).toEqual(['A34', 'A21']);
  });

  it.each(['rejected', 'cancelled'])('ends for a sale that is %s, whatever is due', async (state) => {
    const after = { resource_version: 2 };
    for (const records of [
      [...unapproved, nothing, { state }],
      [due('5.00'), approved, due('5.00', after), { state }],
      [due('5.00'), approved, due('5.00', { state })],
    ]) {
      const { outcome, reads } = await waited(saleCases, 'waitUntilPaid', records);
      expect([outcome, reads]).toEqual([expect.objectContaining({ reason: 'ended' }), records.length]);
    }
  });

  it('ends for a sale that goes from one state before the approval to one that the API does not describe', async () => {
    const records = [...unapproved, nothing, { state: 'disputed' }];
    expect((await waited(saleCases, 'waitUntilPaid', records)).outcome).toMatchObject({
      reason: 'unknown_state',
    });
  });

  it('returns at once for an approved sale of which nothing is due', async () => {
    expect((await waited(saleCases, 'waitUntilPaid', [nothing, approved])).outcome).toMatchObject(nothing);
  });

  it('ends with its deadline while something remains, also where the sale may not be read', async () => {
    const records = [due('0.01'), apiError(403), due('0.01')];
    expect((await waited(saleCases, 'waitUntilPaid', records)).outcome).toMatchObject({ reason: 'deadline' });
  });
});

describe('waitUntilOfferAnswered', () => {
  const data = { amount: '470000.00', terms_version: 'T4', valid_until: '2026-03-02T10:00:00Z' };
  const offer = (state: string, over: object = {}) => ({
    state: 'provisional',
    data: { active_offer: { id: 'ofr_1', state, resource_version: 2, data, ...over } },
  });
  const answered = (records: readonly object[], options?: object) =>
    waited(saleCases, 'waitUntilOfferAnswered', records, options);

  it.each(['accepted', 'declined'])('reads the sale and returns the offer once it is %s', async (state) => {
    const { outcome, operations } = await answered([offer('open'), offer(state)]);
    expect([outcome, operations]).toEqual([expect.objectContaining({ id: 'ofr_1', state }), ['A21']]);
  });

  it.each<[reason: string, records: object[], options?: object]>([
    ['ended', [offer('open'), { state: 'provisional', data: { active_offer: null } }]],
    ['ended', [offer('open'), offer('open', { id: 'ofr_2' })]],
    ['ended', [offer('open')], { offer: 'ofr_9' }],
    ['unknown_state', [offer('open'), offer('paused')]],
    ['unknown_state', [offer('open'), offer('open', { resource_version: 'x' })]],
    ['deadline', [offer('open')]],
  ])('ends as %s where the sale no longer has the offer, or it can not be read', async (reason, ...given) => {
    expect((await answered(...given)).outcome).toMatchObject({ reason });
  });
});

it.each(['ref_1', { id: 'ref_1' }])(
  'A wait reads the record that it is given, by its id: %j',
  async (given) => {
    const paths: unknown[] = [];
    const call = callerOf((async (_, { path }) => {
      paths.push(path);
      return { state: 'succeeded' };
    }) as Call);
    await new Refunds(call, testPace(new VirtualClock()).pace).waitUntilCompleted(given);
    expect(paths).toEqual([{ refund: 'ref_1' }]);
  },
);
