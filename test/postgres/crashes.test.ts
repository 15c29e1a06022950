import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { JournalError } from '../../src/errors/journal.js';
import { all, attempt, changeTo, idOf, lease, series } from '../../src/intents/conformance/material.js';
import { type PostgresPool, postgresJournal } from '../../src/postgres/index.js';
import { PostgresServer } from '../support/postgres/server.js';
import { tampered } from './tampered-pool.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());

/** Gives what was asked for only once: the so manieth statement that begins like this, before or after it ran. */
function onceAt(
  pool: PostgresPool,
  beginning: string,
  nth: number,
  moment: 'before' | 'after',
  what: () => unknown,
) {
  let seen = 0;
  const step = async (text: string) => {
    if (!text.startsWith(beginning)) return;
    seen += 1;
    if (seen === nth) await what();
  };
  return tampered(pool, { [moment]: step });
}

describe('a server that crashes in the middle of many writes', () => {
  it.each<[string, number, 'before' | 'after']>([
    ['WITH made', 17, 'before'],
    ['WITH made', 17, 'after'],
    ['WITH was', 23, 'after'],
    ['COMMIT', 31, 'before'],
    ['COMMIT', 31, 'after'],
  ])(
    'at %s number %i, %s it, has all of each write or nothing, and all that resolved',
    async (beginning, nth, moment) => {
      const pool = new pg.Pool({ connectionString: server.urlOf(), max: 8 });
      pool.on('error', () => undefined);
      const schema = `crash ${beginning} ${moment}`;
      await postgresJournal({ pool, schema }).migrate();
      let stopping: Promise<void> | undefined;
      const crash = () => {
        stopping = server.stop('immediate');
        return stopping;
      };
      const journal = postgresJournal({ pool: onceAt(pool, beginning, nth, moment, crash), schema });
      const intents = series(40, { lot: 'lot_1' });
      const outcomes = await Promise.all(
        intents.map(async (intent) => {
          const change = changeTo('prepared', attempt(1), attempt(2));
          try {
            const created = await journal.create(intent, change, lease('maker'), { exclusive: false });
            if (created.kind !== 'created') throw new Error(created.kind);
          } catch (error) {
            expect(error).toBeInstanceOf(JournalError);
            return { intent, least: 0, most: 2 };
          }
          try {
            await journal.append(idOf(intent), 1, changeTo('unknown', attempt(3), attempt(4)));
            return { intent, least: 4, most: 4 };
          } catch (error) {
            expect(error).toBeInstanceOf(JournalError);
            return { intent, least: 2, most: 4 };
          }
        }),
      );
      expect(outcomes.filter(({ least }) => least < 4).length).toBeGreaterThan(0);
      expect(stopping).toBeDefined();
      await stopping;
      await server.restart();
      // The same journal goes on, on the same pool.
      const found = new Map((await all(journal.list({}))).map((stored) => [stored.intent.key, stored]));
      for (const { intent, least, most } of outcomes) {
        const stored = found.get(intent.key);
        const written = stored?.entries.length ?? 0;
        expect([0, 2, 4]).toContain(written);
        expect(written).toBeGreaterThanOrEqual(least);
        expect(written).toBeLessThanOrEqual(most);
        expect(stored?.state).toBe([undefined, 'prepared', 'unknown'][written / 2]);
        expect(stored?.entries ?? []).toEqual([1, 2, 3, 4].slice(0, written).map(attempt));
        if (stored === undefined) continue;
        const claimed = await journal.claim(idOf(intent), lease('maker'));
        expect(claimed.kind).toBe('claimed');
      }
      await journal.close();
      await pool.end();
    },
  );
});
