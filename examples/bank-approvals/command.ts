import type {
  BankClient,
  BankReceiptsImportBody,
  PaymentReportsDecideBody,
  PaymentsAllocateBody,
  SaleCasesAuthorizeReleaseBody,
  SaleCasesDecideBody,
  SaleCasesOfferBody,
} from 'vehicle-auction-sdk';

interface Bodies {
  readonly approve: SaleCasesDecideBody;
  readonly offer: SaleCasesOfferBody;
  readonly import: BankReceiptsImportBody;
  readonly verify: PaymentReportsDecideBody;
  readonly allocate: PaymentsAllocateBody;
  readonly release: SaleCasesAuthorizeReleaseBody;
}

export type Action = keyof Bodies;

/** A command in full, with its version and its key: sent again as it is, it is the same command. */
export type Command = {
  readonly [A in Action]: {
    readonly action: A;
    /** The record in the path: a sale, a report, a payment; of an import, nothing. */
    readonly id: string;
    readonly body: Bodies[A] & { readonly idempotency_key: string };
  };
}[Action];

/** The record that a command answers with, as far as it matters here. */
export interface Answer {
  readonly id: string;
  readonly state: string;
  readonly resource_version: number;
}

/** The state that says a command has done what it is for. Any other may wait for a second person. */
export const doneState: Readonly<Record<Action, string>> = {
  approve: 'approved',
  offer: 'open',
  import: 'verified',
  verify: 'verified',
  allocate: 'allocated',
  release: 'valid',
};

export function send(bank: BankClient, command: Command): Promise<Answer> {
  switch (command.action) {
    case 'approve':
      return bank.saleCases.decide(command.id, command.body);
    case 'offer':
      return bank.saleCases.offer(command.id, command.body);
    case 'import':
      return bank.bankReceipts.import(command.body);
    case 'verify':
      return bank.paymentReports.decide(command.id, command.body);
    case 'allocate':
      return bank.payments.allocate(command.id, command.body);
    case 'release':
      return bank.saleCases.authorizeRelease(command.id, command.body);
  }
}
