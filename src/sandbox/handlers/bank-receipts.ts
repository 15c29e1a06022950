import { bankReceipts } from '../../api/bank-receipts.js';
import type { Call, Handler } from '../call.js';
import { paise, rupees } from '../money.js';
import type { Reply } from '../replies.js';
import { unfamiliar } from '../unfamiliar.js';
import { soldSale } from '../workflow/asked-sale.js';
import { fresh } from '../workflow/changes.js';
import { carryOutOnce, conflict } from '../workflow/commands.js';
import type { BankReceipt, Payment } from '../workflow/entities.js';
import { readyEvidence } from '../workflow/evidence.js';
import { bankReceiptView } from '../workflow/views.js';
import type { World } from '../world.js';

const { operations } = bankReceipts;

/** A42: an entry of the bank's account becomes a receipt and, with it, a payment that can be allocated. */
export const bankReceiptHandlers: Readonly<Record<string, Handler>> = { [operations.import.id]: importEntry };

function importEntry(call: Call): Reply {
  return carryOutOnce(call, operations.import.body, (body) => {
    const { world } = call;
    const sale = soldSale(call, body.sale_id);
    const entry: Entry = {
      sale,
      bankAccountReference: body.bank_account_reference,
      utr: body.utr,
      externalTransactionId: body.external_transaction_id,
      amount: paise(body.amount),
      valueDate: body.value_date,
      evidenceId: readyEvidence(call, sale, body.evidence_id),
    };
    const about = { sale, amount: rupees(entry.amount) };
    const known = importedBefore(call, entry);
    if (known !== undefined) return { record: known, view: viewOf(world, known), ...about, known: true };
    const payment: Payment = {
      ...fresh(world, 'pay', 'payment', shownState(world, 'succeeded'), sale.owner),
      sale,
      amount: entry.amount,
      settlementState: shownState(world, 'bank_received'),
      allocations: [],
    };
    const receipt: BankReceipt = {
      ...fresh(world, 'rcp', 'bank_receipt', 'verified', sale.owner),
      ...entry,
      payment,
      report: undefined,
    };
    world.cases.payments.set(payment.id, payment);
    world.cases.receipts.set(receipt.id, receipt);
    return { record: receipt, view: viewOf(world, receipt), ...about };
  });
}

/** States of a payment beside the shown ones (unknowns: `payment-states`). */
function shownState({ settings }: World, shown: string): string {
  return settings.variants['payment-states'] === 'unfamiliar' ? unfamiliar : shown;
}

/** Whether the payment is named here isn't shown (unknowns: `payment-ids`). */
function viewOf({ settings }: World, receipt: BankReceipt): Readonly<Record<string, unknown>> {
  const { data, ...record } = bankReceiptView(receipt);
  return settings.variants['payment-ids'] === 'receipts'
    ? { ...record, data }
    : { ...record, data: { ...(data as object), payment_id: receipt.payment.id } };
}

/** An entry of an account, whatever it was imported as. */
type Entry = Pick<
  BankReceipt,
  'sale' | 'bankAccountReference' | 'utr' | 'externalTransactionId' | 'amount' | 'valueDate' | 'evidenceId'
>;

/**
 * The receipt that an entry is there as already; undefined for a new one. Within an account, the bank's own id and
 * the UTR each name one transfer: an entry that shares either and differs in anything is refused (unknowns:
 * `bank-receipt-duplicates`).
 */
function importedBefore({ world, party }: Call, entry: Entry): BankReceipt | undefined {
  const known = [...world.cases.receipts.values()].find(
    (receipt) =>
      receipt.owner.bankId === party.bankId &&
      receipt.bankAccountReference === entry.bankAccountReference &&
      (receipt.externalTransactionId === entry.externalTransactionId || receipt.utr === entry.utr),
  );
  if (known === undefined) return undefined;
  const fields: readonly (keyof Entry)[] = [
    'sale',
    'utr',
    'externalTransactionId',
    'amount',
    'valueDate',
    'evidenceId',
  ];
  const isEqual = fields.every((field) => known[field] === entry[field]);
  if (isEqual && world.settings.variants['bank-receipt-duplicates'] === 'same-record') return known;
  throw conflict(
    isEqual
      ? 'This entry was imported before.'
      : 'An entry of this account with the same external_transaction_id or utr was imported with other content.',
  );
}
