import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { postgresStore } from 'vehicle-auction-sdk/postgres';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';
import { signDelivery } from 'vehicle-auction-sdk/webhooks';
import { afterAll, expect, it } from 'vitest';
import { newDatabase } from '../support/postgres/shared.js';
import { isLong, rounds, type StorePlace } from './killing.js';
import { numbersFrom } from './workload.js';

const KILLS = rounds(3, 100);
const EVENTS_PER_LIFE = 12;
const SENDERS = 4;
const secret = 'whsec_of_the_killed';
const program = fileURLToPath(new URL('receiver.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'vehicle-auction-receiving-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** One life of the endpoint, seen from outside. */
class Endpoint {
  readonly #child: ChildProcess;
  readonly #ready: Promise<number | undefined>;
  readonly gone: Promise<unknown>;
  /** What it printed, in order. */
  readonly said: { readonly what: string; readonly event?: unknown }[] = [];
  onLine: () => void = () => undefined;
  isGone = false;
  wasKilled = false;

  constructor(place: StorePlace) {
    const order = JSON.stringify({ place, secret });
    this.#child = spawn(process.execPath, [program, order], { stdio: ['ignore', 'pipe', 'inherit'] });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('no output');
    const lines = createInterface({ input: stdout });
    lines.on('line', (text) => {
      // The last line of a killed process may be incomplete.
      if (!text.endsWith('}')) return;
      this.said.push(JSON.parse(text));
      this.onLine();
    });
    this.gone = Promise.all([once(this.#child, 'close'), once(lines, 'close')]);
    this.#ready = new Promise((resolve) => {
      this.onLine = () => {
        const port = this.said.find(({ what }) => what === 'listening')?.event;
        if (typeof port === 'number') resolve(port);
      };
      void this.gone.then(() => {
        this.isGone = true;
        resolve(undefined);
      });
    });
  }

  kill(): void {
    this.wasKilled = this.#child.kill('SIGKILL') || this.wasKilled;
  }

  /** Delivers an event. @returns whether it was acknowledged */
  async deliver(id: string): Promise<boolean> {
    const port = await this.#ready;
    const data = { resource_id: `sal_${id}`, resource_version: 1 };
    const delivery = signDelivery({ secret, body: { id, type: 'sale.rejected', schema_version: 1, data } });
    const init = { method: 'POST', headers: delivery.headers, body: new Uint8Array(delivery.body) };
    return fetch(`http://127.0.0.1:${port}/`, init).then(
      ({ status }) => status === 200,
      () => false,
    );
  }

  /** Resolves when it has handled everything. */
  async settled(): Promise<void> {
    await fetch(`http://127.0.0.1:${await this.#ready}/`);
  }
}

it.each<[string, () => Promise<StorePlace>]>([
  ['SQLite', async () => ({ file: join(folder, 'events.db') })],
  ['Postgres', async () => ({ url: await newDatabase() })],
])(
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
    const said: { readonly what: string; readonly event?: unknown }[] = [];
    let number = 0;
    let kills = 0;

    for (let life = 0; life < KILLS; life += 1) {
      const endpoint = new Endpoint(where);
      for (let n = 0; n < EVENTS_PER_LIFE; n += 1) waiting.push(`evt_${number++}`);
      // By what it does, not by the time: after so many acknowledgements and steps of handlers, at the latest after all.
      const last = Math.floor(random() * 3 * EVENTS_PER_LIFE);
      let steps = 0;
      const step = () => {
        steps += 1;
        if (steps >= last) endpoint.kill();
      };
      const isReady = endpoint.onLine;
      endpoint.onLine = () => {
        isReady();
        step();
      };
      const send = async () => {
        for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
          if (!(await endpoint.deliver(id))) {
            waiting.push(id);
            if (endpoint.wasKilled) return;
            if (endpoint.isGone) throw new Error('the endpoint ended by itself');
            continue;
          }
          acknowledged.push(id);
          step();
          // At least once is more than once.
          const again = acknowledged[Math.floor(random() * acknowledged.length)];
          if (again !== undefined && random() < 0.3) await endpoint.deliver(again);
        }
      };
      await Promise.all(Array.from({ length: SENDERS }, send));
      endpoint.kill();
      await endpoint.gone;
      kills += 1;
      said.push(...endpoint.said);
    }

    const survivor = new Endpoint(where);
    while (waiting.length > 0) {
      const id = waiting.shift() ?? '';
      if (await survivor.deliver(id)) acknowledged.push(id);
      else if (survivor.isGone) throw new Error('the endpoint ended by itself');
      else waiting.push(id);
    }
    await survivor.settled();
    survivor.kill();
    await survivor.gone;
    said.push(...survivor.said);

    const effects = (await ask('SELECT event FROM effects')).map(({ event }) => String(event));
    expect(effects.sort()).toEqual(Array.from({ length: number }, (_, n) => `evt_${n}`).sort());
    const wrong = said.filter(({ what }) => !['listening', 'begun', 'committed'].includes(what));
    expect(wrong).toEqual([]);
    const begun = said.filter(({ what }) => what === 'begun').length;
    if (isLong) {
      // Kills that interrupt no handler prove little.
      expect(begun - number).toBeGreaterThan(KILLS / 20);
      process.stdout.write(`${name}: ${kills} kills, ${number} events, ${begun - number} handlers cut off\n`);
    }
    await store.close();
  },
);
