import { describe, expect, it } from 'vitest';
import type { Lane } from '../../src/api/operation.js';
import { postgresStore } from '../../src/postgres/index.js';
import { sqliteStore } from '../../src/sqlite/index.js';
import type { DepartureEntry, DeparturePage, Store } from '../../src/store/store.js';
import { storePlaces } from '../support/store-places.js';

const scope = 'https://bank.example';

const entry = (number: number, lane: Lane | 'pause', age = 0): DepartureEntry => ({
  process: 'one',
  number,
  lane,
  age,
  limit: 120,
  reserve: 24,
});

/** Logs entries, and returns what was there before. */
async function exchange(store: Store, after: number, ...entries: readonly DepartureEntry[]) {
  let seen: DeparturePage | undefined;
  await store.departures?.exchange(scope, after, (page) => {
    seen = page;
    return entries;
  });
  if (seen === undefined) throw new Error('Nothing was read');
  return seen;
}

describe.each(storePlaces())('the log of departures on %s', (_, newPlace) => {
  async function place() {
    const at = await newPlace();
    return () => ('file' in at ? sqliteStore(at.file) : postgresStore({ connectionString: at.url }));
  }

  it('is read by others from where they stopped, and after a restart from its beginning', async () => {
    const open = await place();
    const [one, other] = [open(), open()];
    expect(await exchange(one, 0, entry(1, 'bid'), entry(2, 'pause', -5_000))).toMatchObject({ entries: [] });
    const page = await exchange(other, 0, entry(3, 'poll', 20_000));
    expect(page.entries.map(({ number, lane }) => [number, lane])).toEqual([
      [1, 'bid'],
      [2, 'pause'],
    ]);
    expect(page.entries[0]).toMatchObject({ process: 'one', limit: 120, reserve: 24 });
    expect(page.entries[1]?.age).toBeLessThan(0);
    const later = await exchange(one, page.last);
    expect(later.entries.map(({ number }) => number)).toEqual([3]);
    expect(later.entries[0]?.age).toBeGreaterThanOrEqual(20_000);
    await Promise.all([one.close(), other.close()]);
    const restarted = open();
    expect((await exchange(restarted, 0)).entries).toHaveLength(3);
    await restarted.close();
  });

  it('never lets two processes decide at the same time', async () => {
    const open = await place();
    const stores = [open(), open(), open()];
    const seen: number[] = [];
    const begin = (await exchange(open(), 0)).last;
    await Promise.all(
      Array.from({ length: 30 }, (_each, n) =>
        stores[n % 3]?.departures?.exchange(scope, begin, ({ entries }) => {
          seen.push(entries.length);
          return [entry(100 + n, 'read')];
        }),
      ),
    );
    expect([...new Set(seen)].sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_each, n) => n));
    await Promise.all(stores.map((store) => store.close()));
  });

  it('forgets what is older than ten minutes, or was logged by a clock that has been set back', async () => {
    const open = await place();
    const store = open();
    const { last } = await exchange(store, 0, entry(500, 'read', 700_000), entry(501, 'read', -300_000));
    await exchange(store, last, entry(502, 'read'));
    expect((await exchange(store, last)).entries.map(({ number }) => number)).toEqual([502]);
    await store.close();
  });
});
