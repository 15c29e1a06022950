import pg from 'pg';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { journalConformance } from '../../src/intents/conformance/conformance.js';
import type { JournalStorage } from '../../src/intents/conformance/storage.js';
import { type PostgresJournal, postgresJournal } from '../../src/postgres/index.js';
import { newDatabase } from '../support/postgres/shared.js';

/** As many as the processes that a case has at once. */
let pools: readonly pg.Pool[];
beforeAll(async () => {
  const connectionString = await newDatabase();
  pools = [1, 2, 3].map(() => new pg.Pool({ connectionString, max: 6 }));
  await nextJournal().migrate();
});
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

let opened = 0;

/** On a pool of its own for each journal that is open at once. */
function nextJournal(): PostgresJournal {
  opened += 1;
  return postgresJournal({ pool: poolAt(opened % pools.length) });
}

function poolAt(index: number): pg.Pool {
  const pool = pools[index];
  if (pool === undefined) throw new Error('no pool');
  return pool;
}

async function newStorage(): Promise<JournalStorage> {
  await poolAt(0).query('DELETE FROM vehicle_auction.intents');
  return {
    open: nextJournal,
    // The clock is the server's. For leases it comes to the same to bring their ends nearer.
    pass: async (ms) => {
      await poolAt(0).query(
        "UPDATE vehicle_auction.intents SET lease_until = lease_until - $1::float8 * interval '1 millisecond'",
        [ms],
      );
    },
    kill: () => undefined,
  };
}

describe('the Postgres journal', () => {
  it.each(journalConformance(newStorage, { shared: true }))('$name', ({ run }) => run());
});
