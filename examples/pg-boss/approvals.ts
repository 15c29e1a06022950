import type PgBoss from 'pg-boss';
import type { BankClient, Policy } from 'vehicle-auction-sdk';
import { approvalsQueue, createQueue, type JobTimes } from './queue.js';

interface ApprovalJob {
  readonly saleId: string;
}

/** Replace this with your policy. See examples/bank-approvals/policy.ts for one with reserves and offers. */
const policy: Policy = ({ sale, offer, now }) => {
  if (offer !== undefined) return { action: 'hold', reason: 'a person negotiates' };
  if (sale.data?.amount === undefined) return { action: 'hold', reason: 'the sale names no amount' };
  return {
    action: 'approve',
    reason: 'Highest bid',
    termsVersion: 'T3',
    dueAt: new Date(now + 7 * 86_400_000).toISOString(),
    payeeInstructions: 'NEFT to 000111222333, IFSC EXMP0000001, sale id as the reference',
  };
};

/** Statuses to retry. */
const again: readonly string[] = ['unknown', 'conflict', 'not_sent'];

/** Enqueues pending sales. Safe to repeat: an existing decision is returned, not sent again. */
export async function enqueueApprovals(
  boss: PgBoss,
  bank: BankClient,
  times: JobTimes = { expireInSeconds: 60, retryDelay: 5 },
): Promise<void> {
  await createQueue(boss, approvalsQueue, times);
  const sales = await bank.saleCases.list().toArray({ limit: 10_000 });
  const waiting = sales.filter(({ state }) => state !== 'approved');
  await boss.insert(waiting.map(({ id: saleId }) => ({ name: approvalsQueue, data: { saleId }, ...times })));
}

/**
 * Decides sales, a few at once. The job of a dead worker runs again elsewhere and first settles decisions in
 * doubt.
 */
export async function workOnApprovals(boss: PgBoss, bank: BankClient, salesAtOnce = 4): Promise<void> {
  for (let worker = 0; worker < salesAtOnce; worker += 1) {
    await boss.work<ApprovalJob>(approvalsQueue, { pollingIntervalSeconds: 0.5 }, async ([job]) => {
      if (job === undefined) return;
      const { status, reason, what, nextStep } = await bank.approvals.decide(job.data.saleId, policy);
      if (again.includes(status)) throw new Error(`${what} ${nextStep}`);
      return { status, reason }; // kept with the job
    });
  }
}
