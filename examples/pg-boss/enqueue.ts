import { BankClient } from 'vehicle-auction-sdk';
import { readBids } from 'vehicle-auction-sdk/csv';
import { enqueueApprovals } from './approvals.js';
import { type BidsJob, enqueueBids } from './bids.js';
import { openQueue } from './queue.js';
import { connectionString, environment } from './settings.js';

/** `enqueue.ts bids FILE.csv BATCH_ID` or `enqueue.ts approvals`, by hand or from cron. */
const [role, file = '', batchId = ''] = process.argv.slice(2);
if (role !== 'approvals' && !(role === 'bids' && file && batchId)) {
  console.error('Usage: enqueue.ts bids FILE.csv BATCH_ID, or enqueue.ts approvals');
  process.exit(2);
}
const boss = await openQueue(connectionString);
if (role === 'bids') {
  await enqueueBids(boss, { batchId, rows: await rowsOf(file) });
} else {
  await using bank = new BankClient({ environment });
  await enqueueApprovals(boss, bank);
}
await boss.stop();

async function rowsOf(path: string): Promise<BidsJob['rows']> {
  const rows: BidsJob['rows'][number][] = [];
  for await (const row of readBids(path)) {
    if ('issues' in row)
      throw new Error(`line ${row.line}: ${row.issues.map(({ message }) => message).join('; ')}`);
    const { bidderReference } = row;
    if (bidderReference === undefined) throw new Error(`line ${row.line}: bidder_reference is missing`);
    rows.push({ ...row, bidderReference });
  }
  return rows;
}
