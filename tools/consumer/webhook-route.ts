import { setTimeout as sleep } from 'node:timers/promises';
import { signDelivery } from '../../src/webhooks/index.js';

/** The subscription secret of the programs that receive webhooks. */
export const secret = 'whsec_consumer';

const sale = { id: 'sale_1', state: 'approved', winner: true, amount: '505000.00', currency: 'INR' };
const event = {
  id: 'evt_1',
  type: 'sale.approved',
  schema_version: 1,
  created_at: '2026-01-01T01:23:20+00:00',
  data: { resource_id: sale.id, resource_version: 2, lot_id: 'lot_4f1c9a', sale },
};

/**
 * Delivers one event twice, and a forgery. A correct route replies 200, 200 and 400, and prints the sale once.
 *
 * @param printed everything that the server has printed
 */
export async function expectOneEffect(where: string, url: string, printed: () => string): Promise<void> {
  const statuses: number[] = [];
  for (const key of [secret, secret, 'forged']) {
    const { body, headers } = signDelivery({ body: event, secret: key });
    statuses.push((await fetch(url, { method: 'POST', body: new Uint8Array(body), headers })).status);
  }
  const effects = () => printed().split('sale_1 approved at 505000.00').length - 1;
  for (let waited = 0; effects() === 0 && waited < 10_000; waited += 50) await sleep(50);
  if (statuses.join() === '200,200,400' && effects() === 1) return;
  throw new Error(`${where} replied ${statuses.join()}, with ${effects()} effects:\n${printed()}`);
}
