import { randomUUID } from 'node:crypto';
import type { Sandbox, SandboxCredentials, WireRecord } from '../../src/sandbox/index.js';
import { bid, type Got, get, lotOf, type Sent, send } from './caller.js';

/** A lot that was won, and the sale that its award opened. */
export interface SoldLot {
  saleId: string;
  lotId: string;
  bidId: string;
  /** INR decimal string. */
  amount: string;
  /** The winner. */
  who: SandboxCredentials;
}

export interface Winning {
  /** The dealer when left out. */
  who?: SandboxCredentials;
  /** Auction by label; `live-open` when left out. */
  label?: string;
  index?: number;
  bidder_reference?: string;
  /** INR decimal string; the opening when left out. */
  amount?: string;
}

/** Sends a workflow command under `/api/v1/…`; a fresh key, unless the body has one, stands in header and body. */
export function command(
  sandbox: Sandbox,
  who: SandboxCredentials,
  path: string,
  content: Record<string, unknown>,
  headers: Record<string, string | undefined> = {},
  sign?: Sent['sign'],
): Promise<Got> {
  const body = { idempotency_key: randomUUID(), ...content };
  return send(sandbox, who, {
    path,
    body,
    headers: { 'Idempotency-Key': String(body.idempotency_key), ...headers },
    ...(sign !== undefined && { sign }),
  });
}

/** The private inventory as tests look at it: vehicles that a command made, and those of lots. */
export function inventoryOf(sandbox: Sandbox) {
  const shown = ({ id, state, resource_version, data }: WireRecord) => ({
    vehicleId: id,
    externalId: data['external_id'],
    title: data['title'],
    schemaVersion: data['schema_version'],
    values: data['values'],
    status: state,
    inventoryVersion: resource_version,
    lotId: data['lot_id'],
  });
  const all = () => sandbox.records('inventory_vehicle').map(shown);
  return {
    list: () => all().filter(({ lotId }) => lotId === null),
    get: (vehicleId: string) => {
      const found = all().find((vehicle) => vehicle.vehicleId === vehicleId);
      if (found === undefined) throw new RangeError(`no vehicle ${vehicleId}`);
      return found;
    },
    ofLot: (lotId: string) => shown(sandbox.vehicleOf(lotId)),
  };
}

/** The `data` of a command that must succeed. */
export async function done(reply: Promise<Got>) {
  const { status, json, text } = await reply;
  if (status !== 200) throw new Error(`refused with ${status}: ${text}`);
  return json.data;
}

/** Bids, closes the auction, and returns the sale of the award: the bank has yet to decide it. */
export async function wonLot(sandbox: Sandbox, winning: Winning = {}): Promise<SoldLot> {
  const { who = sandbox.credentials.dealer, label = 'live-open', index = 0, ...buyer } = winning;
  const lot = lotOf(sandbox, label, index);
  const made = await bid(sandbox, who, lot.id, { amount: lot.startingPrice, ...buyer });
  if (made.status !== 201) throw new Error(`the bid was answered ${made.status}: ${made.text}`);
  sandbox.auctions.close(label);
  const { items } = (await get(sandbox, who, '/api/v1/sale-cases')).json.data;
  const sale = items.find((item: { data: { lot_id: string } }) => item.data.lot_id === lot.id);
  return { saleId: sale.id, lotId: lot.id, bidId: sale.data.bid_id, amount: sale.data.amount, who };
}

/** The body of an approval of a sale as it stands; payment is due in a week. */
export async function approval(sandbox: Sandbox, sold: SoldLot) {
  const { resource_version } = await saleOf(sandbox, sold.saleId);
  return {
    decision: 'approved',
    bid_id: sold.bidId,
    terms_version: 'T1',
    due_at: new Date(sandbox.clock.now() + 7 * 86_400_000).toISOString(),
    payee_instructions: 'NEFT to 000111222333, IFSC EXMP0000001',
    expected_version: resource_version,
  };
}

/** A lot that was won, and whose sale the bank approved. */
export async function approvedLot(sandbox: Sandbox, winning: Winning = {}): Promise<SoldLot> {
  const sold = await wonLot(sandbox, winning);
  const path = `/api/v1/sale-cases/${sold.saleId}/decisions`;
  await done(command(sandbox, sandbox.credentials.bank, path, await approval(sandbox, sold)));
  return sold;
}

/** The same, acknowledged by its buyer. */
export async function acknowledgedLot(sandbox: Sandbox, winning: Winning = {}): Promise<SoldLot> {
  const sold = await approvedLot(sandbox, winning);
  const { resource_version, data } = await saleOf(sandbox, sold.saleId);
  const path = `/api/v1/sale-cases/${sold.saleId}/acknowledgments`;
  const body = { terms_version: data.terms_version, expected_version: resource_version };
  await done(command(sandbox, sold.who, path, body));
  return sold;
}

/** A sale as the bank reads it. */
export async function saleOf(sandbox: Sandbox, saleId: string) {
  const { status, json, text } = await get(sandbox, sandbox.credentials.bank, `/api/v1/sale-cases/${saleId}`);
  if (status !== 200) throw new Error(`the sale was answered ${status}: ${text}`);
  return json.data;
}

/** All that callers can read, of these paths too, and all that is committed: to see that a refusal changed nothing. */
export async function picture(sandbox: Sandbox, paths: readonly string[] = []) {
  const { bank, dealer, platform } = sandbox.credentials;
  const lists = ['notifications', 'sale-cases', 'bid-cancellation-requests', 'bids'];
  const seen: unknown[] = [];
  for (const who of [bank, dealer, platform]) {
    for (const path of [...lists.map((list) => `/api/v1/${list}`), ...paths]) {
      const { status, json } = await get(sandbox, who, path);
      const { server_time: _, request_id: __, timestamp: ___, ...told } = json;
      seen.push([who.clientId, path, status, told]);
    }
  }
  return { seen, ledger: sandbox.ledger() };
}
