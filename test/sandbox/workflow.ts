import { randomUUID } from 'node:crypto';
import type { Sandbox, SandboxCredentials } from '../../src/sandbox/index.js';
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
