import { postgresStore } from 'vehicle-auction-sdk/postgres';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import { signDelivery } from 'vehicle-auction-sdk/webhooks';
import { expect, it } from 'vitest';
import { numbersFrom } from '../support/random.js';
import { storePlaces } from '../support/store-places.js';
import { isLong, rounds } from './killing.js';
import { type Line, Worker } from './worker-process.js';

const KILLS = rounds(2, 100);
const EVENTS_PER_LIFE = 12;
const SENDERS = 4;
const secret = 'whsec_of_the_killed';

/** Delivers an event. @returns whether it was acknowledged */
function deliver(endpoint: Worker, id: string): Promise<boolean> {
  const data = { resource_id: `sal_${id}`, resource_version: 1 };
  const delivery = signDelivery({ secret, body: { id, type: 'sale.rejected', schema_version: 1, data } });
  const init = { method: 'POST', headers: delivery.headers, body: new Uint8Array(delivery.body) };
  return fetch(urlOf(endpoint), init).then(
    ({ status }) => status === 200,
    () => false,
  );
}

function urlOf({ lines }: Worker): string {
  return `http://127.0.0.1:${lines.find(({ type }) => type === 'ready')?.port}/`;
}

it.each(storePlaces())(
  'a receiver over %s that is killed again and again loses no event, and handles none again after its commit',
  async (name, place) => {
    const where = await place();
    const store = 'file' in where ? sqliteStore(where.file) : postgresStore({ connectionString: where.url });
    const ask = (sql: string) => store.transaction('judge', async ({ query }) => (await query?.(sql)) ?? []);
    // Without a unique column: an effect that happened twice shows.
    await ask('CREATE TABLE effects (event TEXT NOT NULL)');

    const random = numbersFrom(20_261_123);
    const waiting: string[] = [];
    const acknowledged: string[] = [];
    const said: Line[] = [];
    const start = () => Worker.start({ place: where, secret }, 'receiver.mjs');
    let number = 0;
    let kills = 0;

    for (let life = 0; life < KILLS; life += 1) {
      const endpoint = await start();
      for (let n = 0; n < EVENTS_PER_LIFE; n += 1) waiting.push(`evt_${number++}`);
      // By what it does, not by the time: after so many acknowledgements and steps of handlers, at the latest after all.
      const last = Math.floor(random() * 3 * EVENTS_PER_LIFE);
      let acknowledgements = 0;
      const isDue = () => acknowledgements + endpoint.lines.length >= last;
      void endpoint.untilFound((lines) => (isDue() ? lines : undefined)).then(() => endpoint.kill());
      const send = async () => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
          if (!(await deliver(endpoint, id))) {
            waiting.push(id);
            if (endpoint.wasKilled) return;
            if (!endpoint.isAlive) throw new Error('the endpoint ended by itself');
            continue;
          }
          acknowledged.push(id);
          acknowledgements += 1;
          if (isDue()) endpoint.kill();
          // At least once is more than once.
          const again = acknowledged[Math.floor(random() * acknowledged.length)];
          if (again !== undefined && random() < 0.3) await deliver(endpoint, again);
        }
      };
      await Promise.all(Array.from({ length: SENDERS }, send));
      endpoint.kill();
      await endpoint.gone;
      kills += 1;
      said.push(...endpoint.lines);
    }

    const survivor = await start();
    while (waiting.length > 0) {
      const id = waiting.shift() ?? '';
      if (await deliver(survivor, id)) acknowledged.push(id);
      else if (!survivor.isAlive) throw new Error('the endpoint ended by itself');
      else waiting.push(id);
    }
    // It answers when it has handled everything.
    await fetch(urlOf(survivor));
    survivor.kill();
    await survivor.gone;
    said.push(...survivor.lines);

    const effects = (await ask('SELECT event FROM effects')).map(({ event }) => String(event));
    expect(effects.sort()).toEqual(Array.from({ length: number }, (_, n) => `evt_${n}`).sort());
    const wrong = said.filter(({ type }) => !['ready', 'begun', 'committed'].includes(type));
    expect(wrong).toEqual([]);
    const begun = said.filter(({ type }) => type === 'begun').length;
    if (isLong) {
      // Kills that interrupt no handler prove little.
      expect(begun - number).toBeGreaterThan(KILLS / 20);
      process.stdout.write(`${name}: ${kills} kills, ${number} events, ${begun - number} handlers cut off\n`);
    }
    await store.close();
  },
);
