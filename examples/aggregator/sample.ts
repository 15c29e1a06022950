import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextBids } from 'vehicle-auction-sdk';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';

/** Runs the program against the embedded sandbox: killed in the middle, and then to its end. */
export async function tryInSandbox(say: (line: string) => void): Promise<number> {
  await using sandbox = await startSandbox();
  const bids = join(mkdtempSync(join(tmpdir(), 'bids-')), 'bids.csv');
  const sample = sampleOf(sandbox);
  writeFileSync(bids, sample);
  say(`A sample, in ${bids}:\n\n${sample}`);
  // One bid is on record at the service, and its answer is held up, when the program is killed.
  sandbox.inject({ operation: 'bids.submit', fault: 'delay_after_commit', ms: 60_000, nth: 3 });

  say('The program bids, and is killed after its fourth result:\n');
  await program(sandbox, [bids, '--batch', 'sample', '--crash-after', '4']);
  const before = sandbox.ledger().length;
  say(`\nKilled, with ${before} bids on record at the service. The same again:\n`);
  const code = await program(sandbox, [bids, '--batch', 'sample']);
  const keys = sandbox.ledger().map(({ idempotencyKey }) => idempotencyKey);
  say(`\nThe service has ${keys.length} bids on record now, ${new Set(keys).size} of them different.`);
  return code;
}

/** This program as a process of its own; resolves with its exit code. */
function program({ baseUrl, credentials }: Sandbox, args: readonly string[]): Promise<number> {
  const { clientId, keyId, signingSecret, dealerId } = credentials.aggregator;
  const [node = '', main = ''] = process.argv;
  const child = spawn(node, [...process.execArgv, main, ...args], {
    stdio: 'inherit',
    env: {
      ...process.env,
      VEHICLE_AUCTION_BASE_URL: baseUrl,
      VEHICLE_AUCTION_CLIENT_ID: clientId,
      VEHICLE_AUCTION_KEY_ID: keyId,
      VEHICLE_AUCTION_SIGNING_SECRET: signingSecret,
      VEHICLE_AUCTION_DEALER_ID: dealerId,
    },
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve(code ?? 1));
  });
}

/** Two lots of an open auction and two of a sealed one, two buyers on each; and one buyer who comes too late. */
function sampleOf({ auctions }: Sandbox): string {
  const rows = ['live-open', 'live-closed'].flatMap((label) => {
    const { bidType, increment, lots } = auctions.get(label);
    return lots.slice(0, 2).flatMap(({ id, startingPrice }, at) => {
      const [low = '', high = ''] = nextBids({ bidType, startingPrice, increment }, 2);
      const late = label === 'live-open' && at === 0 ? [[id, low, 'buyer-31']] : [];
      return [[id, high, 'buyer-12'], [id, low, 'buyer-9'], ...late];
    });
  });
  const table = [['lot_id', 'amount', 'bidder_reference'], ...rows];
  return table.map((row, at) => `${at === 0 ? 'row_id' : `r${at}`},${row.join(',')}\n`).join('');
}
