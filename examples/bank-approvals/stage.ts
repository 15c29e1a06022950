import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BankClient, fromPaise, PartnerClient, type SaleRecord, toPaise } from 'vehicle-auction-sdk';
import type { Sandbox } from 'vehicle-auction-sdk/sandbox';

/** A bank in the embedded sandbox, a dealer that buys from it, and the files that the program reads. */
export interface Stage extends AsyncDisposable {
  readonly bank: BankClient;
  /** Table of reserves. */
  readonly reserves: string;
  /** Where the audit goes, in a folder that stays for a look. */
  readonly audit: string;
  /** The buyer accepts every offer that it has been made. */
  acceptOffers(): Promise<void>;
  /** The buyer acknowledges and pays what is approved. Returns the path of the bank statement. */
  pay(): Promise<string>;
}

/** An auction has closed on four lots: at, just below and far below the reserve, and one whose reserve isn't known. */
export async function openStage(sandbox: Sandbox): Promise<Stage> {
  const { baseUrl, credentials } = sandbox;
  const bank = new BankClient({ baseUrl, environment: 'sandbox', credentials: credentials.bank });
  const dealer = new PartnerClient({
    baseUrl,
    environment: 'sandbox',
    credentials: credentials.dealer,
    partnerType: 'direct_dealer',
    dealerId: credentials.dealer.dealerId,
  });
  const folder = await mkdtemp(join(tmpdir(), 'bank-approvals-'));
  const reserves = join(folder, 'reserves.csv');
  await writeFile(reserves, await holdAuction(sandbox, dealer));
  return {
    bank,
    reserves,
    audit: join(folder, 'audit.jsonl'),
    acceptOffers: () => acceptOffers(dealer),
    pay: async () => {
      const statement = join(folder, 'statement.csv');
      await writeFile(statement, await payAll(dealer));
      return statement;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([bank.close(), dealer.close()]);
    },
  };
}

/** Returns the table of reserves. */
async function holdAuction(sandbox: Sandbox, dealer: PartnerClient): Promise<string> {
  const lots = sandbox.auctions.get('live-open').lots.slice(0, 4);
  const missing = ['0', '20000', '150000'];
  const rows = ['lot_id,reserve'];
  for (const [place, { id, startingPrice }] of lots.entries()) {
    if (place === 2) sandbox.actors.rival.bid(id, startingPrice);
    else await dealer.bids.submit(id, { amount: startingPrice });
    const more = missing[place];
    if (more !== undefined) rows.push(`${id},${fromPaise(toPaise(startingPrice) + toPaise(more))}`);
  }
  sandbox.auctions.close('live-open');
  return table(rows);
}

async function acceptOffers(dealer: PartnerClient): Promise<void> {
  for (const { data } of await ownSales(dealer)) {
    const { id, resource_version, data: terms } = data?.active_offer ?? {};
    const terms_version: unknown = Object(terms).terms_version;
    if (typeof id !== 'string' || typeof resource_version !== 'number' || typeof terms_version !== 'string')
      continue;
    await dealer.offers.respond({ id, resource_version }, { decision: 'accepted', terms_version });
  }
}

/** Returns the bank statement that shows the payments. */
async function payAll(dealer: PartnerClient): Promise<string> {
  const rows = ['account,utr,external_transaction_id,amount,value_date,sale_id,report_id'];
  const approved = (await ownSales(dealer)).filter(({ state }) => state === 'approved');
  for (const [place, sale] of approved.entries()) {
    const { amount = '', terms_version } = sale.data ?? {};
    await dealer.saleCases.acknowledge(sale, { terms_version: terms_version ?? '' });
    const utr = `EXMPN2606000001${place}`;
    const paidAt = new Date().toISOString();
    const paid = { amount, currency: 'INR', method: 'bank_transfer', utr, paid_at: paidAt } as const;
    const report = await dealer.paymentReports.create({ sale_id: sale.id, ...paid });
    rows.push(`CURRENT-1,${utr},S26060-${place},${amount},${paidAt.slice(0, 10)},${sale.id},${report.id}`);
  }
  return table(rows);
}

async function ownSales(dealer: PartnerClient): Promise<SaleRecord[]> {
  const sales: SaleRecord[] = [];
  for await (const { id } of dealer.saleCases.list()) sales.push(await dealer.saleCases.get(id));
  return sales;
}

function table(rows: readonly string[]): string {
  return `${rows.join('\n')}\n`;
}
