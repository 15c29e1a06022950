import { Big } from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as sdk from '../../src/index.js';
import { accepted, bank, dealer } from '../support/clients.js';
import type { ScriptedTransport } from '../support/scripted-transport.js';

fc.configureGlobal({ seed: 20260311, numRuns: 500 });

const { compareReport, formatInr, isAmount, isOnGrid, minimumBid, nextBids, nextOnGrid, percentOf, toPaise } =
  sdk;

/** Another copy of big.js: its numbers are no instances of the `Big` of this module. */
const OtherBig = Big();
const paise = fc.bigInt({ min: 1n, max: 10n ** 14n - 1n });

describe('An amount given as a Big, of any copy of big.js', () => {
  it('is the same as its decimal string to every function of money', () => {
    fc.assert(
      fc.property(paise, fc.constantFrom(Big, OtherBig), (amount, Copy) => {
        const text = sdk.fromPaise(amount);
        const big = new Copy(text);
        expect(toPaise(big)).toBe(amount);
        expect(isAmount(big)).toBe(true);
        expect(formatInr(big)).toBe(formatInr(text));
        expect(percentOf(big, new Copy('2.5'))).toBe(percentOf(text, '2.5'));
        expect(sdk.beforePercent(big, '18')).toBe(sdk.beforePercent(text, '18'));
        const grid = { startingPrice: new Copy('450000'), increment: new Copy('5000') };
        const textGrid = { startingPrice: '450000', increment: '5000' };
        expect(isOnGrid({ ...grid, amount: big })).toBe(isOnGrid({ ...textGrid, amount: text }));
        expect(nextOnGrid({ ...grid, atLeast: big })).toBe(nextOnGrid({ ...textGrid, atLeast: text }));
        const situation = { ...grid, bidType: 'open', highestAmount: big } as const;
        const textSituation = { ...textGrid, bidType: 'open', highestAmount: text } as const;
        expect(minimumBid(situation)).toBe(minimumBid(textSituation));
        expect(nextBids(situation, 3)).toEqual(nextBids(textSituation, 3));
      }),
    );
  });

  it.each([
    new Big('465000.005'),
    new Big('0'),
    new Big('-1'),
    new Big('1e12'),
    { s: 1, e: 0, c: [1] },
    { s: 1, e: 0, c: [1], toFixed: () => 1 },
    { toFixed: () => '1' },
  ])('is refused before the network where it is not an amount: %s', async (amount) => {
    expect(isAmount(amount)).toBe(false);
    const { client, transport } = dealer([]);
    const call = Reflect.apply(client.bids.submit, client.bids, ['lot_1', { amount }]);
    await expect(call).rejects.toMatchObject({ name: 'InvalidRequestError', issues: [{ path: 'amount' }] });
    expect(transport.sent).toEqual([]);
  });

  it('has to be rounded by you: the message says so', async () => {
    const { client } = dealer([]);
    await expect(client.bids.place({ lot: 'lot_1', amount: new Big('1').div(3) })).rejects.toThrow(
      'round it first',
    );
  });

  it('is sent as its decimal string by bids.submit, bids.place and placeAll', async () => {
    const amount = new OtherBig('465000.5');
    const amounts = async (bid: (client: ReturnType<typeof dealer>['client']) => PromiseLike<unknown>) => {
      const { client, transport } = dealer([{ status: 201, json: accepted() }]);
      await bid(client);
      return amountsIn(transport);
    };
    expect(await amounts(({ bids }) => bids.submit('lot_1', { amount }))).toEqual(['465000.5']);
    expect(await amounts(({ bids }) => bids.place({ lot: 'lot_1', amount }))).toEqual(['465000.5']);
    const row = { rowId: 'r1', lot: 'lot_1', amount };
    expect(await amounts(({ bids }) => bids.placeAll([row], { batchId: 'b1' }).summary)).toEqual([
      '465000.50',
    ]);
  });

  it('is sent as its decimal string by every command and query that takes an amount', async () => {
    const amount = new OtherBig('1200.5');
    const banks = bank([]);
    const partners = dealer([]);
    const versioned = { resource_version: 3 };
    const calls = [
      banks.client.saleCases.offer(
        { id: 'sale_1', ...versioned },
        { amount, currency: 'INR', terms_version: 1, valid_until: '2027-01-01T00:00:00Z', reason: 'r' },
      ),
      banks.client.payments.allocate({ id: 'pay_1', ...versioned }, { sale_id: 'sale_1', amount }),
      banks.client.payments.requestRefund({ id: 'pay_1', ...versioned }, { amount, reason: 'r' }),
      banks.client.bankReceipts.import({
        ...{
          sale_id: 'sale_1',
          bank_account_reference: 'acc_1',
          utr: 'UTR1',
          external_transaction_id: 't_1',
        },
        ...{ amount, currency: 'INR', value_date: '2026-11-26' },
      }),
      banks.client.paymentReports.decide(
        { id: 'rep_1', ...versioned },
        { decision: 'verified', reason: 'r', received_amount: amount, currency: 'INR' },
      ),
      partners.client.paymentReports.create({
        ...{ sale_id: 'sale_1', amount, currency: 'INR', method: 'bank_transfer', utr: 'UTR1' },
        ...{ paid_at: '2026-11-26T00:00:00Z', evidence_id: 'doc_1' },
      }),
      partners.client.eligibility.check({ lot_id: 'lot_1', amount }),
    ];
    const errors = await Promise.all(
      calls.map((call) =>
        call.then(
          () => undefined,
          (error: unknown) => error,
        ),
      ),
    );
    expect(errors.map((error) => sdk.isVehicleAuctionError(error, 'InvalidRequestError'))).toEqual(
      calls.map(() => false),
    );
    expect(new Set(banks.transport.sent.map(({ path }) => path)).size).toBe(5);
    expect(new Set(amountsIn(banks.transport))).toEqual(new Set(['1200.5']));
    expect(new Set(amountsIn(partners.transport))).toEqual(new Set(['1200.5']));
    expect(partners.transport.sent.some(({ path }) => path.includes('amount=1200.5'))).toBe(true);
  });

  it('is compared, capped and limited as its decimal string', async () => {
    const amount = new OtherBig('1200.5');
    const limited = dealer([], { riskLimits: { perBid: amount } });
    const outcome = await limited.client.bids
      .place({ lot: 'lot_1', amount: '1200.51' })
      .catch((error: unknown) => error);
    expect(JSON.stringify(outcome)).toContain('perBid is 1200.5.');
    expect(() =>
      bank([]).client.approvals.run(() => ({ action: 'wait', reason: 'r' }), { maxAmount: amount }),
    ).not.toThrow();
    const report = {
      id: 'r',
      kind: 'payment_report',
      state: 'reported_pending_verification',
      resource_version: 1,
    };
    const dues = { sale_id: 's', remaining: '1000.00' } as sdk.PaymentDues;
    const compared = compareReport(
      { ...report, data: { sale_id: 's', utr: 'U', amount: '1000', currency: 'INR' } },
      { receipt: { utr: 'U', amount }, dues },
    );
    expect(compared.differences.map(({ received, paise }) => [received, paise])).toEqual([
      ['1200.5', 20050n],
      ['1200.5', 20050n],
    ]);
  });
});

/** Amounts of the bodies that were sent. */
function amountsIn({ sent }: ScriptedTransport): unknown[] {
  return sent.flatMap(({ body }) => {
    if (body === undefined) return [];
    const { amount, received_amount } = JSON.parse(body);
    return amount ?? received_amount ?? [];
  });
}
