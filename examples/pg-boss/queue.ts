import PgBoss from 'pg-boss';

export const bidsQueue = 'auction-bids';
export const approvalsQueue = 'auction-approvals';

export interface JobTimes {
  /** A job that has run for so long is given to another worker: its own may be dead. It may also still run. */
  readonly expireInSeconds: number;
  readonly retryDelay: number;
}

/** Opens the queue in Postgres. Every process looks for expired jobs, so a job of a killed worker runs again. */
export async function openQueue(connectionString: string, maintenanceIntervalSeconds = 10): Promise<PgBoss> {
  const boss = new PgBoss({ connectionString, max: 5, schedule: false, maintenanceIntervalSeconds });
  boss.on('error', (error) => console.error(error.message));
  return await boss.start();
}

/** A job that fails 30 times is left in the state `failed`, for a person. */
export async function createQueue(boss: PgBoss, name: string, times: JobTimes): Promise<void> {
  await boss.createQueue(name, { name, retryLimit: 30, ...times });
}
