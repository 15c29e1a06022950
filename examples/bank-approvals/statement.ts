import { isAmount } from 'vehicle-auction-sdk';
import { readTable, TableError } from './csv.js';

/** An entry of a bank account that somebody has matched with a sale and with a dealer's payment report. */
export interface Entry {
  /** Account and transaction: what the entry is known by. */
  readonly name: string;
  readonly account: string;
  readonly utr: string;
  readonly transaction: string;
  /** INR decimal string. */
  readonly amount: string;
  /** A calendar date. */
  readonly valueDate: string;
  readonly saleId: string;
  readonly reportId: string;
}

const columns = ['account', 'utr', 'external_transaction_id', 'amount', 'value_date', 'sale_id', 'report_id'];

/** Reads the entries of a statement. @throws TableError for what is no statement. */
export async function readStatement(path: string): Promise<Entry[]> {
  const rows = await readTable(path, columns);
  return rows.map((cells) => {
    const [
      account = '',
      utr = '',
      transaction = '',
      amount = '',
      valueDate = '',
      saleId = '',
      reportId = '',
    ] = cells;
    const name = `${account}/${transaction}`;
    if (!isAmount(amount)) throw new TableError(`${path}: the amount of ${name} must be like 465000.50`);
    return { name, account, utr, transaction, amount, valueDate, saleId, reportId };
  });
}
