import { type CallContext, VehicleAuctionError } from './base.js';

/** One thing that is wrong with an argument. */
export interface InputIssue {
  /** Where: `amount`, `lot_ids.3`, `path.lot`. */
  readonly path: string;
  /** What is allowed there. */
  readonly message: string;
}

/** Options of a client, a receiver or the sandbox that can't work. Thrown when it is made. */
export class ConfigurationError extends VehicleAuctionError {
  static {
    this.prototype.name = 'ConfigurationError';
  }

  /** The option, such as `baseUrl` or `credentials.signingSecret`. */
  readonly option: string;

  constructor(option: string, problem: string, cause?: unknown) {
    super({
      outcome: 'not_sent',
      what: `${option} ${problem}.`,
      nextStep: 'Correct the option and construct again.',
      ...(cause !== undefined && { cause }),
    });
    this.option = option;
  }
}

/** Input that the service would refuse for certain. Nothing was sent. */
export class InvalidRequestError extends VehicleAuctionError {
  static {
    this.prototype.name = 'InvalidRequestError';
  }

  /** Everything that is wrong, each with its path and what is allowed. */
  readonly issues: readonly InputIssue[];

  constructor(issues: readonly InputIssue[], context: CallContext = {}) {
    super({
      ...context,
      outcome: 'not_sent',
      what: `${issues.map((issue) => `${issue.path} ${issue.message}`).join('; ')}.`,
      nextStep: 'Nothing was sent; correct the input and call again.',
    });
    this.issues = issues;
  }
}
