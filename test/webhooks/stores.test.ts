import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.js';
import { webhookReceiver } from '../../src/webhooks/index.js';
import { memoryStorage, postgresStorage, sqliteStorage } from '../store/kit.js';
import { approval, deliveryOf, secret } from './delivery.js';

const now = () => Math.floor(Date.now() / 1000);
const deliver = (id: string, sale: string) => deliveryOf(approval(id, 2, sale), secret, now());

const storages = { memory: memoryStorage, sqlite: sqliteStorage, postgres: postgresStorage };

describe.each(Object.entries(storages))('1,000 duplicate and concurrent deliveries over %s', (kind, open) => {
  it('have each effect once, over two receivers as in two processes', async () => {
    const storage = await open();
    const stores: Store[] = [await storage.open(), await storage.open()];
    const effects: string[] = [];
    const receivers = stores.map((store) =>
      webhookReceiver({
        secrets: secret,
        store,
        sweepEvery: 20,
        onReport: ({ kind: what, error }) => effects.push(`${what} ${String(error)}`),
        on: { '*': ({ id }) => void effects.push(id) },
      }),
    );
    const deliverAll = (places: readonly number[]) =>
      Promise.all(
        places.map((place) => {
          const n = place % 50;
          // Each event goes to both receivers in turn.
          const receiver = receivers[(place + Math.floor(place / 50)) % 2];
          return receiver?.receive(deliver(`evt_${n}`, `sal_${n}`));
        }),
      );
    const places = Array.from({ length: 1_000 }, (_, place) => place);
    // Most of them at once, and each event again when it is kept or handled.
    const answers = [...(await deliverAll(places.slice(0, 900))), ...(await deliverAll(places.slice(900)))];
    expect(answers.filter((answer) => answer?.status !== 200)).toEqual([]);
    expect(answers.filter((answer) => answer?.outcome === 'kept')).toHaveLength(50);
    while (new Set(effects).size < 50) {
      for (const receiver of receivers) await receiver.idle();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect([...effects].sort()).toEqual(Array.from({ length: 50 }, (_, n) => `evt_${n}`).sort());
    for (const receiver of receivers) await receiver.close();
    for (const store of new Set(stores)) await store.close();
    await storage.remove?.();
  });

  it.runIf(kind !== 'memory')('commit the user’s own rows with the event, or neither', async () => {
    const storage = await open();
    const store = await storage.open();
    const sql = (text: string) => store.transaction('setup', async ({ query }) => query?.(text));
    await sql('CREATE TABLE orders (sale TEXT PRIMARY KEY, amount TEXT NOT NULL)');
    let tries = 0;
    const receiver = webhookReceiver({
      secrets: secret,
      store,
      random: () => 1,
      onReport: () => undefined,
      on: {
        'sale.approved': (event, { commit }) =>
          commit(async (query) => {
            tries += 1;
            const { id, amount } = event.data.sale;
            await query('INSERT INTO orders (sale, amount) VALUES ($1, $2)', [id, amount]);
            if (id === 'sal_bad') throw new Error('crash before the commit');
          }),
      },
    });
    await receiver.receive(deliver('evt_good', 'sal_good'));
    await receiver.receive(deliver('evt_bad', 'sal_bad'));
    await receiver.idle();
    expect(await sql('SELECT sale FROM orders')).toEqual([{ sale: 'sal_good' }]);
    expect((await receiver.list()).map(({ id, state }) => [id, state])).toEqual([
      ['evt_good', 'handled'],
      ['evt_bad', 'pending'],
    ]);
    expect(tries).toBe(2);
    await receiver.close();
    await store.close();
    await storage.remove?.();
  });
});
