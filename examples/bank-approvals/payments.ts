import {
  type BankClient,
  compareReport,
  formatInr,
  InDoubtError,
  type PaymentReportRecord,
  readNotification,
  readReceipts,
  toPaise,
  VehicleAuctionError,
} from 'vehicle-auction-sdk';
import { dayInIndia, daysAfter } from './policy.js';
import type { Settings } from './settings.js';

/** An entry of the bank's statement. */
export interface StatementEntry {
  readonly account: string;
  readonly utr: string;
  /** The bank's id of the transfer. Together with the account, it identifies the entry. */
  readonly transaction: string;
  /** INR decimal string. */
  readonly amount: string;
  /** A calendar date. */
  readonly valueDate: string;
}

/** An entry that was matched with a sale and a payment report. */
export interface Entry extends StatementEntry {
  readonly saleId: string;
  readonly reportId: string;
}

export interface Credited {
  readonly status: 'released' | 'credited' | 'waiting' | 'held' | 'unknown' | 'failed';
  readonly why: string;
}

/** A person or a second approver must act first. */
class Held extends Error {}

/**
 * Every payment report that the inbox names, each once. Reports have no list of their own.
 *
 * @param unread gets messages of reports that name none
 */
export async function* paymentReports(
  bank: BankClient,
  unread: (subject: unknown) => void,
): AsyncGenerator<PaymentReportRecord> {
  const seen = new Set<string>();
  for await (const message of bank.notifications.list()) {
    if (message.type !== 'payment.reported') continue;
    const id = readNotification(message).data.ids?.payment_report;
    if (id === undefined) unread(message.subject);
    else if (!seen.has(id)) yield await bank.paymentReports.get(id);
    if (id !== undefined) seen.add(id);
  }
}

/** Credits what the statement shows of the reported payments. Safe to call again, with the same statement or a later one. */
export async function* creditAll(
  bank: BankClient,
  settings: Settings,
  statement: readonly StatementEntry[],
): AsyncGenerator<Credited & { readonly about: string }> {
  const rest = new Map(statement.map((entry) => [entry.utr.trim().toUpperCase(), entry]));
  const unread: unknown[] = [];
  for await (const { id, data } of paymentReports(bank, (subject) => unread.push(subject))) {
    const utr = data?.utr?.trim().toUpperCase() ?? '';
    const entry = rest.get(utr);
    const saleId = data?.sale_id;
    if (entry === undefined || saleId === undefined) {
      yield { status: 'waiting', about: id, why: `the statement has no entry with its UTR ${utr}` };
      continue;
    }
    rest.delete(utr);
    yield { about: id, ...(await credit(bank, settings, { ...entry, saleId, reportId: id })) };
  }
  for (const { utr } of rest.values()) yield { status: 'held', about: utr, why: 'no report names this UTR' };
  for (const subject of unread) yield { status: 'held', about: 'inbox', why: JSON.stringify(subject) };
}

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
  const { verdict, differences } = compareReport(report, {
    receipt: { utr, amount, saleId },
    dues: await bank.saleCases.paymentDues(saleId),
  });
  if (verdict === 'differs')
    throw new Held(`report ${report.id} differs in ${differences.map(({ field }) => field)}`);

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
  if (verdict === 'matches') {
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
