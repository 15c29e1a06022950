import { type CallContext, type Outcome, VehicleAuctionError } from './base.js';

/** One thing that is wrong with an argument. */
export interface InputIssue {
  /** Where: `amount`, `lot_ids.3`, `path.lot`. */
  readonly path: string;
  /** What is allowed there. */
  readonly message: string;
}

/** `invalid`: an option that cannot work; `failed`: something that you injected failed during a call. */
export type ConfigurationReason = 'invalid' | 'failed';

/** An option cannot work, or something injected failed. */
export class ConfigurationError extends VehicleAuctionError {
  static {
    this.prototype.name = 'ConfigurationError';
  }

  declare readonly reason: ConfigurationReason;
  /** The option, such as `baseUrl` or `credentials.signingSecret`. */
  readonly option: string;
  /** What is wrong with it. */
  readonly problem: string;

  constructor(
    option: string,
    problem: string,
    call: CallContext & {
      readonly reason?: ConfigurationReason;
      readonly outcome?: Outcome;
      readonly nextStep?: string;
      readonly cause?: unknown;
    } = {},
  ) {
    super({
      reason: 'invalid',
      outcome: 'not_sent',
      nextStep: 'Correct it, then try again.',
      ...call,
      what: `${option} ${problem}.`,
    });
    this.option = option;
    this.problem = problem;
  }
}

/** Input that the service would refuse for certain. Nothing was sent. */
export class InvalidRequestError extends VehicleAuctionError {
  static {
    this.prototype.name = 'InvalidRequestError';
  }

  declare readonly reason: 'invalid_input';
  /** Everything that is wrong, each with its path and what is allowed. */
  readonly issues: readonly InputIssue[];

  /** @param context with a `nextStep` where correcting the input is not what helps */
  constructor(issues: readonly InputIssue[], context: CallContext & { readonly nextStep?: string } = {}) {
    super({
      nextStep: 'Nothing was sent; correct the input and call again.',
      ...context,
      reason: 'invalid_input',
      outcome: 'not_sent',
      what: `${listed(issues)}.`,
    });
    this.issues = issues;
  }
}

const SHOWN = 20;

function listed(issues: readonly InputIssue[]): string {
  const shown = issues.slice(0, SHOWN).map((issue) => `${issue.path} ${issue.message}`);
  const more = issues.length - shown.length;
  return shown.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
