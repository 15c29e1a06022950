import type { SandboxCredentials } from '../../../src/sandbox/index.js';
import type { Play, WireRecord } from './play.js';

/** What the wire tells everybody at one moment. */
export interface Observation {
  /** Records as the bank reads them. */
  readonly records: ReadonlyMap<string, WireRecord>;
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

/** Kinds that can be read again by their id, and where. */
const places = new Map([
  ['sale', 'sale-cases'],
  ['document', 'documents'],
  ['payment_report', 'payment-reports'],
  ['payment', 'payments'],
  ['refund', 'refunds'],
  ['dispute', 'disputes'],
  ['release', 'release-authorizations'],
]);

/** Reads all that everybody may read. */
export async function observe(play: Play): Promise<Observation> {
  const pages = new Map<string, string>();
  const status = new Map<string, unknown>();
  for (const who of play.everybody) {
    for (const list of ['sale-cases', 'bid-cancellation-requests', 'notifications', 'bids']) {
      const items = await listed(play, who, list);
      if (who === play.sandbox.credentials.bank && list !== 'bids' && list !== 'notifications') {
        for (const item of items) play.learn(item as WireRecord);
      }
      pages.set(`${who.clientId} ${list}`, JSON.stringify(items));
    }
    pages.set(`${who.clientId} winner-updates`, await said(play, who, 'winner-updates', 'limit=100'));
  }
  for (const who of play.partners) {
    const { json } = await play.post(who, 'lots/status-batch', { lot_ids: play.lots.map(({ id }) => id) });
    for (const { lot_id, data } of json.data) {
      status.set(`${who.clientId} ${lot_id}`, data);
      pages.set(`${who.clientId} ${lot_id}`, JSON.stringify(data));
    }
  }
  return { ...(await ofTheBank(play, pages)), status, pages, ledger: play.sandbox.ledger().length };
}

async function ofTheBank(play: Play, pages: Map<string, string>) {
  const { bank } = play.sandbox.credentials;
  const records = new Map<string, WireRecord>();
  const dues = new Map<string, unknown>();
  const receipts = new Map<string, unknown>();
  for (const { id } of play.all('sale')) {
    const due = await play.read(bank, `sale-cases/${id}/payment-dues`);
    if (due.status === 200) dues.set(id, due.json.data);
    if (due.json.data?.remaining === '0.00') play.paid.add(id);
    else play.paid.delete(id);
    pages.set(`dues ${id}`, JSON.stringify(due.json.data ?? due.status));
    const { json } = await play.read(bank, `sale-cases/${id}/receipts`);
    receipts.set(id, json.data);
    pages.set(`receipts ${id}`, JSON.stringify(json.data));
    for (const payment of json.data.payments) play.learn(payment);
    pages.set(`transfer ${id}`, await said(play, bank, `sale-cases/${id}/transfer-status`));
  }
  for (const { id, kind } of play.known.values()) {
    const place = places.get(kind);
    if (place === undefined) continue;
    const got = await play.read(bank, `${place}/${id}`);
    play.must(got.status === 200, `the bank can't read ${kind} ${id} any more: ${got.status}`);
    records.set(id, got.json.data);
    pages.set(`record ${id}`, JSON.stringify(got.json.data));
  }
  for (const item of JSON.parse(pages.get(`${bank.clientId} bid-cancellation-requests`) ?? '[]')) {
    records.set(item.id, item);
  }
  play.records = records;
  return { records, dues, receipts };
}

/** What is said of a path, but for what differs from call to call. */
async function said(play: Play, who: SandboxCredentials, path: string, query = ''): Promise<string> {
  const { status, json } = await play.read(who, path, query);
  return `${status} ${JSON.stringify(json?.data)}`;
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
