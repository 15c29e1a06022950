import { StoreError } from '../../src/errors/store.js';
import { openDatabase } from '../../src/sqlite/database.js';
import { SqliteDriver } from '../../src/sqlite/driver.js';
import { sqlStore } from '../../src/store/sql.js';
import type { SqlDriver, SqlQuery } from '../../src/store/sql-driver.js';
import type { Store } from '../../src/store/store.js';

/** A store whose driver loses the answer to every commit that writes. `lost` counts them. */
export function deafStore(): Store & { readonly lost: { count: number } } {
  const waits = { delay: () => Promise.resolve(), random: () => 0, lockTimeout: 0 };
  const inner = new SqliteDriver({ database: openDatabase(':memory:') }, waits);
  const lost = { count: 0 };
  const driver: SqlDriver = {
    name: 'deaf',
    durable: true,
    now: inner.now,
    serial: inner.serial,
    async transaction<T>(account: string, work: (query: SqlQuery) => Promise<T>): Promise<T> {
      let writes = false;
      const value = await inner.transaction(account, (query) =>
        work((sql, values) => {
          writes ||= /^\s*(?:INSERT|UPDATE|DELETE)/.test(sql);
          return query(sql, values);
        }),
      );
      // Accounts have names; the tables are made without one.
      if (!writes || account === '') return value;
      lost.count += 1;
      throw new StoreError({
        reason: 'unavailable',
        commit: 'unknown',
        what: 'The answer to a commit was lost: scripted.',
        nextStep: 'Nothing to do.',
      });
    },
    close: () => inner.close(),
  };
  return Object.assign(sqlStore(driver), { lost });
}
