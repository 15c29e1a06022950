import { expect, it } from 'vitest';
import type { Transport, TransportReply } from '../../src/core/transport/transport.js';
import { openDatabase, type SqliteDatabase } from '../../src/sqlite/database.js';
import { sqliteStore } from '../../src/sqlite/index.js';
import { acceptance } from '../support/bid-replies.js';
import { Scene } from '../support/bidders.js';
import { accepted, dealer } from '../support/clients.js';
import { BID } from '../support/placed-bids.js';
import { Pause } from '../support/spy-store.js';
import { settle } from '../support/virtual-clock.js';

/** Commits of the database, and when requests left. */
class Counter implements Transport {
  commits = 0;
  /** How many commits there were when each bid left. */
  commitsAtSend: number[] = [];
  #replies = 0;

  /** A connection that counts what it commits. */
  counted(database: SqliteDatabase): SqliteDatabase {
    return {
      prepare: (sql) => database.prepare(sql),
      exec: (sql) => {
        if (sql === 'COMMIT') this.commits += 1;
        return database.exec(sql);
      },
      close: () => database.close(),
    };
  }

  async send(): Promise<TransportReply> {
    this.commitsAtSend.push(this.commits);
    this.#replies += 1;
    const n = this.#replies;
    const json = accepted({ request_id: `req_${n}`, bid_id: `bid_${n}` });
    const body = Buffer.from(JSON.stringify({ ...json, request_id: `req_${n}` }));
    async function* once() {
      yield body;
    }
    return { status: 201, headers: {}, body: once(), discard: () => undefined };
  }

  async close(): Promise<void> {}
}

/** A client whose first bid is behind it: tables are made and server time is known. */
async function openBidder() {
  const counter = new Counter();
  const store = sqliteStore({ database: counter.counted(openDatabase(':memory:')) });
  const { client } = dealer([], { store, transport: counter });
  const place = (lot: string) => client.bids.place({ lot, amount: '465000' });
  await place('lot_0');
  const { commits } = counter;
  counter.commitsAtSend = [];
  return { client, counter, place, before: commits };
}

// rule: bid.9
it('a bid leaves after two commits, and is told after a third', async () => {
  const { client, counter, place, before } = await openBidder();
  expect((await place('lot_1')).status).toBe('accepted');
  expect(counter.commitsAtSend).toEqual([before + 2]);
  expect(counter.commits).toBe(before + 3);
  await client.close();
});

it('fifty bids that are placed at once share their commits', async () => {
  const { client, counter, place, before } = await openBidder();
  const outcomes = await Promise.all(Array.from({ length: 50 }, (_, n) => place(`lot_${n + 1}`)));
  expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 'accepted'));
  expect(counter.commitsAtSend.map((commits) => commits - before)).toEqual(outcomes.map(() => 2));
  expect(counter.commits).toBe(before + 3);
  await client.close();
});

it('no bid waits for retention, and the store is closed only after it', async () => {
  const scene = new Scene();
  const deletion = new Pause();
  scene.store.troubles.push(undefined, undefined, undefined, deletion);
  const { client } = scene.dealer([acceptance()]);
  expect((await scene.during(client.bids.place(BID))).status).toBe('accepted');
  await deletion.reached;
  const closing = client.close();
  await settle();
  expect(scene.store.closed).toBe(0);
  deletion.goOn();
  await closing;
  expect(scene.store.closed).toBe(1);
});
