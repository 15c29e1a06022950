import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  attempt,
  changeTo,
  idOf,
  intentWith,
  lease,
  made,
  madeFree,
} from '../../src/intents/conformance/material.js';
import { type PostgresJournal, postgresJournal } from '../../src/postgres/index.js';
import { docBlocks } from '../support/doc-blocks.js';
import { newDatabase } from '../support/postgres/shared.js';

const blocks = docBlocks().filter(({ page, language }) => page === 'docs/postgres.md' && language === 'sql');
const queries = blocks.filter(({ marks }) => marks.length === 0).map(({ code }) => code);

/** The one query of the page that has this in it. */
function queryWith(text: string): string {
  const found = queries.filter((query) => query.includes(text));
  expect(found).toHaveLength(1);
  return found[0] ?? '';
}

const key = '0190a5f4-7c1e-7d3a-9b11-2f6f0f3d9a01';
const bid = intentWith(key, {
  lot: 'lot_6a66744122c5',
  buyer: 'buyer-7 \0 ₹',
  text: '{"amount":"465000.00","₹":"\\n"}',
});

let pool: pg.Pool;
let journal: PostgresJournal;
beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await newDatabase() });
  journal = postgresJournal({ pool });
  const fence = await made(journal, bid, 'prepared', lease('process 7'));
  await journal.append(
    idOf(bid),
    fence,
    changeTo('unknown', attempt(1), { type: 'look', at: 0, by: 'A06', found: 'absent' }),
  );
  await journal.append(idOf(bid), fence, changeTo('unknown', attempt(2)));
  await madeFree(journal, intentWith('forgotten', { lot: 'lot_2' }), 'unknown');
  await madeFree(journal, intentWith('contradictory', { lot: 'lot_3' }), 'quarantined');
  await madeFree(journal, intentWith('settled', { lot: 'lot_3' }), 'accepted');
  await madeFree(journal, intentWith('command'), 'done');
  await pool.query(
    "UPDATE vehicle_auction.intents SET changed_at = changed_at - interval '6 minutes' WHERE key IN ($1, 'forgotten')",
    [key],
  );
});
afterAll(() => pool.end());

async function ask(query: string): Promise<unknown[]> {
  const { rows } = await pool.query(query);
  return rows;
}

describe('the queries of docs/postgres.md', () => {
  it('are tried here, all of them', () => {
    expect(queries).toHaveLength(6);
    expect(blocks).toHaveLength(7);
  });

  it('show what is open, and who is at work on it', async () => {
    expect(await ask(queryWith('AS age'))).toEqual([
      {
        key,
        state: 'unknown',
        lot: 'lot_6a66744122c5',
        amount: '465000.00',
        bidder_reference: 'buyer-7 \ufffd ₹',
        attempts: '2',
        held_by: 'process 7',
        age: expect.anything(),
      },
      expect.objectContaining({ key: 'forgotten', attempts: '0', held_by: null, bidder_reference: null }),
      expect.objectContaining({ key: 'contradictory', state: 'quarantined' }),
    ]);
  });

  it('show what nobody looks after, and what needs a person', async () => {
    const columns = { client_id: 'client-1', amount: '465000.00', changed_at: expect.any(Date) };
    expect(await ask(queryWith('5 minutes'))).toEqual([{ ...columns, key: 'forgotten', lot: 'lot_2' }]);
    expect(await ask(queryWith("'quarantined'"))).toEqual([
      { ...columns, key: 'contradictory', lot: 'lot_3' },
    ]);
  });

  it('tell the story of one intent', async () => {
    expect(await ask(queryWith('e.entry'))).toEqual([
      { number: 1, type: 'attempt', entry: attempt(1), written_at: expect.any(Date) },
      {
        number: 2,
        type: 'look',
        entry: expect.objectContaining({ found: 'absent' }),
        written_at: expect.any(Date),
      },
      { number: 3, type: 'attempt', entry: attempt(2), written_at: expect.any(Date) },
    ]);
  });

  it('show the exact body, and that it is whole', async () => {
    expect(await ask(queryWith('is_whole'))).toEqual([{ sent: bid.body.text, is_whole: true }]);
  });

  it('count how bids ended', async () => {
    expect(await ask(queryWith('GROUP BY'))).toEqual([
      { lot: 'lot_2', state: 'unknown', count: '1', highest: '465000.00' },
      { lot: 'lot_3', state: 'accepted', count: '1', highest: '465000.00' },
      { lot: 'lot_3', state: 'quarantined', count: '1', highest: '465000.00' },
      { lot: 'lot_6a66744122c5', state: 'unknown', count: '1', highest: '465000.00' },
    ]);
  });
});

describe('the rights that docs/postgres.md lists', () => {
  it('suffice for a journal that migrates nothing, and for no more', async () => {
    const url = new URL(await newDatabase());
    const owner = new pg.Pool({ connectionString: url.href });
    const role = `bidder_of_the_docs_${process.pid}`;
    await owner.query(`CREATE ROLE ${role} LOGIN PASSWORD 'bidder'`);
    url.username = role;
    url.password = 'bidder';
    const bidder = new pg.Pool({ connectionString: url.href });
    const own = postgresJournal({ pool: bidder, migrate: false });
    await expect(made(own, bid)).rejects.toMatchObject({ fault: 'unknown_format' });
    await postgresJournal({ pool: owner }).migrate();
    await expect(made(own, bid)).rejects.toMatchObject({ fault: 'full' });
    const [grants = ''] = blocks.filter(({ marks }) => marks.includes('grants')).map(({ code }) => code);
    await owner.query(grants.replaceAll('TO bidder;', `TO ${role};`));

    const fence = await made(own, bid);
    await own.append(idOf(bid), fence, changeTo('rejected', attempt(1)));
    await own.release(idOf(bid), fence);
    expect((await own.claim(idOf(bid), lease('two'))).kind).toBe('claimed');
    expect(await own.claimOpen(idOf(bid).namespace, lease('two'), 1)).toEqual([]);
    expect(await own.find(key)).toHaveLength(1);
    await owner.query("UPDATE vehicle_auction.intents SET settled_at = 'epoch', lease_until = NULL");
    expect(await own.prune()).toBe(1);
    await expect(bidder.query('DROP TABLE vehicle_auction.intents')).rejects.toThrow('must be owner');
    await Promise.all([bidder.end(), owner.end()]);
  });
});
