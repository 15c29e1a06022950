import type { SaleRecord } from 'vehicle-auction-sdk';

/** What a bank lays down before anything is decided in its name. */
export interface Settings {
  /**
   * Whether a sale waits for the bank. The API shows one state of a sale, `approved`, and not what a sale is called
   * before: ask the bank's operator, or look at what `saleCases.list()` says.
   */
  readonly isPending: (sale: SaleRecord) => boolean;
  /** Version of the terms that approvals and offers go out with. */
  readonly termsVersion: string;
  /** How and whom the buyer has to pay. */
  readonly payeeInstructions: string;
  /** Days from the approval until payment is due. */
  readonly daysToPay: number;
  /** How far below the reserve an amount may be and still be answered with an offer; INR decimal string. */
  readonly margin: string;
  /** Days that a buyer has to answer an offer. */
  readonly daysToAnswer: number;
  /** What releases go out with. */
  readonly release: {
    readonly recipient: string;
    readonly yard: string;
    /** Days from the release until it lapses. */
    readonly daysToCollect: number;
  };
}

/** What `--sandbox` runs on. */
export const sandboxSettings: Settings = {
  isPending: ({ state }) => state === 'pending_bank_approval',
  termsVersion: 'T3',
  payeeInstructions: 'NEFT to 000111222333, IFSC EXMP0000001, sale id as the reference',
  daysToPay: 7,
  margin: '25000.00',
  daysToAnswer: 3,
  release: { recipient: 'The buyer, with an authority letter', yard: 'Pune 2', daysToCollect: 5 },
};

/** Yours. Nothing runs before they are filled in, so that nothing is approved on the terms of an example. */
export const settings: Settings | undefined = undefined;

/** Something has to be set right before anything can be begun; the message says what. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
