import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/index.js';
import { get, onManualClock } from './caller.js';
import { entryBody, evidence, heldToItsKey, paid, reportBody } from './funds.js';
import {
  allocate,
  askBack,
  askToCancel,
  authorize,
  collect,
  decideCancellation,
  decideRefund,
  dispute,
  entryOf,
  everything,
  news,
  type PaidLot,
  paidLot,
} from './reversals.js';
import { approvedLot, command, done, saleOf, wonLot } from './workflow.js';

let sandbox: Sandbox;
let sold: PaidLot;
const start = async (variants: SandboxOptions['variants'] = {}) => {
  await sandbox?.close();
  sandbox = await onManualClock({ variants });
};
beforeEach(() => start());
afterEach(() => sandbox.close());

const read = (id: string, who = sandbox.credentials.bank) => get(sandbox, who, `/api/v1/disputes/${id}`);
const plain = async (): Promise<PaidLot> => ({ ...(await approvedLot(sandbox)), paymentId: 'pay_none' });

describe('A50, a dispute', () => {
  beforeEach(async () => {
    sold = await plain();
  });

  // rule: state.dispute
  it.each(['bank', 'dealer'] as const)('is raised by the %s, literally, once under its key', async (name) => {
    const proof = await evidence(sandbox, sold);
    const before = await saleOf(sandbox, sold.saleId);
    const body = {
      sale_id: sold.saleId,
      reason_code: 'not_as_described',
      explanation: 'The odometer shows more',
      evidence_id: proof,
    };
    const made = await heldToItsKey(sandbox, sandbox.credentials[name], '/api/v1/disputes', body);
    expect(made).toEqual({
      id: expect.stringMatching(/^dsp_/),
      kind: 'dispute',
      state: 'open',
      resource_version: 1,
      data: body,
      created_at: '2026-03-01T10:00:01.000Z',
      updated_at: '2026-03-01T10:00:01.000Z',
    });
    expect(sandbox.ledger().at(-1)).toMatchObject({ operation: 'A50', saleId: sold.saleId });
    expect(await saleOf(sandbox, sold.saleId)).toEqual(before);
    for (const who of [sandbox.credentials.bank, sold.who]) {
      expect((await read(made.id, who)).json).toEqual({
        data: made,
        server_time: '2026-03-01T10:00:01.500Z',
      });
      expect((await news(sandbox, who)).at(-1)).toBe('dispute.opened');
    }
    const unknown = await read('dsp_none');
    const { rival, platform, otherBank } = sandbox.credentials;
    for (const who of [rival, platform, otherBank]) {
      const got = await read(made.id, who);
      expect([got.status, got.json]).toEqual([404, unknown.json]);
    }
  });

  it('needs neither words nor evidence', async () => {
    const made = await done(dispute(sandbox, sold, { explanation: undefined }));
    expect(made.data).toEqual({
      sale_id: sold.saleId,
      reason_code: 'not_as_described',
      explanation: null,
      evidence_id: null,
    });
  });

  it('may be about a sale that is not decided', async () => {
    const undecided = await wonLot(sandbox, { label: 'live-closed' });
    expect((await dispute(sandbox, undecided)).status).toBe(200);
  });
});

describe('an open dispute', () => {
  let id: string;
  let releaseId: string;
  let requestId: string;
  let spareId: string;
  const prepare = async (variants: SandboxOptions['variants'] = {}) => {
    await start(variants);
    sold = await paidLot(sandbox);
    releaseId = (await done(authorize(sandbox, sold))).id;
    spareId = (await paid(sandbox, sold, { ...entryOf(sold, 2), amount: '100.00' })).id;
    requestId = (await done(askBack(sandbox, spareId, '40.00'))).id;
    id = (await done(dispute(sandbox, sold))).id;
  };
  /** What could be frozen, and what its refusal says. */
  const acts = (): [string, () => ReturnType<typeof command>][] => [
    ['The collection', () => collect(sandbox, sold, releaseId)],
    ['The release', () => authorize(sandbox, sold)],
    ['The refund', () => decideRefund(sandbox, requestId)],
    ['The allocation', () => allocate(sandbox, spareId, sold.saleId, '10.00')],
    ['Reporting a payment', () => command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold))],
    [
      'The cancellation',
      async () => decideCancellation(sandbox, (await done(askToCancel(sandbox, sold))).id),
    ],
  ];
  const frozen = async () => {
    const names: string[] = [];
    for (const [what, act] of acts()) {
      const { status, json } = await act();
      if (status === 409 && json.message === `${what} is frozen: dispute ${id} is open.`) names.push(what);
    }
    return names;
  };

  // rule: state.release, state.dispute
  it('freezes collection, release and refund', async () => {
    await prepare();
    expect(await frozen()).toEqual(['The collection', 'The release', 'The refund']);
  });

  // rule: state.dispute
  it('changes nothing of what it freezes, and lets it go when it is resolved', async () => {
    await prepare();
    const paths = [`/api/v1/release-authorizations/${releaseId}`, `/api/v1/disputes/${id}`];
    const before = await everything(sandbox, [sold], paths);
    expect((await acts()[0]?.[1]())?.status).toBe(409);
    expect((await decideRefund(sandbox, requestId)).status).toBe(409);
    expect(await everything(sandbox, [sold], paths)).toEqual(before);
    sandbox.clock.advance(5_000);
    expect(sandbox.actors.set(id, 'resolved')).toMatchObject({
      id,
      state: 'resolved',
      data: { sale_id: sold.saleId },
    });
    expect((await read(id)).json.data).toMatchObject({
      state: 'resolved',
      resource_version: 2,
      updated_at: '2026-03-01T10:00:05.000Z',
    });
    expect((await news(sandbox, sold.who)).at(-1)).toBe('dispute.resolved');
    expect((await decideRefund(sandbox, requestId)).status).toBe(200);
    expect((await collect(sandbox, sold, releaseId)).status).toBe(200);
  });

  it('is one of several: all have to be resolved', async () => {
    await prepare();
    const second = await done(dispute(sandbox, sold, {}, sandbox.credentials.bank));
    sandbox.actors.set(id, 'resolved');
    const got = await collect(sandbox, sold, releaseId);
    expect(got.json.message).toBe(`The collection is frozen: dispute ${second.id} is open.`);
    sandbox.actors.set(second.id, 'resolved');
    expect((await collect(sandbox, sold, releaseId)).status).toBe(200);
  });

  // rule: state.dispute
  it('leaves other sales alone, a revocation, and a refusal of the refund', async () => {
    await prepare({ 'decision-values': 'rejected-too' });
    const other = await paidLot(sandbox, { label: 'live-closed' });
    const { id: otherRelease } = await done(authorize(sandbox, other));
    expect((await collect(sandbox, other, otherRelease)).status).toBe(200);
    const url = `/api/v1/release-authorizations/${releaseId}/revocations`;
    const revoked = await command(sandbox, sandbox.credentials.bank, url, { expected_version: 1 });
    expect(revoked.status).toBe(200);
    expect((await decideRefund(sandbox, requestId, { decision: 'rejected' })).status).toBe(200);
  });

  it('freezes the refund of money that is credited to its sale, wherever it came in', async () => {
    await prepare();
    const other = await approvedLot(sandbox, { label: 'live-closed' });
    const url = '/api/v1/bank-receipts/imports';
    const entry = { ...entryOf(other), amount: '50.00' };
    await done(command(sandbox, sandbox.credentials.bank, url, entryBody(other, entry)));
    const receipts = await get(sandbox, other.who, `/api/v1/sale-cases/${other.saleId}/receipts`);
    const payment = receipts.json.data.payments[0].id;
    await done(allocate(sandbox, payment, sold.saleId, '50.00'));
    const asked = await done(askBack(sandbox, payment, '50.00'));
    expect((await decideRefund(sandbox, asked.id)).json.message).toBe(
      `The refund is frozen: dispute ${id} is open.`,
    );
  });

  // rule: state.dispute
  it('is resolved once, and by its id', async () => {
    await prepare();
    sandbox.actors.set(id, 'resolved');
    const before = sandbox.records('dispute');
    expect(() => sandbox.actors.set(id, 'resolved')).toThrow(`dispute ${id} is resolved;`);
    expect(() => sandbox.actors.set('dsp_none', 'resolved')).toThrow('the sandbox has no record "dsp_none"');
    expect(sandbox.records('dispute')).toEqual(before);
  });
});
