import { describe, expect, it } from 'vitest';
import { retryOnConflict } from '../../src/approvals/retry-on-conflict.js';
import { ApiError, BankClient, compareReport } from '../../src/index.js';
import { credentials, thrownBy } from '../support/clients.js';

const dues = {
  ...{ sale_id: 'sal_1', state: 'unpaid', resource_version: 1 },
  ...{ due_amount: '465000.00', verified_credits: '0.00', remaining: '465000.00', excess: '0.00' },
};
const data = { sale_id: 'sal_1', amount: '465000.00', currency: 'INR', utr: 'EXMP01' };
const report = { id: 'rep_1', state: 'reported_pending_verification', resource_version: 1, data };

describe('compareReport', () => {
  it('finds nothing where report, receipt and dues agree, however the amounts are written', () => {
    const receipt = { utr: ' exmp01', amount: '465000' };
    expect(compareReport(report, { receipt, dues })).toEqual({
      verdict: 'matches',
      matches: true,
      differences: [],
    });
  });

  it.each([
    ['amount', { amount: '464999.99' }, {}, -1n],
    ['utr', { utr: 'EXMP02' }, {}, undefined],
    ['sale_id', { saleId: 'sal_2' }, {}, undefined],
    ['currency', { currency: 'USD' }, {}, undefined],
    ['state', {}, { state: 'rejected' }, undefined],
  ])('says what differs, in paise: %s', (field, receipt, changes, paise) => {
    const given = { receipt: { utr: 'EXMP01', amount: '465000.00', ...receipt }, dues };
    const { verdict, matches, differences } = compareReport({ ...report, ...changes }, given);
    expect([verdict, matches]).toEqual(['differs', false]);
    expect(differences[0]).toMatchObject({ field, ...(paise !== undefined && { paise }) });
  });

  it.each<[readonly unknown[], readonly string[]]>([
    [[], ['report', 'receipt', 'dues']],
    [
      [report, {}],
      ['receipt', 'dues'],
    ],
    [[report, { receipt: { amount: '1' }, dues }], ['receipt.utr']],
  ])('names what it was not given: %#', (args, paths) => {
    const error = thrownBy(() => Reflect.apply(compareReport, undefined, args));
    expect(error).toMatchObject({
      name: 'InvalidRequestError',
      issues: paths.map((path) => expect.objectContaining({ path })),
    });
  });

  it('tells a report that is already verified from one that differs', () => {
    const verified = { ...report, state: 'verified' };
    const paid = { ...dues, remaining: '0.00' };
    const receipt = { utr: 'EXMP01', amount: '465000.00' };
    const same = compareReport(verified, { receipt, dues: paid });
    expect(same).toMatchObject({ verdict: 'already_verified', matches: false });
    expect(same.differences.map(({ field }) => field)).toEqual(['remaining']);
    const other = compareReport(verified, { receipt: { ...receipt, utr: 'EXMP02' }, dues: paid });
    expect(other).toMatchObject({ verdict: 'differs', matches: false });
    expect(other.differences.map(({ field }) => field)).toEqual(['utr', 'remaining']);
  });

  it('tells a part payment apart from a mistake', () => {
    const part = { ...report, data: { ...data, amount: '100000.00' } };
    const found = compareReport(part, { receipt: { utr: 'EXMP01', amount: '100000.00' }, dues });
    const amounts = { reported: '465000.00', received: '100000.00', paise: -36_500_000n };
    expect(found).toEqual({
      verdict: 'matches',
      matches: true,
      differences: [{ field: 'remaining', ...amounts }],
    });
  });
});

describe('retryOnConflict', () => {
  const refusal = (provisional = false) =>
    new ApiError({
      ...{ outcome: 'refused', what: 'Refused.', nextStep: 'Read.', status: 409, codes: [] },
      provisional,
    });

  it('of a bank reads a record again and runs the command again where somebody was faster', async () => {
    const common = { baseUrl: 'https://bank.example/api/v1', environment: 'sandbox' } as const;
    const bank = new BankClient({ ...common, credentials });
    let version = 1;
    const act = async (record: { readonly resource_version: number }) => {
      version = 2;
      return record.resource_version === version ? 'done' : Promise.reject(refusal());
    };
    expect(await bank.retryOnConflict(async () => ({ resource_version: version }), act)).toBe('done');
  });

  it('throws a provisional refusal, because the command itself may have moved the record', async () => {
    let version = 1;
    let rounds = 0;
    const act = () => {
      version += 1;
      rounds += 1;
      return Promise.reject(refusal(true));
    };
    const read = async () => ({ resource_version: version });
    await expect(retryOnConflict(read, act)).rejects.toThrow('Refused.');
    expect(rounds).toBe(1);
  });

  it('throws the refusal of a record that has not moved, other errors at once, and after its rounds', async () => {
    const still = async () => ({ resource_version: 1 });
    await expect(retryOnConflict(still, () => Promise.reject(refusal()))).rejects.toThrow('Refused.');
    await expect(retryOnConflict(still, () => Promise.reject(new Error('own')))).rejects.toThrow('own');
    let version = 0;
    const moving = async () => ({ resource_version: version++ });
    let acts = 0;
    const failing = () => {
      acts += 1;
      return Promise.reject(refusal());
    };
    await expect(retryOnConflict(moving, failing, { rounds: 3 })).rejects.toThrow('Refused.');
    expect(acts).toBe(3);
    await expect(retryOnConflict(moving, failing, { rounds: 0 })).rejects.toMatchObject({ option: 'rounds' });
  });
});
