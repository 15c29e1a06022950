import { DBOS } from '@dbos-inc/dbos-sdk';
import { type PartnerClient, VehicleAuctionError } from 'vehicle-auction-sdk';

/** The buyer's report of a transfer. */
export interface Payment {
  readonly utr: string;
  /** ISO 8601 with zone. */
  readonly paidAt: string;
}

const week = { seconds: 7 * 86_400, ms: 7 * 86_400_000 };

/** Retries twice a minute for a day while the outcome is open. A refusal ends the workflow with its error. */
const retries = {
  retriesAllowed: true,
  intervalSeconds: 30,
  backoffRate: 1,
  maxAttempts: 2_880,
  shouldRetry: (error: unknown) => error instanceof VehicleAuctionError && error.outcome !== 'refused',
};

/**
 * A sale from approval to collection, as a durable workflow. Its id is the sale's, so a sale has one workflow.
 *
 * DBOS records the result of each step and, after a crash, repeats the step without a result. A wait starts again.
 * A command runs inside `runOnce`, so it takes effect once even if the step runs twice.
 */
export function registerSale(auction: PartnerClient<'platform'>) {
  const step = <T>(name: string, run: () => Promise<T>) => DBOS.runStep(run, { name, ...retries });

  async function sale(saleId: string): Promise<'collected' | 'unpaid'> {
    const { lot, amount } = await step('acknowledge', () => acknowledge(auction, saleId));

    // The message waits in the database until the workflow asks for it.
    const payment = await DBOS.recv<Payment>('payment', { timeoutSeconds: week.seconds });
    if (payment === null) return 'unpaid';

    const report = await step('report', async () => {
      const { id } = await auction.runOnce(['report', saleId], (idempotency_key) =>
        auction.paymentReports.create({
          sale_id: saleId,
          amount,
          currency: 'INR',
          method: 'bank_transfer',
          utr: payment.utr,
          paid_at: payment.paidAt,
          idempotency_key,
        }),
      );
      return id;
    });
    await step('verified', () => auction.paymentReports.waitUntilVerified(report, { deadline: week.ms }));
    await step('paid', () => auction.saleCases.waitUntilPaid(saleId, { deadline: week.ms }));
    await step('collected', () =>
      auction.waitFor(
        (options) => auction.lots.status(lot, options),
        ({ release }) => release?.['state'] === 'used',
        { deadline: week.ms },
      ),
    );
    return 'collected';
  }
  return DBOS.registerWorkflow(sale, { name: 'sale' });
}

/** Reads the sale and accepts its terms. Repeats this if the sale changed in between. */
async function acknowledge(auction: PartnerClient<'platform'>, saleId: string) {
  return auction.retryOnConflict(
    () => auction.saleCases.get(saleId),
    async (record) => {
      const { terms_version, lot_id: lot = '', amount = '' } = record.data ?? {};
      if (terms_version === undefined || terms_version === null) throw new Error(`${saleId} names no terms`);
      await auction.runOnce(['acknowledge', saleId], (idempotency_key) =>
        auction.saleCases.acknowledge(record, { terms_version, idempotency_key }),
      );
      return { lot, amount };
    },
  );
}

/** Call this when the buyer reports the transfer. The UTR makes repeated calls safe. */
export function reportPayment(saleId: string, payment: Payment): Promise<void> {
  return DBOS.send(saleId, payment, 'payment', payment.utr);
}
