import type { RunOptions } from 'vehicle-auction-sdk';

/** Settings of a bank for automatic decisions. */
export interface Settings {
  /**
   * Pending states, and the caps of one run. The API documents only the state `approved`, so ask the operator for
   * yours. Sales over a cap are left for the next run.
   */
  readonly run: Required<Pick<RunOptions, 'isPending' | 'maxCount' | 'maxAmount'>>;
  readonly termsVersion: string;
  /** Payment instructions for the buyer. */
  readonly payeeInstructions: string;
  readonly daysToPay: number;
  /** Largest difference below the reserve that leads to an offer, INR decimal string. */
  readonly margin: string;
  readonly daysToAnswer: number;
  /** Schema of new vehicles (`inventory.schemas()`), and its field for each column of the stock file that has another name. */
  readonly inventory: { readonly schema: string; readonly map: Readonly<Record<string, string | null>> };
  readonly release: { readonly recipient: string; readonly yard: string; readonly daysToCollect: number };
}

/** Settings of `--sandbox`. */
export const sandboxSettings: Settings = {
  run: { isPending: ({ state }) => state === 'pending_bank_approval', maxCount: 20, maxAmount: '5000000' },
  termsVersion: 'T3',
  payeeInstructions: 'NEFT to 000111222333, IFSC EXMP0000001, sale id as the reference',
  daysToPay: 7,
  margin: '25000.00',
  daysToAnswer: 3,
  inventory: { schema: 'vehicles-4', map: { 'Ref No': 'external_id', Vehicle: 'title', Remarks: null } },
  release: { recipient: 'The buyer, with an authority letter', yard: 'Pune 2', daysToCollect: 5 },
};

/** Your settings. The program does not run until you fill them in. */
export const settings: Settings | undefined = undefined;
