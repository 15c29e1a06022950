import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextBids, PartnerClient } from 'vehicle-auction-sdk';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';
import { exits, type Run, runBatch } from './batch.js';
import { csvLine } from './csv.js';

/** Tries the program in the embedded sandbox, with bids made up for its lots, and with a cut connection. */
export async function tryInSandbox(by: Pick<Run, 'say' | 'pause' | 'signal'>): Promise<number> {
  await using sandbox = await startSandbox();
  const { aggregator } = sandbox.credentials;
  await using auction = new PartnerClient({
    baseUrl: sandbox.baseUrl,
    credentials: aggregator,
    partnerType: 'aggregator',
    dealerId: aggregator.dealerId,
    logLevel: 'error', // retries are warned of, and here one is meant to happen
  });
  const folder = mkdtempSync(join(tmpdir(), 'bids-'));
  const run: Run = {
    ...by,
    auction,
    batch: { id: 'sample', clientId: aggregator.clientId },
    bids: join(folder, 'bids.csv'),
    results: join(folder, 'bids.sample.results.csv'),
  };
  const sample = sampleOf(sandbox);
  writeFileSync(run.bids, sample);
  by.say(`A sample, in ${run.bids}:\n\n${sample}`);

  sandbox.inject({ operation: 'bids.submit', fault: 'drop_after_commit', nth: 5 });
  by.say('The connection will be cut once, when the service has a bid and has not answered yet.');
  const code = await runBatch(run);
  const once = sandbox.ledger().length;
  if (code !== exits.settled) return code;

  by.say('\nNow the results are deleted, and the same file is run again.');
  rmSync(run.results);
  const again = await runBatch(run);
  const twice = sandbox.ledger().length;
  by.say(`\nThe service has recorded ${once} bids the first time, and ${twice - once} more the second time.`);
  return twice === once ? again : exits.unknown;
}

/** Two lots of an open auction and two of a sealed one, two buyers on each; and one buyer who comes too late. */
function sampleOf({ auctions }: Sandbox): string {
  const rows = ['live-open', 'live-closed'].flatMap((label) => {
    const { bidType, increment, lots } = auctions.get(label);
    return lots.slice(0, 2).flatMap(({ id, startingPrice }, at) => {
      const [low = '', high = ''] = nextBids({ bidType, startingPrice, increment }, 2);
      const late = label === 'live-open' && at === 0 ? [[id, 'buyer-31', low]] : [];
      return [[id, 'buyer-12', high], [id, 'buyer-9', low], ...late];
    });
  });
  const table = [['row', 'lot', 'buyer', 'amount'], ...rows.map((row, at) => [`r${at + 1}`, ...row])];
  return table.map(csvLine).join('');
}
