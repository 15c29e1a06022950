import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/index.js';
import { imported, reportBody } from './funds.js';
import { everything, news, type PaidLot } from './reversals.js';
import { approval, approvedLot, command, done, saleOf, wonLot } from './workflow.js';

let sandbox: Sandbox;
let sold: PaidLot;
const start = async (variants: SandboxOptions['variants'] = {}) => {
  await sandbox?.close();
  sandbox = await startSandbox({
    clock: 'manual',
    startAt: '2026-03-01T10:00:00Z',
    rateLimit: false,
    variants,
  });
  sold = { ...(await wonLot(sandbox)), paymentId: 'pay_none' };
};
beforeEach(() => start({ 'second-approver-reply': 'two-approvers', 'decision-values': 'rejected-too' }));
afterEach(() => sandbox.close());

const approve = async (
  who: 'bank' | 'bankChecker' | 'otherBank',
  change: Record<string, unknown> = {},
): ReturnType<typeof command> =>
  command(sandbox, sandbox.credentials[who], `/api/v1/sale-cases/${sold.saleId}/decisions`, {
    ...(await approval(sandbox, sold)),
    due_at: '2026-03-08T10:00:00Z',
    ...change,
  });

describe('A22 with two approvers', () => {
  // rule: state.sale
  it('is noted first, and shows by the version alone; another credential commits it', async () => {
    const before = await saleOf(sandbox, sold.saleId);
    const first = await approve('bank', { reason: 'Above the reserve' });
    expect([first.status, first.json.data.state, first.json.data.resource_version]).toEqual([
      200,
      'pending_bank_approval',
      2,
    ]);
    expect(await saleOf(sandbox, sold.saleId)).toEqual({ ...before, resource_version: 2 });
    expect(await news(sandbox, sold.who)).toEqual([]);
    // Reason, key and version are each approver's own.
    const second = await approve('bankChecker', { reason: 'Seen' });
    expect([second.status, second.json.data.state, second.json.data.resource_version]).toEqual([
      200,
      'approved',
      3,
    ]);
    expect(await news(sandbox, sold.who)).toEqual(['sale.approved']);
    const commits = sandbox.ledger().filter(({ operation }) => operation === 'A22');
    expect(commits.map(({ clientId }) => clientId)).toEqual(['client_sbx_bank', 'client_sbx_bank_checker']);
    expect((await approve('bank')).json.message).toBe('The sale is decided already.');
  });

  // rule: state.sale
  it('is never committed by the one who noted it, nor by a replay', async () => {
    const key = { idempotency_key: '3f0e6d52-9a41-4d0c-8a0e-5a3b1c2d4e5f', expected_version: 1 };
    const first = await approve('bank', key);
    const again = await approve('bank', key);
    expect([again.headers.get('Idempotent-Replayed'), again.json.data]).toEqual(['true', first.json.data]);
    const before = await everything(sandbox, [sold]);
    const anew = await approve('bank');
    expect([anew.status, anew.json.message]).toEqual([
      409,
      'The decision is noted already; another credential of the bank has to confirm it.',
    ]);
    expect(await everything(sandbox, [sold])).toEqual(before);
  });

  it.each([
    ['other terms', { terms_version: 'T2' }],
    ['another due time', { due_at: '2026-03-09T10:00:00Z' }],
    ['another payee', { payee_instructions: { account: '9' } }],
  ])('is refused where the second says %s', async (_, change) => {
    await done(approve('bank'));
    const before = await everything(sandbox, [sold]);
    const got = await approve('bankChecker', change);
    expect([got.status, got.json.message]).toEqual([
      409,
      'The first approver decided otherwise: both have to say the same.',
    ]);
    expect(await everything(sandbox, [sold])).toEqual(before);
    expect((await approve('bankChecker')).json.data.state).toBe('approved');
  });

  it('can be said anew by the first, and the second confirms that', async () => {
    await done(approve('bank'));
    const other = { payee_instructions: { bank: 'B', account: '9' } };
    expect((await done(approve('bank', other))).state).toBe('pending_bank_approval');
    expect((await approve('bankChecker')).status).toBe(409);
    const same = { payee_instructions: { account: '9', bank: 'B' } };
    expect((await done(approve('bankChecker', same))).state).toBe('approved');
  });

  it('rests on what was there: an offer made since begins it anew', async () => {
    await done(approve('bank'));
    const { resource_version } = await saleOf(sandbox, sold.saleId);
    const offer = await done(
      command(sandbox, sandbox.credentials.bank, `/api/v1/sale-cases/${sold.saleId}/offers`, {
        amount: '1000.00',
        currency: 'INR',
        terms_version: 'T2',
        valid_until: '2026-03-02T10:00:00Z',
        expected_version: resource_version,
      }),
    );
    await done(
      command(sandbox, sold.who, `/api/v1/offers/${offer.id}/responses`, {
        decision: 'declined',
        terms_version: 'T2',
        expected_version: 1,
      }),
    );
    expect((await done(approve('bankChecker'))).state).toBe('pending_bank_approval');
    expect((await done(approve('bank'))).state).toBe('approved');
  });

  it('judges the second as strictly as the first', async () => {
    await done(approve('bank'));
    expect((await approve('bankChecker', { expected_version: 1 })).json.message).toMatch(/version/);
    sandbox.auctions.withdraw(sold.lotId);
    expect((await approve('bankChecker')).status).toBe(409);
    expect((await approve('otherBank', { expected_version: 2 })).status).toBe(404);
  });

  it('is not asked for a rejection: one is enough, and ends it', async () => {
    await done(approve('bank'));
    const { resource_version } = await saleOf(sandbox, sold.saleId);
    const body = { decision: 'rejected', expected_version: resource_version };
    const path = `/api/v1/sale-cases/${sold.saleId}/decisions`;
    expect((await done(command(sandbox, sandbox.credentials.bankChecker, path, body))).state).toBe(
      'rejected',
    );
  });
});

// rule: state.payment-report
it('A38 with two approvers: noted, then verified by another credential', async () => {
  await done(approve('bank'));
  await done(approve('bankChecker'));
  const report = await done(command(sandbox, sold.who, '/api/v1/payment-reports', reportBody(sold)));
  const receipt = await imported(sandbox, sold);
  const verify = (who: 'bank' | 'bankChecker', expected_version: number) =>
    command(sandbox, sandbox.credentials[who], `/api/v1/payment-reports/${report.id}/decisions`, {
      decision: 'verified',
      bank_receipt_id: receipt.id,
      bank_account_reference: 'COLLECTION-7',
      received_amount: sold.amount,
      currency: 'INR',
      expected_version,
    });
  const first = await done(verify('bank', 1));
  expect([first.state, first.resource_version, first.data.decision]).toEqual([
    'reported_pending_verification',
    2,
    undefined,
  ]);
  expect((await news(sandbox, sold.who)).at(-1)).toBe('payment.reported');
  expect((await verify('bank', 2)).status).toBe(409);
  const second = await done(verify('bankChecker', 2));
  expect([second.state, second.resource_version]).toEqual(['verified', 3]);
  expect((await news(sandbox, sold.who)).at(-1)).toBe('payment.verified');
});

describe('a limit on what a credential may approve', () => {
  // rule: state.sale
  it('refuses an approval above it', async () => {
    await start();
    const { bank, bankChecker } = sandbox.credentials;
    const less = (Number(sold.amount) - 0.01).toFixed(2);
    sandbox.partners.update(bank.clientId, { approvalLimit: less });
    const before = await everything(sandbox, [sold]);
    const got = await approve('bank');
    expect([got.status, got.json]).toEqual([
      409,
      { message: `INR ${sold.amount} are more than the INR ${less} that this credential may approve.` },
    ]);
    expect(await everything(sandbox, [sold])).toEqual(before);
    sandbox.partners.update(bankChecker.clientId, { approvalLimit: sold.amount });
    expect((await approve('bankChecker')).status).toBe(200);
  });

  it('is on what is approved: the amount of the offer', async () => {
    await start();
    const { bank } = sandbox.credentials;
    sandbox.partners.update(bank.clientId, { approvalLimit: '1000.00' });
    const offer = await done(
      command(sandbox, bank, `/api/v1/sale-cases/${sold.saleId}/offers`, {
        amount: '1000.00',
        currency: 'INR',
        terms_version: 'T1',
        valid_until: '2026-03-02T10:00:00Z',
        expected_version: 1,
      }),
    );
    await done(
      command(sandbox, sold.who, `/api/v1/offers/${offer.id}/responses`, {
        decision: 'accepted',
        terms_version: 'T1',
        expected_version: 1,
      }),
    );
    expect((await done(approve('bank', { offer_id: offer.id }))).data.amount).toBe('1000.00');
  });

  it('is an INR decimal string, or none', () => {
    const { clientId } = sandbox.credentials.bank;
    expect(() => sandbox.partners.update(clientId, { approvalLimit: '1,000' })).toThrow(RangeError);
    expect(sandbox.partners.get(clientId).approvalLimit).toBeNull();
  });
});

it('one approver is the rule', async () => {
  await start();
  const one = await approvedLot(sandbox, { label: 'live-closed' });
  expect((await saleOf(sandbox, one.saleId)).state).toBe('approved');
});
