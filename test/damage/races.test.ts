import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import { describe, expect, it } from 'vitest';
import { newDatabase } from '../support/postgres/shared.js';
import type { Where } from './killing.js';

const long = process.env['TEST_MODE'] === 'damage';
const racer = fileURLToPath(new URL('racer.mjs', import.meta.url));

interface Said {
  readonly status?: string;
  readonly quarantined?: object;
  readonly name?: string;
  readonly fault?: string;
}

describe('two processes that race for one key', () => {
  it('make one bid over Postgres, and both are told of it', { timeout: 300_000 }, async () => {
    const said = await race({ url: await newDatabase(), schema: 'races' }, long ? 200 : 6);
    expect(new Set(said.flat().map(({ status }) => status))).toEqual(new Set(['accepted']));
  });

  it('make one bid over a file: who comes second waits for its turn, or is told whose the file is', {
    timeout: 300_000,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'races-'));
    const said = await race({ file: join(folder, 'bids.journal') }, long ? 200 : 25);
    for (const pair of said) {
      expect(pair.some(({ status }) => status === 'accepted')).toBe(true);
      const others = pair.filter(({ status }) => status !== 'accepted');
      for (const other of others) expect(other).toMatchObject({ name: 'JournalError', fault: 'owned' });
    }
    // Both happen, or it was no race.
    expect(said.flat().some(({ fault }) => fault === 'owned')).toBe(true);
  });
});

/** Two processes are told to place the same bid at the same time, again and again; one bid each time is committed. */
async function race(journal: Where, times: number): Promise<Said[][]> {
  const sandbox = await startSandbox({ rateLimit: false, seed: 'busy' });
  const { baseUrl, credentials } = sandbox;
  const order = JSON.stringify({ baseUrl, credentials: credentials.dealer, journal });
  const racers = await Promise.all([ready(order), ready(order)]);
  const lots = sandbox.auctions
    .list()
    .filter(({ status, bidType }) => status === 'live' && bidType === 'closed')
    .flatMap((auction) => auction.lots);
  const said: Said[][] = [];
  for (const { id: lot, startingPrice: amount } of lots.slice(0, times)) {
    const bid = { lot, amount, intentId: randomUUID() };
    said.push(await Promise.all(racers.map((one) => placing(one, bid))));
    const bids = sandbox.ledger().filter(({ idempotencyKey }) => idempotencyKey === bid.intentId);
    expect(bids, JSON.stringify(said.at(-1))).toHaveLength(1);
  }
  expect(said).toHaveLength(times);
  for (const one of racers) one.disconnect();
  await sandbox.close();
  return said;
}

async function ready(order: string): Promise<ChildProcess> {
  const child = fork(racer, [order]);
  await once(child, 'message');
  return child;
}

async function placing(child: ChildProcess, bid: object): Promise<Said> {
  const reply = once(child, 'message');
  child.send(bid);
  const [said] = await reply;
  return said as Said;
}
