import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DocumentRecord,
  fileContent,
  formatInr,
  type SaleRecord,
  ValidationError,
} from 'vehicle-auction-sdk';
import type { Cast } from './cast.js';
import { given, idOf } from './given.js';

const utr = 'EXMPN26061234567';

/** The buyer shows that it paid; the bank finds the money, verifies the report, and allocates it to the sale. */
export async function pay({ sandbox, narrator, buyer, bank }: Cast, sale: SaleRecord): Promise<void> {
  const { client: auction } = buyer;
  const amount = given(sale.data?.amount);

  narrator.chapter(
    'Evidence first',
    'await auction.documents.upload({ content_base64: fileContent(path), … })',
  );
  const uploaded = await uploadAdvice(auction.documents, sale.id, amount);
  narrator.say(`${uploaded.data?.filename}, ${uploaded.data?.bytes} bytes: ${uploaded.state}.`);
  const report = {
    sale_id: sale.id,
    amount,
    currency: 'INR',
    method: 'bank_transfer',
    utr,
    paid_at: new Date(sandbox.clock.now()).toISOString(),
    evidence_id: uploaded.id,
  } as const;
  const early = await auction.paymentReports.create(report).catch((error: unknown) => error);
  narrator.check(
    early instanceof ValidationError && 'evidence_id' in early.fieldErrors,
    'what is not scanned yet is no evidence: the report is refused, and the error names evidence_id',
  );
  const ready = await whenReady(auction.documents, uploaded);
  narrator.check(ready.state === 'ready', 'the scanner found it clean: ready');

  narrator.chapter('Report the payment', 'await auction.paymentReports.create({ … })');
  const reported = await auction.paymentReports.create(report);
  narrator.say(`${reported.state}: a report is no money.`);
  const unpaid = await auction.saleCases.paymentDues(sale.id);
  narrator.check(
    unpaid.verified_credits === '0.00' && unpaid.remaining === amount,
    'nothing is credited before the bank has verified it',
  );

  narrator.chapter(
    'The bank finds the money and verifies',
    'await bank.paymentReports.decide(report, { … })',
  );
  const account = { bank_account_reference: 'CURRENT-0001', currency: 'INR' } as const;
  const receipt = await bank.bankReceipts.import({
    ...account,
    sale_id: sale.id,
    utr,
    external_transaction_id: 'STMT-2026-03-0001',
    amount,
    value_date: new Date(sandbox.clock.now()).toISOString().slice(0, 10),
  });
  const verified = await bank.paymentReports.decide(await bank.paymentReports.get(reported.id), {
    ...account,
    decision: 'verified',
    reason: 'Found on the statement',
    bank_receipt_id: receipt.id,
    received_amount: amount,
  });
  narrator.check(verified.state === 'verified', `report ${verified.id} is verified against ${receipt.id}`);

  narrator.chapter('It allocates the money to the sale', 'await bank.payments.allocate(payment, { … })');
  const { payments = [] } = await bank.saleCases.receipts(sale.id);
  const payment = await bank.payments.get(idOf(payments[0]));
  const allocation = await bank.payments.allocate(payment, { sale_id: sale.id, amount });
  const paid = await auction.saleCases.paymentDues(sale.id);
  narrator.say(
    `${formatInr(given(allocation.data?.amount))} ${allocation.state} from payment ${payment.id}.`,
  );
  narrator.check(
    paid.verified_credits === amount && paid.remaining === '0.00' && paid.excess === '0.00',
    `nothing remains to be paid: ${paid.state}`,
  );
}

/** Uploads a bank's advice of the transfer, from a file. */
async function uploadAdvice(
  documents: Cast['buyer']['client']['documents'],
  saleId: string,
  amount: string,
): Promise<DocumentRecord> {
  const folder = await mkdtemp(join(tmpdir(), 'vehicle-auction-demo-'));
  try {
    const path = join(folder, 'transfer-advice.txt');
    await writeFile(path, `Transfer of INR ${amount}\nUTR ${utr}\nFor sale ${saleId}\n`);
    return await documents.upload({
      sale_id: saleId,
      purpose: 'payment_evidence',
      filename: 'transfer-advice.txt',
      content_base64: fileContent(path),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Reads a document until it has left the scanner. */
export async function whenReady(
  documents: Cast['buyer']['client']['documents'],
  document: DocumentRecord,
): Promise<DocumentRecord> {
  let read = document;
  while (read.state === 'awaiting_scan') {
    await sleep(400);
    read = await documents.get(document.id);
  }
  return read;
}
