import {
  type BankClient,
  compareReport,
  formatInr,
  InDoubtError,
  readReceipts,
  toPaise,
  VehicleAuctionError,
} from 'vehicle-auction-sdk';
import { dayInIndia, daysAfter } from './policy.js';
import type { Settings } from './settings.js';

/** An entry of the bank's statement that was matched with a sale and a payment report. */
export interface Entry {
  readonly account: string;
  readonly utr: string;
  /** The bank's id of the transfer. Together with the account, it identifies the entry. */
  readonly transaction: string;
  /** INR decimal string. */
  readonly amount: string;
  /** A calendar date. */
  readonly valueDate: string;
  readonly saleId: string;
  readonly reportId: string;
}

export interface Credited {
  readonly status: 'released' | 'credited' | 'held' | 'unknown' | 'failed';
  readonly why: string;
}

/** A person or a second approver must act first. */
class Held extends Error {}

/** Imports, verifies and allocates an entry, and releases the vehicle once it is paid. Safe to call again. */
export async function credit(bank: BankClient, settings: Settings, entry: Entry): Promise<Credited> {
  try {
    return await steps(bank, settings, entry);
  } catch (error) {
    if (error instanceof Held) return { status: 'held', why: error.message };
    if (!(error instanceof VehicleAuctionError)) throw error;
    const isOpen = error instanceof InDoubtError || error.outcome === 'unknown';
    return { status: isOpen ? 'unknown' : 'failed', why: `${error.message} ${error.nextStep}` };
  }
}

async function steps(bank: BankClient, settings: Settings, entry: Entry): Promise<Credited> {
  const { account, utr, transaction, amount, saleId } = entry;
  const name = `${account}/${transaction}`;
  const received = { bank_account_reference: account, currency: 'INR' } as const;

  const report = await bank.paymentReports.get(entry.reportId);
  const isVerified = report.state === 'verified';
  const { differences } = compareReport(report, {
    receipt: { utr, amount, saleId },
    dues: await bank.saleCases.paymentDues(saleId),
  });
  // Partial payments and verified reports are valid.
  const against = differences.filter(
    ({ field }) => field !== 'remaining' && !(isVerified && field === 'state'),
  );
  if (against.length > 0)
    throw new Held(`report ${report.id} differs in ${against.map(({ field }) => field)}`);

  // `runOnce` makes each step take effect once, even if the program is killed and restarted.
  const receipt = await bank.runOnce(['import', name], (idempotency_key) =>
    bank.bankReceipts.import({
      sale_id: saleId,
      ...received,
      utr,
      external_transaction_id: transaction,
      amount,
      value_date: entry.valueDate,
      idempotency_key,
    }),
  );
  if (!isVerified) {
    const { state } = await bank.runOnce(['verify', report.id], (idempotency_key) =>
      bank.paymentReports.decide(report, {
        decision: 'verified',
        reason: 'Found on the statement',
        bank_receipt_id: receipt.id,
        received_amount: amount,
        ...received,
        idempotency_key,
      }),
    );
    if (state !== 'verified')
      throw new Held(`report ${report.id} is ${state}: a second approver may have to confirm`);
  }
  await bank.runOnce(['allocate', name], async (idempotency_key) => {
    const payment = await bank.payments.get(await unallocatedPayment(bank, entry));
    return bank.payments.allocate(payment, { sale_id: saleId, amount, idempotency_key });
  });

  const { remaining } = await bank.saleCases.paymentDues(saleId);
  if (toPaise(remaining) > 0n)
    return { status: 'credited', why: `${formatInr(remaining)} remain for ${saleId}` };
  const release = await bank.runOnce(['release', saleId], async (idempotency_key) => {
    const sale = await bank.saleCases.get(saleId);
    if (!sale.data?.acknowledged_at)
      throw new Held(`${saleId} is paid, and its buyer has not acknowledged it`);
    const { daysToCollect, ...handover } = settings.release;
    const expires_at = daysAfter(bank.clock.now(), daysToCollect);
    const dates = { expires_at, collection_date: dayInIndia(expires_at) };
    return bank.saleCases.authorizeRelease(sale, { ...handover, ...dates, idempotency_key });
  });
  return { status: 'released', why: `${saleId} is paid; its release is ${release.id}` };
}

/** The only unallocated payment of this amount for the sale. */
async function unallocatedPayment(bank: BankClient, { saleId, amount }: Entry): Promise<string> {
  const receipts = await bank.saleCases.receipts(saleId);
  const allocated = JSON.stringify(receipts.allocations ?? []); // the API does not show their fields
  const free = readReceipts(receipts).payments.flatMap(({ complete, data }) =>
    complete && toPaise(data.amount) === toPaise(amount) && !allocated.includes(`"${data.id}"`)
      ? [data.id]
      : [],
  );
  const [id] = free;
  if (id === undefined || free.length > 1) {
    throw new Held(`${saleId} has ${free.length} payments of ${formatInr(amount)} to allocate, not one`);
  }
  return id;
}
