import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.js';
import { webhookReceiver } from '../../src/webhooks/index.js';
import { memoryStorage, postgresStorage, sqliteStorage } from '../store/kit.js';
import { headersFor, nowMs, saleApproved, secret } from './delivery.js';

const clock = {
  now: () => nowMs,
  monotonic: () => performance.now(),
  after: (_: number, callback: () => void) => {
    const timer = setTimeout(callback, 1);
    return () => clearTimeout(timer);
  },
};

function deliveryOf(id: string, sale: string) {
  const data = { ...saleApproved.data, resource_id: sale, sale: { ...saleApproved.data.sale, id: sale } };
  const body = Buffer.from(JSON.stringify({ ...saleApproved, id, data }));
  return { body, headers: headersFor(body) };
}

const storages = { memory: memoryStorage, sqlite: () => sqliteStorage('apart'), postgres: postgresStorage };

describe.each(Object.entries(storages))('1,000 duplicate and concurrent deliveries over %s', (kind, open) => {
  it('have each effect once, over two receivers as in two processes', async () => {
    const storage = await open();
    const stores: Store[] = [await storage.open(), await storage.open()];
    const effects: string[] = [];
    const receivers = stores.map((store) =>
      webhookReceiver({
        secrets: secret,
        store,
        clock,
        sweepEvery: 20,
        onReport: ({ kind: what, error }) => effects.push(`${what} ${String(error)}`),
        on: { '*': ({ id }) => void effects.push(id) },
      }),
    );
    const ids = Array.from({ length: 1_000 }, (_, n) => n % 50);
    const answers = await Promise.all(
      ids.map((n, place) => receivers[place % 2]?.receive(deliveryOf(`evt_${n}`, `sal_${n}`))),
    );
    expect(answers.filter((answer) => answer?.status !== 200)).toEqual([]);
    expect(answers.filter((answer) => answer?.outcome === 'kept')).toHaveLength(50);
    for (let turn = 0; turn < 200 && effects.length < 50; turn += 1) {
      for (const receiver of receivers) await receiver.idle();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect([...effects].sort()).toEqual([...new Set(ids.map((n) => `evt_${n}`))].sort());
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
      clock,
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
    await receiver.receive(deliveryOf('evt_good', 'sal_good'));
    await receiver.receive(deliveryOf('evt_bad', 'sal_bad'));
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
