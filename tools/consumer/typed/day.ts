// A platform's evening and a bank's day: standings, photos, a batch with its plan, inventory, payments.
import { createServer } from 'node:http';
import { BankClient, compareReport, diskCache, PartnerClient, readNotification } from 'vehicle-auction-sdk';
import { readBids, readVehicles, writeImport, writeResults } from 'vehicle-auction-sdk/csv';
import { sqliteStore } from 'vehicle-auction-sdk/sqlite';

const store = sqliteStore('./auction.db');
const auction = new PartnerClient({ environment: 'sandbox', partnerType: 'platform', store });
const bank = new BankClient({ environment: 'sandbox', store, account: 'bank' });

export async function followStandings(buyers: readonly string[], signal: AbortSignal): Promise<void> {
  const lots = await auction.lots.list().toArray();
  for await (const change of auction.lots.watch(lots, { buyers, signal })) {
    if (change.type !== 'changed') continue;
    for (const each of change.changedStandings) console.log(each.bidderReference, each.standing);
  }
}

export function servePhotos(port: number): void {
  const cache = diskCache('./photos', { maxBytes: 1_000_000_000 });
  createServer(async ({ url = '' }, response) => {
    await auction.media.serve(url.slice(1), response, { cache });
  }).listen(port);
}

export async function placeBids(file: string, batchId: string): Promise<boolean> {
  const { requests, lastAt = 0, late, heldBack } = await auction.bids.plan(readBids(file), { batchId });
  console.log(requests, new Date(lastAt), late.length, heldBack.length);
  const run = auction.bids.placeAll(readBids(file), { batchId });
  await writeResults(run, `${file}.results.csv`);
  return (await run.summary).isComplete;
}

export async function importVehicles(file: string): Promise<number> {
  const run = bank.inventory.import(readVehicles(file), {
    map: { Vehicle: 'title', 'Ref No': 'external_id' },
  });
  await writeImport(run, `${file}.results.csv`);
  return (await run.summary).counts.created;
}

type Receipts = ReadonlyMap<string, { readonly id: string; readonly amount: string }>;
export async function verifyPayments(receipts: Receipts): Promise<void> {
  for await (const message of bank.notifications.list()) {
    const { payment_report: id } = readNotification(message).data.ids ?? {};
    if (message.type !== 'payment.reported' || id === undefined) continue;
    const report = await bank.paymentReports.get(id);
    const { utr = '', sale_id: saleId = '' } = report.data ?? {};
    const { id: bank_receipt_id, amount } = receipts.get(utr) ?? { id: '', amount: '0' };
    const dues = await bank.saleCases.paymentDues(saleId);
    const { matches } = compareReport(report, { receipt: { utr, saleId, amount }, dues });
    if (!matches) continue;
    const received = { received_amount: amount, currency: 'INR', bank_account_reference: 'main' } as const;
    await bank.runOnce(['verify', id], (idempotency_key) =>
      bank.paymentReports.decide(report, {
        decision: 'verified',
        reason: 'Found on the statement',
        bank_receipt_id,
        ...received,
        idempotency_key,
      }),
    );
  }
}
