import { DBOS } from '@dbos-inc/dbos-sdk';
import { type PartnerClient, VehicleAuctionError } from 'vehicle-auction-sdk';

/** What the buyer reports to the platform after the transfer. */
export interface Payment {
  readonly utr: string;
  /** ISO 8601 with zone. */
  readonly paidAt: string;
}

const week = { seconds: 7 * 86_400, ms: 7 * 86_400_000 };

/** Twice a minute for a day, while the outcome is open. What the service refuses ends the workflow with that error. */
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
 * DBOS records the result of each step. After a crash it runs the step again that had no result: a wait begins again, and a
 * command runs inside `runOnce`, so it takes effect once although the step runs twice.
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

/** Reads the sale and accepts its terms; again, where the sale moved in between. */
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

/** Call it where the buyer reports the transfer. The UTR makes a repeated call harmless. */
export function reportPayment(saleId: string, payment: Payment): Promise<void> {
  return DBOS.send(saleId, payment, 'payment', payment.utr);
}
