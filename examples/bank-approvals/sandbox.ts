import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BankClient, fromPaise, toPaise } from 'vehicle-auction-sdk';
import { readVehicles } from 'vehicle-auction-sdk/csv';
import { startSandbox } from 'vehicle-auction-sdk/sandbox';
import type { Entry } from './payments.js';
import { dayInIndia } from './policy.js';

/** A bank whose auction closed on four lots: at, just below and far below the reserve, and one without a reserve. */
export async function openSandbox() {
  const sandbox = await startSandbox();
  const { baseUrl, credentials, actors } = sandbox;
  const bank = new BankClient({ baseUrl, environment: 'sandbox', credentials: credentials.bank });
  const missing = ['0', '20000', '150000'];
  const reserves = new Map<string, string>();
  for (const [place, { id, startingPrice }] of sandbox.auctions.get('live-open').lots.slice(0, 4).entries()) {
    actors.rival.bid(id, startingPrice);
    const more = missing[place];
    if (more !== undefined) reserves.set(id, fromPaise(toPaise(startingPrice) + toPaise(more)));
  }
  sandbox.auctions.close('live-open');
  const folder = await mkdtemp(join(tmpdir(), 'bank-stock-'));

  return {
    sandbox,
    bank,
    reserves,
    /** The buyer accepts every offer that is open. */
    acceptOffers() {
      for (const { id, state } of sandbox.records('offer')) {
        if (state === 'open') actors.buyer.respond(id, 'accepted');
      }
    },
    /** The buyer acknowledges and pays what is approved. @returns the entries of the bank's statement */
    pay(): Entry[] {
      const approved = sandbox.records('sale').filter(({ state }) => state === 'approved');
      return approved.map(({ id: saleId }, place) => {
        actors.buyer.acknowledge(saleId);
        const { id: reportId, data } = actors.buyer.report(saleId);
        const [utr, amount] = [String(data['utr']), String(data['amount'])];
        const valueDate = dayInIndia(sandbox.clock.now());
        const transfer = { account: 'CURRENT-1', utr, transaction: `S26060-${place}`, amount, valueDate };
        return { ...transfer, saleId, reportId };
      });
    },
    /** A file of two vehicles, as a yard sends it. */
    newStock: () => ({
      stock: readVehicles([
        'Ref No,Vehicle,Registration Number,Year,Fuel,Remarks\n',
        'REPO-1,Maruti Swift VXi,MH12AB1234,2019,Petrol,\n',
        'REPO-2,Tata Nexon EV,MH14CD5678,2022,Electric,scratched\n',
      ]),
      results: join(folder, 'stock.results.csv'),
    }),
    async [Symbol.asyncDispose]() {
      await bank.close();
      await sandbox.close();
      await rm(folder, { recursive: true });
    },
  };
}
