import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nextBids } from 'vehicle-auction-sdk';
import { type Sandbox, startSandbox } from 'vehicle-auction-sdk/sandbox';

/** Runs the program against the embedded sandbox, kills it midway and runs it again to its end. */
export async function tryInSandbox(say: (line: string) => void): Promise<number> {
  await using sandbox = await startSandbox();
  const bids = join(mkdtempSync(join(tmpdir(), 'bids-')), 'bids.csv');
  const sample = sampleOf(sandbox);
  writeFileSync(bids, sample);
  say(`A sample, in ${bids}:\n\n${sample}`);
  // When the program is killed, the service has recorded one bid and its reply is delayed.
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

/** Runs this program in another process. @returns its exit code */
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

/** Bids of two buyers on lots of an open and a sealed auction, and one that is below the minimum. */
function sampleOf({ auctions }: Sandbox): string {
  const rows = ['live-open', 'live-closed'].flatMap((label) => {
    const { bidType, increment, lots } = auctions.get(label);
    return lots.slice(0, 4).map(({ id, startingPrice }, at) => {
      const [amount = ''] = nextBids({ bidType, startingPrice, increment }, 1);
      return [id, amount, at % 2 === 0 ? 'buyer-9' : 'buyer-12'];
    });
  });
  const { lots } = auctions.get('live-open');
  const [last] = lots.slice(-1);
  const tooLow = [last?.id ?? '', '1.00', 'buyer-31'];
  const table = [['lot_id', 'amount', 'bidder_reference'], ...rows, tooLow];
  return table.map((row, at) => `${at === 0 ? 'row_id' : `r${at}`},${row.join(',')}\n`).join('');
}
