import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { type PostgresSource, postgresStore } from '../../src/postgres/index.js';
import { endingServer } from '../support/postgres/ending-server.js';
import { newDatabase } from '../support/postgres/shared.js';
import { rejection, timers } from './kit.js';

// Without the listeners of the store, an unhandled `error` event would fail this file.
describe('a Postgres session that the server ends as it begins', () => {
  it.each<[string, (connectionString: string) => PostgresSource]>([
    ['its own', (connectionString) => ({ connectionString })],
    ['a given', (connectionString) => ({ pool: new pg.Pool({ connectionString }) })],
  ])('is a StoreError with %s pool, and the process goes on', async (_, sourceOf) => {
    const source = sourceOf(await endingServer());
    const store = postgresStore(source, timers);
    for (const __ of [1, 2]) {
      const error = await rejection(store.transaction('sandbox', (tx) => tx.account.halt()));
      expect(error).toMatchObject({ name: 'StoreError', reason: 'unavailable', commit: 'failed' });
    }
    await store.close();
    await (source.pool as pg.Pool | undefined)?.end();
  });
});

describe('a pool that a store is given', () => {
  const listeners = (pool: pg.Pool) => pool.eventNames().map((name) => [name, pool.listenerCount(name)]);

  it('has no listener of the store once that is closed, nor have its connections', async () => {
    const pool = new pg.Pool({ connectionString: await newDatabase(), max: 1 });
    const before = listeners(pool);
    const store = postgresStore({ pool }, timers);
    for (const __ of [1, 2]) {
      await store.transaction('sandbox', (tx) => tx.account.setHalt('a stop'));
      expect(pool.listenerCount('error')).toBe(1);
      await store.close();
      expect(listeners(pool)).toEqual(before);
    }
    const connection = await pool.connect();
    expect(connection.listenerCount('error')).toBe(0);
    connection.release();
    await pool.end();
  });

  it('loses an idle connection without ending the process', async () => {
    const url = await newDatabase();
    const pool = new pg.Pool({ connectionString: url });
    const store = postgresStore({ pool }, timers);
    await store.transaction('sandbox', (tx) => tx.account.setHalt('a stop'));
    const removed = new Promise((resolve) => pool.once('remove', resolve));
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await admin.end();
    await removed;
    expect(await store.transaction('sandbox', (tx) => tx.account.halt())).toBe('a stop');
    await store.close();
    await pool.end();
  });
});
