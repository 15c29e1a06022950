import { recordKinds } from '../../../src/api/operation.js';
import type { SandboxCredentials } from '../../../src/sandbox/index.js';
import type { Kept, Play } from './play.js';

/** Every record, and what the wire tells everybody at one moment. */
export interface Observation {
  readonly records: ReadonlyMap<string, Kept>;
  // biome-ignore lint/suspicious/noExplicitAny: replies are compared with literals, field by field
  readonly dues: ReadonlyMap<string, any>;
  // biome-ignore lint/suspicious/noExplicitAny: replies are compared with literals, field by field
  readonly receipts: ReadonlyMap<string, any>;
  /** Lot status by client id and lot id. */
  // biome-ignore lint/suspicious/noExplicitAny: replies are compared with literals, field by field
  readonly status: ReadonlyMap<string, any>;
  /** Everything above and every list, as text, by whom and what was read. */
  readonly pages: ReadonlyMap<string, string>;
  readonly ledger: number;
}

/** Reads all that everybody may read. */
export async function observe(play: Play): Promise<Observation> {
  const pages = new Map<string, string>();
  const [status, dues, receipts] = [new Map(), new Map(), new Map()];
  for (const who of play.everybody) {
    for (const list of ['sale-cases', 'bid-cancellation-requests', 'notifications', 'bids']) {
      pages.set(`${who.clientId} ${list}`, JSON.stringify(await listed(play, who, list)));
    }
    const { json } = await play.read(who, 'winner-updates', 'limit=100');
    pages.set(`${who.clientId} winner-updates`, JSON.stringify(json.data));
  }
  for (const who of play.partners) {
    const { json } = await play.post(who, 'lots/status-batch', { lot_ids: play.lots.map(({ id }) => id) });
    for (const { lot_id, data } of json.data) {
      status.set(`${who.clientId} ${lot_id}`, data);
      pages.set(`${who.clientId} ${lot_id}`, JSON.stringify(data));
    }
  }
  for (const { id } of play.all('sale')) {
    const of = async (what: string) => {
      const { status, json } = await play.read(play.sandbox.credentials.bank, `sale-cases/${id}/${what}`);
      pages.set(`${what} ${id}`, `${status} ${JSON.stringify(json.data)}`);
      return json.data;
    };
    const due = await of('payment-dues');
    if (due !== undefined) dues.set(id, due);
    if (due?.remaining === '0.00') play.paid.add(id);
    else play.paid.delete(id);
    receipts.set(id, await of('receipts'));
    await of('transfer-status');
  }
  const all = recordKinds.flatMap((kind) => play.all(kind));
  const records = new Map(all.map((record) => [record.id, record]));
  return { records, dues, receipts, status, pages, ledger: play.sandbox.ledger().length };
}

async function listed(play: Play, who: SandboxCredentials, list: string): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let page = 1; ; page += 1) {
    const { json } = await play.read(who, list, `page=${page}`);
    const envelope = Array.isArray(json.data) ? json : json.data;
    items.push(...(envelope.items ?? envelope.data));
    // The newest messages will do: older ones don't change.
    if (page >= envelope.last_page || list === 'notifications') return items;
  }
}
