import PgBoss from 'pg-boss';

export const bidsQueue = 'auction-bids';
export const approvalsQueue = 'auction-approvals';

export interface JobTimes {
  /** After this time, a job is given to another worker, because its own may be dead. It may still be running. */
  readonly expireInSeconds: number;
  readonly retryDelay: number;
}

/** Opens the queue in Postgres. Every process checks for expired jobs, so the job of a killed worker runs again. */
export async function openQueue(connectionString: string, maintenanceIntervalSeconds = 10): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString, max: 5, schedule: false, maintenanceIntervalSeconds });
  boss.on('error', (error) => console.error(error.message));
  return await boss.start();
}

/** A job that fails 30 times stays `failed`, for manual review. */
export async function createQueue(boss: PgBoss, name: string, times: JobTimes): Promise<void> {
  await boss.createQueue(name, { name, retryLimit: 30, ...times });
}
