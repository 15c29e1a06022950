import type { RunOptions } from 'vehicle-auction-sdk';

/** What a bank decides before anything is decided in its name. */
export interface Settings {
  /**
   * Which sales wait for the bank: the API shows one state, `approved`, so ask the operator for yours. And how much one run
   * may decide; the rest is left for the next.
   */
  readonly run: Required<Pick<RunOptions, 'isPending' | 'maxCount' | 'maxAmount'>>;
  readonly termsVersion: string;
  /** How and whom the buyer pays. */
  readonly payeeInstructions: string;
  readonly daysToPay: number;
  /** How far below the reserve a bid may be to be answered with an offer; INR decimal string. */
  readonly margin: string;
  readonly daysToAnswer: number;
  readonly release: { readonly recipient: string; readonly yard: string; readonly daysToCollect: number };
}

/** What `--sandbox` runs on. */
export const sandboxSettings: Settings = {
  run: { isPending: ({ state }) => state === 'pending_bank_approval', maxCount: 20, maxAmount: '5000000' },
  termsVersion: 'T3',
  payeeInstructions: 'NEFT to 000111222333, IFSC EXMP0000001, sale id as the reference',
  daysToPay: 7,
  margin: '25000.00',
  daysToAnswer: 3,
  release: { recipient: 'The buyer, with an authority letter', yard: 'Pune 2', daysToCollect: 5 },
};

/** Yours. Nothing runs before you fill them in, so nothing is approved on the terms of an example. */
export const settings: Settings | undefined = undefined;
